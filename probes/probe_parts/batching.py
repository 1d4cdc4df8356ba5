"""Samples to micro-batches, and what the micro-batches cost; shared by probes, no probe itself.

A micro-batch is a list of indices into the corpus; it is as wide as its longest sample, and what its other
samples lack of that is padding.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeVar

_Item = TypeVar("_Item")

Batches = list[list[int]]
"""Micro-batches in the order in which a run would take them."""


class Dice:
    """Shuffles that are the same on every machine and Python: of `random`, only `random()` is promised so."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed).random  # noqa: S311  # an order of samples, no secret

    def shuffled(self, items: Sequence[_Item]) -> list[_Item]:
        """The items in a random order (Fisher and Yates)."""
        mixed = list(items)
        for last in range(len(mixed) - 1, 0, -1):
            other = int(self._draw() * (last + 1))
            mixed[last], mixed[other] = mixed[other], mixed[last]
        return mixed


# Arrangements ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Recipe:
    """How micro-batches are made.

    Attributes:
        micro: Samples in a micro-batch.
        bucket: Micro-batches in a bucket.
        resort: The plant: each bucket is sorted again after it was shuffled, so that its size means nothing.
    """

    micro: int
    bucket: int
    resort: bool = False


Arrange = Callable[[Sequence[int], Recipe, Dice], Batches]


def at_random(lengths: Sequence[int], recipe: Recipe, dice: Dice) -> Batches:
    """Samples as a shuffle brings them together; the bucket is of no account."""
    return cut(dice.shuffled(range(len(lengths))), recipe.micro)


def sorted_first(lengths: Sequence[int], recipe: Recipe, dice: Dice) -> Batches:
    """Buckets cut from the sorted corpus, shuffled inside: the smaller the bucket, the nearer the lengths.

    Samples of one length come in a random order, so that no document stays together by it.
    """
    ordered = sorted(dice.shuffled(range(len(lengths))), key=lengths.__getitem__)
    batches: Batches = []
    for bucket in cut(ordered, recipe.bucket * recipe.micro):
        mixed = dice.shuffled(bucket)
        if recipe.resort:
            mixed.sort(key=lengths.__getitem__)
        batches += cut(mixed, recipe.micro)
    return batches


def shuffled_first(lengths: Sequence[int], recipe: Recipe, dice: Dice) -> Batches:
    """Buckets cut from the shuffled corpus, sorted inside: the larger the bucket, the nearer the lengths."""
    batches: Batches = []
    for bucket in cut(dice.shuffled(range(len(lengths))), recipe.bucket * recipe.micro):
        batches += cut(sorted(bucket, key=lengths.__getitem__), recipe.micro)
    return batches


def cut(items: Sequence[int], size: int) -> Batches:
    """Consecutive parts of `size`; the last may be shorter."""
    return [list(items[start : start + size]) for start in range(0, len(items), size)]


def bucket_count(samples: int, recipe: Recipe) -> int:
    """How many buckets the corpus comes to."""
    return -(-samples // (recipe.bucket * recipe.micro))


# What they cost ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Cost:
    """Sums over all micro-batches; whole numbers, so that no machine rounds them another way.

    Attributes:
        tokens: Tokens of the samples.
        slots: Tokens with padding: each sample at the width of its micro-batch.
        squares: The squares of those widths, summed over samples.
        peak_width: The largest width.
    """

    tokens: int
    slots: int
    squares: int
    peak_width: int

    @property
    def padding(self) -> float:
        """The share of slots that hold no token."""
        return (self.slots - self.tokens) / self.slots

    def seconds(self, linear: float, quadratic: float) -> float:
        """The time by a step-time fit: `linear` * w + `quadratic` * w**2 for each sample at its width w."""
        return linear * self.slots + quadratic * self.squares


def cost_of(lengths: Sequence[int], batches: Batches) -> Cost:
    """What the micro-batches come to."""
    tokens = slots = squares = peak = 0
    for batch in batches:
        own = [lengths[i] for i in batch]
        width = max(own)
        tokens += sum(own)
        slots += width * len(own)
        squares += width * width * len(own)
        peak = max(peak, width)
    return Cost(tokens, slots, squares, peak)


def roots_per_window(roots: Sequence[str], batches: Batches, accumulate: int) -> float | None:
    """Distinct roots among the samples of an accumulation window, on average over the whole windows.

    None where the corpus does not fill one window.
    """
    whole = len(batches) // accumulate * accumulate
    windows = [batches[start : start + accumulate] for start in range(0, whole, accumulate)]
    return fmean(_distinct(roots, window) for window in windows) if windows else None


def _distinct(roots: Sequence[str], window: Iterable[Sequence[int]]) -> int:
    return len({roots[i] for batch in window for i in batch})
