"""Where on a page the text of a link, and that of a table's cell, is written."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from stilltrue.pages.links import Prose
from stilltrue.pages.outline import Segment
from stilltrue.pages.scanner import Scan
from stilltrue.pages.source import TAB
from stilltrue.pages.tables import table_cells

_LINE = re.compile(r"[^\r\n]*")
_ENDING = re.compile(r"\r\n|\r|\n")
_DROPPED = frozenset("\x02\x03")
_TAG = re.compile(r"<[^<>]*>|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class LinkSpan:
    """Where the text of a link to a claim is written.

    Attributes:
        target: The claim's id.
        start: The place of its first sign behind `[`, in code points of the page's text; a byte order mark is
            not counted.
        end: The place of `]`.
        struck: Whether all of it is struck through.
        line: The line on which the link begins, from 1.
        text: The link's text with Markdown marks removed, as `scan` gives it.
    """

    target: str
    start: int
    end: int
    struck: bool
    line: int
    text: str = ""


class CellSpan(NamedTuple):
    """Where a cell is written between its pipes, blanks included, in code points of the page's text."""

    start: int
    end: int


def link_spans(path: str, text: str, *, front_matter: bool = True) -> tuple[LinkSpan, ...]:
    """Where each link to a claim stands: as many as `scan` finds, in its order.

    Args:
        path: The page, from the repository's root.
        text: Its text, decoded, with any line endings.
        front_matter: Whether the page may begin with YAML front matter.
    """
    if "claim" not in text.lower():
        return ()
    return Spans(path, text, front_matter=front_matter).links()


class Spans:
    """One page, scanned, and where things stand in its text.

    Args:
        path: The page, from the repository's root.
        text: Its text, decoded, with any line endings.
        front_matter: Whether the page may begin with YAML front matter.
    """

    def __init__(self, path: str, text: str, *, front_matter: bool = True) -> None:
        self.scan = Scan.of(path, text, front_matter=front_matter)
        self._text = text

    @cached_property
    def lines(self) -> Lines:
        """The lines of the text."""
        return Lines(self._text)

    def links(self) -> tuple[LinkSpan, ...]:
        """The links to claims, in the order of `scan`."""
        return tuple(span for prose in self.scan.proses for span in self._in_prose(prose))

    def cells(self, line: int) -> dict[tuple[int, int], CellSpan]:
        """The cells of the table whose header stands on a line, by line and column (from 0).

        Those of the header and of the separator under it are among them.
        """
        for segment in self.scan.outline.tables:
            if self.scan.rows[segment[0][0]][0] + 1 == line:
                return self._of_table(segment)
        return {}

    def _in_prose(self, prose: Prose) -> list[LinkSpan]:
        spans: list[LinkSpan] = []
        for (start, end), found in zip(prose.places(), prose.links(), strict=True):
            line = self.scan.rows[found.row][0] + 1
            at = self._place(prose, start), self._place(prose, end)
            spans.append(LinkSpan(found.target, *at, found.struck, line, found.text))
        return spans

    def _place(self, prose: Prose, position: int) -> int:
        """Where a position in a segment's text is in the page's."""
        at = bisect_right(prose.starts, position) - 1
        number, text = prose.segment[at]
        return self.in_row(number, text, position - prose.starts[at])

    def in_row(self, number: int, text: str, column: int) -> int:
        """Where a column of a row's text, which may be a part of its line, is in the page's text."""
        index = self.scan.rows[number][0]
        flat = self.scan.source.flat[index]
        columns = _columns_of(flat, text)
        if column < len(columns):
            return self.lines.place(index, columns[column])
        return self.lines.place(index, columns[-1] + 1 if columns else len(flat))

    def row_places(self, number: int, text: str) -> list[int]:
        """As `in_row`, for every column of a row's text at once."""
        index = self.scan.rows[number][0]
        columns = _columns_of(self.scan.source.flat[index], text)
        start, places = self.lines.starts[index], self.lines.columns(index)
        if places is None:
            return [start + column for column in columns]
        return [start + places[min(column, len(places) - 1)] for column in columns]

    def _of_table(self, segment: Segment) -> dict[tuple[int, int], CellSpan]:
        texts = [text for _, text in segment]
        spans: dict[tuple[int, int], CellSpan] = {}
        for at, cells in table_cells(texts):
            number, text = segment[at]
            line = self.scan.rows[number][0] + 1
            for column, (start, end) in enumerate(cells):
                place = self.in_row(number, text, start), self.in_row(number, text, end)
                spans[line, column] = CellSpan(*place)
        return spans


def _columns_of(flat: str, text: str) -> range | list[int]:
    """The column in a line of each sign of a row's text.

    A row's text is the end of its line; the title of a box ends before a quote, and beside the tag of an
    element that holds Markdown every tag was made a blank.
    """
    if flat.endswith(text):
        return range(len(flat) - len(text), len(flat))
    end = len(flat.rstrip(" ")) - 1
    if flat[:end].endswith(text):
        return range(end - len(text), end)
    signs = [
        (" " if found[0][0] == "<" and len(found[0]) > 1 else found[0], found.start())
        for found in _TAG.finditer(flat)
    ]
    shown = "".join(sign for sign, _ in signs)
    first = shown.rfind(text)
    return [place for _, place in signs[first : first + len(text)]] if first >= 0 else []


class Lines:
    """The lines of a text, as an editor counts them, and where each begins.

    Args:
        text: A text with any line endings.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        bom = text.startswith("\ufeff")
        if "\r" in text:
            self.starts = [int(bom), *(ending.end() for ending in _ENDING.finditer(text))]
        else:
            lengths = (len(line) + 1 for line in text.split("\n"))
            self.starts = [int(bom), *list(accumulate(lengths))[:-1]]
        self._plain: dict[int, bool] = {}
        self._last = (-1, "")  # a long line may hold many places, each of which asks for it

    def line(self, index: int) -> str:
        """A line without its ending; `index` counts from 0."""
        if self._last[0] != index:
            found = _LINE.match(self.text, self.starts[index])
            self._last = (index, found[0] if found else "")
        return self._last[1]

    def of(self, place: int) -> int:
        """The index of the line on which a place of the text is, from 0."""
        return max(0, bisect_right(self.starts, place) - 1)

    def columns(self, index: int) -> list[int] | None:
        """The sign of a line in each of its columns, tabs expanded; None where each sign is one column."""
        if self._is_plain(index):
            return None
        line = self.line(index)
        found: list[int] = []
        for offset, sign in enumerate(line):
            width = TAB - len(found) % TAB if sign == "\t" else int(sign not in _DROPPED)
            found += [offset] * width
        return [*found, len(line)]

    def _is_plain(self, index: int) -> bool:
        """Whether each sign of a line is one column; looked at once, since a line may hold many places."""
        if index not in self._plain:
            line = self.line(index)
            self._plain[index] = "\t" not in line and _DROPPED.isdisjoint(line)
        return self._plain[index]

    def place(self, index: int, column: int) -> int:
        """Where a column of a line, its tabs expanded, is in the text; inside a tab: at the tab."""
        start = self.starts[index]
        if self._is_plain(index):
            return start + column
        line = self.line(index)
        at = 0
        for offset, sign in enumerate(line):
            width = TAB - at % TAB if sign == "\t" else int(sign not in _DROPPED)
            if width and at + width > column:
                return start + offset
            at += width
        return start + len(line)
