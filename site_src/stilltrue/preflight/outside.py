"""Checks from outside: functions of installed packages that the configuration names.

They are imported where packages are installed, never from the checkout: a pull request cannot bring one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing, redirect_stdout
from types import UnionType
from typing import Any

from stilltrue import installed
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Place
from stilltrue.preflight.finding import Finding, Launch

OutsideFunction = Callable[[Launch, Any], Iterable[Finding]]
"""Gets the launch and its settings as plain data: texts, lists, mappings."""


def look(function: OutsideFunction, settings: Any, launch: Launch) -> Iterable[Finding]:
    """What a check from outside saw.

    Raises:
        TypeError: It gave something else than findings, or one that does not hold what it should.
        ValueError: It does not end.
    """
    with closing(_apart(function, settings, launch)) as given:
        for number, finding in enumerate(given):
            if not isinstance(finding, Finding):
                raise TypeError(f"it gave {type(finding).__name__}, no `stilltrue.preflight.Finding`")
            _hold(finding, _FINDING)
            if finding.place is not None:
                _hold(finding.place, _PLACE)
            if number >= _MOST_FINDINGS:
                raise ValueError(f"it gave more than {_MOST_FINDINGS:,} findings")
            yield finding


def _apart(function: OutsideFunction, settings: Any, launch: Launch) -> Generator[object]:
    """What it gives; what it prints goes to standard error, since standard output is the report's."""
    with redirect_stdout(sys.stderr):
        yield from function(launch, settings)


_FINDING: Mapping[str, type | UnionType] = {
    "ok": bool,  # what is merely true, as "no" is, has not passed
    "what": str,
    "saw": str,
    "hint": str,
    "place": Place | None,
}
_PLACE: Mapping[str, type | UnionType] = {"path": str, "line": int}
_MOST_FINDINGS = 10_000


def _hold(given: object, kinds: Mapping[str, type | UnionType]) -> None:
    for name, kind in kinds.items():
        if not isinstance(value := getattr(given, name), kind):
            raise TypeError(f"`{name}` of a {type(given).__name__.lower()} is {type(value).__name__}")


def imported(config: Config, name: str, written: str) -> OutsideFunction:
    """The function of a check from outside.

    Args:
        config: The project.
        name: The check.
        written: `package.module:function`, from the configuration.

    Raises:
        UsageError: `preflight-outside`: it is not installed, lies in a checkout, or cannot be imported.
    """
    try:
        found = installed.imported(config.root, name, written, "preflight-outside")
    except InputError as error:
        raise _refused(config, error.message, error.hint) from None
    if not callable(found):
        raise _refused(config, f"`{name}` is no function: `{written}`")
    checked: OutsideFunction = found
    return checked


def _refused(config: Config, message: str, hint: str = "") -> UsageError:
    hint = hint or 'write `checks = {name = "package.module:function"}` with the name of an installed package'
    return UsageError(message, hint, code="preflight-outside", place=config.source)
