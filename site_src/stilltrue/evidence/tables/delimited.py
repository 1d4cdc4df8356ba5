"""CSV and TSV: text to one table."""

from __future__ import annotations

import csv
import sys
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.frames import Column, Frame, Grid, StoredGrid
from stilltrue.evidence.tables.headings import column_names, heading_unit
from stilltrue.quantity import Units

STORED = 4 << 20
"""How many characters a file may have for all of its cells to be kept; of a larger one only columns that
are read are, a pass over the text for each."""

MOST_COLUMNS = 20_000
"""A file with more columns is no table that anyone reads by name."""

_SNIFFED = 5
_PACE = 4096


def parse_csv(text: str, decimal: str, header: bool, units: Units, deadline: Deadline | None = None) -> Frame:
    """The table of a CSV text; separated by `;` where that is what its first line holds.

    Raises:
        InputError: The text holds no row, a quote does not close, or a row has too few or too many cells.
    """
    text = text.removeprefix("\ufeff")
    return _parse(text, _comma(text, decimal), header, units, deadline)


def parse_tsv(text: str, header: bool, units: Units, deadline: Deadline | None = None) -> Frame:
    """The table of a TSV text; raises as `parse_csv`."""
    return _parse(text.removeprefix("\ufeff"), "\t", header, units, deadline)


def sniff_delimited(text: str) -> str | None:
    """`csv` or `tsv` when the first lines of a text all have the same number of cells, two or more."""
    start = text[: 1 << 16].split("\n")[:-1] or [text[: 1 << 16]]
    lines = [line for line in start if line.strip()][:_SNIFFED]
    if not lines:
        return None
    name, delimiter = ("tsv", "\t") if "\t" in lines[0] else ("csv", ",")
    try:
        widths = {len(row) for row in csv.reader(lines, delimiter=delimiter, strict=True)}
    except csv.Error:
        return None
    return name if len(widths) == 1 and widths.pop() > 1 else None


@dataclass(slots=True, eq=False)
class StreamedGrid:
    """A grid over a large text, of which only the columns that are read are kept."""

    text: str
    delimiter: str
    skip: int
    lines: Sequence[int]
    columns: dict[int, Sequence[str]] = field(default_factory=dict)

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self.lines)

    def cell(self, row: int, column: int, deadline: Deadline) -> str:
        """The text of one cell; raises as `texts`."""
        return self.texts((column,), deadline)[0][row]

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[Sequence[str]]:
        """The texts of some columns; raises InputError when that takes too long."""
        missing = [column for column in columns if column not in self.columns]
        if missing:
            fresh: list[list[str]] = [[] for _ in missing]
            for rows in self._chunks():
                deadline.check()
                for texts, column in zip(fresh, missing, strict=True):
                    texts += [row[column] for row in rows]
            for texts, column in zip(fresh, missing, strict=True):
                self.columns[column] = texts[self.skip :]
        return [self.columns[column] for column in columns]

    def _chunks(self) -> Iterator[list[list[str]]]:
        """All rows, some thousands at a time; that they are rows was seen when the table was parsed."""
        with _any_length():
            reader = csv.reader(_lines(self.text), delimiter=self.delimiter, strict=True)
            while rows := list(islice(reader, _PACE)):
                yield [row for row in rows if _is_row(row)]

    def line(self, row: int) -> int:
        """The line of the file on which a row begins, from 1."""
        return self.lines[row]


def _parse(text: str, delimiter: str, header: bool, units: Units, deadline: Deadline | None) -> Frame:
    with _any_length():
        return _frame(text, delimiter, header, units, deadline)


def _frame(text: str, delimiter: str, header: bool, units: Units, deadline: Deadline | None) -> Frame:
    rows = _rows(text, delimiter, deadline)
    first, line = next(rows, ([], 0))
    if not first:
        raise InputError("bad-table", "the file holds no table", "check that its tool wrote it to the end")
    if len(first) > MOST_COLUMNS:
        raise InputError(
            "bad-table",
            f"the first row has {len(first):,} cells",
            "read the file as text with `match`",
            line=line,
        )
    columns = _columns(first, units) if header else tuple(Column(f"c{n}") for n in range(1, len(first) + 1))
    large = len(text) > STORED
    cells: list[Sequence[str]] = []
    lines = array("q")
    if not header:
        cells.append(first)
        lines.append(line)
    width = len(first)
    for row, at in rows:
        if len(row) != width:
            raise _ragged(row, at, width)
        lines.append(at)
        if not large:
            cells.append(row)
    grid: Grid = StreamedGrid(text, delimiter, int(header), lines) if large else StoredGrid(cells, lines)
    return Frame(columns, grid, line)


def _columns(headings: Sequence[str], units: Units) -> tuple[Column, ...]:
    return tuple(
        Column(name, heading.strip(), heading_unit(heading, units))
        for name, heading in zip(column_names(headings), headings, strict=True)
    )


def _comma(text: str, decimal: str) -> str:
    """What separates the cells of a CSV text: `;` where its first line leaves no other sign."""
    first = text[: text.find("\n")] if "\n" in text else text
    return ";" if ";" in first and (decimal == "," or "," not in first) else ","


def _rows(text: str, delimiter: str, deadline: Deadline | None = None) -> Iterator[tuple[list[str], int]]:
    """The rows of a text that are not blank, each with the line on which it begins."""
    lines = _lines(text) if deadline is None else _hurried(_lines(text), deadline)
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    end = 0
    try:
        for row in reader:
            begin, end = end + 1, reader.line_num
            if _is_row(row):
                yield row, begin
    except csv.Error as error:
        raise _malformed(error, end + 1, reader.line_num) from None


def _is_row(row: Sequence[str]) -> bool:
    """Whether it is more than a blank line."""
    return len(row) > 1 or (len(row) == 1 and bool(row[0].strip()))


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, ends kept. Only a line feed ends one: a quoted cell may hold any other."""
    start = 0
    while (end := text.find("\n", start) + 1) > 0:
        yield text[start:end]
        start = end
    if start < len(text):
        yield text[start:]


def _hurried(lines: Iterator[str], deadline: Deadline) -> Iterator[str]:
    """The lines, as long as there is time; a quote that never closes makes one row of all of them."""
    for number, line in enumerate(lines):
        if not number % _PACE:
            deadline.check()
        yield line


@contextmanager
def _any_length() -> Iterator[None]:
    """Lifts the csv module's limit on a cell: how large evidence may be was settled when it was loaded."""
    before = csv.field_size_limit(sys.maxsize)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _malformed(error: csv.Error, begin: int, line: int) -> InputError:
    if "unexpected end of data" in str(error):
        return InputError(
            "bad-table",
            f"the quote that opens in the row of line {begin} does not close",
            "the file is cut off, or the cell holds a quote that should be doubled",
            line=begin,
        )
    return InputError(
        "bad-table",
        f"line {line} is no row of a table: {error}",
        "quote cells that hold quotes or line ends, or read the file as text with `match`",
        line=line,
    )


def _ragged(row: Sequence[str], line: int, width: int) -> InputError:
    return InputError(
        "bad-table",
        f"the row in line {line} has {len(row):,} cells, the first row {width:,}",
        "the file is cut off, a cell lacks its quotes, or it is no table: then read it with `match`",
        line=line,
    )
