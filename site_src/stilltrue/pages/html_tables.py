"""The tables of an HTML file: rows and cells as a browser lays them out, and where each cell is written."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from itertools import accumulate

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Cell, Place, Row, Syntax, Table, Written
from stilltrue.pages.found import MOST_CELLS, Found
from stilltrue.pages.spans import Lines
from stilltrue.pages.superscripts import subscript, superscript

MOST_COLUMNS = 1_000
"""How many columns a table has at most: an attribute can ask for any number."""
_CHUNK = 1 << 16
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_UNSEEN = frozenset({"script", "style", "template", "title", "textarea", "select", "noscript"})
# fmt: off
_INLINE = frozenset({
    "a", "abbr", "b", "bdi", "bdo", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins", "kbd",
    "mark", "q", "s", "samp", "small", "span", "strike", "strong", "sub", "sup", "time", "tt", "u", "var",
    "wbr",
})
# fmt: on
_NO_DISPLAY = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_SPACE = re.compile(r"[ \t\r\n\f]+")


def html_tables(path: str, text: str, deadline: Deadline) -> Iterator[Found]:
    """The tables of an HTML file, in the order of their first lines; one in a cell of another is one too.

    Args:
        path: The file, from the root.
        text: Its text, decoded, without a byte order mark.
        deadline: How long it may take.

    Raises:
        InputError: `too-slow`.
    """
    parser = _Parser(text)
    for start in range(0, len(text), _CHUNK):
        parser.feed(text[start : start + _CHUNK])
        deadline.check()
    parser.close()
    parser.end()
    lines = Lines(text)
    for table in sorted(parser.done, key=lambda each: each.start):
        first, last = lines.of(table.start) + 1, lines.of(table.end) + 1
        yield Found(first, last, _laid_out(table, Place(path, first), lines))


_PATIENT = 10.0
"""Seconds for one cell, which has been read before."""


def shown_in_html(raw: str, _references: Mapping[str, str]) -> str:
    """What a reader sees of a cell as it is written."""
    found = next(html_tables("", f"<table><tr><td>{raw}</td></tr></table>", Deadline(_PATIENT)))
    return found.table.header[0] if isinstance(found.table, Table) else ""


@dataclass(slots=True)
class _Cell:
    """A cell as it is written."""

    start: int
    heads: bool
    columns: int
    rows: int
    end: int = 0
    pieces: list[str] = field(default_factory=list)
    target: str = ""
    raised: int = -1

    @property
    def text(self) -> str:
        return _SPACE.sub(" ", "".join(self.pieces)).strip()


@dataclass(slots=True)
class _Row:
    """A row as it is written.

    Attributes:
        group: Which of the table's heads, bodies and feet it stands in: no cell reaches out of one.
    """

    start: int
    heads: bool
    group: int
    cells: list[_Cell] = field(default_factory=list)


@dataclass(slots=True)
class _Table:
    """A table as it is written."""

    start: int
    end: int = 0
    rows: list[_Row] = field(default_factory=list)
    in_head: bool = False
    cell: _Cell | None = None
    open: bool = False
    group: int = 0

    def add_row(self, at: int) -> None:
        """A row begins."""
        self.rows.append(_Row(at, self.in_head, self.group))
        self.open = True


class _Parser(HTMLParser):
    """Gathers tables; one that opens inside a cell is not part of that cell."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self._starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))]
        self._length = len(text)
        self._open: list[_Table] = []
        self._unseen: list[str] = []
        self.done: list[_Table] = []

    def _at(self) -> int:
        line, column = self.getpos()
        return self._starts[line - 1] + column

    @property
    def _cell(self) -> _Cell | None:
        return self._open[-1].cell if self._open and not self._unseen else None

    def _hidden(self) -> int:
        """The rank of what an attribute hides in the innermost table, which need not be closed; else -1."""
        if not self._open or len(set(self._unseen)) != 1 or self._unseen[0] in {*_UNSEEN, "table"}:
            return -1
        return _RANKS.get(self._unseen[0], _INSIDE)

    def _hide(self, tag: str) -> None:
        """What begins where nothing is seen, as far as it tells where that ends."""
        same = not self._unseen or (tag == self._unseen[0] and tag not in _RANKS)
        if tag not in _VOID and (same or tag == "table"):
            self._unseen.append(tag)

    def _show(self, tag: str) -> None:
        """What ends where nothing is seen; what was not closed in it ends too."""
        if tag in self._unseen and (tag not in _RANKS or tag == self._unseen[-1]):
            at = max(at for at, each in enumerate(self._unseen) if each == tag)
            del self._unseen[at:]

    def end(self) -> None:
        """The text ends here, and with it all that is open."""
        while self._open:
            self._end_table(self._length)

    # Events ----------------------------------------------------------------------------------------------

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in _PARTS and self._hidden() >= _RANKS[tag]:
            self._unseen.clear()
        if self._unseen or (tag not in _VOID and _is_unseen(tag, attrs)):
            self._hide(tag)
            return
        if tag == "table":
            self._open.append(_Table(self._at()))
        elif self._open and tag in _PARTS:
            self._part(tag, attrs)
        elif (cell := self._cell) is not None:
            self._inside(cell, tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and tag not in _PARTS and tag != "table":
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if self._hidden() > _RANKS.get(tag, _INSIDE):
            self._unseen.clear()
        if self._unseen:
            self._show(tag)
            return
        if not self._open:
            return
        if tag == "table":
            self._end_table(self._at())
        elif tag in _PARTS:
            self._end_part(tag)
        elif (cell := self._cell) is not None:
            self._leave(cell, tag)

    def handle_data(self, data: str) -> None:
        if (cell := self._cell) is not None:
            cell.pieces.append(data)

    # Rows and cells --------------------------------------------------------------------------------------

    def _part(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        table, at = self._open[-1], self._at()
        self._end_cell(table, at)
        if tag in ("td", "th"):
            if not table.open:
                table.add_row(at)
            asked = dict(reversed(attrs))  # of one that stands twice the first counts
            start = at + len(self.get_starttag_text() or "")
            table.cell = _Cell(start, tag == "th", _span(asked, "colspan"), _span(asked, "rowspan"))
        elif tag == "tr":
            table.add_row(at)
        else:
            table.open = False
            table.in_head = tag == "thead"
            table.group += 1

    def _end_part(self, tag: str) -> None:
        table = self._open[-1]
        self._end_cell(table, self._at())
        if tag not in ("td", "th"):
            table.open = False
        if tag in _GROUPS:
            table.in_head = False
            table.group += 1

    def _end_cell(self, table: _Table, at: int) -> None:
        if table.cell is not None:
            table.cell.end = at
            table.rows[-1].cells.append(table.cell)
            table.cell = None

    def _end_table(self, at: int) -> None:
        table = self._open.pop()
        self._end_cell(table, at)
        table.end = at
        self.done.append(table)

    # What a cell holds -----------------------------------------------------------------------------------

    def _inside(self, cell: _Cell, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "a" and not cell.text and not cell.target:
            cell.target = dict(attrs).get("href") or ""
        elif tag in ("sup", "sub"):
            cell.raised = len(cell.pieces)
        elif tag not in _INLINE and tag != "img":
            cell.pieces.append(" ")

    def _leave(self, cell: _Cell, tag: str) -> None:
        if tag in ("sup", "sub") and cell.raised >= 0:
            before = "".join(cell.pieces[max(0, cell.raised - _NEAR) : cell.raised])
            raised = "".join(cell.pieces[cell.raised :])
            shown = superscript if tag == "sup" else subscript
            cell.pieces[cell.raised :] = [shown(before, raised)]
            cell.raised = -1
        elif tag not in _INLINE:
            cell.pieces.append(" ")


_NEAR = 8
"""How many pieces before a raised text say what it is raised above."""

_PARTS = frozenset({"caption", "colgroup", "thead", "tbody", "tfoot", "tr", "td", "th"})
_GROUPS = frozenset({"thead", "tbody", "tfoot"})
_RANKS = {"table": 0, **dict.fromkeys(_PARTS, 1), "tr": 2, "td": 3, "th": 3}
"""What ends with what, where it is not closed: a part of a table with one of the same rank or a lower one."""
_INSIDE = 4


def _is_unseen(tag: str, attrs: Iterable[tuple[str, str | None]]) -> bool:
    """Whether a browser shows nothing of an element."""
    if tag in _UNSEEN:
        return True
    return any(
        name == "hidden" or (name == "style" and _NO_DISPLAY.search(says or "")) for name, says in attrs
    )


def _span(attributes: dict[str, str | None], name: str) -> int:
    """How many columns or rows a cell spans, as browsers read it; 0 for all rows left of its group."""
    says = _COUNT.match(attributes.get(name) or "")
    if says is None:
        return 1
    return max(int(says[1]), 0 if name == "rowspan" else 1)


_COUNT = re.compile(r"[ \t\r\n\f]*\+?([0-9]{1,9})(?![0-9])")


# The grid ----------------------------------------------------------------------------------------------


def _laid_out(table: _Table, place: Place, lines: Lines) -> Table | InputError:
    """A table whose every row has as many cells as its header."""
    try:
        grid = _Grid(table).rows
    except InputError as error:
        return InputError(error.code, error.message, error.hint, line=place.line)
    rows = [row for row in table.rows if row.cells]
    if not rows:
        return InputError("no-table-in", "the table has no cells", "name another table", line=place.line)
    heads = _heads(rows)
    header = _header(grid[:heads])
    width = len(header)
    found = [
        Row(tuple(_cell(cell, lines) for cell in cells[:width]) + (Cell(""),) * (width - len(cells)), line)
        for row, cells in zip(rows[heads:], grid[heads:], strict=True)
        if (line := lines.of(row.start) + 1) and not _is_title(cells, width)
    ]
    return Table(header, tuple(found), place, Syntax.HTML)


def _heads(rows: list[_Row]) -> int:
    """How many rows are the header: those marked as such, and the first in any case."""
    marked = 0
    for row in rows:
        if not (row.heads or all(cell.heads for cell in row.cells)):
            break
        marked += 1
    return max(1, marked)


def _header(rows: list[list[_Cell]]) -> tuple[str, ...]:
    """The name of each column: what stands in its rows of the header, each text once."""
    width = max(map(len, rows))
    names: list[dict[str, None]] = [{} for _ in range(width)]
    for row in rows:
        for at, cell in enumerate(row):
            if cell.text:
                names[at][cell.text] = None
    return tuple(" ".join(name) for name in names)


def _is_title(cells: list[_Cell], width: int) -> bool:
    """Whether one cell takes a whole row: it says what the rows below are, and is no value."""
    return width > 1 and len(cells) >= width and all(cell is cells[0] for cell in cells)


def _cell(cell: _Cell, lines: Lines) -> Cell:
    raw = lines.text[cell.start : cell.end]
    begins = cell.start + len(raw) - len(raw.lstrip())
    return Cell(cell.text, cell.target, Written(cell.start, cell.end, lines.of(begins) + 1))


class _Grid:
    """The cells of each row that has any, those repeated that span several rows or columns.

    A row without cells is one that cells from above reach into.
    """

    def __init__(self, table: _Table) -> None:
        self.rows: list[list[_Cell]] = []
        self._waiting: dict[int, tuple[_Cell, int]] = {}
        self._count = 0
        group = 0
        for row in table.rows:
            if row.group != group:
                self._waiting.clear()
                group = row.group
            if row.cells:
                self._add(row)
            else:
                self._waiting = {
                    at: (cell, left - (left > 0)) for at, (cell, left) in self._waiting.items() if left != 1
                }

    def _add(self, row: _Row) -> None:
        laid: list[_Cell] = []
        for cell in row.cells:
            self._fill(laid)
            for _ in range(cell.columns):
                self._put(laid, cell, cell.rows - 1)
        while any(column >= len(laid) for column in self._waiting):
            self._fill(laid)
            if any(column > len(laid) for column in self._waiting):
                self._put(laid, _Cell(row.start, heads=False, columns=1, rows=1, end=row.start), 0)
        self.rows.append(laid)

    def _fill(self, laid: list[_Cell]) -> None:
        """The cells that reach down from rows above to the next column."""
        while len(laid) in self._waiting:
            cell, left = self._waiting.pop(len(laid))
            self._put(laid, cell, left if left < 0 else left - 1)

    def _put(self, laid: list[_Cell], cell: _Cell, left: int) -> None:
        """A cell in the next column, which goes on for so many rows; -1 for all."""
        if left:
            self._waiting[len(laid)] = (cell, left)
        laid.append(cell)
        self._count += 1
        if len(laid) > MOST_COLUMNS or self._count > MOST_CELLS:
            message = f"the table is larger than {MOST_COLUMNS:,} columns or {MOST_CELLS:,} cells"
            raise InputError("no-table-in", message, "keep whole results in a file of evidence")
