"""The shapes of a stated quantity at a place in a text: a number, a bound, a range, a `±`."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from stilltrue.quantity.algebra import same_dimension
from stilltrue.quantity.amounts import Amount, read_amount
from stilltrue.quantity.unit_table import SUFFIXES
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Form, Numeral, Sign, Stated, Unit

_ABOUT = (
    "~",
    "≈",
    "∼",
    "≃",
    "about",
    "approximately",
    "approx.",
    "approx",
    "around",
    "roughly",
    "circa",
    "ca.",
)
_AT_LEAST = (">=", "≥", "⩾", "=>", "at least", "no less than", "no fewer than")
_AT_MOST = ("<=", "≤", "⩽", "=<", "at most", "up to", "no more than")
_PREFIXES: dict[str, tuple[Form, Sign | None]] = {
    "exactly": (Form.EXACTLY, None),
    **dict.fromkeys(_ABOUT, (Form.ABOUT, None)),
    **dict.fromkeys(_AT_LEAST, (Form.BOUND, Sign.AT_LEAST)),
    **dict.fromkeys((">", "more than", "over", "above", "greater than"), (Form.BOUND, Sign.MORE_THAN)),
    **dict.fromkeys(_AT_MOST, (Form.BOUND, Sign.AT_MOST)),
    **dict.fromkeys(("<", "less than", "fewer than", "under", "below"), (Form.BOUND, Sign.LESS_THAN)),
}

_SIGNS = sorted((name for name in _PREFIXES if not name[0].isalpha()), key=len, reverse=True)
_WORDS = sorted((name for name in _PREFIXES if name[0].isalpha()), key=len, reverse=True)
PREFIX = re.compile(
    rf"(?P<sign>{'|'.join(map(re.escape, _SIGNS))})\s?|(?P<word>{'|'.join(map(re.escape, _WORDS))})\s+",
    re.IGNORECASE,
)
"""What may stand before a number and says how it is meant."""

_SPREAD = re.compile(r"\s?(?:±|\+/[-−]|\+-)\s?")
_RANGE = re.compile(r"\s?[-–—]\s?|\sto\s")


class Shape(NamedTuple):
    """A stated quantity as read: its form, and one or two amounts in one unit.

    Attributes:
        form: Which row of the agreement table applies.
        sign: The sign of a bound.
        amounts: One, or two for a range or a spread.
        unit: The unit of both.
        end: The place after it.
        prefixed: Whether a word or sign stood before it.
    """

    form: Form
    sign: Sign | None
    amounts: tuple[Amount, ...]
    unit: Unit
    end: int
    prefixed: bool

    def stated(self, text: str) -> Stated:
        """The stated value, `text` being what the author wrote."""
        numerals = tuple(amount.numeral for amount in self.amounts)
        return Stated(text, self.form, numerals, self.unit, self.sign, self.amounts[0].quantity)


def read_shape(text: str, start: int, units: Units) -> Shape | None:
    """The longest stated quantity that begins at `start`, None where none does.

    Raises:
        InputError: `bad-value`: a number has too many digits.
    """
    prefix = PREFIX.match(text, start)
    first = read_amount(text, prefix.end() if prefix else start, units)
    if first is None:
        return None
    form, sign = _PREFIXES[(prefix["sign"] or prefix["word"]).lower()] if prefix else (Form.NUMBER, None)
    return _pair(text, first, units, bool(prefix)) or Shape(
        form, sign, (first,), first.unit, first.end, bool(prefix)
    )


def _pair(text: str, first: Amount, units: Units, prefixed: bool) -> Shape | None:
    """A range or a spread whose first number was read already."""
    spread = _SPREAD.match(text, first.end)
    join = spread or _RANGE.match(text, first.end)
    second = read_amount(text, join.end(), units) if join else None
    if second is None:
        return None
    pair = _one_unit(*_one_suffix(first, second))
    if pair is None or (not spread and pair[0].numeral.number > pair[1].numeral.number):
        return None
    return Shape(Form.SPREAD if spread else Form.RANGE, None, pair, pair[1].unit, second.end, prefixed)


def _one_suffix(first: Amount, second: Amount) -> tuple[Amount, Amount]:
    """`10-20k` is ten to twenty thousand."""
    if second.suffix and not first.suffix and first.unit is BARE:
        first = _scaled(first, Fraction(SUFFIXES[second.suffix]), first.unit)
    return first, second


def _one_unit(first: Amount, second: Amount) -> tuple[Amount, Amount] | None:
    """Both in one unit: the one that is written, or the second's where both are."""
    if first.unit is BARE or second.unit is BARE:
        unit = second.unit if first.unit is BARE else first.unit
        return first._replace(unit=unit), second._replace(unit=unit)
    if not same_dimension(first.unit, second.unit):
        return None
    return _scaled(first, first.unit.scale / second.unit.scale, second.unit), second


def _scaled(amount: Amount, factor: Fraction, unit: Unit) -> Amount:
    numeral: Numeral = amount.numeral
    if factor != 1:
        numeral = replace(numeral, number=numeral.number * factor, ulp=numeral.ulp * factor, whole=False)
    return amount._replace(numeral=numeral, unit=unit)
