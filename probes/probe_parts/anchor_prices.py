"""What a fixed width of a batch costs against the width it needs, over a distribution; no probe itself.

Samples have a number of possible anchors each, of which at most `most` are used. A batch is drawn at random,
with replacement. Expected values are sums over the distribution of its largest, and nothing is drawn.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Price:
    """Batches of one size, on average; widths in blocks for each sample.

    Attributes:
        batch: Samples in a batch.
        needed: The width that the widest sample needs.
        one_less: The width with the fault that takes one less.
        fixed: The width that is always enough.
        rounded: The width needed, rounded up to a multiple.
        times: `fixed` over `needed`.
        times_one_less: `fixed` over `one_less`.
        times_rounded: `rounded` over `needed`.
        full_when_needed: Share of the blocks that hold an anchor at the width needed.
        full_when_fixed: The same at the fixed width.
        bitten: Share of the batches that lose an anchor to the fault.
    """

    batch: int
    needed: float
    one_less: float
    fixed: int
    rounded: float
    times: float
    times_one_less: float
    times_rounded: float
    full_when_needed: float
    full_when_fixed: float
    bitten: float


def price(counts: Sequence[int], batch: int, most: int, multiple: int) -> Price:
    """Reckon one size of batch over samples with these counts."""
    ordered = sorted(counts)

    def up_to(count: int) -> float:
        """The chance that no sample of a batch has more."""
        return (bisect_right(ordered, count) / len(ordered)) ** batch

    needed = mean_width(up_to, lambda widest: max(1, min(most, widest)), most)
    one_less = mean_width(up_to, lambda widest: max(1, min(most, widest - 1)), most + 1)
    rounded = mean_width(up_to, lambda widest: min(most, max(1, -(-widest // multiple)) * multiple), most)
    kept = sum(min(most, count) for count in ordered) / len(ordered)
    return Price(
        batch=batch,
        needed=needed,
        one_less=one_less,
        fixed=most,
        rounded=rounded,
        times=most / needed,
        times_one_less=most / one_less,
        times_rounded=rounded / needed,
        full_when_needed=kept / needed,
        full_when_fixed=kept / most,
        bitten=up_to(most) - up_to(1),
    )


def mean_width(up_to: Callable[[int], float], width: Callable[[int], int], last: int) -> float:
    """The mean of a width that grows with the widest sample, and no more beyond `last`."""
    return width(0) + sum(
        (width(widest) - width(widest - 1)) * (1 - up_to(widest - 1)) for widest in range(1, last + 1)
    )
