"""Runs the checks that a file asks for. Nothing that could not be looked at counts as passed."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from pathlib import Path

from stilltrue.check import check as check_claims
from stilltrue.config import Config
from stilltrue.errors import InputError, StilltrueError, UsageError
from stilltrue.installed import said
from stilltrue.model import Place, Report
from stilltrue.preflight import launched
from stilltrue.preflight.finding import Finding, Launch, Preflight, Result, failed
from stilltrue.preflight.reading import Asked, File, Subject, read
from stilltrue.suggest import did_you_mean
from stilltrue.wording import named

Watch = Callable[[str], AbstractContextManager[object]]
"""Given the name of a check, what to be in while it looks: a clock on a terminal."""

Hear = Callable[[Result], object]
"""Takes what a check came to, as soon as it has."""


def preflight(
    config: Config,
    path: str,
    only: Collection[str] = (),
    *,
    watch: Watch = lambda _: nullcontext(),
    hear: Hear = lambda _: None,
) -> Preflight:
    """Looks at what a launch relies on; writes nothing in the project.

    Args:
        config: The project.
        path: The settings' file, from the root.
        only: The checks to run; all that the file asks for where none is named.
        watch: What to be in while a check looks.
        hear: Gets each result as it comes; none before all settings were found to fit.

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
            result = Result(asked.name, tuple(_findings(launch, asked)))
        hear(result)
        results.append(result)
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
    for subject in asked.subjects:
        found = _looked(launch, asked.name, subject) or [
            failed(asked.name, "there was nothing to look at", "name what to look at", subject.place)
        ]
        yield from (_of(subject.name, asked.name, finding) for finding in found)


def _of(subject: str, check: str, finding: Finding) -> Finding:
    """A finding that says which of several subjects it is about."""
    if not subject:
        return finding
    return replace(finding, what=subject if finding.what == check else f"{subject}: {finding.what}")


def _looked(launch: Launch, name: str, subject: Subject) -> list[Finding]:
    """What a check saw; what kept it from looking is a finding that fails, after those it had by then."""
    found: list[Finding] = []
    try:
        for finding in subject.look(launch):
            found.append(finding)  # noqa: PERF402  # what came before an error is kept
    except StilltrueError as error:
        path, line = (error.path, error.line) if isinstance(error, InputError) else ("", 0)
        hint = error.hint or "mend it, then look again"
        found.append(failed(name, error.message, hint, Place(path, line) if path else subject.place))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001  # a check that breaks, or exits, has not passed
        saw = f"the check itself broke: {said(error)}"
        hint = "this says nothing about the launch: report it, and look by hand"
        found.append(failed(name, saw, hint, subject.place))
    return found
