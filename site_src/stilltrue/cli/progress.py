"""A progress line on standard error, on a terminal only; it is gone when the work is done."""

from __future__ import annotations

import sys
from time import monotonic
from types import TracebackType
from typing import Self

from stilltrue.cli.streams import on_terminal

_BAR = 24
_FIRST_AFTER = 0.3
_EVERY = 0.1


class Progress:
    """A callback for `check(progress=…)`: draws at most ten times a second, and nothing for quick work."""

    def __init__(self) -> None:
        self._stream = sys.stderr if on_terminal(sys.stderr) else None
        self._due = monotonic() + _FIRST_AFTER
        self._drawn = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn and self._stream is not None:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __call__(self, done: int, total: int) -> None:
        """Shows that `done` of `total` claims are judged."""
        if self._stream is None or (now := monotonic()) < self._due:
            return
        self._due = now + _EVERY
        self._drawn = True
        self._stream.write(f"\r{line(done, total)}\x1b[K")
        self._stream.flush()


def line(done: int, total: int) -> str:
    """`checking [############            ]  5,012 of 10,000`."""
    filled = _BAR * min(done, total) // max(total, 1)
    return f"checking [{'#' * filled:<{_BAR}}] {done:,} of {total:,}"
