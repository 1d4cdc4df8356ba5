"""Trees: what a JSONPath selects."""

from __future__ import annotations

from collections.abc import Callable

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.jsonpath import Query, compile_query, explain
from stilltrue.evidence.jsonpath.nodes import Node, location
from stilltrue.evidence.selection import MOST_READINGS, Selection, too_many
from stilltrue.evidence.trees import Tree
from stilltrue.evidence.trees.json_tree import read_json, read_jsonl
from stilltrue.evidence.trees.toml_tree import read_toml
from stilltrue.evidence.trees.yaml_tree import read_yaml
from stilltrue.evidence.values import as_counted, from_tree
from stilltrue.model import Read
from stilltrue.quantity import Units, Value

READERS: dict[str, Callable[[str, Deadline], Tree]] = {
    "json": read_json,
    "jsonl": read_jsonl,
    "yaml": read_yaml,
    "toml": read_toml,
}
"""The parser of each tree format."""


def select(path: str, tree: Tree, read: Read, units: Units, deadline: Deadline) -> Selection:
    """The readings that `path` gives, in the order of the RFC.

    Raises:
        InputError: `bad-jsonpath`, `bad-pattern`, `too-slow`, `too-large`.
    """
    query = compile_query(read.path)
    nodes = query.find(tree.value, deadline)
    if len(nodes) > MOST_READINGS:
        raise too_many()
    return _Selected(path, tree, query, read, units, nodes, deadline)


class _Selected(Selection):
    """The nodes of one path in one file."""

    def __init__(
        self,
        path: str,
        tree: Tree,
        query: Query,
        read: Read,
        units: Units,
        nodes: list[Node],
        deadline: Deadline,
    ) -> None:
        super().__init__(path, len(nodes))
        self._tree = tree
        self._query = query
        self._read = read
        self._units = units
        self._nodes = nodes
        self._deadline = deadline

    def line(self, index: int) -> int:
        """The line on which one node begins."""
        return self._tree.line_of(location(self._nodes[index].trail))

    def describe(self, index: int) -> Value:
        """What one node holds, as text."""
        return as_counted(self._nodes[index].value)

    def nothing(self) -> InputError:
        """Why there is no node."""
        message, hint = explain(self._query, self._tree.value, self._deadline)
        return InputError("no-reading", f"{message} in `{self.path}`", hint)

    def _parse(self, index: int) -> Value:
        return from_tree(self._nodes[index].value, self._read, self._units)
