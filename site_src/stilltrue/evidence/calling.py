"""Code from outside, called so that whatever it does comes to an error that a claim can be broken with."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from types import FrameType
from typing import NoReturn, TypeVar

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.installed import apart, said
from stilltrue.reading import UnreadableError
from stilltrue.wording import quoted

_Given = TypeVar("_Given")

CODE = "outside-reader"
"""The code of what a reader from outside is at fault with."""

_HINT = "mend the reader, `stilltrue.testing` tries it on such files, or read the file with `match`"
_LONGEST = 300

_WAITING = 3
"""How many times the seconds of work may pass on the clock: a reader that sleeps works no second."""


def called(name: str, work: Callable[[], _Given], root: Path, deadline: Deadline) -> _Given:
    """What `work` gives.

    Within it nothing is imported from the checkout, nothing is printed, and on the main thread of a system
    with alarms it is ended when time is up; elsewhere it is waited for.

    Args:
        name: What the project calls the reader, for messages.
        work: Calls the reader and holds all that it gives.
        root: The checkout.
        deadline: When it must be done.

    Raises:
        InputError: As `work`; `bad-table` for what the reader refuses; `too-slow`; `outside-reader` for
            anything else that it raises, and when it prints.
    """
    heard = _Heard()
    try:
        with (
            apart(root),
            _going_on(),
            warnings.catch_warnings(),
            redirect_stdout(heard),
            redirect_stderr(io.StringIO()),
        ):
            warnings.simplefilter("ignore")  # they are for who writes it, and go nowhere
            given = _in_time(work, deadline)
    except (InputError, MemoryError, KeyboardInterrupt) as error:
        if isinstance(error, InputError) and not _is_whole(error):
            raise InputError(CODE, f"the reader `{name}` broke: InputError", _HINT) from None
        raise
    except UnreadableError as error:
        raise _refused(error) from None
    except _Late:
        raise InputError(
            "too-slow",
            f"the reader `{name}` takes longer than {deadline.seconds:g} s",
            "narrow the file, mend the reader, or raise `limits.seconds` in the configuration",
        ) from None
    except BaseException as error:  # noqa: BLE001  # code from outside
        raise InputError(CODE, f"the reader `{name}` broke: {_short(said(error))}", _HINT) from None
    if heard.first:
        raise InputError(CODE, f"the reader `{name}` printed {quoted(heard.first)}", "let it print nothing")
    deadline.check()
    return given


@contextmanager
def _going_on() -> Iterator[None]:
    """Within it `os._exit` raises: a check that ended so would pass with status 0 and have judged nothing."""
    leave, own = os._exit, os.getpid()

    def _exit(status: int) -> NoReturn:
        if os.getpid() != own:  # a process that the reader started by a fork
            leave(status)
        raise SystemExit(status)

    os._exit = _exit
    try:
        yield
    finally:
        os._exit = leave


def _is_whole(error: InputError) -> bool:
    """Whether an error can be told: a reader may have made it."""
    return all(isinstance(part, str) for part in (error.code, error.message, error.hint, error.path))


class _Late(BaseException):
    """Time is up; no `Exception`, so that a reader that takes any of those does not take this."""


class _Heard(io.TextIOBase):
    """Keeps the beginning of what is printed."""

    first = ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.first = self.first or text[:_LONGEST].strip()
        return len(text)


def _in_time(work: Callable[[], _Given], deadline: Deadline) -> _Given:
    """What `work` gives; raises `_Late`."""
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        return work()
    with _alarm(deadline) as alarm:
        try:
            return work()
        finally:
            alarm.on = False


class _Alarm:
    """Raises `_Late` in the main thread once time is up, and again while nobody heeds it."""

    def __init__(self, deadline: Deadline) -> None:
        self.on = True
        self._deadline = deadline
        self._last = time.monotonic() + deadline.seconds * _WAITING

    def ring(self, _number: int, _frame: FrameType | None) -> None:
        if self.on and (not self._deadline.left or time.monotonic() > self._last):
            raise _Late


@contextmanager
def _alarm(deadline: Deadline) -> Iterator[_Alarm]:
    """An alarm that is set, in place of any other, which is set again afterwards."""
    alarm, begun = _Alarm(deadline), time.monotonic()
    handler = signal.signal(signal.SIGALRM, alarm.ring)
    left, every = signal.setitimer(signal.ITIMER_REAL, deadline.left or _SOON_S, _SOON_S)
    try:
        yield alarm
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(left - time.monotonic() + begun, _SOON_S), every)


_SOON_S = 0.1


def _refused(error: UnreadableError) -> InputError:
    line = error.line if type(error.line) is int and error.line > 0 else 0
    hint = _short(str(error.hint)) or "restore the file as its tool wrote it, or name another `format`"
    return InputError(
        "bad-table", _short(str(error.message)).rstrip(".") or "it cannot be read", hint, line=line
    )


def _short(text: str) -> str:
    """One line of a message from outside."""
    plain = " ".join(text.encode("utf-8", "replace").decode("utf-8").split())
    return plain if len(plain) <= _LONGEST else plain[: _LONGEST - 1] + "…"
