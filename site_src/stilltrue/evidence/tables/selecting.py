"""One read of a table: the rows that `where` picks, and what `column` gives in each."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeVar

from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.collection import Tables
from stilltrue.evidence.tables.expressions import Expression, parse_expression
from stilltrue.evidence.tables.frames import Cell, Frame
from stilltrue.evidence.tables.headings import LINE, column_name
from stilltrue.evidence.tables.kernels import DEVICE
from stilltrue.evidence.tables.sandbox import TABLE
from stilltrue.model import Read
from stilltrue.quantity import NonFinite, Quantity, Value, parse_value, with_unit
from stilltrue.suggest import did_you_mean
from stilltrue.wording import counted, quoted

T = TypeVar("T")

_PICKS_ONE = frozenset({"only", "same", "first", "last"})
_DEVICE_TIMES = frozenset({"self_device", "device_total"})
_PACE = 1024
LOOKED_AT = 1000
"""How many rows are looked at for what a condition that finds none may mean."""


def select(tables: Tables, read: Read, config: Config) -> tuple[list[Cell], tuple[str, ...]]:
    """The readings of a table, in the order of its rows, and what a reader of them should know.

    A plain column gives each cell's own exact value with its unit; an expression is computed by SQLite in
    base units and taken at its shortest decimal, with the read's unit or none. Only `take: count` may find
    nothing.

    Args:
        tables: The file's tables.
        read: Which table, rows and column; its first `take` decides what a table must vouch for.
        config: How long it may take.

    Raises:
        InputError: There is no such table, column or row, a cell is empty, SQL is refused or takes too long,
            a unit contradicts `read.unit`, or a take runs over several kernels of a table that lacks some.
    """
    deadline = Deadline(config.limits.seconds)
    take = read.take[0].name if read.take else "only"
    frame = _readable(tables.pick(read.table), empty=take == "count")
    where = parse_expression(read.where, "where") if read.where.strip() else None
    column = parse_expression(read.column, "column")
    for expression in (where, column):
        if expression is not None:
            _check_names(frame, expression)
    selection = _Selection(tables, frame, read, deadline)
    selection.refuse_broken(where, column)
    rows, cells = selection.cells(where, column)
    if not rows and take != "count":
        raise selection.no_row(where)
    nested = any(TABLE in e.words | e.names for e in (where, column) if e is not None)
    return cells, selection.notes(rows, column.lone, folds=nested or take not in _PICKS_ONE, nested=nested)


def _readable(frame: Frame, *, empty: bool) -> Frame:
    """The table, refused when it is damaged, or has no rows and something is to be read from one."""
    if frame.fault is not None:
        raise frame.fault.with_traceback(None)
    if not frame.height and not empty:
        raise InputError(
            "no-rows",
            f"{frame.called} has headings and no rows",
            "nothing was measured: record the evidence anew",
            line=frame.line,
        )
    return frame


def _check_names(frame: Frame, expression: Expression) -> None:
    """Refuses names that SQLite would take for something else than the author did."""
    for name in expression.names:
        if name not in frame.places and name not in {LINE, TABLE} and name not in expression.words:
            error = frame.missing(name)
            error.hint = f"text goes in single quotes; {error.hint}"
            raise error
    if LINE in expression.words | expression.names:
        own = next((c.name for c in frame.columns if column_name(c.heading) == LINE), "")
        if own:
            raise InputError(
                "no-column",
                f"`{LINE}` is the line of the file, and the table has a column headed so",
                f"the column is called `{own}`",
            )


class _Selection:
    """What one read takes out of one table."""

    def __init__(self, tables: Tables, frame: Frame, read: Read, deadline: Deadline) -> None:
        self.tables = tables
        self.frame = frame
        self.read = read
        self.deadline = deadline

    def cells(self, where: Expression | None, column: Expression) -> tuple[Sequence[int], list[Cell]]:
        """The rows, from 0, for which `where` is true, and the reading of each."""
        if column.lone in self.frame.places or column.lone == LINE:
            rows = self._rows(where)
            return rows, [self._plain(row, column.lone) for row in self._paced(rows)]
        names = column.words | column.names | (where.words | where.names if where else frozenset())
        sandbox = self.tables.sandbox(self.frame, names, self.deadline)
        found = sandbox.values(where, column, self.deadline)
        cells = [self._computed(column, row, value) for row, value in self._paced(found)]
        return [row for row, _ in found], cells

    def refuse_broken(self, where: Expression | None, column: Expression) -> None:
        """Raises what is wrong with a row, unless `where` leaves it out by its line, all that is known of it.

        Otherwise `loss is not null` would leave out the row that was cut before its loss.
        """
        broken = self.frame.broken
        if not broken:
            return
        names = column.words | column.names | (where.words | where.names if where else frozenset())
        possible = set(broken)
        if where is not None and TABLE not in names and LINE in where.words | where.names:
            sandbox = self.tables.sandbox(self.frame, where.words | where.names, self.deadline)
            possible &= {row for row, value in sandbox.values(None, where, self.deadline) if value != 0}
        if possible:
            raise broken[min(possible)].with_traceback(None)

    def no_row(self, where: Expression | None) -> InputError:
        """The error for a `where` that is true nowhere, with what its author may have meant."""
        rows = counted(self.frame.height, "row")
        message = f"`where` matches none of the rows of {self.frame.called} ({rows})"
        return InputError("no-reading", message, self._why(where) if where else "", line=self.frame.line)

    def notes(self, rows: Sequence[int], name: str, *, folds: bool, nested: bool) -> tuple[str, ...]:
        """What should be known of readings from a profiler table.

        Args:
            rows: The rows that were read.
            name: The column, where one was read as it stands.
            folds: Whether several rows come to one value.
            nested: Whether they do so in a subquery, which may look at any row.

        Raises:
            InputError: A take runs over several device rows, and they do not add up to the table's total.
        """
        frame, footer = self.frame, self.frame.footer
        if footer is None:
            return ()
        at = frame.places.get(DEVICE)
        kernels = sum(1 for row in rows if at is None or frame.grid.cell(row, at, self.deadline))
        complaint = footer.complaint()
        unsound = f"the profiler table in line {frame.line} does not add up: {complaint}"
        if complaint and (nested or (folds and kernels > 1)):
            raise InputError("incomplete-table", unsound, footer.cure(), line=frame.line)
        notes = [unsound] if complaint else []
        if folds and 0 < kernels < len(rows) and name in _DEVICE_TIMES:
            notes.append(
                "operators and the kernels that they launched are taken together: their time counts twice"
            )
        return tuple(notes)

    def _paced(self, rows: Iterable[T]) -> Iterator[T]:
        """The same rows, while there is time."""
        for number, row in enumerate(rows):
            if not number % _PACE:
                self.deadline.check()
            yield row

    def _rows(self, where: Expression | None) -> Sequence[int]:
        if where is None:
            return range(self.frame.grid.height)
        sandbox = self.tables.sandbox(self.frame, where.words | where.names, self.deadline)
        return sandbox.rows(where, self.deadline)

    def _plain(self, row: int, name: str) -> Cell:
        """The reading of one cell: exact, with its own unit."""
        line = self.frame.grid.line(row)
        if name == LINE:
            return Cell(with_unit(Quantity(Fraction(line)), self.read.unit), line)
        at = self.frame.places[name]
        text = self.frame.grid.cell(row, at, self.deadline)
        try:
            value = self.tables.cells.value(self.frame.columns[at], text, self.read.unit)
        except InputError as error:
            error.line = error.line or line
            raise
        if value is None:
            raise InputError(
                "empty-cell",
                f"`{name}` is empty in {self.frame.called_row(row)}",
                f"leave such rows out: `where: {name} is not null`",
                line=line,
            )
        return Cell(value, line)

    def _computed(self, column: Expression, row: int, raw: float | str | bytes | None) -> Cell:
        """The reading that an expression comes to in one row."""
        line = self.frame.grid.line(row)
        if raw is None or isinstance(raw, bytes):
            raise InputError(
                "empty-cell",
                f"{quoted(column.text)} comes to no value in {self.frame.called_row(row)}",
                "an empty cell, NaN and a division by 0 have none: leave such rows out with `where`",
                line=line,
            )
        try:
            return Cell(self._value(raw), line)
        except InputError as error:
            error.line = error.line or line
            raise

    def _value(self, raw: float | str) -> Value:
        if isinstance(raw, str):
            return parse_value(raw, self.tables.units, unit=self.read.unit, decimal=self.tables.decimal)
        if math.isinf(raw):
            return NonFinite("Infinity" if raw > 0 else "-Infinity")
        return with_unit(Quantity(Fraction(repr(raw))), self.read.unit)

    def _why(self, where: Expression) -> str:
        """Why no row may have been found: a number in quotes, or a text that is nearly in a column."""
        if any(text.replace(".", "", 1).isdecimal() for text in where.texts):
            return "numbers are compared as numbers, in base units: write them without quotes"
        places = self.frame.places
        used = [places[name] for name in where.words | where.names if name in places]
        columns = (self.frame.opening or self.frame.grid).texts(used, self.deadline)
        there = {text[:200] for column in columns for text in column[:LOOKED_AT]}
        for text in where.texts:
            near = did_you_mean(text, there)
            if near and text not in there:
                return near
        return "numbers are in base units (seconds, bytes), empty cells are NULL, text is as written"
