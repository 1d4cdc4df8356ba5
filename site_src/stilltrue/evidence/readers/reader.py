"""What a reader says of its format, and how it reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.streams import Stream
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.tables.wanted import Wanted
from stilltrue.evidence.trees import Tree
from stilltrue.model import Shape
from stilltrue.quantity import Units

Columns = Mapping[str, str | Kind]
"""What is known of the columns of a format, by name: a unit, `""` for a bare number, or a kind."""


@dataclass(frozen=True, slots=True)
class Reader:
    """The reader of one format.

    Attributes:
        means: What the format is, for the docs.
        content: What its content looks like, in words.
        rows: What one row of its tables is, or what its tree holds, for the docs.
        columns: The columns that it knows; a file may lack some and hold others.
        traps: Sentences for the docs: how its numbers are misread, and what the reader does about it.
        recognises: Whether a file is of this format: given its first bytes where the format is `whole`, else
            all of its text, as a terminal would leave it.
        read: The tables of a file; None for a format of trees. Raises `InputError`: `malformed-evidence` or
            `bad-table` where it is cut, of an unknown version or of another format, `too-slow` past the
            deadline.
        scan: What one read wants of a file that is too large to be kept, read while it passes by: the rows
            that its conditions leave, and the columns that it names. It comes to the same as with `read`.
        tree: The tree of a file, for a format of trees; raises as `read`.
        binary: Whether it is no text: then `recognises` is given all of its bytes as they are, and `data` is
            read.
        whole: Whether a file holds nothing besides; else it may stand anywhere among other text.
        suffixes: The ends of file names that it is found under; files of another format's suffix are not
            looked at.
    """

    means: str
    content: str
    rows: str
    columns: Columns
    traps: tuple[str, ...]
    recognises: Callable[[bytes], bool]
    read: Callable[[Content, Deadline, Units], tuple[Frame, ...]] | None
    whole: bool
    suffixes: tuple[str, ...] = ()
    scan: Callable[[Stream, Wanted, Deadline, Units], tuple[Frame, ...]] | None = None
    tree: Callable[[Content, Deadline], Tree] | None = None
    binary: bool = False

    @property
    def shape(self) -> Shape:
        """The shape that reads it."""
        return Shape.TREE if self.tree is not None else Shape.TABLE
