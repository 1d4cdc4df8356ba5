"""The tables of a reStructuredText file, each cell knowing where it is written."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Cell, Syntax, Written
from stilltrue.pages.found import Found
from stilltrue.pages.rst_cells import DIRECTIVE, Writing, is_comment, refused
from stilltrue.pages.rst_csv_tables import csv_table
from stilltrue.pages.rst_list_tables import list_table

_GRID = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"=+(?: +=+)+")
_UNDERLINE = re.compile(r"-+(?: +-+)*")
_AS_IT_IS = frozenset(
    {"code", "code-block", "sourcecode", "literalinclude", "parsed-literal", "raw", "math", "highlight"}
)
_TABLES: Mapping[str, Callable[[Writing, int, int], Found]] = {
    "list-table": list_table,
    "csv-table": csv_table,
}
_OTHER_TABLES = frozenset({"flat-table", "exceltable"})

_Bounds = list[tuple[int, int]]


def rst_tables(path: str, text: str, deadline: Deadline) -> Iterator[Found]:
    """The tables of a reStructuredText file, in order.

    Tables of directives such as `flat-table`, and cells that span several columns or rows, are found and
    refused: a pattern above one of them never means the table behind it.

    Args:
        path: The file, from the root.
        text: Its text, decoded, without a byte order mark.
        deadline: How long it may take.

    Raises:
        InputError: `too-slow`.
    """
    yield from _File(path, text, deadline).tables()


class _File:
    """One file, line by line."""

    def __init__(self, path: str, text: str, deadline: Deadline) -> None:
        self.deadline = deadline
        self.writing = Writing(path, text, deadline)
        self.at = self.writing.lines
        self.lines = [self.at.line(index).rstrip() for index in range(len(self.at.starts))]

    def tables(self) -> Iterator[Found]:
        index = 0
        while index < len(self.lines):
            self.deadline.check()
            line = self.lines[index].lstrip()
            indent = len(self.lines[index]) - len(line)
            found = None
            if _GRID.fullmatch(line):
                found = self._grid(index, indent)
            elif _SIMPLE.fullmatch(line):
                found = self._simple(index, indent)
            elif (named := DIRECTIVE.match(line)) is not None:
                found = self._directive(index, indent, named[1].lower())
            if found is not None:
                yield found
                index = found.last
            else:
                index = self._after(index, indent, line)

    def _after(self, index: int, indent: int, line: str) -> int:
        """The next line that is text: behind comments, code and what else is shown as it is."""
        named = DIRECTIVE.match(line)
        literal = line.endswith("::") and named is None
        if literal or is_comment(line) or (named is not None and named[1].lower() in _AS_IT_IS):
            return self._end(index, indent)
        return index + 1

    def _end(self, index: int, indent: int) -> int:
        """The first line behind a block that is indented more than its first line."""
        end = index + 1
        while end < len(self.lines):
            line = self.lines[end]
            if line and len(line) - len(line.lstrip()) <= indent:
                break
            end += 1
        return end

    def _directive(self, index: int, indent: int, name: str) -> Found | None:
        """The table of a directive; None where it is no directive of a table."""
        if name not in _TABLES and name not in _OTHER_TABLES:
            return None
        last = self._end(index, indent) - 1
        while not self.lines[last]:
            last -= 1
        if name in _OTHER_TABLES:
            hint = "write it as a `list-table`, or state its numbers by `stated_in`"
            return self._refused(index, last, f"a `{name}` is no table that is read", hint)
        try:
            return _TABLES[name](self.writing, index, last)
        except InputError as error:
            if error.code == "too-slow":
                raise
            return Found(index + 1, last + 1, error)

    def _refused(self, first: int, last: int, message: str, hint: str) -> Found:
        return Found(first + 1, last + 1, refused(message, hint, first + 1))

    # Grid tables -----------------------------------------------------------------------------------------

    def _grid(self, first: int, indent: int) -> Found | None:
        last = first
        while last + 1 < len(self.lines) and self.lines[last + 1][indent : indent + 1] in ("+", "|"):
            last += 1
        border = self.lines[first]
        if last == first:
            return None
        marks = [at for at, sign in enumerate(border) if sign == "+"]
        bounds = [(start + 1, end) for start, end in pairwise(marks)]
        groups: list[list[int]] = []
        heads = 0
        for index in range(first, last + 1):
            line = self.lines[index]
            if (
                _GRID.fullmatch(line[indent:])
                and [at for at, sign in enumerate(line) if sign == "+"] == marks
            ):
                heads = len(groups) if "=" in line and index > first else heads
                groups.append([])
            elif len(line) == len(border) and all(line[at] == "|" for at in marks):
                groups[-1].append(index)
            else:
                message = "a cell of this grid table spans columns or rows, or its borders are out of line"
                return self._refused(first, index, message, _PLAIN)
        rows = [group for group in groups if group]
        if not rows or groups[-1]:
            return self._refused(first, last, "this grid table is not closed", "close it by a border")
        return self._table(first, last, bounds, rows, heads, Syntax.GRID)

    # Simple tables ---------------------------------------------------------------------------------------

    def _simple(self, first: int, indent: int) -> Found | None:
        border = self.lines[first]
        borders = self._borders(first, border)
        if borders is None:
            return None
        inner, last = borders[1:-1], borders[-1]
        bounds = [found.span() for found in re.finditer("=+", border)]
        rows: list[list[int]] = []
        heads = 0
        for index in range(first + 1, last):
            line = self.lines[index]
            if index in inner:
                heads = len(rows)
            elif not line.strip():
                continue
            elif _UNDERLINE.fullmatch(line[indent:]) or self._in_margin(line, bounds):
                message = "a cell of this simple table spans columns, or its text stands between two columns"
                return self._refused(first, last, message, _PLAIN)
            elif line[slice(*bounds[0])].strip() or not rows:
                rows.append([index])
            else:
                rows[-1].append(index)
        if not rows:
            return self._refused(first, last, "this simple table has no rows", "name another table")
        return self._table(first, last, bounds, rows, heads, Syntax.SIMPLE)

    def _borders(self, first: int, border: str) -> list[int] | None:
        """The lines of all borders of a simple table; None where it does not end."""
        found = [first]
        for index in range(first + 1, len(self.lines)):
            if self.lines[index] == border:
                found.append(index)
                ends = index + 1 == len(self.lines) or not self.lines[index + 1].strip()
                if ends or len(found) == _ALL_BORDERS:
                    return found
        return None

    @staticmethod
    def _in_margin(line: str, bounds: Sequence[tuple[int, int]]) -> bool:
        margins = [line[: bounds[0][0]], *(line[end:start] for (_, end), (start, _) in pairwise(bounds))]
        return any(margin.strip() for margin in margins)

    # Both ------------------------------------------------------------------------------------------------

    def _table(
        self,
        first: int,
        last: int,
        bounds: Sequence[tuple[int, int]],
        rows: Sequence[Sequence[int]],
        heads: int,
        syntax: Syntax,
    ) -> Found:
        cells = [
            (tuple(self._cell(row, at, bounds, syntax) for at in range(len(bounds))), row[0] + 1)
            for row in rows
        ]
        return self.writing.table((first, last), cells, heads, syntax)

    def _cell(self, row: Sequence[int], at: int, bounds: Sequence[tuple[int, int]], syntax: Syntax) -> Cell:
        start, end = bounds[at]
        to_the_end = syntax is Syntax.SIMPLE and at == len(bounds) - 1
        texts = {index: self.lines[index][start : None if to_the_end else end] for index in row}
        line = next((index for index in row if texts[index].strip()), row[0])
        begins = self.at.starts[line] + min(start, len(self.lines[line]))
        shown = textwrap.dedent("\n".join(texts.values())).splitlines()
        return self.writing.cell(shown, Written(begins, begins + len(texts[line]), line + 1))


_PLAIN = "give each row and column cells of its own, or state its numbers by `stated_in`"
_ALL_BORDERS = 3
