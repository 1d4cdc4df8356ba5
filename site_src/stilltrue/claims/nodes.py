"""What a block's YAML comes to: text, lists and mappings, each knowing its line."""

from __future__ import annotations

from typing import NamedTuple

from stilltrue.errors import InputError


class Scalar(NamedTuple):
    """A text as its author wrote it: quotes never change what it means.

    Attributes:
        text: The text.
        line: The line of the key, or of the list item, that holds it.
        cut: Whether it was unquoted and a comment follows on its last line.
    """

    text: str
    line: int
    cut: bool = False


class Sequence(NamedTuple):
    """A list; `line` is that of the key, or of the list item, that holds it."""

    items: tuple[Node, ...]
    line: int


class Mapping(NamedTuple):
    """Keys and values in the author's order; the line of a value is that of its key."""

    entries: dict[str, Node]
    line: int


Node = Scalar | Sequence | Mapping

_LONGEST = 80


def clip(text: str) -> str:
    """A text as a message quotes it: on one line, and not for ever."""
    line = " ".join(text.split()) if "\n" in text else text
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}…"


def placed(error: InputError, node: Scalar) -> InputError:
    """What another room says of a node's text, with the node's line."""
    message = error.message.replace(node.text, clip(node.text))
    return InputError(error.code, message, error.hint, line=node.line)
