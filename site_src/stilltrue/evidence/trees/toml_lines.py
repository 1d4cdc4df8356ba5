"""Where the values of a TOML file stand: one pass over the text, which is known to be valid."""

from __future__ import annotations

import json
import re

from stilltrue.evidence.lines import Lines
from stilltrue.evidence.trees.tree import Location

_STRING = (
    r'"""(?:[^"\\]|\\(?:.|\n)|"{1,2}(?!"))*+"{3,5}'
    r"|'''(?:[^']|'{1,2}(?!'))*+'{3,5}"
    r'|"(?:[^"\\\n]|\\.)*+"'
    r"|'[^'\n]*'"
)
_TOKEN = re.compile(
    rf"(?P<blank>[ \t\r]+|\#[^\n]*)|(?P<newline>\n)|(?P<string>{_STRING})"
    rf"|(?P<sign>[\[\]{{}},=.])|(?P<word>[^\s\[\]{{}},=.#\"']+)"
)


class KeyLines:
    """The lines of all values, found when the first is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines: dict[Location, int] | None = None

    def line_of(self, location: Location) -> int:
        """The line on which a value, or the header of its table, begins; 0 where it cannot be told."""
        if self._lines is None:
            self._lines = _Scanner(self._text).scan()
        return self._lines.get(location, 0 if location else 1)


class _Frame:
    """An array or an inline table that is open: where it stands, and the key or index being filled."""

    __slots__ = ("index", "is_array", "location")

    def __init__(self, location: Location, is_array: bool) -> None:
        self.location = location
        self.is_array = is_array
        self.index = 0


class _Scanner:
    """Walks the tokens: headers, keys, and the brackets of values."""

    def __init__(self, text: str) -> None:
        self._tokens = list(_tokens(text))
        self._at = 0
        self._found: dict[Location, int] = {}
        self._counts: dict[Location, int] = {}

    def scan(self) -> dict[Location, int]:
        """The line of every location that the text writes out."""
        prefix: Location = ()
        while (token := self._peek()) is not None:
            if token[0] == "\n":
                self._at += 1
            elif token[0] == "[":
                prefix = self._header()
            else:
                self._entry(prefix)
        return self._found

    def _peek(self) -> tuple[str, int] | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def _header(self) -> Location:
        line = self._tokens[self._at][1]
        arrays = self._following("[", "[")
        self._at += 2 if arrays else 1
        keys = self._keys("]")
        self._at += 2 if arrays else 1
        location = (*self._resolved(keys[:-1]), keys[-1])
        if arrays:
            index = self._counts[location] = self._counts.get(location, -1) + 1
            self._found.setdefault(location, line)
            location += (index,)
        elif location in self._counts:
            location += (self._counts[location],)
        self._found[location] = line
        return location

    def _following(self, first: str, second: str) -> bool:
        pair = self._tokens[self._at : self._at + 2]
        return [token[0] for token in pair] == [first, second]

    def _resolved(self, keys: list[str]) -> Location:
        """A dotted name as a location: an array of tables stands for its last element."""
        location: Location = ()
        for key in keys:
            location += (key,)
            if location in self._counts:
                location += (self._counts[location],)
        return location

    def _keys(self, end: str) -> list[str]:
        """The parts of a dotted key, up to the sign that ends it."""
        keys: list[str] = []
        while (token := self._peek()) is not None and token[0] != end:
            if token[0] != ".":
                keys.append(_key(token[0]))
            self._at += 1
        return keys

    def _entry(self, prefix: Location) -> None:
        """One `key = value`, the value's own brackets followed to their end."""
        location = self._dotted(prefix, self._keys("="))
        self._at += 1
        stack: list[_Frame] = []
        self._value(location, stack)
        while stack and (token := self._peek()) is not None:
            frame, sign = stack[-1], token[0]
            if sign == "\n":
                self._at += 1
            elif sign in "]}":
                self._at += 1
                stack.pop()
            elif sign == ",":
                self._at += 1
                frame.index += 1
            elif frame.is_array:
                self._value((*frame.location, frame.index), stack)
            else:
                inner = self._dotted(frame.location, self._keys("="))
                self._at += 1
                self._value(inner, stack)

    def _dotted(self, prefix: Location, keys: list[str]) -> Location:
        line = self._tokens[self._at][1]
        for key in keys[:-1]:
            prefix += (key,)
            self._found.setdefault(prefix, line)
        return (*prefix, keys[-1])

    def _value(self, location: Location, stack: list[_Frame]) -> None:
        """Notes a value's line and steps over it, or into it where it is a container."""
        token = self._peek()
        if token is None:
            return
        self._found[location] = token[1]
        if token[0] in ("[", "{"):
            stack.append(_Frame(location, token[0] == "["))
            self._at += 1
            return
        while (token := self._peek()) is not None and token[0] not in ("\n", ",", "]", "}"):
            self._at += 1


def _tokens(text: str) -> list[tuple[str, int]]:
    """The tokens with their lines, blanks and comments left out."""
    lines = Lines(text)
    return [(m[0], lines.at(m.start())) for m in _TOKEN.finditer(text) if m.lastgroup != "blank"]


def _key(token: str) -> str:
    """A key as it is meant: quotes off, escapes read."""
    if token[0] == "'":
        return token[1:-1]
    if token[0] != '"':
        return token
    try:
        return str(json.loads(token))  # the escapes of TOML are those of JSON, but for `\U`
    except ValueError:
        return token[1:-1]
