"""Where a value stands in JSON text: only what lies on the way to it is walked, and each container once."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from stilltrue.evidence.lines import Lines
from stilltrue.evidence.trees.tree import Location

_BLANK = re.compile(r"[ \t\n\r]*")
_COLON = re.compile(r"[ \t\n\r]*:[ \t\n\r]*")
_COMMA = re.compile(r"[ \t\n\r]*,?[ \t\n\r]*")
_DECODER = json.JSONDecoder()


class ValueLines:
    """The lines of the values of a text that is known to be valid JSON.

    Values on the way to none that is asked for are skipped by the standard library's scanner.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = Lines(text)
        self._one_line = text.find("\n", 0, len(text.rstrip())) < 0
        self._containers: dict[int, _Container] = {}

    def line_of(self, location: Location) -> int:
        """The line on which the value at `location` begins; 0 where it cannot be told."""
        if self._one_line:
            return 1
        try:
            return self._lines.at(self._offset(location))
        except (KeyError, IndexError, ValueError, RecursionError):
            return 0

    def _offset(self, location: Location) -> int:
        offset = _after(_BLANK, self._text, 0)
        for step in location:
            container = self._containers.get(offset)
            if container is None:
                container = self._containers[offset] = _Container(self._text, offset)
            offset = container.offset_of(step)
        return offset


class _Container:
    """One object or array: the offsets of its members, found as far as they were asked for."""

    __slots__ = ("_known", "_rest")

    def __init__(self, text: str, offset: int) -> None:
        self._rest = _members(text, offset) if text[offset] == "{" else _elements(text, offset)
        self._known: dict[str | int, int] = {}

    def offset_of(self, step: str | int) -> int:
        """Where the member begins.

        Raises:
            KeyError: There is none.
        """
        known = self._known
        if step in known:
            return known[step]
        for key, offset in self._rest:
            known[key] = offset
            if key == step:
                return offset
        raise KeyError(step)


def _members(text: str, offset: int) -> Iterator[tuple[str | int, int]]:
    """The keys of an object, each with the offset of its value."""
    decode = _DECODER.raw_decode
    offset = _after(_BLANK, text, offset + 1)
    while text[offset] != "}":
        key, offset = decode(text, offset)
        offset = _after(_COLON, text, offset)
        yield key, offset
        offset = _after(_COMMA, text, decode(text, offset)[1])


def _elements(text: str, offset: int) -> Iterator[tuple[str | int, int]]:
    """The indices of an array, each with the offset of its value."""
    decode = _DECODER.raw_decode
    offset = _after(_BLANK, text, offset + 1)
    index = 0
    while text[offset] != "]":
        yield index, offset
        index += 1
        offset = _after(_COMMA, text, decode(text, offset)[1])


def _after(blank: re.Pattern[str], text: str, offset: int) -> int:
    """The offset after what stands between two values."""
    match = blank.match(text, offset)
    return match.end() if match else offset
