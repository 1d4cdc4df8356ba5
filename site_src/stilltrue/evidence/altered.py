"""Readings with other values in their place: what a check would find if the evidence said so."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.evidence.library import Library
from stilltrue.evidence.picks import Pick
from stilltrue.evidence.takes import combine, spread, taken_from
from stilltrue.model import Place, Read, Spread, Taken
from stilltrue.quantity import Value


class Standing(NamedTuple):
    """A reading as it stands in the evidence.

    Attributes:
        place: Where.
        value: What it says; None where that is no value, which a take that does not look there allows.
    """

    place: Place
    value: Value | None


class Altered:
    """Evidence whose readings can be given other values; each read is read once.

    It gives what a `Library` gives, so that a claim is judged on it by the same path. It keeps the readings
    of every read that it was asked for: take a new one for each claim.

    Args:
        library: The evidence as it is.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._kept: dict[tuple[tuple[str, ...], Read, bool], list[list[Pick]]] = {}
        self._unaltered: dict[tuple[tuple[str, ...], Read], Taken] = {}
        self._values: dict[Read, Mapping[int, Value]] = {}
        self._results: dict[Read, Value] = {}

    def readings(self, patterns: tuple[str, ...], read: Read, *, spread: bool = False) -> list[Standing]:
        """All readings of a read as the evidence has them, in the order of files and lines.

        Raises:
            InputError: As `Library.groups`.
        """
        groups = self._groups(patterns, read, spread)
        return [Standing(pick.place, _value(pick)) for group in groups for pick in group]

    def alter(self, read: Read, values: Mapping[int, Value]) -> None:
        """From now on these readings of a read, counted from 0 over all files, have these values.

        All others have their own again.
        """
        self._values, self._results = {read: values}, {}

    def answer(self, read: Read, result: Value) -> None:
        """From now on a read comes to `result`, whatever its readings are; others have their own again."""
        self._values, self._results = {}, {read: result}

    def take(self, patterns: tuple[str, ...], read: Read) -> Taken:
        """What a read comes to, as `Library.take` gives it but for the readings, which nobody asks for."""
        if read not in self._values:
            taken = self._taken(patterns, read)
            return replace(taken, value=self._results[read]) if read in self._results else taken
        return replace(
            self._taken(patterns, read),
            value=taken_from(self._altered(patterns, read, spread=False), read.take).value,
        )

    def spread(self, patterns: tuple[str, ...], read: Read) -> Spread:
        """All readings of a read; as `Library.spread`."""
        return spread(self._altered(patterns, read, spread=True))

    def _taken(self, patterns: tuple[str, ...], read: Read) -> Taken:
        """What a read comes to as the evidence is."""
        key = (patterns, read)
        if key not in self._unaltered:
            taken = combine(self._groups(patterns, read, spread=False), read.take)
            self._unaltered[key] = replace(taken, readings=())
        return self._unaltered[key]

    def _groups(self, patterns: tuple[str, ...], read: Read, spread: bool) -> list[list[Pick]]:
        key = (patterns, read, spread)
        if key not in self._kept:
            self._kept[key] = self._library.groups(patterns, read, spread=spread)
        return self._kept[key]

    def _altered(self, patterns: tuple[str, ...], read: Read, *, spread: bool) -> Sequence[Sequence[Pick]]:
        groups = self._groups(patterns, read, spread)
        values = self._values.get(read)
        if not values:
            return groups
        altered, start = [], 0
        for group in groups:
            altered.append([_with(pick, values.get(start + at)) for at, pick in enumerate(group)])
            start += len(group)
        return altered


def _with(pick: Pick, value: Value | None) -> Pick:
    return pick if value is None else Pick.of(value, (pick,))


def _value(pick: Pick) -> Value | None:
    try:
        return pick.value
    except InputError:
        return None
