"""Checks from outside: functions of installed packages that the configuration names.

They are imported where packages are installed, never from the checkout: a pull request cannot bring one.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import closing
from types import UnionType
from typing import Any

from stilltrue import installed
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.guard import TimeUp, guarded, lasting
from stilltrue.model import Place
from stilltrue.preflight.finding import Finding, Launch
from stilltrue.preflight.keys import Key, Kind

TIMEOUT = Key(
    "outside_timeout",
    Kind.TIME,
    "How long each check from outside may take; the default is 10 min.",
    "outside_timeout: 30 min",
)
"""A key beside the checks."""

TIMEOUT_S = 600.0

OutsideFunction = Callable[[Launch, Any], Iterable[Finding]]
"""Gets the launch and its settings as plain data: texts, lists, mappings."""


def look(function: OutsideFunction, settings: Any, seconds: float, launch: Launch) -> Iterator[Finding]:
    """What a check from outside saw; what it prints goes to standard error.

    Args:
        function: The check.
        settings: Its settings, as plain data.
        seconds: How long it may take, on the clock.
        launch: The launch.

    Raises:
        InputError: `too-slow`, where it takes longer; before any error comes what it saw by then.
        TypeError: It gave something else than findings, or one that does not hold what it should.
        ValueError: It gives them without end.
        BaseException: Whatever it raises; SystemExit for an exit of any kind.
    """
    found: list[Finding] = []
    try:
        with installed.apart(launch.config.root):
            guarded(
                lambda: found.extend(_held(function, settings, launch)),
                out=sys.stderr,
                err=sys.stderr,
                left=lasting(seconds),
            )
    except TimeUp:
        hint = f"mend it, or allow more time in the settings: `{TIMEOUT.example}`"
        raise InputError("too-slow", f"it takes longer than {seconds:g} s, and was ended", hint) from None
    finally:
        yield from found


def _held(function: OutsideFunction, settings: Any, launch: Launch) -> Iterator[Finding]:
    """What it gives, held to what it should be."""
    with closing(_given(function, settings, launch)) as given:
        for number, finding in enumerate(given):
            if not isinstance(finding, Finding):
                raise TypeError(f"it gave {type(finding).__name__}, no `stilltrue.preflight.Finding`")
            _hold(finding, _FINDING)
            if finding.place is not None:
                _hold(finding.place, _PLACE)
            if number >= _MOST_FINDINGS:
                raise ValueError(f"it gave more than {_MOST_FINDINGS:,} findings")
            yield finding


def _given(function: OutsideFunction, settings: Any, launch: Launch) -> Generator[object]:
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


def imported(config: Config, name: str, written: str, seconds: float) -> OutsideFunction:
    """The function of a check from outside.

    Args:
        config: The project.
        name: The check.
        written: `package.module:function`, from the configuration.
        seconds: How long that may take.

    Raises:
        UsageError: `preflight-outside`: it is not installed, lies in a checkout, or cannot be imported.
    """
    try:
        found = installed.imported(config.root, name, written, "preflight-outside", seconds)
    except InputError as error:
        raise _refused(config, error.message, error.hint) from None
    if not callable(found):
        raise _refused(config, f"`{name}` is no function: `{written}`")
    checked: OutsideFunction = found
    return checked


def _refused(config: Config, message: str, hint: str = "") -> UsageError:
    hint = hint or 'write `checks = {name = "package.module:function"}` with the name of an installed package'
    return UsageError(message, hint, code="preflight-outside", place=config.source)
