"""Where something stands, and something wrong there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple


class Place(NamedTuple):
    """A line of a file: the path from the repository's root with `/`, the line from 1 (0: the whole file)."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


class Written(NamedTuple):
    """Where something is written: from `start` to `end`, in code points of the file's text, and the line.

    A byte order mark is not counted; lines count from 1.
    """

    start: int
    end: int
    line: int


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong that is not one claim's verdict.

    Attributes:
        code: A key of `codes.CODES`.
        place: Where it is.
        message: What is wrong, in one clause.
        hint: What to do next.
        claim: The id of the claim it is counted under, when that claim has failed itself: then it is shown
            and does not fail on its own.
        about: The ids of the claims it concerns, so that checking one of them shows it.
        files: Further files that it arose from, paths or globs: a change to one of them may have brought it.
    """

    code: str
    place: Place
    message: str
    hint: str = ""
    claim: str | None = None
    about: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
