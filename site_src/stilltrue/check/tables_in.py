"""The table that `table_in` of a claims file means, found in its file."""

from __future__ import annotations

from collections.abc import Iterable

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.matches import Source
from stilltrue.model import Table, TableIn
from stilltrue.pages.found import Found
from stilltrue.patterns import compiled
from stilltrue.wording import quoted


def meant(table_in: TableIn, source: Source, tables: Iterable[Found], deadline: Deadline) -> Table:
    """The first table on or after the first match of a pattern.

    Args:
        table_in: Where the table stands.
        source: The text of its file.
        tables: The tables of that file, in order.
        deadline: How long the search may take.

    Raises:
        InputError: `no-table-in`: there is none, or it cannot be read; `too-slow`.
    """
    line = _line_of(table_in, source, deadline)
    found = next((each for each in tables if each.last >= line), None)
    if found is None:
        raise _none(table_in, line)
    if isinstance(found.table, InputError):
        raise found.table
    return found.table


def _line_of(table_in: TableIn, source: Source, deadline: Deadline) -> int:
    """The line on which the first match ends; 1 where there is no pattern."""
    if not table_in.after:
        return 1
    data = source.data
    match = next(compiled(table_in.after).matches(data, 0, len(data), deadline), None)
    if match is None:
        message = f"{quoted(table_in.after)} of `after` matches nothing in `{table_in.file}`"
        raise InputError("no-table-in", message, "mend the pattern; `^` and `$` stand at lines")
    start, end = match.span()
    return data.count(b"\n", 0, max(start, end - 1)) + 1


def _none(table_in: TableIn, line: int) -> InputError:
    file = table_in.file
    if table_in.after:
        message = f"no table follows line {line} of `{file}`, which `after` matches first"
        return InputError("no-table-in", message, "let `after` match above the table that is meant")
    return InputError("no-table-in", f"there is no table in `{file}`", "name the file that holds the table")
