"""Runs the checks that a file asks for. Nothing that could not be looked at counts as passed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path

from stilltrue.check import check as check_claims
from stilltrue.config import Config
from stilltrue.errors import InputError, StilltrueError, UsageError
from stilltrue.installed import said
from stilltrue.model import Place, Report
from stilltrue.preflight import launched
from stilltrue.preflight.finding import Finding, Launch, Preflight, Result, failed
from stilltrue.preflight.reading import Asked, File, Look, read
from stilltrue.suggest import did_you_mean
from stilltrue.wording import named

Watch = Callable[[str], AbstractContextManager[object]]
"""Given the name of a check, what to be in while it looks: a clock on a terminal."""


def preflight(
    config: Config, path: str, only: Collection[str] = (), *, watch: Watch = lambda _: nullcontext()
) -> Preflight:
    """Looks at what a launch relies on; writes nothing in the project.

    Args:
        config: The project.
        path: The settings' file, from the root.
        only: The checks to run; all that the file asks for where none is named.
        watch: What to be in while a check looks.

    Raises:
        InputError: The settings' file is not there, or cannot be read.
        UsageError: The settings fit no table, ask for nothing, or not for what `only` names; a check from
            outside cannot be imported.
    """
    file = read(config, path)
    launch = _launch(config, path, file)
    results = []
    for asked in _chosen(file, only, path):
        with watch(asked.name):
            results.append(Result(asked.name, tuple(_findings(launch, asked))))
    return Preflight(path, tuple(results))


def _launch(config: Config, path: str, file: File) -> Launch:
    @cache
    def report() -> Report:
        try:
            return check_claims(config)
        except UsageError as error:  # there is no claim at all
            raise InputError(error.code, error.message, error.hint) from None

    return Launch(config, path, _interpreter(config.root, file.python), launched.run, report)


def _interpreter(root: Path, python: str) -> str:
    """The interpreter as it is started: a path is from the root, a bare name is looked up by the system.

    Its links stay: the interpreter of a virtual environment knows its packages by where it is started.
    """
    if not python:
        return sys.executable
    return str(root / python) if "/" in python else python


def _chosen(file: File, only: Collection[str], path: str) -> list[Asked]:
    there = {asked.name: asked for asked in file.asked}
    for name in only:
        if name not in there:
            hint = did_you_mean(name, there) or f"it asks for {named(there, len(there))}"
            raise UsageError(f"this asks for no check `{name}`", hint, code="usage", place=path)
    return [asked for asked in file.asked if not only or asked.name in only]


def _findings(launch: Launch, asked: Asked) -> Iterator[Finding]:
    """What a check saw, for each thing that it looks at."""
    for place, look in asked.looks:
        found = _looked(launch, asked.name, place, look)
        yield from found or [
            failed(asked.name, "there was nothing to look at", "name what to look at", place)
        ]


def _looked(launch: Launch, name: str, place: Place, look: Look) -> list[Finding]:
    """What a check saw; what kept it from looking is a finding that fails, after those it had by then."""
    found: list[Finding] = []
    try:
        for finding in look(launch):
            found.append(finding)  # noqa: PERF402  # what came before an error is kept
    except StilltrueError as error:
        path, line = (error.path, error.line) if isinstance(error, InputError) else ("", 0)
        hint = error.hint or "mend it, then look again"
        found.append(failed(name, error.message, hint, Place(path, line) if path else place))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a check that breaks, or exits, has not passed
        saw = f"the check itself broke: {said(error)}"
        found.append(
            failed(name, saw, "this says nothing about the launch: report it, and look by hand", place)
        )
    return found
