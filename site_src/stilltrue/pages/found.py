"""A table that was found in a file."""

from __future__ import annotations

from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.model import Table

MOST_CELLS = 500_000
"""How many cells a table has at most, with those that stand for a span or for what a short row lacks."""


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
