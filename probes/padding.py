#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/padding/padding.json"
# reads = ["claims/evidence/padding/lengths.csv"]
# needs = []
# cost = "cheap"
# timeout = "120 s"
# plant = ["resort-in-bucket"]
# ///
"""What padding costs a run, and what pairing samples of near-equal length saves, from the lengths alone.

Settles:
    How long a corpus's samples are; what share of the tokens in its micro-batches is padding when they are
    put together at random; what a cap on the length takes away, in samples and in tokens; how much padding
    is left when micro-batches are made of samples of near-equal length, over a sweep of bucket sizes; from
    how many source documents (roots) an accumulation window then draws; that the widest micro-batch stays as
    wide; and what all that saves by a step-time fit `A*w + B*w**2` that is given.

Needs:
    The lengths of your samples: a CSV, TSV, JSON Lines or Parquet file, or the folder of a tokenised data
    set (the last two need pyarrow), with a column that names each sample's root if roots are to be counted.
    Or no data at all: `--lognormal 7.811 0.78 7104` makes a corpus of that shape.

Costs:
    A few seconds and one core for some ten thousand samples.

Cannot settle:
    Whether a run learns as well: roots per window are a count, no loss. Whether your step time follows A and
    B: probes/step_profile.py shows how to find out, and the defaults are another run's, as it reported them.
    What packing several samples into one sequence would save: nothing is packed here.

Micro-batches are made in three ways. At random: of the shuffled corpus. Sorted first: the sorted corpus is
cut into buckets of K micro-batches, each bucket is shuffled, and micro-batches are cut from it. Shuffled
first: the shuffled corpus is cut into buckets of K micro-batches, each is sorted, and micro-batches are cut
from it. Then all micro-batches are shuffled, which `roots_in_order` leaves out. Each way is gone several
times, from the same shuffles on every machine, and the means are given beside the smallest and the largest.

A sweep that varies nothing is refused. The fault `resort-in-bucket` sorts each bucket again after its
shuffle, so that every bucket size comes to one and the same sorted corpus.
"""

from __future__ import annotations

import argparse
import json
import math
from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from probe_parts.batching import (
    Arrange,
    Batches,
    Cost,
    Dice,
    Recipe,
    at_random,
    bucket_count,
    cost_of,
    roots_per_window,
    shuffled_first,
    sorted_first,
)
from probe_parts.command_line import ascending, parser_of, positive, seed_number
from probe_parts.output import say
from probe_parts.sample_lengths import Columns, Corpus, LengthsError, lognormal, read

LENGTHS = Path("claims/evidence/padding/lengths.csv")
LOGNORMAL = (7.811, 0.78, 7104)
"""Fitted to a reported cap of 8,192 tokens that drops 6.2 % of the samples and 22.4 % of the tokens."""

REPORTED = (6.87e-4, 8.85e-8)
"""A and B of a step-time fit, in s/token and s/token^2, as a private engineering log reports them
(commit 7b5fd91d3c): another model on another machine. Give your own."""

ORDERS: dict[str, Arrange] = {"sorted_first": sorted_first, "shuffled_first": shuffled_first}
QUANTILES = (1, 5, 10, 25, 50, 75, 90, 95, 99)
PLANT = "resort-in-bucket"
PLANTS = {PLANT: "each bucket is sorted again after its shuffle"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is reckoned, as resolved.

    Attributes:
        micro_batch: Samples in a micro-batch.
        accumulate: Micro-batches in an accumulation window.
        sizes: Micro-batches in a bucket, ascending: the sweep.
        caps: Lengths at which to say what a cap takes away.
        max_length: Samples that are longer are cut to it before they are batched.
        linear: A, in s/token.
        quadratic: B, in s/token^2.
        shuffles: How often each way is gone.
        seed: Of the first shuffle; the others count on from it.
        plant: A fault to put in, or nothing.
    """

    micro_batch: int
    accumulate: int
    sizes: tuple[int, ...]
    caps: tuple[int, ...]
    max_length: int
    linear: float
    quadratic: float
    shuffles: int
    seed: int
    plant: str


# Lengths -----------------------------------------------------------------------------------------------


def distribution(lengths: Sequence[int]) -> dict[str, Any]:
    """How long the samples are: quantiles, and a histogram whose bins double."""
    ordered = sorted(lengths)
    total = sum(ordered)
    return {
        "samples": len(ordered),
        "tokens": total,
        "mean": total / len(ordered),
        "min": ordered[0],
        **{f"p{percent}": quantile(ordered, percent) for percent in QUANTILES},
        "max": ordered[-1],
        "histogram": histogram(ordered, total),
    }


def quantile(ordered: Sequence[int], percent: int) -> float:
    """The length below which `percent` of the samples lie, linear between the two nearest."""
    whole, part = divmod((len(ordered) - 1) * percent, 100)
    above = ordered[min(whole + 1, len(ordered) - 1)]
    return ordered[whole] + (above - ordered[whole]) * part / 100


def histogram(ordered: Sequence[int], total: int) -> list[dict[str, Any]]:
    """Bins from each power of two to below the next: shares of the samples, and of the tokens in them."""
    bins = []
    for power in range(ordered[0].bit_length() - 1, ordered[-1].bit_length()):
        low, high = 1 << power, (2 << power) - 1
        inside = ordered[bisect_right(ordered, low - 1) : bisect_right(ordered, high)]
        bins.append(
            {
                "range": f"{low:,}-{high:,}" if high > low else f"{low}",
                "from": low,
                "to": high,
                "samples": len(inside),
                "sample_share": len(inside) / len(ordered),
                "token_share": sum(inside) / total,
            }
        )
    return bins


def capped(lengths: Sequence[int], cap: int) -> dict[str, Any]:
    """What a cap takes away when longer samples are dropped, and when they are truncated to it."""
    total = sum(lengths)
    above = [length for length in lengths if length > cap]
    return {
        "cap": cap,
        "above": len(above),
        "samples": len(above) / len(lengths),
        "tokens_when_dropped": sum(above) / total,
        "tokens_when_truncated": sum(length - cap for length in above) / total,
    }


# The sweep ---------------------------------------------------------------------------------------------


class Tried(NamedTuple):
    """One way of making micro-batches, gone once.

    Attributes:
        cost: What they come to.
        roots: Distinct roots per window once the micro-batches are shuffled; None where there are no roots.
        in_order: The same before they are shuffled.
    """

    cost: Cost
    roots: float | None
    in_order: float | None


def tried(corpus: Corpus, arrange: Arrange, recipe: Recipe, settings: Settings) -> list[Tried]:
    """One way, once with each shuffle."""
    found = []
    for seed in range(settings.seed, settings.seed + settings.shuffles):
        dice = Dice(seed)
        batches = arrange(corpus.lengths, recipe, dice)
        mixed = dice.shuffled(batches)
        cost = cost_of(corpus.lengths, batches)
        found.append(Tried(cost, _roots(corpus, mixed, settings), _roots(corpus, batches, settings)))
    return found


def _roots(corpus: Corpus, batches: Batches, settings: Settings) -> float | None:
    return roots_per_window(corpus.roots, batches, settings.accumulate) if corpus.roots else None


def summary(several: Sequence[Tried]) -> dict[str, Any]:
    """Means over the shuffles, and how far they spread."""
    padding = [one.cost.padding for one in several]
    return {
        "padding": fmean(padding),
        "padding_least": min(padding),
        "padding_most": max(padding),
        "peak_width": max(one.cost.peak_width for one in several),
        "roots": _mean([one.roots for one in several]),
        "roots_in_order": _mean([one.in_order for one in several]),
    }


def _mean(values: Sequence[float | None]) -> float | None:
    there = [value for value in values if value is not None]
    return fmean(there) if there else None


def swept(corpus: Corpus, settings: Settings) -> dict[str, Any]:
    """The micro-batches made at random, and the sweep of bucket sizes in both orders."""
    plain = tried(corpus, at_random, Recipe(settings.micro_batch, 1), settings)
    sweeps = {
        name: [swept_row(corpus, arrange, size, plain, settings) for size in settings.sizes]
        for name, arrange in ORDERS.items()
    }
    return {"random": summary(plain), "sweep": sweeps}


def swept_row(
    corpus: Corpus, arrange: Arrange, size: int, plain: Sequence[Tried], settings: Settings
) -> dict[str, Any]:
    """One bucket size: its padding, and its predicted saving over the micro-batches made at random."""
    recipe = Recipe(settings.micro_batch, size, resort=settings.plant == PLANT)
    several = tried(corpus, arrange, recipe, settings)
    pairs = zip(several, plain, strict=True)
    return {
        "bucket": size,
        "buckets": bucket_count(len(corpus.lengths), recipe),
        **summary(several),
        "saving": fmean(1 - seconds(one, settings) / seconds(other, settings) for one, other in pairs),
    }


def seconds(one: Tried, settings: Settings) -> float:
    """The time that the fit predicts."""
    return one.cost.seconds(settings.linear, settings.quadratic)


def refusal(corpus: Corpus, settings: Settings) -> str:
    """Why the sweep would vary nothing; empty where it would vary something."""
    counts = {bucket_count(len(corpus.lengths), Recipe(settings.micro_batch, k)) for k in settings.sizes}
    if len(settings.sizes) < 2:
        return "a sweep needs two bucket sizes at least: give more to --sizes"
    if len(counts) < 2:
        return (
            f"every bucket size comes to the same buckets of {len(corpus.lengths):,} samples, "
            "so the sweep varies nothing: give smaller --sizes, or a smaller --micro-batch"
        )
    if len(set(corpus.lengths)) < 2:
        return "all samples are of one length, so there is no padding to save and the sweep varies nothing"
    if settings.micro_batch < 2:
        return "a micro-batch of one sample has no padding, so the sweep varies nothing: give --micro-batch"
    return ""


# The whole ---------------------------------------------------------------------------------------------


def report(name: str, corpus: Corpus, settings: Settings) -> dict[str, Any]:
    """All that is said about one corpus.

    Raises:
        LengthsError: Its sweep would vary nothing.
    """
    cut = Corpus(tuple(min(length, settings.max_length) for length in corpus.lengths), corpus.roots)
    why_not = refusal(cut, settings)
    if why_not:
        raise LengthsError(f"{name}: {why_not}")
    say(f"{name}: {len(corpus.lengths):,} samples")
    return {
        "source": name,
        "roots": len(set(corpus.roots)) or None,
        "lengths": distribution(corpus.lengths),
        "caps": [capped(corpus.lengths, cap) for cap in settings.caps],
        **swept(cut, settings),
    }


def corpora(options: Mapping[str, Any]) -> dict[str, tuple[str, Corpus]]:
    """What was asked for by `--lengths` and `--lognormal`, or both of their defaults; each with its name.

    Raises:
        LengthsError: One cannot be read.
    """
    path, shape = options["lengths"], options["lognormal"]
    if path is None and shape is None:
        path, shape = LENGTHS, LOGNORMAL
    found = {}
    if path is not None:
        found["corpus"] = (path.as_posix(), read(path, Columns(options["column"], options["root"])))
    if shape is not None:
        mu, sigma, count = shape
        name = f"lognormal, mu {mu:g}, sigma {sigma:g}, {count:,.0f} samples"
        found["lognormal"] = (name, lognormal(mu, sigma, count))
    return found


# The command line --------------------------------------------------------------------------------------


def number(text: str) -> float:
    """A number."""
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no number") from None


def coefficient(text: str) -> float:
    """A number that is 0 or above."""
    found = number(text)
    if not 0 <= found < math.inf:
        raise argparse.ArgumentTypeError(f"must be 0 or above, not {text}")
    return found


ARGUMENTS: tuple[tuple[str, Callable[[str], object], object, str], ...] = (
    ("--lengths", Path, None, f"a file of lengths, or a saved data set; {LENGTHS} with neither of the two"),
    ("--column", str, "", "its column of lengths or tokens, where it has an unusual name"),
    ("--root", str, "", "its column of source documents, where that is not called root"),
    ("--micro-batch", positive, 2, "samples in a micro-batch"),
    ("--accumulate", positive, 8, "micro-batches in an accumulation window"),
    ("--sizes", ascending, (2, 4, 8, 16, 32, 64, 128, 256, 512), "micro-batches in a bucket, with commas"),
    ("--caps", ascending, (256, 8192), "lengths at which to say what a cap takes away, with commas"),
    ("--max-length", positive, 16384, "longer samples are cut to it before they are batched"),
    ("--linear", coefficient, REPORTED[0], "A of the step-time fit, in s/token; the default is reported"),
    ("--quadratic", coefficient, REPORTED[1], "B of the step-time fit, in s/token^2; likewise"),
    ("--shuffles", positive, 4, "how often each way of batching is gone"),
    ("--seed", seed_number, 0, "of the first shuffle"),
)
"""Name, reader, default, meaning."""


def parser() -> argparse.ArgumentParser:
    """The command line."""
    made = parser_of(__doc__, PLANTS)
    for name, reader, default, meaning in ARGUMENTS:
        made.add_argument(name, type=reader, default=default, help=meaning)
    made.add_argument(
        "--lognormal", type=number, nargs=3, metavar=("MU", "SIGMA", "N"), help="a corpus of that shape"
    )
    return made


def document(options: Mapping[str, Any]) -> dict[str, Any]:
    """Everything that goes to standard output.

    Raises:
        LengthsError: A corpus cannot be read, or its sweep would vary nothing.
    """
    settings = Settings(**{name: options[name] for name in Settings.__slots__})
    reports = {key: report(*found, settings) for key, found in corpora(options).items()}
    fit = "reported" if (settings.linear, settings.quadratic) == REPORTED else "given"
    return {"settings": {**asdict(settings), "fit": fit}, **reports}


def main(argv: Sequence[str] | None = None) -> None:
    """Reckon, and print the document."""
    options = vars(parser().parse_args(argv))
    if options["linear"] == options["quadratic"] == 0:
        parser().error("--linear and --quadratic are both 0: a step would take no time")
    try:
        found = document(options)
    except LengthsError as error:
        raise SystemExit(f"padding.py: {error}") from None
    print(json.dumps(found, indent=2, allow_nan=False))


if __name__ == "__main__":
    main()
