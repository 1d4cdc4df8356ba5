"""The tables of pages of which claims files bind cells, though no block stands there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from stilltrue.check.texts import Texts
from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.model import Judgement, Report, Syntax, Table, Written

Position = tuple[int, int]
"""A cell of a table: its row below the header and its column, from 0."""

Shape = tuple[tuple[str, ...], int]
"""What a table is known by where it is shown: letters and digits of its headers, and how many rows it has."""


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A pipe table of a page, as its file holds it.

    Attributes:
        shape: What it is known by.
        cells: The claims of each bound cell; empty where no claims file names the table.
    """

    shape: Shape
    cells: Mapping[Position, Sequence[Judgement]]


@dataclass(slots=True)
class NamedTables:
    """The tables of pages that claims files name; each file is read once.

    Attributes:
        config: The project.
        report: The check's result.
    """

    config: Config
    report: Report
    _bound: dict[str, dict[Written, list[Judgement]]] | None = None
    _known: dict[str, tuple[NamedTable, ...]] = field(default_factory=dict)

    def at(self, path: str) -> tuple[NamedTable, ...]:
        """All pipe tables of a page, in order; none where no claims file names one of them."""
        if self._bound is None:
            self._bound = {}
            for judgement in self.report.judgements:
                claim = judgement.claim
                if claim.table_in is not None and claim.written is not None:
                    cells = self._bound.setdefault(claim.table_in.file, {})
                    cells.setdefault(claim.written, []).append(judgement)
        if path not in self._bound:
            return ()
        if path not in self._known:
            self._known[path] = tuple(self._read(path, self._bound[path]))
        return self._known[path]

    def _read(self, path: str, bound: Mapping[Written, Sequence[Judgement]]) -> Iterator[NamedTable]:
        try:
            found = Texts(self.config, Trail()).tables(path)
        except InputError:  # changed since the check
            return
        for each in found:
            if isinstance(each.table, Table) and each.table.syntax is Syntax.PIPES:
                yield NamedTable(_shape(each.table), _cells(each.table, bound))


def _cells(table: Table, bound: Mapping[Written, Sequence[Judgement]]) -> dict[Position, Sequence[Judgement]]:
    return {
        (at, column): bound[cell.written]
        for at, row in enumerate(table.rows)
        for column, cell in enumerate(row.cells)
        if cell.written is not None and cell.written in bound
    }


def _shape(table: Table) -> Shape:
    return tuple(map(letters, table.header)), len(table.rows)


def letters(words: str) -> str:
    """What is left of a header when marks, blanks and signs are left out."""
    return "".join(filter(str.isalnum, words))
