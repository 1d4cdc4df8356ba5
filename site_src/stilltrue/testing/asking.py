"""Asks a reader about a file: what it gives, what it refuses, and what it does that it should not."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.calling import CODE, called
from stilltrue.evidence.loading import Content
from stilltrue.evidence.outside import Outside
from stilltrue.evidence.readers import READERS
from stilltrue.evidence.tables.frames import Frame
from stilltrue.evidence.trees import Number, Tree
from stilltrue.quantity import Units
from stilltrue.reading import Reader

_NAME = "it"
_NOWHERE = Path(os.devnull)
"""No checkout: what is tried may lie in the one that it is written in."""

_SECONDS = 10.0


class BrokeError(Exception):
    """The reader did something else than to read or to refuse."""


class Refused(NamedTuple):
    """What was said of a file that it did not read."""

    why: str


class Cell(NamedTuple):
    """A cell of a table, from 0, that holds something; or a leaf of a tree, by its path."""

    table: int
    line: int
    column: str
    text: str


class Given(NamedTuple):
    """What a reader gave for a file.

    Attributes:
        cells: Those that hold anything, those of rows that cannot be read left out.
        faults: The table and the line of rows that cannot be read.
    """

    cells: frozenset[Cell]
    faults: frozenset[tuple[int, int]]

    def beside(self, whole: Given) -> frozenset[Cell]:
        """The cells that a read is given: none of a table with a fault that the whole has not."""
        spoilt = {table for table, _ in self.faults - whole.faults}
        return frozenset(cell for cell in self.cells if cell.table not in spoilt) if spoilt else self.cells


class Tried:
    """A reader from outside, or by the name of its format one of our own.

    Args:
        reader: The reader.
        path: What its files are called.
    """

    def __init__(self, reader: Reader | str, path: str) -> None:
        self._content = partial(Content, path)
        if isinstance(reader, str):
            self._read, self._recognises = _own(reader)
            self.recognises = True
        else:
            self._read, self._recognises = _outside(reader)
            self.recognises = reader.recognises is not Reader(reader.read).recognises

    def ask(self, data: bytes) -> Given | Refused:
        """What it gives for a file, or says of it.

        Raises:
            BrokeError: It does something else.
        """
        try:
            return self._read(self._content(data), Deadline(_SECONDS))
        except InputError as error:
            if error.code in {CODE, "too-slow"} or not error.message:
                raise BrokeError(error.message or "it refuses without a message") from None
            return Refused(error.message)

    def given(self, data: bytes) -> Given:
        """As `ask`, of a file that is to be read."""
        asked = self.ask(data)
        if isinstance(asked, Refused):
            raise BrokeError(f"it is refused: {asked.why}")
        return asked

    def knows(self, data: bytes) -> bool:
        """Whether it recognises a file.

        Raises:
            BrokeError: It does something else than to answer.
        """
        try:
            return self.recognises and self._recognises(self._content(data), Deadline(_SECONDS))
        except InputError as error:
            if error.code == "not-text":
                return False
            raise BrokeError(error.message) from None


_Read = Callable[[Content, Deadline], Given]
_Recognises = Callable[[Content, Deadline], bool]


def _outside(reader: Reader) -> tuple[_Read, _Recognises]:
    outside = Outside(Config(_NOWHERE), (), {_NAME: reader})

    def read(content: Content, deadline: Deadline) -> Given:
        return _of_frames(outside.read(_NAME, content, deadline), deadline)

    def recognises(content: Content, deadline: Deadline) -> bool:
        return bool(outside.recognised(content, deadline))

    return read, recognises


def _own(name: str) -> tuple[_Read, _Recognises]:
    """One of our own, called as one from outside is: so that an end is put to it, and errors are told."""
    own, units = READERS[name], Units.default()

    def work(content: Content, deadline: Deadline) -> Given:
        if own.read is not None:
            return _of_frames(own.read(content, deadline, units), deadline)
        assert own.tree is not None  # noqa: S101  # a reader gives tables or trees
        return Given(frozenset(_of_tree(own.tree(content, deadline))), frozenset())

    def read(content: Content, deadline: Deadline) -> Given:
        return called(_NAME, lambda: work(content, deadline), _NOWHERE, deadline)

    def recognises(content: Content, deadline: Deadline) -> bool:
        if own.binary:
            return called(_NAME, lambda: own.recognises(content.data), _NOWHERE, deadline)
        head = content.plain[: 1 << 16] if own.whole else content.shown
        return called(_NAME, lambda: own.recognises(head), _NOWHERE, deadline)

    return read, recognises


def _of_frames(frames: Iterable[Frame], deadline: Deadline) -> Given:
    """What tables hold; raises InputError where one cannot be read."""
    cells: list[Cell] = []
    faults: list[tuple[int, int]] = []
    for number, frame in enumerate(frames):
        if frame.fault is not None:
            raise frame.fault
        grid = frame.grid
        faults.extend((number, grid.line(row)) for row in frame.broken)
        texts = grid.texts(range(len(frame.columns)), deadline)
        cells.extend(
            Cell(number, grid.line(row), column.name, text)
            for column, column_texts in zip(frame.columns, texts, strict=True)
            for row, text in enumerate(column_texts)
            if text and row not in frame.broken
        )
    return Given(frozenset(cells), frozenset(faults))


def _of_tree(tree: Tree) -> Iterator[Cell]:
    """The leaves of a tree."""
    waiting: list[tuple[str, object]] = [("$", tree.value)]
    while waiting:
        path, value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend((f"{path}.{key}", item) for key, item in value.items())
        elif isinstance(value, list):
            waiting.extend((f"{path}[{at}]", item) for at, item in enumerate(value))
        elif value is not None:
            yield Cell(0, 0, path, value.text if isinstance(value, Number) else str(value))
