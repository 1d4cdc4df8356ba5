"""Which values of a file may be a number on a page, the likeliest first, and what speaks for each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from stilltrue.binding.chance import SINGLE, chance
from stilltrue.binding.naming import Naming
from stilltrue.binding.outcome import Candidate, Level
from stilltrue.binding.words import units_in, words
from stilltrue.compare import agree
from stilltrue.evidence.survey import Held, Survey
from stilltrue.model import Found, Shape
from stilltrue.quantity import (
    BARE,
    INFORMATION,
    TIME,
    Form,
    Quantity,
    Stated,
    Unit,
    Units,
    same_dimension,
    show_value,
)
from stilltrue.quantity.spans import is_count

SURE_CHANCE = Fraction(1, 20)
"""A candidate is `sure` only where a random number of these digits would agree with the file more seldom."""

_SCALES = {
    TIME: ("ns", "us", "ms", "s", "min", "h"),
    INFORMATION: ("bytes", "KiB", "MiB", "GiB", "kB", "MB", "GB"),
}
"""The units that a bare number of a file may count in, beside the page's own."""


class Ranked(NamedTuple):
    """What a file has for a number.

    Attributes:
        candidates: The likeliest first.
        chance: How likely a random number of these digits agrees with any value of the file.
        numbers: How many numbers of the file it was compared with.
        near: Where none agrees: a value that rounds to the number, which is whole, bare and so exact.
    """

    candidates: tuple[Candidate, ...]
    chance: Fraction
    numbers: int
    near: str = ""


def ranked(
    survey: Survey, stated: Stated, page: frozenset[str], units: Units, *, ignored: bool = False
) -> Ranked:
    """The candidates for a number.

    Args:
        survey: What the file holds.
        stated: The number.
        page: The words around it.
        units: The known units.
        ignored: Whether git ignores the file.
    """
    return _Ranking(survey, stated, page, units, ignored=ignored).ranked()


def labels(survey: Survey) -> frozenset[str]:
    """The words that tell values of one name apart: what names rows, and the keys on the way."""
    parts = (part for part in survey.parts if part.shape is not Shape.TEXT)
    names = {name for part in parts for held in part.held for name in (*held.around, *held.beside())}
    return frozenset().union(*map(words, names))


class _Number(NamedTuple):
    """A number of the file, and which of its parts it stands in."""

    held: Held
    value: Quantity
    part: int


class _Ranking:
    """One number against one file."""

    def __init__(
        self, survey: Survey, stated: Stated, page: frozenset[str], units: Units, *, ignored: bool
    ) -> None:
        self.ignored = ignored
        self.stated = stated
        self.units = units
        self.cut = survey.cut
        self.numbers = [
            _Number(held, held.value, at)
            for at, part in enumerate(survey.parts)
            for held in part.held
            if isinstance(held.value, Quantity) and self._comparable(held.value)
        ]
        self.naming = Naming(page, (each.held for each in self.numbers), units)
        self.alike = [each for each in self.numbers if self._alike(each.value)]
        self.agreeing = [each for each in self.alike if self._agrees(each.value)]
        self._parts = {id(each.held): each.part for each in self.numbers}
        self._same: dict[Fraction, dict[int, list[_Number]]] = defaultdict(lambda: defaultdict(list))
        for each in self.agreeing:
            self._same[each.value.number][each.part].append(each)
        self.chance = chance(stated, (*(each.value for each in self.alike), *self._as_named()))

    def ranked(self) -> Ranked:
        """What may be the number."""
        found = [*map(self._direct, self.agreeing), *self._by_name(), *self._conversions()]
        found.sort(key=self._order)
        return Ranked(tuple(found), self.chance, len(self.numbers), "" if found else self._near())

    def _near(self) -> str:
        """A value that rounds to a whole number which is exact."""
        if self.stated.form is not Form.NUMBER or not is_count(self.stated):
            return ""
        wanted = self.stated.numerals[0].number
        near = (each.value for each in self.alike if round(each.value.to(self.stated.unit)) == wanted)
        return next(map(show_value, near), "")

    def _order(self, candidate: Candidate) -> tuple[int, bool, int, int]:
        held = candidate.held
        _, full = self.naming.matched(held)
        level = list(Level).index(candidate.level)
        return level, not full, -len(candidate.named), self._parts[id(held)]

    # What can be compared ------------------------------------------------------------------------------

    def _comparable(self, value: Quantity) -> bool:
        """Whether it can be compared with the number as it stands, or once it is given a unit."""
        return _is_bare(value.unit) or same_dimension(value.unit, self.stated.unit)

    def _alike(self, value: Quantity) -> bool:
        """Whether it can be compared as it stands, without a guess: `0.653` is no `65.3 %` of itself."""
        mine, other = self.stated.unit, value.unit
        if not same_dimension(mine, other):
            return False
        return mine.scale == other.scale == 1 or (_is_bare(mine) == _is_bare(other))

    def _agrees(self, value: Quantity) -> bool:
        return agree(self.stated, Found(value, value), explained=False).agrees

    def _as_named(self) -> Iterator[Quantity]:
        """The bare numbers in the units that their own names say."""
        for one in self.numbers:
            if _is_bare(one.value.unit) and not _is_bare(self.stated.unit):
                yield from (Quantity(one.value.number, unit) for unit in self._units_in(one.held.own))

    # Candidates ----------------------------------------------------------------------------------------

    def _direct(self, one: _Number) -> Candidate:
        """One that agrees as it stands."""
        twins = self._twins(one)
        rivals = len(self.agreeing) - 1 - len(twins)
        named = self.naming.alone(one.held, [each.held for each in twins])
        why = self._doubt(one, rivals, named=named)
        level = Level.POSSIBLE if rivals and not named else Level.LIKELY
        return self._candidate(one, level if why else Level.SURE, why)

    def _twins(self, one: _Number) -> list[_Number]:
        """The same value, as other shapes of the file show it."""
        parts = self._same[one.value.number].items()
        return [each for part, several in parts if part != one.part for each in several]

    def _doubt(self, one: _Number, rivals: int, *, named: bool) -> str:
        """What keeps a candidate that agrees from being sure; empty where nothing does."""
        if rivals:
            return f"{rivals:,} more of the file's values agree"
        if self.stated.form not in SINGLE:
            return "a bound leaves too much room"
        if self.ignored:
            return "git ignores the file"
        if self.cut:
            return "not all of the file was looked at"
        if self.chance > SURE_CHANCE:
            return "with so few digits chance is not excluded"
        if not (_is_bare(self.stated.unit) or not _is_bare(one.value.unit)):
            return f"the file gives no unit: see that it counts in `{self.stated.unit.symbol}`"
        if not one.held.alone():
            return "nothing in the file names its row: it is picked by where it stands"
        if not named:
            return "the words around the number do not name it alone"
        noun = self.stated.unit.symbol if self.stated.unit.noun else ""
        if noun and not self.naming.knows(one.held, words(noun)):
            return f"nothing in the file says that it counts `{noun}`"
        return ""

    def _by_name(self) -> Iterator[Candidate]:
        """Bare numbers whose own name says the unit in which they agree: `peak_gib`."""
        for one in self._bare():
            for unit in self._units_in(one.held.own):
                if self._agrees(Quantity(one.value.number, unit)):
                    symbol = self._symbol(unit)
                    why = f"`{one.held.own}` says `{symbol}`, the file itself gives no unit"
                    yield self._candidate(one, Level.LIKELY, why, symbol)
                    break

    def _symbol(self, unit: Unit) -> str:
        """How the page writes a unit, where it is the page's: `GiB` for the `gib` of a name."""
        return self.stated.unit.symbol if unit.scale == self.stated.unit.scale else unit.symbol

    def _conversions(self) -> Iterator[Candidate]:
        """Numbers that would agree if somebody vouched for what they count in."""
        if not _is_bare(self.stated.unit):
            for one in self._bare():
                found = None if self._units_in(one.held.own) else self._vouched(one)
                if found is not None:
                    yield self._candidate(one, Level.CONVERSION, *found)

    def _vouched(self, one: _Number) -> tuple[str, str] | None:
        """What to assume of a bare number so that it agrees, and the unit that says so."""
        mine = self.stated.unit
        if not mine.dimension and self._agrees(one.value):
            shown = show_value(one.value)
            return f"only if `{shown}` is a share of 1: the file does not say so", ""
        if self._agrees(Quantity(one.value.number, mine)):
            return f"only if the file counts in `{mine.symbol}`: it does not say so", mine.symbol
        if not self.naming.words(one.held):
            return None
        for symbol in _SCALES.get(mine.dimension, ()):
            if self._agrees(Quantity(one.value.number, self.units.parse(symbol))):
                return f"only if the file counts in `{symbol}`: it does not say so", symbol
        return None

    def _bare(self) -> Iterator[_Number]:
        """The numbers without a unit that agree with nothing as they stand."""
        if _is_bare(self.stated.unit):
            return
        done = {id(each.held) for each in self.agreeing}
        yield from (each for each in self.numbers if _is_bare(each.value.unit) and id(each.held) not in done)

    def _units_in(self, name: str) -> list[Unit]:
        """The units of the stated one's dimension that a name says."""
        return units_in(name, self.stated.unit, self.units)

    def _candidate(self, one: _Number, level: Level, why: str, unit: str = "") -> Candidate:
        named = tuple(sorted(self.naming.words(one.held)))
        return Candidate(one.held, level, unit, named, why, self.chance)


def _is_bare(unit: Unit) -> bool:
    """Whether a number has no unit; nouns of what is counted are none."""
    return unit is BARE or not unit.symbol or unit.noun
