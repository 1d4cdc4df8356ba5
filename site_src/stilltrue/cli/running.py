"""What a terminal shows while a probe runs: its name and how long it has taken, and what it says itself."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Lock, Thread
from time import monotonic
from typing import TextIO

from stilltrue.cli.interrupts import interruptible
from stilltrue.cli.streams import on_terminal
from stilltrue.report import escape

_EVERY_S = 1.0
_CLEAR = "\r\x1b[K"


@contextmanager
def watch(path: str) -> Iterator[Callable[[str], None]]:
    """Show that a probe runs, on a terminal only; an interrupt meanwhile ends it in the regular way.

    Yields:
        What takes each line of the probe's standard error.
    """
    with interruptible():
        if not on_terminal(sys.stderr):
            yield lambda _line: None
            return
        clock = _Clock(sys.stderr, path)
        clock.draw()
        ticking = Thread(target=clock.tick, daemon=True)
        ticking.start()
        try:
            yield clock.say
        finally:
            clock.stop()
            ticking.join()


class _Clock:
    """One line that is drawn anew every second, below what the probe says."""

    def __init__(self, stream: TextIO, path: str) -> None:
        self._stream = stream
        self._name = escape(path)
        self._began = monotonic()
        self._ended = Event()
        self._lock = Lock()

    def draw(self) -> None:
        """Draw the line."""
        self._write(_CLEAR + self._line())

    def tick(self) -> None:
        """Draw the line anew until `stop`, then take it away."""
        while not self._ended.wait(_EVERY_S):
            self.draw()
        self._write(_CLEAR)

    def say(self, line: str) -> None:
        """Write a line of the probe's above the clock."""
        self._write(f"{_CLEAR}  | {escape(line.rstrip())}\n{self._line()}")

    def stop(self) -> None:
        """Have the line taken away."""
        self._ended.set()

    def _line(self) -> str:
        return running(self._name, monotonic() - self._began)

    def _write(self, text: str) -> None:
        with self._lock:
            self._stream.write(text)
            self._stream.flush()


def running(name: str, seconds: float) -> str:
    """`running probes/padding.py  12 s`."""
    return f"running {name}  {seconds:.0f} s"
