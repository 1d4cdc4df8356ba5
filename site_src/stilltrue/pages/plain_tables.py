"""The tables of a Markdown file, as a plain viewer shows them: pipe tables wherever they stand, and raw HTML.

A page's own blocks bind the tables that the site's renderer shows (`pages.tables`). A file that is named need
not be a page: its viewer also shows a table right under a line of text, and in an element after a blank line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Cell, Place, Row, Table, Written
from stilltrue.pages.fences import find_fences
from stilltrue.pages.found import Found
from stilltrue.pages.html_tables import html_tables
from stilltrue.pages.outline import OutlineReader
from stilltrue.pages.rows import HEADING, ITEM, RULE, may_be_held
from stilltrue.pages.source import TAB, read_lines
from stilltrue.pages.spans import Lines
from stilltrue.pages.tables import cut_row, has_border, read_cell

_QUOTES = re.compile(r"[ \t]*(?:>[ ]?[ \t]*)*")
_ESCAPED = re.compile(r"\\[^\w\s]")
_RULE_CELL = re.compile(r"[ \t]*:?-+:?[ \t]*")
_COMMENT = re.compile(r"<!--")
_COMMENT_END = re.compile(r"-->")
_KEPT_AS_IT_IS = re.compile(r" {0,3}<(pre|script|style|textarea)\b", re.IGNORECASE)
_TICKS = re.compile(r"(?<![`\\])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
_BLOCK = re.compile(
    r" {0,3}<(?:!--|/?(?:article|blockquote|center|details|div|h[1-6r]|ol|p|pre|script|section|style|summary|"
    r"table|ul)\b)",
    re.IGNORECASE,
)
_DIFFER = "viewers of Markdown differ over where this row of the table is cut, as a `|` stands in code"


def markdown_tables(path: str, text: str, deadline: Deadline) -> Iterator[Found]:
    """The tables of a Markdown file, in order.

    Args:
        path: The file, from the root.
        text: Its text, decoded, without a byte order mark.
        deadline: How long it may take.

    Raises:
        InputError: `too-slow`.
    """
    page = PlainPage(path, text)
    found = [*page.tables(deadline)]
    if "<table" in text.lower():
        taken = [range(each.first, each.last + 1) for each in found]
        html = html_tables(path, page.shown(), deadline)
        found += [each for each in html if not any(each.first in lines for lines in taken)]
    yield from sorted(found, key=lambda each: each.first)


class PlainPage:
    """One file, and which of its lines are text.

    Args:
        path: The file, from the root.
        text: Its text, decoded, without a byte order mark.

    Attributes:
        references: The targets of its link references, by label.
    """

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        source = read_lines(text)
        self.flat = source.flat
        self.lines = Lines(text)
        self._numbered = list(enumerate(self.flat))
        self.hidden: set[int] = set(range(source.first))
        for fence in find_fences(self.flat, source.first).fences:
            self.hidden.update(range(fence.start, fence.end + 1))
        if "<" in text:
            self._hide_elements()
        self.references = self._references(source.first)

    def _hide_elements(self) -> None:
        """Leave out comments, scripts and preformatted text: each line that begins inside of one."""
        last = max((index for index, line in self._numbered if "-->" in line), default=-1)
        close: re.Pattern[str] | None = None
        for index, line in self._numbered:
            if index in self.hidden:
                continue
            if close is not None:
                self.hidden.add(index)
            at = 0
            while at >= 0:
                if close is None:
                    at, close = _opened(line, at, ends=last >= index)
                elif (ended := close.search(line, at)) is not None:
                    at, close = ended.end(), None
                else:
                    at = -1

    def _references(self, first: int) -> dict[str, str]:
        """The targets of link references, by label."""
        if not any("]:" in line for line in self.flat):
            return {}
        reader = OutlineReader()
        for index in range(first, len(self.flat)):
            reader.row(index, "" if index in self.hidden else self.flat[index])
        return reader.finish().references

    def shown(self) -> str:
        """The text with what no viewer shows as HTML made blank, every sign in its place."""
        pieces: list[str] = []
        starts = [*self.lines.starts, len(self.text)]
        for index, start in enumerate(starts[:-1]):
            line = self.text[start : starts[index + 1]]
            indented = self.flat[index].startswith(" " * TAB) and not self.flat[index].lstrip().startswith(
                "<"
            )
            if index in self.hidden or (indented and not may_be_held(self._numbered, index)):
                line = re.sub(r"[^\r\n]", " ", line)
            pieces.append(_TICKS.sub(lambda code: _blank_tags(code[0]), line))
        return "".join(pieces)

    # Pipe tables -----------------------------------------------------------------------------------------

    def tables(self, deadline: Deadline) -> Iterator[Found]:
        """The pipe tables."""
        index = 0
        while index + 1 < len(self.flat):
            deadline.check()
            last = self._table(index)
            if last is None:
                index += 1
                continue
            yield self._read(index, last)
            index = last + 1

    def _table(self, index: int) -> int | None:
        """The last line of the table whose header stands on a line; None where none does."""
        if "-" not in self.flat[index + 1] or {index, index + 1} & self.hidden:
            return None
        depth, _, rule = self._row(index + 1)
        cells = _cut(rule)
        if not all(_RULE_CELL.fullmatch(rule[start:end]) for start, end in cells):
            return None
        quotes, start, header = self._row(index, header=True)
        if "|" not in header + rule or len(_cut(header)) != len(cells) or quotes != depth:
            return None
        if self._is_code(index, start):
            return None
        last = index + 1
        while last + 1 < len(self.flat) and self._goes_on(last + 1, depth):
            last += 1
        return last

    def _row(self, index: int, *, header: bool = False) -> tuple[int, int, str]:
        """In how many quotes a row stands, where it starts, and its text.

        The mark of an item before a header is left out too.
        """
        line = self.lines.line(index)
        found = _QUOTES.match(line)
        start = found.end() if found else 0
        depth = line.count(">", 0, start)
        if header and (item := ITEM.match(line, start)) is not None and "|" in line[item.end() :]:
            start = item.end()
        return depth, start, line[start:]

    def _is_code(self, index: int, start: int) -> bool:
        """Whether every viewer shows a line as indented code."""
        line = self.flat[index]
        indented = len(line) - len(line.lstrip(" ")) >= TAB and ">" not in self.lines.line(index)[:start]
        return indented and not may_be_held(self._numbered, index)

    def _goes_on(self, index: int, depth: int) -> bool:
        """Whether a line is a row of the table above it, which stands in so many quotes."""
        quotes, _, row = self._row(index)
        if index in self.hidden or not row.strip() or quotes != depth:
            return False
        if HEADING.match(row) or RULE.match(row) or _BLOCK.match(row):
            return False
        return not (ITEM.match(row) and "|" not in row)

    def _read(self, first: int, last: int) -> Found:
        place = Place(self.path, first + 1)
        borders = has_border(self._row(first, header=True)[2].strip(" "))
        try:
            names = self._cells(first, borders=borders, header=True)
            width = len(names)
            rows = [
                Row(_fitted(self._cells(index, borders=borders), width), index + 1)
                for index in range(first + 2, last + 1)
            ]
        except InputError as error:
            return Found(first + 1, last + 1, error)
        header = tuple(cell.text for cell in names)
        return Found(first + 1, last + 1, Table(header, tuple(rows), place))

    def column(self, table: Table, at: int) -> list[str]:
        """The cells of a column of a table, as they are written, the header's and the rule's first."""
        first = table.place.line - 1
        rows = [self._row(first, header=True)[2]]
        rows += [self._row(index)[2] for index in range(first + 1, first + 2 + len(table.rows))]
        cuts = [_cut(row) for row in rows]
        return [row[slice(*cells[at])] for row, cells in zip(rows, cuts, strict=True) if at < len(cells)]

    def _cells(self, index: int, *, borders: bool, header: bool = False) -> list[Cell]:
        _, start, row = self._row(index, header=header)
        start += self.lines.starts[index]
        cuts = _cut(row)
        if "`" in row:
            _refuse_doubt(index, row, cuts, borders=borders)
        return [self._cell(row[at:end], Written(start + at, start + end, index + 1)) for at, end in cuts]

    def _cell(self, raw: str, written: Written) -> Cell:
        cell = read_cell(_unescaped(raw), self.references)
        return Cell(cell.text, cell.target, written)


def _fitted(cells: list[Cell], width: int) -> tuple[Cell, ...]:
    """As many cells as the header has: missing ones are empty, those beyond are not shown."""
    return tuple(cells[:width] + [Cell("")] * (width - len(cells)))


def _refuse_doubt(index: int, row: str, cuts: Sequence[tuple[int, int]], *, borders: bool) -> None:
    """Refuse a row that the site's renderer cuts elsewhere.

    Raises:
        InputError: `no-table-in`.
    """
    bare = row.strip(" ")
    rendered = [bare[start:end].strip() for start, end in cut_row(bare, borders=borders)]
    if rendered != [row[start:end].strip() for start, end in cuts]:
        raise InputError("no-table-in", _DIFFER, "write `\\|` for it", line=index + 1)


def shown_in_markdown(raw: str, references: Mapping[str, str]) -> str:
    """What a reader sees of a cell as it is written."""
    return read_cell(_unescaped(raw), dict(references)).text


def _unescaped(raw: str) -> str:
    """A cell's own text: a pipe needs its backslash in code too."""
    return raw.strip(" \t").replace("\\|", "|")


def _blank_tags(code: str) -> str:
    """Code whose tags are no HTML."""
    return " " * len(code) if "<" in code else code


def _opened(line: str, start: int, *, ends: bool) -> tuple[int, re.Pattern[str] | None]:
    """The first element of a line that hides what it holds: where its text begins, and what closes it.

    Args:
        line: The line.
        start: Where to begin to look.
        ends: Whether a comment that begins here ends anywhere; else it is one at the start of a line alone.
    """
    if not start and (kept := _KEPT_AS_IT_IS.match(line)) is not None:
        return kept.end(), re.compile(rf"</{kept[1]}\s*>", re.IGNORECASE)
    bare = _TICKS.sub(lambda code: " " * len(code[0]), line) if "`" in line else line
    comment = _COMMENT.search(bare, start)
    if comment is None or not (ends or not line[: comment.start()].strip()):
        return -1, None
    return comment.end(), _COMMENT_END


def _cut(row: str) -> list[tuple[int, int]]:
    """Where a plain viewer cuts a row: at each pipe that no backslash escapes, in code too."""
    ends = len(row.rstrip(" \t"))
    start = len(row) - len(row.lstrip(" \t"))
    masked = _ESCAPED.sub("  ", row[:ends])
    pipes = [at for at in range(start, ends) if masked[at] == "|"]
    if pipes and pipes[0] == start:
        start = pipes.pop(0) + 1
    if pipes and pipes[-1] == ends - 1:
        ends = pipes.pop()
    return list(zip([start, *(pipe + 1 for pipe in pipes)], [*pipes, max(start, ends)], strict=True))
