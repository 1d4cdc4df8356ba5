"""How several readings become one: an explicit table of functions over exact numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.evidence.numbers import Numbers, mean, median, percentile, population_std, sample_std, total
from stilltrue.evidence.picks import Pick, places
from stilltrue.model import Spread, Take, Taken
from stilltrue.quantity import NonFinite, Quantity, Text, Value, same_dimension, show_value
from stilltrue.wording import counted

_Taker = Callable[[Sequence[Pick], Take], Pick]
_DIGIT = re.compile(r"[0-9]")


class Kind(NamedTuple):
    """One way to take.

    Attributes:
        take: The function: several readings to one, which knows the readings that it came from.
        means: What it is, for the docs.
        rounds: Whether a whole stated number may be its result rounded.
    """

    take: _Taker
    means: str
    rounds: bool = False


def combine(groups: Sequence[Sequence[Pick]], takes: Sequence[Take]) -> Taken:
    """What the readings of several files come to.

    Args:
        groups: The readings of each file, each file with at least one unless the first take is `count`.
        takes: One take over all readings, or two: within each file, then across. None is `only`.

    Raises:
        InputError: There are several for `only`, unequal ones for `same`, another number than `of` says, no
            numbers or different dimensions where numbers are wanted; a reading itself is no value.
    """
    result = taken_from(groups, takes)
    return Taken(
        result.value,
        tuple(result.readings()),
        rounds=any(TAKES[take.name].rounds for take in takes),
        notes=_notes(groups),
    )


def taken_from(groups: Sequence[Sequence[Pick]], takes: Sequence[Take]) -> Pick:
    """The value that `combine` gives, without the places that it is from; raises as that does."""
    first, *across = takes or (Take(),)
    if across:
        return _taken([_taken(group, first) for group in groups], across[0])
    return _taken([pick for group in groups for pick in group], first)


def spread(groups: Sequence[Sequence[Pick]]) -> Spread:
    """All readings, for a stated range or `±`: the smallest, the largest, their mean and sample deviation.

    Raises:
        InputError: `one-reading`, or as `combine`.
    """
    picks = [pick for group in groups for pick in group]
    if len(picks) < 2:
        raise InputError(
            "one-reading",
            "a range or a `±` looks at all readings, and there is one",
            "widen the read, or state a single number",
        )
    numbers = _numbers(picks, "a range")
    readings = tuple(reading for pick in picks for reading in pick.readings())
    if isinstance(numbers, NonFinite):
        return Spread(numbers, numbers, numbers, numbers, readings, _notes(groups))
    all_of = [min(numbers.values), max(numbers.values), mean(numbers.values), sample_std(numbers.values)]
    low, high, middle, deviation = (Quantity(number, numbers.unit) for number in all_of)
    return Spread(low, high, middle, deviation, readings, _notes(groups))


def _notes(groups: Sequence[Sequence[Pick]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(note for group in groups for pick in group[:1] for note in pick.notes))


def _taken(picks: Sequence[Pick], take: Take) -> Pick:
    if take.of is not None and len(picks) != take.of:
        raise InputError(
            "reading-count",
            f"{counted(len(picks), 'reading')} where the take says `of {take.of}`: {places(picks)}",
            "narrow or widen the read until it gives the readings that are meant",
        )
    return TAKES[take.name].take(picks, take)


# The takes ---------------------------------------------------------------------------------------------


def _only(picks: Sequence[Pick], _take: Take) -> Pick:
    if len(picks) == 1:
        return picks[0]
    path, line = picks[0].place
    raise InputError(
        "several-readings",
        f"there are {counted(len(picks), 'reading')} where one is wanted: {places(picks)}",
        "narrow the read to the one that is meant, or say with `take` how they become one",
        path=path,
        line=line,
    )


def _same(picks: Sequence[Pick], _take: Take) -> Pick:
    first = picks[0].value
    for pick in picks[1:]:
        if not _equal(first, pick.value):
            path, line = pick.place
            raise InputError(
                "unequal-readings",
                f"the {len(picks):,} readings are not all the same: {places([picks[0], pick])}",
                "narrow the read, or take `min`, `max` or `mean`",
                path=path,
                line=line,
            )
    return Pick.of(first, picks)


def _equal(left: Value, right: Value) -> bool:
    if isinstance(left, Quantity) and isinstance(right, Quantity):
        return same_dimension(left.unit, right.unit) and left.base == right.base
    return left == right


def _first(picks: Sequence[Pick], _take: Take) -> Pick:
    return picks[0]


def _last(picks: Sequence[Pick], _take: Take) -> Pick:
    return picks[-1]


def _count(picks: Sequence[Pick], _take: Take) -> Pick:
    return Pick.of(Quantity(Fraction(len(picks))), picks, counts=True)


def _smallest(picks: Sequence[Pick], take: Take) -> Pick:
    return _extreme(picks, take, min)


def _largest(picks: Sequence[Pick], take: Take) -> Pick:
    return _extreme(picks, take, max)


def _extreme(picks: Sequence[Pick], take: Take, which: Callable[[Sequence[Fraction]], Fraction]) -> Pick:
    numbers = _numbers(picks, f"`{take.name}`")
    if isinstance(numbers, NonFinite):
        return Pick.of(numbers, picks)
    return picks[numbers.values.index(which(numbers.values))]


def _over(compute: Callable[[Sequence[Fraction]], Fraction]) -> _Taker:
    """A take that computes one number from all of them."""

    def take_over(picks: Sequence[Pick], take: Take) -> Pick:
        return _computed(picks, take, compute)

    return take_over


def _percentile(picks: Sequence[Pick], take: Take) -> Pick:
    share = (take.percentile or Fraction(0)) / 100
    return _computed(picks, take, lambda values: percentile(values, share))


def _std(picks: Sequence[Pick], take: Take) -> Pick:
    if len(picks) < 2:
        raise InputError(
            "one-reading",
            "the sample standard deviation of one reading is undefined",
            "widen the read, or take `pstd`",
        )
    return _computed(picks, take, sample_std)


def _computed(picks: Sequence[Pick], take: Take, compute: Callable[[Sequence[Fraction]], Fraction]) -> Pick:
    numbers = _numbers(picks, f"`{take.name}`")
    if isinstance(numbers, NonFinite):
        return Pick.of(numbers, picks)
    return Pick.of(Quantity(compute(numbers.values), numbers.unit), picks)


def _numbers(picks: Sequence[Pick], what: str) -> Numbers | NonFinite:
    """The readings as numbers in the unit of the first; one that is not finite makes the whole of it so."""
    values: list[Fraction] = []
    endless: NonFinite | None = None
    unit = None
    for pick in picks:
        value = pick.value
        if isinstance(value, NonFinite):
            endless = endless or value
        elif not isinstance(value, Quantity):
            raise _no_number(pick, what)
        elif unit is None or value.unit is unit:
            unit = value.unit
            values.append(value.number)
        elif not same_dimension(unit, value.unit):
            raise _mixed(picks, pick)
        else:
            values.append(value.to(unit))
    return endless or Numbers(values, unit or Quantity(Fraction(0)).unit)


def _no_number(pick: Pick, what: str) -> InputError:
    path, line = pick.place
    hint = "narrow the read to what holds numbers"
    if isinstance(pick.value, Text) and _DIGIT.search(pick.value.text):
        hint = f"{hint}: in a pattern the number goes in a group, `loss (\\S+)`"
    return InputError(
        "not-a-number",
        f"{what} needs numbers, and a reading is `{show_value(pick.value)[:60]}`",
        hint,
        path=path,
        line=line,
    )


def _mixed(picks: Sequence[Pick], pick: Pick) -> InputError:
    path, line = pick.place
    first = next(p for p in picks if isinstance(p.value, Quantity))
    return InputError(
        "unit-mismatch",
        f"the readings have different dimensions: {places([first, pick])}",
        "narrow the read to readings of one kind",
        path=path,
        line=line,
    )


TAKES: dict[str, Kind] = {
    "only": Kind(_only, "the one reading; two or more are an error that lists their places"),
    "same": Kind(_same, "any of several that are all equal"),
    "first": Kind(_first, "the first, in the order of the files and lines"),
    "last": Kind(_last, "the last"),
    "min": Kind(_smallest, "the smallest"),
    "max": Kind(_largest, "the largest"),
    "mean": Kind(_over(mean), "the arithmetic mean", rounds=True),
    "median": Kind(_over(median), "the middle one, or the mean of the two in the middle", rounds=True),
    "sum": Kind(_over(total), "the sum"),
    "count": Kind(_count, "how many there are; may be 0"),
    "p": Kind(_percentile, "a percentile, `p95`, linear between the two nearest readings", rounds=True),
    "std": Kind(_std, "the sample standard deviation (divided by n - 1)", rounds=True),
    "pstd": Kind(_over(population_std), "the population standard deviation (divided by n)", rounds=True),
}
"""Every way to take, by its name."""
