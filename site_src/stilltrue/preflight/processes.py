"""Which processes run, by what the system says of them in `/proc`."""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import NamedTuple

from stilltrue.errors import InputError

_PROC = Path("/proc")
_EVERY_S = 0.005
_START = 22 - 3
"""Where `/proc/PID/stat` has the start of a process: this field, from 0, after the name."""


class Process(NamedTuple):
    """A process: its number and its command line."""

    number: int
    words: tuple[str, ...]

    @property
    def line(self) -> str:
        """The command line as `ps` shows it."""
        return " ".join(self.words)


def running() -> list[Process]:
    """Every process whose command line this user may read, but for this one.

    Raises:
        InputError: `launch-failed`: this system has no `/proc`.
    """
    try:
        names = os.listdir(_PROC)  # noqa: PTH208  # names alone are wanted, of hundreds
    except OSError:
        raise InputError(
            "launch-failed",
            "this system has no `/proc` to look for processes in",
            "look on the Linux machine",
        ) from None
    numbers = (int(name) for name in names if name.isdecimal())
    found = (Process(number, words_of(number)) for number in numbers if number != os.getpid())
    return [process for process in found if process.words]


def words_of(number: int) -> tuple[str, ...]:
    """The command line of a process; empty where it has none or is gone."""
    try:
        data = (_PROC / str(number) / "cmdline").read_bytes()
    except OSError:
        return ()
    return (
        tuple(word.decode("utf-8", "replace") for word in data.removesuffix(b"\0").split(b"\0"))
        if data
        else ()
    )


def start_of(number: int) -> str:
    """When a process started, in the clock ticks of `/proc`; empty where it is gone."""
    try:
        stat = (_PROC / str(number) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    return stat.rpartition(")")[2].split()[_START]


@contextlib.contextmanager
def seen(parts: Collection[str]) -> Iterator[dict[int, Process]]:
    """Watches for processes for as long as the `with` block.

    Args:
        parts: What a command line has to hold one of.

    Yields:
        Those that were seen, by their numbers; complete after the block, but for what lived a few
        milliseconds only.
    """
    found: dict[int, Process] = {}
    done = threading.Event()

    def look() -> None:
        while True:
            for process in running():
                if any(part in process.line for part in parts):
                    found[process.number] = process
            if done.wait(_EVERY_S):
                return

    running()  # raises here, and not in the thread
    watcher = threading.Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield found
    finally:
        done.set()
        watcher.join()
