"""A unit that stands apart from its number: in a key's name (`ENCODE_HOURS=4.3`) or a column's header."""

from __future__ import annotations

import re
from collections.abc import Callable

from stilltrue.quantity import Unit, Units

Means = Callable[[Unit], bool]
"""Says whether a unit is the one that is looked for."""

_KEY = re.compile(
    r"(?<![\w/])(?P<name>[A-Za-z][A-Za-z0-9_.\-]*)[\"'`\]]{0,2}\s*(?::=|(?::\s*[A-Za-z_][\w.]*\s*)?==?|:)\s*[\"'(]{0,2}$"
)
_FLAG = re.compile(r"(?:^|\s)--?(?P<name>[A-Za-z][A-Za-z0-9_\-]{2,})[ =]$")
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|[_.\-]+")
_PER = re.compile(r"[/ ]per[/ ]", re.IGNORECASE)
_BRACKETED = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]")
_LONGEST = 4
_SPELLED = 3


def keyed(left: str, means: Means, units: Units) -> str:
    """The key or flag right before a number whose name ends in the unit; empty where there is none."""
    found = _FLAG.search(left) or _KEY.search(left)
    if found is None:
        return ""
    parts = [part for part in _HUMP.split(found["name"]) if part]
    for count in range(1, min(_LONGEST, len(parts)) + 1):
        if len(found["name"]) == 1:
            break  # `h: 4.3` may be anything
        if any(_is_unit(parts[-count:], joint, means, units) for joint in (" ", "/")):
            return found["name"]
    return ""


def _is_unit(parts: list[str], joint: str, means: Means, units: Units) -> bool:
    """Whether the end of a name, whose case says nothing, is a unit."""
    text = _PER.sub("/", joint.join(parts))
    for name in (text, text.lower(), *_recased(text, units)):
        unit = units.find(name)
        if unit is not None:
            return means(unit)
    return False


def _recased(text: str, units: Units) -> tuple[str, ...]:
    """The known symbols that differ from a text by case alone: `GiB` for `gib`."""
    unit = units.find(text.lower())
    if unit is not None:
        return ()
    near = units.slip(text.lower())
    return (near,) if near.lower() == text.lower() else ()


def headed(header: str, column: int, means: Means, units: Units) -> bool:
    """Whether the header of a Markdown table gives a column, counted from 0, the unit."""
    cells = cells_of(header)
    return column < len(cells) and _heads(cells[column], means, units)


def cells_of(line: str) -> list[str]:
    """The cells of a row of a Markdown table."""
    return line.strip().removeprefix("|").removesuffix("|").split("|")


def column_of(left: str) -> int:
    """Which cell of its row, from 0, begins after a text that ends in the cell."""
    return left.strip().removeprefix("|").count("|")


def _heads(header: str, means: Means, units: Units) -> bool:
    named = [found.strip() for found in _BRACKETED.findall(header)]
    last = header.replace("*", "").replace("`", "").split(",")[-1].strip()
    words = [word for word in re.findall(r"[^\W\d_]+|%", header) if len(word) >= _SPELLED or word == "%"]
    return any((unit := units.find(name)) is not None and means(unit) for name in (*named, last, *words))
