"""Programs that a check starts: each has an end, and leaves nothing running.

They run below the keeper of probes, which kills all that they started, whatever session it is in, when they
take too long, print too much, or when `stilltrue` itself is killed.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.probes.process import Command, Ended, Kept, kept, refuse_here

MOST_BYTES = 16 << 20
"""How much a program may print, where the caller does not say."""

_LAST_LINES = 50


@dataclass(frozen=True, slots=True)
class Ran:
    r"""How a program ended.

    Attributes:
        status: Its exit code, negative for the signal that ended it; None where nobody knows.
        out: What it printed; bytes that are no UTF-8 stand there as `\xff`, so that none look alike.
        err: The last lines of its standard error.
        why: Why it could not be started or was made to end, in one clause; empty where it ended by itself.
    """

    status: int | None
    out: str
    err: str
    why: str = ""

    @property
    def ok(self) -> bool:
        """Whether it ended by itself with exit code 0."""
        return self.status == 0 and not self.why

    @property
    def fault(self) -> str:
        """What went wrong, in one clause with its last words; empty where nothing did."""
        if self.ok:
            return ""
        last = self.err.strip().rpartition("\n")[2].strip()
        what = self.why or (
            "nobody knows how it ended" if self.status is None
            else f"it was ended by signal {-self.status}" if self.status < 0
            else f"exit code {self.status}"
        )  # fmt: skip
        return f"{what}: {last}" if last else what


def run(
    words: Sequence[str],
    *,
    folder: Path,
    timeout_s: float,
    environment: Mapping[str, str] | None = None,
    most_bytes: int = MOST_BYTES,
) -> Ran:
    """Runs a program to its end; its standard input is empty.

    Args:
        words: The program and its arguments: no shell looks at them.
        folder: The folder that it runs in.
        timeout_s: How many seconds it may take; then it is ended, with all that it started.
        environment: Variables beside, or in place of, those of this process.
        most_bytes: How much it may print.
    """
    said: deque[str] = deque(maxlen=_LAST_LINES)
    variables = {**os.environ, **_QUIET, **(environment or {})}
    try:
        refuse_here()
        with kept(variables) as keeper:
            printed = keeper.folder / "printed"
            ended = keeper.run(Command(words, folder, printed, timeout_s, most_bytes), said.append)
            out = _read(printed, most_bytes)
    except InputError as error:
        return Ran(None, "", "", error.message)
    return Ran(ended.status, out, "\n".join(said), _why(ended, words, timeout_s, most_bytes))


@contextlib.contextmanager
def standing(
    words: Sequence[str], *, folder: Path, environment: Mapping[str, str] | None = None
) -> Iterator[int]:
    """Has a program run for as long as the `with` block; then it and all that it started are killed.

    Args:
        words: The program and its arguments.
        folder: The folder that it runs in.
        environment: As for `run`.

    Yields:
        Its process number.

    Raises:
        InputError: `launch-failed`: it could not be started.
    """
    variables = {**os.environ, **_QUIET, **(environment or {})}
    with kept(variables) as keeper:
        order = {
            "command": list(words),
            "folder": str(folder),
            "printed": str(keeper.folder / "printed"),
            "grace": 0.0,
        }
        keeper.order(json.dumps(order))
        yield _started(keeper, words)


_QUIET = {"PYTHONDONTWRITEBYTECODE": "1"}
"""A check before a launch writes nothing in the project, compiled modules included."""


def _started(keeper: Kept, words: Sequence[str]) -> int:
    """The number of the process that the keeper has just started."""
    pipe = keeper.process.stdout
    told = json.loads((pipe.readline() if pipe else b"") or b"{}")
    if "group" not in told:
        why = str(told.get("refused", "it did not start"))
        raise InputError(
            "launch-failed", f"`{words[0]}` cannot be started: {why}", "check the name and its permissions"
        )
    return int(told["group"])


def _read(printed: Path, most_bytes: int) -> str:
    try:
        with printed.open("rb") as file:
            return file.read(most_bytes).decode("utf-8", "backslashreplace")
    except OSError:
        return ""  # it was never started


def _why(ended: Ended, words: Sequence[str], timeout_s: float, most_bytes: int) -> str:
    match ended.why:
        case "":
            return ""
        case "refused":
            return f"`{words[0]}` cannot be started: {' '.join(ended.words)}"
        case "timeout":
            return f"it took longer than {timeout_s:g} s, and was ended"
        case _:
            return f"it printed more than {most_bytes:,} bytes, and was ended"
