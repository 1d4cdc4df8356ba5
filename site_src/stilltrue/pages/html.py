"""Raw HTML: which lines of a page are no Markdown, and which of them a reader never sees."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, field

CUT = "\x02"
"""Stands where a fence was cut out of the text, before the fence's number and `\x03`."""

_BLOCK_TAG = re.compile(
    "address|article|aside|blockquote|body|canvas|center|colgroup|dd|details|div|dl|dt|fieldset|"
    "figcaption|figure|footer|form|group|h1|h2|h3|h4|h5|h6|header|hgroup|hr|html|iframe|legend|li|"
    "main|map|math|menu|nav|noscript|object|ol|option|output|p|pre|progress|script|section|style|"
    "summary|table|tbody|td|textarea|tfoot|th|thead|tr|ul|video"
)
_UNSEEN_TAGS = frozenset({"pre", "script", "style", "textarea"})
_RAW_TAGS = _UNSEEN_TAGS | {"canvas", "math", "option"}

_TAG = re.compile(
    r"""<(?:(?P<comment>!--)|(?P<other>\?|!\[CDATA\[|!(?=[A-Za-z]))|
        (?P<close>/?)(?P<name>[A-Za-z][^`\s/>]*)(?P<attributes>(?:[^<>"'`]|"[^"]*"|'[^']*')*)>)""",
    re.VERBOSE,
)
_COMMENT_END = re.compile(r"--!?>")
_MARKDOWN = re.compile(r"""\smarkdown(?:\s*=\s*["']?(?:1|block|span|markdown)["']?)?(?=[\s/]|$)""")
_LEAD = re.compile(r"[> ]*")
_BLANK = re.compile(r"\n[> ]*\n")


@dataclass(slots=True)
class Html:
    """What raw HTML makes of the rows of a page.

    Attributes:
        raw: Rows of raw HTML: no Markdown.
        unseen: Rows that no reader sees, or sees as they are: comments, `<pre>`, `<script>`.
        edges: Rows that hold the tag of an element whose content is Markdown, to the text left beside it.
        doubtful: Rows that the renderer and plain viewers differ over.
    """

    raw: set[int] = field(default_factory=set)
    unseen: set[int] = field(default_factory=set)
    edges: dict[int, str] = field(default_factory=dict)
    doubtful: set[int] = field(default_factory=set)


def find_html(rows: list[str]) -> Html:
    """Reads the raw HTML of a page whose fences were cut out; row numbers are indices into `rows`."""
    return _Reader(rows).read()


class _Reader:
    def __init__(self, rows: list[str]) -> None:
        self.text = "\n".join(rows) + "\n"
        self.starts = [0]
        for row in rows:
            self.starts.append(self.starts[-1] + len(row) + 1)
        self.out = Html()
        self.no_end: set[str] = set()
        self.ticks = (0, 0)
        self.lead = (-1, 0)

    def read(self) -> Html:
        pos = 0
        while (tag := _TAG.search(self.text, pos)) is not None:
            pos = self._take(tag)
        return self.out

    def _take(self, tag: re.Match[str]) -> int:
        """Reads one tag or comment; gives where to go on."""
        line = self.starts[self._row(tag.start())]
        at_start = tag.start() - line <= 3 and not self.text[line : tag.start()].strip(" ")
        if not at_start and self._in_code(line, tag.start()):
            return tag.end()
        if tag["comment"]:
            return self._comment(tag, at_start=at_start)
        if tag["other"]:
            return self._other(tag) if at_start else tag.end()
        name = tag["name"].lower()
        if name in _UNSEEN_TAGS and not tag["close"]:
            return self._unseen(tag, name, at_start=at_start)
        if not at_start or _BLOCK_TAG.fullmatch(name) is None:
            return tag.end()
        if tag["close"] or (_MARKDOWN.search(tag["attributes"]) and name not in _RAW_TAGS):
            return self._edge(tag)
        return self._raw(tag, name)

    def _row(self, pos: int) -> int:
        return bisect_right(self.starts, pos) - 1

    def _in_code(self, line: int, pos: int) -> bool:
        """Whether an odd number of ticks stands before a position; counts on from where it last stopped."""
        start, seen = self.ticks if self.ticks[0] >= line else (line, 0)
        seen += self.text.count("`", start, pos)
        self.ticks = (pos, seen)
        return seen % 2 == 1

    def _is_first(self, pos: int) -> bool:
        """Whether nothing but indentation and quote marks stands before a position in its line."""
        row = self._row(pos)
        if self.lead[0] != row:
            found = _LEAD.match(self.text, self.starts[row])
            self.lead = (row, found.end() if found else 0)
        return self.lead[1] >= pos

    def _rows(self, start: int, end: int) -> range:
        return range(self._row(start), self._row(max(start, end - 1)) + 1)

    def _comment(self, tag: re.Match[str], *, at_start: bool) -> int:
        """A comment: nobody sees it, unless it begins inside a paragraph and a blank line cuts it off."""
        end = self._find(_COMMENT_END, "--", tag.end())
        if end is None:
            return tag.end()
        inside = self.text[tag.start() : end]
        rows = self._rows(tag.start(), end)
        if at_start:
            self.out.unseen.update(rows)
            self.out.raw.update(rows)
            return end
        first = self._is_first(tag.start())
        cut = _BLANK.search(inside) is not None
        if first and not cut and self._apart(rows):
            self.out.unseen.update(rows)
        elif first or not cut:
            self.out.doubtful.update(rows)
        return end if first or not cut else tag.end()

    def _apart(self, rows: range) -> bool:
        """Whether the rows before and after are blank: then no paragraph or table holds the rows."""
        around = (rows.start - 1, rows.stop)
        return not any(self._line(row).strip("> ") for row in around)

    def _line(self, row: int) -> str:
        """A row's text, empty outside the page."""
        if not 0 <= row < len(self.starts) - 1:
            return ""
        return self.text[self.starts[row] : self.starts[row + 1] - 1]

    def _other(self, tag: re.Match[str]) -> int:
        """A processing instruction, a declaration or CDATA at the start of a line: raw to its end."""
        closing = {"?": "?>", "!": ">"}.get(tag["other"], "]]>")
        end = self.text.find(closing, tag.end())
        if end < 0:
            return tag.end()
        self.out.raw.update(self._rows(tag.start(), end + len(closing)))
        return end + len(closing)

    def _unseen(self, tag: re.Match[str], name: str, *, at_start: bool) -> int:
        """`<pre>` and its like: shown as it stands or not at all."""
        end = self._find(re.compile(rf"</{name}\s*>", re.IGNORECASE), name, tag.end())
        if end is not None:
            rows = self._rows(tag.start(), end)
            if at_start or self._apart(rows):
                self.out.unseen.update(rows)
            else:
                self.out.doubtful.update(rows)
            if at_start:
                self.out.raw.update(rows)
            return end
        if at_start:
            self.out.doubtful.update(self._rows(tag.start(), len(self.text)))
        return len(self.text) if at_start else tag.end()

    def _find(self, pattern: re.Pattern[str], key: str, pos: int) -> int | None:
        """Where a closing mark ends; a search that failed once is not made again."""
        if key in self.no_end:
            return None
        found = pattern.search(self.text, pos)
        if found is None:
            self.no_end.add(key)
            return None
        return found.end()

    def _edge(self, tag: re.Match[str]) -> int:
        """The tag of an element whose content is Markdown, or a closing tag that stands alone."""
        row = self._row(tag.start())
        line_end = self.text.index("\n", tag.end() - 1)
        self.out.edges[row] = re.sub(r"<[^<>]*>", " ", self.text[tag.end() : line_end])
        self.out.raw.update(self._rows(tag.start(), tag.end()) if "\n" in tag[0] else ())
        return tag.end()

    def _raw(self, tag: re.Match[str], name: str) -> int:
        """A block element: all is raw to its closing tag, to the end of the page where there is none."""
        end = self._closing(tag, name)
        self.out.raw.update(self._rows(tag.start(), end))
        self._comments_within(tag.end(), end)
        return end

    def _closing(self, tag: re.Match[str], name: str) -> int:
        if name == "hr" or tag["attributes"].endswith("/"):
            return tag.end()
        depth = 1
        pattern = re.compile(rf"<(?:!--.*?-->|(/?){name}(?=[\s/>])[^<>]*>)", re.IGNORECASE | re.DOTALL)
        for other in pattern.finditer(self.text, tag.end()):
            if other[1] is not None and not other[0].endswith("/>"):
                depth += -1 if other[1] else 1
            if depth == 0:
                return other.end()
        return len(self.text)

    def _comments_within(self, start: int, end: int) -> None:
        """What raw HTML itself hides."""
        pattern = re.compile(
            r"<!--.*?--!?>|<(pre|script|style|textarea)\b.*?</\1\s*>", re.DOTALL | re.IGNORECASE
        )
        for hidden in pattern.finditer(self.text, start, end):
            rows = self._rows(hidden.start(), hidden.end())
            self.out.unseen.update(rows if len(rows) > 1 else ())
