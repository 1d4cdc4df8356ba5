"""The rows of a table of claims: their keys, what `rows` says of each, and the values of placeholders."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from stilltrue.claims import mappings
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip
from stilltrue.claims.placeholders import RowError, Value, slug
from stilltrue.claims.table_block import Heading
from stilltrue.claims.table_keys import ROW_KEYS
from stilltrue.errors import InputError
from stilltrue.model import Cell, Table
from stilltrue.suggest import did_you_mean

_SKIP = "skip"


@dataclass(frozen=True, slots=True)
class Override:
    """What `rows` says of one row.

    Attributes:
        skipped: The headers whose cells are no claims.
        whole: Whether no cell is one.
        values: Other texts for placeholders, by header.
        take: Another `take`.
        line: The line of the row's key in the block.
    """

    skipped: frozenset[str] = frozenset()
    whole: bool = False
    values: dict[str, str] = field(default_factory=dict)
    take: Node | None = None
    line: int = 0


NOTHING = Override()


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the table.

    Attributes:
        at: Which row it is, from 0.
        line: Its line on the page.
        key: The cells of its key; an empty one repeats the one above.
        own: Its cells by their headers, for sentences.
        values: What stands for placeholders everywhere else: the cells, or what `rows` gives in their place.
        override: What `rows` says of it.
    """

    at: int
    line: int
    key: tuple[Value, ...]
    own: dict[str, Value]
    values: dict[str, Value]
    override: Override

    @property
    def name(self) -> str:
        """Its key as written, blanks between."""
        return " ".join(value.text for value in self.key)

    def slugs(self) -> str:
        """Its key as part of an id.

        Raises:
            InputError: `bad-id`: a cell of the key leaves nothing for one.
        """
        found: list[str] = []
        for value in self.key:
            part = slug(value)
            if not part:
                cell = f"the cell `{clip(value.text)}`" if value.text else "an empty cell"
                message = f"{cell} of the key column `{clip(value.header)}` gives no part of an id"
                raise RowError(
                    "bad-id", message, "an id needs a letter a-z or a digit of each key cell", line=self.line
                )
            found.append(part)
        return ".".join(found)


def lines(table: Table, key: tuple[int, ...], rows: Node | None, heading: Heading) -> list[Line]:
    """The rows of a table.

    Args:
        table: The table.
        key: The columns that tell rows apart.
        rows: The block's `rows`.
        heading: The table's header.

    Raises:
        InputError: Something is wrong with `rows`; its line is filled in.
    """
    cells = _repeated(table, key)
    names = [_name([row[at].text for at in key]) for row in cells]
    overrides = _overrides(rows, names, heading)
    found: list[Line] = []
    for at, row in enumerate(cells):
        line, override = table.rows[at].line, overrides.get(at, NOTHING)
        own = {name: _value(name, row[place], line) for place, name in enumerate(table.header) if name}
        given = {name: Value(name, text, line=line, given=True) for name, text in override.values.items()}
        keyed = tuple([_value(table.header[place], row[place], line) for place in key])
        found.append(Line(at, line, keyed, own, own | given, override))
    return found


def _value(header: str, cell: Cell, line: int) -> Value:
    return Value(header, cell.text, cell.target, line)


def _repeated(table: Table, key: Collection[int]) -> list[list[Cell]]:
    """The cells of every row, an empty one of the key replaced by the one above."""
    above: dict[int, Cell] = {}
    found: list[list[Cell]] = []
    for row in table.rows:
        cells = list(row.cells)
        for at in key:
            if cells[at].text:
                above[at] = cells[at]
            elif at in above:
                cells[at] = above[at]
        found.append(cells)
    return found


def _name(texts: list[str]) -> str:
    return " ".join(" ".join(texts).split())


# What `rows` says --------------------------------------------------------------------------------------


def _overrides(node: Node | None, names: list[str], heading: Heading) -> dict[int, Override]:
    """What is said of rows, by their places."""
    if not isinstance(node, Mapping):
        return {}
    found: dict[int, Override] = {}
    for name, said in node.entries.items():
        at = _find(name, names, said.line)
        if at in found:
            message = f"`{clip(name)}` names a row that `rows` names already"
            raise InputError("unknown-row", message, "write one entry for it", line=said.line)
        found[at] = _override(name, said, heading)
    return found


def _find(name: str, names: list[str], line: int) -> int:
    """The place of the row that a key names: as it is written, or with numbers without separators."""
    wanted = _name([name])
    places = [at for at, known in enumerate(names) if known == wanted]
    if not places:
        bare = _without_separators(wanted)
        places = [at for at, known in enumerate(names) if _without_separators(known) == bare]
    if len(places) == 1:
        return places[0]
    if places:
        message = f"{len(places)} rows of the table have the key `{clip(name)}`"
        raise InputError("unknown-row", message, "add a column to `key` that tells them apart", line=line)
    near = did_you_mean(wanted, names)
    hint = (
        near or f"write the cells of its key with blanks between, like `{clip(names[0])}`"
        if names
        else "the table has no rows"
    )
    raise InputError("unknown-row", f"`rows` names `{clip(name)}`, and no row has that key", hint, line=line)


def _without_separators(name: str) -> str:
    return " ".join(Value("", word).plain for word in name.split(" "))


def _override(name: str, node: Node, heading: Heading) -> Override:
    if isinstance(node, Scalar) and node.text == _SKIP:
        return Override(whole=True, line=node.line)
    if not isinstance(node, Mapping) or not node.entries:
        hint = f"write `{clip(name)}: skip`, or other values: `{clip(name)}: {{Seed: 3}}`"
        raise InputError(
            "wrong-type", f"`rows` does not say what to do with `{clip(name)}`", hint, line=node.line
        )
    skipped: list[str] = []
    values: dict[str, str] = {}
    for key, value in node.entries.items():
        if key == "take":
            continue
        if key == _SKIP:
            skipped = _skipped(value, heading)
        elif isinstance(value, Scalar):
            heading.at(key, f"rows.{clip(name)}", value.line)
            values[key] = " ".join(value.text.split())
        else:
            heading.at(key, f"rows.{clip(name)}", value.line)
            raise InputError(
                "wrong-type", f"`{clip(key)}` in `rows` must be text", "write one value", line=value.line
            )
    own = {key: value for key, value in node.entries.items() if key in ROW_KEYS}
    mappings.check(Mapping(own, node.line), ROW_KEYS, f"rows.{clip(name)}")
    return Override(frozenset(skipped), False, values, node.entries.get("take"), node.line)


def _skipped(node: Node, heading: Heading) -> list[str]:
    items = node.items if isinstance(node, Sequence) else (node,)
    names = [item.text for item in items if isinstance(item, Scalar)]
    for name in names:
        heading.at(name, "skip", node.line)
    return names
