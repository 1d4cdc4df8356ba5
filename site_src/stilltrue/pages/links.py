"""Links in prose: `[65.2 %](claim:attention-share)`, as the site's renderer reads them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from stilltrue.pages.addresses import BROKEN, SCHEME, meant
from stilltrue.pages.marks import ESCAPE, SPACE, escaped, kept, plain, unescaped
from stilltrue.pages.outline import Segment

_CUT = "\x01"
_TICKS = re.compile(r"(\\*)(`+)")
_COMMENT = re.compile(r"<!--(?:(?!<!--|-->).)*-->", re.DOTALL)
_BRACKET = re.compile(r"[\[\]]")
_INLINE = re.compile(
    r"""\(\s*+(?:<([^<>]{0,2000})>\s*+|((?:[^()"'<>]|\([^()"']{0,2000}\)){0,2000}+))
        (?:"[^"]{0,2000}"|'[^']{0,2000}')?\s*+\)""",
    re.VERBOSE,
)
_ODD = re.compile(r"\(\s*<?\s*(claim:[^()\[\]\n]{0,2000})\)")  # a target that is no id, whatever else it is
_BEGUN = re.compile(r"\(\s*<?\s*claim:")
_LABEL = re.compile(r"\s?\[([^\]]*)\]")


class Found(NamedTuple):
    """A link of a segment: its row, target, text, whether all of it is struck through, and else what is."""

    row: int
    target: str
    text: str
    struck: bool
    struck_part: str


class _Span(NamedTuple):
    start: int  # of `[`
    close: int  # of `]`
    end: int
    target: str


class Prose:
    """One segment, its code spans, escapes and comments cut out.

    Args:
        segment: The rows of the prose.
        references: The targets of all link references of the page, by label.

    Attributes:
        unclosed: Once the links were asked for, the rows of those that do not end.
    """

    def __init__(self, segment: Segment, references: dict[str, str]) -> None:
        self.segment = segment
        self.references = references
        self.text = "\n".join(text for _, text in segment)
        self.starts = [0, *accumulate(len(text) + 1 for _, text in segment)]
        self.codes: list[tuple[int, int, int]] = []
        self.bare = self._masked()
        self.unclosed: list[int] = []

    def links(self) -> list[Found]:
        """The links to claims."""
        spans = self._spans
        if not spans:
            return []
        strikes = _strikes(self._around(spans)) if "~~" in self.bare else []
        return [self._found(span, strikes) for span in spans if span.target.startswith(SCHEME)]

    def places(self) -> list[tuple[int, int]]:
        """Where in `text` that of each link of `links` begins and ends."""
        return [(span.start + 1, span.close) for span in self._spans if span.target.startswith(SCHEME)]

    def unbound(self) -> list[tuple[int, str, str]]:
        """What is nearly a link to a claim: its row, its address as written, and the one that it needs."""
        others = ((span, meant(span.target)) for span in self._spans if not span.target.startswith(SCHEME))
        near = [(self._row(span.start), span.target, right) for span, right in others if right]
        cut = BROKEN.finditer(self._around(self._spans)) if BROKEN.search(self.bare) else ()
        return near + [(self._row(found.start()), found[0][1:].strip(), "") for found in cut]

    def rows_of(self, pattern: re.Pattern[str]) -> list[int]:
        """The rows in which what a pattern finds begins, code spans, escapes and comments apart."""
        return [self._row(found.start()) for found in pattern.finditer(self.bare)]

    def all_links(self) -> list[tuple[int, int, int, str]]:
        """Each link, to a claim or elsewhere: where `[` is, where `]` is, where it ends, and its target."""
        return [(span.start, span.close, span.end, span.target) for span in self._spans]

    def without_links(self) -> tuple[str, str]:
        """All of the text, for `plain`, links by their own text; and the target of the link that it is.

        It is one when nothing but marks of emphasis stands before its first link.
        """
        spans = self._spans
        first = spans[0] if spans else None
        leads = first is not None and not self.bare[: first.start].strip(" *_~")
        pieces: list[str] = []
        at = 0
        for span in spans:
            pieces += (self._marked(at, span.start), self._inner(span))
            at = span.end
        pieces.append(self._marked(at, len(self.text)))
        return "".join(pieces), first.target if first is not None and leads else ""

    def _masked(self) -> str:
        """The text with what is no Markdown replaced by a sign, every position kept."""
        text = self.text
        if "`" in text:
            self.codes = _code_spans(text)
            text = _blanked(text, [(start, end) for start, end, _ in self.codes])
        if "\\" in text:
            text = ESCAPE.sub(_CUT * 2, text)
        if "<!--" in text:
            text = _COMMENT.sub(lambda found: _CUT * len(found[0]), text)
        return text

    @cached_property
    def _spans(self) -> list[_Span]:
        """All links, to claims and elsewhere, in order, none inside another."""
        pairs = _pairs(self.bare)
        taken = self._by_reference(pairs) if self.references else []
        covered = 0
        spans: list[_Span] = []
        waiting = iter([*taken, _Span(len(self.bare) + 1, 0, 0, "")])
        reference = next(waiting)
        for start in sorted(pairs):
            while reference.start <= start and reference.end <= covered:
                reference = next(waiting)
            if start < covered:
                continue
            if self.bare[start - 1 : start] == "!":
                covered = self._image_end(start, pairs[start])
                continue
            if reference.start == start:
                spans.append(reference)
                covered = reference.end
                reference = next(waiting)
                continue
            link = self._inline(start, pairs[start])
            if link is not None:
                spans.append(link)
                covered = link.end
        return spans

    def _around(self, spans: list[_Span]) -> str:
        """The text with all links cut out: what they stand in."""
        return _blanked(self.bare, [(span.start, span.end) for span in spans])

    def _image_end(self, start: int, close: int) -> int:
        """Where the image ends that the brackets describe, else where they begin."""
        image = self._inline(start, close) or self._reference(start, close)
        return image.end if image else start

    def _inline(self, start: int, close: int) -> _Span | None:
        """The link that the brackets begin, when a target in parentheses follows them."""
        if not self.bare.startswith("(", close + 1):
            return None
        link = _INLINE.match(self.bare, close + 1) or _ODD.match(self.bare, close + 1)
        if link is None:
            if _BEGUN.match(self.bare, close + 1):
                self.unclosed.append(self._row(start))
            return None
        begin, end = link.span(link.lastindex or 0)
        return _Span(start, close, link.end(), unescaped(self.text[begin:end].strip()))

    def _by_reference(self, pairs: dict[int, int]) -> list[_Span]:
        """Links through a reference: `[text][label]`, `[label][]` and `[label]`."""
        spans: list[_Span] = []
        covered = outer = 0
        for start in sorted(pairs):
            if start < covered:
                continue
            close = pairs[start]
            if self.bare[start - 1 : start] == "!":
                covered = self._image_end(start, close)
                continue
            span = self._reference(start, close)
            if span is not None and (start >= outer or span.end > close + 1):
                spans.append(span)
                covered = span.end
            outer = max(outer, close + 1)  # inside other brackets a label alone is text
        return spans

    def _reference(self, start: int, close: int) -> _Span | None:
        label = _LABEL.match(self.bare, close + 1)
        end = label.end() if label else close + 1
        nested = self.text.find("[", start + 1, close) >= 0  # no label holds a bracket
        own = None if nested else self.text[start + 1 : close]
        name = self.text[label.start(1) : label.end(1)] if label and label[1] else own
        target = None if name is None else self.references.get(SPACE.sub(" ", name.lower()))
        if target is None and label is not None:
            end, target = close + 1, None if own is None else self.references.get(own.lower())
        if target is None or (label is None and self.bare[close + 1 : close + 2] == "("):
            return None
        return _Span(start, close, end, target)

    def _found(self, span: _Span, strikes: list[tuple[int, int]]) -> Found:
        inner, struck, part = plain(self._inner(span))
        if not struck:
            at = bisect_right(strikes, (span.start, len(self.text))) - 1
            struck = at >= 0 and span.end <= strikes[at][1]
        return Found(self._row(span.start), span.target[len(SCHEME) :].strip(), inner, struck, part)

    def _row(self, pos: int) -> int:
        return self.segment[bisect_right(self.starts, pos) - 1][0]

    def _inner(self, span: _Span) -> str:
        """The text of a link."""
        return self._marked(span.start + 1, span.close)

    def _marked(self, start: int, close: int) -> str:
        """A part of the text; code spans and escaped signs stand as marks that no pattern touches."""
        if _CUT not in self.bare[start:close]:
            return self.text[start:close]
        pieces: list[str] = []
        for at in range(bisect_left(self.codes, (start, 0, 0)), len(self.codes)):
            code_start, code_end, ticks = self.codes[at]
            if code_end > close:
                break
            pieces.append(escaped(self.text[start:code_start]))
            pieces.append(kept(self.text[code_start + ticks : code_end - ticks].strip()))
            start = code_end
        pieces.append(escaped(self.text[start:close]))
        return "".join(pieces)


# Code spans, brackets, strikes -----------------------------------------------------------------------------


def _blanked(text: str, spans: list[tuple[int, int]]) -> str:
    """The text with some spans replaced by signs, every position kept."""
    pieces: list[str] = []
    at = 0
    for start, end in spans:
        pieces += (text[at:start], _CUT * (end - start))
        at = end
    return "".join([*pieces, text[at:]])


def _code_spans(text: str) -> list[tuple[int, int, int]]:
    """Where code spans begin and end, and by how many ticks: a run is closed by the next one as long.

    After a backslash the first tick of a run is text, the others may open a span.

    Where there is none, the renderer lets the longest of the shorter runs that follow close it.
    """
    runs = [(found.start(2) + len(found[1]) % 2, found.end()) for found in _TICKS.finditer(text)]
    by_length: dict[int, list[int]] = {}
    for found in _TICKS.finditer(text):
        by_length.setdefault(len(found[2]), []).append(found.start(2))
    spans: list[tuple[int, int, int]] = []
    pos = 0
    for start, end in runs:
        if start < pos or start == end:
            continue
        length, close = _closing_run(by_length, end - start, end)
        if close < 0:
            continue
        spans.append((end - length, close + length, length))
        pos = close + length
    return spans


def _closing_run(by_length: dict[int, list[int]], length: int, after: int) -> tuple[int, int]:
    """The length and the start of the run that closes a code span, -1 where none does."""
    if (close := _next_run(by_length.get(length, []), after)) >= 0:
        return length, close
    later = {n: start for n in by_length if (start := _next_run(by_length[n], after)) >= 0}
    longest = max(later, default=0)
    return (longest, later[longest]) if 0 < longest < length else (0, -1)


def _next_run(starts: list[int], after: int) -> int:
    place = bisect_left(starts, after)
    return starts[place] if place < len(starts) else -1


def _pairs(text: str) -> dict[int, int]:
    """The closing bracket of each opening one."""
    waiting: list[int] = []
    pairs: dict[int, int] = {}
    for found in _BRACKET.finditer(text):
        if found[0] == "[":
            waiting.append(found.start())
        elif waiting:
            pairs[waiting.pop()] = found.start()
    return pairs


_STRIKE_MARK = re.compile(r"(?<!~)~~(?!~)")


def _strikes(text: str) -> list[tuple[int, int]]:
    """Where text is struck through: from `~~` before a sign to `~~` behind one."""
    spans: list[tuple[int, int]] = []
    opened = -1
    for found in _STRIKE_MARK.finditer(text):
        before, after = text[found.start() - 1 : found.start()], text[found.end() : found.end() + 1]
        if opened >= 0 and before.strip():
            spans.append((opened, found.end()))
            opened = -1
        elif after.strip():
            opened = found.start()
    return spans
