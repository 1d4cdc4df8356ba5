"""Cells: their text to a value that is read, and to what SQL predicates see."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import isfinite

from stilltrue.errors import InputError
from stilltrue.evidence.tables.frames import Column, Kind
from stilltrue.quantity import (
    Flag,
    NonFinite,
    Quantity,
    Text,
    Unit,
    Units,
    Value,
    parse_value,
    with_unit,
)

SqlValue = int | float | str | None
"""What a cell is to SQLite: numbers in base units, text, NULL."""

_PLAIN = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?(?:[eE][+-]?[0-9]+)?")
_DIGIT = re.compile(r"[0-9]")
_WORD = re.compile(r"[A-Za-z]{4}")
_NON_FINITE = frozenset({"nan", "inf", "infinity"})
_BYTES = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?) *([KMGT]?)[bB]")
_POWERS = {"": 0, "K": 1, "M": 2, "G": 3, "T": 4}
_DECIMAL = re.compile(r"[0-9]{1,17}(?:\.[0-9]{1,17})?")
_EXPONENTS = {Fraction(1, 10**digits): f"e-{digits}" for digits in (3, 6, 9)}
_LARGEST = 1 << 63
_LONGEST_INTEGER = 18
_REMEMBERED = 100_000


class CellReader:
    """Reads the cells of one file."""

    def __init__(self, units: Units, decimal: str) -> None:
        self.units = units
        self.decimal = decimal
        self._bytes = units.parse("bytes")

    def value(self, column: Column, text: str, unit: Unit | None) -> Value | None:
        """The value of a cell, exact, with its own unit or its column's; None when it is empty.

        Args:
            column: The column it stands in.
            text: The cell.
            unit: The read's unit.

        Raises:
            InputError: `unit` contradicts the cell, or the cell its own heading.
        """
        if column.kind is Kind.FLAG:
            return Flag(bool(text))
        if not text.strip():
            return None
        if column.kind is Kind.TEXT:
            return Text(text.strip())
        if column.kind is Kind.BOOL:
            return Flag(text == "true")
        if column.kind is Kind.BYTES:
            size = self._size(text)
            return size if unit is None else with_unit(size, unit)
        if column.unit is None:
            return parse_value(text, self.units, unit=unit, decimal=self.decimal)
        value = parse_value(text, self.units, unit=column.unit, decimal=self.decimal)
        return value if unit is None else with_unit(value, unit)

    def sql(self, column: Column, texts: Sequence[str]) -> list[SqlValue]:
        """What SQL sees of the cells of a column."""
        if column.kind is Kind.FLAG:
            return [int(bool(text)) for text in texts]
        if column.kind is Kind.TEXT:
            return [text.strip() or None for text in texts]
        if column.kind is Kind.BOOL:
            return [int(text == "true") if text else None for text in texts]
        convert = self._remembering(column)
        if column.kind is Kind.ANY and self.decimal == ".":
            if column.unit is None:
                return [_plain(text, convert) for text in texts]
            if column.unit.scale in _EXPONENTS:
                exponent = _EXPONENTS[column.unit.scale]
                return [_scaled(text, exponent, convert) for text in texts]
        return [convert(text) for text in texts]

    def _remembering(self, column: Column) -> Callable[[str], SqlValue]:
        """The slow way from a cell to SQL, each text once: columns repeat themselves."""
        known: dict[str, SqlValue] = {}

        def convert(text: str) -> SqlValue:
            if text not in known:
                if len(known) > _REMEMBERED:
                    known.clear()
                known[text] = self._sql(column, text)
            return known[text]

        return convert

    def _sql(self, column: Column, text: str) -> SqlValue:
        try:
            value = self.value(column, text, None)
        except InputError:
            return text.strip()  # a unit that contradicts the heading: an error once it is read
        if isinstance(value, Quantity):
            return as_sql(value.base)
        if isinstance(value, NonFinite):
            return None if value.text == "NaN" else float(value.text)
        return None if value is None else text.strip()

    def _size(self, text: str) -> Value:
        found = _BYTES.fullmatch(text.strip())
        if found is None:
            return Text(text.strip())
        return Quantity(Fraction(found[1]) * 1024 ** _POWERS[found[2]], self._bytes)


def as_sql(number: Fraction) -> int | float:
    """A number as SQLite holds it: an integer when it is one and fits, else the nearest double."""
    if number.denominator == 1 and -_LARGEST <= number.numerator < _LARGEST:
        return number.numerator
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")


def _scaled(text: str, exponent: str, convert: Callable[[str], SqlValue]) -> SqlValue:
    """What SQL sees of a cell whose column's unit is a power of ten; most numbers go the short way."""
    if _DECIMAL.fullmatch(text) is None:
        return convert(text)
    number = float(text + exponent)  # rounded once, as the fraction would be
    return convert(text) if number.is_integer() else number


def _plain(text: str, convert: Callable[[str], SqlValue]) -> SqlValue:
    """What SQL sees of a cell without a unit; numbers and words as most cells are go the short way."""
    plain = _PLAIN.fullmatch(text)
    if plain is not None:
        if plain[1] or "e" in text or "E" in text:
            number = float(text)
            # Where a double gives up, as for `0E401`, the one reader of numbers says what it is.
            return number if number and isfinite(number) else convert(text)
        return int(text) if len(text) <= _LONGEST_INTEGER else convert(text)
    if _DIGIT.search(text) is None:
        word = text.strip()
        if word.lstrip("+-").lower() not in _NON_FINITE:
            return word or None
    # No quantity begins with a word: only a currency's code of three letters stands before its number.
    return text.strip() if _WORD.match(text) else convert(text)
