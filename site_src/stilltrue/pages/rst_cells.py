"""The cells and tables of reStructuredText, made of what was found."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Cell, Place, Row, Syntax, Table, Written
from stilltrue.pages.found import Found
from stilltrue.pages.rst_inline import inline, references_of
from stilltrue.pages.spans import Lines

TAB = 8
"""How far apart the stops of tabs are for docutils."""

DIRECTIVE = re.compile(r"\.\. +(?:\|[^|]+\| +)?([\w:.+-]+?) ?::(?:\s|$)")
_NAMED = re.compile(r"\.\. +(?:_|\[|\||__)")
_UNSEEN = re.compile(r"\.\. +(?:_|\|)|__ ")
_LEAD = re.compile(r"[-+*\u2022\u2023\u2043] +(?=\S)")
_BAR = re.compile(r"\| +(?=\S)")
_NO_INDENT = sys.maxsize


def is_comment(line: str) -> bool:
    """Whether a line without its indent begins a comment."""
    if line == "..":
        return True
    return line.startswith(".. ") and not DIRECTIVE.match(line) and not _NAMED.match(line)


def body(lines: Iterable[str]) -> str:
    """What the lines of a cell show, on one line, still with its inline marks.

    Comments and targets are left out, and so are the bullets of lists and the bars of line blocks.

    Args:
        lines: The lines, without the indent that all of them have.
    """
    return " ".join(_seen(lines))


def _seen(lines: Iterable[str]) -> Iterator[str]:
    hidden, above = _NO_INDENT, -1  # the indent of a comment, and of the text that this line may go on with
    for line in lines:
        text = line.strip()
        indent = len(line) - len(line.lstrip())
        if not text or indent > hidden:
            above = above if text else -1
            continue
        hidden = indent if is_comment(text) or _UNSEEN.match(text) else _NO_INDENT
        if hidden == _NO_INDENT:
            lead = _BAR.match(text) or (_LEAD.match(text) if indent != above else None)
            yield text[lead.end() :] if lead else text
            above = indent + lead.end() if lead else indent


def shown_in_rst(raw: str, references: Mapping[str, str]) -> str:
    """What a reader sees of a cell as it is written."""
    return inline(body(inspect.cleandoc(raw).splitlines()), references)[0]


class Writing:
    """A file, and where things stand in it.

    Args:
        path: The file, from the root.
        text: Its text.
        deadline: How long reading its cells may take.
    """

    def __init__(self, path: str, text: str, deadline: Deadline) -> None:
        self.path = path
        self.lines = Lines(text)
        self.references = references_of(text)
        self._deadline = deadline
        self._columns: tuple[int, list[int] | None] = (-1, None)

    def place(self, index: int, column: int) -> int:
        """Where in the text a column of a line is, tabs expanded; the line's end for those behind it."""
        if self._columns[0] != index:  # a long line may hold many cells, each of which asks for it
            self._columns = (index, _offsets(self.lines.line(index)))
        offsets = self._columns[1]
        start, length = self.lines.starts[index], len(self.lines.line(index))
        if offsets is None or column >= len(offsets):
            return start + min(column, length)
        return start + offsets[column]

    def cell(self, shown: Iterable[str], written: Written) -> Cell:
        """A cell of such lines, without the indent that all of them have.

        Raises:
            InputError: `too-slow`.
        """
        self._deadline.check()
        text, target = inline(body(shown), self.references)
        return Cell(text, target, written)

    def table(
        self,
        lines: tuple[int, int],
        rows: Sequence[tuple[Sequence[Cell], int]],
        heads: int,
        syntax: Syntax,
    ) -> Found:
        """A table of rows that all have as many cells.

        Args:
            lines: Its first line and its last, from 0.
            rows: The cells of each row, and its line, from 1.
            heads: How many rows are the header's; where there is none the first row names the columns.
            syntax: How it is written.
        """
        heads = max(1, heads)
        columns = zip(*(cells for cells, _ in rows[:heads]), strict=True)
        header = tuple(" ".join(dict.fromkeys(cell.text for cell in cells if cell.text)) for cells in columns)
        below = tuple(Row(tuple(cells), line) for cells, line in rows[heads:])
        first, last = lines[0] + 1, lines[1] + 1
        return Found(first, last, Table(header, below, Place(self.path, first), syntax))


def _offsets(line: str) -> list[int] | None:
    """Which sign of a line stands in each column, its end in the last; None where each is one column."""
    if "\t" not in line:
        return None
    offsets: list[int] = []
    for at, sign in enumerate(line):
        offsets += [at] * (TAB - len(offsets) % TAB if sign == "\t" else 1)
    return [*offsets, len(line)]


def refused(message: str, hint: str, line: int) -> InputError:
    """The error of a table that is there and cannot be read; `line` is of the file, from 1."""
    return InputError("no-table-in", message, hint, line=line)
