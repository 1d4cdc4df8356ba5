"""Runs `record` in forked children of one process and kills them, as told on standard input.

`run`: not killed. `after SECONDS`: killed then. `at CALL NUMBER`: killed before that call of `os.CALL`. What
the child came to is answered on standard output.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from pathlib import Path
from typing import Any

from stilltrue.config import load
from stilltrue.record import State, record


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


def child(words: list[str]) -> None:
    try:
        if words[0] == "at":
            kill_at(words[1], int(words[2]))
        (outcome,) = record(load(Path.cwd()), ["probes/count.py"])
        os._exit(0 if outcome.state is State.RECORDED else 1)
    except BaseException:  # noqa: BLE001  # a child never returns to its parent's loop
        traceback.print_exc()
        os._exit(9)


def main() -> None:
    for line in sys.stdin:
        words = line.split()
        process = os.fork()
        if process == 0:
            child(words)
        if words[0] == "after":
            time.sleep(float(words[1]))
            os.kill(process, signal.SIGKILL)
        _, status = os.waitpid(process, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
