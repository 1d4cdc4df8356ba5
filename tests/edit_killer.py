"""Runs `update` in forked children of one process and kills them, as told on standard input.

The words are those of `record_killer`.
"""

from __future__ import annotations

import os
import signal
import sys
import time
import traceback
from pathlib import Path

from record_killer import kill_at
from stilltrue.config import load
from stilltrue.edit import update


def child(words: list[str]) -> None:
    try:
        if words[0] == "at":
            kill_at(words[1], int(words[2]))
        outcome = update(load(Path.cwd()), environ={})
        os._exit(0 if outcome.ok else 1)
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
