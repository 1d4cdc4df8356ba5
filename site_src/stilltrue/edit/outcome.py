"""What an update comes to: the places that it changed, and those that it left."""

from __future__ import annotations

from dataclasses import dataclass

from stilltrue.model import Place


@dataclass(frozen=True, slots=True)
class Changed:
    """A number that was rewritten.

    Attributes:
        claim: The claim's id.
        place: Where the number stands.
        old: What it was.
        new: What it is.
        before: The line, or the lines, as they were.
        after: As they are.
    """

    claim: str
    place: Place
    old: str
    new: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Left:
    """A number that disagrees with what was found, or a claim that could not be judged, left as it is.

    Attributes:
        claim: The claim's id.
        place: Where the number stands.
        code: A key of `codes.CODES`.
        message: Why it was left, in one clause.
        hint: What to do next.
    """

    claim: str
    place: Place
    code: str
    message: str
    hint: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What an update came to, both in the order of files and lines.

    Attributes:
        changed: The numbers that were rewritten, or would be.
        left: The numbers that were not.
        files: The files that were written, or would be.
        written: Whether they were: not in a dry run, and not where nothing had changed.
        doubted: How many claims fail since what was found for them is in doubt, those apart that inherit it.
    """

    changed: tuple[Changed, ...] = ()
    left: tuple[Left, ...] = ()
    files: tuple[str, ...] = ()
    written: bool = False
    doubted: int = 0

    @property
    def ok(self) -> bool:
        """Whether every number that disagreed was rewritten."""
        return not self.left
