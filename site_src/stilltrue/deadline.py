"""How long one read may still take."""

from __future__ import annotations

import time

from stilltrue.errors import InputError


class Deadline:
    """The moment at which one read must be done, in seconds of this process's work.

    A machine that is busy with something else makes no claim break, so the clock is the processor's; the
    cheaper one on the wall is looked at first.

    Args:
        seconds: How long from now; `limits.seconds` of the configuration.
    """

    __slots__ = ("_end", "_wall", "seconds")

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._wall = time.monotonic() + seconds
        self._end = time.process_time() + seconds

    @property
    def left(self) -> float:
        """The seconds of work that are left, not below 0."""
        return max(0.0, self._end - time.process_time())

    def check(self) -> None:
        """Does nothing while there is time.

        Raises:
            InputError: `too-slow`, when there is none left.
        """
        if time.monotonic() > self._wall and time.process_time() > self._end:
            raise self.passed()

    def passed(self) -> InputError:
        """The error for a read that takes too long."""
        return InputError(
            "too-slow",
            f"reading this takes longer than {self.seconds:g} s",
            "narrow the read or the file, or raise `limits.seconds` in the configuration",
        )
