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
        waited_ms: How much longer than `times_ms` the least disturbed round took by the wall clock.
    """

    width: int
    min_ms: float
    times_ms: tuple[float, ...]
    process_ms: tuple[float, ...]
    first_loss: float | None = None
    waited_ms: float = 0.0


class Times(NamedTuple):
    """One step by three clocks, in ms.

    Attributes:
        own: By the clock of the device.
        process: The CPU time of all threads of the process.
        wall: By the wall clock.
    """

    own: float
    process: float
    wall: float


def point_of(width: int, rounds: Sequence[Times], first_loss: float | None = None) -> Point:
    """A point from its rounds, kept to the microsecond."""
    own = tuple(round(times.own, 3) for times in rounds)
    process = tuple(round(times.process, 3) for times in rounds)
    waited = round(max(min(times.wall - times.own for times in rounds), 0.0), 3)
    return Point(width, min(own), own, process, first_loss, waited)


def device_in_use() -> Device:
    """The card, if what ran so far left something on one; else the CPU."""
    if not (torch.cuda.is_available() and torch.cuda.is_initialized()):  # type: ignore[no-untyped-call]  # torch's
        return "cpu"
    held = (torch.cuda.memory_allocated(number) for number in range(torch.cuda.device_count()))
    return "cuda" if any(held) else "cpu"


def other_accelerator() -> str:
    """The kind of the accelerator that torch sees here, where that is no CUDA card; else empty."""
    found = torch.accelerator.current_accelerator()
    return found.type if found is not None and found.type not in ("cuda", "cpu") else ""


def timed(work: Callable[[], object], device: Device) -> Times:
    """One step."""
    if device == "cuda":
        return _timed_on_card(work)
    wall, thread, process = time.perf_counter_ns(), time.thread_time_ns(), time.process_time_ns()
    work()
    own, every = time.thread_time_ns() - thread, time.process_time_ns() - process
    return Times(own / 1e6, every / 1e6, (time.perf_counter_ns() - wall) / 1e6)


def _timed_on_card(work: Callable[[], object]) -> Times:
    _synchronise()
    wall, process = time.perf_counter_ns(), time.process_time_ns()
    work()
    _synchronise()
    spent = (time.perf_counter_ns() - wall) / 1e6
    return Times(spent, (time.process_time_ns() - process) / 1e6, spent)


def _synchronise() -> None:
    for number in range(torch.cuda.device_count()):
        torch.cuda.synchronize(number)


def first_losses(works: Mapping[Kind, Callable[[], object]]) -> dict[Kind, float | None]:
    """Every step once, untimed: what it allocates once is then there. What they return as their losses."""
    losses: dict[Kind, float | None] = {}
    for kind, work in works.items():
        number = number_of(work())
        losses[kind] = loss_of(number)
        if number != losses[kind]:
            say(f"`{kind.name}` at width {kind.width:,}: its first loss is {number}, which is kept as none")
    return losses


def loss_of(returned: object) -> float | None:
    """A step's loss, where it returned one number that is finite."""
    number = number_of(returned)
    return number if number is not None and math.isfinite(number) else None


def number_of(returned: object) -> float | None:
    """The one number that a step returned, if it did."""
    try:
        if isinstance(returned, Tensor):
            returned = returned.item() if returned.numel() == 1 else None
        if isinstance(returned, bool) or not isinstance(returned, int | float):
            return None
        return float(returned)
    except (OverflowError, RuntimeError):  # a number beyond all floats; a tensor without numbers
        return None


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
