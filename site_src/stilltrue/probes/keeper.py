"""The process that a probe runs below: it ends all that the probe started, whatever becomes of `stilltrue`.

A program of its own, standard library alone: `python -I -S keeper.py FOLDER`. Its standard input comes from
`stilltrue`: one line of JSON that says what to run, then `stop` or `kill`. When the input ends, because the
work is done or because `stilltrue` itself was killed, it kills what still runs, removes the folder and ends.

On Linux it adopts every process that the probe leaves behind, so none gets away, in whatever session it is.
Elsewhere it knows the probe's process group alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from typing import Any, NamedTuple

_SET_CHILD_SUBREAPER = 36
LEFTOVERS_MAY_END_S = 2.0
_KILLING_MAY_TAKE_S = 10.0
_STEP_S = 0.02


def main(folder: str) -> None:
    """Waits for an order, follows it, tells how it went, and at the end of the input cleans up."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD):
        # A function and not SIG_IGN, which the probe would inherit.
        signal.signal(number, lambda _number, _frame: None)
    keeper = Keeper(adopts=_adopt_orphans())
    try:
        if order := keeper.next_order():
            keeper.watch(json.loads(order))
            while keeper.next_order() is not None:
                pass
    finally:
        keeper.end_all()
        remove(folder)


def _adopt_orphans() -> bool:
    """Makes this process the parent of every orphan below it; says whether the system can do that."""
    if sys.platform != "linux":
        return False
    try:
        import ctypes  # noqa: PLC0415  # a Python may have been built without it

        return int(ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)) == 0
    except (ImportError, AttributeError):
        return False


class Keeper:
    """One probe, and what it started.

    Args:
        adopts: Whether orphans become children of this process; without, the probe's group is all there is.
    """

    def __init__(self, *, adopts: bool) -> None:
        self._adopts = adopts
        self._wake, waker = os.pipe()
        for end in (self._wake, waker):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(waker, warn_on_full_buffer=False)
        self._unread = b""
        self._ended = False
        self._group = 0

    def watch(self, order: dict[str, Any]) -> None:
        """Runs a command to its end.

        Args:
            order: `command`, `folder` to run in, `printed`: the file for standard output, `grace`: the
                seconds between asking and killing.
        """
        began = time.monotonic()
        try:
            with open(order["printed"], "xb") as printed:  # noqa: PTH123  # pathlib is slow to import
                process = subprocess.Popen(  # noqa: S603  # the probe, which is to be run
                    order["command"],
                    cwd=order["folder"],
                    stdin=subprocess.DEVNULL,
                    stdout=printed,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            _tell(refused=getattr(error, "strerror", None) or str(error))
            return
        self._group = process.pid
        _tell(group=process.pid)
        asked = self._wait(process, order["grace"])
        seconds = time.monotonic() - began
        left = [] if asked else self._leftovers()
        stuck = self.end_all()
        if not stuck:
            self._group = 0  # the number may be another's from now on
        _tell(status=process.returncode, seconds=seconds, left=left, stuck=stuck)

    def _wait(self, process: subprocess.Popen[bytes], grace: float) -> bool:
        """Waits until the process has ended; says whether it was made to."""
        deadline: float | None = None
        while process.poll() is None:
            order = self._order(None if deadline is None else max(deadline - time.monotonic(), 0))
            if order == "stop" and deadline is None:
                deadline = time.monotonic() + grace
                self._signal(signal.SIGTERM)
            elif order == "kill" or self._ended or (deadline is not None and time.monotonic() >= deadline):
                deadline = 0.0
                self._signal(signal.SIGKILL)
                time.sleep(_STEP_S)
        return deadline is not None

    def next_order(self) -> str | None:
        """The next line of the input, however long it takes; None at its end."""
        while not self._ended:
            if order := self._order(None):
                return order
        return None

    def _order(self, seconds: float | None) -> str:
        """A line of the input; empty where none came in time, the input ended, or a child did something."""
        if b"\n" not in self._unread and not self._ended:
            ready, _, _ = select.select([0, self._wake], [], [], seconds)
            if self._wake in ready:
                os.read(self._wake, 4096)
            if 0 in ready:
                data = os.read(0, 65536)
                self._ended = not data
                self._unread += data
        line, newline, rest = self._unread.partition(b"\n")
        if not newline:
            return ""
        self._unread = rest
        return line.decode("utf-8", "surrogateescape")

    def _leftovers(self) -> list[str]:
        """The names of what still runs after the probe, once it had a moment to end by itself."""
        until = time.monotonic() + LEFTOVERS_MAY_END_S
        while (found := self._running()) and time.monotonic() < until and not self._ended:
            self._order(_STEP_S)
        return _names(found)

    def end_all(self) -> list[str]:
        """Kills what still runs; the names of what could not be killed."""
        if not self._group:
            return []
        until = time.monotonic() + _KILLING_MAY_TAKE_S
        while (found := self._running()) and time.monotonic() < until:
            self._signal(signal.SIGKILL)
            time.sleep(_STEP_S)
        return _names(found)

    def _signal(self, number: int) -> None:
        """Sends a signal to all that the probe started, by group: what forks meanwhile gets it too."""
        found = _descendants() if self._adopts else [Seen(0, 0, self._group, "", alive=True)]
        for group in {seen.group for seen in found}:
            _send(group, number)

    def _running(self) -> list[Seen]:
        """What the probe started, empty when nothing of it is alive any more; its dead are buried."""
        if not self._adopts:
            group = Seen(0, 0, self._group, "a process of its group", alive=True)
            return [group] if _send(self._group, 0) else []
        found = _descendants()
        return found if _bury() else []


class Seen(NamedTuple):
    """A process, as it was a moment ago."""

    number: int
    parent: int
    group: int
    name: str
    alive: bool


def _names(found: list[Seen]) -> list[str]:
    """The names of the living; of the dead where what changes its number always was never seen alive."""
    return sorted({seen.name for seen in found if seen.alive} or {seen.name for seen in found})


def _send(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except (ProcessLookupError, PermissionError):
        return False
    return True


def _bury() -> bool:
    """Takes note of the children that died; whether one is alive, by the system's word and not by looking."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def _descendants() -> list[Seen]:
    """All processes below this one, the dead included that nobody buried: their groups may live on."""
    entries = os.listdir("/proc")  # noqa: PTH208  # pathlib is slow to import
    seen = [process for entry in entries if entry.isdecimal() and (process := _process(entry))]
    found: list[Seen] = []
    below = {os.getpid()}
    while below:
        children = [process for process in seen if process.parent in below]
        below = {process.number for process in children}
        found += children
    return found


def _process(number: str) -> Seen | None:
    try:
        with open(f"/proc/{number}/stat", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  # as above
            before, _, after = file.read().rpartition(")")
    except OSError:
        return None
    state, parent, group, *_ = after.split()
    return Seen(int(number), int(parent), int(group), before.partition("(")[2], state not in "ZX")


def _tell(**what: object) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more: the input ends too
        os.write(1, json.dumps(what).encode() + b"\n")


def remove(folder: str) -> None:
    """Removes a folder, what the probe made unreadable too, and what is nested deeper than a path is long."""
    number, came_up = 0, True
    while came_up:
        came_up = False
        for inner in _folders_in(folder):
            for deeper in _folders_in(inner):
                number += 1
                with contextlib.suppress(OSError):
                    os.rename(deeper, f"{folder}/.{os.getpid()}-{number}")  # noqa: PTH104  # as above
                    came_up = True
            with contextlib.suppress(OSError):
                os.rmdir(inner)  # noqa: PTH106
    with contextlib.suppress(OSError):
        os.rmdir(folder)  # noqa: PTH106


def _folders_in(folder: str) -> list[str]:
    """The folders in a folder, all else removed."""
    found: list[str] = []
    with contextlib.suppress(OSError):
        os.chmod(folder, 0o700)  # noqa: PTH101
        for entry in list(os.scandir(folder)):
            if entry.is_dir(follow_symlinks=False):
                found.append(entry.path)
            else:
                os.unlink(entry.path)  # noqa: PTH108
    return found


if __name__ == "__main__":
    main(sys.argv[1])
