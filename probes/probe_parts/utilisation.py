"""A step's FLOPs on each basis that people use, and the share of a peak that each gives; no probe itself.

One step has one duration and several counts of FLOPs, all of them in use. So a utilisation is a number only
together with its basis, and none is given where a part of the work was counted as nothing.
"""

from __future__ import annotations

import argparse
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probe_parts.flop_ledger import STAGES, Attention, FlopLedger, Stage, attended, under_mask, with_windows

MEANINGS: Mapping[str, str] = {
    "useful": "forward and gradients once each, no recomputation; attention over the pairs that causality and"
    " windows allow",
    "useful_square": "forward and gradients once each, no recomputation; attention over the whole square",
    "run": "everything that runs, recomputation too; attention over the whole square in layers with a window,"
    " which are given a mask, and over half of it in others, which are given the flag",
    "run_square": "everything that runs, recomputation too; attention over the whole square",
    "products": "products with weights that run, recomputation too; no attention",
    "six_nd": "6 x active parameters x tokens, the head among them: no attention, a gradient for each weight",
}
"""The bases in words. `useful` is what *model* FLOPs utilisation means, `run` what *hardware* FLOPs do."""

COVERED = 0.99
"""Forward multiplies each active parameter by each token; where less of that was seen, work is missing."""

RATE = re.compile(r"\s*(\d+(?:\.\d+)?(?:e\d+)?)\s*([kMGTP]?)FLOP(?:S|/s)\s*")
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15}


@dataclass(frozen=True, slots=True)
class Work:
    """The work of one step.

    Attributes:
        tokens: Of all its sequences.
        active: Parameters of the language model that multiply a token: of the experts those that it is sent
            to, no table that is only looked up.
        expects_experts: Whether the model has experts.
        products: FLOPs of products with weights, by stage.
        experts: FLOPs of grouped products, by stage.
        attention: FLOPs by the pairs that are counted, then by stage.
        unknown: Operators that look like work and have no formula.
    """

    tokens: int
    active: int
    expects_experts: bool
    products: Mapping[str, int]
    experts: Mapping[str, int]
    attention: Mapping[str, Mapping[str, int]]
    unknown: Mapping[str, int]


def attention_work(ledger: FlopLedger, windows: Sequence[int | None]) -> dict[str, dict[str, int]]:
    """FLOPs of attention by which pairs are counted, then by stage, with their sum.

    `square` counts each query with each key, `causal` what does not come after it, `windowed` what its
    layer's window leaves of that, `under_mask` what a kernel computes that skips nothing under a mask.
    `scores_again` is no part of a sum: the scores that a fused kernel computes once more in its backward
    pass, over the square.
    """
    found: dict[str, dict[Stage, int]] = {
        way: dict.fromkeys(STAGES, 0) for way in ("square", "causal", "windowed", "under_mask")
    }
    again = 0
    for call, window in with_windows(ledger, windows):
        for way, pairs in pairs_of(call, window).items():
            found[way][call.stage] += call.flops(pairs)
        again += call.scores(call.queries * call.keys)
    return {way: summed(stages) for way, stages in found.items()} | {"scores_again": {"total": again}}


def pairs_of(call: Attention, window: int | None) -> dict[str, int]:
    """Pairs of one call, by how they are counted."""
    return {
        "square": call.queries * call.keys,
        "causal": attended(call.queries),
        "windowed": attended(call.queries, window),
        "under_mask": under_mask(call.queries, window),
    }


def summed(stages: Mapping[Stage, int]) -> dict[str, int]:
    """The stages with their sum."""
    return {**dict(stages.items()), "total": sum(stages.values())}


def bases(work: Work) -> dict[str, int]:
    """FLOPs of the step on each basis of `MEANINGS`."""
    weights = {stage: work.products[stage] + work.experts[stage] for stage in STAGES}
    once = weights["forward"] + weights["backward"]
    windowed, square = (work.attention[way] for way in ("windowed", "square"))
    return {
        "useful": once + windowed["forward"] + windowed["backward"],
        "useful_square": once + square["forward"] + square["backward"],
        "run": sum(weights.values()) + work.attention["under_mask"]["total"],
        "run_square": sum(weights.values()) + square["total"],
        "products": sum(weights.values()),
        "six_nd": 6 * work.active * work.tokens,
    }


def covered(work: Work) -> float:
    """The forward pass's products with weights over those that the active parameters make necessary."""
    return (work.products["forward"] + work.experts["forward"]) / (2 * work.active * work.tokens)


def missing(work: Work) -> list[str]:
    """What was counted as nothing though the model has it; empty where nothing was."""
    found = [f"{operator} ({calls} calls) has no formula" for operator, calls in work.unknown.items()]
    if not work.attention["square"]["total"]:
        found.append("attention was counted as 0 FLOPs (none came through the operator of SDPA)")
    if work.expects_experts and not sum(work.experts.values()):
        found.append("experts were counted as 0 FLOPs")
    if covered(work) < COVERED:
        found.append(f"forward products are {covered(work):.1%} of what the active parameters make necessary")
    return found


def utilisation(work: Work, peak: float, seconds: float) -> dict[str, Any]:
    """The share of `peak` on each basis, for a step of so many seconds.

    Args:
        work: Of the step, on one card.
        peak: FLOP/s.
        seconds: Of the step.

    Raises:
        SystemExit: A part of the work was counted as nothing, or the step would have done more than the peak.
    """
    if absent := missing(work):
        raise SystemExit(
            f"no utilisation: {'; '.join(absent)}; a share without it would be too small and look right"
        )
    shares = {name: flops / peak / seconds for name, flops in bases(work).items()}
    if shares["useful"] > 1:
        raise SystemExit(
            f"no utilisation: useful work alone is {shares['useful']:.3g} times what a card of that peak does"
            " in that time; give the tokens, the seconds and the peak of one card, and of one step"
        )
    return {
        "peak": peak,
        "seconds": seconds,
        "by_basis": {
            name: {"says": MEANINGS[name], "flops": flops, "share": shares[name]}
            for name, flops in bases(work).items()
        },
    }


# Arguments ---------------------------------------------------------------------------------------------


def rate(text: str) -> float:
    """A peak with its unit, in FLOP/s: `304TFLOPS`, `0.99 PFLOP/s`."""
    found = RATE.fullmatch(text)
    number = float(found[1]) * PREFIXES[found[2]] if found else 0.0
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"`{text}` is no rate above 0; write it like 304TFLOPS")
    return number


def duration(text: str) -> float:
    """Seconds, above 0."""
    try:
        number = float(text)
    except ValueError:
        number = 0.0
    if not 0 < number < math.inf:
        raise argparse.ArgumentTypeError(f"`{text}` is no number of seconds above 0")
    return number
