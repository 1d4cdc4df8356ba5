"""Where a number lies along an axis, and which numbers are written beside it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

_STEPS = (1, 2, 5, 10)
_FEW = 12


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `low` to `high`; places on it run from 0 to 1.

    Attributes:
        low: Where it begins.
        high: Where it ends, above `low`.
        ticks: The numbers written beside it, ascending, all of them on it.
        log: Whether equal steps are equal ratios.
    """

    low: Fraction
    high: Fraction
    ticks: tuple[Fraction, ...]
    log: bool = False

    def at(self, number: Fraction) -> float:
        """The place of a number, from 0 to 1."""
        if not self.log:
            return float((number - self.low) / (self.high - self.low))
        low, high = math.log(self.low), math.log(self.high)
        return (math.log(number) - low) / (high - low)


def linear(numbers: Sequence[Fraction], *, zero: bool, most: int = 6) -> Scale:
    """A scale of equal steps over some numbers, from tick to tick.

    Args:
        numbers: What it must hold, at least one.
        zero: Whether it must hold 0 too.
        most: How many steps it may have.
    """
    low, high = min(numbers), max(numbers)
    if zero:
        low, high = min(low, Fraction(0)), max(high, Fraction(0))
    if low == high:
        high = low + (abs(low) or 1)
    step = _step((high - low) / most)
    first, last = math.floor(low / step), math.ceil(high / step)
    ticks = tuple(step * at for at in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def _step(least: Fraction) -> Fraction:
    """The smallest of 1, 2 and 5 times a power of ten that is at least so much."""
    power = Fraction(10) ** math.floor(math.log10(least))
    return next((power * step for step in _STEPS if power * step >= least), power * _STEPS[-1])


def logarithmic(numbers: Sequence[Fraction], *, own: bool) -> Scale:
    """A scale of equal ratios over some numbers, all above 0.

    Args:
        numbers: What it must hold, at least one.
        own: Whether the numbers themselves are written beside it, where there are few; else powers of ten.
    """
    low, high = min(numbers), max(numbers)
    if math.log(low) == math.log(high):  # the same, or nearly
        low, high = low / 2, high * 2
    few = sorted(set(numbers))
    if own and len(few) <= _FEW:
        return Scale(low, high, tuple(few), log=True)
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    steps = (1,) if last - first > 2 else _STEPS[:-1]
    ticks = [step * Fraction(10) ** power for power in range(first, last + 1) for step in steps]
    inside = [tick for tick in ticks if low <= tick <= high]
    if own:
        return Scale(low, high, tuple(inside or (low, high)), log=True)
    below = max((tick for tick in ticks if tick <= low), default=low)
    above = min((tick for tick in ticks if tick >= high), default=high)
    return Scale(below, above, tuple(tick for tick in ticks if below <= tick <= above), log=True)
