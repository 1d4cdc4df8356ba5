"""Code from outside, called so that it neither ends this process, nor prints for it, nor keeps it for ever.

It runs in this process. What it leaves behind, a thread or a process of its own, nothing here ends; nor what
does not come back from a library's machine code.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from io import TextIOBase
from types import FrameType
from typing import Any, TextIO, TypeVar

_Given = TypeVar("_Given")

Left = Callable[[], float]
"""The seconds until time may be up; 0 once it is."""


class TimeUp(BaseException):
    """Time is up; no `Exception`, so that code which takes any of those does not take this."""


def lasting(seconds: float) -> Left:
    """So many seconds on the clock, from now."""
    end = time.monotonic() + seconds
    return lambda: max(0.0, end - time.monotonic())


def guarded(
    work: Callable[[], _Given],
    *,
    out: TextIOBase | TextIO | None,
    err: TextIOBase | TextIO | None,
    left: Left | None = None,
) -> _Given:
    """What `work` gives.

    Within it what would end this process raises instead, and nothing reaches standard output: neither what is
    printed nor what a program writes that was started without a place for it. One call is at work at a time.

    Args:
        work: Calls the code.
        out: Takes what is printed.
        err: Takes what is written to `sys.stderr`.
        left: How long it may take; None for as long as it will.

    Raises:
        TimeUp: No time is left, as `in_time`.
        SystemExit: It exits, in whatever way.
        BaseException: Whatever `work` raises.
    """
    with _ALONE, _staying(), _away_from_output(), redirect_stdout(out), redirect_stderr(err):
        return work() if left is None else in_time(work, left)


_ALONE = threading.RLock()
"""What is put in another's place here belongs to the whole process, so nobody else may put it back."""

_LEAVING = ("_exit", "execv", "execve")
"""What ends this process, or puts another program in its place: all of `os.exec*` comes to these."""


@contextmanager
def _staying() -> Iterator[None]:
    """Within it `os._exit` and the like raise: what ended so would have status 0, and have judged nothing.

    A process that was forked ends as it wants, and here at the latest: it must not go on as this one does.
    """
    own = os.getpid()
    leave: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in _LEAVING if hasattr(os, name)}

    def staying(name: str) -> Callable[..., Any]:
        def stay(*given: Any, **named: Any) -> Any:
            if os.getpid() != own:
                return leave[name](*given, **named)
            status = (*given, *named.values())
            raise SystemExit(status[0] if name == "_exit" and status else f"os.{name}")

        return stay

    for name in leave:
        setattr(os, name, staying(name))
    try:
        yield
    finally:
        for name, before in leave.items():
            setattr(os, name, before)
        if os.getpid() != own:
            leave["_exit"](1)


@contextmanager
def _away_from_output() -> Iterator[None]:
    """Within it standard output leads to standard error, for all that writes past `sys.stdout`."""
    _flush()
    try:
        kept = os.dup(1)
    except OSError:  # this process was started without it
        yield
        return
    try:
        with suppress(OSError):  # or without the other
            os.dup2(2, 1)
        yield
    finally:
        _flush()
        os.dup2(kept, 1)
        os.close(kept)


def _flush() -> None:
    for stream in (sys.stdout, sys.__stdout__):
        if stream is not None:
            with suppress(OSError, ValueError):  # nobody reads it any more, or it was closed
                stream.flush()


def in_time(work: Callable[[], _Given], left: Left) -> _Given:
    """What `work` gives, on the main thread of a system with alarms; elsewhere it is waited for.

    Raises:
        TimeUp: No time is left.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return work()
    with _alarm(left) as alarm:
        try:
            alarm.on = True
            return work()
        finally:
            alarm.on = False


class _Alarm:
    """Raises `TimeUp` in the main thread once time is up, and again while nobody heeds it.

    Only while it is `on`: raised before the block that puts the earlier alarm back, it would stay for good.
    """

    def __init__(self, left: Left) -> None:
        self.on = False
        self._left = left
        self._next = 0.0

    def ring(self, _number: int, _frame: FrameType | None) -> None:
        if self.on and not self._left() and time.monotonic() >= self._next:
            self._next = time.monotonic() + _AGAIN_S  # what cleans up is not to be ended at once
            raise TimeUp


@contextmanager
def _alarm(left: Left) -> Iterator[_Alarm]:
    """An alarm that is set, in place of any other, which is set again afterwards."""
    alarm, begun = _Alarm(left), time.monotonic()
    handler = signal.signal(signal.SIGALRM, alarm.ring)
    before, every = signal.setitimer(signal.ITIMER_REAL, left() or _SOON_S, _SOON_S)
    try:
        yield alarm
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if before:
            signal.setitimer(signal.ITIMER_REAL, max(before - time.monotonic() + begun, _SOON_S), every)


_SOON_S = 0.1
_AGAIN_S = 1.0
