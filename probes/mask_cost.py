#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6"]
# [tool.stilltrue]
# writes = "claims/evidence/masks/cost.json"
# reads = []
# needs = []
# cost = "slow"
# timeout = "600 s"
# plant = ["mask-not-passed", "band-in-blocks"]
# ///
"""What an explicit mask costs in attention, beside the flag that says the same, and what a band of it costs.

Settles:
    On this machine's CPU, forward and with backward: the time of causal attention by a mask over that by the
    flag `is_causal`; whether a mask that allows only a band (a sliding window) is any cheaper than a full
    causal one; what the same band costs when it is computed as a band, in blocks of queries that are given
    only the keys they may see; how each grows with the length; that all of them come to the same numbers.

Needs:
    torch. One CPU thread; no accelerator, no weights, no data set.

Costs:
    Half a minute with the defaults, one core, under 1 GiB of memory.
    `--lengths 256,512 --window 64 --rounds 2` takes seconds.

Cannot settle:
    What an accelerator's kernels do with a mask, where the ratios are others and usually larger; only that
    nothing in the interface makes a mask cheap. What a whole step loses: attention is a part of it
    (`step_profile.py` times a step both ways).

Standard output is one JSON document with every raw time, progress goes to standard error. The clock is the
CPU time of the one thread that works. Each kind is timed once a round, rounds run up and down the kinds in
turn, and a kind's time is the smallest of its rounds, because disturbances only add.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from probe_parts.command_line import ascending, parser_of, positive, seed_number
from probe_parts.output import as_json, say

PLANTS = {
    "mask-not-passed": "the masks are made and the flag is used in their place",
    "band-in-blocks": "the band mask is replaced by the computation in blocks",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured, as resolved; every field is an argument of the same name.

    Attributes:
        lengths: Tokens, ascending, each a multiple of `window`.
        window: Keys that a row of the band may see, its own among them.
        heads: Attention heads.
        head_dim: Width of a head.
        rounds: How often each kind is timed.
        seed: Of queries, keys and values.
        plant: The fault that is put in; empty for none.
    """

    lengths: tuple[int, ...]
    window: int
    heads: int
    head_dim: int
    rounds: int
    seed: int
    plant: str


Heads = tuple[Tensor, Tensor, Tensor]
"""Queries, keys and values, each (1, heads, tokens, head_dim)."""

Attention = Callable[[Heads], Tensor]


# Four ways to attend -----------------------------------------------------------------------------------


def by_flag(heads: Heads) -> Tensor:
    """Causal attention by `is_causal`."""
    return functional.scaled_dot_product_attention(*heads, is_causal=True)


def by_mask(mask: Tensor, heads: Heads) -> Tensor:
    """Attention by an explicit mask, (tokens, tokens), True where a key may be seen."""
    return functional.scaled_dot_product_attention(*heads, attn_mask=mask)


def in_blocks(window: int, heads: Heads) -> Tensor:
    """A causal band, `window` queries at a time: none sees a key before the block ahead of its own."""
    queries, keys, values = heads
    mixed = []
    for start in range(0, queries.shape[-2], window):
        first = max(0, start - window)
        seen = slice(first, start + window)
        mask = band(window, start + window - first)[start - first :]
        block = queries[..., start : start + window, :]
        mixed.append(by_mask(mask, (block, keys[..., seen, :], values[..., seen, :])))
    return torch.cat(mixed, dim=-2)


def band(window: int, length: int) -> Tensor:
    """The mask of a causal band: a row sees its own key and `window - 1` before it."""
    return torch.ones(length, length, dtype=torch.bool).tril().triu(1 - window)


def ways(length: int, settings: Settings) -> dict[str, Attention]:
    """What is compared at one length, by name; a plant puts one in another's place."""
    found: dict[str, Attention] = {
        "flag": by_flag,
        "mask": partial(by_mask, band(length, length)),
        "band": partial(by_mask, band(settings.window, length)),
        "blocks": partial(in_blocks, settings.window),
    }
    if settings.plant == "mask-not-passed":
        found |= {"mask": by_flag, "band": by_flag}
    elif settings.plant == "band-in-blocks":
        found["band"] = found["blocks"]
    return found


# The clock ---------------------------------------------------------------------------------------------


class Kind(NamedTuple):
    """One thing that is timed."""

    length: int
    way: str
    backward: bool


def random_heads(length: int, settings: Settings) -> Heads:
    """Queries, keys and values of one sequence."""
    size = (1, settings.heads, length, settings.head_dim)
    query, key, value = (torch.randn(size, requires_grad=True) for _ in range(3))
    return query, key, value


def attend(attention: Attention, heads: Heads, upstream: Tensor | None) -> None:
    """Forward alone without `upstream`, the gradient that comes from behind; else forward and backward."""
    if upstream is None:
        with torch.no_grad():
            attention(heads)
    else:
        torch.autograd.grad(attention(heads), heads, upstream)


def works(settings: Settings) -> dict[Kind, Callable[[], None]]:
    """All that is timed."""
    found: dict[Kind, Callable[[], None]] = {}
    for length in settings.lengths:
        heads = random_heads(length, settings)
        upstream = torch.randn_like(heads[0])
        for name, attention in ways(length, settings).items():
            found[Kind(length, name, backward=False)] = partial(attend, attention, heads, None)
            found[Kind(length, name, backward=True)] = partial(attend, attention, heads, upstream)
    return found


def cpu_ms(work: Callable[[], None]) -> float:
    """CPU time that the calling thread spends on `work`, in ms."""
    before = time.thread_time_ns()
    work()
    return (time.thread_time_ns() - before) / 1e6


def time_all(todo: Mapping[Kind, Callable[[], None]], rounds: int) -> dict[Kind, list[float]]:
    """All works, interleaved; each is done once untimed before."""
    times: dict[Kind, list[float]] = {kind: [] for kind in todo}
    for work in todo.values():
        work()
    for number in range(rounds):
        for kind in todo if number % 2 == 0 else reversed(tuple(todo)):
            times[kind].append(round(cpu_ms(todo[kind]), 3))
        say(f"timed round {number + 1} of {rounds}")
    return times


# The whole ---------------------------------------------------------------------------------------------


def differences(settings: Settings) -> dict[str, float]:
    """How far apart, at the longest length, ways that say the same come out."""
    length = settings.lengths[-1]
    heads = random_heads(length, settings)
    with torch.no_grad():
        mixed = {name: attention(heads) for name, attention in ways(length, settings).items()}
    return {
        "flag_and_mask": (mixed["flag"] - mixed["mask"]).abs().max().item(),
        "band_and_blocks": (mixed["band"] - mixed["blocks"]).abs().max().item(),
        "mask_and_band": (mixed["mask"] - mixed["band"]).abs().max().item(),
    }


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    torch.set_num_threads(1)
    torch.manual_seed(settings.seed)
    apart = differences(settings)
    times = time_all(works(settings), settings.rounds)
    return {
        "settings": settings,
        "machine": {
            "cores": os.cpu_count(),
            "threads": torch.get_num_threads(),
            "instructions": torch.backends.cpu.get_cpu_capability(),
            "system": f"{platform.system()} {platform.machine()}",
            "torch": torch.__version__,
        },
        "differences": apart,
        "points": [
            {"length": kind.length, "way": kind.way, "backward": kind.backward, "min_ms": min(ms), "ms": ms}
            for kind, ms in times.items()
        ],
    }


# The command line --------------------------------------------------------------------------------------


def lengths(text: str) -> tuple[int, ...]:
    """Different lengths, ascending, at least two."""
    numbers = ascending(text)
    if len(numbers) < 2:
        raise argparse.ArgumentTypeError("needs at least 2 different lengths, to see how times grow")
    return numbers


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--lengths", type=lengths, default=(1024, 2048, 4096), help="tokens in a sequence, with commas")
    add("--window", type=positive, default=128, help="keys that a row of the band may see")
    add("--heads", type=positive, default=2, help="attention heads")
    add("--head-dim", type=positive, default=64, help="width of a head")
    add("--rounds", type=positive, default=7, help="how often each kind is timed")
    add("--seed", type=seed_number, default=0, help="of queries, keys and values")
    settings = Settings(**vars(parser.parse_args(argv)))
    odd = [length for length in settings.lengths if length % settings.window or length == settings.window]
    if odd:
        parser.error(f"length {odd[0]} is no multiple of --window {settings.window} beyond it")
    return settings


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
