"""Tables of files that hold columns: each column is read when a claim asks for it, once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError

MOST_CELLS = 10_000_000
"""How many cells of one column are read; of several at once, as many in all."""


MOST_BYTES = 256 << 20
"""How many bytes the columns of one read may hold: a small file can say one long text very often."""


class Source(Protocol):
    """What columns are read from."""

    def height(self, deadline: Deadline) -> int:
        """How many rows there are, up to one more than `MOST_CELLS`."""
        ...

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[list[str]]:
        """The cells of some columns, each from its first row to its last."""
        ...


class ColumnGrid:
    """A grid over a source; rows are numbered from 1 in place of lines.

    Args:
        source: What is read from.
        seconds: How long counting the rows may take.
    """

    def __init__(self, source: Source, seconds: float) -> None:
        self._source = source
        self._seconds = seconds
        self._height: int | None = None
        self._columns: dict[int, list[str]] = {}

    @property
    def height(self) -> int:
        """How many rows there are."""
        if self._height is None:
            self._height = self._source.height(Deadline(self._seconds))
        return self._height

    def cell(self, row: int, column: int, deadline: Deadline) -> str:
        """The text of one cell."""
        return self.texts((column,), deadline)[0][row]

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[Sequence[str]]:
        """The texts of some columns.

        Raises:
            InputError: There are too many cells, or a column cannot be read.
        """
        new = [column for column in dict.fromkeys(columns) if column not in self._columns]
        if new:
            refuse_many(self.height * len(new))
            self._columns.update(zip(new, self._source.texts(new, deadline), strict=True))
        return [self._columns[column] for column in columns]

    def line(self, row: int) -> int:
        """The number of a row, from 1."""
        return row + 1


def refuse_many(cells: int) -> None:
    """Raises InputError when there are more cells than are read."""
    if cells > MOST_CELLS:
        raise InputError(
            "too-large",
            f"the columns of this read hold {cells:,} cells, and {MOST_CELLS:,} are read",
            "keep the rows that are needed in a smaller file",
        )


def refuse_long(size: int) -> None:
    """Raises InputError when cells hold more bytes than are read."""
    if size > MOST_BYTES:
        raise InputError(
            "too-large",
            f"the columns of this read hold more than {MOST_BYTES:,} bytes",
            "keep what is needed of the file in a smaller one",
        )
