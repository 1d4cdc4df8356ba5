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
