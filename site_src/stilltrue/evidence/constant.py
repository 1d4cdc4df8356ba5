"""Reads that take nothing out of evidence."""

from __future__ import annotations

from stilltrue.model import Read, Shape

_COUNTS_ROWS = frozenset({"count", "sum"})


def is_constant(read: Read) -> bool:
    """Whether a table's `column` names no column, so that every row says the same: `column: 81.93`.

    Counting rows so, with `count` or as a `sum` of ones, is no fault. The expression must be a valid one.
    """
    if read.shape is not Shape.TABLE or any(take.name in _COUNTS_ROWS for take in read.take):
        return False
    from stilltrue.evidence.tables.expressions import parse_expression  # noqa: PLC0415  # only tables need it

    column = parse_expression(read.column, "column")
    return not column.words and not column.names
