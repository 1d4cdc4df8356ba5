"""The frozen nouns that every stage hands to the next: blocks, claims, reads, readings, verdicts, reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from stilltrue.quantity import Numeral, Stated, Tolerance, Unit, Value, found_text


class Place(NamedTuple):
    """A line of a file: the path from the repository's root with `/`, the line from 1 (0: the whole file)."""

    path: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}" if self.line else self.path


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
    """

    code: str
    place: Place
    message: str
    hint: str = ""
    claim: str | None = None
    about: tuple[str, ...] = ()


# What pages hold ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced claim block found on a page.

    Attributes:
        kind: The fence's word: `claim`.
        body: What stands between the fences, with the fence's own indentation taken off each line.
        place: The line of the opening fence.
        end: The line of the closing fence.
        indent: How many characters stand before the fence on its line.
    """

    kind: str
    body: str
    place: Place
    end: int
    indent: int = 0


@dataclass(frozen=True, slots=True)
class Link:
    """A link in prose that binds a number: `[65.2 %](claim:attention-share)`.

    Attributes:
        target: The claim's id.
        text: The link's text with Markdown marks removed.
        struck: Whether all of the text is struck through (`~~4.3 h~~`).
        place: The line on which the link begins.
    """

    target: str
    text: str
    struck: bool
    place: Place


@dataclass(frozen=True, slots=True)
class Page:
    """What the scanner found on one page, in the order of the page."""

    path: str
    blocks: tuple[Block, ...]
    links: tuple[Link, ...]
    problems: tuple[Problem, ...]


# What a claim is ---------------------------------------------------------------------------------------


class Shape(StrEnum):
    """The shape in which a read sees evidence."""

    TREE = "tree"
    TABLE = "table"
    TEXT = "text"


@dataclass(frozen=True, slots=True)
class Take:
    """How several readings become one.

    Attributes:
        name: `only`, `same`, `first`, `last`, `min`, `max`, `mean`, `median`, `sum`, `count`, `std`,
            `pstd`, `p`.
        of: How many readings there must be (`mean of 3`); None where any number will do.
        percentile: For `p`: 0 to 100.
    """

    name: str = "only"
    of: int | None = None
    percentile: Fraction | None = None


@dataclass(frozen=True, slots=True)
class Read:
    """The instruction that takes readings out of evidence.

    Attributes:
        shape: Which of `path`, `column`, `match` was given.
        path: RFC 9535 JSONPath (trees).
        column: A column or an SQL expression of one row (tables).
        where: An SQL predicate over the rows (tables).
        table: Which of several tables, by number from 1 or by name.
        match: An RE2 pattern (text).
        between: Two RE2 patterns that bound the text.
        take: One take, or two: within a file, then across files. Empty: `only`.
        unit: The unit that bare numbers have.
        decimal: The decimal mark of the evidence, `.` or `,`.
        format: The format that overrides detection (`json`, `jsonl`, `csv`, `text`, …).
        header: Whether the table's first row names the columns.
        line: The line of the `read` key (or of this named read) where it was written.
    """

    shape: Shape
    path: str = ""
    column: str = ""
    where: str = ""
    table: str = ""
    match: str = ""
    between: tuple[str, str] | None = None
    take: tuple[Take, ...] = ()
    unit: Unit | None = None
    decimal: str = "."
    format: str = ""
    header: bool = True
    line: int = 0


@dataclass(frozen=True, slots=True)
class EvidenceSource:
    """A claim read from evidence.

    Attributes:
        patterns: Paths or globs from the root; `./` ones are already resolved against the page's folder.
        reads: The reads by name; the one unnamed read has the name "".
        derive: The expression over the named reads, empty for an unnamed read.
    """

    patterns: tuple[str, ...]
    reads: tuple[tuple[str, Read], ...]
    derive: str = ""


@dataclass(frozen=True, slots=True)
class DeriveSource:
    """A claim computed from other claims' found values."""

    derive: str


@dataclass(frozen=True, slots=True)
class ReportedSource:
    """A figure quoted from elsewhere, with no raw evidence in hand (`url` and `on` may be empty)."""

    by: str
    on: str = ""
    url: str = ""


Source = EvidenceSource | DeriveSource | ReportedSource


@dataclass(frozen=True, slots=True)
class Superseded:
    """That a claim was replaced (`by` names the successor) or withdrawn (`by` is empty)."""

    because: str
    on: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Severity:
    """A claim's own severity: `fail` or `warn`, with the reason that must be given."""

    level: str
    because: str


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement with a value, as its author wrote it.

    Attributes:
        id: Its id, for life.
        says: The sentence, `{value}` where the stated value goes.
        stated: The value as the docs write it.
        source: Where the value comes from.
        place: Where the value is stated: the line of its `value` key.
        block: Where the claim is written: the line of the opening fence, or of its item in `claims/*.yml`.
        end: The last line of the block.
        raw: The block's own text, for the fold on its card.
        lines: The line of each key that the author wrote.
        page: Whether it is written on a page (False: in `claims/*.yml`).
    """

    id: str
    says: str
    stated: Stated
    source: Source
    place: Place
    block: Place
    end: int = 0
    raw: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)
    page: bool = True
    tolerance: Tolerance | None = None
    superseded: Superseded | None = None
    severity: Severity | None = None
    tags: tuple[str, ...] = ()
    owner: str = ""
    note: str = ""
    probe: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """A block whose whole body is an id: it shows a claim of `claims/*.yml`."""

    id: str
    place: Place


# What checking gives -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Reading:
    """One value taken out of evidence, with the line it stands on (0 where a format has no lines)."""

    path: str
    line: int
    value: Value


@dataclass(frozen=True, slots=True)
class Taken:
    """What one read came to.

    Attributes:
        value: The one value.
        readings: Those that the value came from (one for `first`, `last`, `min`, `max`).
        rounds: Whether a whole stated number may be this one rounded: a mean, median, std or percentile.
        notes: What the reader wants known, such as a profiler table that does not add up.
    """

    value: Value
    readings: tuple[Reading, ...]
    rounds: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Spread:
    """What all readings of a read come to, for a stated range or `±`: all four in one unit."""

    low: Value
    high: Value
    mean: Value
    std: Value
    readings: tuple[Reading, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """What the readings, or a derivation, come to.

    Attributes:
        low: The value, or the lower end of an interval, or the smallest reading.
        high: Equal to `low` unless found is an interval or a spread.
        rounds: Whether a whole stated number may be this one rounded.
        spread: Mean and sample standard deviation, when stated is a range or a `±`.
    """

    low: Value
    high: Value
    rounds: bool = False
    spread: tuple[Value, Value] | None = None


class Verdict(StrEnum):
    """What checking a claim came to; the first that applies, top down."""

    SUPERSEDED = "superseded"
    BROKEN = "broken"
    DRIFTED = "drifted"
    REFUTED = "refuted"
    SUSPECT = "suspect"
    STALE = "stale"
    REPORTED = "reported"
    HOLDS = "holds"


FAILING = frozenset({Verdict.BROKEN, Verdict.DRIFTED, Verdict.REFUTED, Verdict.SUSPECT, Verdict.STALE})
"""The verdicts that fail a check, unless severity says otherwise."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """One claim and what checking it came to.

    Attributes:
        claim: The claim.
        verdict: Its verdict.
        also: The further verdicts that apply.
        fails: Whether it fails the check (a failing verdict, not lowered to a warning, not inherited).
        found: What was found, None where nothing was.
        readings: The readings that found came from.
        message: What is wrong, in one clause; empty where nothing is.
        hint: What to do next.
        code: The code of the message.
        notes: What a reader of the evidence wants known.
        cause: The id of the operand that this verdict was inherited from: counted under that claim.
    """

    claim: Claim
    verdict: Verdict
    also: tuple[Verdict, ...] = ()
    fails: bool = False
    found: Found | None = None
    readings: tuple[Reading, ...] = ()
    message: str = ""
    hint: str = ""
    code: str = ""
    notes: tuple[str, ...] = ()
    cause: str | None = None

    @property
    def found_text(self) -> str:
        """Found as the author would have written it, empty where nothing was found.

        Written when it is asked for: a check of thousands of claims shows few of them.
        """
        found = self.found
        if found is None:
            return ""
        apart = not {self.verdict, *self.also}.isdisjoint((Verdict.BROKEN, Verdict.DRIFTED))
        return found_text(self.claim.stated, found.low, found.high, found.spread, apart=apart)


@dataclass(frozen=True, slots=True)
class BoundLink:
    """A prose link that names a known claim, and whether its number agrees."""

    link: Link
    agrees: bool


@dataclass(frozen=True, slots=True)
class Report:
    """All that a check found, in the order of pages and lines.

    Attributes:
        judgements: One per claim.
        problems: All problems.
        links: Every prose link that names a known claim.
        embeds: Every block that shows a claim of `claims/*.yml`.
        pages: The paths of all pages read, whether or not anything was found on them.
        files: Every evidence file that a claim was read from, sorted.
    """

    judgements: tuple[Judgement, ...]
    problems: tuple[Problem, ...]
    links: tuple[BoundLink, ...] = ()
    embeds: tuple[Embed, ...] = ()
    pages: tuple[str, ...] = ()
    files: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return not any(j.fails for j in self.judgements) and not any(p.claim is None for p in self.problems)


__all__ = [
    "FAILING",
    "Block",
    "BoundLink",
    "Claim",
    "DeriveSource",
    "Embed",
    "EvidenceSource",
    "Found",
    "Judgement",
    "Link",
    "Numeral",
    "Page",
    "Place",
    "Problem",
    "Read",
    "Reading",
    "Report",
    "ReportedSource",
    "Severity",
    "Shape",
    "Source",
    "Spread",
    "Superseded",
    "Take",
    "Taken",
    "Verdict",
]
