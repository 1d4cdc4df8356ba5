"""What is looked for: the numbers and the unit of a superseded value."""

from __future__ import annotations

from dataclasses import dataclass

from stilltrue.model import Claim, Search
from stilltrue.quantity import BARE, Form, Numeral, Sign, Stated, Unit, Units
from stilltrue.quantity.amounts import Amount
from stilltrue.quantity.lists import list_amounts
from stilltrue.quantity.marks import strip_marks

_NUMBERS = frozenset({Form.NUMBER, Form.EXACTLY, Form.ABOUT, Form.BOUND})
_POINTS = frozenset({"pp", "percentage point", "percentage points"})


@dataclass(frozen=True, slots=True)
class Needle:
    """One way in which a superseded value may be repeated.

    Attributes:
        claim: The id of the superseded claim.
        form: `NUMBER` for one number, else how several hang together: `RANGE`, `SPREAD`, `LIST`.
        numerals: Its numbers, in `unit`.
        unit: Its unit; `BARE` where it has none.
        sign: The sign of a bound: a bound in the other direction is another statement.
        clock: Whether it is written as a clock time, which says its unit itself.
        words: Only lines near one of these count, and then bare numbers do too.
        ignore: Globs of files that are left out for it.
    """

    claim: str
    form: Form
    numerals: tuple[Numeral, ...]
    unit: Unit
    sign: Sign | None = None
    clock: bool = False
    words: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()

    def means(self, unit: Unit) -> bool:
        """Whether a unit is this one, however it is spelled."""
        if (unit.scale, unit.dimension) != (self.unit.scale, self.unit.dimension) or unit is BARE:
            return False
        return (unit.symbol.lower() in _POINTS) == (self.unit.symbol.lower() in _POINTS)

    @property
    def noun(self) -> str:
        """The words of a thing counted that is no known unit: `target modules`; else empty."""
        return self.unit.symbol if self.unit.noun and not self.unit.dimension else ""


def needles_of(claim: Claim, units: Units) -> tuple[Needle, ...]:
    """What a superseded claim is searched by; nothing for text, yes and no, and bare numbers without `words`.

    The mean of a `±` is looked for by itself too, as a link to it may state it.
    """
    stated, asked = claim.stated, claim.search or Search()
    if stated.form in _NUMBERS:
        numerals: tuple[tuple[Form, tuple[Numeral, ...]], ...] = ((Form.NUMBER, stated.numerals),)
    elif stated.form is Form.RANGE:
        numerals = ((Form.RANGE, stated.numerals),)
    elif stated.form is Form.SPREAD:
        numerals = ((Form.SPREAD, stated.numerals), (Form.NUMBER, stated.numerals[:1]))
    elif stated.form is Form.LIST:
        return _of_list(claim, asked, _listed(stated, units))
    else:
        return ()
    clock = all(":" in numeral.text for numeral in stated.numerals)
    if not _searchable(stated.unit, asked, clock=clock and not _short(stated.numerals)):
        return ()
    return tuple(
        Needle(claim.id, form, some, stated.unit, stated.sign, clock, asked.words, asked.ignore)
        for form, some in numerals
    )


def _short(numerals: tuple[Numeral, ...]) -> bool:
    """Whether a clock time has two fields, as the time of a day has."""
    return any(numeral.text.count(":") == 1 for numeral in numerals)


def _searchable(unit: Unit, asked: Search, *, clock: bool) -> bool:
    return bool(asked.words) or clock or unit is not BARE


def _listed(stated: Stated, units: Units) -> tuple[Amount, ...]:
    text = strip_marks(stated.text)
    found = list_amounts(text.strip("[]() "), 0, units)
    return found[0] if found else ()


def _of_list(claim: Claim, asked: Search, amounts: tuple[Amount, ...]) -> tuple[Needle, ...]:
    if not amounts or not _searchable(amounts[-1].unit, asked, clock=False):
        return ()
    numerals = tuple(amount.numeral for amount in amounts)
    unit = amounts[-1].unit
    return (Needle(claim.id, Form.LIST, numerals, unit, words=asked.words, ignore=asked.ignore),)
