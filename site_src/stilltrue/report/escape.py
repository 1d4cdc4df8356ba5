"""Text that comes from files, made safe to print: visible, on one line, and mute to a CI runner."""

from __future__ import annotations

import re

_HIDDEN = re.compile(
    "["
    "\x00-\x1f\x7f-\x9f"  # control characters: terminal escapes, line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # bidirectional marks, embeddings and isolates
    "\u2028\u2029"  # line and paragraph separators
    "\xad\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"  # drawn as nothing
    "\ud800-\udfff"  # half characters, from file names that are no UTF-8
    "]"
)
# A GitHub runner obeys `::` after blanks at the start of a line and `##[` anywhere in it; Azure and
# TeamCity put a word between: `##vso[`, `##teamcity[`.
_START = re.compile(r"^([^\S\n]*):(?=:)", re.MULTILINE)
_DOUBLE_HASH = re.compile("#(?=#)")
_ANYWHERE = re.compile(r"#(?=#[A-Za-z]*\[)")


def escape(text: str) -> str:
    r"""One line that shows every control, bidirectional and invisible character of `text` as its escape.

    A newline becomes `\n`, the terminal's escape `\x1b`, a right-to-left override `\u202e`. What a CI
    runner would obey (`::error` where a line starts, `##[` anywhere) loses its first sign to an escape.
    """
    if text.isascii() and text.isprintable() and "::" not in text and "##" not in text:
        return text
    return mute(visible(text))


def visible(text: str) -> str:
    """`text` with each control, bidirectional and invisible character, newlines too, as its escape."""
    return _HIDDEN.sub(_shown, text)


def mute(text: str) -> str:
    """`text`, of any number of lines, without what a CI runner would take for a command."""
    return _ANYWHERE.sub(r"\\x23", _START.sub(r"\1\\x3a", text))


def mute_json(text: str) -> str:
    """JSON without what a CI runner would take for a command: an escaped sign is the same to its readers."""
    return _DOUBLE_HASH.sub(r"\\u0023", text)


def _shown(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")
