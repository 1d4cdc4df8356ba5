"""The fast way from a block to nodes, for text that can be read in one way only.

It accepts `key: value` lines, one level of nesting by indentation, and short lists and mappings in brackets,
where no value could be anything but itself; for all else it answers None and `compose` decides. A property
test holds the two to the same answer.
"""

from __future__ import annotations

import re

from stilltrue.claims.compose import ODD
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence

_KEY = r"[A-Za-z_][A-Za-z0-9_]*"
_QUOTED = r"\"[^\"\\\x00-\x1f\x7f]*\"|'[^'\x00-\x1f\x7f]*'"
# An unquoted value: begins with no YAML sign; no `#`, no `: `, no tab, no blank at either end.
_INK = r"[^:#\x00-\x20\x7f]"
_PLAIN = (
    r"(?:[A-Za-z0-9$./(+<=~^\u00a1-\U0010ffff]|-(?=[A-Za-z0-9.$]))"
    rf"{_INK}*(?:(?::(?={_INK})| +(?={_INK})){_INK}*)*"
)
# The same inside brackets, where commas, brackets and colons end it.
_WORD = r"[A-Za-z0-9$./(][A-Za-z0-9$./()_+*%=<>@^'-]*(?: +[A-Za-z0-9$./()_+*%=<>@^'-]+)*"
_ATOM = rf"(?:{_QUOTED}|{_WORD})"
_PAIR = rf"{_KEY}: +{_ATOM}"
_LINE = re.compile(
    rf"( *)({_KEY}):(?: +(?:({_PLAIN})|({_QUOTED})|\[ *({_ATOM}(?: *, *{_ATOM})*) *\]"
    rf"|\{{ *({_PAIR}(?: *, *{_PAIR})*) *\}}))?"
)
_ATOMS = re.compile(_ATOM)
_PAIRS = re.compile(rf"({_KEY}): +({_ATOM})")


def read(text: str, first: int = 0) -> Mapping | None:
    """The mapping that a text plainly is, None where that takes a YAML parser to say.

    Args:
        text: Lines that end in a line feed.
        first: The number of the text's first line.
    """
    if not text.isascii() and ODD.search(text):
        return None
    top: dict[str, Node] = {}
    inner: dict[str, Node] = top  # the entries that an indented line adds to; `top` while there are none
    margin = 0  # the indentation of those entries, 0 until the first of them
    for line, source in enumerate(text.split("\n"), first):
        found = _LINE.fullmatch(source)
        if found is None:
            if source.lstrip(" ")[:1] in ("", "#"):
                continue
            return None
        depth = len(found[1])
        if depth:
            if inner is top or depth != (margin or depth):
                return None
            entries, margin = inner, depth
        elif inner is not top and not margin:
            return None  # `key:` without a value
        else:
            entries, inner, margin = top, top, 0
        key, node = found[2], _value(found, line)
        if node is None:
            if depth or found.end() != found.end(2) + 1:
                return None
            inner = {}
            node = Mapping(inner, line)
        if key in entries:
            return None
        entries[key] = node
    if not top or (inner is not top and not margin):
        return None
    return Mapping(top, next(iter(top.values())).line)


def _value(found: re.Match[str], line: int) -> Node | None:
    """The value of one matched line, None where the line has none or repeats a key in brackets."""
    _, _, plain, quoted, items, pairs = found.groups()
    if plain is not None:
        return Scalar(plain, line)
    if quoted is not None:
        return Scalar(quoted[1:-1], line)
    if items is not None:
        return Sequence(tuple([_scalar(atom, line) for atom in _ATOMS.findall(items)]), line)
    return None if pairs is None else _pairs(pairs, line)


def _scalar(atom: str, line: int) -> Scalar:
    return Scalar(atom[1:-1] if atom[0] in "\"'" else atom, line)


def _pairs(text: str, line: int) -> Mapping | None:
    """`a: 1, b: 2` as a mapping, None where a key is repeated."""
    found = _PAIRS.findall(text)
    entries: dict[str, Node] = {key: _scalar(atom, line) for key, atom in found}
    return Mapping(entries, line) if len(entries) == len(found) else None
