"""What a key of the settings is: tables that settings are held to and that the docs are made from."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from stilltrue.claims.nodes import Mapping as Entries
from stilltrue.claims.nodes import Node, Scalar, Sequence


class Kind(StrEnum):
    """What a key's value is, in the words of the docs."""

    TEXT = "text"
    COMMAND = "command"
    PATH = "path"
    FOLDER = "folder"
    JSONPATH = "JSONPath"
    WHOLE = "whole number"
    TIME = "time with its unit"
    SIZE = "size with its unit"
    SHARE = "percentage"
    SWITCH = "yes or no"
    TEXTS = "text, or a list of them"
    GLOBS = "path or glob, or a list of them"
    VALUE = "value, or its place in a file"
    MAPPING = "mapping"
    NAMED = "mapping of names to mappings"


_SHAPES: dict[Kind, tuple[type[Node], ...]] = {
    Kind.TEXTS: (Scalar, Sequence),
    Kind.GLOBS: (Scalar, Sequence),
    Kind.VALUE: (Scalar, Entries),
    Kind.MAPPING: (Entries,),
    Kind.NAMED: (Entries,),
}


class Key(NamedTuple):
    """One key.

    Attributes:
        name: The key.
        kind: What its value is.
        meaning: What it says, in one line.
        example: One line of the settings.
        required: Whether it must be there.
        inner: The keys of the mapping, or of each mapping, that is its value.
    """

    name: str
    kind: Kind
    meaning: str
    example: str
    required: bool = False
    inner: Mapping[str, Key] = MappingProxyType({})

    @property
    def shapes(self) -> tuple[type[Node], ...]:
        """What its value may be in YAML."""
        return _SHAPES.get(self.kind, (Scalar,))


Keys = Mapping[str, Key]
"""The keys of one mapping, in the order of the docs."""


def table(*keys: Key) -> Keys:
    """A table of keys."""
    return MappingProxyType({key.name: key for key in keys})


SOURCE = table(
    Key(
        "file",
        Kind.PATH,
        "A file of JSON, JSON Lines, YAML or TOML.",
        "file: runs/out/run.json",
        required=True,
    ),
    Key("path", Kind.JSONPATH, "Where in it; the default is all of it.", "path: $.commit"),
)
"""The keys of `{file: …, path: …}`: a place in a file."""
