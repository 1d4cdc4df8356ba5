"""YAML by its events: no tags are run, no values guessed beyond the core schema, aliases cost nothing."""

from __future__ import annotations

import re
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.trees.tree import Location, Number, Tree, malformed, repeated, too_deep
from stilltrue.quantity import NonFinite

_INTEGER = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"([-+]?)\.(?:inf|Inf|INF)")
_WORDS = {
    "": None, "~": None, "null": None, "Null": None, "NULL": None,
    "true": True, "True": True, "TRUE": True,
    "false": False, "False": False, "FALSE": False,
    ".nan": NonFinite("NaN"), ".NaN": NonFinite("NaN"), ".NAN": NonFinite("NaN"),
}  # fmt: skip
_MERGE = object()
"""The key `<<`, when it is plain."""
_DEEPEST = 900
_LONGEST_INTEGER = 4300


def read_yaml(text: str, deadline: Deadline) -> Tree:
    """Parses YAML by the core schema of YAML 1.2, merge keys included; dates stay text.

    Several documents are read as the array of them.

    Raises:
        InputError: `malformed-evidence` (also for an unknown or enclosing alias), `too-slow`.
    """
    import yaml  # noqa: PLC0415  # only a check that reads YAML evidence needs it

    loader = getattr(yaml, "CBaseLoader", yaml.BaseLoader)
    builder = _Builder(deadline)
    try:
        for event in yaml.parse(text, Loader=loader):
            builder.take(event)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        raise malformed("YAML", str(error.problem), mark.line + 1 if mark else 0) from None
    except yaml.YAMLError as error:
        raise malformed("YAML", str(error).split("\n", 1)[0]) from None
    return builder.tree()


class _Open:
    """A mapping or a sequence that has not ended."""

    __slots__ = ("key", "lines", "merged", "value")

    def __init__(self, value: dict[str, Any] | list[Any]) -> None:
        self.value = value
        self.lines: dict[str | int, int] = {}
        self.key: object = None
        self.merged: list[tuple[Any, int]] = []


class _Builder:
    """Builds values from events, without recursion."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._documents: list[Any] = []
        self._starts: list[int] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, bool]] = {}
        self._lines: dict[int, dict[str | int, int]] = {}
        self._count = 0

    def take(self, event: Any) -> None:
        """Takes the next event of the parser."""
        self._count += 1
        if not self._count % 4096:
            self._deadline.check()
        kind = type(event).__name__
        line = event.start_mark.line + 1
        if kind == "ScalarEvent":
            self._scalar(event, line)
        elif kind == "AliasEvent":
            self._add(self._alias(event.anchor, line), line)
        elif kind in ("MappingStartEvent", "SequenceStartEvent"):
            self._start({} if kind == "MappingStartEvent" else [], event.anchor, line)
        elif kind in ("MappingEndEvent", "SequenceEndEvent"):
            self._end()
        elif kind == "DocumentStartEvent":
            self._anchors = {}

    def tree(self) -> Tree:
        """The finished tree: the document, or the array of several."""
        if len(self._documents) == 1:
            return Tree(self._documents[0], self._line_of)
        self._lines[id(self._documents)] = dict(enumerate(self._starts))
        return Tree(self._documents, self._line_of)

    def _scalar(self, event: Any, line: int) -> None:
        top = self._open[-1] if self._open else None
        plain = event.implicit[0]
        if top is not None and isinstance(top.value, dict) and top.key is None:
            self._add(_MERGE if plain and event.value == "<<" else event.value, line)
            value: Any = event.value
        else:
            value = _plain(event.value, line) if plain else event.value
            self._add(value, line)
        if event.anchor:
            self._anchors[event.anchor] = (value, True)

    def _alias(self, name: str, line: int) -> Any:
        value, ended = self._anchors.get(name, (None, False))
        if name not in self._anchors:
            raise malformed("YAML", f"the alias `*{name}` names no anchor", line)
        if not ended:
            raise malformed("YAML", f"the alias `*{name}` names a value that holds it", line)
        return value

    def _start(self, value: dict[str, Any] | list[Any], anchor: str | None, line: int) -> None:
        self._add(value, line)
        self._open.append(_Open(value))
        if len(self._open) > _DEEPEST:
            raise too_deep()
        if anchor:
            self._anchors[anchor] = (value, False)

    def _end(self) -> None:
        done = self._open.pop()
        if isinstance(done.value, dict):
            for source, line in done.merged:
                _merge(done.value, done.lines, source, line, self._lines)
        self._lines[id(done.value)] = done.lines
        for name, (value, _) in self._anchors.items():
            if value is done.value:
                self._anchors[name] = (value, True)

    def _add(self, value: Any, line: int) -> None:
        """Adds a value to what is open: as a key, under the last key, or as the next element."""
        if not self._open:
            self._documents.append(value)
            self._starts.append(line)
            return
        top = self._open[-1]
        if isinstance(top.value, list):
            top.lines[len(top.value)] = line
            top.value.append(value)
        elif top.key is None:
            self._key(top, value, line)
        else:
            self._member(top, value, line)

    def _key(self, top: _Open, key: object, line: int) -> None:
        if key is not _MERGE and not isinstance(key, str):
            raise malformed("YAML", "a key is a list or a mapping", line)
        if isinstance(top.value, dict) and key in top.value:
            raise repeated(str(key), line)
        top.key = key

    def _member(self, top: _Open, value: Any, line: int) -> None:
        key, top.key = top.key, None
        if key is _MERGE:
            top.merged.append((value, line))
        elif isinstance(key, str) and isinstance(top.value, dict):
            top.value[key] = value
            top.lines[key] = line

    def _line_of(self, location: Location) -> int:
        """The line on which a value begins."""
        value: Any = self._documents if len(self._documents) != 1 else self._documents[0]
        line = self._starts[0] if self._starts else 0
        for step in location:
            line = self._lines.get(id(value), {}).get(step, 0)
            value = value[step]
        return line


def _merge(
    target: dict[str, Any],
    lines: dict[str | int, int],
    source: Any,
    line: int,
    known: dict[int, dict[str | int, int]],
) -> None:
    """Adds the members of merged mappings; the mapping's own, and those merged earlier, come first."""
    for mapping in source if isinstance(source, list) else [source]:
        if not isinstance(mapping, dict):
            raise malformed("YAML", "`<<` merges what is no mapping", line)
        for key, value in mapping.items():
            if key not in target:
                target[key] = value
                lines[key] = known.get(id(mapping), {}).get(key, line)


def _plain(text: str, line: int) -> Any:
    """A plain scalar by the core schema: null, a flag, a number, or text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INTEGER.fullmatch(text):
        if len(text) > _LONGEST_INTEGER:
            raise malformed("YAML", "a whole number has more than 4,300 digits", line)
        return int(text)
    if _FLOAT.fullmatch(text):
        return Number(text)
    infinite = _INFINITE.fullmatch(text)
    if infinite:
        return NonFinite("-Infinity" if infinite[1] == "-" else "Infinity")
    return text
