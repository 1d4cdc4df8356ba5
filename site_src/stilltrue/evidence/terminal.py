"""What a terminal would finally show: ANSI codes and carriage-return progress bars undone, line by line."""

from __future__ import annotations

import re

_CODE = re.compile(
    rb"\x1b(?:"
    rb"\[[0-?]*+[ -/]*+[@-~]"  # CSI: colours, cursor movement, erasing
    rb"|\][^\x07\x1b\n\r]*+(?:\x07|\x1b\\)?"  # OSC: window titles, hyperlinks
    rb"|[PX^_][^\x1b\n\r]*+(?:\x1b\\)?"  # other control strings
    rb"|[ -/]*+[0-Z\\`-~]"  # short escapes: character sets, save and restore
    rb")"
)
_ERASE = re.compile(rb"\x1b\[[02]?K|\x1b\[[0123]?J")
_PIECE = 1 << 20


def without_codes(data: bytes) -> bytes:
    """The text without ANSI codes; erasing is not carried out."""
    return _CODE.sub(b"", data) if b"\x1b" in data else data


def shown(data: bytes) -> bytes:
    """The text as a terminal would leave it, with the same number of lines.

    Args:
        data: UTF-8 whose lines end in LF. A carriage return within a line starts it again, and what comes
            after it covers what was there, as far as it reaches.
    """
    if b"\r" not in data:
        return without_codes(data)
    return b"\n".join([_line(line) if b"\r" in line else without_codes(line) for line in data.split(b"\n")])


def _line(line: bytes) -> bytes:
    """One line, its strokes laid over each other: the last wins, an earlier one shows beyond its end.

    A stroke that erases leaves nothing of those before it: it covers its own columns, and clears the rest.
    Strokes are looked at from the last, some at a time, so that a bar of millions of them takes no memory.
    """
    parts: list[bytes] = []
    width = 0
    end = len(line)
    while end >= 0:
        start = line.rfind(b"\r", 0, max(0, end - _PIECE)) + 1
        piece = line[start:end]
        erased = _last_erase(piece)
        if erased is not None:
            piece = piece[piece.rfind(b"\r", 0, erased) + 1 :]
        for stroke in reversed(without_codes(piece).split(b"\r")):
            if len(stroke) > width:  # there are at least as many bytes as columns
                text = stroke.decode("utf-8")
                if len(text) > width:
                    parts.append(text[width:].encode("utf-8"))
                    width = len(text)
        end = start - 1 if erased is None else -1
    return b"".join(parts)


def _last_erase(piece: bytes) -> int | None:
    """Where the last code that erases begins."""
    last = None
    if b"\x1b" in piece:
        for code in _ERASE.finditer(piece):
            last = code.start()
    return last
