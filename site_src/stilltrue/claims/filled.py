"""A claim's mapping with gaps: which key takes placeholders in which way, and the mapping of one row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from stilltrue.claims import filled_jsonpath, filled_text
from stilltrue.claims.filled_sql import SqlReader
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence
from stilltrue.claims.placeholders import Headers, Template, Values
from stilltrue.errors import InputError
from stilltrue.quantity import Units

Way = Callable[[str], Template]
"""How a text of some key is taken apart."""


class Ways:
    """How the texts of each key are taken apart.

    Args:
        headers: The headers of the table.
        units: The known units.
    """

    def __init__(self, headers: Headers, units: Units) -> None:
        sql = SqlReader(headers, units)
        self._known: dict[str, Way] = {
            "path": lambda source: filled_jsonpath.template(source, headers),
            "where": sql.where,
            "column": sql.column,
            "match": lambda source: filled_text.pattern(source, headers),
            "between": lambda source: filled_text.pattern(source, headers),
            "evidence": lambda source: filled_text.path(source, headers),
            "derive": lambda source: filled_text.derivation(source, headers),
            "copies.file": lambda source: filled_text.path(source, headers),
            "id": lambda source: filled_text.identifier(source, headers),
            "superseded.by": lambda source: filled_text.identifier(source, headers),
            "url": lambda source: filled_text.address(source, headers),
        }
        self._text: Way = lambda source: filled_text.text(source, headers)

    def of(self, key: str, within: str) -> Way:
        """The way of a key; `within` is the key that holds its mapping."""
        return self._known.get(key) or self._known.get(f"{within}.{key}", self._text)


@dataclass(frozen=True, slots=True)
class Gaps:
    """A node with gaps.

    Attributes:
        used: The headers whose cells go into it.
        fill: Its node in one row; raises InputError where a cell cannot stand in its gap.
    """

    used: frozenset[str]
    fill: Callable[[Values], Node]


def gaps(node: Node, ways: Ways, key: str = "", within: str = "") -> Gaps:
    """A node, its texts taken apart.

    Args:
        node: The node.
        ways: How.
        key: The key that holds it.
        within: The key that holds the mapping of that one.

    Raises:
        InputError: A placeholder is none, or stands where none can; its line is filled in.
    """
    if isinstance(node, Scalar):
        return _of_text(node, ways.of(key, within))
    if isinstance(node, Sequence):
        items = [gaps(item, ways, key, within) for item in node.items]
        used = frozenset[str]().union(*(item.used for item in items))
        if not used:
            return Gaps(used, lambda _values: node)
        return Gaps(used, lambda values: Sequence(tuple(item.fill(values) for item in items), node.line))
    entries = {name: gaps(value, ways, name, key) for name, value in node.entries.items()}
    used = frozenset[str]().union(*(entry.used for entry in entries.values()))
    if not used:
        return Gaps(used, lambda _values: node)
    return Gaps(
        used,
        lambda values: Mapping({name: entry.fill(values) for name, entry in entries.items()}, node.line),
    )


def _of_text(node: Scalar, way: Way) -> Gaps:
    if "{" not in node.text:
        return Gaps(frozenset(), lambda _values: node)
    try:
        template = way(node.text)
    except InputError as error:
        raise InputError(error.code, error.message, error.hint, line=node.line) from None
    if not template.used:
        return Gaps(template.used, lambda _values: node)
    return Gaps(template.used, lambda values: Scalar(template.fill(values), node.line, node.cut))
