"""What a reader of your own is made of: it gets a file and gives tables.

    from stilltrue.reading import File, Reader, Row, Table, UnreadableError

A package that holds one names nothing else of stilltrue, and these names keep their meaning from version to
version.
`stilltrue.testing` tries a reader on files that are empty, cut, damaged and of other formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import NamedTuple

TEXT = "text"
"""In place of a column's unit: its cells are text, digits or not, as names and versions are."""

Scalar = str | int | float | Decimal | bool | None
"""What a cell may be. Text is read as a number of a file is, with its own unit; None is an empty cell."""


class UnreadableError(Exception):
    """Raised by a reader for a file that is cut, of another format, or of a version that it does not know.

    The claim that reads the file is broken then, with this message.

    Attributes:
        message: What is wrong, in one clause.
        line: Where, from 1; 0 when unknown.
        hint: What to do next; may be empty.
    """

    def __init__(self, message: str, *, line: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.hint = hint


class File:
    """What one evidence file holds.

    Attributes:
        path: The file, from the repository's root.
        data: Its bytes, unpacked where it was compressed; never empty.
    """

    def __init__(self, path: str, data: bytes, text: Callable[[], str]) -> None:
        self.path = path
        self.data = data
        self._text = text

    @cached_property
    def text(self) -> str:
        """It as a terminal would leave it: UTF-8, LF at the ends of lines, no colours, no progress bars.

        Its lines are those of `data`. Asking a file that is no text for it breaks the claim.
        """
        return self._text()


class Row(NamedTuple):
    """One row of a table.

    Attributes:
        cells: By heading; what a row lacks is left out. Numbers best stay text, as the file has them.
        line: The line of the file on which it begins, from 1; for a file without lines the number of the row.
    """

    cells: Mapping[str, Scalar]
    line: int


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a file.

    Attributes:
        rows: In the order of the file; a generator will do.
        columns: The headings that are known, with the unit of their bare cells, `""` for numbers without
            one, or `TEXT`. Headings that are met in rows alone come after them and have no unit.
        line: The line on which it begins.
        title: What the file calls it, for `table` where there are several; may be empty.
    """

    rows: Iterable[Row]
    columns: Mapping[str, str] = field(default_factory=dict)
    line: int = 1
    title: str = ""


def _never(_head: bytes) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of one format.

    Attributes:
        read: The tables of a file, one at least. Raises `UnreadableError`.
        recognises: Whether a file is of this format, by its first 64 KiB of bytes, unpacked; without it the
            format has to be named by `format`.
    """

    read: Callable[[File], Iterable[Table]]
    recognises: Callable[[bytes], bool] = _never
