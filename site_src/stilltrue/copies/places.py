"""What a place in a text says: whether a number there is a superseded value, spelled in any way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from fractions import Fraction

from stilltrue.copies import around, naming
from stilltrue.copies.cleaning import cleaned, joined
from stilltrue.copies.needles import Needle
from stilltrue.errors import InputError
from stilltrue.quantity import BARE, Form, Numeral, Sign, Units
from stilltrue.quantity.amounts import Amount, read_amount
from stilltrue.quantity.lists import list_amounts
from stilltrue.quantity.shapes import PREFIX, Shape, read_shape

Key = tuple[Fraction, Fraction]
"""A number and what its last digit is worth: `4.3` is not `4.30`."""

_GOES_ON = re.compile(r"\.?[0-9]|[A-Za-z_]|[-–][0-9]|:[0-9]")
_JOINED = re.compile(r"-[A-Za-z]|\s?[×xX*]?\s?[0-9]")
_PRICED = re.compile(r"(?<=[0-9])\s+(?:per|an?)\s+(?=[A-Za-z])")
_BETWEEN = re.compile(r"\bbetween $", re.IGNORECASE)
_AND = re.compile(r" and ")
_UPPER = frozenset({Sign.AT_MOST, Sign.LESS_THAN})
_LOOK_BACK = 80
_LOOK_AHEAD = 240
"""How many signs around a number are read; the longest unit has 80."""

_SHORT = 2
_TIMES = frozenset({"x", "X", "×"})


class Places:
    """Says of places whether they hold one of some needles.

    Args:
        needles: What is looked for.
        units: The known units.
    """

    def __init__(self, needles: Iterable[Needle], units: Units) -> None:
        self.units = units
        self.by_number: dict[Key, list[Needle]] = {}
        for needle in needles:
            self.by_number.setdefault(_key(needle.numerals[0]), []).append(needle)

    def at(self, before: str, text: str, header: Callable[[], str]) -> tuple[list[Needle], str]:
        """The needles that a place holds, and how they are written there.

        Args:
            before: What stands before the number, on its line.
            text: What stands from the number's first digit on, over the end of its line.
            header: Gives the header of the table that the line is a row of.
        """
        near, text = before[-_LOOK_BACK:], text[:_LOOK_AHEAD]
        money = around.money_before(near, text)
        if not around.begins(near.removesuffix(money), text):
            return [], ""
        found, written = self._read(_Place(before, near, money, text, header, self.units))
        if not found and (both := joined(text)):  # the unit may stand at the start of the next line
            return self._read(_Place(before, near, money, both, header, self.units))
        return found, written

    def _read(self, place: _Place) -> tuple[list[Needle], str]:
        needles = self.by_number.get(place.key, []) if place.amount else []
        found = [needle for needle in needles if place.holds(needle)]
        return found, place.written(found[0].form) if found else ""


def _key(numeral: Numeral) -> Key:
    return abs(numeral.number), numeral.ulp


def _signed(money: str) -> str:
    """The sign of a currency without the blank behind it; a code keeps its own."""
    return money if money[0].isalpha() and money.strip().isalpha() else money.strip()


class _Place:
    """One number in a text, and what stands around it."""

    def __init__(
        self, row: str, near: str, money: str, text: str, header: Callable[[], str], units: Units
    ) -> None:
        self.units = units
        self.header = header
        self.row = row
        self.near = near
        self.before = near.removesuffix(money)
        self.tail = cleaned(text)
        if near.endswith("("):
            self.tail = self.tail.replace(")", "", 1)
        if money:
            self.tail = _PRICED.sub("/", _signed(money) + self.tail, count=1)
        self.money = bool(money)
        self.amount = self._amount()

    def written(self, form: Form) -> str:
        """How the value that it holds is written, all of its numbers."""
        amount, shape = self.amount, self._shape()
        end = amount.end if amount else 0
        if form is Form.LIST:
            listed = list_amounts(self.tail, 0, self.units)
            end = listed[1] if listed else end
        elif form is not Form.NUMBER and shape is not None:
            between = _BETWEEN.search(self.before) and _AND.search(self.tail[: shape.end])
            end = shape.end + (len(" and ") - len(" to ") if between else 0)
        return self.tail[:end].strip()

    def _amount(self) -> Amount | None:
        """The number, None where it has more digits than any measurement."""
        try:
            return read_amount(self.tail, 0, self.units)
        except InputError:
            return None

    @property
    def key(self) -> Key:
        assert self.amount is not None  # noqa: S101  # asked for after it was looked at
        return _key(self.amount.numeral)

    def holds(self, needle: Needle) -> bool:
        """Whether it is the value that is looked for."""
        if around.is_negative(self.before) != (needle.numerals[0].number < 0):
            return False
        if needle.form is Form.LIST:
            return self._is_list(needle)
        shape = self._shape()
        if needle.form is not Form.NUMBER:
            return shape is not None and self._is_pair(needle, shape)
        if shape is None or len(shape.amounts) > 1 or self._other_bound(needle):
            return False
        return self._is_one(needle)

    def _shape(self) -> Shape | None:
        tail = self.tail
        if _BETWEEN.search(self.before):
            tail = _AND.sub(" to ", tail, count=1)
        return read_shape(tail, 0, self.units)

    def _is_list(self, needle: Needle) -> bool:
        listed = list_amounts(self.tail, 0, self.units)
        if listed is None or len(listed[0]) != len(needle.numerals):
            return False
        same = all(_key(a.numeral) == _key(n) for a, n in zip(listed[0], needle.numerals, strict=True))
        unit = listed[0][-1].unit
        return same and (needle.means(unit) or (unit is BARE and (needle.unit is BARE or bool(needle.words))))

    def _is_pair(self, needle: Needle, shape: Shape) -> bool:
        if shape.form is not needle.form or len(shape.amounts) != len(needle.numerals):
            return False
        pairs = zip(shape.amounts, needle.numerals, strict=True)
        if any(_key(amount.numeral) != _key(numeral) for amount, numeral in pairs):
            return False
        bare = shape.unit is BARE and (needle.unit is BARE or bool(needle.words))
        return bare or needle.means(shape.unit) or self._noun(needle, shape.amounts[-1])

    def _other_bound(self, needle: Needle) -> bool:
        """Whether it is a bound in the other direction than the needle's."""
        if needle.sign is None:
            return False
        near = self.before
        found = next((m for m in PREFIX.finditer(near + "0") if m.end() == len(near)), None)
        shape = read_shape(f"{found[0]}0", 0, self.units) if found else None
        sign = shape.sign if shape else None
        return sign is not None and (sign in _UPPER) != (needle.sign in _UPPER)

    def _is_one(self, needle: Needle) -> bool:
        amount = self.amount
        assert amount is not None  # noqa: S101  # as in `key`
        if amount.clock or needle.clock:
            return amount.clock and needle.clock and self._is_clock(needle, amount)
        if amount.unit is not BARE and not (amount.unit.noun and needle.unit is BARE):
            return needle.means(amount.unit) and self._ends(amount)
        if self._noun(needle, amount):
            return True
        if _GOES_ON.match(self.tail, amount.digits_end):
            return False
        if needle.unit is not BARE and self._named_apart(needle, amount):
            return True
        return bool(needle.words) and not self.money and not around.is_named(self.before)

    def _is_clock(self, needle: Needle, amount: Amount) -> bool:
        bare = amount.digits_end == amount.end
        short = needle.numerals[0].text.count(":") == 1
        if bare and short and not needle.words:
            return False
        after = self.tail[amount.digits_end :]
        return not around.is_moment(self.before, after) and not _GOES_ON.match(after)

    def _ends(self, amount: Amount) -> bool:
        """Whether the unit ends where it was read: `H-bridge` and `3 x 4` go on."""
        symbol = amount.unit.symbol
        goes_on = _JOINED.match(self.tail, amount.end)
        if goes_on is None or len(symbol) > _SHORT:
            return True
        return symbol not in _TIMES if goes_on[0][0] != "-" else False

    def _noun(self, needle: Needle, amount: Amount) -> bool:
        noun = needle.noun
        if not noun:
            return False
        rest = self.tail[amount.digits_end :].lstrip().replace("-", " ").lower()
        wanted = noun.replace("-", " ").lower()
        stem = wanted.removesuffix("s")
        return rest.startswith((wanted, stem)) and not rest.removeprefix(stem).removeprefix("s")[:1].isalnum()

    def _named_apart(self, needle: Needle, amount: Amount) -> bool:
        """Whether the name of a key, or the header of its column, gives a bare number the unit."""
        if naming.keyed(self.near, needle.means, self.units):
            return True
        if not self.tail[amount.digits_end :].lstrip().startswith("|") or "|" not in self.row:
            return False
        return naming.headed(self.header(), naming.column_of(self.row), needle.means, self.units)
