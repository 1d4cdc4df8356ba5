"""A command below the keeper, held to a limit on time and on what it prints; nothing runs on after it."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from stilltrue.errors import InputError
from stilltrue.probes import keeper
from stilltrue.probes.lines import Lines
from stilltrue.probes.stage import no_stage

GRACE_S = 3.0
"""How long a process that was asked to end may take, before it is killed."""

POSIX = os.name == "posix"
"""Whether this system has the sessions and signals that ending a probe needs."""

_LOOK_EVERY_S = 0.2
_KILLING_MAY_TAKE_S = 30.0
_READ = 1 << 16
_DRAINED_READS = 64


@dataclass(frozen=True, slots=True)
class Command:
    """What is run, and how far it may go.

    Attributes:
        words: The program and its arguments.
        folder: The folder to run it in.
        printed: The file for its standard output; it must not be there yet.
        timeout_s: How many seconds it may take.
        most_bytes: How much it may print.
    """

    words: Sequence[str]
    folder: Path
    printed: Path
    timeout_s: float
    most_bytes: int


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        status: Its exit code, negative for the signal that killed it; None where nobody knows.
        why: `timeout` or `too-large` where it was made to end; `refused` where it could not be started.
        seconds: How long it took.
        left: The names of processes that it left running.
        stuck: The names of processes that could not be killed.
        words: The last lines of its standard error; for `refused` what the system says.
    """

    status: int | None = None
    why: str = ""
    seconds: float = 0.0
    left: tuple[str, ...] = ()
    stuck: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


class Kept:
    """A temporary folder with a keeper, which removes it and ends what was started in it, come what may.

    Attributes:
        folder: The folder, resolved.
    """

    def __init__(self, folder: Path, process: subprocess.Popen[bytes]) -> None:
        self.folder = folder
        self.process = process

    def run(self, command: Command, say: Callable[[str], None] | None) -> Ended:
        """Runs a command to its end.

        Args:
            command: What is run.
            say: What each line of its standard error is passed to, as it comes.
        """
        order = {
            "command": [os.fspath(word) for word in command.words],
            "folder": str(command.folder),
            "printed": str(command.printed),
            "grace": GRACE_S,
        }
        self.order(json.dumps(order))
        return _Watch(self, command, Lines(say)).wait()

    def order(self, line: str) -> None:
        """Gives the keeper an order; one that is gone is noticed where its answer is missing."""
        with contextlib.suppress(OSError):
            pipe = _pipe(self.process.stdin)
            pipe.write(line.encode("ascii") + b"\n")
            pipe.flush()


@contextlib.contextmanager
def kept(environment: Mapping[str, str]) -> Iterator[Kept]:
    """A temporary folder with its keeper; at the end nothing runs and the folder is gone.

    Args:
        environment: The environment variables of what is run.

    Raises:
        InputError: `no-stage`: the folder cannot be made, or no process started.
    """
    try:
        folder = Path(os.path.realpath(tempfile.mkdtemp(prefix="stilltrue-")))
        process = _start_keeper(folder, environment)
    except OSError as error:
        raise no_stage(error) from None
    try:
        yield Kept(folder, process)
    finally:
        _dismiss(process)
        if folder.exists():
            keeper.remove(str(folder))


def _start_keeper(folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    utf8 = ["-X", "utf8"] if sys.flags.utf8_mode else []
    try:
        return subprocess.Popen(  # noqa: S603  # our own program
            [sys.executable, "-I", "-S", *utf8, keeper.__file__, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment),
            start_new_session=True,
        )
    except BaseException:  # an interrupt too: no keeper is there yet to remove it
        keeper.remove(str(folder))
        raise


def _dismiss(process: subprocess.Popen[bytes]) -> None:
    """Tells the keeper by the end of its input that it may clean up, and waits until it has."""
    for pipe in (process.stdin, process.stdout, process.stderr):
        with contextlib.suppress(OSError):
            _pipe(pipe).close()
    try:
        process.wait(_KILLING_MAY_TAKE_S)
    except subprocess.TimeoutExpired:  # the probe stopped it, or it waits for what nobody can kill
        process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(GRACE_S)
    if process.returncode is None:
        process.returncode = 0  # nobody waits for it


class _Watch:
    """Waits for a command's end, passes on what it says, and holds it to its limits."""

    def __init__(self, kept: Kept, command: Command, lines: Lines) -> None:
        self.kept = kept
        self.command = command
        self.lines = lines
        self.report = _pipe(kept.process.stdout).fileno()
        self.errors = _pipe(kept.process.stderr).fileno()
        self.told: dict[str, Any] = {}
        self.unread = b""
        self.lost = False
        self.why = ""

    def wait(self) -> Ended:
        """Waits; the end of the keeper, or of all patience with it, is an end too."""
        end = time.monotonic() + self.command.timeout_s
        with selectors.DefaultSelector() as selector:
            for pipe in (self.report, self.errors):
                os.set_blocking(pipe, False)
                selector.register(pipe, selectors.EVENT_READ)
            while not (self.lost or "status" in self.told or "refused" in self.told):
                for key, _ in selector.select(max(min(_LOOK_EVERY_S, end - time.monotonic()), 0.001)):
                    if not self._read(key.fd):
                        selector.unregister(key.fd)
                late = time.monotonic() >= end
                if self.why:
                    self.lost = late
                elif late or self._too_large():
                    self.why, order = ("timeout", "stop") if late else ("too-large", "kill")
                    self.kept.order(order)
                    end = time.monotonic() + GRACE_S + _KILLING_MAY_TAKE_S
        return self._ended()

    def _read(self, pipe: int) -> bool:
        """Takes what came through a pipe; whether more can come."""
        try:
            data = os.read(pipe, _READ)
        except BlockingIOError:
            return True
        if pipe == self.errors:
            self.lines.feed(data)
            return bool(data)
        self.lost = not data
        *whole, self.unread = (self.unread + data).split(b"\n")
        for line in whole:
            with contextlib.suppress(ValueError, TypeError):  # a probe can write there if it wants to
                self.told.update(json.loads(line))
        return bool(data)

    def _too_large(self) -> bool:
        try:
            return self.command.printed.stat().st_size > self.command.most_bytes
        except OSError:
            return False  # it is not there yet

    def _ended(self) -> Ended:
        if "refused" in self.told:
            return Ended(None, "refused", words=(str(self.told["refused"]),))
        if "status" not in self.told:
            self._kill_group()
            return Ended(None, self.why)
        for _ in range(_DRAINED_READS):
            if not self._read_rest():
                break
        self.lines.end()
        return Ended(
            self.told["status"],
            self.why or ("too-large" if self._too_large() else ""),
            self.told["seconds"],
            tuple(self.told["left"]),
            tuple(self.told["stuck"]),
            tuple(self.lines.last),
        )

    def _read_rest(self) -> bool:
        """Takes what is left in the pipe of standard error; whether there was something."""
        try:
            data = os.read(self.errors, _READ)
        except OSError:
            return False
        self.lines.feed(data)
        return bool(data)

    def _kill_group(self) -> None:
        """Without its keeper the command's group is all that can be reached."""
        if group := self.told.get("group"):
            with contextlib.suppress(OSError):
                os.killpg(group, signal.SIGKILL)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # noqa: S101  # one was asked for
    return pipe


def refuse_here() -> None:
    """Says where probes cannot run.

    Raises:
        InputError: `probe-cannot-start`: on Windows, which has neither sessions nor signals.
    """
    if not POSIX:
        raise InputError(
            "probe-cannot-start", "probes run on Linux and macOS alone", "record there, or under WSL"
        )
