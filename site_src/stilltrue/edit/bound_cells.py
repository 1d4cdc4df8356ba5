"""A cell of a table that a claims file binds, with another value in it, written as its table is."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from stilltrue.claims.table_cells import CellClaim
from stilltrue.edit import raw
from stilltrue.edit.file import File
from stilltrue.edit.rewording import Rewording
from stilltrue.model import Syntax, Table
from stilltrue.pages.any_tables import SHOWN
from stilltrue.pages.rst_inline import references_of

_BLANKS = " \t\r\n"


def exchanged_cell(file: File, table: Table, cell: CellClaim, rewording: Rewording) -> str | None:
    """What is to stand between the borders of a cell; None where its value cannot be exchanged safely.

    Args:
        file: The file that holds the table.
        table: The table.
        cell: The cell.
        rewording: What a reader sees of it, and is to see.
    """
    written = cell.claim.written
    if written is None:
        return None
    references = _REFERENCES[table.syntax](file)
    own = file.text[written.start : written.end]
    shown = SHOWN[table.syntax]
    core = raw.exchanged(own.strip(_BLANKS), rewording, lambda text: shown(text, references))
    return None if core is None else _FITTED[table.syntax](file, table, cell, own, core)


def _between_pipes(file: File, table: Table, cell: CellClaim, own: str, core: str) -> str:
    """With the blanks that keep the pipes of its column in line."""
    return raw.fitted(own, core, file.plain.column(table, cell.column))


def _as_before(_file: File, _table: Table, _cell: CellClaim, own: str, core: str) -> str:
    """With the blanks that stood around it."""
    lead = len(own) - len(own.lstrip(_BLANKS))
    return own[:lead] + core + own[len(own.rstrip(_BLANKS)) :]


def _between_commas(file: File, table: Table, cell: CellClaim, own: str, core: str) -> str:
    """As before, in quotes where the new text has a comma and the old one had none."""
    written = cell.claim.written
    text = _as_before(file, table, cell, own, core)
    bare = written is not None and file.text[written.start - 1] != '"'
    return f'"{text}"' if bare and "," in core and "," not in own else text


def _in_its_width(file: File, _table: Table, cell: CellClaim, own: str, core: str) -> str | None:
    """In as many signs as before, so that what stands behind it stays in line; longer where the line ends."""
    lead, behind = (len(own) - len(each) for each in (own.lstrip(_BLANKS), own.rstrip(_BLANKS)))
    written = cell.claim.written
    if len(core) > len(own):
        ends = written is not None and file.text[written.end : written.end + 1] in ("", "\r", "\n")
        return own[:lead] + core if ends else None
    room = len(own) - len(core)
    left = max(room - behind, 0) if lead > behind else min(lead, room)
    return " " * left + core + " " * (room - left)


_FITTED: Mapping[Syntax, Callable[[File, Table, CellClaim, str, str], str | None]] = {
    Syntax.PIPES: _between_pipes,
    Syntax.HTML: _as_before,
    Syntax.GRID: _in_its_width,
    Syntax.SIMPLE: _in_its_width,
    Syntax.LIST: _as_before,
    Syntax.CSV: _between_commas,
}

_REFERENCES: Mapping[Syntax, Callable[[File], Mapping[str, str]]] = {
    Syntax.PIPES: lambda file: file.plain.references,
    Syntax.HTML: lambda _: {},
    **dict.fromkeys(
        (Syntax.GRID, Syntax.SIMPLE, Syntax.LIST, Syntax.CSV), lambda file: references_of(file.text)
    ),
}
