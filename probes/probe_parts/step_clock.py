"""How long a training step takes, on the thread that takes it or on a card; no probe itself."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import torch
from torch import Tensor

from probe_parts.output import say

Device = Literal["cpu", "cuda"]

CLOCKS: Mapping[Device, str] = {
    "cpu": "CPU time of the thread that takes the step",
    "cuda": "wall time of the step, synchronised with the card before and after",
}


class Kind(NamedTuple):
    """One thing that is timed: the name of its series, and its width."""

    name: str
    width: int


@dataclass(frozen=True, slots=True)
class Point:
    """The raw times of one kind of step at one width, in ms, in the order of the rounds.

    Attributes:
        width: Tokens in the sequence of a step.
        min_ms: The smallest of `times_ms`.
        times_ms: By the clock of the device.
        process_ms: CPU time of all threads of the process together.
        first_loss: What the first step, which is not timed, returned as its loss; None where it has none.
    """

    width: int
    min_ms: float
    times_ms: tuple[float, ...]
    process_ms: tuple[float, ...]
    first_loss: float | None = None


Times = tuple[float, float]
"""By the device's clock, and the CPU time of the whole process, in ms."""


def point_of(width: int, rounds: Sequence[Times], first_loss: float | None = None) -> Point:
    """A point from its rounds, kept to the microsecond."""
    own, process = zip(*((round(t, 3), round(p, 3)) for t, p in rounds), strict=True)
    return Point(width, min(own), own, process, first_loss)


def device_in_use() -> Device:
    """The card, if what ran so far left something on one; else the CPU."""
    if not (torch.cuda.is_available() and torch.cuda.is_initialized()):  # type: ignore[no-untyped-call]  # torch's
        return "cpu"
    held = (torch.cuda.memory_allocated(number) for number in range(torch.cuda.device_count()))
    return "cuda" if any(held) else "cpu"


def timed(work: Callable[[], object], device: Device) -> Times:
    """One step."""
    if device == "cuda":
        return _timed_on_card(work)
    thread, process = time.thread_time_ns(), time.process_time_ns()
    work()
    return (time.thread_time_ns() - thread) / 1e6, (time.process_time_ns() - process) / 1e6


def _timed_on_card(work: Callable[[], object]) -> Times:
    _synchronise()
    wall, process = time.perf_counter_ns(), time.process_time_ns()
    work()
    _synchronise()
    return (time.perf_counter_ns() - wall) / 1e6, (time.process_time_ns() - process) / 1e6


def _synchronise() -> None:
    for number in range(torch.cuda.device_count()):
        torch.cuda.synchronize(number)


def first_losses(works: Mapping[Kind, Callable[[], object]]) -> dict[Kind, float | None]:
    """Every step once, untimed: what it allocates once is then there. What they return as their losses."""
    return {kind: loss_of(work()) for kind, work in works.items()}


def loss_of(returned: object) -> float | None:
    """A step's loss, where it returned one number that is finite."""
    if isinstance(returned, Tensor):
        returned = returned.item() if returned.numel() == 1 else None
    if isinstance(returned, bool) or not isinstance(returned, int | float):
        return None
    return float(returned) if math.isfinite(returned) else None


def time_all(
    works: Mapping[Kind, Callable[[], object]], rounds: int, device: Device, what: str
) -> dict[Kind, list[Times]]:
    """All works once a round; rounds run up and down the works in turn."""
    times: dict[Kind, list[Times]] = {kind: [] for kind in works}
    for number in range(rounds):
        for kind in works if number % 2 == 0 else reversed(tuple(works)):
            times[kind].append(timed(works[kind], device))
        say(f"{what}: round {number + 1} of {rounds}")
    return times
