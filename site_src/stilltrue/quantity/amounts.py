"""A number with its unit, at a place in a text: what stated values, readings and prose have in common."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

from stilltrue.quantity.numerals import read_number
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Numeral, Quantity, Unit

_SPACE = re.compile(r"[ \u00a0\u202f\u2009]{0,2}")
_CODE = re.compile(r"(USD|EUR|GBP|JPY|CHF|CNY|INR) (?=[0-9+\-−.])")
SECOND = Unit("s", Fraction(1), (("time", 1),))
"""The unit of a clock time."""


class Amount(NamedTuple):
    """A number and the unit written with it.

    Attributes:
        numeral: The number, in `unit`.
        unit: Its unit; `BARE` where none is written.
        end: The place after it.
        digits_end: The place after the number alone.
        suffix: Its count suffix as written (`k`, `billion`), empty where there is none.
        clock: Whether it is a clock time; `h:mm:ss` has two colons.
    """

    numeral: Numeral
    unit: Unit
    end: int
    digits_end: int
    suffix: str = ""
    clock: bool = False

    @property
    def quantity(self) -> Quantity:
        """The number with its unit."""
        return Quantity(self.numeral.number, self.unit)


def read_amount(text: str, start: int, units: Units) -> Amount | None:
    """The number that begins at `start`, with the longest known unit that follows it; None where none does.

    Raises:
        InputError: `bad-value`: the number has too many digits.
    """
    code = _CODE.match(text, start)
    found = read_number(text, code.end() if code else start)
    if found is None:
        return None
    numeral, match = found
    groups = match.groupdict()
    end = match.end()
    if groups.get("clock"):
        return _clock(numeral, text, end, units)
    unit, end = _unit_after(text, end, units)
    money = code[1] if code else groups.get("money")
    if money:
        rate = unit.symbol.startswith("/") or unit is BARE
        priced = units.find(money + unit.symbol) if rate else None
        if priced is None:
            return None
        unit = priced
    return Amount(numeral, unit, end, match.end(), (groups.get("suffix") or "").strip())


def _unit_after(text: str, end: int, units: Units) -> tuple[Unit, int]:
    gap = _SPACE.match(text, end)
    start = gap.end() if gap else end
    if start < len(text):
        found = units.longest(text, start)
        if found is not None:
            return found
    return BARE, end


def _clock(numeral: Numeral, text: str, end: int, units: Units) -> Amount | None:
    """A clock time; `h` after three fields and `min` after two say what it is anyway."""
    digits_end = end
    unit, after = _unit_after(text, end, units)
    spelled = {1: Fraction(60), 2: Fraction(3600)}[numeral.text.count(":")]
    if unit.dimension == SECOND.dimension:
        if unit.scale not in {spelled, Fraction(1)}:
            return None
        end = after
    return Amount(numeral, SECOND, end, digits_end, clock=True)
