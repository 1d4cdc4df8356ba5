"""Words that every message shares."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """`1 reading`, `2,041 readings`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(words: Iterable[str], most: int = 5) -> str:
    """The first few of several words: `a, b, c and 4 more`."""
    known = list(words)
    shown = ", ".join(known[:most])
    return shown if len(known) <= most else f"{shown} and {len(known) - most:,} more"


def named(words: Iterable[str], most: int = 3) -> str:
    """The first few of several names: `` `a`, `b`, `c` and 4 more ``."""
    return listed((f"`{word}`" for word in words), most)


_LONGEST = 60


def quoted(text: str) -> str:
    """Text from a file between back-quotes: one line, at most 60 characters, no lone surrogates."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    plain = " ".join(short.encode("utf-8", "replace").decode("utf-8").split())
    return f"`{plain}`"
