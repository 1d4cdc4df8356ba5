"""A reading, or what several came to, on its way through the takes: its value and where it is from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stilltrue.errors import InputError
from stilltrue.evidence.selection import Selection
from stilltrue.model import Place, Reading
from stilltrue.quantity import Value, show_value

_SHOWN = 5


class Pick:
    """One candidate for a value; the value of a single reading is worked out when it is asked for."""

    __slots__ = ("_counts", "_value", "hits")

    def __init__(
        self, hits: Sequence[tuple[Selection, int]], value: Value | None = None, counts: bool = False
    ) -> None:
        self.hits = hits
        self._value = value
        self._counts = counts

    @classmethod
    def of(cls, value: Value, picks: Sequence[Pick], counts: bool = False) -> Pick:
        """What several came to.

        Args:
            value: The value.
            picks: Those it came from.
            counts: Whether they were counted only: then what stands there need not be a value.
        """
        return cls([hit for pick in picks for hit in pick.hits], value, counts)

    @property
    def value(self) -> Value:
        """The value.

        Raises:
            InputError: As `Selection.value`.
        """
        if self._value is None:
            selection, index = self.hits[0]
            self._value = selection.value(index)
        return self._value

    @property
    def place(self) -> Place:
        """Where the first of its readings stands; nowhere for a count of 0."""
        if not self.hits:
            return Place("")
        selection, index = self.hits[0]
        return Place(selection.path, selection.line(index))

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the file it is from."""
        return self.hits[0][0].notes if self.hits else ()

    def readings(self) -> Iterator[Reading]:
        """The readings it came from."""
        for selection, index in self.hits:
            yield selection.counted(index) if self._counts else selection.reading(index)


def picks(selection: Selection) -> list[Pick]:
    """All readings of one file."""
    return [Pick(((selection, index),)) for index in range(selection.count)]


def places(several: Sequence[Pick]) -> str:
    """The places of the first few, with their values: `lines 12 (5 ms), 14 (6 ms) and 3 more`.

    Readings of several files are shown with their paths: `a.txt:12 (5 ms), b.txt:12 (6 ms)`.
    """
    if not several:
        return "none"
    one_file = len({pick.place.path for pick in several[:_SHOWN]}) == 1
    shown = [_place(pick, with_path=not one_file) for pick in several[:_SHOWN]]
    more = f" and {len(several) - _SHOWN:,} more" if len(several) > _SHOWN else ""
    return ("lines " if one_file else "") + ", ".join(shown) + more


def _place(pick: Pick, *, with_path: bool) -> str:
    where = str(pick.place) if with_path else str(pick.place.line)
    try:
        return f"{where} ({show_value(pick.value)[:40]})"
    except InputError:
        return where
