"""Marks around a value that change its look and not its meaning: bold, italics, code, footnote stars."""

from __future__ import annotations

import re

_SPACE = " \t\r\n\f\v\u00a0\u202f\u2009"
_AROUND = _SPACE + "*_`"
_AFTER = _AROUND + "†‡§¶"
_FOOTNOTE = re.compile(r"\[\^[^\[\]\s]{1,30}\]\Z")
_LONGEST_FOOTNOTE = 40
_INNER = re.compile(r"\*\*|(?<![0-9])__|__(?![0-9])|`")


def strip_marks(text: str) -> str:
    r"""`text` without the marks around it: `**81.93**`, `81.93\*` and `81.93[^1]` are `81.93`."""
    body = text.lstrip(_AROUND).rstrip(_AFTER)
    while body.endswith("]") and (note := _FOOTNOTE.search(body[-_LONGEST_FOOTNOTE:])):
        body = body[: len(body) - len(note[0])].rstrip(_AFTER)
    return body.removeprefix("\\").rstrip("\\") if "\\" in body else body


def drop_inner_marks(text: str) -> str:
    """`text` without bold and code marks anywhere: `**65.2** %` is `65.2 %`."""
    return _INNER.sub("", text)
