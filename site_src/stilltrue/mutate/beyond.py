"""How far is far enough: the numbers just beyond what agrees with a stated value, and those far beyond.

Everything is exact and in the stated unit. The room is computed from the digits, the sign and the tolerance
by the rules of agreement, and not by asking whether something agrees: that is what is being tested.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import NamedTuple

from stilltrue.model import Found
from stilltrue.quantity import Form, Numeral, Quantity, Sign, Stated, Tolerance, Unit
from stilltrue.quantity.spans import half_width, is_count

FAR = 9
"""How many times itself a number is moved when it is moved far: to ten times what it was."""

LOWER = frozenset({Sign.AT_LEAST, Sign.MORE_THAN})
"""The signs of a bound that lies below."""


class Span(NamedTuple):
    """Found as an interval in the stated unit; both ends are equal where it is one number."""

    low: Fraction
    high: Fraction


class Outside(NamedTuple):
    """The numbers nearest to what agrees that no longer do; None where nothing lies beyond.

    Attributes:
        up: Above it; None for a lower bound.
        down: Below it; None for an upper bound.
    """

    up: Fraction | None
    down: Fraction | None


def span_of(stated: Stated, found: Found) -> Span | None:
    """Found in the stated unit, None where it is no number."""
    if not isinstance(found.low, Quantity) or not isinstance(found.high, Quantity) or not stated.numerals:
        return None
    low, high = sorted((found.low.to(stated.unit), found.high.to(stated.unit)))
    return Span(low, high)


def may_be_negative(unit: Unit) -> bool:
    """Whether values in a unit go below 0 as a matter of course: differences of shares, temperatures, dB."""
    return unit.symbol == "pp" or any(name in {"temperature", "level"} for name, _ in unit.dimension)


def outside(stated: Stated, *, rounds: bool, tolerance: Tolerance | None) -> Outside:
    """What found would have to be not to agree any more, one digit beyond.

    Args:
        stated: A value with numbers.
        rounds: Whether a whole stated number may be what was found, rounded.
        tolerance: The claim's tolerance.
    """
    first, last = stated.numerals[0], stated.numerals[-1]
    if stated.form is Form.BOUND:
        lower = stated.sign in LOWER
        return Outside(
            None if lower else first.number + first.ulp, first.number - first.ulp if lower else None
        )
    if stated.form is Form.RANGE:
        return Outside(
            last.number + half_width(stated, last) + last.ulp,
            first.number - half_width(stated, first) - first.ulp,
        )
    room = _room(stated, rounds) if tolerance is None else reach_of(stated, tolerance)
    return Outside(first.number + room + first.ulp, first.number - room - first.ulp)


def _room(stated: Stated, rounds: bool) -> Fraction:
    if stated.form is Form.EXACTLY or (stated.form is Form.NUMBER and is_count(stated) and not rounds):
        return Fraction(0)
    return half_width(stated, stated.numerals[0])


def reach_of(stated: Stated, tolerance: Tolerance) -> Fraction:
    """How far a tolerance reaches around a stated number."""
    if tolerance.relative:
        return abs(stated.numerals[0].number) * tolerance.amount.base
    return tolerance.amount.to(stated.unit)


def digits_above(numeral: Numeral, limit: Fraction) -> Fraction:
    """The smallest number of as many digits as the numeral that lies above the limit."""
    return (floor(limit / numeral.ulp) + 1) * numeral.ulp


def digits_below(numeral: Numeral, limit: Fraction) -> Fraction:
    """The largest number of as many digits as the numeral that lies below the limit."""
    return (ceil(limit / numeral.ulp) - 1) * numeral.ulp


def far_above(number: Fraction, *others: Fraction) -> Fraction:
    """Ten times a number, or as far above it where it or its companions are not positive."""
    return number + FAR * max(abs(each) for each in (number, *others))


def far_below(number: Fraction, *others: Fraction, signed: bool) -> Fraction:
    """0 for what cannot be less, else as far below a number as `far_above` is above it."""
    if not signed and number > 0:
        return Fraction(0)
    return number - FAR * max(abs(each) for each in (number, *others))
