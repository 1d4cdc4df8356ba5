"""How likely a random number, of as many digits as one that is written, agrees with any value of a file."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from stilltrue.quantity import Form, Quantity, Stated
from stilltrue.quantity.spans import half_width, is_count

SINGLE = (Form.NUMBER, Form.ABOUT, Form.EXACTLY)
"""The forms that state one number."""


def chance(stated: Stated, values: Iterable[Quantity]) -> Fraction:
    """The share of the numbers with the digits of a stated one that agree with at least one value.

    `65.2` is one of the 900 numbers from 10.0 to 99.9: of those as many agree as there are different values
    of the file, rounded to a tenth, among them. A bound, or a value of several numbers, gives 1.

    Args:
        stated: The number.
        values: The values of the file that it can be compared with, in units of its dimension.
    """
    if stated.form not in SINGLE:
        return Fraction(1)
    numeral = stated.numerals[0]
    step = 2 * half_width(stated, numeral)
    digits = len(str(abs(round(numeral.number / step))))
    least, most = 10 ** (digits - 1) if digits > 1 else 0, 10**digits
    met: set[int] = set()
    for value in values:
        steps = abs(value.to(stated.unit) / step)
        if is_count(stated) and steps.denominator != 1:
            continue
        if least <= (rounded := round(steps)) < most:
            met.add(rounded)
    return Fraction(min(len(met), most - least), most - least)
