"""A table that was found in a file."""

from __future__ import annotations

from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.model import Table


class Found(NamedTuple):
    """A table, and where it stands.

    Attributes:
        first: Its first line, from 1.
        last: Its last line.
        table: What it holds, or why nobody can say that; the line of such an error is of the file.
    """

    first: int
    last: int
    table: Table | InputError
