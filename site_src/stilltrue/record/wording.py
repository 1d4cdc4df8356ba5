"""Words that the messages of this package share."""

from __future__ import annotations

from collections.abc import Sequence

_SHOWN = 3


def listed(paths: Sequence[str]) -> str:
    """Some names, the first few of many: `a`, `b`, `c` and 4 more."""
    shown = ", ".join(f"`{path}`" for path in paths[:_SHOWN])
    more = len(paths) - _SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
