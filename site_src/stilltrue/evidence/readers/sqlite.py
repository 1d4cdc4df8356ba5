"""SQLite files: each of their tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.grids import ColumnGrid
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.readers.sqlite_file import MAGIC, Database
from stilltrue.evidence.tables.frames import Column, Frame
from stilltrue.evidence.tables.headings import column_names, heading_unit
from stilltrue.quantity import Units


@dataclass(frozen=True, slots=True)
class _Table:
    """One table as a source of columns."""

    database: Database
    name: str
    columns: tuple[str, ...]

    def height(self, deadline: Deadline) -> int:
        return self.database.height(self.name, deadline)

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[list[str]]:
        return self.database.texts(self.name, [self.columns[at] for at in columns], deadline)


def _recognises(data: bytes) -> bool:
    return data.startswith(MAGIC)


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    database = Database(content.data, deadline)
    if not database.tables:
        raise other_format("a SQLite file with evidence", "it has no table")
    return tuple(
        _frame(_Table(database, name, columns), deadline.seconds, units)
        for name, columns in database.tables.items()
    )


def _frame(table: _Table, seconds: float, units: Units) -> Frame:
    headings = zip(column_names(table.columns), table.columns, strict=True)
    columns = tuple(Column(name, heading, heading_unit(heading, units)) for name, heading in headings)
    return Frame(columns, ColumnGrid(table, seconds), 0, table.name)


SQLITE = Reader(
    means="any SQLite file",
    content="begins with `SQLite format 3`",
    rows="a row of one of its tables, which `table` names; `line` is its number",
    columns={},
    traps=(
        (
            "Rows stand in the order in which the file keeps them, which need not be that of "
            "writing: for the latest, name it (`where: step = 500`) rather than `take: last`."
        ),
        (
            "Whole numbers are exact, floats are read at their shortest decimal, NULL and an "
            "empty text are empty cells."
        ),
        (
            "What a program had written and not yet moved from the `-wal` file beside it is no "
            "part of the file, and is not seen: let the program close it first."
        ),
        (
            "Views, triggers, virtual tables and generated columns are left out: nothing that the"
            " file says is run. A blob is the text `blob of 16 bytes`."
        ),
        (
            "A file that is cut, or whose pages contradict each other, is an error where that "
            "shows; SQLite keeps no checksum, so that a changed digit does not. The digest in its"
            " provenance does that."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    binary=True,
)
