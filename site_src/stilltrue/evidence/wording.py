"""Pieces of messages: evidence quoted so that it is short and can be printed."""

from __future__ import annotations

_LONGEST = 60


def quoted(text: str) -> str:
    """Text from evidence between back-quotes: one line, at most 60 characters, no lone surrogates."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    plain = " ".join(short.encode("utf-8", "replace").decode("utf-8").split())
    return f"`{plain}`"
