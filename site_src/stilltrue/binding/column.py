"""The block that binds a whole column of a table, made of the read of one of its cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from stilltrue.binding.block import inside, scalar, slug
from stilltrue.binding.outcome import Candidate, Spot
from stilltrue.binding.spots import page_tables
from stilltrue.claims.placeholders import Value
from stilltrue.claims.quoting import quoted_singly
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Cell, Table
from stilltrue.pages.any_tables import format_of
from stilltrue.pages.passages import Passages
from stilltrue.patterns import literal

_LABEL = re.compile(r"== ('(?:[^'\\]|\\.|'')*'|-?[0-9]+)")
_LONGEST_LINE = 120


class Column(NamedTuple):
    """A column of a table, seen from one of its cells.

    Attributes:
        table: The table.
        at: Which of its columns it is, from 0.
        cells: The cells of the row of that cell.
        after: The pattern that finds the table in its file; empty where it is the first, or stands on a page.
    """

    table: Table
    at: int
    cells: tuple[Cell, ...]
    after: str = ""


def on_page(path: str, text: str, spot: Spot) -> Column:
    """The column of a page that a number stands in.

    Raises:
        InputError: `not-bound`: it stands in none.
    """
    passages = Passages(path, text)
    tables = list(page_tables(passages, path))
    column = _seen(tables, spot)
    if passages.spans.lines.line(column.table.place.line - 1)[:1] in (" ", "\t", ">"):
        raise _refused("its table stands in a list, a box or a quote", "write the block above it by hand")
    return column


def in_file(config: Config, path: str, text: str, spot: Spot) -> Column:
    """The column of a file that is no page.

    Raises:
        InputError: `not-bound`: the number stands in none; `no-table-in`: tables are not found in such files.
    """
    found = list(format_of(path).tables(path, text, Deadline(config.limits.seconds)))
    tables = [each.table for each in found if not isinstance(each.table, InputError)]
    column = _seen(tables, spot)
    places = [each for each in found if each.table is column.table]
    first = places[0].first
    if found[0].table is column.table:
        return column
    return column._replace(after=_after(text, first, max(e.last for e in found if e.last < first)))


def _seen(tables: Iterable[Table], spot: Spot) -> Column:
    for table in tables:
        for row in table.rows:
            for at, cell in enumerate(row.cells):
                if _holds(cell, row.line, table.header[at], spot):
                    return Column(table, at, row.cells)
    raise _refused("the number stands in no cell of a table", "leave `--whole-column` out")


def _holds(cell: Cell, line: int, header: str, spot: Spot) -> bool:
    """Whether a number stands in a cell, which may be on another line than its row begins on."""
    if cell.written is not None:
        return cell.written.start <= spot.start < cell.written.end
    return line == spot.place.line and spot.cell and header == spot.heads[0] and spot.text in cell.text


def _after(text: str, first: int, earlier: int) -> str:
    """A pattern of a line that stands once in a file, at a table or above it, below the one before."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for number in range(first, earlier, -1):
        line = lines[number - 1]
        if line.strip() and len(line) <= _LONGEST_LINE and lines.count(line) == 1:
            return f"^{literal(line)}$"
    raise _refused("no line tells its table from the others of the file", "write the block by hand")


def block_of(name: str, column: Column, evidence: str, candidate: Candidate, path: str = "") -> list[str]:
    """The lines of the block, or of the item of a claims file, for every row of a column.

    Args:
        name: The id of the table's claims.
        column: The column.
        evidence: The evidence.
        candidate: What one of its cells was read from.
        path: The file of the table, for an item of a claims file; empty for a block of a page.

    Raises:
        InputError: `not-bound`: the read cannot be said by the heads of the rows.
    """
    header = column.table.header
    heads = [header[at] for at in _named(column, candidate.held.row())]
    own = header[column.at]
    rows = ", ".join(f"{{{head}}}" for head in dict.fromkeys(heads))
    where = [f"table_in: {_table_in(path, column.after)}"] if path else []
    return [
        f"id: {name}",
        f"says: {scalar(f'{own} ({rows}) is {{value}}.')}",
        *where,
        f"key: [{', '.join(inside(head) for head in dict.fromkeys(heads))}]",
        f"evidence: {scalar(evidence)}",
        "columns:",
        f"  {scalar(own)}:",
        "    read:",
        *(f"      {key}: {scalar(text)}" for key, text in _filled(candidate, heads)),
    ]


def column_id(column: Column, path: str) -> str:
    """An id for the claims of a column, each of which adds what names its row and its column."""
    return slug(path.rpartition("/")[2].partition(".")[0]) or slug(column.table.header[column.at]) or "table"


def _table_in(path: str, after: str) -> str:
    more = f", after: {quoted_singly(after)}" if after else ""
    return f"{{file: {quoted_singly(path)}{more}}}"


def _named(column: Column, labels: Sequence[str]) -> Iterator[int]:
    """The columns whose cells hold what names the row in the file."""
    if not labels:
        raise _refused("nothing in the file names the rows", "write the block by hand")
    for label in labels:
        at = next((at for at, cell in enumerate(column.cells) if at != column.at and _is(cell, label)), None)
        if at is None:
            raise _refused(f"no cell of its row says `{label}`, which names the row in the file", _BY_HAND)
        yield at


def _is(cell: Cell, label: str) -> bool:
    return label in (cell.text, Value("", cell.text).number)


def _filled(candidate: Candidate, heads: Sequence[str]) -> Iterator[tuple[str, str]]:
    """The keys of the read, with the headers in place of what names the row."""
    for key, text in candidate.keys:
        yield key, _with_heads(text, heads) if key in ("path", "where") else text


def _with_heads(text: str, heads: Sequence[str]) -> str:
    if len(_LABEL.findall(text)) != len(heads):  # a key or a label of the file looks like one itself
        raise _refused("a name in the file looks like the label of a row", "write the block by hand")
    names = iter(heads)
    return _LABEL.sub(lambda _: f"== {{{next(names)}}}", text)


def _refused(message: str, hint: str) -> InputError:
    return InputError("not-bound", message, hint)


_BY_HAND = "write the block by hand; `rows` gives rows other names"
