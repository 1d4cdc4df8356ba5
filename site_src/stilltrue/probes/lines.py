"""What a command says on standard error, cut into lines as it comes."""

from __future__ import annotations

import re
import time
from collections import deque
from collections.abc import Callable

LONGEST = 2000
"""Of a longer line only so many characters are passed on."""

LAST = 3
"""How many lines are kept for an error message."""

_OVERWRITTEN_EVERY_S = 1.0
_END = re.compile(rb"\r\n|\n|\r")
_MOST_BYTES = 4 * LONGEST


class Lines:
    """Passes lines on, blank ones aside, and keeps the last.

    A line that ends in a carriage return is a progress bar's: one a second is enough of those.

    Args:
        say: What a line is passed to; its control characters are as they came. None: to nobody.
    """

    def __init__(self, say: Callable[[str], None] | None) -> None:
        self._say = say
        self._rest = b""
        self._next_overwritten = 0.0
        self.last: deque[str] = deque(maxlen=LAST)

    def feed(self, data: bytes) -> None:
        """Takes what came."""
        data = self._rest + data
        start = 0
        for end in _END.finditer(data):
            self._line(data[start : end.start()], overwritten=end[0] == b"\r")
            start = end.end()
        self._rest = data[start : start + _MOST_BYTES]

    def end(self) -> None:
        """Nothing more comes."""
        self._line(self._rest)
        self._rest = b""

    def _line(self, data: bytes, *, overwritten: bool = False) -> None:
        if not data or data.isspace():
            return
        line = data[:_MOST_BYTES].decode("utf-8", "replace")[:LONGEST]
        self.last.append(line)
        if overwritten:
            if (now := time.monotonic()) < self._next_overwritten:
                return
            self._next_overwritten = now + _OVERWRITTEN_EVERY_S
        if self._say is not None:
            self._say(line)
