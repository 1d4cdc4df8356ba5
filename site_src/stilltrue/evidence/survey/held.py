"""The nouns of a survey: one value that a file holds, with what names it and the read that gives it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stilltrue.model import Shape
from stilltrue.quantity import Value

Keys = tuple[tuple[str, str], ...]
"""The keys of a `read` in order, each with its text: `(("path", "$.peak"),)`."""

MOST = 100_000
"""How many values of one file are looked at: beyond it nobody can say that one is the only one."""


@dataclass(frozen=True, slots=True)
class Held:
    """One value that a file holds.

    Attributes:
        value: The value, in the file's own unit.
        own: What names the value: its last key, the heading of its column, the words before it.
        around: What it stands in: the keys on the way to it, the title of its table, the start of its line.
        beside: What may name its row: texts and whole numbers that stand in it.
        group: The read of all of its kind: the path with `*` for each index, the column, the words before it.
        row: Those of `beside` that tell its row from the others.
        alone: Whether `keys` picks it by what names it, not by an index or the number of a line.
        keys: The read that gives it, and nothing else.
        line: The line that it stands on, from 1; 0 where nobody can say.
    """

    value: Value
    own: str
    around: tuple[str, ...]
    beside: Callable[[], tuple[str, ...]]
    group: Keys
    row: Callable[[], tuple[str, ...]]
    alone: Callable[[], bool]
    keys: Callable[[], Keys]
    line: Callable[[], int]


@dataclass(frozen=True, slots=True)
class Part:
    """What one shape of a file holds: its tree, one of its tables, its text.

    Attributes:
        shape: The shape that reads it.
        format: The format, as `read.format` calls it.
        held: Its values, in the order of the file.
        title: What the file calls it; empty where it says nothing.
        number: Which of several tables it is, from 1; 0 for no table.
        line: The line on which it begins; 0 where nobody can say.
        rows: How many rows a table has; 0 for no table.
        fault: Why it cannot be read; empty where it can.
        cut: Whether it holds more values than are looked at.
    """

    shape: Shape
    format: str
    held: tuple[Held, ...]
    title: str = ""
    number: int = 0
    line: int = 0
    rows: int = 0
    fault: str = ""
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Survey:
    """What a file holds.

    Attributes:
        path: The file, from the root.
        parts: Its parts: what a reader of tools found first, text last.
    """

    path: str
    parts: tuple[Part, ...]

    @property
    def cut(self) -> bool:
        """Whether some of its values were not looked at."""
        return any(part.cut or part.fault for part in self.parts)
