#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/host-syncs/syncs.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "600 s"
# plant = ["read-in-step", "operators-alone"]
# ///
"""How often a training step has the host wait for a number, by stage and by line, counted without a device.

Settles:
    Of each kind of step that a harness offers, after its first one: how many numbers, sizes and whole tensors
    it reads in forward, backward, optimizer and around them, with the line of code of each; how many tensors
    it makes of numbers and sends to a device. Which ways of reading a number five instruments see: a patch of
    `Tensor.item`, a dispatch mode, fake tensors, a profile, and the watch of this probe. Which ways of
    bringing a number to a device take a copy. What metrics cost in reads when they are read in every step,
    and when they are kept as tensors until the log is written.

Needs:
    torch, and a harness: `--harness module:function` (see `harness.py`); without one transformers, of which
    the steps counted are then made. CPU or CUDA, no weights, no data set, no network.

Costs:
    A minute on one core, a part of it imports; under 2 GiB of memory. Your own step: twice its time.

Cannot settle:
    What a wait costs: on a device each lets the queue run empty, here none costs anything. What compiled code
    reads, or a kernel on its inside, as that of `torch.multinomial` does. What goes through other libraries,
    such as communication between ranks. Whether `x.to(d)` from CPU to CPU would be a read: those are counted
    apart, as undecided. On CUDA it is written to count reads of the card alone, and untested.

A read on a CPU waits for nothing and is counted all the same. Counts are exact; they are those of the
installed versions. Standard output is one JSON document, a summary for people goes to standard error.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor

from probe_parts import sync_watch
from probe_parts.command_line import ascending, parser_of
from probe_parts.harness import Maker, about_of, apart_from_evidence, make, makers_of, offered
from probe_parts.output import as_json, say
from probe_parts.step_stages import STAGES
from probe_parts.sync_instruments import score, sent, tried
from probe_parts.sync_watch import Syncs, counted

PLANTS = {
    "read-in-step": "one number is read back in every step, as for a log",
    "operators-alone": "the watch sees operators and no methods of tensors",
}
STEPS, INTERVAL = 20, 10
"""Of the metrics: steps taken, and steps from one line of the log to the next."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is counted, as resolved; each an argument of the same name."""

    harness: str
    widths: tuple[int, ...]
    plant: str


# Steps -------------------------------------------------------------------------------------------------


def count(name: str, maker: Maker, settings: Settings) -> list[dict[str, Any]]:
    """One kind of step at every width, once untouched (it makes what later ones have), once watched."""
    rows = []
    for width in settings.widths:
        step = make(settings.harness, name, maker, width)
        step()
        syncs = counted(with_read(step) if settings.plant == "read-in-step" else step)
        rows.append({"series": name, "width": width, **row_of(syncs)})
        for line in summary(name, width, syncs):
            say(line)
    return rows


def with_read(step: Callable[[], object]) -> Callable[[], object]:
    """The step, and one number that is read after it."""

    def logged() -> None:
        step()
        float(torch.zeros(()))

    return logged


def row_of(syncs: Syncs) -> dict[str, Any]:
    """Counts of what a step read and sent, and where."""
    kinds = Counter(read.kind for read in syncs.reads)
    return {
        "reads": len(syncs.reads),
        "stages": {stage: len(syncs.at(stage)) for stage in STAGES},
        "kinds": {kind: kinds[kind] for kind in ("number", "size", "tensor")},
        "sent": len(syncs.placed),
        "undecided": len(syncs.undecided),
        "where": [
            {"caller": read.caller, "operator": read.operator, "stage": read.stage, "times": times}
            for read, times in Counter(syncs.reads).items()
        ],
    }


def summary(name: str, width: int, syncs: Syncs) -> Iterator[str]:
    """For people: how often, and where."""
    by_stage = ", ".join(f"{len(syncs.at(stage))} {stage}" for stage in STAGES)
    yield f"{name}, width {width:,}: {len(syncs.reads)} reads ({by_stage}); {len(syncs.placed)} sent"
    for read, times in Counter(syncs.reads).most_common():
        yield f"  {times} × {read.caller} {read.operator} ({read.stage})"
    for copy, times in Counter(syncs.placed).most_common():
        yield f"  {times} × {copy.caller} {copy.function}, sent ({copy.stage})"


# Metrics -----------------------------------------------------------------------------------------------


def step_metrics(number: int) -> dict[str, Tensor]:
    """What a step has to tell, on the device: here of its number alone."""
    loss = torch.tensor(float(number + 1)).reciprocal()
    return {"loss": loss, "norm": loss.square(), "accuracy": 1 - loss}


def each_step() -> list[list[float]]:
    """Every metric is read in every step; the log gets the means of an interval."""
    told, sums = [], [0.0] * len(step_metrics(0))
    for number in range(STEPS):
        sums = [total + float(each) for total, each in zip(sums, step_metrics(number).values(), strict=True)]
        if (number + 1) % INTERVAL == 0:
            told.append([total / INTERVAL for total in sums])
            sums = [0.0] * len(sums)
    return told


def kept(*, stacked: bool) -> list[list[float]]:
    """Metrics are summed on the device; at the interval they are read one by one, or stacked and at once."""
    told, sums = [], torch.zeros(len(step_metrics(0)))
    for number in range(STEPS):
        sums = sums + torch.stack(tuple(step_metrics(number).values()))
        if (number + 1) % INTERVAL == 0:
            means = sums / INTERVAL
            told.append(means.tolist() if stacked else [float(mean) for mean in means])
            sums = torch.zeros_like(sums)
    return told


def metrics() -> dict[str, Any]:
    """How many reads each way takes, and how far the logs that they write are apart."""
    logs: dict[str, list[list[float]]] = {}
    ways: Mapping[str, Callable[[], list[list[float]]]] = {
        "each_step": each_step,
        "interval": lambda: kept(stacked=False),
        "interval_stacked": lambda: kept(stacked=True),
    }
    reads = {
        name: len(counted(lambda name=name, way=way: logs.update({name: way()})).reads)  # type: ignore[misc]  # bound now
        for name, way in ways.items()
    }
    flat = [[mean for line in log for mean in line] for log in logs.values()]
    return {
        "steps": STEPS,
        "interval": INTERVAL,
        "metrics": len(step_metrics(0)),
        "reads": reads,
        "apart": max(abs(one - other) for log in flat[1:] for one, other in zip(flat[0], log, strict=True)),
    }


# The document ------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    found = offered(settings.harness)
    makers = makers_of(settings.harness, found)
    about = about_of(settings.harness, found)
    with ExitStack() as stack:
        if settings.plant == "operators-alone":
            stack.enter_context(patch.object(sync_watch, "TENSORS", ()))
        steps = [row for name, maker in makers.items() for row in count(name, maker, settings)]
        instruments = tried()
        logs = metrics()
    return {
        "settings": settings,
        "about": about,
        "torch": torch.__version__,
        "steps": steps,
        "instruments": instruments,
        "score": score(instruments),
        "sends": sent(),
        "metrics": logs,
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Count and print the document."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--harness", default="probe_parts.sync_examples:harness", help="module:function of your own steps")
    add("--widths", type=ascending, default=(64, 1200), help="tokens in a step, with commas")
    options = parser.parse_args(argv)
    settings = Settings(options.harness, options.widths, options.plant)
    with apart_from_evidence():
        document = measure(settings)
    print(as_json(document))


if __name__ == "__main__":
    main()
