"""What a key is: its name, what its value may be, what the docs say of it."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence


class Kind(StrEnum):
    """What a key's value is, in the words of the docs."""

    ID = "id"
    SENTENCE = "sentence"
    VALUE = "value"
    TEXT = "text"
    WORD = "word"
    EXPRESSION = "expression"
    PATTERN = "pattern"
    DATE = "date"
    URL = "URL"
    SWITCH = "yes or no"
    PATHS = "path, glob, or a list of them"
    TAKE = "take, or a list of two"
    PATTERNS = "list of two patterns"
    WORDS = "list of words"
    HEADERS = "header, or a list of them"
    GLOBS = "list of globs"
    MAPPINGS = "list of mappings"
    MAPPING = "mapping"


_SHAPES: dict[Kind, tuple[type[Node], ...]] = {
    Kind.MAPPING: (Mapping,),
    Kind.PATTERNS: (Sequence,),
    Kind.WORDS: (Sequence,),
    Kind.PATHS: (Scalar, Sequence),
    Kind.TAKE: (Scalar, Sequence),
    Kind.HEADERS: (Scalar, Sequence),
    Kind.GLOBS: (Sequence,),
    Kind.MAPPINGS: (Sequence,),
}
_SENTENCES = frozenset({Kind.SENTENCE, Kind.TEXT, Kind.PATTERN, Kind.PATTERNS, Kind.EXPRESSION, Kind.URL})


class Key(NamedTuple):
    """One key.

    Attributes:
        name: The key.
        kind: What its value is.
        required: Whether it must be there.
        meaning: What it says, in one line.
        example: One line of a claim.
        shapes: What its value may be in YAML.
        sentence: Whether ` #` may be meant in it: there a comment after an unquoted value is refused.
    """

    name: str
    kind: Kind
    required: bool
    meaning: str
    example: str
    shapes: tuple[type[Node], ...]
    sentence: bool


def make_key(name: str, kind: Kind, meaning: str, example: str, *, required: bool = False) -> Key:
    """A key, whose kind says what its value may be in YAML."""
    return Key(name, kind, required, meaning, example, _SHAPES.get(kind, (Scalar,)), kind in _SENTENCES)


def make_table(*keys: Key) -> dict[str, Key]:
    """A table of keys, in the order of the docs."""
    return {key.name: key for key in keys}
