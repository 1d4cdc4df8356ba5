"""What was found, in the words of what is stated."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from stilltrue.quantity.algebra import same_dimension
from stilltrue.quantity.show import show_value
from stilltrue.quantity.style import format_like
from stilltrue.quantity.values import Form, Items, Quantity, Stated, Value

_MOST_MORE = 12
"""More digits than this behind the author's own tell nothing apart that matters."""


def found_text(
    stated: Stated, low: Value, high: Value, spread: tuple[Value, Value] | None = None, *, apart: bool = False
) -> str:
    """What was found, as the author would write it.

    Args:
        stated: Whose style it takes.
        low: The value found, or the lower end of an interval, or the smallest reading.
        high: Equal to `low` unless an interval or several readings were found.
        spread: Mean and deviation, where several readings were found.
        apart: Whether the two disagree: then more digits are written where the author's would hide it.
    """
    if stated.form is Form.SPREAD and spread is not None:
        return format_like(Items(spread), stated)
    if stated.form is Form.RANGE:
        return format_like(Items((low, high)), stated)
    if isinstance(low, Quantity) and isinstance(high, Quantity) and low != high:
        return _interval_text(stated, low, high, apart=apart)
    text = _shown(stated, low, apart=apart)
    return text if low == high else f"{text} to {_shown(stated, high, apart=apart)}"


def _interval_text(stated: Stated, low: Quantity, high: Quantity, *, apart: bool) -> str:
    """Both ends of an interval, in the stated unit, with more digits than the author's: they stay true.

    Half a digit is what an interval is about: `5 s` leaves 4.5 s to 5.5 s open. An end is exact where that
    takes two more digits at most; else it has one more, or as many as it takes to tell the ends apart.
    """
    if not same_dimension(low.unit, stated.unit) or not same_dimension(high.unit, stated.unit):
        return f"{show_value(low)} to {show_value(high)}"
    one, other = sorted((low.to(stated.unit), high.to(stated.unit)))
    room = min((n.ulp for n in stated.numerals), default=max(abs(one), abs(other)) / 1000)
    inward = apart != (stated.form is Form.BOUND)  # as the interval judged, so the one that is shown
    down, up = (ceil, floor) if inward else (floor, ceil)
    for digits in range(1, _MOST_MORE):
        ends = _stepped(one, room, digits, down), _stepped(other, room, digits, up)
        if ends[0] < ends[1]:
            one, other = ends
            break
    texts = [show_value(Quantity(end, stated.unit)) for end in (one, other)]
    return texts[0] if texts[0] == texts[1] else " to ".join(texts)


def _stepped(number: Fraction, room: Fraction, digits: int, rounding: Callable[[Fraction], int]) -> Fraction:
    """`number` to so many digits more than `room` is worth; as it is where two more say it exactly."""
    if (number * 100 / room).denominator == 1:
        return number
    step: Fraction = room / 10**digits
    return rounding(number / step) * step


def _shown(stated: Stated, value: Value, *, apart: bool) -> str:
    text = format_like(value, stated)
    if not isinstance(value, Quantity) or not same_dimension(value.unit, stated.unit):
        return text
    number = value.to(stated.unit)
    room = max((n.ulp for n in stated.numerals), default=Fraction(0))
    if stated.form is Form.BOUND or (apart and (text == stated.text or abs(number) < room / 2)):
        return show_value(Quantity(number, stated.unit))
    return text
