"""Values from the text of evidence, and the unit that a read gives to bare numbers."""

from __future__ import annotations

import re

from stilltrue.errors import InputError
from stilltrue.quantity.algebra import same_dimension
from stilltrue.quantity.amounts import Amount, read_amount
from stilltrue.quantity.lists import BRACKETS, read_list
from stilltrue.quantity.numerals import limit_digits
from stilltrue.quantity.plain import plain_value
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import (
    BARE,
    INFORMATION,
    Flag,
    Items,
    NonFinite,
    Quantity,
    Text,
    Unit,
    Value,
)

FLAGS = {"yes": True, "true": True, "no": False, "false": False}
"""The words that say yes or no, in any case."""

MAX_LENGTH = 2000
"""Longer texts are no quantity."""

_LONG_NUMBER = re.compile(r"[+\-−]?[0-9][0-9.,_]*(?:[eE][+-]?[0-9]+)?\Z")
_NON_FINITE = {"nan": "NaN", "inf": "Infinity", "infinity": "Infinity", "∞": "Infinity"}
_NON_FINITE_WORD = re.compile(r"(?P<sign>[+\-−]?)(?P<word>nan|inf|infinity|∞)(?P<unit>\s*%|\s+\S+)?\Z")

_SWAPPED = str.maketrans(",.", ".,")


def parse_value(text: str, units: Units, *, unit: Unit | None = None, decimal: str = ".") -> Value:
    """One reading from the text of evidence.

    Args:
        text: A number with or without a known unit, a list of numbers, `true`, `NaN`, or any text.
        units: The known units.
        unit: The unit of a bare number (`read.unit`).
        decimal: The decimal mark, `.` or `,`; the other one separates thousands.

    Returns:
        What it says. A number followed by an unknown word is text: nothing is guessed.

    Raises:
        InputError: `unit-mismatch`: the text has a unit of its own that contradicts `unit` in dimension or in
            scale; `bad-value`: a number of more digits than any measurement.
    """
    plain = plain_value(text, units) if decimal == "." else None
    if plain is not None:
        return plain if unit is None else with_unit(plain, unit)
    return with_unit(_read(text.strip(), units, decimal, unit), unit)


def _read(text: str, units: Units, decimal: str, unit: Unit | None) -> Value:
    if len(text) > MAX_LENGTH:
        if _LONG_NUMBER.match(text):
            limit_digits(len(text))
        return Text(text)
    word = text.lower()
    if word in FLAGS:
        return Flag(FLAGS[word])
    non_finite = _non_finite(text, word, units)
    if non_finite is not None:
        return non_finite
    written = text.translate(_SWAPPED) if decimal == "," else text
    amount = read_amount(written, 0, units)
    if amount is None:
        bracketed = written[:1] + written[-1:] in BRACKETS
        return (read_list(written, units) if bracketed else None) or Text(text)
    rest = written[amount.end :]
    if not rest or (rest == "." and amount.numeral.whole and amount.unit is BARE):
        return _checked(amount, unit, text)
    return read_list(written, units) or Text(text)


def _non_finite(text: str, word: str, units: Units) -> NonFinite | None:
    """`NaN`, `-inf`, also with a known unit behind it: `nan ms`."""
    match = _NON_FINITE_WORD.match(word)
    if match is None:
        return None
    if match["unit"]:
        try:
            units.parse(text[match.start("unit") :].strip())
        except InputError:
            return None
    minus = match["sign"] in ("-", "−") and match["word"] != "nan"
    return NonFinite(("-" if minus else "") + _NON_FINITE[match["word"]])


def _checked(amount: Amount, unit: Unit | None, text: str) -> Quantity:
    """A quantity whose suffix or clock does not contradict the read's unit."""
    quantity = amount.quantity
    if unit is None:
        return quantity
    if amount.suffix and amount.unit is BARE and unit.dimension == INFORMATION:
        raise InputError(
            "unit-mismatch",
            f"`{text}` has a suffix of its own, so its unit cannot be `{unit.symbol}`",
            "read the digits alone with `match`, or say what the suffix means",
        )
    return _timed(quantity, unit) if amount.clock and amount.numeral.text.count(":") > 1 else quantity


def _timed(quantity: Quantity, unit: Unit) -> Quantity:
    """`1:32:21` says its unit by its form, so that any unit of time may be asked for."""
    if not same_dimension(quantity.unit, unit):
        return quantity
    return Quantity(quantity.to(unit), unit)


def with_unit(value: Value, unit: Unit | None) -> Value:
    """`value`, with `unit` given to its bare numbers.

    Raises:
        InputError: `unit-mismatch`: a number has a unit already, of another dimension or another scale.
    """
    if unit is None or isinstance(value, Text | Flag | NonFinite):
        return value
    if isinstance(value, Items):
        return Items(tuple(with_unit(item, unit) for item in value.items))
    own = value.unit
    if own is BARE or own == BARE:
        return Quantity(value.number, unit)
    if same_dimension(own, unit) and own.scale == unit.scale:
        return value
    raise InputError(
        "unit-mismatch",
        f"the evidence counts in `{own.symbol}`, `unit` says `{unit.symbol or 'none'}`",
        f"leave `unit` out, or write `unit: {_yaml(own.symbol)}`",
    )


def _yaml(symbol: str) -> str:
    return f"'{symbol}'" if symbol[:1] in {"%", ""} or not symbol.isascii() else symbol
