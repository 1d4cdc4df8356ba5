"""What a claim is: the statement, its source, and how its evidence is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from stilltrue.model.places import Place, Written
from stilltrue.quantity import Stated, Tolerance, Unit


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
class Valid:
    """How long, and with which versions, a claim is valid.

    Attributes:
        until: The last day, YYYY-MM-DD, in UTC; empty for no end.
        versions: Package and version specifier (`>=5.15,<6`).
    """

    until: str = ""
    versions: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class StatedIn:
    """Where a claim's stated value stands, when some file says it already.

    Attributes:
        file: The file, from the root; `./` is already resolved.
        match: An RE2 pattern over the whole text; the value is the group `value`, else the only group.
        unit: The unit of a value that is bare there; None where it says its own.
        line: The line of the `stated_in` key where it was written.
    """

    file: str
    match: str
    unit: Unit | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class TableIn:
    """Where a table of claims stands, when that is not the page of its block.

    Attributes:
        file: The file, from the root; `./` is already resolved.
        after: An RE2 pattern over the whole text: the table is the first on or after its first match; empty:
            the first of the file.
        line: The line of the `table_in` key where it was written.
    """

    file: str
    after: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class Copy:
    """Another place that repeats a claim's number: every match of a pattern in a file.

    Attributes:
        file: The file, from the root; `./` is already resolved.
        match: As in `StatedIn`.
        unit: As in `StatedIn`.
        line: The line of this item of `copies` where it was written.
    """

    file: str
    match: str
    unit: Unit | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Search:
    """How copies of a superseded value are looked for.

    Attributes:
        ignore: Globs of files, from the root, that are left out.
        words: Only lines near one of these words count, and bare numbers count too; empty: no such limit.
    """

    ignore: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


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
        reproduces: How far a fresh run may be from the evidence; None: equal.
        valid: How long and with which versions it is valid.
        table: The id of the `claims` block whose cell it is; empty for a claim of its own.
        stated_in: The file that states it, where that is no `value` key and no cell: `place` is there.
        table_in: Where the table of its cell stands, when that is not the page of the block.
        written: Where that cell is written.
        copies: The other places that repeat its number.
        search: How copies of it are looked for once it is superseded.
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
    reproduces: Tolerance | None = None
    valid: Valid | None = None
    table: str = ""
    stated_in: StatedIn | None = None
    table_in: TableIn | None = None
    written: Written | None = None
    copies: tuple[Copy, ...] = ()
    search: Search | None = None


@dataclass(frozen=True, slots=True)
class Embed:
    """A block whose whole body is an id: it shows a claim of `claims/*.yml`."""

    id: str
    place: Place
