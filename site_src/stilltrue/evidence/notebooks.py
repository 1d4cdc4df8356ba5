"""Jupyter notebooks as text: each cell's source and what it printed, each line with its line in the file."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence import terminal
from stilltrue.evidence.loading import Content
from stilltrue.evidence.searched import Searched
from stilltrue.evidence.trees import Tree
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.evidence.trees.tree import Location

_KNOWN = (3, 4)
_KINDS = ("text/plain", "text/markdown", "text/latex", "text/html")
_OLD_KINDS = ("text", "latex", "html")
_BARE_OBJECT = re.compile(r"\s*<[\w.]+ object(?: at 0x[0-9a-f]+)?>\s*")
_RAW = "`format: text` matches in the file as it stands"

_Piece = tuple[str, Location]
"""A string of the file, and where it stands."""


def printed(content: Content, deadline: Deadline) -> Searched:
    """What the cells of a notebook printed, for readings; their sources stand between, for bounds alone.

    Raises:
        InputError: `malformed-evidence`: it is no JSON, or no notebook of a known version; `no-reading`: no
            cell printed anything; `too-slow`.
    """
    try:
        tree = read_json(content.text, deadline)
    except InputError as error:
        error.hint = f"{error.hint}; {_RAW}"
        raise
    text = _Text(tree)
    counts: list[int] = []
    for at, cell in _cells(tree):
        deadline.check()
        source = "source" if "source" in cell else "input"
        text.add(_strings(cell.get(source), (*at, source)), printed=False)
        count = cell.get("execution_count", cell.get("prompt_number"))
        if isinstance(count, int):
            counts.append(count)
        outputs = cell.get("outputs")
        for index, output in enumerate(outputs if isinstance(outputs, list) else ()):
            text.add(_of_output(output, (*at, "outputs", index)), printed=True)
    if not text.parts:
        raise InputError(
            "no-reading",
            f"no cell of `{content.path}` has printed anything",
            f"run the notebook and save it with its outputs; {_RAW}",
        )
    return text.searched(content.path, _notes(counts))


class _Text:
    """The text as it grows, with the line of the file for each of its lines."""

    def __init__(self, tree: Tree) -> None:
        self.parts: list[tuple[int, int]] = []
        self._tree = tree
        self._blocks: list[bytes] = []
        self._size = 0
        self._starts = array("q")
        self._lines = array("q")

    def add(self, pieces: Iterable[_Piece], *, printed: bool) -> None:
        """One source or output; a line's end is put after it where it has none."""
        lines: list[str] = []
        for line, place in _whole_lines(pieces):
            lines.append(line)
            self._lines.append(self._tree.line_of(place))
        if not lines:
            return
        # JSON can hold half a character; what a terminal leaves has as many lines.
        shown = terminal.shown("\n".join(lines).encode("utf-8", "replace"))
        start = self._size
        for line_of_bytes in shown.split(b"\n"):
            self._starts.append(self._size)
            self._size += len(line_of_bytes) + 1
        self._blocks.append(shown)
        if printed:
            self.parts.append((start, self._size - 1))

    def searched(self, path: str, notes: tuple[str, ...]) -> Searched:
        """The text as it now is."""
        text = b"\n".join(self._blocks) + b"\n"
        return Searched(path, text, tuple(self.parts), self._line_at, notes, _RAW)

    def _line_at(self, offset: int) -> int:
        return self._lines[bisect_right(self._starts, offset) - 1]


def _cells(tree: Tree) -> Iterator[tuple[Location, Mapping[str, Any]]]:
    """The cells with their places; before version 4 they lie in worksheets."""
    root = tree.value
    version = root.get("nbformat") if isinstance(root, dict) else None
    if version not in _KNOWN:
        why = f"its version {version} is not known" if isinstance(version, int) else "it has no `nbformat`"
        raise _no_notebook(why)
    if version == 4:
        yield from _listed(root, "cells", ())
        return
    for at, sheet in _listed(root, "worksheets", ()):
        yield from _listed(sheet, "cells", at)


def _listed(
    values: Mapping[str, Any], key: str, at: Location
) -> Iterator[tuple[Location, Mapping[str, Any]]]:
    items = values.get(key)
    if not isinstance(items, list):
        raise _no_notebook(f"it has no array `{key}`")
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            raise _no_notebook(f"element {index} of `{key}` is no object")
        yield (*at, key, index), item


def _no_notebook(why: str) -> InputError:
    return InputError(
        "malformed-evidence", f"this is not a Jupyter notebook: {why}", f"take the evidence again; {_RAW}"
    )


def _of_output(output: Any, at: Location) -> Iterator[_Piece]:
    """The text of one output: a stream, a traceback, or the plainest form of a value that says something."""
    if not isinstance(output, dict):
        return
    if output.get("output_type") == "error" or output.get("output_type") == "pyerr":
        for line, place in _strings(output.get("traceback"), (*at, "traceback")):
            yield f"{line}\n", place
        return
    data = output.get("data")
    if isinstance(data, dict):
        yield from _plainest(data, (*at, "data"), _KINDS)
    else:
        yield from _plainest(output, at, _OLD_KINDS)


def _plainest(data: Mapping[str, Any], at: Location, kinds: tuple[str, ...]) -> Iterator[_Piece]:
    """The first kind that is more than an object's address; a table of a progress bar is HTML alone."""
    for kind in kinds:
        pieces = list(_strings(data.get(kind), (*at, kind)))
        if pieces and not _BARE_OBJECT.fullmatch("".join(text for text, _ in pieces)):
            yield from pieces
            return


def _strings(value: Any, at: Location) -> Iterator[_Piece]:
    """A text that is written as one string or as an array of them."""
    if isinstance(value, str):
        yield value, at
    elif isinstance(value, list):
        for index, item in enumerate(value):
            if isinstance(item, str):
                yield item, (*at, index)


def _whole_lines(pieces: Iterable[_Piece]) -> Iterator[_Piece]:
    """The lines of a text of several pieces, each with the piece that it begins in."""
    held: list[str] = []
    begun: Location = ()
    for text, place in pieces:
        *ended, rest = text.replace("\r\n", "\n").split("\n")
        for line in ended:
            yield "".join((*held, line)), begun if held else place
            held.clear()
        if rest:
            begun = begun if held else place
            held.append(rest)
    if held:
        yield "".join(held), begun


def _notes(counts: list[int]) -> tuple[str, ...]:
    if all(earlier < later for earlier, later in pairwise(counts)):
        return ()
    return (
        "the cells of this notebook were not run from top to bottom, so its outputs need not be of one run",
    )
