"""The nouns of an evaluation: nodes that know how they were reached, and what it may still cost."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.trees import Location

Trail = tuple["Trail", str | int] | None
"""How a node was reached: the trail of its parent and the last step; None for the root."""

MOST_NODES = 50_000_000
_OFTEN = 10_000


class Node(NamedTuple):
    """A value and how it was reached."""

    value: Any
    trail: Trail


class Budget:
    """What one evaluation may visit, in nodes and in time."""

    __slots__ = ("_deadline", "_next_look", "visited")

    def __init__(self, deadline: Deadline) -> None:
        self.visited = 0
        self._next_look = _OFTEN
        self._deadline = deadline

    def spend(self, nodes: int) -> None:
        """Notes that so many nodes are visited.

        Raises:
            InputError: `too-slow`, when that is too many or takes too long.
        """
        self.visited += nodes
        if self.visited < self._next_look:
            return
        self._next_look = self.visited + _OFTEN
        self._deadline.check()
        if self.visited > MOST_NODES:
            raise InputError(
                "too-slow",
                f"the path visits more than {MOST_NODES:,} nodes",
                "name the way to the value instead of searching with `..`",
            )


Selector = Callable[[Node, list[Node], Any, Budget], None]
"""Adds the children of a node that it selects to a list; the third argument is the root's value."""


class Segment(NamedTuple):
    """One segment of a path.

    Attributes:
        selectors: What it selects, in order.
        descends: Whether it looks at all descendants (`..`).
        text: As it is shown in messages.
        key: The key, where it is a single name.
        tests: The equalities, where it is a filter of nothing else: a key's path and the literals.
    """

    selectors: tuple[Selector, ...]
    descends: bool
    text: str
    key: str | None = None
    tests: tuple[tuple[tuple[str, ...], tuple[Any, ...]], ...] = ()


def location(trail: Trail) -> Location:
    """The keys and indices from the root."""
    steps: list[str | int] = []
    while trail is not None:
        trail, step = trail
        steps.append(step)
    return tuple(reversed(steps))


def walk(segments: tuple[Segment, ...], start: Node, root: Any, budget: Budget) -> list[Node]:
    """The nodes that segments select, in the order of the RFC."""
    nodes: list[Node] = [start]
    for segment in segments:
        nodes = advance(segment, nodes, root, budget)
        if not nodes:
            break
    return nodes


def advance(segment: Segment, nodes: list[Node], root: Any, budget: Budget) -> list[Node]:
    """The nodes that one segment selects from several."""
    found: list[Node] = []
    for node in nodes:
        if segment.descends:
            for descendant in _descendants(node, budget):
                for selector in segment.selectors:
                    selector(descendant, found, root, budget)
        else:
            for selector in segment.selectors:
                selector(node, found, root, budget)
    return found


def _descendants(node: Node, budget: Budget) -> Iterator[Node]:
    """A node and all containers below it, parents first, without recursion."""
    stack = [node]
    while stack:
        node = stack.pop()
        yield node
        below = [child for child in children(node) if isinstance(child.value, dict | list)]
        budget.spend(len(node.value) + 1 if isinstance(node.value, dict | list) else 1)
        stack.extend(reversed(below))


def children(node: Node) -> Iterator[Node]:
    """The members of an object, the elements of an array, nothing for a scalar."""
    value, trail = node
    if isinstance(value, dict):
        return (Node(member, (trail, key)) for key, member in value.items())
    if isinstance(value, list):
        return (Node(element, (trail, index)) for index, element in enumerate(value))
    return iter(())
