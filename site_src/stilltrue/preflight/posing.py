"""A stand-in for the process that a watchdog watches, for as long as it is looked at."""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
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
    order = json.dumps({"words": list(words), "folder": str(folder)})
    with tempfile.TemporaryDirectory(prefix="stilltrue-") as place:
        program = Path(place, stand_in.FILE)
        shutil.copyfile(stand_in.__file__, program)
        start = [sys.executable, "-I", "-S", str(program)]
        with standing(start, folder=folder, environment={stand_in.VARIABLE: order}) as number:
            _await(number, tuple(words))
            yield number


def _await(number: int, words: tuple[str, ...]) -> None:
    """Waits until the process has the command line."""
    end = time.monotonic() + _MAY_TAKE_S
    while words_of(number) != words:
        if time.monotonic() >= end:
            raise InputError(
                "launch-failed",
                f"no stand-in with the command line `{' '.join(words)}` came up",
                "look at the watchdog by hand: start what it watches, and stop it",
            )
        time.sleep(_LOOK_EVERY_S)
