"""An operation run in a process of its own, and killed."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from recording_support import environment

Killer = Callable[[str], int]
"""Told when to kill, in the words of `killer.py`; gives the exit code."""


@contextmanager
def killing(root: Path, operation: str) -> Iterator[Killer]:
    """Runs an operation of `killer.py` in a project as often as it is told to."""
    program = str(Path(__file__).with_name("killer.py"))
    process = subprocess.Popen(
        [sys.executable, program, operation],
        cwd=root,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def told(what: str) -> int:
        print(what, file=stdin, flush=True)
        return int(stdout.readline())

    try:
        assert stdout.readline() == "ready\n"  # how long a run takes is measured: without the start
        yield told
    finally:
        stdin.close()
        process.wait(timeout=30)
        stdout.close()
