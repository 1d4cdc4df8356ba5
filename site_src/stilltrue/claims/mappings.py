"""A mapping held to its table of keys, and what is wrong with one that does not fit."""

from __future__ import annotations

from stilltrue.claims.compose import QuotingError
from stilltrue.claims.key_kinds import Key, Kind
from stilltrue.claims.keys import KEYS, READ_KEYS
from stilltrue.claims.nodes import Mapping, Node, Scalar, Sequence, clip
from stilltrue.errors import InputError
from stilltrue.suggest import did_you_mean

_OF_TABLES = frozenset({"columns", "key", "rows"})
"""Keys that only a table of claims has."""

_SHAPE_NAMES: dict[type[Node], str] = {Scalar: "text", Sequence: "a list", Mapping: "a mapping"}


def check(mapping: Mapping, table: dict[str, Key], within: str = "") -> None:
    """Hold a mapping to its table: known keys of the right shape, none empty, all that are required.

    Args:
        mapping: The mapping.
        table: The keys that it may have.
        within: The key that holds the mapping, for messages; empty for the claim itself.

    Raises:
        InputError: The first thing that is wrong, with its line.
    """
    entries = mapping.entries
    for name, node in entries.items():
        key = table.get(name)
        if key is None:
            raise _unknown(name, node, mapping, table, within)
        if type(node) not in key.shapes:
            raise _wrong_type(node, key)
        if type(node) is Scalar:
            _text(node, key)
        elif type(node) is Sequence:
            _items(node, key)
    for key in table.values():
        if key.required and key.name not in entries:
            where = f" in `{within}`" if within else ""
            raise InputError(
                "missing-key", f"`{key.name}` is missing{where}", f"add `{key.example}`", line=mapping.line
            )


def _text(node: Scalar, key: Key) -> None:
    if not node.text or node.text.isspace():
        message = f"`{key.name}` has no value"
        raise QuotingError("missing-key", message, "write one, or leave the key out", node.line, key.name)
    if node.cut and key.sentence:
        raise cut(key.name, node)


def cut(name: str, node: Scalar) -> QuotingError:
    """The problem of a text that ` #` cuts short."""
    return QuotingError(
        "cut-sentence",
        f"`{name}` is cut at ` #`, where a YAML comment begins",
        "put the whole value in quotes, or the comment on a line of its own",
        node.line,
        name,
    )


def _items(node: Sequence, key: Key) -> None:
    if not node.items:
        hint = f"write `{key.example}`"
        raise InputError("missing-key", f"`{key.name}` is an empty list", hint, line=node.line)
    for item in node.items:
        if key.kind is Kind.MAPPINGS:
            if type(item) is Mapping:
                continue
            message = f"an item of `{key.name}` is {_SHAPE_NAMES[type(item)]}, not a mapping"
            raise InputError("wrong-type", message, f"write `{key.example}`", line=item.line)
        if type(item) is not Scalar:
            message = f"an item of `{key.name}` is {_SHAPE_NAMES[type(item)]}, not text"
            raise QuotingError("wrong-type", message, "put the item in quotes", item.line)
        _text(item, key)


def _wrong_type(node: Node, key: Key) -> InputError:
    message = f"`{key.name}` must be {_article(key.kind)}, not {_SHAPE_NAMES[type(node)]}"
    hint = f"write `{key.example}`"
    if isinstance(node, Scalar) and not node.text:
        return InputError("missing-key", f"`{key.name}` has no value", hint, line=node.line)
    if Scalar in key.shapes:
        return QuotingError("wrong-type", message, hint, node.line, key.name)
    if key.kind is Kind.WORDS and isinstance(node, Scalar):
        hint = f"write `{key.name}: [{clip(node.text)}]`"
    return InputError("wrong-type", message, hint, line=node.line)


def _article(kind: Kind) -> str:
    if kind in (Kind.SWITCH, Kind.TEXT):
        return kind.value
    return f"{'an' if kind in (Kind.ID, Kind.EXPRESSION) else 'a'} {kind.value}"


def _unknown(name: str, node: Node, mapping: Mapping, table: dict[str, Key], within: str) -> InputError:
    """What is wrong with a key that the table does not hold."""
    if table is KEYS and name in _OF_TABLES:
        message = f"`{name}` belongs to a block marked `claims`, which binds the table after it"
        hint = "write such a block on the table's page; in a claims file name the table by `table_in`"
        return InputError("unsupported-key", message, hint, line=node.line)
    if name == "table_in" and "evidence" in table:
        message = "`table_in` belongs to a table of claims in a claims file, beside its `columns`"
        hint = "leave it out: a block marked `claims` binds the table after it"
        return InputError("unsupported-key", message, hint, line=node.line)
    before = _before(name, node, mapping)
    if before:
        message = f"`{clip(before)}` is cut at a comma, which ends a value inside braces"
        return QuotingError("cut-value", message, "put the whole value in quotes", node.line, before)
    where = f" in `{within}`" if within else ""
    return InputError("unknown-key", f"unknown key `{clip(name)}`{where}", _near(name, table), line=node.line)


def _before(name: str, node: Node, mapping: Mapping) -> str:
    """The key that a word without a value follows on its line: what a comma inside braces leaves behind."""
    if isinstance(node, Scalar) and not node.text:
        names = list(mapping.entries)
        before = names[names.index(name) - 1] if names[0] != name else ""
        if before and mapping.entries[before].line == node.line:
            return before
    return ""


def _near(name: str, table: dict[str, Key]) -> str:
    """What to do about an unknown key: the nearest known one, or the place where this one belongs."""
    if "evidence" in table and name in READ_KEYS:
        return f"`{name}` belongs inside `read`"
    if name in ("value", "stated_in") and "evidence" in table:
        return f"leave `{name}` out: the cells of the table are the values"
    if "evidence" not in table and name in KEYS:
        return f"`{name}` stands beside the claim's other keys, not in here"
    return did_you_mean(name, table) or "known keys are " + ", ".join(f"`{key}`" for key in table)
