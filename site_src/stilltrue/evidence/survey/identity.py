"""What tells a row of a table, or an object of an array, from the others: the fewest of its own labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations

Label = str | int
"""A value that may name a row: a text or a whole number; no measured number."""

_MOST_COLUMNS = 6
_MOST_TOGETHER = 3
_MANY_ROWS = 5_000


class Identity:
    """The columns that pick each row of a table.

    Args:
        columns: The labels of each column that may name rows, one a row; None where a row has none.
        height: How many rows there are.
    """

    def __init__(self, columns: Mapping[str, Sequence[Label | None]], height: int) -> None:
        self._columns = columns
        self._height = height
        self._choices = _choices(columns, _MOST_TOGETHER if height <= _MANY_ROWS else 2)
        self._whole: dict[str, tuple[str, ...]] = {}
        self._counts: dict[tuple[str, ...], Counter[tuple[Label | None, ...]]] = {}

    def of(self, row: int, measured: str) -> tuple[str, ...] | None:
        """The fewest columns that tell all rows apart, else those whose labels no other row has.

        None of them where there is one row; None where no few do.

        Args:
            row: The row, from 0.
            measured: The column that is read, which names no row.
        """
        if self._height == 1:
            return ()
        if measured not in self._whole:
            others = (names for names in self._choices if measured not in names)
            self._whole[measured] = next((names for names in others if self._tells_all(names)), ())
        if self._whole[measured]:
            return self._whole[measured]
        others = (names for names in self._choices if measured not in names)
        return next((names for names in others if self._picks(names, row)), None)

    def _tells_all(self, names: tuple[str, ...]) -> bool:
        rows = self._counted(names)
        return len(rows) == self._height and not any(None in labels for labels in rows)

    def _counted(self, names: tuple[str, ...]) -> Counter[tuple[Label | None, ...]]:
        if names not in self._counts:
            self._counts[names] = Counter(zip(*(self._columns[name] for name in names), strict=True))
        return self._counts[names]

    def _picks(self, names: tuple[str, ...], row: int) -> bool:
        labels = tuple(self._columns[name][row] for name in names)
        return None not in labels and self._counted(names)[labels] == 1


def _choices(columns: Mapping[str, Sequence[Label | None]], most: int) -> list[tuple[str, ...]]:
    """Sets of columns: of texts alone, of texts and numbers, of numbers; of each the smaller ones first."""
    texts = [name for name, labels in columns.items() if not any(isinstance(each, int) for each in labels)]
    every = [*texts, *(name for name in columns if name not in set(texts))][:_MOST_COLUMNS]
    sets = [names for together in range(1, most + 1) for names in combinations(every, together)]
    return sorted(
        sets, key=lambda names: 2 * texts.__contains__(names[0]) + (names[-1] in texts), reverse=True
    )
