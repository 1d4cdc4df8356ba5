"""`readings`: what a file holds, kind by kind: columns with units, paths, labels, repeated keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from operator import attrgetter

from stilltrue.binding.words import words
from stilltrue.compare import agree
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence.survey import Held, Keys, Part, Survey, survey
from stilltrue.model import Found
from stilltrue.quantity import Quantity, Stated, Text, Value, parse_stated, show_value

MOST_LIKE = 200
"""How many values are listed one by one."""


@dataclass(frozen=True, slots=True)
class Group:
    """Values of one kind: a column, the same path in every row, the same words before a number.

    Attributes:
        keys: The read of all of them; a pattern, or a path with `*`, may give several.
        count: How many there are.
        units: The units that the file itself gives them, as it writes them; an empty one for bare numbers.
        shown: The first few different values, or the smallest and the largest of many numbers.
        spans: Whether `shown` is the smallest and the largest.
        line: The line of the first; 0 where nobody can say.
    """

    keys: Keys
    count: int
    units: tuple[str, ...]
    shown: tuple[str, ...]
    spans: bool
    line: int


@dataclass(frozen=True, slots=True)
class Listed:
    """One part of a file, kind by kind."""

    part: Part
    groups: tuple[Group, ...]


@dataclass(frozen=True, slots=True)
class Listing:
    """What a file holds.

    Attributes:
        path: The file, from the root.
        parts: Its tree, its tables, its text.
        repeated: Keys and headings that stand in several places, with those.
        like: What was looked for; empty where nothing was.
        found: The values that are like it, each with the read that gives it alone.
        more: How many more there are.
    """

    path: str
    parts: tuple[Listed, ...]
    repeated: tuple[tuple[str, tuple[str, ...]], ...]
    like: str = ""
    found: tuple[Held, ...] = ()
    more: int = 0


def readings(config: Config, path: str, like: str = "") -> Listing:
    """What a file holds; nothing is written.

    Args:
        config: The project.
        path: The file, from the root.
        like: A quantity: the values that agree with it are listed; any other text: those that its words name.

    Raises:
        InputError: The file cannot be read.
    """
    held = survey(config, path)
    parts = tuple(Listed(part, tuple(_groups(part.held))) for part in held.parts)
    found = list(_like(config, held, like)) if like.strip() else []
    return Listing(
        path,
        parts,
        tuple(_repeated(parts)),
        like.strip(),
        tuple(found[:MOST_LIKE]),
        max(len(found) - MOST_LIKE, 0),
    )


def _groups(held: Iterable[Held]) -> Iterator[Group]:
    kinds: dict[Keys, list[Held]] = defaultdict(list)
    for each in held:
        kinds[each.group].append(each)
    for keys, several in kinds.items():
        values = [each.value for each in several]
        numbers = [value for value in values if isinstance(value, Quantity)]
        units = tuple(dict.fromkeys(number.unit.symbol for number in numbers))
        shown, spans = _shown(several, numbers)
        yield Group(keys, len(several), units, shown, spans, several[0].line())


_FEW = 3


def _shown(several: list[Held], numbers: list[Quantity]) -> tuple[tuple[str, ...], bool]:
    different = _different(each.value for each in several)
    one_kind = len({number.unit.dimension for number in numbers}) == 1
    if len(different) > _FEW and len(numbers) == len(several) and one_kind:
        return tuple(map(show_value, _ends(numbers))), True
    return tuple(map(show_value, different[:_FEW])), False


def _ends(numbers: list[Quantity]) -> tuple[Quantity, Quantity]:
    """The smallest and the largest; numbers of one unit are compared as they stand."""
    units: dict[str, list[Quantity]] = defaultdict(list)
    for each in numbers:
        units[each.unit.symbol].append(each)
    least = (min(several, key=attrgetter("number")) for several in units.values())
    most = (max(several, key=attrgetter("number")) for several in units.values())
    return min(least, key=attrgetter("base")), max(most, key=attrgetter("base"))


def _different(values: Iterable[Value]) -> list[Value]:
    """The first different values, one more than are shown."""
    found: list[Value] = []
    for value in values:
        if value not in found:
            found.append(value)
            if len(found) > _FEW:
                break
    return found


def _repeated(parts: Iterable[Listed]) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Names that several kinds of values have: `loss` of training and of evaluation."""
    for part in parts:
        places: dict[str, set[str]] = defaultdict(set)
        for each in part.part.held:
            places[each.own].add(each.group[-1][1])
        for name, several in places.items():
            if name and len(several) > 1:
                yield name, tuple(sorted(several))


def _like(config: Config, held: Survey, like: str) -> Iterator[Held]:
    every = [each for part in held.parts for each in part.held]
    try:
        stated = parse_stated(like, config.units)
    except InputError:
        stated = None
    if stated is not None and stated.numerals:
        yield from (each for each in every if _agrees(stated, each))
        return
    wanted = words(like)
    lower = like.strip().lower()
    for each in every:
        own = each.value.text if isinstance(each.value, Text) else ""
        names = (each.own, *each.around, *each.beside(), own)
        if (wanted and wanted <= frozenset().union(*map(words, names))) or any(
            lower in name.lower() for name in names
        ):
            yield each


def _agrees(stated: Stated, held: Held) -> bool:
    """Whether a value agrees as it stands, or would in the unit that is asked for: both are worth a look."""
    value = held.value
    if not isinstance(value, Quantity):
        return False
    given = Quantity(value.number, stated.unit) if not value.unit.symbol else value
    return any(agree(stated, Found(each, each), explained=False).agrees for each in (value, given))
