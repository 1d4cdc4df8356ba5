"""A `claims` block and the table after it to one claim for each cell of the columns that it binds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from stilltrue.claims import keys, mappings, plain
from stilltrue.claims.blocks import malformed, mapping_of, one_newline
from stilltrue.claims.claim import ID, Head, Origin, build, read_id
from stilltrue.claims.compose import compose
from stilltrue.claims.key_kinds import Kind
from stilltrue.claims.nodes import Mapping, Node, Scalar, clip, placed
from stilltrue.claims.placeholders import NOTHING, RowError, Value, slug
from stilltrue.claims.table_block import Column, Heading, columns, key_columns
from stilltrue.claims.table_keys import TABLE_KEYS
from stilltrue.claims.table_rows import Line, lines
from stilltrue.claims.written import written
from stilltrue.errors import InputError
from stilltrue.model import Block, Cell, Claim, Place, Problem, Table, TableIn, Written
from stilltrue.quantity import BARE, Flag, Form, Stated, Unit, Units, parse_stated

_LONGEST_ID = 200


class CellClaim(NamedTuple):
    """The claim of one cell, and where that stands in the table: row and column, from 0."""

    claim: Claim
    row: int
    column: int


@dataclass(frozen=True, slots=True)
class Cells:
    """What a `claims` block comes to.

    Attributes:
        id: The block's id.
        table: The table that it binds.
        cells: Its claims, row by row.
        problems: What is wrong with cells that are none.
        malformed: The ids of those, so that what names them is not reported again.
        key: The columns that tell its rows apart, from 0.
    """

    id: str
    table: Table
    cells: tuple[CellClaim, ...]
    problems: tuple[Problem, ...] = ()
    malformed: frozenset[str] = frozenset()
    key: tuple[int, ...] = ()

    def written(self) -> Iterator[Written]:
        """Where its claims are written, and the keys of their rows, in a table that knows it."""
        for cell in self.cells:
            row = self.table.rows[cell.row].cells
            yield from (each for at in (cell.column, *self.key) if (each := row[at].written) is not None)


MOST_CELLS = 20_000
"""How many cells one block binds: a page that says more is no page that anyone reads."""


def read_table(block: Block, units: Units, folder: str) -> Cells:
    """The claims of the table after a block.

    Args:
        block: A block of the kind `claims`.
        units: The known units.
        folder: The folder of the block's page, from the root, for `./` paths.

    Raises:
        Malformed: Nothing can be bound: the block cannot be read, or does not fit its table.
    """
    body = one_newline(block.body)
    first = block.place.line + 1
    try:
        node = mapping_of(plain.read(body, first) or (compose(body, first) if body.strip() else None), block)
        mappings.check(node, TABLE_KEYS)
        name = read_id(node.entries["id"])
        if block.table is None:
            raise _no_table(block)
        origin = Origin(block.place, block.end, block.body, folder, page=True)
        return expand(name, node, block.table, units, origin)
    except InputError as error:
        raise malformed(body, error, block.place.path, first) from None


def expand(
    name: str, node: Mapping, table: Table, units: Units, origin: Origin, table_in: TableIn | None = None
) -> Cells:
    """The claims of a table.

    Args:
        name: The block's id.
        node: The block, whose keys are known and of the right shape.
        table: Its table.
        units: The known units.
        origin: Where the block is written; its folder is where `./` paths start.
        table_in: Where the table stands, when that is not the page of the block.

    Raises:
        InputError: Nothing can be bound: the block does not fit its table. Its line is filled in.
    """
    return _Expansion(name, node, table, units, origin, table_in).cells()


def _no_table(block: Block) -> InputError:
    message = "no table follows this block before the next heading or the next claim block"
    hint = "put the block right above its table, both in the same list item or box"
    return InputError("claims-table", message, hint, line=block.place.line)


class _Fault(NamedTuple):
    """What is wrong with a cell; its id is empty where it has none."""

    error: InputError
    line: Line
    column: Column
    name: str


class _Expansion:
    """One block, expanded."""

    def __init__(
        self,
        name: str,
        node: Mapping,
        table: Table,
        units: Units,
        origin: Origin,
        table_in: TableIn | None,
    ) -> None:
        self.name = name
        self.origin = origin
        self.table = table
        self.table_in = table_in
        self.units = units
        heading = Heading(table, elsewhere=table_in is not None)
        self.key = key = key_columns(node.entries["key"], heading)
        self.columns = columns(node, heading, units)
        self.lines = lines(table, key, node.entries.get("rows"), heading)
        self.found: list[CellClaim] = []
        self.line_of: dict[str, int] = {}
        self.problems: list[Problem] = []
        self.malformed: set[str] = set()
        self.faults: list[_Fault] = []
        self._check_uses(key)

    def cells(self) -> Cells:
        """All claims of the table."""
        bound = [
            (line, column)
            for line in self.lines
            for column in self.columns
            if not self._is_nothing(line, column)
        ]
        if not bound:
            message = "no cell of the columns that this block binds holds a value"
            hint = "bind other columns, or take the block away; an empty cell, a dash and `n/a` are no claims"
            raise InputError("claims-table", message, hint, line=self.origin.block.line)
        if len(bound) > MOST_CELLS:
            message = (
                f"the table has {len(bound):,} cells to bind, and one block binds at most {MOST_CELLS:,}"
            )
            hint = "show fewer rows, or divide the table; whole results belong into a file of evidence"
            raise InputError("claims-table", message, hint, line=self.origin.block.line)
        for line, column in bound:
            self._bind(line, column)
        self._report(Counter(column.header for _, column in bound))
        return Cells(
            self.name,
            self.table,
            tuple(self.found),
            tuple(self.problems),
            frozenset(self.malformed),
            self.key,
        )

    def _is_nothing(self, line: Line, column: Column) -> bool:
        """Whether a cell is no claim."""
        override = line.override
        text = self._cell(line, column).text
        return override.whole or column.header in override.skipped or NOTHING.fullmatch(text) is not None

    def _cell(self, line: Line, column: Column) -> Cell:
        return self.table.rows[line.at].cells[column.at]

    def _place(self, line: Line, column: Column) -> Place:
        """Where a cell stands; one whose row takes several lines knows its own."""
        written = self._cell(line, column).written
        return Place(self.table.place.path, written.line if written else line.line)

    def _bind(self, line: Line, column: Column) -> None:
        """Take in one cell, or what is wrong with it."""
        name = ""
        try:
            name = self._id(line, column)
            claim = self._claim(name, line, column)
        except InputError as error:
            self.faults.append(_Fault(error, line, column, name))
            return
        first = self.line_of.setdefault(name, line.line)
        if len(self.line_of) > len(self.found):
            self.found.append(CellClaim(claim, line.at, column.at))
            return
        message = f"this cell of `{clip(column.header)}` and that in line {first} have one id, `{name}`"
        hint = "add a column to `key` that tells the rows apart, or leave one out with `rows`"
        self._problem(
            InputError("duplicate-id", message, hint), Place(self.table.place.path, line.line), name
        )

    def _problem(self, error: InputError, place: Place, *about: str, where: str = "") -> None:
        """Tell of an error; wherever it stands, a change to the block or to its table may have brought it."""
        both = dict.fromkeys((self.origin.block.path, self.table.place.path))
        files = tuple(path for path in both if path != place.path)
        self.problems.append(
            Problem(error.code, place, error.message + where, error.hint, about=about, files=files)
        )

    def _report(self, bound: Counter[str]) -> None:
        """What is wrong: with all cells of a column, once, where the block says it; else at each cell.

        Args:
            bound: How many cells each column has.
        """
        alike: dict[tuple[str, Place], list[_Fault]] = {}
        for fault in self.faults:
            alike.setdefault((fault.error.code, self._place_of(fault.error)), []).append(fault)
        for (_, place), faults in alike.items():
            names = tuple(fault.name for fault in faults if fault.name)
            self.malformed.update(names)
            error = faults[0].error
            headers = {fault.column.header for fault in faults}
            if len(faults) == sum(bound[header] for header in headers):
                self._problem(error, place, *names)
                continue
            self._report_rows(faults, place)

    def _report_rows(self, faults: Iterable[_Fault], place: Place) -> None:
        """What is wrong with some cells, once for those of a row that have it in common."""
        alike: dict[tuple[int, str, str], list[_Fault]] = {}
        for fault in faults:
            where = "" if isinstance(fault.error, RowError) else self._in_block(fault.column, place)
            alike.setdefault((fault.line.line, fault.error.message, where), []).append(fault)
        for (line, _, where), same in alike.items():
            names = [fault.name for fault in same if fault.name]
            self._problem(same[0].error, Place(self.table.place.path, line), *names, where=where)

    def _place_of(self, error: InputError) -> Place:
        own = self.table.place.path if isinstance(error, RowError) else self.origin.block.path
        return Place(own, error.line)

    def _in_block(self, column: Column, place: Place) -> str:
        """What in the block does not fit some cells, which are named first."""
        line = f"block line {place.line}" if self.table_in is None else str(place)
        return f" (cell of `{clip(column.header)}`, {line})"

    # One cell ------------------------------------------------------------------------------------------

    def _id(self, line: Line, column: Column) -> str:
        part = slug(Value("", column.header))
        if not part:
            message = f"the header `{clip(column.header)}` gives no part of an id"
            raise InputError("bad-id", message, "an id needs a letter a-z or a digit of it", line=column.line)
        name = f"{self.name}.{line.slugs()}.{part}".rstrip(".-")
        if not ID.fullmatch(name):
            message = (
                f"the id of this cell of `{clip(column.header)}` is longer than {_LONGEST_ID} characters"
            )
            raise RowError(
                "bad-id", message, "shorten the block's id, or the cells of its key", line=line.line
            )
        return name

    def _claim(self, name: str, line: Line, column: Column) -> Claim:
        stated, unit = self._stated(line, column)
        node = column.body.fill(line.values)
        assert isinstance(node, Mapping)  # noqa: S101  # filling keeps the shape
        entries = _fitting(_taken(node.entries, line.override.take), stated)
        says = self._says(line, column, stated, unit)
        text = written({"id": name, "says": says, "value": stated.text}, entries)
        mapping = Mapping(entries, column.line)
        mappings.check(mapping, _CELL_KEYS)
        head = Head(
            name,
            says,
            stated,
            self._place(line, column),
            self.name,
            table_in=self.table_in,
            written=self._cell(line, column).written,
        )
        claim = build(head, mapping, self.units, self.origin._replace(raw=text))
        return replace(claim, lines={"columns": column.line, **claim.lines})

    def _stated(self, line: Line, column: Column) -> tuple[Stated, str]:
        """What a cell states, and the unit that the column gives it, as text; empty where it has its own."""
        text = self._cell(line, column).text
        try:
            stated = parse_stated(text, self.units)
        except InputError as error:
            raise _in_row(placed(error, Scalar(text, line.line))) from None
        if column.unit is None or stated.unit is not BARE or not stated.numerals:
            return stated, ""
        node = column.unit.fill(line.values)
        assert isinstance(node, Scalar)  # noqa: S101  # the table of keys says so
        return parse_stated(text, self.units, self._unit(node)), node.text

    def _unit(self, node: Scalar) -> Unit:
        try:
            return self.units.parse(node.text)
        except InputError as error:
            raise placed(error, node) from None

    def _says(self, line: Line, column: Column, stated: Stated, unit: str) -> str:
        """The sentence of a cell; a unit that stands in the block alone is said behind the value."""
        says = column.says.fill(line.own)
        if "{value}" not in says and not isinstance(stated.value, Flag):
            hint = "write `{value}` where the cell goes"
            raise InputError("bad-says", "`says` has no place for the value", hint, line=column.line)
        return says.replace("{value}", f"{{value}} {unit}") if unit else says

    # The whole -----------------------------------------------------------------------------------------

    def _check_uses(self, key: Iterable[int]) -> None:
        """Refuse what could not do what its author meant.

        Raises:
            InputError: `unused-placeholder`.
        """
        used = frozenset[str]().union(*(column.filled for column in self.columns))
        bound = {column.header for column in self.columns}
        for override, row in ((line.override, clip(line.name)) for line in self.lines):
            for name in sorted(override.values.keys() - used):
                message = f"`rows` gives `{clip(name)}` of `{row}` another value, which nothing uses"
                raise _unused(message, override.line)
            for name in sorted(override.skipped - bound):
                raise _unused(f"`skip` names `{clip(name)}`, which the block does not bind", override.line)
        for column in self.columns:
            self._check_column(column, key)

    def _check_column(self, column: Column, key: Iterable[int]) -> None:
        cells = sum(not self._is_nothing(line, column) for line in self.lines)
        if cells < 2 or column.sources or column.reported:
            return
        names = " and ".join(f"`{{{clip(self.table.header[at])}}}`" for at in key)
        message = f"every cell of `{clip(column.header)}` is read alike: no placeholder stands in its read"
        raise InputError("unused-placeholder", message, f"choose the row by {names}", line=column.line)


def _in_row(error: InputError) -> RowError:
    return RowError(error.code, error.message, error.hint, line=error.line)


def _unused(message: str, line: int) -> InputError:
    return InputError("unused-placeholder", message, "correct the name, or take it out", line=line)


_HEAD_KEYS = ("id", "says", "value", "stated_in")
_CELL_KEYS = {name: key for name, key in keys.KEYS.items() if name not in _HEAD_KEYS}
"""The keys of a cell's claim: its id, sentence and value come from the table."""

_TEXTS = {name for name, key in _CELL_KEYS.items() if key.kind is Kind.TEXT}
_OPTIONAL = frozenset({*_TEXTS, "reproduces", "tolerance"})


def _taken(entries: dict[str, Node], take: Node | None) -> dict[str, Node]:
    """The keys of a claim with another `take` in every read."""
    read = entries.get("read")
    if take is None or not isinstance(read, Mapping):
        return entries
    named = any(isinstance(node, Mapping) for node in read.entries.values())
    own = {
        name: Mapping({**node.entries, "take": take}, node.line) if isinstance(node, Mapping) else node
        for name, node in read.entries.items()
    }
    changed = Mapping(own if named else {**own, "take": take}, read.line)
    return {**entries, "read": changed}


def _fitting(entries: dict[str, Node], stated: Stated) -> dict[str, Node]:
    """The keys that fit a value: text takes no margins, and what an empty cell leaves empty is out."""
    dropped = {name for name in _OPTIONAL & entries.keys() if not _says_anything(entries[name])}
    if stated.form is not Form.NUMBER:
        dropped.add("tolerance")
    if not stated.numerals or ("read" not in entries and "evidence" not in entries):
        dropped.add("reproduces")
    return {name: node for name, node in entries.items() if name not in dropped}


def _says_anything(node: Node) -> bool:
    return not isinstance(node, Scalar) or bool(node.text.strip())
