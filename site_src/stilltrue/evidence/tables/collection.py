"""All tables of one file, and the databases that they were put into."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.cells import CellReader
from stilltrue.evidence.tables.frames import SHOWN, Frame
from stilltrue.evidence.tables.sandbox import Sandbox
from stilltrue.quantity import Units
from stilltrue.wording import listed

_KEPT = 8


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """All tables of one file.

    Attributes:
        frames: In the order of the file.
        units: The units that its cells may have.
        decimal: The decimal mark of its cells.
        cells: What reads its cells.
    """

    frames: tuple[Frame, ...]
    units: Units
    decimal: str = "."
    cells: CellReader = field(init=False)
    _sandboxes: dict[tuple[int, tuple[int, ...]], Sandbox] = field(default_factory=dict, init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "cells", CellReader(self.units, self.decimal))

    def sandbox(self, frame: Frame, names: Iterable[str], deadline: Deadline) -> Sandbox:
        """A database of those columns of a table that `names` holds, whatever else it holds."""
        columns = tuple(sorted(frame.places[name] for name in names if name in frame.places))
        key = (self.frames.index(frame), columns)
        known = self._sandboxes.get(key)
        if known is None:
            while len(self._sandboxes) >= _KEPT:
                self._sandboxes.pop(next(iter(self._sandboxes)))
            known = self._sandboxes[key] = Sandbox(frame, columns, self.cells, deadline)
        return known

    def pick(self, table: str) -> Frame:
        """The table with a number (from 1) or a title; the only one for the empty string.

        Raises:
            InputError: There is no such table, or there are several and none was named.
        """
        if not table:
            return self._only()
        if table.isdecimal():
            number = int(table) if len(table) < 10 else 0
            if 1 <= number <= len(self.frames):
                return self.frames[number - 1]
        else:
            titled = [frame for frame in self.frames if frame.title == table]
            if len(titled) == 1:
                return titled[0]
            if titled:
                raise InputError(
                    "no-table",
                    f"{len(titled)} tables are called `{table}`",
                    f"name it by number: {self._listing()}",
                )
        raise InputError("no-table", f"there is no table `{table}`", f"the file holds {self._listing()}")

    def _only(self) -> Frame:
        if len(self.frames) > 1:
            raise InputError(
                "no-table",
                f"the file holds {len(self.frames)} tables",
                f"say which with `table: 1`: {self._listing()}",
            )
        return self.frames[0]

    def _listing(self) -> str:
        every = (f"{number} ({_place(frame)})" for number, frame in enumerate(self.frames, 1))
        return listed(every, SHOWN)


def _place(frame: Frame) -> str:
    line = f"line {frame.line}" if frame.line else ""
    return ", ".join(filter(None, (line, frame.title and f"`{frame.title}`"))) or "without a name"
