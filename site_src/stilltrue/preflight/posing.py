"""A stand-in for the process that a watchdog watches, alive or a zombie, for as long as it is looked at."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.preflight import stand_in
from stilltrue.preflight.launched import standing
from stilltrue.preflight.processes import words_of

_MAY_TAKE_S = 20.0
_LOOK_EVERY_S = 0.01


def long_enough(words: Sequence[str]) -> bool:
    """Whether a stand-in can have this command line: a few letters are the least."""
    return len(stand_in.bare(list(words))) >= stand_in.SHORTEST


@contextlib.contextmanager
def posing(words: Sequence[str], folder: Path) -> Iterator[int]:
    """Has a process with this command line run in a folder for as long as the `with` block.

    Yields:
        Its number.

    Raises:
        InputError: `launch-failed`: it did not come up.
    """
    with _place() as place, _started(place, words, folder) as number:
        _await(lambda: words_of(number) == tuple(words), words)
        yield number


@contextlib.contextmanager
def zombie(words: Sequence[str], folder: Path) -> Iterator[int]:
    """Has a process that had this command line be a zombie for as long as the `with` block.

    It has ended, and its parent does not ask how: the system keeps its number, its start and its name.

    Yields:
        Its number.

    Raises:
        InputError: `launch-failed`: it did not come up.
    """
    with _place() as place:
        number = place / "zombie"
        with _started(place, words, folder, zombie=number):
            _await(number.exists, words)
            yield int(number.read_text(encoding="utf-8"))


@contextlib.contextmanager
def _place() -> Iterator[Path]:
    """A folder of its own, away from what is looked at."""
    with tempfile.TemporaryDirectory(prefix="stilltrue-") as place:
        yield Path(place)


@contextlib.contextmanager
def _started(place: Path, words: Sequence[str], folder: Path, zombie: Path | None = None) -> Iterator[int]:
    """The number of the program that poses, or keeps the zombie whose number it writes to that file."""
    order = {"words": list(words), "folder": str(folder), "zombie": zombie and str(zombie)}
    program = place / stand_in.FILE
    shutil.copyfile(stand_in.__file__, program)
    start = [sys.executable, "-I", "-S", str(program)]
    with standing(start, folder=folder, environment={stand_in.VARIABLE: json.dumps(order)}) as number:
        yield number


def _await(up: Callable[[], bool], words: Sequence[str]) -> None:
    """Waits until the stand-in is up."""
    end = time.monotonic() + _MAY_TAKE_S
    while not up():
        if time.monotonic() >= end:
            raise InputError(
                "launch-failed",
                f"no stand-in with the command line `{' '.join(words)}` came up",
                "look at the watchdog by hand: start what it watches, and stop it",
            )
        time.sleep(_LOOK_EVERY_S)
