"""All that a reader reads on a page, passage by passage: paragraphs, headings, titles, cells, raw HTML.

Fenced and indented code, comments, scripts and definitions of links are no passages.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from itertools import pairwise

from stilltrue.pages.addresses import SCHEME
from stilltrue.pages.links import Prose
from stilltrue.pages.outline import Segment
from stilltrue.pages.spans import Spans
from stilltrue.pages.tables import table_cells
from stilltrue.pages.visible import LinkText, Visible

_DIGIT = re.compile("[0-9]")


class Kind(StrEnum):
    """What a passage is."""

    PROSE = "prose"
    HEADING = "heading"
    CELL = "cell"


@dataclass(frozen=True, slots=True)
class Passage:
    """What a reader reads in one go.

    Attributes:
        kind: What it is.
        text: The text as a reader sees it.
        links: The links to claims in it.
        place: Where a sign of `text` is written: code points of the page's text.
        header: Of a cell, the header of its column.
        first: Whether it is the first cell of its row.
    """

    kind: Kind
    text: str
    links: tuple[LinkText, ...]
    place: Callable[[int], int]
    header: str = ""
    first: bool = False


class Passages:
    """The passages of one page that hold a digit, in no particular order.

    Args:
        path: The page, from the repository's root.
        text: Its text, decoded, with any line endings.
    """

    def __init__(self, path: str, text: str) -> None:
        self.spans = Spans(path, text)
        self._scan = self.spans.scan
        self._references = self._scan.outline.references

    def __iter__(self) -> Iterator[Passage]:
        outline = self._scan.outline
        tables = {segment[0][0]: segment for segment in outline.tables}
        headings = {row - (self._scan.rows[row][1].strip("> =-") == "") for row in outline.headings}
        taken: set[int] = set()
        for segment in outline.segments:
            first = segment[0][0]
            if first in tables:
                taken = yield from self._cells(tables[first])
            if first not in taken:
                kind = Kind.HEADING if first in headings else Kind.PROSE
                yield from self._paragraph(kind, segment, self._references)
        for segment in self._raw():
            for passage in self._paragraph(Kind.PROSE, segment, {}):
                yield replace(passage, links=())

    def _paragraph(self, kind: Kind, segment: Segment, references: dict[str, str]) -> Iterator[Passage]:
        if any(_DIGIT.search(text) for _, text in segment):
            prose = Prose(segment, references)
            visible = Visible(prose, SCHEME)

            places: dict[int, list[int]] = {}

            def place(at: int) -> int:
                position = visible.places[at]
                row = bisect_right(prose.starts, position, hi=len(segment)) - 1
                if row not in places:
                    places[row] = self.spans.row_places(*segment[row])
                return _nearest(places[row], position - prose.starts[row])

            yield Passage(kind, visible.text, tuple(visible.links), place)

    def _cells(self, segment: Segment) -> Generator[Passage, None, set[int]]:
        """The cells of a table, each a passage; gives the rows that it takes, none where it is no table."""
        rows = dict(table_cells([text for _, text in segment]))
        if not rows:
            return set()
        names = [segment[0][1][start:end].strip(" *_`") for start, end in rows[0]]
        for at, cells in rows.items():
            row = _Row(*segment[at], self.spans)
            for column, (start, end) in enumerate(cells):
                if at:
                    yield from self._cell(row, start, end, names[column], first=column == 0)
                else:
                    yield from self._cell(row, start, end, kind=Kind.PROSE)
        return {segment[at][0] for at in rows}

    def _cell(
        self,
        row: _Row,
        start: int,
        end: int,
        header: str = "",
        *,
        kind: Kind = Kind.CELL,
        first: bool = False,
    ) -> Iterator[Passage]:
        if not _DIGIT.search(row.text, start, end):
            return
        visible = Visible(Prose([(row.number, row.text[start:end])], self._references), SCHEME)

        def place(at: int) -> int:
            return _nearest(row.places, start + visible.places[at])

        yield Passage(kind, visible.text, tuple(visible.links), place, header, first)

    def _raw(self) -> Iterator[Segment]:
        """Raw HTML that a reader sees, one paragraph for each run of its rows; no Markdown counts there."""
        html = self._scan.html
        shown = sorted(html.raw - html.unseen - html.edges.keys())
        if not shown:
            return
        cuts = [
            0,
            *(at + 1 for at, (one, other) in enumerate(pairwise(shown)) if other > one + 1),
            len(shown),
        ]
        for start, end in pairwise(cuts):
            yield [(row, self._scan.rows[row][1]) for row in shown[start:end]]


class _Row:
    """A row of a table, and where each column of it is written."""

    def __init__(self, number: int, text: str, spans: Spans) -> None:
        self.number = number
        self.text = text
        self._spans = spans

    @cached_property
    def places(self) -> list[int]:
        return self._spans.row_places(self.number, self.text)


def _nearest(places: list[int], column: int) -> int:
    """The place of a column, of the last one where it lies behind it; 0 where none is known."""
    return places[min(column, len(places) - 1)] if places else 0
