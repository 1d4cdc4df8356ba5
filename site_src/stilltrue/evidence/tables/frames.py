"""A table as rows of cells: its columns, where each row stands in the file, and which of several it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, Protocol

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.footers import Vouching
from stilltrue.quantity import Unit, Value
from stilltrue.suggest import did_you_mean
from stilltrue.wording import named

SHOWN = 30
"""How many columns, or tables, a hint lists."""


class Cell(NamedTuple):
    """One reading of a table: the value, and the line of the file on which its row begins."""

    value: Value
    line: int


class Kind(StrEnum):
    """What the cells of a column are."""

    ANY = "any"  # whatever parse_value makes of them
    TEXT = "text"  # text, digits or not: the names of kernels
    BYTES = "bytes"  # sizes as torch prints them: `12.00 KB` is 12,288 bytes
    FLAG = "flag"  # `1` or empty
    BOOL = "bool"  # `true`, `false` or empty, which is neither


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table.

    Attributes:
        name: What reads call it.
        heading: As the file writes it; empty where it has no header.
        unit: The unit that its heading gives to bare cells.
        kind: What its cells are.
    """

    name: str
    heading: str = ""
    unit: Unit | None = None
    kind: Kind = Kind.ANY


class Grid(Protocol):
    """The cells of a table, by row and column from 0."""

    @property
    def height(self) -> int:
        """How many rows there are."""
        ...

    def cell(self, row: int, column: int, deadline: Deadline) -> str:
        """The text of one cell; raises as `texts`."""
        ...

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[Sequence[str]]:
        """The texts of some columns; raises InputError when that takes too long."""
        ...

    def line(self, row: int) -> int:
        """The line of the file on which a row begins, from 1."""
        ...


@dataclass(frozen=True, slots=True)
class StoredGrid:
    """A grid whose cells are all in memory.

    Attributes:
        rows: The cells, row by row, all of one length.
        lines: The line of each row.
    """

    rows: Sequence[Sequence[str]]
    lines: Sequence[int]

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.rows)

    def cell(self, row: int, column: int, _deadline: Deadline) -> str:
        """The text of one cell."""
        return self.rows[row][column]

    def texts(self, columns: Sequence[int], _deadline: Deadline) -> list[Sequence[str]]:
        """The texts of some columns."""
        return [[row[column] for row in self.rows] for column in columns]

    def line(self, row: int) -> int:
        """The line of the file on which a row begins, from 1."""
        return self.lines[row]


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """One table of a file.

    Attributes:
        columns: Its columns, `line` aside.
        grid: Its cells.
        line: The line of its header; 0 in a file without lines, whose rows have their numbers for lines.
        title: What the file calls it; empty where it says nothing.
        footer: What a profiler table says of its totals: of its device rows, where it tells them from others;
            None for other tables.
        fault: Why it cannot be read (it is cut off, a row does not fit); raised when it is read.
        broken: Why single rows, from 0, cannot be read; raised unless a read leaves the row out by its line.
        lacks: Why it may have no device columns; empty where that is no question.
        left_out: How many rows of the file are not in the grid: no row that the read takes is among them.
        opening: The first rows of the file where some are left out.
        places: The position of each column by name.
    """

    columns: tuple[Column, ...]
    grid: Grid
    line: int = 1
    title: str = ""
    footer: Vouching | None = None
    fault: InputError | None = None
    broken: Mapping[int, InputError] = field(default_factory=dict)
    lacks: str = ""
    left_out: int = 0
    opening: Grid | None = None
    places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "places", {column.name: at for at, column in enumerate(self.columns)})

    @property
    def height(self) -> int:
        """How many rows the file has."""
        return self.grid.height + self.left_out

    @property
    def called(self) -> str:
        """What messages call it: by the line of its header, in a file without lines by its title."""
        if self.line:
            return f"the table in line {self.line}"
        return f"the table `{self.title}`" if self.title else "the table"

    def called_row(self, row: int) -> str:
        """What messages call one row, from 0."""
        place = self.grid.line(row)
        return f"the row of line {place}" if self.line else f"row {place}"

    def missing(self, name: str, *, compared: bool = False) -> InputError:
        """The error that says there is no such column, and which there are.

        Args:
            name: What was taken for a column.
            compared: Whether it stands in a condition, where it may be a text that lacks its quotes.
        """
        if self.lacks and "device" in name:
            return InputError("no-column", f"{self.called} has no device columns", self.lacks)
        twins = [other for other in self.places if _is_twin(name, other)]
        if twins:
            hint = f"several columns are headed so: take one of {named(twins, SHOWN)}"
        else:
            near = did_you_mean(name, self.places)
            if compared and not near:
                near = f"text goes in single quotes, `'{name}'`;"
            listed = f"the columns are {self.listing()}"
            hint = f"{near} {listed}" if near else listed
        return InputError("no-column", f"{self.called} has no column `{name}`", hint)

    def listing(self) -> str:
        """The names of its columns, for a hint."""
        return named(self.places, SHOWN)


def _is_twin(name: str, other: str) -> bool:
    """Whether `other` is `name` with the number of one of several equal headings."""
    stem, _, number = other.rpartition("_")
    return stem == name and number.isdecimal() and int(number) <= SHOWN
