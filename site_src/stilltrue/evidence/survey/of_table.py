"""The values of a table: every cell, with the rows and the column that pick it by what names it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property, partial

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.survey.held import MOST, Held, Keys, Part
from stilltrue.evidence.survey.identity import Identity, Label
from stilltrue.evidence.tables.collection import Tables
from stilltrue.evidence.tables.frames import Column, Frame, Kind
from stilltrue.evidence.tables.headings import LINE, column_name
from stilltrue.model import Shape
from stilltrue.quantity import BARE, Quantity, Text, Value

_NAME = re.compile(r"[a-z_][a-z0-9_]*")
# fmt: off
_KEYWORDS = frozenset({
    "add", "all", "alter", "and", "as", "autoincrement", "between", "case", "check", "collate",
    "commit", "constraint", "create", "cross", "default", "deferrable", "delete", "distinct", "drop",
    "else", "escape", "except", "exists", "foreign", "from", "full", "group", "having", "in", "index",
    "inner", "insert", "intersect", "into", "is", "isnull", "join", "left", "limit", "natural", "not",
    "nothing", "notnull", "null", "on", "or", "order", "outer", "primary", "references", "returning",
    "right", "select", "set", "table", "then", "to", "transaction", "union", "unique", "update",
    "using", "values", "when", "where",
})
# fmt: on
"""What SQLite takes for no column unless it is quoted."""

_PACE = 1024
_LONGEST_LABEL = 80


def table_parts(name: str, tables: Tables, deadline: Deadline) -> Iterator[Part]:
    """What each table of a file holds.

    Args:
        name: Their format.
        tables: The tables.
        deadline: When reading their cells takes too long.

    Raises:
        InputError: `too-slow`.
    """
    several = len(tables.frames) > 1
    for number, frame in enumerate(tables.frames, 1):
        found = _Cells(tables, frame, number if several else 0, deadline)
        fault = frame.fault.message if frame.fault is not None else ""
        held = () if fault else tuple(found.held())
        yield Part(
            Shape.TABLE, name, held, frame.title, number, frame.line, frame.grid.height, fault, found.cut
        )


class _Cells:
    """The cells of one table."""

    def __init__(self, tables: Tables, frame: Frame, number: int, deadline: Deadline) -> None:
        self.tables = tables
        self.frame = frame
        self.deadline = deadline
        width = max(len(frame.columns), 1)
        self.height = min(frame.grid.height, max(MOST // width, 1))
        self.cut = self.height < frame.grid.height or bool(frame.broken)
        self._table: Keys = (("table", str(number)),) if number else ()
        self._labels: dict[str, list[Label | None]] = {}

    def held(self) -> Iterator[Held]:
        """Every cell that is not empty, row by row."""
        values = [self._column(at, column) for at, column in enumerate(self.frame.columns)]
        for column, cells in zip(self.frame.columns, values, strict=True):
            if (labels := _labels(column, cells)) is not None:
                self._labels[column.name] = labels
        for row in range(self.height):
            for at, column in enumerate(self.frame.columns):
                value = values[at][row]
                if value is not None:
                    yield self._cell(row, at, column, value)

    def _column(self, at: int, column: Column) -> list[Value | None]:
        (texts,) = self.frame.grid.texts((at,), self.deadline)
        return [self._value(column, text, row) for row, text in enumerate(texts[: self.height])]

    def _value(self, column: Column, text: str, row: int) -> Value | None:
        if not row % _PACE:
            self.deadline.check()
        try:
            return self.tables.cells.value(column, text, None)
        except InputError:  # a unit that contradicts the heading: an error once it is read
            return None

    def _cell(self, row: int, at: int, column: Column, value: Value) -> Held:
        return Held(
            value,
            column.name,
            (self.frame.title,) if self.frame.title else (),
            lambda: tuple(self._beside(row, column.name)),
            (*self._table, ("column", _column_key(column.name))),
            lambda: tuple(str(self._labels[name][row]) for name in self._names(row, at) or ()),
            lambda: self._names(row, at) is not None,
            partial(self._keys, row, at),
            lambda: self.frame.grid.line(row),
        )

    def _beside(self, row: int, own: str) -> Iterator[str]:
        for name, labels in self._labels.items():
            if name != own and (label := labels[row]) is not None:
                yield str(label)

    def _names(self, row: int, at: int) -> tuple[str, ...] | None:
        """The columns that tell a row from the others, the measured one aside."""
        if self.cut:  # of a table that is not looked at as a whole nobody knows what tells its rows apart
            return None
        return self._identity.of(row, self.frame.columns[at].name)

    @cached_property
    def _headed(self) -> frozenset[str]:
        """What its columns are headed: one headed `line` takes the number of the line away."""
        return frozenset(column_name(column.heading) for column in self.frame.columns)

    @cached_property
    def _identity(self) -> Identity:
        return Identity(self._labels, self.height)

    def _keys(self, row: int, at: int) -> Keys:
        names = self._names(row, at)
        if names is None and LINE not in self._headed:
            where = f"line == {self.frame.grid.line(row)}"
        else:
            own = self.frame.columns[at].name
            known = (name for name, labels in self._labels.items() if name != own and labels[row] is not None)
            tests = ((name, self._labels[name][row]) for name in (known if names is None else names))
            where = " and ".join(f"{_column_key(name)} == {_literal(label)}" for name, label in tests)
        rows: Keys = (("where", where),) if where else ()
        return (*self._table, *rows, ("column", _column_key(self.frame.columns[at].name)))


def _labels(column: Column, cells: Sequence[Value | None]) -> list[Label | None] | None:
    """The cells of a column that may name rows: texts and whole numbers without a unit."""
    if column.kind is Kind.FLAG or column.unit is not None:
        return None
    if any(isinstance(cell, Quantity) and cell.number.denominator != 1 for cell in cells):
        return None  # what is measured names no row
    return [_label(cell) for cell in cells]


def _label(value: Value | None) -> Label | None:
    if isinstance(value, Text):
        return value.text if 0 < len(value.text) <= _LONGEST_LABEL and value.text.isprintable() else None
    if isinstance(value, Quantity) and value.unit is BARE and value.number.denominator == 1:
        return int(value.number)
    return None


def _column_key(name: str) -> str:
    return name if _NAME.fullmatch(name) and name not in _KEYWORDS else f'"{name}"'


def _literal(label: Label | None) -> str:
    return "'" + label.replace("'", "''") + "'" if isinstance(label, str) else str(label)
