"""A process that looks like another: it has its command line to the letter, and does nothing.

A program of its own, standard library and Linux alone. It starts itself again as `p s PADDING`, where `p` is
the interpreter and `s` this file, padded such that both command lines are equally long; then it writes the
other one over its own, in the memory from which the system answers. Nothing of what it stands for is run.

Asked for a zombie, it has a child do so and end, and never asks how: the system keeps the child's number.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from pathlib import Path

VARIABLE = "STILLTRUE_STAND_IN"
"""The environment variable that holds `{"words": […], "folder": …, "zombie": …}` as JSON.

`zombie` is the file that is to hold the number of the zombie once it is one, or null.
"""

FILE = "s"
"""The name that this file is copied to, short so that the other command line may be."""

_NAME = "p"
_START = 47 - 2
"""Where the command line begins in memory: this field, from 0, after the name in `/proc/self/stat`."""

_LONGEST_NAME = 15
"""How many bytes of a process's name the system keeps."""


def bare(words: list[str]) -> bytes:
    """A command line as the system keeps it: each word with a zero after it."""
    return b"".join(os.fsencode(word) + b"\0" for word in words)


SHORTEST = len(bare([_NAME, FILE, ""]))
"""The fewest bytes that the other command line may have, each word's zero included."""


def again(words: list[str]) -> None:
    """Starts this file again, in the same process, with a command line as long as that of `words`."""
    os.chdir(Path(__file__).resolve().parent)
    padding = "x" * (len(bare(words)) - SHORTEST)
    # The name `p` says nothing of where the interpreter was installed.
    home = f"{sys.base_prefix}{os.pathsep}{sys.base_exec_prefix}"
    os.execve(sys.executable, [_NAME, FILE, padding], {**os.environ, "PYTHONHOME": home})  # noqa: S606  # ourselves


def pose(words: list[str]) -> None:
    """Writes `words` over this process's command line, and takes the name that it would have."""
    stat = Path("/proc/self/stat").read_text(encoding="utf-8", errors="replace")
    line = bare(words)
    ctypes.memmove(int(stat.rpartition(")")[2].split()[_START]), line, len(line))
    name = os.fsencode(words[0].rpartition("/")[2])
    Path("/proc/self/comm").write_bytes(name[:_LONGEST_NAME])


def leave(words: list[str], number: Path) -> None:
    """Has a child pose as `words` and end, leaves it a zombie, and writes its number to a file."""
    child = os.fork()
    if not child:
        pose(words)
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    written = number.with_suffix(".part")
    written.write_text(str(child), encoding="utf-8")
    written.rename(number)  # a file that is there is whole


def main() -> None:
    """Poses, or keeps a zombie, until it is killed."""
    asked = json.loads(os.environ[VARIABLE])
    if sys.orig_argv[:2] != [_NAME, FILE]:
        again(asked["words"])
    os.chdir(asked["folder"])
    if asked["zombie"]:
        leave(asked["words"], Path(asked["zombie"]))
    else:
        pose(asked["words"])
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
