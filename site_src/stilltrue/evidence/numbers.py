"""Exact statistics over fractions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

from stilltrue.quantity import Unit

_DIGITS = 40
"""Significant digits of a square root that is no fraction."""


class Numbers(NamedTuple):
    """Several numbers in one unit."""

    values: list[Fraction]
    unit: Unit


def total(values: Sequence[Fraction]) -> Fraction:
    """The sum: over a common denominator, so that a million decimals stay quick."""
    numerators, denominator = _scaled(values)
    return Fraction(sum(numerators), denominator)


def mean(values: Sequence[Fraction]) -> Fraction:
    """The arithmetic mean."""
    return total(values) / len(values)


def median(values: Sequence[Fraction]) -> Fraction:
    """The middle value, or the mean of the two in the middle."""
    return percentile(values, Fraction(1, 2))


def percentile(values: Sequence[Fraction], share: Fraction) -> Fraction:
    """The value below which a share (0 to 1) lies, linear between neighbours.

    This is definition 7 of Hyndman and Fan, Sample Quantiles in Statistical Packages (1996).
    """
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    below = math.floor(position)
    rest = position - below
    if rest == 0:
        return ordered[below]
    return ordered[below] + rest * (ordered[below + 1] - ordered[below])


def sample_std(values: Sequence[Fraction]) -> Fraction:
    """The standard deviation of a sample, divided by n - 1; wants two values or more."""
    return _root(_squares(values) / (len(values) - 1))


def population_std(values: Sequence[Fraction]) -> Fraction:
    """The standard deviation of a whole population, divided by n."""
    return _root(_squares(values) / len(values))


def _squares(values: Sequence[Fraction]) -> Fraction:
    """The sum of squared distances from the mean: sum(x²) - (sum x)²/n, exact."""
    numerators, denominator = _scaled(values)
    squared = sum(n * n for n in numerators)
    return Fraction(len(values) * squared - sum(numerators) ** 2, len(values) * denominator * denominator)


def _scaled(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """The same values as whole numbers over their common denominator."""
    denominator = math.lcm(*{value.denominator for value in values})
    return [value.numerator * (denominator // value.denominator) for value in values], denominator


def _root(value: Fraction) -> Fraction:
    """The square root: exact where it is a fraction, else to 40 significant digits, rounded down."""
    numerator, denominator = math.isqrt(value.numerator), math.isqrt(value.denominator)
    if numerator * numerator == value.numerator and denominator * denominator == value.denominator:
        return Fraction(numerator, denominator)
    product = value.numerator * value.denominator
    scale = 10 ** max(0, _DIGITS - len(str(product)) // 2) if product.bit_length() < 4096 else 1
    return Fraction(math.isqrt(product * scale * scale), value.denominator * scale)
