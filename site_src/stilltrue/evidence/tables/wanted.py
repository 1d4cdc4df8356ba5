"""What one read asks of a table, settled before the table is there: for files too large to be kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.cells import CellReader
from stilltrue.evidence.tables.expressions import Expression, conjuncts, parse_expression
from stilltrue.evidence.tables.frames import Column, Frame, StoredGrid
from stilltrue.evidence.tables.sandbox import TABLE, Sandbox
from stilltrue.model import Read

_NUMBERED = frozenset({"rowid", "_rowid_", "oid"})
_REMEMBERED = 100_000


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one read asks of a table.

    Attributes:
        names: What its expressions name, in lower case: columns, among other words; None where all columns
            are wanted.
        conditions: What holds in every row that it takes, each of them a condition on one row.
    """

    names: frozenset[str] | None = None
    conditions: tuple[Expression, ...] = ()

    def wants(self, name: str) -> bool:
        """Whether a column is wanted."""
        return self.names is None or name in self.names


EVERYTHING = Wanted()
"""All rows and columns."""


def wanted(read: Read) -> Wanted:
    """What a read of a table asks for.

    Raises:
        InputError: `bad-sql`: `where` or `column` is no expression.
    """
    column = parse_expression(read.column, "column")
    where = parse_expression(read.where, "where") if read.where.strip() else None
    names = column.words | column.names | (where.words | where.names if where else frozenset())
    if where is None or TABLE in names or not _NUMBERED.isdisjoint(names):
        return Wanted(names)  # a subquery looks at any row
    return Wanted(names, tuple(parse_expression(each, "where") for each in conjuncts(where.text)))


class Sieve:
    """A condition on one column, asked once for each text that the column holds.

    SQLite itself answers, so that the rows it would take are those that pass.

    Args:
        condition: It names no other column.
        column: The column.
        reader: What reads its cells.
    """

    def __init__(self, condition: Expression, column: Column, reader: CellReader) -> None:
        self.column = column
        self._condition = condition
        self._reader = reader
        self._known: dict[str, bool] = {}

    def passed(self, texts: Sequence[str], deadline: Deadline) -> Iterator[bool]:
        """Whether each of some cells passes.

        All do where SQLite refuses the condition: the read will say why.
        """
        if len(self._known) > _REMEMBERED:
            self._known.clear()
        known = self._known
        new = list(set(texts).difference(known))
        if new:
            known.update(zip(new, self._answers(new, deadline), strict=True))
        return map(known.__getitem__, texts)

    def _answers(self, texts: list[str], deadline: Deadline) -> list[bool]:
        frame = Frame((self.column,), StoredGrid([[text] for text in texts], [0] * len(texts)))
        try:
            rows = set(Sandbox(frame, (0,), self._reader, deadline).rows(self._condition, deadline))
        except InputError as error:
            if error.code == "too-slow":
                raise
            return [True] * len(texts)
        return [row in rows for row in range(len(texts))]
