"""What a read selects in one file, before it is known which of the readings matter."""

from __future__ import annotations

from abc import ABC, abstractmethod

from stilltrue.errors import InputError
from stilltrue.model import Reading
from stilltrue.quantity import Value

MOST_READINGS = 1_000_000
"""More readings than this from one file are a mistake in the read, or an attack."""


class Selection(ABC):
    """The readings of one file; a value or a line is worked out when it is asked for, once.

    Attributes:
        path: The file.
        count: How many readings there are.
        notes: What the reader wants known.
    """

    notes: tuple[str, ...] = ()

    def __init__(self, path: str, count: int) -> None:
        self.path = path
        self.count = count
        self._values: dict[int, Value] = {}

    def value(self, index: int) -> Value:
        """The value of one reading.

        Raises:
            InputError: It is null, an object, empty or in another unit than `unit` says; with file and line.
        """
        if index in self._values:
            return self._values[index]
        try:
            value = self._values[index] = self._parse(index)
        except InputError as error:
            error.path = self.path
            error.line = error.line or self.line(index)
            raise
        return value

    def reading(self, index: int) -> Reading:
        """One reading with its place."""
        return Reading(self.path, self.line(index), self.value(index))

    def counted(self, index: int) -> Reading:
        """One reading for a `count`: what stands there, whether or not it is a value."""
        return Reading(self.path, self.line(index), self.describe(index))

    @abstractmethod
    def line(self, index: int) -> int:
        """The line of one reading; 0 where the format has none."""

    @abstractmethod
    def describe(self, index: int) -> Value:
        """What stands at one reading, never an error."""

    @abstractmethod
    def nothing(self) -> InputError:
        """Why there is no reading, and what is near."""

    @abstractmethod
    def _parse(self, index: int) -> Value: ...


def too_many() -> InputError:
    """The error for a read that selects without bounds."""
    return InputError(
        "too-large",
        f"the read gives more than {MOST_READINGS:,} readings",
        "narrow the read, or let the probe print what is wanted",
    )
