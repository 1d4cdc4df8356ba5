"""A host that queues kernels, a device that works them off, and waits between them; no probe itself.

A model of time, not a measurement: whole microseconds, one queue without a limit, kernels of one length.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

WARM = 5
STEPS = 20
"""Steps that pass before time is taken, and steps of which it is taken."""


@dataclass(frozen=True, slots=True)
class Pace:
    """A training step.

    Attributes:
        kernels: How many the host queues.
        launch: Microseconds that the host takes to queue one.
        kernel: Microseconds that the device takes for one.
        between: Microseconds that the host works between two steps, such as on the next batch.
    """

    kernels: int
    launch: int
    kernel: int
    between: int


def step_time(pace: Pace, waits: Collection[int]) -> float:
    """Microseconds of a step in which the host waits each time that it has queued so many kernels.

    Args:
        pace: The step.
        waits: Numbers of kernels, from 1 on; `pace.kernels` is a wait at the end of the step.
    """
    host = device = begun = 0
    for step in range(WARM + STEPS):
        begun = max(host, device) if step == WARM else begun
        host += pace.between
        for queued in range(1, pace.kernels + 1):
            host += pace.launch
            device = max(device, host) + pace.kernel
            host = max(host, device) if queued in waits else host
    return (max(host, device) - begun) / STEPS
