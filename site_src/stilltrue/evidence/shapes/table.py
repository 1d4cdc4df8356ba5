"""Tables: the cells that `where` and `column` select, read by the package `tables`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from stilltrue.errors import InputError
from stilltrue.evidence.selection import MOST_READINGS, Selection, too_many
from stilltrue.quantity import Value

if TYPE_CHECKING:
    from stilltrue.evidence.tables import Cell


class Cells(Selection):
    """The cells of one read in one file."""

    def __init__(self, path: str, cells: list[Cell], notes: tuple[str, ...]) -> None:
        super().__init__(path, len(cells))
        if len(cells) > MOST_READINGS:
            raise too_many()
        self._cells = cells
        self.notes = notes

    def line(self, index: int) -> int:
        """The line of one cell."""
        return self._cells[index].line

    def describe(self, index: int) -> Value:
        """The cell's value."""
        return self._cells[index].value

    def nothing(self) -> InputError:
        """No row is selected."""
        return InputError(
            "no-reading",
            f"no row of `{self.path}` is selected",
            "widen `where`, or name another table or file",
        )

    def _parse(self, index: int) -> Value:
        return self._cells[index].value
