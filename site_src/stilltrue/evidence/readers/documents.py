"""JSON that tools write their results into: the objects of one array, each with its line."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.trees.json_tree import read_json

_PACE = 1024


class Document(NamedTuple):
    """A result file: its root, and the objects of the array that its rows are made of."""

    root: dict[str, Any]
    entries: tuple[tuple[dict[str, Any], int], ...]
    line: int


def document(content: Content, deadline: Deadline, key: str, kind: str) -> Document:
    """The root of a JSON file, and the objects of one of its arrays with their lines.

    Args:
        content: The file.
        deadline: When it must be done.
        key: The array's key at the root.
        kind: What the file should be, with its article, for messages.

    Raises:
        InputError: `malformed-evidence`: no JSON, or cut; `bad-table`: it is something else; `too-slow`.
    """
    tree = read_json(content.text, deadline)
    root = tree.value
    if not isinstance(root, dict) or not isinstance(root.get(key), list):
        raise other_format(kind, f"it has no array `{key}` at its root")

    def entries() -> Iterator[tuple[dict[str, Any], int]]:
        for index, entry in enumerate(root[key]):
            if not index % _PACE:
                deadline.check()
            line = tree.line_of((key, index))
            if not isinstance(entry, dict):
                raise other_format(kind, f"element {index} of `{key}` is no object", line)
            yield entry, line

    return Document(root, tuple(entries()), tree.line_of((key,)))
