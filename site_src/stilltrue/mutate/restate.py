"""A stated value, stated otherwise: beyond what agrees with what was found, in every failing direction.

A shifted value is written as its author writes and read again, so that its own digits decide what agrees.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from stilltrue.errors import InputError
from stilltrue.model import Found
from stilltrue.mutate import beyond
from stilltrue.quantity import (
    Flag,
    Form,
    Items,
    Quantity,
    Stated,
    Text,
    Tolerance,
    Units,
    Value,
    decimal_text,
    format_like,
    parse_stated,
)
from stilltrue.quantity.spans import half_width
from stilltrue.quantity.style import exchanged
from stilltrue.quantity.writing import write_like

_DOUBLINGS = 12


def restatements(stated: Stated, found: Found, tolerance: Tolerance | None, units: Units) -> Iterator[Stated]:
    """Every way in which a stated value is shifted; none of them may agree with what was found.

    Args:
        stated: The value as it is, which agrees.
        found: What was found.
        tolerance: The claim's tolerance.
        units: The known units.
    """
    match stated.form:
        case Form.FLAG | Form.TEXT | Form.LIST:
            yield from _worded(stated)
        case Form.RANGE | Form.SPREAD:
            yield from _pair(stated, found, units)
        case Form.BOUND:
            yield from _bound(stated, found, units)
        case _ if tolerance is not None:
            yield from _within(stated, found, tolerance, units)
        case _:
            yield from _number(stated, found, units)


# Numbers -----------------------------------------------------------------------------------------------


def _number(stated: Stated, found: Found, units: Units) -> Iterator[Stated]:
    span = beyond.span_of(stated, found)
    if span is None:
        return
    number = stated.numerals[0].number
    above = past(stated, 0, span.high, units, up=True)
    below = past(stated, 0, span.low, units, up=False)
    yield above
    yield below
    far = _whole(stated, beyond.far_above(span.high, number))
    if far > above.numerals[0].number:
        yield with_number(stated, 0, far, units)
    signed = beyond.may_be_negative(stated.unit)
    far = _whole(stated, beyond.far_below(span.low, number, signed=signed))
    if far < below.numerals[0].number:
        yield with_number(stated, 0, far, units)


def _bound(stated: Stated, found: Found, units: Units) -> Iterator[Stated]:
    """A bound is shifted past what was found: a lower one upward, an upper one downward."""
    span = beyond.span_of(stated, found)
    if span is None:
        return
    number = stated.numerals[0].number
    if stated.sign in beyond.LOWER:
        yield _across(stated, 0, span.low, units, up=True)
        far = beyond.far_above(span.low, number)
    else:
        yield _across(stated, 0, span.high, units, up=False)
        far = beyond.far_below(span.high, number, signed=True)
    yield with_number(stated, 0, _whole(stated, far), units)


def _within(stated: Stated, found: Found, tolerance: Tolerance, units: Units) -> Iterator[Stated]:
    """A number with a tolerance: just out of its reach, and to ten times and, for what has no sign, to 0.

    Of a stated 0, and of a difference, nothing can be said in multiples of itself.
    """
    span = beyond.span_of(stated, found)
    if span is None:
        return
    numeral = stated.numerals[0]
    above, below = _out_of_reach(stated, span, tolerance)
    if above is not None:
        yield _across(stated, 0, above, units, up=True)
    yield _across(stated, 0, below, units, up=False)
    if numeral.number and not beyond.may_be_negative(stated.unit):
        far = beyond.far_above(span.high, numeral.number)
        near = beyond.far_below(span.low, numeral.number, signed=False)
        yield with_number(stated, 0, _whole(stated, far), units)
        yield with_number(stated, 0, _whole(stated, near), units)


def _out_of_reach(
    stated: Stated, span: beyond.Span, tolerance: Tolerance
) -> tuple[Fraction | None, Fraction]:
    """Above and below which stated numbers a tolerance no longer reaches what was found.

    A relative tolerance grows with the number it is of: beyond 100 % it reaches back from anywhere above.
    """
    if not tolerance.relative:
        reach = tolerance.amount.to(stated.unit)
        return span.high + reach, span.low - reach
    share = tolerance.amount.base
    least, most = sorted((abs(span.low), abs(span.high)))
    outward = most / (1 - share) if share < 1 else None
    inward = least / (1 + share)
    if stated.numerals[0].number >= 0:
        return outward, inward
    return -inward, -outward if outward is not None else -beyond.far_above(most)


def _pair(stated: Stated, found: Found, units: Units) -> Iterator[Stated]:
    """Each of the two numbers of a range or a `±`, to both sides; a deviation is never below 0."""
    values = found.spread if stated.form is Form.SPREAD else (found.low, found.high)
    for at, value in enumerate(values or ()):
        if not isinstance(value, Quantity):
            return
        number = value.to(stated.unit)
        yield past(stated, at, number, units, up=True)
        lower = past(stated, at, number, units, up=False)
        if stated.form is Form.RANGE or at == 0 or lower.numerals[at].number >= 0:
            yield lower


def past(stated: Stated, at: int, number: Fraction, units: Units, *, up: bool) -> Stated:
    """One of its numbers shifted until its own digits no longer reach `number`: as little as that takes.

    Digits may widen on the way, as from `~990` to `~1,000` or from `9.99e18` to `1.00e19`.
    """
    room = half_width(stated, stated.numerals[at])
    limit = number + room if up else number - room
    return _across(stated, at, limit, units, up=up, reached=number)


def _across(
    stated: Stated, at: int, limit: Fraction, units: Units, *, up: bool, reached: Fraction | None = None
) -> Stated:
    """One of its numbers shifted across a limit, by as little as its digits allow.

    Args:
        stated: The value.
        at: Which of its numbers.
        limit: What the number must be above, or below.
        units: The known units.
        up: Whether above.
        reached: A number that its digits must not reach either.
    """
    numeral = stated.numerals[at]
    edge = beyond.digits_above(numeral, limit) if up else beyond.digits_below(numeral, limit)
    step = numeral.ulp if up else -numeral.ulp
    for doubling in range(_DOUBLINGS):
        other = with_number(stated, at, edge + step * (2**doubling - 1), units)
        shifted = other.numerals[at]
        across = shifted.number > limit if up else shifted.number < limit
        if across and (reached is None or abs(shifted.number - reached) > half_width(other, shifted)):
            break
    return other


def with_number(stated: Stated, at: int, number: Fraction, units: Units) -> Stated:
    """The stated value with another number in the place of one of its own, which has as many digits.

    It is written and read again, which may round it where a power of ten grows by a digit. Where it cannot be
    written so (a range that would run backwards), only the number is exchanged.
    """
    numeral = stated.numerals[at]
    texts = [each.text for each in stated.numerals]
    texts[at] = write_like(number, numeral)
    text = exchanged(stated, texts)
    again = _read_again(text, stated, units)
    if again is not None and _others_kept(stated, again, at):
        return again
    numerals = list(stated.numerals)
    numerals[at] = replace(numeral, text=texts[at], number=number)
    first = Quantity(numerals[0].number, stated.unit)
    return replace(stated, text=text or decimal_text(number), numerals=tuple(numerals), value=first)


def _read_again(text: str, stated: Stated, units: Units) -> Stated | None:
    try:
        again = parse_stated(text, units, stated.unit) if text else None
    except InputError:
        return None
    if again is None or again.form is not stated.form or len(again.numerals) != len(stated.numerals):
        return None
    return again if again.sign is stated.sign and again.unit.scale == stated.unit.scale else None


def _others_kept(stated: Stated, again: Stated, at: int) -> bool:
    pairs = zip(stated.numerals, again.numerals, strict=True)
    return all(one.number == other.number for place, (one, other) in enumerate(pairs) if place != at)


def _whole(stated: Stated, number: Fraction) -> Fraction:
    """A number made one of as many digits as the stated one."""
    ulp = stated.numerals[0].ulp
    return round(number / ulp) * ulp


# Yes and no, texts, lists ------------------------------------------------------------------------------


def _worded(stated: Stated) -> Iterator[Stated]:
    for value in others(stated.value):
        text = value.text if isinstance(value, Text) else format_like(value, stated)
        yield replace(stated, text=text, value=value)


def others(value: Value) -> Iterator[Value]:
    """The other answer, another text, or a list with one of its items shifted, each in turn."""
    match value:
        case Flag(yes):
            yield Flag(not yes)
        case Text(text):
            yield Text(f"not {text}")
        case Items(items):
            for at, item in enumerate(items):
                yield Items((*items[:at], _another(item), *items[at + 1 :]))
        case Quantity(number, unit):
            yield Quantity(number + _last_digit(number), unit)


def _another(item: Value) -> Value:
    return next(iter(others(item)), Text("not this"))


def _last_digit(number: Fraction) -> Fraction:
    """What the last decimal digit of a number is worth; 1 for whole numbers and for what never ends."""
    digits = decimal_text(number).partition("e")[0].partition(".")[2]
    return Fraction(1, 10 ** len(digits))


def shown(stated: Sequence[Stated]) -> str:
    """Some restatements, as the report shows them."""
    return " or ".join(f"`{each.text}`" for each in stated)
