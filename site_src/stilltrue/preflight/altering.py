"""A file with one thing altered, such that what reads the format still can."""

from __future__ import annotations

import re
from typing import NamedTuple

from stilltrue.errors import InputError

_DIGIT = re.compile(rb"\\u[0-9a-fA-F]{4}|(?P<here>\d)")
_SWITCH = re.compile(rb"\b(?P<here>true|false|True|False)\b")
_QUOTED = re.compile(rb'"(?P<here>[A-Za-z])[^"\\\n]*"')
_LETTER = re.compile(rb"(?P<here>[A-Za-z])")
_PATTERNS = (_DIGIT, _SWITCH, _QUOTED, _LETTER)
_OPPOSITES = {b"true": b"false", b"false": b"true", b"True": b"False", b"False": b"True"}


class Altered(NamedTuple):
    """A file's bytes after the change.

    Attributes:
        data: The bytes.
        how: What was changed, for a message: `line 12, a digit 4 became 3`.
    """

    data: bytes
    how: str


def altered(data: bytes) -> Altered:
    """The bytes with one digit, switch or letter changed, else one bit.

    The change is made as near as can be to three quarters of the way: a key made of the first bytes of a
    file, of its last, or of a sample from its middle does not see it, unless the file is small. The length
    stays, but where `true` becomes `false`.

    Raises:
        InputError: `empty-file`: there is nothing to alter.
    """
    if not data:
        raise InputError(
            "empty-file", "it is empty: there is nothing to alter", "name one that holds something"
        )
    where = len(data) * 3 // 4
    for pattern in _PATTERNS if _is_text(data) else ():
        if found := _nearest(pattern, data, where):
            return _changed(data, found.start("here"), found["here"])
    flipped = bytes([data[where] ^ 1])
    return Altered(_replaced(data, where, 1, flipped), f"one bit of byte {where:,} flipped")


def _is_text(data: bytes) -> bool:
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in data


def _nearest(pattern: re.Pattern[bytes], data: bytes, where: int) -> re.Match[bytes] | None:
    """The match nearest to a place in the file."""
    found = (match for match in pattern.finditer(data) if match["here"] is not None)
    return min(found, key=lambda match: abs(match.start("here") - where), default=None)


def _changed(data: bytes, start: int, old: bytes) -> Altered:
    new = _OPPOSITES.get(old) or (_digit(data, start) if old.isdigit() else _letter(old))
    line = data.count(b"\n", 0, start) + 1
    return Altered(
        _replaced(data, start, len(old), new), f"line {line:,}: `{old.decode()}` became `{new.decode()}`"
    )


def _digit(data: bytes, start: int) -> bytes:
    """Another digit that leaves the number one: no zero before other digits, and 0 and 1 stay switches."""
    digit = data[start] - ord("0")
    inside = data[start - 1 : start].isdigit() or not data[start + 1 : start + 2].isdigit()
    if digit == 1:
        return b"0" if inside else b"2"
    return b"1" if digit == 0 else str(digit - 1).encode()


def _letter(old: bytes) -> bytes:
    return b"b" if old == b"a" else b"B" if old == b"A" else b"A" if old.isupper() else b"a"


def _replaced(data: bytes, start: int, length: int, new: bytes) -> bytes:
    return data[:start] + new + data[start + length :]
