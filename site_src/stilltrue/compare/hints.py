"""What probably happened when stated and found part: the wrong unit, a share for a percentage, cut digits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import floor

from stilltrue.compare import rows
from stilltrue.quantity import INFORMATION, Form, Quantity, Stated, Tolerance, Unit, format_like, show_value
from stilltrue.quantity.spans import is_count

Check = Callable[[Stated, Quantity], bool]

SHARE = "`%` is 1/100: the evidence holds a share"
"""How the hint begins where stated and found are a percentage and a share."""

_HUNDRED = Fraction(100)
_SIZES = ("kB", "KiB"), ("MB", "MiB"), ("GB", "GiB"), ("TB", "TiB"), ("PB", "PiB")
_FACTORS = (1000, 10**6, 10**9, 60, 3600)
_SINGLE = frozenset({Form.NUMBER, Form.ABOUT, Form.EXACTLY})


def drift_hint(
    stated: Stated, low: Quantity, high: Quantity, rounds: bool, tolerance: Tolerance | None = None
) -> str:
    """What to do about a number that drifted, where there is a likely reason; else empty."""
    if stated.form not in _SINGLE or low != high:
        return ""

    def would(other: Stated, number: Quantity) -> bool:
        ends = rows.ends_in(other.unit, number, number, rounds=rounds)
        return rows.holds(other, ends) if tolerance is None else rows.within(other, ends, tolerance)

    if _is_plain(low.unit) and _is_percent(stated.unit) and would(stated, Quantity(low.number, stated.unit)):
        return "`%` is 1/100: if the evidence counts in percent, give the read `unit: '%'`"
    if _is_plain(stated.unit) and would(stated, Quantity(low.base * _HUNDRED)):
        return f"{SHARE}, so state it as `{stated.text} %`"
    if is_count(stated) and stated.form is Form.NUMBER and rows.fits(stated, low, rounds=True):
        return (
            f"a whole number without a unit agrees with itself alone: state `{show_value(low)}`, "
            f"`about {stated.text}`, or both sides with their unit"
        )
    twin = _byte_twin(stated)
    if twin is not None and would(twin[0], low):
        return twin[1]
    return _factor_apart(stated, low, would) or _cut_off(stated, low, tolerance)


def unit_hint(unit: Unit, value: Quantity) -> str:
    """What to do where found has another dimension than stated."""
    if _is_plain(value.unit) and unit.symbol:
        return f"give the read the unit that the evidence counts in, if it is this one `unit: {unit.symbol}`"
    if not unit.symbol:
        return f"state the value with its unit, such as `{show_value(value)}`"
    return "read another number, or correct the unit that is stated"


def _is_plain(unit: Unit) -> bool:
    return unit.dimension == () and unit.scale == 1


def _is_percent(unit: Unit) -> bool:
    return unit.dimension == () and unit.scale == Fraction(1, 100)


def _byte_twin(stated: Stated) -> tuple[Stated, str] | None:
    """The same value in the byte unit that is often taken for the one written, and what to say then."""
    pair = next((pair for pair in _SIZES if stated.unit.symbol in pair), None)
    if pair is None:
        return None
    decimal, binary = pair
    other = binary if stated.unit.symbol == decimal else decimal
    power = _SIZES.index(pair) + 1
    scale = Fraction(1000**power) if other == decimal else Fraction(1024**power)
    text = stated.text.replace(stated.unit.symbol, other)
    hint = f"`{decimal}` counts in thousands and `{binary}` in 1,024s: state `{text}`"
    return replace(stated, text=text, unit=Unit(other, scale, INFORMATION)), hint


def _factor_apart(stated: Stated, found: Quantity, would: Check) -> str:
    for factor in _FACTORS:
        for by in (Fraction(factor), Fraction(1, factor)):
            if would(stated, Quantity(found.number * by, found.unit)):
                return f"the two differ by a factor of {factor:,}: check the unit of the evidence"
    return ""


def _cut_off(stated: Stated, found: Quantity, tolerance: Tolerance | None) -> str:
    """Digits that were cut where they should have been rounded."""
    numeral = stated.numerals[0]
    number = found.to(stated.unit)
    whole = number / numeral.ulp
    if (
        tolerance is None
        and stated.form is Form.NUMBER
        and floor(abs(whole)) * numeral.ulp == abs(numeral.number)
    ):
        return f"the digits were cut off, not rounded: state `{format_like(found, stated)}`"
    return ""
