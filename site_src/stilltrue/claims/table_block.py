"""A `claims` block read against its table: the columns that it binds, each with its gaps, and its rows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from stilltrue.claims import filled_text, mappings
from stilltrue.claims.filled import Gaps, Ways, gaps
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip
from stilltrue.claims.placeholders import Headers, Template
from stilltrue.claims.table_keys import COLUMN_KEYS
from stilltrue.errors import InputError
from stilltrue.model import Table
from stilltrue.quantity import Units

_OWN = frozenset({"id", "key", "columns", "rows", "table_in"})
_FROM_EVIDENCE = ("evidence", "read")


class Column(NamedTuple):
    """A column that the block binds.

    Attributes:
        header: Its header.
        at: Which column of the table it is, from 0.
        line: The line of its key in the block.
        says: The sentence of its cells.
        unit: The unit of its bare cells, as text.
        body: All other keys of its claims.
        sources: The headers that `evidence`, `read` and `derive` use.
        reported: Whether its cells are quoted figures, for which nothing is read.
    """

    header: str
    at: int
    line: int
    says: Template
    unit: Gaps | None
    body: Gaps
    sources: frozenset[str]
    reported: bool

    @property
    def filled(self) -> frozenset[str]:
        """The headers whose cells go into its claims, their sentences aside."""
        return self.body.used | (self.unit.used if self.unit else frozenset())


class Heading:
    """The header of a table: where each column is.

    Args:
        table: The table.
        elsewhere: Whether it stands in another file than the block.
    """

    def __init__(self, table: Table, *, elsewhere: bool = False) -> None:
        self.table = replace(table, header=tuple(map(_blanks_alike, table.header)))
        self._where = f"at {table.place}" if elsewhere else f"in line {table.place.line}"
        self.headers = Headers([name for name in dict.fromkeys(self.table.header) if name])

    def at(self, name: str, where: str, line: int) -> int:
        """Which column has a header.

        Args:
            name: The header.
            where: The key of the block that names it.
            line: The line of that key.

        Raises:
            InputError: `unknown-column`: none has, or several have.
        """
        name = _blanks_alike(name)
        count = self.table.header.count(name)
        if count == 1:
            return self.table.header.index(name)
        if count:
            message = f"the table has {count} columns headed `{clip(name)}`, which `{where}` names"
            raise InputError("unknown-column", message, "give each a header of its own", line=line)
        message = f"`{clip(name)}` in `{where}` is no column of the table {self._where}"
        raise InputError("unknown-column", message, self.headers.hint(name), line=line)

    def check(self, used: Iterable[str], line: int) -> None:
        """Hold placeholders to headers that occur once."""
        for name in sorted(used):
            self.at(name, "a placeholder", line)


def _blanks_alike(header: str) -> str:
    """A header with plain blanks: nobody sees, or types, that a page keeps two words together (`&nbsp;`)."""
    return " ".join(header.split())


def key_columns(node: Node, heading: Heading) -> tuple[int, ...]:
    """The columns that tell rows apart.

    Raises:
        InputError: A column is unknown, or named twice.
    """
    items = node.items if isinstance(node, Sequence) else (node,)
    found: list[int] = []
    for item in items:
        name = _text(item)
        at = heading.at(name, "key", item.line)
        if at in found:
            raise InputError(
                "unknown-column", f"`key` names `{clip(name)}` twice", "name it once", line=item.line
            )
        found.append(at)
    return tuple(found)


def columns(block: Mapping, heading: Heading, units: Units) -> tuple[Column, ...]:
    """The columns that the block binds.

    Raises:
        InputError: The first thing that is wrong with one; its line is filled in.
    """
    node = block.entries["columns"]
    assert isinstance(node, Mapping)  # noqa: S101  # its keys are known and of the right shape
    if not node.entries:
        raise InputError(
            "missing-key", "`columns` names no column", "write `columns: {Peak: {unit: GiB}}`", line=node.line
        )
    ways = Ways(heading.headers, units)
    return tuple([_column(name, own, block, heading, ways) for name, own in node.entries.items()])


def _column(name: str, own: Node, block: Mapping, heading: Heading, ways: Ways) -> Column:
    at = heading.at(name, "columns", own.line)
    entries = _own_entries(name, own)
    merged = _merged(block.entries, entries)
    unit = gaps(entries["unit"], ways, "unit") if "unit" in entries else None
    says = _says(merged.pop("says", None), name, own.line, heading)
    body = gaps(Mapping(merged, own.line), ways)
    sources = frozenset[str]().union(
        *(gaps(merged[key], ways, key).used for key in (*_FROM_EVIDENCE, "derive") if key in merged)
    )
    column = Column(name, at, own.line, says, unit, body, sources, "reported" in merged)
    heading.check(column.filled | says.used, own.line)
    return column


def _own_entries(name: str, own: Node) -> dict[str, Node]:
    """The keys of a column; `Peak:` alone has none."""
    if isinstance(own, Scalar) and not own.text:
        return {}
    if not isinstance(own, Mapping):
        message = f"the column `{clip(name)}` must be a mapping of keys"
        raise InputError(
            "wrong-type",
            message,
            f"write `{clip(name)}: {{unit: GiB}}`, or `{clip(name)}: {{}}`",
            line=own.line,
        )
    mappings.check(own, COLUMN_KEYS, f"columns.{name}")
    return own.entries


def _merged(block: dict[str, Node], own: dict[str, Node]) -> dict[str, Node]:
    """The keys of a column's claims: the block's, the column's in their place.

    A column that names a source of its own does not keep another kind of source that the block names.
    """
    merged = {key: node for key, node in block.items() if key not in _OWN}
    merged |= {key: node for key, node in own.items() if key != "unit"}
    dropped: set[str] = set()
    named = _named_reads(merged.get("read"))
    if "reported" in own:
        dropped = {*_FROM_EVIDENCE, "derive"}
    elif not own.keys().isdisjoint(_FROM_EVIDENCE):
        dropped = {"reported"} if named else {"reported", "derive"}
    elif "derive" in own:
        dropped = {"reported"} if named else {"reported", *_FROM_EVIDENCE}
    for key in dropped:
        if key not in own:
            merged.pop(key, None)
    return merged


def _named_reads(read: Node | None) -> bool:
    return isinstance(read, Mapping) and any(isinstance(node, Mapping) for node in read.entries.values())


def _says(node: Node | None, column: str, line: int, heading: Heading) -> Template:
    """The sentence of a column's cells, on one line."""
    if not isinstance(node, Scalar):
        message = f"the column `{clip(column)}` has no `says`"
        raise InputError("missing-key", message, 'add `says: "… is {value}."` to the block', line=line)
    says = " ".join(node.text.split()) if "\n" in node.text else node.text
    unknown = heading.headers.unknown(says.replace("{value}", ""))
    if unknown:
        message = f"`{{{clip(unknown)}}}` in `says` is no column of the table"
        raise InputError("bad-says", message, heading.headers.hint(unknown), line=node.line)
    return filled_text.sentence(says, heading.headers)


def _text(node: Node) -> str:
    return node.text if isinstance(node, Scalar) else ""
