"""The values: units, quantities, and what a page may state."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

Dimension = tuple[tuple[str, int], ...]
"""Base dimensions with their exponents, sorted by name: `(("time", -1), ("token", 1))`."""

TIME: Dimension = (("time", 1),)
INFORMATION: Dimension = (("information", 1),)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of measurement.

    Attributes:
        symbol: As the author wrote it: `ms`, `tok/s`, `%`, `target modules`; empty for a bare number.
        scale: What one of it is in the base units of its dimension (`ms`: 1/1000, `%`: 1/100).
        dimension: Empty for pure numbers: counts, ratios, shares.
        noun: Whether it is a counted noun (`205 target modules`), which is not compared.
    """

    symbol: str
    scale: Fraction
    dimension: Dimension = ()
    noun: bool = False


BARE = Unit("", Fraction(1))
"""The unit of a number that has none."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An exact number with its unit: `Quantity(Fraction(228358, 10), ms)` is 22,835.8 ms."""

    number: Fraction
    unit: Unit = BARE

    @property
    def base(self) -> Fraction:
        """The number in base units of its dimension (seconds, bytes, 1 for 100 %)."""
        return self.number * self.unit.scale

    def to(self, unit: Unit) -> Fraction:
        """The number in `unit`, whose dimension must be the same (not checked here)."""
        return self.number if unit is self.unit else self.number * self.unit.scale / unit.scale


@dataclass(frozen=True, slots=True)
class NonFinite:
    """A NaN or an infinity that evidence really holds; it agrees with nothing.

    Attributes:
        text: `NaN`, `Infinity` or `-Infinity`.
    """

    text: str


@dataclass(frozen=True, slots=True)
class Text:
    """A value that is no quantity; it agrees with equal text alone."""

    text: str


@dataclass(frozen=True, slots=True)
class Flag:
    """Yes or no (JSON true or false, a comparison's result)."""

    yes: bool


@dataclass(frozen=True, slots=True)
class Items:
    """A list of values: `5/11/17/23/29`, or an array of scalars in evidence."""

    items: tuple[Value, ...]


Value = Quantity | NonFinite | Text | Flag | Items
"""What a reading, or a claim's found value, can be."""


class Form(StrEnum):
    """The shape in which a value is stated; each agrees by its own row of the table."""

    NUMBER = "number"  # 65.2 %, and whole numbers without unit
    EXACTLY = "exactly"  # exactly 24 h
    ABOUT = "about"  # ~14 GiB
    BOUND = "bound"  # >= 35.5 %
    RANGE = "range"  # 22-43 %
    SPREAD = "spread"  # 0.120 ± 0.020
    FLAG = "flag"  # yes, no
    LIST = "list"  # 5/11/17/23/29
    TEXT = "text"  # OOM


class Sign(StrEnum):
    """The sign of a bound."""

    AT_LEAST = ">="
    MORE_THAN = ">"
    AT_MOST = "<="
    LESS_THAN = "<"


@dataclass(frozen=True, slots=True)
class Numeral:
    """One number as written, with the worth of its last digit.

    Attributes:
        text: The digits as written, separators, sign and count suffix included: `22,835.8`, `1.28e18`.
        number: Its exact value in its unit, any `k M B T` suffix or power of ten multiplied out.
        ulp: What one unit of the last written digit is worth, in the same unit (`22,835.8`: 1/10).
        whole: Whether it was written as a whole number (no decimal point, no exponent, no suffix).
    """

    text: str
    number: Fraction
    ulp: Fraction
    whole: bool


@dataclass(frozen=True, slots=True)
class Stated:
    """A value as the docs write it: text kept, meaning understood.

    Attributes:
        text: As written, marks included: `**~14 GiB**`.
        form: Which row of the agreement table applies.
        numerals: One for a number, two for a range or a spread, none for text, flags and lists.
        unit: The unit of the numerals (`BARE` where there is none).
        sign: The sign, for a bound.
        value: The value of a flag, a text or a list; for the other forms the first numeral's quantity.
    """

    text: str
    form: Form
    numerals: tuple[Numeral, ...]
    unit: Unit
    sign: Sign | None
    value: Value


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far found may be from stated, in place of rounding.

    Attributes:
        text: As written.
        amount: The half width; its unit is `%` for a relative tolerance.
        relative: Whether it is a percentage of the stated number.
    """

    text: str
    amount: Quantity
    relative: bool
