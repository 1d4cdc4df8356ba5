"""The short way for what nearly all values are: a plain decimal number, with or without a known unit."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Form, Numeral, Quantity, Stated, Unit

_PLAIN = re.compile(
    r"(-?(?:[1-9][0-9]{0,2}(?:,[0-9]{3}){1,20}|[0-9]{1,60})(?:\.([0-9]{1,60}))?)"
    r"(?: ?([^\W\d_][^\s\d]{0,15}|%))?\Z"
)
_FLOAT = re.compile(r"(-?[0-9]{1,60})(?:\.([0-9]{1,60}))?[eE]([+-]?[0-9]{1,2})\Z")


def plain_stated(text: str, units: Units, unit: Unit) -> Stated | None:
    """The stated value that `text` is, None where it is not plain; a bare number gets `unit`.

    What this says is what the long way says: a test holds it.
    """
    match = _PLAIN.match(text)
    if match is None:
        return None
    written = units.find(match[3]) if match[3] else unit
    if written is None:
        return None
    part = match[2]
    number = _number(match)
    numeral = Numeral(match[1], number, _ulp(len(part) if part else 0), whole=not part)
    return Stated(text, Form.NUMBER, (numeral,), written, None, Quantity(number, written))


def plain_value(text: str, units: Units) -> Quantity | None:
    """The quantity that `text` is, None where it is not plain."""
    match = _PLAIN.match(text)
    if match is not None:
        unit = units.find(match[3]) if match[3] else BARE
        return Quantity(_number(match), unit) if unit is not None else None
    match = _FLOAT.match(text)
    if match is None:
        return None
    part = match[2] or ""
    power = int(match[3]) - len(part)
    digits = int(match[1] + part)
    return Quantity(Fraction(digits * 10**power) if power >= 0 else Fraction(digits, 10**-power))


def _number(match: re.Match[str]) -> Fraction:
    digits, part = match[1], match[2]
    if "," in digits:
        digits = digits.replace(",", "")
    if part:
        return Fraction(int(digits.replace(".", "")), 10 ** len(part))
    return Fraction(int(digits))


@cache
def _ulp(decimals: int) -> Fraction:
    return Fraction(1, 10**decimals)
