"""A claim's keys as YAML: what the claim of a table's cell would be if it were written alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from stilltrue.claims.nodes import Mapping as Keys
from stilltrue.claims.nodes import Node, Scalar, Sequence
from stilltrue.claims.quoting import quoted_singly


def written(head: Mapping[str, str], entries: Mapping[str, Node]) -> str:
    """Lines of `key: value`, each text quoted where it could be read otherwise.

    Args:
        head: Keys whose values are text, first.
        entries: All other keys.
    """
    lines = [f"{name}: {_text(text)}" for name, text in head.items()]
    for name, node in entries.items():
        lines.extend(_lines(name, node))
    return "\n".join(lines) + "\n"


def _lines(name: str, node: Node, margin: str = "") -> Iterator[str]:
    if not isinstance(node, Keys):
        yield f"{margin}{_text(name)}: {_value(node)}"
        return
    yield f"{margin}{_text(name)}:"
    for inner, value in node.entries.items():
        yield from _lines(inner, value, f"{margin}  ")


def _value(node: Node) -> str:
    if isinstance(node, Scalar):
        return _text(node.text)
    if isinstance(node, Sequence):
        return f"[{', '.join(map(_value, node.items))}]"
    pairs = (f"{_text(name)}: {_value(value)}" for name, value in node.entries.items())
    return f"{{{', '.join(pairs)}}}"


def _text(text: str) -> str:
    plain = text.replace(" ", "").replace(".", "").replace("/", "").replace("-", "").replace("_", "")
    if plain.isalnum() and text == text.strip() and not text.startswith(("-", ".")):
        return text
    return quoted_singly(text)
