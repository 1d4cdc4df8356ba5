"""The nouns of binding: a number on a page, what a file holds that may be it, and what is proposed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

from stilltrue.evidence.survey import Held, Keys
from stilltrue.model import Place, Verdict
from stilltrue.quantity import Stated


class Level(StrEnum):
    """How much speaks for a candidate, most first; the documentation says what each needs."""

    SURE = "sure"
    LIKELY = "likely"
    POSSIBLE = "possible"
    CONVERSION = "conversion"


class Standing(StrEnum):
    """What git makes of the file that a number was read from."""

    TRACKED = "tracked"
    NEW = "untracked"
    IGNORED = "ignored"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Spot:
    """A number that a file states.

    Attributes:
        place: The file and the line.
        column: Its column, from 1, in characters of the line.
        start: Where it is written, in code points of the file's text; a byte order mark is not counted.
        end: Where it ends.
        text: The number as a reader sees it.
        stated: What it means.
        before: What a reader reads before it, in its sentence or cell.
        after: What a reader reads after it.
        heads: Of a cell: the heading of its column, then what names its row.
        cell: Whether it stands in a cell of a table.
        linked: The claim that a link binds it to; empty where none does.
        struck: Whether it is struck through: a number that fell.
    """

    place: Place
    column: int
    start: int
    end: int
    text: str
    stated: Stated
    before: str = ""
    after: str = ""
    heads: tuple[str, ...] = ()
    cell: bool = False
    linked: str = ""
    struck: bool = False


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value of a file that may be the number.

    Attributes:
        held: The value.
        level: How much speaks for it.
        unit: The unit that the read has to give it; empty where it needs none.
        named: The words around the number that name it.
        why: What keeps it from being `sure`, or what its conversion would assume.
        chance: How likely a random number of these digits agrees with any value of the file.
    """

    held: Held
    level: Level
    unit: str
    named: tuple[str, ...]
    why: str
    chance: Fraction

    @property
    def keys(self) -> Keys:
        """The read that gives it."""
        return (*self.held.keys(), *((("unit", self.unit),) if self.unit else ()))


@dataclass(frozen=True, slots=True)
class Proposal:
    """The block for a number, as it was judged.

    Attributes:
        id: The claim's id.
        block: Its text: a block for a page, an item for a claims file.
        file: The file that it goes into.
        line: The line of that file before which it goes; one more than it has: at its end.
        link: What the number becomes on its page; empty where it is found by a pattern.
        verdict: The verdict of the claim, by the check of the whole project; of several the worst.
        candidate: Which of the candidates it is of, from 1.
        claims: How many claims it makes; more than one for a column of a table.
    """

    id: str
    block: str
    file: str
    line: int
    link: str
    verdict: Verdict
    candidate: int
    claims: int = 1


@dataclass(frozen=True, slots=True)
class Binding:
    """What became of a number that was to be bound.

    Attributes:
        spot: The number.
        evidence: The file.
        numbers: How many numbers of that file it was compared with.
        chance: How likely a random number of these digits agrees with any of them.
        candidates: What may be it, the best first.
        proposal: What is proposed; None where nothing is.
        refused: Why the best candidate is not proposed after all; empty where it is.
        cure: What to do about that.
        written: Whether it was written.
        standing: What git makes of the file.
        near: Where nothing agrees: a value that rounds to the number, which is exact.
    """

    spot: Spot
    evidence: str
    numbers: int
    chance: Fraction
    candidates: tuple[Candidate, ...]
    proposal: Proposal | None = None
    refused: str = ""
    cure: str = ""
    written: bool = False
    standing: Standing = Standing.UNKNOWN
    near: str = ""
