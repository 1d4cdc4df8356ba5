"""From what a reader found to a table: rows of named cells, and columns with their units."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from stilltrue.errors import InputError
from stilltrue.evidence.readers.reader import Columns
from stilltrue.evidence.tables.frames import Column, Frame, Kind, StoredGrid
from stilltrue.evidence.tables.headings import column_names
from stilltrue.evidence.trees import Number
from stilltrue.quantity import NonFinite, Units


class Row(NamedTuple):
    """One row: its cells by heading (those it lacks left out), its first line, and what is wrong with it."""

    cells: Mapping[str, str]
    line: int
    fault: InputError | None = None


def build(
    rows: Sequence[Row],
    columns: Columns,
    units: Units,
    *,
    line: int = 1,
    title: str = "",
) -> Frame:
    """A table of rows that need not have the same cells.

    Known columns come first, in their order, then others as they are met; one that no row has is left out,
    so that reading it says what there is.

    Args:
        rows: In the order of the file.
        columns: What is known of them.
        units: Where the units of columns are looked up.
        line: The line on which the table begins.
        title: What the file calls it.
    """
    met = dict.fromkeys(heading for row in rows for heading in row.cells)
    headings = [name for name in columns if name in met or not met]
    headings += [heading for heading in met if heading not in columns]
    made = [
        _column(name, heading, columns.get(heading, ""), units)
        for name, heading in zip(column_names(headings), headings, strict=True)
    ]
    grid = StoredGrid(
        [[row.cells.get(heading, "") for heading in headings] for row in rows], [row.line for row in rows]
    )
    broken = {at: row.fault for at, row in enumerate(rows) if row.fault is not None}
    return Frame(tuple(made), grid, line, title, broken=broken)


def cell(value: Any) -> str:
    """The text of a cell for a value of JSON: numbers as they were written, null as an empty cell."""
    if isinstance(value, Number | NonFinite):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=lambda item: item.text)
    return "" if value is None else str(value)


def scalars(values: Mapping[str, Any], before: str = "") -> dict[str, str]:
    """The members of an object that are no arrays or objects, as cells; `before` is put before their keys."""
    return {before + key: cell(value) for key, value in values.items() if not isinstance(value, list | dict)}


def _column(name: str, heading: str, known: str | Kind, units: Units) -> Column:
    if isinstance(known, Kind):
        return Column(name, heading, kind=known)
    return Column(name, heading, units.parse(known) if known else None)
