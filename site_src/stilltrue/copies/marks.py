"""Marks that let an old number stand: struck through, or `stilltrue: keep` on its line or right above."""

from __future__ import annotations

import re

_MARK = r"stilltrue:\s*keep(?![\w-])"
_KEEP = re.compile(_MARK)
_OWN_LINE = re.compile(rf"\W*(?:(?:REM|rem|dnl)\s+)?{_MARK}(?:\s+because\b.*|\W*)")
_STRIKE = re.compile(r"(?<![~\\])~~(?!~)")
_CODE = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)")
_TAG = re.compile(r"<(/?)(s|del|strike)(?:\s[^<>]{0,200})?>", re.IGNORECASE)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


class Marks:
    """What stands around a place.

    Args:
        before: The text before it, some lines.
        after: The text from it on, some lines.
    """

    def __init__(self, before: str, after: str) -> None:
        self.before = before
        self.after = after

    @property
    def kept(self) -> bool:
        """Whether it is marked `stilltrue: keep`."""
        *above, left = self.before.split("\n")
        if _KEEP.search(left + self.after.partition("\n")[0]):
            return True
        return bool(above) and _OWN_LINE.fullmatch(above[-1].rstrip("\r")) is not None

    @property
    def struck(self) -> bool:
        """Whether it is struck through, by Markdown in its paragraph or by HTML."""
        return self._by_markdown() or self._by_tag()

    def _by_markdown(self) -> bool:
        if "~~" not in self.before:
            return False
        left = _without_code(_PARAGRAPH.split(self.before)[-1])
        right = _PARAGRAPH.split(self.after, maxsplit=1)[0]
        opened = False
        for mark in _STRIKE.finditer(left):
            if opened:
                opened = not left[: mark.start()][-1:].strip()
            else:
                opened = bool((left + right)[mark.end() : mark.end() + 1].strip())
        return opened and any(right[: mark.start()][-1:].strip() for mark in _STRIKE.finditer(right))

    def _by_tag(self) -> bool:
        opened: list[str] = []
        if "<" not in self.before:
            return False
        for tag in _TAG.finditer(_without_code(self.before)):
            name = tag[2].lower()
            if not tag[1]:
                opened.append(name)
            elif name in opened:
                opened.remove(name)
        return any(tag[1] and tag[2].lower() in opened for tag in _TAG.finditer(self.after))


def _without_code(text: str) -> str:
    """A text without what stands in code: signs there strike nothing through."""
    return _CODE.sub("`", text)
