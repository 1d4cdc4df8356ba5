"""The nouns of the check before a launch: what a check may use, and what it saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from stilltrue.config import Config
from stilltrue.model import Place, Report
from stilltrue.preflight.launched import Ran
from stilltrue.preflight.settings import Settings


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check saw of one thing.

    Attributes:
        ok: Whether that is as it should be. What could not be looked at is not.
        what: The thing, in a few words: `argument warmup_ratio`, `input mask`.
        saw: What was seen, in one clause.
        hint: What to do next; every finding that fails has one.
        place: The line that says it: of the settings, or of the file that was looked at.
    """

    ok: bool
    what: str
    saw: str
    hint: str = ""
    place: Place | None = None

    def __post_init__(self) -> None:
        if not self.ok and not self.hint:
            raise ValueError(f"a finding that fails has a hint: {self.what}")


def passed(what: str, saw: str, place: Place | None = None) -> Finding:
    """A finding that is as it should be."""
    return Finding(True, what, saw, place=place)


def failed(what: str, saw: str, hint: str, place: Place | None = None) -> Finding:
    """A finding that is not."""
    return Finding(False, what, saw, hint, place)


@dataclass(frozen=True, slots=True)
class Launch:
    """What a check may use.

    Attributes:
        config: The project.
        file: The settings' file, from the root with `/`.
        python: The interpreter of the launch, as it is started.
        run: Runs a program to its end, as `launched.run`.
        report: The check of the project's claims; judged once, when it is first asked for.
    """

    config: Config
    file: str
    python: str
    run: Callable[..., Ran]
    report: Callable[[], Report]


CheckFunction = Callable[[Launch, Settings], Iterable[Finding]]
"""Looks at one thing that a launch relies on. Whatever it raises is a finding that fails."""


@dataclass(frozen=True, slots=True)
class Result:
    """What one check came to.

    Attributes:
        name: The check.
        findings: What it saw, in its order; at least one.
    """

    name: str
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether it saw something, and all of it is as it should be."""
        return bool(self.findings) and all(finding.ok for finding in self.findings)


@dataclass(frozen=True, slots=True)
class Preflight:
    """What the check before a launch came to: one result per check, in the order of the settings."""

    file: str
    results: tuple[Result, ...]

    @property
    def ok(self) -> bool:
        """Whether every check passed, and there was one."""
        return bool(self.results) and all(result.ok for result in self.results)
