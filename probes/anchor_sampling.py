#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6"]
# [tool.stilltrue]
# writes = "claims/evidence/host-syncs/anchors.json"
# reads = ["claims/evidence/padding/lengths.csv"]
# needs = []
# cost = "slow"
# timeout = "300 s"
# plant = ["one-less", "read-width", "one-sample"]
# ///
"""A batch of anchors whose width is read from the device: what it costs to fix it, and a fault beside it.

Settles:
    Of five ways to sample the anchors of a draft model's blocks: how many numbers each reads and how many it
    sends to a device, whether tensors without numbers refuse it, how many anchors it keeps of how many, and
    which of two tests it passes, one that asserts the fault and one that asserts the property. Whether the
    width changes which anchors are drawn, or the loss. How many blocks more a fixed width takes than the
    width that a batch needs, by the size of the batch, over a lognormal distribution and over a corpus. What
    ten steps of a small draft model read and send, by which of three sources were taken out. What taking
    waits out saves in a model of a queue.

Needs:
    torch. CPU, no accelerator, no network. Of your own corpus, for `--counts`: a file with the number of
    possible anchors of each sample, as the tokens of its answer (see `padding.py` for what is read).

Costs:
    Ten seconds on one core, mostly imports.

Cannot settle:
    What a wait costs on a card, and whether a step gets faster: the queue is a model with given times, one
    stream and no limit to its length. What else a trainer waits for, as for a rollout that feeds it. How your
    own counts are distributed: the lognormal one stands for a shape.

Samplers are written for this probe. The fault `one-less` puts one anchor less into the mended ways,
`read-width` a read into the fixed width, and `one-sample` reckons each batch as if it had one sample.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from probe_parts.anchor_prices import price
from probe_parts.anchors import Anchors, How, batch_of, sampled
from probe_parts.command_line import ascending, parser_of, positive
from probe_parts.draft_steps import MOST, STEPS, Training, Way
from probe_parts.leads import Pace, step_time
from probe_parts.output import as_json, say
from probe_parts.sample_lengths import Columns, LengthsError, lognormal, read
from probe_parts.step_stages import STAGES
from probe_parts.sync_instruments import first_refusal
from probe_parts.sync_watch import counted

PLANTS = {
    "one-less": "the mended ways keep one anchor less than there are",
    "read-width": "the fixed width is read from the device as well",
    "one-sample": "a batch is reckoned as wide as one sample",
}
BLOCK = 4
CORPUS = Path("claims/evidence/padding/lengths.csv")
LOGNORMAL = (5.0, 1.0, 10_000.0)
"""Half of the samples have 148 positions or fewer."""
AS_IT_WAS = "as it was"
READ, FIXED, COUNTED = "read, mended", "fixed, mended", "counted by the loader, mended"
"""The ways that keep what there is."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is reckoned, as resolved; each an argument of the same name.

    Attributes:
        most: Anchors of a sample, at most.
        batches: Samples in a batch, ascending.
        multiple: What widths are rounded up to, where they are.
        plant: A fault to put in, or nothing.
    """

    most: int
    batches: tuple[int, ...]
    multiple: int
    plant: str


# Ways to sample ----------------------------------------------------------------------------------------


def ways(settings: Settings) -> dict[str, How]:
    """The samplers compared, by name."""
    most, fault = settings.most, settings.plant == "one-less"
    return {
        AS_IT_WAS: How("read", most, one_less=True, sent=True),
        READ: How("read", most, one_less=fault),
        "fixed, one less": How("fixed", most, one_less=True),
        FIXED: How("read" if settings.plant == "read-width" else "fixed", most, one_less=fault),
        COUNTED: How("counted", most, one_less=fault),
    }


def drawn(counts: Sequence[int], how: How) -> tuple[Tensor, Anchors]:
    """Where anchors may be, and those drawn; the same draws for each way."""
    batch = batch_of(counts, 2 * how.most + BLOCK, BLOCK)
    draws = torch.rand(batch.possible.shape, generator=torch.Generator().manual_seed(0))
    return batch.possible, sampled(batch, draws, how)


def keeps(counts: Sequence[int], how: How) -> list[int]:
    """Anchors kept of each sample of a batch."""
    kept: list[int] = drawn(counts, how)[1].keep.sum(dim=1).tolist()
    return kept


def asserts_the_fault(how: How) -> bool:
    """A test that asks for what the sampler did: of two positions, one is kept."""
    return keeps([2], how) == [1]


def asserts_the_property(how: How) -> bool:
    """A test that asks for what is meant: all anchors up to the most, each possible and none twice."""
    most = how.most
    for counts in ([0], [1], [2], [3], [most - 1], [most], [most + 1], [3, 0, most]):
        possible, anchors = drawn(counts, how)
        for row, count in enumerate(counts):
            places = anchors.positions[row][anchors.keep[row]].tolist()
            if len(set(places)) != min(count, most) or not possible[row][places].all():
                return False
    return True


def sampler_row(name: str, how: How) -> dict[str, Any]:
    """What is known of one way to sample."""
    batch = batch_of([3, 2], 2 * how.most + BLOCK, BLOCK)
    draws = torch.rand(batch.possible.shape)
    syncs = counted(lambda: sampled(batch, draws, how))
    say(f"{name}: {len(syncs.reads)} reads, {len(syncs.placed)} sent")
    return {
        "way": name,
        "reads": len(syncs.reads),
        "sent": len(syncs.placed),
        "refused": bool(first_refusal(lambda: drawn([3, 2], how))),
        "passes_asserted_fault": asserts_the_fault(how),
        "passes_asserted_property": asserts_the_property(how),
    }


def kept_row(count: int, found: Mapping[str, How]) -> dict[str, Any]:
    """What is kept of one sample with so many positions, with and without the fault."""
    (before,), (after,) = keeps([count], found[AS_IT_WAS]), keeps([count], found[FIXED])
    return {"count": count, "before": before, "after": after, "lost": 1 - before / after}


def beside_others(found: Mapping[str, How], most: int) -> list[dict[str, Any]]:
    """What becomes of a sample with three positions in the company of a wider one."""
    companies = {"a shorter one": 2, "a longer one": most // 2, "a full one": most + 1}
    rows = []
    for name, other in companies.items():
        before, after = keeps([3, other], found[AS_IT_WAS]), keeps([3, other], found[FIXED])
        rows.append(
            {
                "beside": name,
                "counts": [3, other],
                "lost": after[0] - before[0],
                "other_lost": after[1] - before[1],
            }
        )
    return rows


# What the width changes --------------------------------------------------------------------------------


def apart(found: Mapping[str, How]) -> dict[str, Any]:
    """Whether anchors and loss depend on where the width comes from, and what an empty block takes."""
    training = Training()
    losses, places, flops, widths = [], [], [], []
    for name in (READ, FIXED, COUNTED):
        how = replace(found[name], most=MOST)
        anchors = sampled(training.batch, training.draws[0], how)
        places.append([row[keep].tolist() for row, keep in zip(anchors.positions, anchors.keep, strict=True)])
        loss, _ = training.model(training.tokens, training.batch, training.draws[0], how)
        losses.append(loss.item())
        with FlopCounterMode(display=False) as counter:
            training.model.at_anchors(training.tokens, anchors)
        flops.append(counter.get_total_flops() / anchors.keep.numel())
        widths.append(anchors.keep.shape[1])
    return {
        "same_anchors": all(each == places[0] for each in places),
        "loss_apart": max(losses) - min(losses),
        "widths": widths,
        "flops_of_a_block": flops,
    }


def prices(counts: Sequence[int], settings: Settings) -> list[dict[str, Any]]:
    """The price of a fixed width at each size of batch."""
    alone = settings.plant == "one-sample"
    return [
        {**asdict(price(counts, 1 if alone else batch, settings.most, settings.multiple)), "batch": batch}
        for batch in settings.batches
    ]


# Steps -------------------------------------------------------------------------------------------------


def step_ways(found: Mapping[str, How]) -> dict[str, Way]:
    """The step as it was, with each source of waits taken out alone, and with all of them."""
    was = replace(found[AS_IT_WAS], most=MOST)
    fixed = replace(found[FIXED], most=MOST)
    return {
        AS_IT_WAS: Way(was, metrics_each_step=True, weight_sent=True),
        "metrics kept": Way(was, metrics_each_step=False, weight_sent=True),
        "width fixed": Way(replace(fixed, sent=True), metrics_each_step=True, weight_sent=True),
        "literals": Way(replace(was, sent=False), metrics_each_step=True, weight_sent=False),
        "all three": Way(fixed, metrics_each_step=False, weight_sent=False),
    }


def steps_row(name: str, way: Way) -> dict[str, Any]:
    """What the steps read and send in one way."""
    training = Training()
    syncs = counted(lambda: training.run(way))
    stages = {stage: len(syncs.at(stage)) for stage in STAGES}
    say(f"steps, {name}: {len(syncs.reads)} reads, {len(syncs.placed)} sent in {STEPS}")
    return {"way": name, "reads": len(syncs.reads), "stages": stages, "sent": len(syncs.placed)}


def logs_apart(found: Mapping[str, How]) -> float:
    """How far the logs are apart, of steps that keep the same anchors and read them in different ways."""
    plain = Way(replace(found[READ], most=MOST, sent=True), metrics_each_step=True, weight_sent=True)
    before, after = (Training().run(way)[0] for way in (plain, step_ways(found)["all three"]))
    return max(abs(one - other) for one, other in zip(before, after, strict=True))


# A queue -----------------------------------------------------------------------------------------------


PACES = {
    "the device": Pace(kernels=1000, launch=5, kernel=8, between=2000),
    "the host": Pace(kernels=1000, launch=5, kernel=4, between=2000),
}
"""By what limits the step: a kernel takes longer than its launch, or the other way round."""
WAITS: dict[str, tuple[int, ...]] = {
    "three inside and one at the end": (250, 500, 750, 1000),
    "one at the end": (1000,),
    "none": (),
}


def queue_rows() -> list[dict[str, Any]]:
    """The time of a step in the model, in seconds."""
    return [
        {"limit": limit, "waits": name, "seconds": step_time(pace, waits) / 1e6}
        for limit, pace in PACES.items()
        for name, waits in WAITS.items()
    ]


# The document ------------------------------------------------------------------------------------------


def measure(settings: Settings, corpora: Mapping[str, Sequence[int]]) -> dict[str, Any]:
    """Everything that goes to standard output."""
    found = ways(settings)
    most = settings.most
    return {
        "settings": settings,
        "torch": torch.__version__,
        "samplers": [sampler_row(name, how) for name, how in found.items()],
        "kept": [kept_row(count, found) for count in (1, 2, 3, most - 1, most, most + 1)],
        "beside": beside_others(found, most),
        "width": apart(found),
        "price": {name: prices(counts, settings) for name, counts in corpora.items()},
        "medians": {name: sorted(counts)[(len(counts) - 1) // 2] for name, counts in corpora.items()},
        "steps": {
            "steps": STEPS,
            "logs_apart": logs_apart(found),
            "ways": [steps_row(name, way) for name, way in step_ways(found).items()],
        },
        "queue": {"paces": PACES, "rows": queue_rows()},
    }


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no number") from None


def above_two(text: str) -> int:
    """A whole number that leaves room for fewer and for more."""
    found = positive(text)
    if not 3 < found <= 100_000:
        raise argparse.ArgumentTypeError(f"must be above 3 and no more than 100,000, not {found}")
    return found


ARGUMENTS: tuple[tuple[str, Callable[[str], object], object, str], ...] = (
    ("--counts", Path, CORPUS, "a file with the number of possible anchors of each sample"),
    ("--column", str, "", "its column of counts or tokens, where it has an unusual name"),
    ("--most", above_two, 512, "anchors of a sample, at most"),
    ("--batches", ascending, (1, 2, 4, 8, 16, 32), "samples in a batch, with commas"),
    ("--multiple", positive, 64, "what widths are rounded up to"),
)
"""Name, reader, default, meaning."""


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print the document."""
    parser = parser_of(__doc__, PLANTS)
    for name, reader, default, meaning in ARGUMENTS:
        parser.add_argument(name, type=reader, default=default, help=meaning)
    parser.add_argument("--lognormal", type=number, nargs=3, default=LOGNORMAL, metavar=("MU", "SIGMA", "N"))
    options = parser.parse_args(argv)
    torch.set_num_threads(1)  # small tensors: more threads only wait for one another
    try:
        corpora = {
            "lognormal": lognormal(*options.lognormal).lengths,
            "corpus": read(options.counts, Columns(options.column)).lengths,
        }
    except LengthsError as error:
        raise SystemExit(f"anchor_sampling.py: {error}") from None
    settings = Settings(options.most, options.batches, options.multiple, options.plant)
    print(as_json(measure(settings, corpora)))


if __name__ == "__main__":
    main()
