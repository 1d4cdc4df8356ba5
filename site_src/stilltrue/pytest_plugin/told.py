"""What a check tells pytest: plain values, so that the workers of xdist can be sent them."""

from __future__ import annotations

from typing import NamedTuple


class Outcome(NamedTuple):
    """One test: a claim, or a problem.

    Attributes:
        path: The file that it is written in, absolute.
        line: The line, from 1; 0 for the whole file.
        name: The id of the claim; the code of the problem and its line, `no-file:7`.
        fails: Whether it fails.
        text: Why it fails, in the words of the report; empty where it does not.
        skips: Why it is no test of anything: quoted, superseded, or counted under another; else empty.
        under: The key of what it follows from. It fails only where that was not selected.
    """

    path: str
    line: int
    name: str
    fails: bool = False
    text: str = ""
    skips: str = ""
    under: str = ""

    @property
    def key(self) -> str:
        """What no other has."""
        return f"{self.path}::{self.name}"


class Told(NamedTuple):
    """All that a check tells: a test for each claim and each problem, and warnings, which fail nothing."""

    outcomes: tuple[Outcome, ...]
    warnings: tuple[str, ...] = ()
