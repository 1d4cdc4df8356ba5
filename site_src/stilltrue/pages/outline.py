"""The outline of a page: which rows are code, which are prose, and where a paragraph begins and ends.

A container (a list item, an admonition, a tab, a footnote) holds what is indented by four columns under it,
a quote what follows its `>`. A row is code when it is indented by four more than the containers that are
open, and begins a chunk: right after a blank row, a heading or a rule. Rows in the middle of a chunk belong
to its paragraph however far they are indented.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from stilltrue.pages.html import CUT
from stilltrue.pages.rows import (
    ABBREVIATION,
    HEADING,
    INTERESTING,
    ITEM,
    NOTE,
    QUOTE,
    REFERENCE,
    RULE,
    TABLE_LINE,
    TERM,
    TITLED,
    UNDERLINE,
)

MAX_DEPTH = 60
"""How deep containers are followed; the renderer gives up not far beyond."""

_NEVER = 1 << 30

Segment = list[tuple[int, str]]
"""The rows of one paragraph, heading or cell row: (row, text)."""


@dataclass(slots=True)
class _Open:
    """A container that is open.

    Attributes:
        kind: `item`, `term`, `box`, `note` or `quote`.
        chunk: The chunk that opened it.
        shaky: Whether the renderer may not take it for a container.
    """

    kind: str
    chunk: int
    shaky: bool = False


@dataclass(slots=True)
class Outline:
    """What the rows of a page are.

    Attributes:
        segments: The prose, in order.
        code: Rows of indented code.
        doubtful: Blocks that may or may not be shown as such.
        references: Link references by label: the last one counts.
        tables: What may be tables: their rows.
        headings: The rows of headings.
    """

    segments: list[Segment] = field(default_factory=list)
    code: set[int] = field(default_factory=set)
    doubtful: set[int] = field(default_factory=set)
    references: dict[str, str] = field(default_factory=dict)
    tables: list[Segment] = field(default_factory=list)
    headings: list[int] = field(default_factory=list)


class OutlineReader:
    """Takes the rows of a page one by one."""

    def __init__(self) -> None:
        self.out = Outline()
        self._open: list[_Open] = []
        self._fresh = 0  # containers from this depth on are at the start of a chunk
        self._chunk = 0
        self._base = 0  # the depth, and the position, at which the innermost chunk's text begins
        self._base_pos = 0
        self._in_code = False
        self._segment: Segment = []
        self._in_table = False
        self._first = -1  # the row that began the chunk
        self._term_at = -1  # the depth at which a definition may follow
        self._blanks = 0

    def edge(self) -> None:
        """Markdown begins or ends here: nothing stays open."""
        self._end_segment()
        self._open.clear()
        self._fresh = 0
        self._in_code = False
        self._term_at = -1

    def finish(self) -> Outline:
        """What was read."""
        self._end_segment()
        return self.out

    def block(self, number: int, prefix: str) -> None:
        """Reads a claim block, which is shown set off by blank rows, at the same indentation."""
        tight = self._fresh > 0 and not self._in_code
        quotes = prefix.rstrip(" ")
        if not self._blanks or quotes:
            self.row(number, quotes)
        self.row(number, f"{prefix}{CUT}")
        self._segment = [row for row in self._segment if CUT not in row[1]]
        if (tight and number in self.out.code) or any(box.shaky for box in self._open):
            self.out.doubtful.add(number)
        self.row(number, quotes)
        self._blanks = 0

    def row(self, number: int, text: str) -> None:
        """Reads one row."""
        if not text.strip(" "):
            self._blank(0)
            self._blanks += 1
            return
        depth, pos = self._descend(text)
        self._blanks = 0
        if depth < 0:
            return
        if depth >= self._fresh:
            self._start(number, text, pos)
        else:
            self._go_on(number, text, pos, depth)

    # Where a row stands ----------------------------------------------------------------------------------

    def _blank(self, depth: int) -> None:
        """A blank row ends the chunks of all containers from `depth` on."""
        self._fresh = min(self._fresh, depth)
        self._end_segment()

    def _descend(self, text: str) -> tuple[int, int]:
        """How many open containers the row stands in, and where its own text begins; -1 when it is done."""
        self._base, self._base_pos, pos, depth = 0, 0, 0, 0
        run = -1
        while depth < len(self._open):
            box = self._open[depth]
            starts = depth >= self._fresh
            # The indentation of nested items is taken off at once, or not at all when a row has too little.
            if box.kind != "item" or box.chunk == self._chunk:
                run = -1
            elif run < 0:
                run = pos
            if box.kind == "quote":
                mark = QUOTE.match(text, pos)
                if mark is not None:
                    pos = mark.end()
                    if not text[pos:].strip(" "):
                        self._blank(depth + 1)
                        return -1, 0
                elif starts or self._interrupts(text):
                    self._close(depth)
                    break
                depth += 1
                self._base, self._base_pos = depth, pos
                continue
            if text.startswith("    ", pos) and not (starts and self._cannot_go_on(box)):
                pos += 4
            elif starts:
                self._close(depth)
                break
            elif box.kind == "box":
                self._close(depth)
                self._fresh = depth
                break
            elif box.chunk == self._chunk:
                break
            elif run >= 0:
                return self._hang(depth, run)
            depth += 1
            if box.kind != "item" or box.chunk != self._chunk:
                self._base, self._base_pos = depth, pos
        return depth, pos

    def _hang(self, depth: int, pos: int) -> tuple[int, int]:
        """A row with less indentation than its nested items goes on with what they hold, as it is."""
        while depth < len(self._open):
            box = self._open[depth]
            if box.kind != "item" or box.chunk == self._chunk:
                break
            depth += 1
        self._base, self._base_pos = depth, pos
        return depth, pos

    def _cannot_go_on(self, box: _Open) -> bool:
        """Whether a container has no further chunks: notes end at two blank rows, shaky ones at the first."""
        return box.shaky or (box.kind == "note" and self._blanks > 1)

    def _close(self, depth: int) -> None:
        """Closes the containers from `depth` on."""
        if len(self._open) > depth:
            self._term_at = depth if self._open[depth].kind == "term" else -1
            del self._open[depth:]
            self._end_segment()
            self._in_code = False

    def _interrupts(self, text: str) -> bool:
        """Whether a row ends the chunk it stands in: a heading, a rule or a titled box at its very start."""
        pos = self._base_pos
        if text[pos : pos + 1] not in "#!?= -_*" or pos >= len(text):
            return False
        rest = text[pos:]
        return bool(HEADING.match(rest) or TITLED.match(rest) or RULE.match(rest))

    # The start of a chunk --------------------------------------------------------------------------------

    def _start(self, number: int, text: str, pos: int) -> None:
        """The first row of a chunk."""
        self._close(len(self._open))
        self._end_segment()
        self._chunk += 1
        self._first = number
        self._fresh = _NEVER
        self._in_code = False
        self._content(number, text, pos)

    def _content(self, number: int, text: str, pos: int) -> None:
        """What stands at the start of a chunk, behind any number of markers."""
        first = pos
        while True:
            if text.startswith("    ", pos):
                self._in_code = True
                self._term_at = len(self._open)
                self.out.code.add(number)
                return
            if text[pos : pos + 1] not in INTERESTING:
                break
            after = self._line_of_its_own(number, text, pos)
            if after is None:
                return
            if after == pos:
                break
            pos = after
            if not text[pos:].strip(" "):
                self._fresh = len(self._open)
                return
        self._term_at = len(self._open) if pos == first else -1
        self._segment.append((number, text[pos:]))

    def _line_of_its_own(self, number: int, text: str, pos: int) -> int | None:
        """Reads a marker: gives where the text behind it begins, `pos` where none is, None when done."""
        rest = text[pos:] if pos else text
        if (titled := TITLED.match(rest)) is not None:
            self._title(number, titled)
            return None
        if HEADING.match(rest):
            self.out.segments.append([(number, rest.lstrip("#"))])
            self.out.headings.append(number)
            self._alone()
            return None
        if RULE.match(rest):
            self._alone()
            return None
        for kind, pattern in (("item", ITEM), ("quote", QUOTE), ("note", NOTE)):
            if (mark := pattern.match(rest)) is not None:
                return self._push(kind, pos + mark.end(), pos)
        if (mark := TERM.match(rest)) is not None and (self._open or self._term_at >= 0):
            return self._push("term", pos + mark.end(), pos)
        return self._definition(rest, pos)

    def _alone(self) -> None:
        """A heading or a rule: the next row starts a chunk."""
        self._fresh = len(self._open)
        self._term_at = len(self._open)

    def _title(self, number: int, titled: re.Match[str]) -> None:
        """An admonition, details or a tab: its title is prose, its content is indented."""
        title = titled[1] or titled[2] or titled[3]
        if title:
            self.out.segments.append([(number, title)])
        if len(self._open) < MAX_DEPTH:
            self._open.append(_Open("box", self._chunk))
        self._fresh = len(self._open)
        self._term_at = -1

    def _push(self, kind: str, after: int, pos: int) -> int:
        """Opens a container, unless there are too many: then the row is text."""
        if len(self._open) >= MAX_DEPTH:
            return pos
        shaky = kind == "term" and self._term_at != len(self._open)
        kinds = {box.kind for box in self._open}
        shaky |= kind == "term" and "item" in kinds and "box" not in kinds
        shaky |= kind == "note" and any(box.kind != "quote" for box in self._open)
        self._open.append(_Open(kind, self._chunk, shaky))
        self._term_at = -1
        if kind == "quote":
            self._base, self._base_pos = len(self._open), after
        return after

    def _definition(self, rest: str, pos: int) -> int | None:
        """A link reference or an abbreviation is no prose; the next row starts a chunk."""
        found = REFERENCE.match(rest)
        if found is not None:
            self.out.references[found[1].strip().lower()] = found[2].lstrip("<").rstrip(">")
        elif ABBREVIATION.match(rest) is None:
            return pos
        self._fresh = len(self._open)
        return None

    # The middle of a chunk -------------------------------------------------------------------------------

    def _go_on(self, number: int, text: str, pos: int, depth: int) -> None:
        """A row in the middle of a chunk."""
        if self._in_code:
            if text.startswith("    ", pos):
                self.out.code.add(number)
            else:
                self._start(number, text, pos)
            return
        base = text[self._base_pos :]
        if len(self._segment) == 1 and "|" in self._segment[0][1] and self._segment[0][0] == self._first:
            self._in_table = "-" in base and TABLE_LINE.match(base) is not None
        if self._in_table and not TITLED.match(base):
            self._segment.append((number, text[pos:]))
            return
        if base[:1] in INTERESTING and self._breaks(number, text, base, pos, depth):
            return
        self._segment.append((number, text[pos:]))

    def _breaks(self, number: int, text: str, base: str, pos: int, depth: int) -> bool:
        """Whether a row ends the paragraph before it, and is read as what it is."""
        underlined = len(self._segment) == 1 and UNDERLINE.match(base) is not None
        if self._interrupts(text) and not underlined:
            self._close(self._base)
            self._start(number, text, self._base_pos)
            return True
        if underlined:
            self.out.headings.append(number)
            self._end_segment()
            self._close(self._base)
            self._alone()
            return True
        if ITEM.match(text, pos) and self._in_list(depth):
            self._close(depth)
            self._end_segment()
            self._content(number, text, pos)
            return True
        for pattern in (QUOTE, NOTE, TERM, REFERENCE, ABBREVIATION):
            if pattern.match(base):
                self._end_segment()
                if pattern is TERM:
                    self._close(self._base)
                    self._term_at = len(self._open)
                self._content(number, text, self._base_pos)
                return True
        return False

    def _in_list(self, depth: int) -> bool:
        """Whether a marker at this depth continues a list of the same chunk, or begins one below it."""
        at = min(depth, len(self._open) - 1)
        return any(
            self._open[d].kind == "item" and self._open[d].chunk == self._chunk
            for d in (at, depth - 1)
            if 0 <= d < len(self._open)
        )

    def _end_segment(self) -> None:
        rows = self._segment
        if not rows:
            return
        self._segment = []
        if self._in_table:
            self._in_table = False
            self.out.tables.append(rows)
            self.out.segments.extend([row] for row in rows)
        else:
            self.out.segments.append(rows)
