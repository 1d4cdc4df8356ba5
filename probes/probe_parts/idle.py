"""Whether a machine's cards and cores were idle but for what is timed; no probe itself."""

from __future__ import annotations

import math
import os
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

BUSY_PERCENT = 2.0
"""A card that computes more of its time than this is not idle."""

BUSY_MIB = 1024.0
"""More memory in use than this is another process's work; a driver and a desktop take less."""

BUSY_CORES = 0.2
"""More cores than this, kept busy by other processes on average, and the machine is not idle."""

LEAST_S = 0.1
"""Own CPU time of which the system's count of everything must show something, in seconds."""

SAMPLES = 3
"""How often the cards are asked: a process between two of its steps looks idle once."""

_QUERY = ("index", "name", "utilization.gpu", "memory.used", "memory.total")
_STAT = Path("/proc/stat")


@dataclass(frozen=True, slots=True)
class Card:
    """An NVIDIA card before the first step.

    Attributes:
        index: Its number, as nvidia-smi counts.
        name: Its product name.
        busy_percent: Of the time a kernel ran; the most of all samples; None where the card does not tell.
        used_mib: Memory in use; likewise.
        total_mib: Memory that it has.
        idle: Whether neither shows another process's work; None where neither does and one is not known.
    """

    index: str
    name: str
    busy_percent: float | None
    used_mib: float | None
    total_mib: float | None
    idle: bool | None


@dataclass(frozen=True, slots=True)
class Cards:
    """All cards, or why nothing is known of them.

    Attributes:
        cards: As far as nvidia-smi tells.
        unknown: Why it does not; empty where it does.
    """

    cards: tuple[Card, ...]
    unknown: str


def look_at_cards(samples: int = SAMPLES, pause_s: float = 0.3) -> Cards:
    """What nvidia-smi says, the busiest of some samples. To be asked before this process uses a card."""
    seen: list[Cards] = []
    for number in range(samples):
        if number:
            time.sleep(pause_s)
        seen.append(_ask())
        if seen[-1].unknown:
            return seen[-1]
    by_card = zip(*(found.cards for found in seen), strict=False)
    return Cards(tuple(_busiest(of_one) for of_one in by_card), "")


def _ask() -> Cards:
    command = ["nvidia-smi", f"--query-gpu={','.join(_QUERY)}", "--format=csv,noheader,nounits"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)  # noqa: S603  # fixed words
    except FileNotFoundError:
        return Cards((), "there is no nvidia-smi on the PATH")
    except (OSError, subprocess.TimeoutExpired) as error:
        return Cards((), f"nvidia-smi cannot be run: {error}")
    if done.returncode:
        said = (done.stdout + done.stderr).strip().splitlines() or ["nothing"]
        return Cards((), f"nvidia-smi failed ({done.returncode}) and said: {said[0]}")
    rows = [[cell.strip() for cell in line.split(",")] for line in done.stdout.splitlines() if line.strip()]
    odd = next((row for row in rows if len(row) != len(_QUERY)), None)
    if odd:
        return Cards((), f"nvidia-smi said what is not understood: {', '.join(odd)}")
    return Cards(tuple(_card(row) for row in rows), "")


def _card(row: Sequence[str]) -> Card:
    index, name = row[:2]
    busy, used, total = (_number(cell) for cell in row[2:])
    return Card(index, name, busy, used, total, _is_idle(busy, used))


def _number(cell: str) -> float | None:
    """A cell's number; some cards say `[N/A]`."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _is_idle(busy: float | None, used: float | None) -> bool | None:
    if (busy or 0) > BUSY_PERCENT or (used or 0) > BUSY_MIB:
        return False
    return None if busy is None or used is None else True


def _busiest(samples: Sequence[Card]) -> Card:
    busy = max((c.busy_percent for c in samples if c.busy_percent is not None), default=None)
    used = max((c.used_mib for c in samples if c.used_mib is not None), default=None)
    first = samples[0]
    return Card(first.index, first.name, busy, used, first.total_mib, _is_idle(busy, used))


def warnings_of(cards: Cards) -> list[str]:
    """One sentence for each card that is not idle, or does not tell whether it is."""
    return [
        f"card {card.index} ({card.name}) {'is not idle' if card.idle is False else 'may not be idle'}: "
        f"{_said(card.busy_percent)} % busy, {_said(card.used_mib)} MiB in use before the first step; "
        "other work stretches what is timed on it"
        for card in cards.cards
        if not card.idle
    ]


def _said(number: float | None) -> str:
    return "unknown" if number is None else f"{number:,.0f}"


# The cores ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Mark:
    """A moment: the wall clock, and CPU seconds until then.

    Attributes:
        wall_s: Seconds, from any origin.
        all_s: CPU time of everything on the machine; None where the system does not tell.
        own_s: CPU time of this process and of those that it waited for.
    """

    wall_s: float
    all_s: float | None
    own_s: float


@dataclass(frozen=True, slots=True)
class Others:
    """What other processes did between two moments.

    Attributes:
        wall_s: How long that was.
        cores: The machine's cores.
        others_cores: How many of them the others kept busy on average; None where the system does not tell.
        idle: Whether that is next to nothing; None where it is not known.
    """

    wall_s: float
    cores: int | None
    others_cores: float | None
    idle: bool | None


def mark() -> Mark:
    """Now."""
    spent = os.times()
    own = spent.user + spent.system + spent.children_user + spent.children_system
    return Mark(time.perf_counter(), _busy_seconds(), own)


def others_between(before: Mark, after: Mark) -> Others:
    """The others' share of the machine from one moment to a later one."""
    wall = after.wall_s - before.wall_s
    if before.all_s is None or after.all_s is None or wall <= 0:
        return Others(wall, os.cpu_count(), None, None)
    spent = (after.all_s - before.all_s) - (after.own_s - before.own_s)
    if after.all_s <= before.all_s and after.own_s - before.own_s > LEAST_S:
        return Others(wall, os.cpu_count(), None, None)  # it counts nothing, as in some sandboxes
    cores = max(0.0, spent / wall)  # ticks of 10 ms: a short while can come out below 0
    return Others(wall, os.cpu_count(), cores, cores <= BUSY_CORES)


def _busy_seconds() -> float | None:
    """CPU time of the whole machine since it started: Linux tells."""
    if not _STAT.is_file():
        return None
    fields = _STAT.read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    user, nice, system, _, _, irq, softirq, steal = map(int, fields)
    return float(user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
