"""The `read` of a claim: which shape it sees, its patterns, and how readings become one."""

from __future__ import annotations

import re
from fractions import Fraction

from stilltrue.claims import keys, mappings
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip, placed
from stilltrue.errors import InputError
from stilltrue.model import Read, Shape, Take
from stilltrue.quantity import Unit, Units
from stilltrue.suggest import did_you_mean

TAKES = (
    "only", "same", "first", "last", "min", "max", "mean", "median", "sum", "count", "std", "pstd",
)  # fmt: skip
"""The takes that are one word; `p50`, `p99.9` and the like are the others."""

SHAPES = {"path": Shape.TREE, "column": Shape.TABLE, "match": Shape.TEXT}
"""The keys of which a read has exactly one, each with what it reads."""

ONLY_WITH = {"where": "column", "table": "column", "header": "column", "between": "match"}
"""Keys that go with one of those alone."""

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_OF = re.compile(r"(\S+)\s+of\s+([0-9]{1,9})")
_PERCENTILE = re.compile(r"p([0-9]{1,3}(?:\.[0-9]{1,9})?)")
_SWITCH = {"yes": True, "no": False, "true": True, "false": False}


def read_reads(node: Mapping, units: Units) -> tuple[tuple[str, Read], ...]:
    """The reads of a claim by name; the one unnamed read has the name "".

    Raises:
        InputError: A key, a name or a value is wrong; its line is filled in.
    """
    named = [name for name, value in node.entries.items() if type(value) is Mapping]
    if not named:
        return (("", read_one(node, units, "read")),)
    reads: list[tuple[str, Read]] = []
    for name, value in node.entries.items():
        if type(value) is not Mapping:
            message = f"`{clip(name)}` stands beside the named read `{clip(named[0])}`"
            raise InputError("bad-read", message, "move it into the named reads", line=value.line)
        if not _NAME.fullmatch(name):
            message = f"`{clip(name)}` is no name for a read"
            raise InputError("bad-read", message, "use letters, digits and `_`", line=value.line)
        reads.append((name, read_one(value, units, f"read.{name}")))
    return tuple(reads)


def read_one(node: Mapping, units: Units, within: str) -> Read:
    """One read.

    Raises:
        InputError: A key or a value is wrong; its line is filled in.
    """
    mappings.check(node, keys.READ_KEYS, within)
    entries = node.entries
    shape = _shape(node, within)
    return Read(
        shape,
        path=_text(entries, "path"),
        column=_text(entries, "column"),
        where=_text(entries, "where"),
        table=_text(entries, "table"),
        match=_text(entries, "match"),
        between=_between(entries.get("between")),
        take=_takes(entries.get("take")),
        unit=_unit(entries.get("unit"), units),
        decimal=_decimal(entries.get("decimal")),
        format=_text(entries, "format"),
        header=switch(entries.get("header"), "header"),
        line=node.line,
    )


def _text(entries: dict[str, Node], name: str) -> str:
    node = entries.get(name)
    return node.text if type(node) is Scalar else ""


def _shape(node: Mapping, within: str) -> Shape:
    entries = node.entries
    given = [name for name in SHAPES if name in entries]
    if len(given) > 1:
        message = f"`{given[0]}` and `{given[1]}` stand in one `{within}`"
        raise InputError("bad-read", message, "keep one of them", line=entries[given[1]].line)
    if not given:
        message = f"`{within}` has no `path`, `column` or `match`"
        raise InputError(
            "missing-key", message, "`path` reads a tree, `column` a table, `match` text", line=node.line
        )
    for name, needed in ONLY_WITH.items():
        if name in entries and needed != given[0]:
            message = f"`{name}` goes with `{needed}`, not with `{given[0]}`"
            raise InputError("bad-read", message, f"leave `{name}` out", line=entries[name].line)
    return SHAPES[given[0]]


def _between(node: Node | None) -> tuple[str, str] | None:
    if type(node) is not Sequence:
        return None
    patterns = [item.text for item in node.items if type(item) is Scalar]
    if len(patterns) != 2:
        message = f"`between` must be two patterns, not {len(patterns)}"
        raise InputError("wrong-type", message, f"write `{_BETWEEN}`", line=node.line)
    return patterns[0], patterns[1]


_BETWEEN = keys.READ_KEYS["between"].example


def _takes(node: Node | None) -> tuple[Take, ...]:
    if type(node) is Scalar:
        return (parse_take(node),)
    if type(node) is not Sequence:
        return ()
    if len(node.items) != 2:
        message = f"a list of takes has two items, per file and across files, not {len(node.items)}"
        raise InputError("bad-take", message, "write one take, or `take: [last, mean]`", line=node.line)
    return tuple([parse_take(item) for item in node.items if type(item) is Scalar])


def parse_take(node: Scalar) -> Take:
    """One take: `sum`, `mean of 3`, `p99.9`.

    Raises:
        InputError: It is no take.
    """
    found = _OF.fullmatch(node.text)
    word, of = (found[1], int(found[2])) if found else (node.text, None)
    if of == 0:
        message = f"`{clip(node.text)}` is a take of no readings"
        raise InputError("bad-take", message, "write how many readings there must be", line=node.line)
    if word in TAKES:
        return Take(word, of)
    percentile = _PERCENTILE.fullmatch(word)
    if percentile and (share := Fraction(percentile[1])) <= 100:
        return Take("p", of, share)
    known = ", ".join(f"`{take}`" for take in (*TAKES, "p50"))
    hint = did_you_mean(word, TAKES) or f"the takes are {known}; any may end in `of 3`"
    raise InputError("bad-take", f"`{clip(node.text)}` is no take", hint, line=node.line)


def _unit(node: Node | None, units: Units) -> Unit | None:
    if type(node) is not Scalar:
        return None
    try:
        return units.parse(node.text)
    except InputError as error:
        raise placed(error, node) from None


def _decimal(node: Node | None) -> str:
    if type(node) is not Scalar:
        return "."
    if node.text not in (".", ","):
        message = f"`decimal` must be `.` or `,`, not `{clip(node.text)}`"
        raise InputError("wrong-type", message, "write `decimal: ','`", line=node.line)
    return node.text


def switch(node: Node | None, name: str) -> bool:
    """Yes or no as written, yes where the key is left out.

    Raises:
        InputError: It is neither; its line is filled in.
    """
    if type(node) is not Scalar:
        return True
    if node.text not in _SWITCH:
        message = f"`{name}` must be yes or no, not `{clip(node.text)}`"
        raise InputError("wrong-type", message, f"write `{name}: no`", line=node.line)
    return _SWITCH[node.text]
