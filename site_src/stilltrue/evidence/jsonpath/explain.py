"""Why a path selects nothing: the deepest part of it that does, and what is there instead."""

from __future__ import annotations

from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.jsonpath.nodes import Budget, Node, Segment, advance
from stilltrue.evidence.jsonpath.query import Query
from stilltrue.evidence.values import described
from stilltrue.suggest import did_you_mean
from stilltrue.wording import listed, quoted

_LOOKED_AT = 100
"""How many nodes are looked at for near names."""


def explain(query: Query, value: Any, deadline: Deadline) -> tuple[str, str]:
    """What is wrong, in one clause, and what to do next, for a path that selects nothing in `value`."""
    budget = Budget(deadline)
    nodes = [Node(value, None)]
    reached = "$"
    for segment in query.segments:
        found = advance(segment, nodes, value, budget)
        if not found:
            return _failing(reached, segment, [node.value for node in nodes[:_LOOKED_AT]], len(nodes))
        nodes = found
        reached += segment.text
    return f"{quoted(query.path)} selects nothing", "mend the path"


def _failing(reached: str, segment: Segment, values: list[Any], count: int) -> tuple[str, str]:
    where = (
        f"{quoted(reached)} is {described(values[0])}"
        if count == 1
        else f"{quoted(reached)} gives {count:,} nodes"
    )
    if segment.tests:
        return _filtered(reached, segment, values)
    if segment.key is not None and any(isinstance(value, dict) for value in values):
        keys = _keys(values)
        near = did_you_mean(segment.key, keys)
        return (
            f"{quoted(reached)} has no key {quoted(segment.key)}",
            near or f"its keys are {listed((quoted(key) for key in keys), 8)}",
        )
    if segment.key is not None and any(isinstance(value, list) for value in values):
        return (
            f"{where}, which has no key {quoted(segment.key)}",
            f"step into its elements: {quoted(f'{reached}[*]{segment.text}')}",
        )
    message = f"{where}, and {quoted(segment.text)} selects nothing of it"
    if count == 1 and isinstance(values[0], list) and values[0]:
        return message, f"its elements are `[0]` to `[{len(values[0]) - 1}]`, and `[-1]` is the last"
    return message, f"{quoted(reached)} does select: go on from there"


def _filtered(reached: str, segment: Segment, values: list[Any]) -> tuple[str, str]:
    """For a filter of equalities: the key that is not there, or the values that are."""
    rows = [row for value in values for row in _children(value)]
    message = f"no element of {quoted(reached)} passes {quoted(segment.text)}"
    for names, literals in segment.tests:
        held = [row[names[0]] for row in rows if isinstance(row, dict) and names[0] in row]
        if not held:
            keys = _keys(rows[:_LOOKED_AT])
            near = did_you_mean(names[0], keys)
            instead = near or f"keys there are {listed((quoted(key) for key in keys), 8)}"
            return message, f"none has a key {quoted(names[0])}; {instead}"
        if len(names) == 1 and not any(_is_among(value, literals) for value in held):
            kinds = dict.fromkeys(_as_literal(value) for value in held)
            return (
                message,
                f"values of {quoted(names[0])} there are {listed((quoted(kind) for kind in kinds), 5)}",
            )
    return message, "each condition holds somewhere, but not all of them together"


def _is_among(value: Any, literals: tuple[Any, ...]) -> bool:
    return any(value == literal and type(value) is type(literal) for literal in literals)


def _children(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _as_literal(value: Any) -> str:
    """A value as a path would write it, so that `1` and `'1'` are told apart."""
    if isinstance(value, str):
        return f"'{value}'"
    return described(value).strip("`")


def _keys(values: list[Any]) -> list[str]:
    """The keys of several objects, in the order of their first appearance."""
    return list(dict.fromkeys(key for value in values if isinstance(value, dict) for key in value))
