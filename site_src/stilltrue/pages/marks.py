"""Text without its Markdown marks (emphasis, strikes, code, escapes, HTML), as a reader sees it."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

ESCAPE = re.compile(r"\\([\\`*_{}\[\]()>#+\-.!~^=|])", re.DOTALL)
"""A backslash and the sign that it takes as it is."""

SPACE = re.compile(r"\s+")

_ATTRIBUTE = r"(?:[.#][\w:.-]+|[\w:.-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s\"'{}]+))"
ATTRIBUTES = re.compile(rf"\{{:?[ ]*{_ATTRIBUTE}(?:[ ]+{_ATTRIBUTE})*[ ]*\}}")
"""A list of attributes, as `attr_list` reads it: `{: .wide width=300 }`."""

_MARKED = re.compile(r"[*_~<&!\\\x02]")
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()]*\)|\[[^\[\]]*\])")
_AUTOLINK = re.compile(r"<([A-Za-z][\w+.-]*://[^<>\s]*)>")
_HTML = re.compile(r"</?[A-Za-z][^<>]*>|<!--(?:(?!<!--|-->).)*-->", re.DOTALL)
_DELETED = re.compile(r"</?(?:del|s)(?:\s[^<>]*)?>", re.IGNORECASE)
_STRUCK = re.compile(r"~~(?=\S)((?:(?!~~).)+)(?<=\S)~~", re.DOTALL)
_EMPHASIS = (  # a run of marks, what no mark of the kind stands in, the same run again
    re.compile(r"(?<!\*)(\*{1,3})(?![\s*])((?:[^*]|(?<=\s)\*+(?=\s))*(?<![\s*]))\1(?!\*)"),
    re.compile(r"(?<!\w)(_{1,3})(?![\s_])((?:[^_]|(?<=\w)_(?=\w)|(?<=\s)_+(?=\s))*(?<![\s_]))\1(?!\w)"),
    re.compile(r"(?<!~)(~)(?![\s~])([^\s~]+)\1(?!~)"),
)
_KEPT = re.compile(r"\x02([0-9a-f.]*)\x03")
_LONGEST = 2000
"""Marks in a longer link text are left where they are."""


def kept(text: str) -> str:
    """Text that no pattern may touch, until `_restored`."""
    return "\x02" + ".".join(f"{ord(sign):x}" for sign in text) + "\x03"


def _restored(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        return "".join(chr(int(code, 16)) for code in found[1].split(".") if code)

    return _KEPT.sub(plain, text)


def escaped(text: str) -> str:
    """A text whose escaped signs no pattern may touch."""
    return ESCAPE.sub(lambda found: kept(found[1]), text)


def unescaped(text: str) -> str:
    """A text with its escaped signs as they are."""
    return ESCAPE.sub(r"\1", text) if "\\" in text else text


class Plain(NamedTuple):
    """A link's or a cell's text without Markdown marks.

    Attributes:
        text: The text, as a reader sees it.
        struck: Whether all of it is struck through.
        struck_part: What else of it is struck through, the pieces set off by blanks.
    """

    text: str
    struck: bool
    struck_part: str = ""


def plain(text: str) -> Plain:
    """A link's or a cell's text without Markdown marks."""
    if _MARKED.search(text) is None or len(text) > _LONGEST:
        return Plain(SPACE.sub(" ", text).strip(), struck=False)
    text = _IMAGE.sub("", text)
    text = _AUTOLINK.sub(lambda found: kept(found[1]), text)
    text = _HTML.sub("", _DELETED.sub("~~", text)).strip()
    text, struck, parts = _without_marks(text)
    return Plain(_shown(text), struck, "" if struck else _shown(" ".join(parts)))


def _shown(text: str) -> str:
    return SPACE.sub(" ", _restored(html.unescape(text))).strip()


def _without_marks(text: str) -> tuple[str, bool, list[str]]:
    """The text, whether all of it was struck through, and the parts that were."""
    struck, parts = False, list[str]()
    while True:
        before = text
        if (whole := _STRUCK.fullmatch(text)) is not None:
            struck, text = True, whole[1]
        if "~~" in text and _wrapped(text) is None:
            parts += (found[1] for found in _STRUCK.finditer(text))
            text = _STRUCK.sub(r"\1", text)
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\2", text)
        if text == before:
            return text, struck, parts


def _wrapped(text: str) -> re.Match[str] | None:
    """Whether emphasis wraps all of a text: what it wraps may still be struck."""
    return next((m for pattern in _EMPHASIS if (m := pattern.fullmatch(text)) is not None), None)
