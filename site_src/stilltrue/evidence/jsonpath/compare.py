"""Comparison as RFC 9535, section 2.3.5.2.2, defines it: types never mix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class _Nothing:
    """The special result Nothing: a query that selects no node."""

    def __repr__(self) -> str:
        return "NOTHING"


NOTHING = _Nothing()


def equal(left: Any, right: Any) -> bool:
    """Whether two values are equal: numbers by worth, arrays and objects member by member."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list):
        return isinstance(right, list) and len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict):
        return (
            isinstance(right, dict)
            and left.keys() == right.keys()
            and all(equal(value, right[key]) for key, value in left.items())
        )
    return bool(left == right)


def less(left: Any, right: Any) -> bool:
    """Whether two numbers, or two strings, stand in this order."""
    if isinstance(left, str) and isinstance(right, str):
        return left < right
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    return isinstance(left, int | float) and isinstance(right, int | float) and left < right


COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": less,
    ">": lambda left, right: less(right, left),
    "<=": lambda left, right: less(left, right) or equal(left, right),
    ">=": lambda left, right: less(right, left) or equal(left, right),
}
"""The operators of a comparison."""
