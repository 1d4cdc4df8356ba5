"""The selectors of RFC 9535, section 2.3, each made once for a path and called for every node."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stilltrue.evidence.jsonpath.nodes import Budget, Node, Selector, children

Test = Callable[[Any, Any, Budget], bool]
"""A filter's condition on the current value, beside the root's value."""


def by_name(name: str) -> Selector:
    """The member of an object with this name."""

    def select(node: Node, found: list[Node], _root: Any, budget: Budget) -> None:
        value = node.value
        budget.spend(1)
        if isinstance(value, dict) and name in value:
            found.append(Node(value[name], (node.trail, name)))

    return select


def by_index(index: int) -> Selector:
    """The element of an array at this index, counted from the end where it is negative."""

    def select(node: Node, found: list[Node], _root: Any, budget: Budget) -> None:
        value = node.value
        budget.spend(1)
        if isinstance(value, list) and -len(value) <= index < len(value):
            found.append(Node(value[index], (node.trail, index % len(value))))

    return select


def by_slice(part: slice) -> Selector:
    """The elements of an array from start to stop by step; none where the step is 0."""

    def select(node: Node, found: list[Node], _root: Any, budget: Budget) -> None:
        value = node.value
        if isinstance(value, list) and part.step != 0:
            indices = range(*part.indices(len(value)))
            budget.spend(len(indices) + 1)
            found.extend(Node(value[i], (node.trail, i)) for i in indices)

    return select


def everything(node: Node, found: list[Node], _root: Any, budget: Budget) -> None:
    """All members of an object, all elements of an array."""
    before = len(found)
    found.extend(children(node))
    budget.spend(len(found) - before + 1)


def by_test(test: Test) -> Selector:
    """The children that a condition holds for."""

    def select(node: Node, found: list[Node], root: Any, budget: Budget) -> None:
        for child in children(node):
            budget.spend(1)
            if test(child.value, root, budget):
                found.append(child)

    return select
