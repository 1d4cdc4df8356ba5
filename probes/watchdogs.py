#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/integrity/watchdog.json"
# needs = ["linux", "pgrep"]
# cost = "cheap"
# timeout = "120 s"
# plant = ["no-guard", "refuse-all", "asks-while-it-runs"]
# ///
"""What watchdogs say of a run that does not run, and a guard that asks them when they must say so.

Settles:
    Of eight watchdogs, each a real process: whether it says `alive` or `dead` while nothing runs, while a
    stand-in for the run does, while somebody follows the run's log, while the number of the ended run is
    another process's, and while the parent of the ended run has not asked how it ended. What `pgrep` matched
    where a watchdog found itself. Which of them the guard stops.

Needs:
    Linux, bash and pgrep (procps). The processes that are watched are small ones of its own.

Costs:
    A second or two: some hundred and forty short processes.

Cannot settle:
    Whether a run that is alive gets anywhere: a hanging one is alive. What other systems' `pgrep` says of
    itself.

The faults: `no-guard` lets every watchdog through, `refuse-all` none, and `asks-while-it-runs` tries a
watchdog as everybody does, on a run that is there.
"""

from __future__ import annotations

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.output import as_json
from probe_parts.programs import require

ALIVE, DEAD = "alive", "dead"

# What is watched ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Watched:
    """A run that is watched, whether it runs or not.

    Attributes:
        folder: Where its files are.
        pattern: What stands in its command line and, a random name being part of it, in no other.
        pid_file: Its number and its start, as it wrote them.
    """

    folder: Path
    pattern: str
    pid_file: Path


def began(pid: int) -> str:
    """When a process started, in clock ticks since boot: the 22nd field of its `stat`."""
    return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19]


@contextmanager
def process(*words: str) -> Iterator[int]:
    """A process that waits, ended afterwards; its number."""
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as started:  # noqa: S603  # own words
        try:
            yield started.pid
        finally:
            started.kill()


@contextmanager
def the_run(watched: Watched) -> Iterator[int]:
    """A stand-in for the run, with its command line and its pid file."""
    with process(sys.executable, "-I", "-S", "-c", "input()", watched.pattern) as pid:
        watched.pid_file.write_text(f"{pid} {began(pid)}\n", encoding="utf-8")
        yield pid


# Situations --------------------------------------------------------------------------------------------


@contextmanager
def nothing(watched: Watched) -> Iterator[None]:
    """The run was there and ended: its pid file stays."""
    with the_run(watched):
        pass
    yield


@contextmanager
def running(watched: Watched) -> Iterator[None]:
    """The run is there."""
    with the_run(watched):
        yield


@contextmanager
def log_followed(watched: Watched) -> Iterator[None]:
    """The run ended, and somebody follows its log, which has its name."""
    log = watched.folder / f"{watched.pattern}.log"
    log.touch()
    with nothing(watched), process("tail", f"--pid={os.getpid()}", "-f", str(log)):
        yield


@contextmanager
def number_taken(watched: Watched) -> Iterator[None]:
    """The run ended long ago, and its number is another process's by now."""
    with the_run(watched):
        start = watched.pid_file.read_text(encoding="utf-8").split()[1]
    with process(sys.executable, "-I", "-S", "-c", "input()") as pid:
        watched.pid_file.write_text(f"{pid} {int(start) - 1}\n", encoding="utf-8")
        yield


@contextmanager
def not_reaped(watched: Watched) -> Iterator[None]:
    """The run ended, and its parent has not asked how: a zombie has its number and its start."""
    with the_run(watched) as pid:
        os.kill(pid, signal.SIGKILL)
        os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)  # waits for the end, and leaves the zombie
        yield


Situation = Callable[[Watched], Any]

SITUATIONS: dict[str, tuple[Situation, str]] = {
    "nothing": (nothing, DEAD),
    "running": (running, ALIVE),
    "log_followed": (log_followed, DEAD),
    "number_taken": (number_taken, DEAD),
    "not_reaped": (not_reaped, DEAD),
}
"""Each with what a watchdog must say in it."""

# Watchdogs ---------------------------------------------------------------------------------------------

Watchdog = Callable[[Watched], list[str]]
"""The command line of one; it exits with 0 where the run is alive, and with 1 where it is dead."""

BY_ARGUMENT = 'pgrep -f -- "$1" > /dev/null\n'
BY_NUMBER = 'kill -0 "$(cut -d " " -f 1 "$1")" 2> /dev/null\n'
BY_NUMBER_AND_START = """\
read -r pid start < "$1"
[ -r "/proc/$pid/stat" ] || exit 1
stat=$(< "/proc/$pid/stat")
set -- ${stat##*) }
[ "${20}" = "$start" ]
"""
BY_NUMBER_START_AND_STATE = """\
read -r pid start < "${1:-run.pid}" || exit 1
[ -r "/proc/$pid/stat" ] || exit 1
stat=$(< "/proc/$pid/stat"); set -- ${stat##*) }
[ "$1" != Z ] && [ "${20}" = "$start" ]  # Z: it has ended, and its parent has not asked how
"""
"""As `docs/integrity/watchdog.md` recommends it."""


def script(watched: Watched, text: str, *arguments: str) -> list[str]:
    """A watchdog that is a script file, run by bash."""
    path = watched.folder / "watch.sh"
    path.write_text(text, encoding="utf-8")
    return ["bash", str(path), *arguments]


def by_argument(watched: Watched) -> list[str]:
    """A script that is given the pattern."""
    return script(watched, BY_ARGUMENT, watched.pattern)


def bracketed(watched: Watched) -> list[str]:
    """The same script: `[t]rain` matches `train` and not itself."""
    return script(watched, BY_ARGUMENT, f"[{watched.pattern[0]}]{watched.pattern[1:]}")


def inside(watched: Watched) -> list[str]:
    """A script that has the pattern in its text."""
    return script(watched, f"pgrep -f {watched.pattern} > /dev/null\n")


def one_line(watched: Watched) -> list[str]:
    """A line that a shell is given, as schedulers and `ssh` do."""
    return ["bash", "-c", f"pgrep -f {watched.pattern} > /dev/null; exit $?"]


def direct(watched: Watched) -> list[str]:
    """No shell."""
    return ["pgrep", "-f", watched.pattern]


def by_number(watched: Watched) -> list[str]:
    """A script that asks for the number in the pid file."""
    return script(watched, BY_NUMBER, str(watched.pid_file))


def by_number_and_start(watched: Watched) -> list[str]:
    """A script that asks for the number, and whether that process is as old as the run."""
    return script(watched, BY_NUMBER_AND_START, str(watched.pid_file))


def by_number_start_and_state(watched: Watched) -> list[str]:
    """A script that asks, besides, whether that process is a zombie."""
    return script(watched, BY_NUMBER_START_AND_STATE, str(watched.pid_file))


WATCHDOGS: dict[str, Watchdog] = {
    "script, pattern as argument": by_argument,
    "bash -c": one_line,
    "pgrep, no shell": direct,
    "script, pattern in its text": inside,
    "script, bracketed argument": bracketed,
    "pid file": by_number,
    "pid file and start": by_number_and_start,
    "pid file, start and state": by_number_start_and_state,
}
TRAP, SOUND = by_argument, by_number_start_and_state


def says(watchdog: Watchdog, situation: Situation) -> str:
    """What a watchdog says in a situation.

    Raises:
        RuntimeError: It says neither: it does not work here.
    """
    with tempfile.TemporaryDirectory() as name:
        watched = Watched(Path(name), f"train-{secrets.token_hex(8)}.py", Path(name) / "run.pid")
        with situation(watched):
            return _answer(watchdog(watched))


def _answer(words: list[str]) -> str:
    done = subprocess.run(words, capture_output=True, text=True, check=False)  # noqa: S603  # words of this file alone
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{words[0]} ended with {done.returncode}: {done.stderr}")
    return DEAD if done.returncode else ALIVE


# The guard ---------------------------------------------------------------------------------------------


def guard(watchdog: Watchdog) -> None:
    """Put the watchdog into each situation, the ones first in which it must say `dead`.

    Raises:
        RefusedError: It says something else than what is so.
    """
    for name, (situation, right) in SITUATIONS.items():
        if (said := says(watchdog, situation)) != right:
            raise RefusedError(f"{name}: it says {said}, and the run is {right}")


def asks_while_it_runs(watchdog: Watchdog) -> None:
    """A broken guard: a watchdog that can say nothing but `alive` passes it."""
    if says(watchdog, running) != ALIVE:
        raise RefusedError("it does not see the run")


GUARDS: dict[str, Callable[[Watchdog], None]] = {"asks-while-it-runs": asks_while_it_runs}
PLANTS = {**BROKEN, "asks-while-it-runs": "a guard that tries a watchdog only on a run that is there"}


# The measurement ---------------------------------------------------------------------------------------

LISTING = 'pgrep -f -- "$1"\necho "$$"\n'
"""The trap, saying what it matched, and then its own number."""


def matched() -> Mapping[str, int]:
    """How many processes the trap's pattern matches while nothing runs, and how many of them are the trap."""
    with tempfile.TemporaryDirectory() as name:
        watched = Watched(Path(name), f"train-{secrets.token_hex(8)}.py", Path(name) / "run.pid")
        with nothing(watched):
            words = script(watched, LISTING, watched.pattern)
            done = subprocess.run(words, capture_output=True, text=True, check=True)  # noqa: S603  # as above
    *found, own = done.stdout.split()
    return {"processes": len(found), "itself": found.count(own)}


def row(name: str, watchdog: Watchdog) -> dict[str, Any]:
    """What one watchdog says everywhere."""
    return {"watchdog": name, **{key: says(watchdog, where) for key, (where, _) in SITUATIONS.items()}}


def passes(said: Mapping[str, Any]) -> bool:
    """Whether all that a watchdog said is so."""
    return all(said[key] == right for key, (_, right) in SITUATIONS.items())


def measure(guarded: Callable[[Watchdog], None]) -> dict[str, Any]:
    """All that the claims are read from."""
    rows = [row(name, watchdog) for name, watchdog in WATCHDOGS.items()]
    return {
        "watchdogs": rows,
        "trap": {"says": says(TRAP, nothing), "matched": matched()},
        "sound": {"says": says(SOUND, nothing)},
        "right_everywhere": sum(map(passes, rows)),
        "guard": {"stops": stops(guarded, TRAP), "passes": not stops(guarded, SOUND)},
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the evidence."""
    plant = parser_of(__doc__, PLANTS).parse_args(argv).plant
    require("bash", "pgrep", "tail")
    print(as_json(measure(broken(GUARDS.get(plant, guard), plant))))


if __name__ == "__main__":
    main()
