"""Headings of tables: the names that columns get from them, and the units that they carry."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from stilltrue.errors import InputError
from stilltrue.quantity import Unit, Units

LINE = "line"
"""The column that every table has: the line of the file on which the row begins."""

_SIGNS = re.compile(r"[\W_]+")
_UNIT = re.compile(r"[(\[]([^()\[\]]+)[)\]]\s*$|(?<=\S)\s*(%)\s*$")


def column_name(heading: str) -> str:
    """The name of a heading: lower case, `%` as `percent`, every run of other signs as one `_`.

    `Total Time (ns)` is `total_time_ns`; a heading without a letter or digit has no name.
    """
    return _SIGNS.sub("_", heading.replace("%", " percent ").lower()).strip("_")


def column_names(headings: Sequence[str]) -> list[str]:
    """One name for each heading, all different.

    A heading without a name is called by its position (`c3`). Headings of one name are numbered (`x_1`,
    `x_2`), so that none of them is read by accident; one called `line` begins at 2, `line` being taken.
    """
    names = [column_name(heading) or f"c{at}" for at, heading in enumerate(headings, 1)]
    counts = Counter(names)
    counts[LINE] += 1
    taken = {name for name in names if counts[name] == 1} | {LINE}
    numbers = {LINE: 2}  # the first number that may be free
    return [name if name in taken and name != LINE else _numbered(name, taken, numbers) for name in names]


def heading_unit(heading: str, units: Units) -> Unit | None:
    """The unit that a heading ends in: `Total Time (ns)`, `Time [s]`, `memory(%)`, `Self CPU %`.

    Only units with a dimension count, and `%`: the `M` of `params (M)` may be anything.
    """
    found = _UNIT.search(heading)
    if found is None:
        return None
    try:
        unit = units.parse((found[1] or found[2]).strip())
    except InputError:
        return None
    return unit if unit.dimension or unit.symbol == "%" else None


def _numbered(name: str, taken: set[str], numbers: dict[str, int]) -> str:
    number = numbers.get(name, 1)
    while f"{name}_{number}" in taken:
        number += 1
    numbers[name] = number + 1
    taken.add(f"{name}_{number}")
    return f"{name}_{number}"
