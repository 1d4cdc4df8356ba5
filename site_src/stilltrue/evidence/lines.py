"""From an offset in a text to its line, cheaply for many offsets in a large text."""

from __future__ import annotations

_BLOCK = 4096
"""A query counts within one block; the blocks before it are counted once."""


class Lines:
    """The line numbers of a text whose lines end in LF.

    Args:
        text: The text, as characters or as UTF-8; offsets are in the same measure.
    """

    __slots__ = ("_before", "_text")

    def __init__(self, text: str | bytes) -> None:
        self._text = text
        self._before: list[int] = []

    def at(self, offset: int) -> int:
        """The line, from 1, that the character at `offset` stands on."""
        if offset < _BLOCK:
            return _count(self._text, 0, offset) + 1
        if not self._before:
            self._before = _blocks(self._text)
        block = offset // _BLOCK
        return self._before[block] + _count(self._text, block * _BLOCK, offset) + 1


def _count(text: str | bytes, start: int, end: int) -> int:
    return text.count("\n", start, end) if isinstance(text, str) else text.count(b"\n", start, end)


def _blocks(text: str | bytes) -> list[int]:
    """How many lines end before each block; one entry more than there are whole blocks."""
    before = [0]
    for start in range(0, len(text), _BLOCK):
        before.append(before[-1] + _count(text, start, start + _BLOCK))
    return before
