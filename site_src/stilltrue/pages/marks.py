"""Text without its Markdown marks (emphasis, strikes, code, escapes, HTML), as a reader sees it."""

from __future__ import annotations

import html
import re

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


def plain(text: str) -> tuple[str, bool]:
    """A link's or a cell's text without Markdown marks, and whether all of it is struck through."""
    if _MARKED.search(text) is None or len(text) > _LONGEST:
        return SPACE.sub(" ", text).strip(), False
    text = _IMAGE.sub("", text)
    text = _AUTOLINK.sub(lambda found: kept(found[1]), text)
    text = _HTML.sub("", text).strip()
    text, struck = _without_marks(text)
    return SPACE.sub(" ", _restored(html.unescape(text))).strip(), struck


def _without_marks(text: str) -> tuple[str, bool]:
    struck = False
    while True:
        before = text
        if (whole := _STRUCK.fullmatch(text)) is not None:
            struck, text = True, whole[1]
        text = _STRUCK.sub(r"\1", text) if "~~" in text and _wrapped(text) is None else text
        for pattern in _EMPHASIS:
            text = pattern.sub(r"\2", text)
        if text == before:
            return text, struck


def _wrapped(text: str) -> re.Match[str] | None:
    """Whether emphasis wraps all of a text: what it wraps may still be struck."""
    return next((m for pattern in _EMPHASIS if (m := pattern.fullmatch(text)) is not None), None)
