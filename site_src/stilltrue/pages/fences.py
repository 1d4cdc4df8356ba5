"""Fences: which lines are code, and which of the fences are claim or chart blocks.

Two readings of a page are kept apart, that of the site's renderer and that of a plain Markdown viewer
(CommonMark), because they differ over longer closing fences, indented ones and odd words after a fence.
A claim fence that both show as a block is found, one that both show as text of another fence is an example,
and one that they differ over is a doubt, which becomes a problem: no number goes unchecked in silence.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice

from stilltrue.quantity.units import one_slip

CLAIM_WORD = "claim"
TABLE_WORD = "claims"
CHART_WORD = "chart"
_WORDS = (CLAIM_WORD, TABLE_WORD, CHART_WORD)

_OPEN = re.compile(r"([> ]*)(`{3,}|~{3,})(.*)", re.DOTALL)
_ITEM = re.compile(r"[> ]*(?:(?:[-*+]|\d{1,9}[.)]) +)+(?=[`~]{3})")
_WORD = re.compile(r"[ ]*\{?[ ]*\.?(claims?|chart)(?![\w#.+:-])", re.IGNORECASE)
_RENDERED = re.compile(  # what may follow a fence for the site's renderer to take it as one
    r"""(?:[ ]*\.?[\w#.+-]+(?=[ ]|$))?
        (?:[ ]*\{[^\n]*\}|(?:[ ]*[a-zA-Z]\w*(?:=(?:"[^"]*"|'[^']*'))?(?=[ ]|$))+)?[ ]*$""",
    re.VERBOSE,
)
_HEAD = re.compile(r"[> ]*")
_ID = re.compile(r"[> ]*id:")


@dataclass(frozen=True, slots=True)
class Fence:
    """A fenced block.

    Attributes:
        start: The index of its opening line.
        end: The index of its closing line.
        prefix: What stands before the marks: spaces and `>`.
        word: `claim` for a claim block, `claims` for a table of claims, `chart`; empty for any other.
    """

    start: int
    end: int
    prefix: str
    word: str = ""


@dataclass(frozen=True, slots=True)
class Doubt:
    """Something wrong with the fence that opens at line index `index`; a problem once its place is known."""

    index: int
    code: str
    message: str
    hint: str


@dataclass(slots=True)
class Fences:
    """All closed fences of a page, in order, and what is wrong with others."""

    fences: list[Fence] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)


def find_fences(lines: list[str], first: int = 0) -> Fences:
    """The fences of a page, its tabs expanded, from line index `first` on."""
    marked = [i for i, line in enumerate(lines) if "```" in line or "~~~" in line]
    if first:
        marked = marked[bisect_left(marked, first) :]
    return _Search(lines, marked).run() if marked else Fences()


def body_of(raw: list[str], fence: Fence) -> str:
    """What stands between the marks, the fence's own indentation and quote marks taken off each line."""
    lines = raw[fence.start + 1 : fence.end]
    if fence.prefix:
        frame = _Frame(fence.prefix)
        lines = [frame.inside(_untabbed(line)) or "" for line in lines]
    return "\n".join(lines) + "\n" if lines else ""


def _untabbed(line: str) -> str:
    """A line with the tabs of its indentation expanded, and no others."""
    if "\t" not in line:
        return line
    head = line[: len(line) - len(line.lstrip("> \t"))]
    return head.expandtabs(4) + line[len(head) :]


def _word_of(info: str) -> str:
    """`claim`, `claims` or `chart`, as written in any case, when it is the first word after a fence."""
    found = _WORD.match(info)
    return found[1] if found else ""


def _noun(word: str) -> str:
    """What a block of a word is called."""
    return CHART_WORD if word.lower() == CHART_WORD else CLAIM_WORD


def _opening(line: str) -> tuple[str, str, str, str] | None:
    """Prefix, marks, info and claim word of a line that opens a fence."""
    opened = _OPEN.match(line)
    if opened is None:
        return None
    prefix, marks, info = opened.groups()
    if marks[0] == "`" and "`" in info:
        return None
    return prefix, marks, info, _word_of(info)


class _Frame:
    """The container of a claim fence, as its prefix shows it: how many quotes, how deep an indentation."""

    def __init__(self, prefix: str) -> None:
        self.quotes = prefix.count(">")
        self.lead = len(prefix) - len(prefix.lstrip(" "))
        self.width = len(prefix) - len(prefix.rstrip(" ")) if self.quotes else len(prefix)

    def inside(self, line: str) -> str | None:
        """The line without the container's marks, None when it stands outside the container."""
        for _ in range(self.quotes):
            bare = line.lstrip(" ")
            if not bare.startswith(">"):
                return None
            line = bare[1:]
        indent = len(line) - len(line.lstrip(" "))
        if indent >= self.width:
            return line[self.width :]
        if indent == len(line) or (self.quotes and self.width == 1):
            return line[indent:]
        return None


class _Search:
    """One pass over the lines that hold fence marks."""

    def __init__(self, lines: list[str], marked: list[int]) -> None:
        self.lines = lines
        self.marked = marked
        self.out = Fences()
        self.plain = _claims_of_plain_viewers(lines, marked)

    def run(self) -> Fences:
        """Finds all."""
        at = 0
        while at < len(self.marked):
            at = self._take(at)
        return self.out

    def _take(self, at: int) -> int:
        """Reads the fence that opens at `marked[at]`, if one does; gives the next place to look."""
        index = self.marked[at]
        opened = _opening(self.lines[index])
        if opened is None:
            self._look_behind_marker(index)
            return at + 1
        prefix, marks, info, word = opened
        if word:
            return self._claim(at, prefix, marks, word)
        self._doubt_word(index, info)
        if not _RENDERED.match(info):
            return at + 1
        end, closed = self._end(at, prefix, marks)
        if closed:
            self.out.fences.append(Fence(index, end, prefix))
            if not self._doubt_inside(index, end):
                # With marks like its own a block inside can be no example: its end is what closed this fence.
                self._doubt_hidden(index, end, marks)
        else:
            self._doubt_hidden(index, end)
        return self._next(at, end if not closed and self._opens_claim(end) else end + 1)

    def _next(self, at: int, index: int) -> int:
        """The first place in `marked` whose line is not before `index`."""
        return bisect_left(self.marked, index, at + 1)

    def _following(self, at: int, *, every: bool) -> Iterable[int]:
        """The lines after `marked[at]`: every one, or only those with fence marks."""
        if every:
            return range(self.marked[at] + 1, len(self.lines))
        return islice(self.marked, at + 1, None)

    def _opens_claim(self, index: int, marks: str = "") -> bool:
        """Whether a line opens a block, with marks that are as long as these or longer."""
        opened = _opening(self.lines[index]) if index < len(self.lines) else None
        return opened is not None and bool(opened[3]) and opened[1].startswith(marks)

    def _claim(self, at: int, prefix: str, marks: str, word: str) -> int:
        index = self.marked[at]
        end, closed = self._claim_end(at, prefix, marks)
        if not closed:
            self._doubt(
                index,
                "unclosed-fence",
                f"this {_noun(word)} block is not closed",
                f"close it with `{marks}` on a line of its own, indented like its opening",
            )
            return self._next(at, end)
        if not self._is_plain(index):
            self.out.fences.append(Fence(index, end, prefix))
            self._doubt(index, "unseen-block", _DIFFER, _APART)
        elif word in {CLAIM_WORD, TABLE_WORD, CHART_WORD}:
            self.out.fences.append(Fence(index, end, prefix, word))
        else:
            right = word.lower()
            self.out.fences.append(Fence(index, end, prefix))
            self._doubt(index, "unseen-block", f"`{word}` marks no {_noun(word)} block", f"write `{right}`")
        return self._next(at, end + 1)

    def _claim_end(self, at: int, prefix: str, marks: str) -> tuple[int, bool]:
        """The line that ends a claim block, and whether that is its closing fence.

        It is left open by a line outside its list item or quote, and by another claim fence.
        """
        frame = _Frame(prefix)
        for i in self._following(at, every=bool(prefix)):
            rest = frame.inside(self.lines[i])
            if rest is None:
                return i, False
            if _closes(rest, marks):
                return i, True
            if self._opens_claim(i):
                return i, False
        return len(self.lines), False

    def _end(self, at: int, prefix: str, marks: str) -> tuple[int, bool]:
        """Where the renderer ends another fence, and whether by a closing fence."""
        if not prefix:
            for i in self._following(at, every=False):
                if self.lines[i].rstrip(" ") == marks:
                    return i, True
            return len(self.lines), False
        quotes, width, blank = prefix.count(">"), len(prefix), False
        for i in self._following(at, every=True):
            line = self.lines[i]
            found = _HEAD.match(line, 0, width)
            head = found[0] if found else ""
            content = line[len(head) :]
            if _leaves(head, content, quotes, width, after_blank=blank):
                return i, False
            if content.rstrip(" ") == marks:
                return i, True
            blank = not content
        return len(self.lines), False

    # What becomes a problem ------------------------------------------------------------------------------

    def _is_plain(self, index: int) -> bool:
        place = bisect_left(self.plain, index)
        return place < len(self.plain) and self.plain[place] == index

    def _doubt_inside(self, start: int, end: int) -> bool:
        """Whether a fence holds claims that a plain viewer shows as blocks of their own: a doubt for each."""
        inside = self.plain[bisect_left(self.plain, start + 1) : bisect_left(self.plain, end)]
        for index in inside:
            self._doubt(index, "unseen-block", _DIFFER, _APART)
        return bool(inside)

    def _doubt_hidden(self, start: int, end: int, marks: str = "") -> None:
        """A fence that is not closed, or by the end of a claim block alone, hides the claims after it.

        A block whose marks are shorter than `marks`, or of the other sign, is an example.
        """
        inside = self.marked[bisect_left(self.marked, start + 1) : bisect_left(self.marked, end)]
        hidden = next((i for i in inside if self._opens_claim(i, marks)), None)
        if hidden is not None:
            self._doubt(
                start,
                "unclosed-fence",
                f"this fence is not closed and hides the block at line {hidden + 1}",
                "close it with the same marks on a line of their own, indented like its opening",
            )

    def _doubt_word(self, index: int, info: str) -> None:
        """A fence that begins with an id, and whose word is a slip away from that of a block."""
        if index + 1 == len(self.lines) or not _ID.match(self.lines[index + 1]):
            return
        word = info.strip(" {.}").partition(" ")[0]
        right = next((each for each in _WORDS if one_slip(word.lower(), each)), "")
        if right:
            self._doubt(index, "unseen-block", f"`{word}` marks no {_noun(right)} block", f"write `{right}`")

    def _look_behind_marker(self, index: int) -> None:
        """A claim fence behind a list marker is one for a plain viewer alone."""
        item = _ITEM.match(self.lines[index])
        opened = _opening(self.lines[index][item.end() :]) if item else None
        if opened is not None and opened[3]:
            self._doubt(
                index,
                "unseen-block",
                "a block right behind a list marker is not shown as one",
                "start the fence on a line of its own, indented by four spaces",
            )

    def _doubt(self, index: int, code: str, message: str, hint: str) -> None:
        self.out.doubts.append(Doubt(index, code, message, hint))


_DIFFER = "viewers of Markdown differ over whether this block stands inside another fence"
_APART = "close the fence above it with the same marks, indented like its opening"


def _closes(rest: str, marks: str) -> bool:
    """Whether a line closes a fence: the same sign, at least as many, nothing else, little indentation."""
    bare = rest.lstrip(" ")
    if len(rest) - len(bare) > 3 or not bare.startswith(marks):
        return False
    return not bare.rstrip(" ").strip(marks[0])


def _leaves(head: str, content: str, quotes: int, width: int, *, after_blank: bool) -> bool:
    """Whether the renderer gives up a fence at this line, for want of indentation or quote marks."""
    here = head.count(">")
    if here > quotes:
        return True
    if not content or (not quotes and not content.strip(" ")):
        return False
    return len(head) < width or (after_blank and here < quotes)


def _claims_of_plain_viewers(lines: list[str], marked: list[int]) -> list[int]:
    """Where CommonMark sees a claim fence open, by the fences before it alone."""
    found: list[int] = []
    marks, indent, is_claim = "", 0, False
    for i in marked:
        line = lines[i]
        if marks:
            bare = line.lstrip("> ")
            if bare.startswith(marks) and _closes(bare, marks) and len(line) - len(bare) - indent < 4:
                marks = ""
                continue
            if not is_claim:
                continue
        item = _ITEM.match(line)
        opened = _opening(line[item.end() :] if item else line)
        if opened is None or (marks and not opened[3]):
            continue
        marks, is_claim = opened[1], bool(opened[3])
        indent = item.end() if item else len(opened[0])
        if is_claim:
            found.append(i)
    return found
