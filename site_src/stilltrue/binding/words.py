"""The words of a text that may name a value, so that a page and a file can be compared."""

from __future__ import annotations

import re
from functools import lru_cache

from stilltrue.quantity import INFORMATION, TIME, Unit, Units, same_dimension

_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z][a-z])")
_GROUPED = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9,])")
_WORD = re.compile(r"[0-9]+(?:\.[0-9]+)+|[^\W_]+")
_IDLE = frozenset(
    {"a", "an", "and", "are", "as", "at", "be", "by", "for", "from", "in", "is", "it", "its", "of", "on"}
    | {"or", "per", "than", "that", "the", "this", "to", "value", "was", "were", "with"}
)
"""Words that name nothing."""


_SHARES = frozenset(["percent", "percentage", "pct"])
_NO_UNITS = frozenset(["d", "h", "m", "min", "w", "y"])
"""What names a minimum, a height or an index far more often than a unit."""


@lru_cache(maxsize=1 << 16)
def words(text: str) -> frozenset[str]:
    """The words of a text: lower case, one for singular and plural; `peakMemory_GiB` is three.

    Numbers count as words, without separators: `16,384` on a page names a row of `16384`.
    """
    apart = _CAMEL.sub(" ", _GROUPED.sub(lambda found: found[0].replace(",", ""), text))
    return frozenset(_stem(found[0].lower()) for found in _WORD.finditer(apart)) - _IDLE


def named_unit(word: str, units: Units) -> Unit | None:
    """The unit of time, of size or of shares that a word is: `ms`, `gib`, `percent`; None for none."""
    if word in _SHARES:
        return units.parse("%")
    unit = None if word.lower() in _NO_UNITS else units.find(word)
    return unit if unit is not None and unit.dimension in (TIME, INFORMATION) else None


def units_in(name: str, like: Unit, units: Units) -> list[Unit]:
    """The units of one dimension that a name holds as words: `step_ms` says `ms`."""
    found = (named_unit(word, units) for word in (*name.replace("_", " ").split(), *words(name)))
    return list(dict.fromkeys(unit for unit in found if unit is not None and same_dimension(unit, like)))


def _stem(word: str) -> str:
    plural = len(word) > 3 and word.isalpha() and word.endswith("s") and not word.endswith("ss")
    return word[:-1] if plural else word
