"""What a command costs: CPU time and peak memory of the whole process, as the system counts them."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

_KIB = 1024
_RSS_UNIT = 1 if sys.platform == "darwin" else _KIB
"""`ru_maxrss` is in bytes on macOS and in KiB on Linux."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one run took.

    Attributes:
        cpu_s: User and system time in seconds, of the process and all it waited for.
        peak_bytes: The most memory it held resident.
        status: Its exit status.
    """

    cpu_s: float
    peak_bytes: int
    status: int


def run(command: Sequence[str], folder: Path) -> Cost:
    """Run a command in a folder, its output thrown away.

    Raises:
        OSError: It cannot be started.
    """
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _RSS_UNIT, process.returncode)


@dataclass(frozen=True, slots=True)
class Comparison:
    """A command beside its floor, run in turn, A B A B.

    Attributes:
        name: What was compared.
        cpu_s: The median CPU time of the command.
        floor_cpu_s: That of the floor.
        ratio: The median of the ratios, pair by pair, so that a drifting machine cancels out.
        ratios: All of them.
        peak_bytes: The largest peak of the command's memory.
        floor_peak_bytes: That of the floor's.
    """

    name: str
    cpu_s: float
    floor_cpu_s: float
    ratio: float
    ratios: list[float]
    peak_bytes: int
    floor_peak_bytes: int


def compare(
    name: str,
    command: tuple[Sequence[str], Path],
    floor: tuple[Sequence[str], Path],
    rounds: int,
    *,
    reset: Callable[[], None] | None = None,
    statuses: tuple[int, int] = (0, 0),
) -> Comparison:
    """Run a command and its floor in turn.

    Args:
        name: What is compared.
        command: The command and its folder.
        floor: The floor and its folder.
        rounds: How many pairs of runs are counted.
        reset: Called before the floor and before the command, uncounted: for a command that changes what both
            work on. The floor runs first then.
        statuses: The exit statuses of the command and the floor.

    Raises:
        RuntimeError: One of them ended otherwise: then it measured something else.
    """
    pairs: list[tuple[Cost, Cost]] = []
    for _ in range(rounds + 1):  # the first pair warms the file cache and the byte code
        pair = _pair(command, floor, reset)
        for cost, status, (what, _folder) in zip(pair, statuses, (command, floor), strict=True):
            if cost.status != status:
                raise RuntimeError(f"{' '.join(what)} exited with {cost.status}")
        pairs.append(pair)
    counted = pairs[1:]
    ratios = [a.cpu_s / b.cpu_s for a, b in counted]
    return Comparison(
        name,
        statistics.median(a.cpu_s for a, _ in counted),
        statistics.median(b.cpu_s for _, b in counted),
        statistics.median(ratios),
        ratios,
        max(a.peak_bytes for a, _ in counted),
        max(b.peak_bytes for _, b in counted),
    )


def _pair(
    command: tuple[Sequence[str], Path], floor: tuple[Sequence[str], Path], reset: Callable[[], None] | None
) -> tuple[Cost, Cost]:
    if reset is None:
        return run(*command), run(*floor)
    reset()
    cost = run(*floor)
    reset()
    return run(*command), cost
