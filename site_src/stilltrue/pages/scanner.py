"""The scan of one page: fences, then raw HTML, then the outline, then links."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from stilltrue.model import Block, Link, Page, Place, Problem, Table
from stilltrue.pages.addresses import MAY_BE, SCHEME, meant
from stilltrue.pages.fences import CHART_WORD, TABLE_WORD, Fence, Fences, body_of, find_fences
from stilltrue.pages.html import CUT, Html, find_html
from stilltrue.pages.links import Prose
from stilltrue.pages.outline import Outline, OutlineReader
from stilltrue.pages.rows import may_be_held
from stilltrue.pages.source import Source, read_lines
from stilltrue.pages.tables import read_table

_DIFFER = "viewers of Markdown differ over whether this block is shown"
_PLAIN = "indent it by four spaces for each list item or box it belongs to, with a blank line before it"

_HTML_LINK = re.compile(rf"""<(?i:a\s[^<>]*?\bhref\s*=\s*["']?\s*{SCHEME})""")  # `<` itself is found fast
_IN_HTML = "this link to a claim is written in HTML, where nothing checks its number"
_CLOSE = "write it as `[65.2 %](claim:the-id)`"


def scan(path: str, text: str, *, front_matter: bool = True) -> Page:
    """The claim blocks, charts and links to claims of one page, and what is wrong with its fences.

    Args:
        path: The page, from the repository's root.
        text: Its text, decoded, with any line endings.
        front_matter: Whether the page may begin with YAML front matter (False: it was taken off).
    """
    lower = text.lower()
    if "claim" not in lower and "chart" not in lower and not MAY_BE.search(text):
        return Page(path, (), (), ())
    return Scan.of(path, text, front_matter=front_matter).page()


class Scan:
    """One page, read: its fences, its raw HTML and its outline.

    Attributes:
        rows: (Index of the line, text with tabs expanded), each fence one row that stands for it.
    """

    @classmethod
    def of(cls, path: str, text: str, *, front_matter: bool = True) -> Scan:
        """The scan of a page's text; the arguments are those of `scan`."""
        return cls(path, read_lines(text, front_matter=front_matter))

    def __init__(self, path: str, source: Source) -> None:
        self.path = path
        self.source = source
        self.fences: Fences = find_fences(source.flat, source.first)
        self.rows = _cut(source, self.fences.fences)
        texts = [row for _, row in self.rows]
        self.html: Html = find_html(texts) if any("<" in row for row in texts) else Html()
        self.outline = self._outline()

    @cached_property
    def proses(self) -> list[Prose]:
        """The prose that may hold links to claims, in order."""
        references = self.outline.references
        bound = any(meant(target) for target in references.values())
        return [
            Prose(segment, references)
            for segment in self.outline.segments
            if any(SCHEME in text or (bound and "[" in text) or MAY_BE.search(text) for _, text in segment)
        ]

    def page(self) -> Page:
        """What the page holds."""
        fences, problems = self._shown()
        blocks = self._blocks([(number, fence) for number, fence in fences if fence.word != CHART_WORD])
        charts = [self._block(fence, None) for _, fence in fences if fence.word == CHART_WORD]
        links, unclosed = self._links()
        problems += self._doubts() + unclosed + self._html_links()
        problems.sort(key=lambda problem: problem.place.line)
        return Page(self.path, tuple(blocks), tuple(links), tuple(problems), tuple(charts))

    def _outline(self) -> Outline:
        reader = OutlineReader()
        html = self.html
        for number, (_, text) in enumerate(self.rows):
            if number not in html.raw and number not in html.edges:
                self._read(reader, number, text)
                continue
            reader.edge()
            beside = html.edges.get(number, "")
            if beside.strip():
                reader.row(number, beside.strip())
                reader.edge()
        return reader.finish()

    def _read(self, reader: OutlineReader, number: int, text: str) -> None:
        if CUT in text and (fence := self._fence(text)).word and number not in self.html.unseen:
            reader.block(number, fence.prefix)
        else:
            reader.row(number, text)

    def _fence(self, text: str) -> Fence:
        """The fence that was cut out at a row."""
        return self.fences.fences[int(text[text.index(CUT) + 1 : -1])]

    def _place(self, index: int) -> Place:
        return Place(self.path, index + 1)

    def _shown(self) -> tuple[list[tuple[int, Fence]], list[Problem]]:
        """The fences of blocks that every viewer shows, with their rows, and what is wrong with others."""
        fences: list[tuple[int, Fence]] = []
        problems: list[Problem] = []
        for number, (index, text) in enumerate(self.rows):
            if CUT not in text:
                continue
            fence = self._fence(text)
            if not fence.word or number in self.html.unseen:
                continue
            if number in self.html.doubtful or self._differs(number):
                problems.append(Problem("unseen-block", self._place(index), _DIFFER, _PLAIN))
            elif number not in self.outline.code:
                fences.append((number, fence))
        return fences, problems

    def _blocks(self, fences: list[tuple[int, Fence]]) -> list[Block]:
        """The blocks whose fences stand at these rows; those of tables with their table."""
        blocks: list[Block] = []
        ends = [*(number for number, _ in fences[1:]), len(self.rows)]
        for (number, fence), end in zip(fences, ends, strict=False):
            table = self._next_table(number, end) if fence.word == TABLE_WORD else None
            blocks.append(self._block(fence, table))
        return blocks

    def _next_table(self, number: int, end: int) -> Table | None:
        """The first table after a row and before another, None where a heading comes first."""
        headings = self.outline.headings
        at = bisect_right(headings, number)
        end = min([end, *headings[at : at + 1]])
        for segment in self.outline.tables:
            first = segment[0][0]
            if number < first < end:
                lines = [(self.rows[row][0], text) for row, text in segment]
                table = read_table(lines, self.outline.references, self._place(lines[0][0]))
                if table is not None:
                    return table
        return None

    def _differs(self, number: int) -> bool:
        """Whether the renderer shows a row as code, and a plain viewer may show it as a block."""
        if number in self.outline.doubtful:
            return True
        return number in self.outline.code and may_be_held(self.rows, number)

    def _block(self, fence: Fence, table: Table | None) -> Block:
        body = body_of(self.source.raw, fence)
        place = self._place(fence.start)
        return Block(fence.word, body, place, fence.end + 1, len(fence.prefix), table)

    def _doubts(self) -> list[Problem]:
        """What is wrong with fences, where they stand in the open."""
        doubts = self.fences.doubts
        if not doubts:
            return []
        hidden = self.html.unseen | self.outline.code
        lines = {self.rows[number][0] for number in hidden}
        return [
            Problem(doubt.code, self._place(doubt.index), doubt.message, doubt.hint)
            for doubt in doubts
            if doubt.index not in lines
        ]

    def _links(self) -> tuple[list[Link], list[Problem]]:
        links: list[Link] = []
        problems: list[Problem] = []
        for prose in self.proses:
            found, unclosed = prose.links(), prose.unclosed
            for row, target, text, struck, struck_part in found:
                links.append(Link(target, text, struck, self._place(self.rows[row][0]), struck_part))
            for row in dict.fromkeys(unclosed):
                place = self._place(self.rows[row][0])
                problems.append(Problem("unclosed-link", place, "this link to a claim is not closed", _CLOSE))
            for row, address, right in prose.unbound():
                problems.append(_unread(self._place(self.rows[row][0]), address, right))
        return links, problems

    def _html_links(self) -> list[Problem]:
        """The links to claims in HTML, which no viewer and no renderer binds, where a reader sees them."""
        proses = self.proses
        if seen := self.html.raw - self.html.unseen:
            proses = [*proses, Prose([(row, self.rows[row][1]) for row in sorted(seen)], {})]
        rows = {row for prose in proses for row in prose.rows_of(_HTML_LINK)}
        return [Problem("html-link", self._place(self.rows[row][0]), _IN_HTML, _CLOSE) for row in rows]


def _unread(place: Place, address: str, right: str) -> Problem:
    hint = (
        f"write `{right}`" if right else f"{_CLOSE}, or its definition as `[label]: claim:the-id` on one line"
    )
    return Problem("unread-link", place, f"`{address}` is read as no link to a claim", hint)


def _cut(source: Source, fences: list[Fence]) -> list[tuple[int, str]]:
    """The rows of a page: (index of the line, text), each fence one row that stands for it."""
    rows: list[tuple[int, str]] = []
    at = source.first
    for number, fence in enumerate(fences):
        rows.extend(enumerate(source.flat[at : fence.start], at))
        rows.append((fence.start, f"{fence.prefix}{CUT}{number}\x03"))
        at = fence.end + 1
    rows.extend(enumerate(source.flat[at:], at))
    return rows
