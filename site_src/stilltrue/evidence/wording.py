"""Pieces of messages: evidence quoted so that it is short and can be printed."""

from __future__ import annotations

from collections.abc import Iterable

_LONGEST = 60


def quoted(text: str) -> str:
    """Text from evidence between back-quotes: one line, at most 60 characters, no lone surrogates."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    plain = " ".join(short.encode("utf-8", "replace").decode("utf-8").split())
    return f"`{plain}`"


def listed(words: Iterable[str], most: int = 5) -> str:
    """The first few of several words: `a, b, c and 4 more`."""
    known = list(words)
    shown = ", ".join(known[:most])
    return shown if len(known) <= most else f"{shown} and {len(known) - most:,} more"
