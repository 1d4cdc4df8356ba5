"""Values out of files that a launch wrote or reads, by the readers of evidence: JSON, YAML, TOML."""

from __future__ import annotations

from typing import Any, NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.formats import tree_format
from stilltrue.evidence.jsonpath import compile_query, explain
from stilltrue.evidence.jsonpath.nodes import Node, location
from stilltrue.evidence.loading import load
from stilltrue.evidence.shapes.tree import READERS
from stilltrue.evidence.trees import Location, Number, Tree
from stilltrue.model import Place
from stilltrue.preflight.finding import Launch
from stilltrue.preflight.settings import Settings
from stilltrue.quantity import NonFinite

_FIRST = "where the run writes it, let a short run come first"


class Item(NamedTuple):
    """A value and where it stands.

    Attributes:
        value: Text, a whole number, a `Number` (a float with its `text`), a bool, None, `NonFinite`, a list,
            a dict.
        place: Its line; 0 where the format has none.
        lines: The line of each key, where it is a mapping.
    """

    value: Any
    place: Place
    lines: dict[str, int]


def items(launch: Launch, file: str, path: str = "$") -> tuple[Item, ...]:
    """Every value that a JSONPath selects in a file: one at least.

    Raises:
        InputError: The file cannot be read, or the path is none, with the file and the line; `no-reading`: it
            selects nothing.
    """
    deadline = Deadline(launch.config.limits.seconds)
    try:
        content = load(launch.config, file, deadline)
        tree = READERS[tree_format(content)](content.text, deadline)
        nodes = selected(tree, path, deadline)
    except InputError as error:
        error.path = error.path or file
        if error.code == "no-file":
            error.hint = f"{_FIRST}; {error.hint}" if error.hint else _FIRST
        raise

    def item(value: Any, at: Location) -> Item:
        inside = {key: tree.line_of((*at, key)) for key in value} if isinstance(value, dict) else {}
        return Item(value, Place(file, tree.line_of(at)), inside)

    return tuple(item(node.value, location(node.trail)) for node in nodes)


def selected(tree: Tree, path: str, deadline: Deadline) -> list[Node]:
    """What a JSONPath selects in a document: one node at least.

    Raises:
        InputError: The path is none; `no-reading`: it selects nothing.
    """
    query = compile_query(path)
    nodes = query.find(tree.value, deadline)
    if not nodes:
        raise InputError("no-reading", *explain(query, tree.value, deadline))
    return nodes


def item(launch: Launch, file: str, path: str = "$") -> Item:
    """The one value that a JSONPath selects in a file.

    Raises:
        InputError: As `items`; `several-readings` where there are more.
    """
    found = items(launch, file, path)
    if len(found) > 1:
        places = ", ".join(str(each.place) for each in found[:3])
        hint = f"let the path select one: {places}"
        raise InputError("several-readings", f"`{path}` selects {len(found):,} values", hint, path=file)
    return found[0]


def at(launch: Launch, source: Settings) -> Item:
    """The one value at a `{file: …, path: …}` of the settings (`keys.SOURCE`).

    Raises:
        InputError: As `item`.
    """
    return item(launch, source.path("file"), source.text("path", "$"))


def shown(value: Any) -> str:
    """A value as a message shows it: a number as it is written, text as it is."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case Number():
            return value.text
        case dict():
            return f"a mapping of {len(value):,} keys"
        case list():
            return f"[{', '.join(map(shown, value[:6]))}{', …' if len(value) > 6 else ''}]"
        case NonFinite():
            return "not a finite number"
        case _:
            return str(value)
