"""A claims file, `claims/*.yml`: a list whose every item is a claim, or a table of claims, of its own."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from stilltrue.claims import plain
from stilltrue.claims.blocks import Malformed, malformed, one_newline
from stilltrue.claims.claim import Origin
from stilltrue.claims.compose import compose
from stilltrue.claims.entry import read_entry
from stilltrue.claims.nodes import Mapping, Node, Sequence
from stilltrue.errors import InputError
from stilltrue.model import Claim, Place, Problem
from stilltrue.quantity import Units

if TYPE_CHECKING:
    from stilltrue.claims.stated_in import Unstated
    from stilltrue.claims.table_in import Untabled

_DASH = re.compile(r"( *)-(?: +(?=\S)|$)")
_NOTHING = re.compile(r" *(?:#.*)?")
_BEFORE = re.compile(r" *(?:#.*)?|--- *")


class _Item(NamedTuple):
    """One item of the list.

    Attributes:
        first: Its first line, from 1.
        last: Its last line.
        text: Its text with the dash and its margin taken off.
        lead: What was taken off the first line; off the others, as many blanks.
    """

    first: int
    last: int
    text: str
    lead: str


Files = tuple[list["Claim | Unstated | Untabled"], list[Problem], frozenset[str]]


def read_file(path: str, text: str, units: Units) -> Files:
    """The claims of a claims file, what is wrong with its other items, and the ids that those name.

    An item that is no claim, or not even YAML, hides no other.

    Args:
        path: The file, from the root with `/`.
        text: What it holds.
        units: The known units.
    """
    body = one_newline(text.removeprefix("\ufeff"))
    lines = body.split("\n")
    items = _items(lines)
    reader = _Reader(path, units)
    for item, node in _plainly(items) or reader.compose(body, lines, items):
        reader.read(item, node)
    return reader.claims, reader.problems, frozenset(reader.ids)


class _Reader:
    """Gathers what one file holds."""

    def __init__(self, path: str, units: Units) -> None:
        self.path = path
        self.folder = path.rpartition("/")[0]
        self.units = units
        self.claims: list[Claim | Unstated | Untabled] = []
        self.problems: list[Problem] = []
        self.ids: set[str] = set()

    def read(self, item: _Item, node: Node) -> None:
        """One item, composed."""
        origin = Origin(
            Place(self.path, item.first), item.last, item.text, self.folder, page=False, lead=item.lead
        )
        try:
            self.claims.append(_read_item(_mapping(node, item), self.units, origin))
        except InputError as error:
            wrong = malformed(item.text, error, self.path, item.first, item.lead)
            self.add(wrong)
            if wrong.id is not None and isinstance(node, Mapping) and "columns" in node.entries:
                self.ids.add(f"{wrong.id}.{{cell}}")

    def add(self, wrong: Malformed) -> None:
        """One malformed item."""
        self.problems.append(wrong.problem)
        if wrong.id is not None:
            self.ids.add(wrong.id)

    def compose(self, body: str, lines: list[str], items: list[_Item]) -> list[tuple[_Item, Node]]:
        """The items with their nodes, malformed ones left out; by the whole file where that is YAML."""
        try:
            whole = compose(body, 1) if body.strip() else None
        except InputError as error:
            nodes = [self._compose_item(item) for item in items]
            if self.problems:
                return [(item, node) for item, node in zip(items, nodes, strict=True) if node is not None]
            self.add(malformed(body, error, self.path, 1))
            return []
        if isinstance(whole, Sequence):
            if len(whole.items) != len(items):
                items = _cut(lines, [node.line - 1 for node in whole.items])
            return list(zip(items, whole.items, strict=True))
        if whole is not None:
            self._not_a_list(body, whole)
        return []

    def _compose_item(self, item: _Item) -> Node | None:
        try:
            return compose(item.text, item.first)
        except InputError as error:
            self.add(malformed(item.text, error, self.path, item.first, item.lead))
            return None

    def _not_a_list(self, body: str, whole: Node) -> None:
        hint = "begin each claim with `- ` at one margin and indent its other keys"
        error = InputError("not-a-claim", "a claims file is a list of claims", hint, line=whole.line)
        self.add(malformed(body, error, self.path, 1))


def _read_item(node: Mapping, units: Units, origin: Origin) -> Claim | Unstated | Untabled:
    """What an item is: a claim, or a table of claims that stands in another file."""
    if node.entries.keys().isdisjoint(("columns", "table_in")):
        return read_entry(node, units, origin)
    from stilltrue.claims.table_in import Untabled  # noqa: PLC0415  # few claims files have tables

    return Untabled(node, units, origin)


def _mapping(node: Node, item: _Item) -> Mapping:
    """An item's node, which must be a mapping."""
    if isinstance(node, Mapping):
        return node
    hint = "write `- id: …` and its other keys below"
    raise InputError("not-a-claim", "the item is no mapping of keys", hint, line=item.first)


def _plainly(items: list[_Item]) -> list[tuple[_Item, Node]]:
    """The items with their nodes where all can be read the fast way, else none."""
    read: list[tuple[_Item, Node]] = []
    for item in items:
        node = plain.read(item.text, item.first)
        if node is None:
            return []
        read.append((item, node))
    return read


def _items(lines: list[str]) -> list[_Item]:
    """The items of a list written with dashes at one margin; empty where it is not written like that."""
    starts: list[int] = []
    margin = None
    for at, line in enumerate(lines):
        found = _DASH.match(line)
        if found and margin in (None, found[1]):
            margin = found[1]
            starts.append(at)
        elif not starts and not _BEFORE.fullmatch(line):
            return []
    return _cut(lines, starts)


def _cut(lines: list[str], starts: list[int]) -> list[_Item]:
    """The items that begin on these lines, from 0."""
    ends = [*starts[1:], len(lines)] if starts else []
    return [_item(lines, start, end) for start, end in zip(starts, ends, strict=True)]


def _item(lines: list[str], start: int, end: int) -> _Item:
    """The item that begins on one line, from 0, and ends before the next and the comments above that."""
    while end - 1 > start and _NOTHING.fullmatch(lines[end - 1]):
        end -= 1
    found = _DASH.match(lines[start])
    inside = lines[start + 1 : end]
    if found and found.end() == len(lines[start]):
        return _Item(start + 1, end, "\n".join(["", *inside]), "")
    lead = found[0] if found else ""
    margin = " " * len(lead)
    inside = [line.removeprefix(margin) for line in inside]
    return _Item(start + 1, end, "\n".join([lines[start].removeprefix(lead), *inside]), lead)
