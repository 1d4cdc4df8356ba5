"""Which values of a file, taken together, a stated range or `±` may be about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple

from stilltrue.binding.candidates import Ranked
from stilltrue.binding.naming import Naming
from stilltrue.binding.outcome import Candidate, Level
from stilltrue.binding.words import units_in
from stilltrue.compare import agree
from stilltrue.evidence.numbers import mean, sample_std
from stilltrue.evidence.survey import Held, Keys, Survey
from stilltrue.model import Found
from stilltrue.quantity import (
    Form,
    Quantity,
    Stated,
    Text,
    Unit,
    Units,
    found_text,
    same_dimension,
    show_value,
)
from stilltrue.wording import counted

_CERTAIN = Fraction(1)
"""Nobody can say how likely chance finds two ends: nothing is told of it, and no candidate is sure."""


class _Group(NamedTuple):
    """All values of one read: the first as it is held, and the unit that the read has to give them.

    `vouched` says that neither the file nor a name in it says that unit.
    """

    first: Held
    values: tuple[Quantity, ...]
    unit: str = ""
    vouched: bool = False


class _Agreeing(NamedTuple):
    """A group that agrees, and what it comes to."""

    group: _Group
    shown: str


def ranked_groups(survey: Survey, stated: Stated, page: frozenset[str], units: Units) -> Ranked:
    """The groups of values that agree with a range or a `±`; none of them is ever sure.

    A claim that states one reads all values of a column, of a path or of a label. So those are compared: the
    smallest and the largest, or their mean and sample standard deviation.

    Args:
        survey: What the file holds.
        stated: The range, or the `±`.
        page: The words around it.
        units: The known units.
    """
    groups = [each for group in _groups(survey) for each in _comparable(group, stated, units)]
    naming = Naming(page, (each.first for each in groups), units)
    found = [_Agreeing(each, shown) for each in groups if (shown := _shown(each.values, stated))]
    candidates = [_candidate(each, len(found) - 1, naming, cut=survey.cut) for each in found]
    levels = list(Level)
    candidates.sort(
        key=lambda each: (levels.index(each.level), not naming.matched(each.held)[1], -len(each.named))
    )
    return Ranked(tuple(candidates), _CERTAIN, sum(len(each.values) for each in groups))


def _groups(survey: Survey) -> Iterator[_Group]:
    """The reads of the file that give several values, all of them numbers."""
    for part in survey.parts:
        kinds: dict[Keys, list[Held]] = defaultdict(list)
        for held in part.held:
            kinds[held.group].append(held)
        for several in kinds.values():
            values = tuple(each.value for each in several if isinstance(each.value, Quantity))
            if len(values) == len(several) > 1:
                # What stands beside the first value names its row, not the group.
                yield _Group(replace(several[0], beside=tuple), values)


def _comparable(group: _Group, stated: Stated, units: Units) -> Iterator[_Group]:
    """The group as it can be compared: as it stands, or in the unit that its own name says, or the page."""
    if all(_alike(value.unit, stated.unit) for value in group.values):
        yield group
    elif not any(value.unit.symbol for value in group.values):
        said = units_in(group.first.own, stated.unit, units)
        for unit in said or (stated.unit,):
            values = tuple(Quantity(value.number, unit) for value in group.values)
            symbol = stated.unit.symbol if unit.scale == stated.unit.scale else unit.symbol
            yield group._replace(values=values, unit=symbol, vouched=not said)


def _alike(one: Unit, stated: Unit) -> bool:
    """Whether two units can be compared without a guess: a bare number is no percentage."""
    return same_dimension(one, stated) and (bool(one.symbol) or stated.scale == 1)


def _shown(values: tuple[Quantity, ...], stated: Stated) -> str:
    """What values come to that agree; empty where they do not."""
    low, high = min(values, key=lambda each: each.base), max(values, key=lambda each: each.base)
    if stated.form is Form.RANGE:
        agrees = agree(stated, Found(low, high), explained=False).agrees
        return f"{show_value(low)} to {show_value(high)}" if agrees else ""
    numbers = [value.to(stated.unit) for value in values]
    spread = Quantity(mean(numbers), stated.unit), Quantity(sample_std(numbers), stated.unit)
    agrees = agree(stated, Found(low, high, spread=spread), explained=False).agrees
    return found_text(stated, low, high, spread) if agrees else ""


def _candidate(agreeing: _Agreeing, rivals: int, naming: Naming, *, cut: bool) -> Candidate:
    group = agreeing.group
    first, count = group.first, counted(len(group.values), "value")
    named = tuple(sorted(naming.words(first)))
    why = f"see that the page means all {count}"
    if cut:
        why = f"see that the page means all values, of which the first {len(group.values):,} were looked at"
    if group.vouched:
        why += f"; only if the file counts in `{group.unit}`: it does not say so"
    elif group.unit:
        why += f", and that they count in `{group.unit}`, as `{first.own}` says"
    if rivals:
        why = f"{rivals:,} more of the file's reads agree; {why}"
    whole = replace(
        first,
        value=Text(f"{agreeing.shown}, of {'the first ' if cut else ''}{count}"),
        row=tuple,
        keys=lambda: first.group,
    )
    level = Level.POSSIBLE if rivals and not named else Level.LIKELY
    level = Level.CONVERSION if group.vouched else level
    return Candidate(whole, level, group.unit, named, why, _CERTAIN)
