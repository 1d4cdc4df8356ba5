"""The rows of the agreement table: what found may be, for each form in which a value is stated.

Everything here is exact and in the stated unit; dimensions were compared before.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from stilltrue.quantity import Form, Numeral, Quantity, Sign, Stated, Tolerance, Unit
from stilltrue.quantity.spans import half_width, is_count


class Ends(NamedTuple):
    """Found as an interval in the stated unit; both ends are equal where it is one number.

    Attributes:
        low: The lower end, or the smallest reading.
        high: The upper end, or the largest reading.
        rounds: Whether a whole stated number may be this one rounded.
    """

    low: Fraction
    high: Fraction
    rounds: bool = False


def fits(stated: Stated, number: Quantity, *, rounds: bool) -> bool:
    """The first two rows for one found number: the path that nearly every claim takes.

    The same as `meets(room(stated, rounds), …)`, in whole numbers: |found - stated| <= half the last digit.
    """
    numeral = stated.numerals[0]
    found = number.number if number.unit.scale == stated.unit.scale else number.to(stated.unit)
    a, b = found.numerator, found.denominator
    c, d = numeral.number.numerator, numeral.number.denominator
    if is_count(stated) and not rounds:
        return a == c and b == d
    ulp = numeral.ulp
    return 2 * abs(a * d - c * b) * ulp.denominator <= ulp.numerator * b * d


def holds(stated: Stated, ends: Ends) -> bool:
    """Whether a number, a bound or a range agrees with what was found."""
    return _ROWS[stated.form](stated, ends)


def within(stated: Stated, ends: Ends, tolerance: Tolerance) -> bool:
    """Whether found comes within the tolerance of a plain stated number; a percentage is of that number."""
    center = stated.numerals[0].number
    reach = abs(center) * tolerance.amount.base if tolerance.relative else tolerance.amount.to(stated.unit)
    return meets(center - reach, center + reach, ends)


def rounds_to(number: Fraction, stated: Stated, numeral: Numeral) -> bool:
    """Whether a number rounds to a numeral, both ends included."""
    return abs(number - numeral.number) <= half_width(stated, numeral)


def meets(low: Fraction, high: Fraction, ends: Ends) -> bool:
    """Whether found and what is allowed have a number in common."""
    return ends.low <= high and low <= ends.high


def ends_in(unit: Unit, low: Quantity, high: Quantity, *, rounds: bool) -> Ends:
    """Found in the stated unit, its ends in order."""
    one, other = low.to(unit), high.to(unit)
    return Ends(min(one, other), max(one, other), rounds)


def _exactly(stated: Stated, ends: Ends) -> bool:
    number = stated.numerals[0].number
    return meets(number, number, ends)


def _number(stated: Stated, ends: Ends) -> bool:
    numeral = stated.numerals[0]
    room = half_width(stated, numeral)
    if is_count(stated) and not ends.rounds:
        room = Fraction(0)
    return meets(numeral.number - room, numeral.number + room, ends)


def _about(stated: Stated, ends: Ends) -> bool:
    numeral = stated.numerals[0]
    room = half_width(stated, numeral)
    return meets(numeral.number - room, numeral.number + room, ends)


def _bound(stated: Stated, ends: Ends) -> bool:
    number = stated.numerals[0].number
    match stated.sign:
        case Sign.AT_LEAST:
            return ends.low >= number
        case Sign.MORE_THAN:
            return ends.low > number
        case Sign.AT_MOST:
            return ends.high <= number
        case _:
            return ends.high < number


def _range(stated: Stated, ends: Ends) -> bool:
    first, second = stated.numerals
    return rounds_to(ends.low, stated, first) and rounds_to(ends.high, stated, second)


_ROWS: dict[Form, Callable[[Stated, Ends], bool]] = {
    Form.NUMBER: _number,
    Form.EXACTLY: _exactly,
    Form.ABOUT: _about,
    Form.BOUND: _bound,
    Form.RANGE: _range,
}
