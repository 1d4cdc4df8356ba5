"""How much room the written digits of a value leave: the basis of agreement and of reported operands."""

from __future__ import annotations

from fractions import Fraction

from stilltrue.errors import InputError
from stilltrue.quantity.numerals import POWER
from stilltrue.quantity.values import Form, Numeral, Quantity, Stated

_HALF = Fraction(1, 2)
_KEPT = 2


def is_count(stated: Stated) -> bool:
    """Whether a value is a whole number without unit or suffix; nouns are no units: `205 target modules`."""
    return stated.numerals[0].whole and (stated.unit.symbol == "" or stated.unit.noun)


def about_ulp(numeral: Numeral) -> Fraction:
    """What the last digit that counts is worth after `~`.

    Zeros that end a whole number beyond its second digit are no digits: `~100` is 95 to 105.
    """
    digits = whole_digits(numeral.text)
    zeros = len(digits) - len(digits.rstrip("0"))
    dropped: int = max(0, min(zeros, len(digits) - _KEPT))
    return numeral.ulp * Fraction(10**dropped)


def whole_digits(text: str) -> str:
    """The digits of a numeral's mantissa where it has no decimal point and is no clock time, else nothing."""
    mantissa = _mantissa(text)
    if "." in mantissa or ":" in mantissa:
        return ""
    return "".join(sign for sign in mantissa if sign in "0123456789").lstrip("0")


def _mantissa(text: str) -> str:
    if POWER.match(text):  # `10^20` has no mantissa: its one digit is the first
        return "1"
    for mark in ("e", "E", "×", "x", "·", "⋅", "*"):
        text = text.partition(mark)[0]
    return text


def half_width(stated: Stated, numeral: Numeral) -> Fraction:
    """Half a unit of the last written digit, in the stated unit."""
    return (about_ulp(numeral) if stated.form is Form.ABOUT else numeral.ulp) * _HALF


def interval(stated: Stated) -> tuple[Quantity, Quantity]:
    """What the digits of a reported value leave open, as its two ends.

    Exact values and whole counts are themselves; a range spans its ends; of a `±` it is the mean's digits.

    Raises:
        InputError: `bad-derive`: a bound, yes or no, a list or a text cannot be calculated with.
    """
    if not stated.numerals or stated.form is Form.BOUND:
        raise InputError(
            "bad-derive",
            f"`{stated.text}` cannot be calculated with",
            "use claims that state one number, a range or a ±",
        )
    first, last = stated.numerals[0], stated.numerals[-1]
    if stated.form is Form.RANGE:
        return Quantity(first.number, stated.unit), Quantity(last.number, stated.unit)
    if stated.form is Form.EXACTLY or (stated.form is Form.NUMBER and is_count(stated)):
        return Quantity(first.number, stated.unit), Quantity(first.number, stated.unit)
    room = half_width(stated, first)
    return Quantity(first.number - room, stated.unit), Quantity(first.number + room, stated.unit)
