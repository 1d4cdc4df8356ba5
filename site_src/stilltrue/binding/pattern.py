"""The pattern that finds a number in a file that is no page."""

from __future__ import annotations

import re

from stilltrue.patterns import literal

_NUMBER = re.compile(r"[0-9](?:[0-9.,]*[0-9])?")
_BEFORE = 40


def pattern(text: str, start: int, end: int) -> str:
    """A pattern of the words before a number on its line, with the number as its group.

    Args:
        text: The file's text.
        start: Where the number begins.
        end: Where it ends.
    """
    begin = text.rfind("\n", 0, start) + 1
    before = text[begin:start].replace("\r", "")
    cut = len(before) > _BEFORE
    lead = literal(before[-_BEFORE:] if cut else before)
    written = text[start:end]
    number = _NUMBER.sub("[0-9.,]*[0-9]", literal(written).replace("\\.", "."))
    return f"{'' if cut else '^'}{lead}({number})"
