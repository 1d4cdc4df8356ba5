"""Runs an operation in forked children of one process and kills them, as told on standard input.

Started in its project with the name of the operation. `run`: not killed. `after SECONDS`: killed then.
`at CALL NUMBER`: killed before that call of `os.CALL`. What the child came to is answered on standard output,
after `ready`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.edit import update
from stilltrue.record import State, record
from stilltrue.retire import supersede


def record_count() -> bool:
    (outcome,) = record(load(Path.cwd()), ["probes/count.py"])
    return outcome.state is State.RECORDED


def update_all() -> bool:
    return update(load(Path.cwd()), environ={}).ok


def supersede_old() -> bool:
    supersede(load(Path.cwd()), "old", by="new", because="measured anew")
    return True


OPERATIONS: dict[str, Callable[[], bool]] = {
    "record": record_count,
    "update": update_all,
    "supersede": supersede_old,
}


def warm() -> None:
    """Load what the children need, so that they are killed at their work and not while they import."""
    update(load(Path.cwd()), dry_run=True, environ={})
    check(load(Path.cwd()))


def kill_at(call: str, number: int) -> None:
    """Kill this process before the call of `os.CALL` with that number, from 0."""
    real = getattr(os, call)
    left = number

    def counted(*arguments: Any, **more: Any) -> Any:
        nonlocal left
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        left -= 1
        return real(*arguments, **more)

    setattr(os, call, counted)


def child(operation: Callable[[], bool], words: list[str]) -> None:
    try:
        if words[0] == "at":
            kill_at(words[1], int(words[2]))
        os._exit(0 if operation() else 1)
    except BaseException:  # noqa: BLE001  # a child never returns to its parent's loop
        traceback.print_exc()
        os._exit(9)


def answer(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def main() -> None:
    operation = OPERATIONS[sys.argv[1]]
    if operation is not record_count:
        warm()
    answer("ready")
    for line in sys.stdin:
        words = line.split()
        process = os.fork()
        if process == 0:
            child(operation, words)
        if words[0] == "after":
            time.sleep(float(words[1]))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        answer(os.waitstatus_to_exitcode(status))


if __name__ == "__main__":
    main()
