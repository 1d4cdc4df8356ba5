"""All of RFC 9535: parsed by the strict library, its syntax tree turned into selectors and tests."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from jsonpath_rfc9535 import JSONPathEnvironment, JSONPathError
from jsonpath_rfc9535 import filter_expressions as ast
from jsonpath_rfc9535 import segments as parts
from jsonpath_rfc9535 import selectors as choices
from jsonpath_rfc9535.query import JSONPathQuery

from stilltrue.errors import InputError
from stilltrue.evidence.jsonpath.compare import COMPARISONS, NOTHING
from stilltrue.evidence.jsonpath.iregexp import matches, usable
from stilltrue.evidence.jsonpath.nodes import Budget, Node, Segment, Selector, walk
from stilltrue.evidence.jsonpath.selectors import Test, by_index, by_name, by_slice, by_test, everything
from stilltrue.wording import quoted

Operand = Callable[[Any, Any, Budget], Any]
"""What one side of a comparison, or an argument, is for a current value: a value or NOTHING."""

_DEEPEST_PATH = 10_000
"""Longer paths are refused before the library's recursive parser meets them."""


def parse(path: str) -> tuple[Segment, ...]:
    """The segments of any valid path.

    Raises:
        InputError: `bad-jsonpath`, when it is not valid, or a literal pattern in it is no I-Regexp.
    """
    if len(path) > _DEEPEST_PATH:
        raise InputError(
            "bad-jsonpath", f"the path is {len(path):,} characters long", "name the way to one value"
        )
    try:
        return _segments(_environment().compile(path))
    except JSONPathError as error:
        raise _refused(path, str(error.args[0]) if error.args else "") from None
    except (RecursionError, ValueError, IndexError) as error:
        raise _refused(path, str(error)) from None


def _refused(path: str, reason: str) -> InputError:
    hint = "paths follow RFC 9535: `$.rows[?@.name == 'a'].time`"
    if not path.startswith("$"):
        hint = f"begin with the root: `$.{path.lstrip('.')[:40]}`"
    return InputError("bad-jsonpath", f"{quoted(path)} is no JSONPath: {reason}", hint)


@lru_cache(maxsize=1)
def _environment() -> JSONPathEnvironment:
    return JSONPathEnvironment()


def _segments(query: JSONPathQuery) -> tuple[Segment, ...]:
    return tuple(_segment(segment) for segment in query.segments)


def _segment(segment: parts.JSONPathSegment) -> Segment:
    only = segment.selectors[0] if len(segment.selectors) == 1 else None
    descends = isinstance(segment, parts.JSONPathRecursiveDescentSegment)
    return Segment(
        tuple(_selector(selector) for selector in segment.selectors),
        descends,
        str(segment),
        only.name if isinstance(only, choices.NameSelector) and not descends else None,
    )


def _selector(selector: choices.JSONPathSelector) -> Selector:
    if isinstance(selector, choices.NameSelector):
        return by_name(selector.name)
    if isinstance(selector, choices.IndexSelector):
        return by_index(selector.index)
    if isinstance(selector, choices.SliceSelector):
        return by_slice(selector.slice)
    if isinstance(selector, choices.FilterSelector):
        return by_test(_test(selector.expression.expression))
    return everything


def _test(expression: ast.Expression) -> Test:
    """A condition: `&&`, `||`, `!`, a comparison, an existence test, or a function that says yes or no."""
    if isinstance(expression, ast.LogicalExpression):
        return _logical(expression)
    if isinstance(expression, ast.PrefixExpression):
        inner = _test(expression.right)
        return lambda current, root, budget: not inner(current, root, budget)
    if isinstance(expression, ast.ComparisonExpression):
        compare = COMPARISONS[expression.operator]
        left, right = _operand(expression.left), _operand(expression.right)
        return lambda current, root, budget: compare(
            left(current, root, budget), right(current, root, budget)
        )
    if isinstance(expression, ast.FilterQuery):
        nodes = _nodes(expression)
        return lambda current, root, budget: bool(nodes(current, root, budget))
    function = _operand(expression)
    return lambda current, root, budget: function(current, root, budget) is True


def _logical(expression: ast.LogicalExpression) -> Test:
    left, right = _test(expression.left), _test(expression.right)
    if expression.operator == "&&":
        return lambda current, root, budget: left(current, root, budget) and right(current, root, budget)
    return lambda current, root, budget: left(current, root, budget) or right(current, root, budget)


def _operand(expression: ast.Expression) -> Operand:
    """A literal, a query of at most one node, or a function."""
    if isinstance(expression, ast.FilterExpressionLiteral):
        value = expression.value
        return lambda _current, _root, _budget: value
    if isinstance(expression, ast.FilterQuery):
        nodes = _nodes(expression)
        return lambda current, root, budget: _only(nodes(current, root, budget))
    if isinstance(expression, ast.FunctionExtension):
        return _FUNCTIONS[expression.name](list(expression.args))
    raise InputError(
        "bad-jsonpath", f"a filter holds {quoted(str(expression))}", "write a comparison or a test"
    )


def _nodes(expression: ast.FilterQuery) -> Callable[[Any, Any, Budget], list[Node]]:
    """A query in a filter, from the current value (`@`) or from the root (`$`)."""
    segments = _segments(expression.query)
    if isinstance(expression, ast.RootFilterQuery):
        return lambda _current, root, budget: walk(segments, Node(root, None), root, budget)
    return lambda current, root, budget: walk(segments, Node(current, None), root, budget)


def _only(nodes: list[Node]) -> Any:
    return nodes[0].value if len(nodes) == 1 else NOTHING


def _length(args: list[ast.Expression]) -> Operand:
    operand = _operand(args[0])

    def length(current: Any, root: Any, budget: Budget) -> Any:
        value = operand(current, root, budget)
        return len(value) if isinstance(value, str | list | dict) else NOTHING

    return length


def _count(args: list[ast.Expression]) -> Operand:
    nodes = _query(args[0])
    return lambda current, root, budget: len(nodes(current, root, budget))


def _value(args: list[ast.Expression]) -> Operand:
    nodes = _query(args[0])
    return lambda current, root, budget: _only(nodes(current, root, budget))


def _query(expression: ast.Expression) -> Callable[[Any, Any, Budget], list[Node]]:
    if not isinstance(expression, ast.FilterQuery):
        raise InputError(
            "bad-jsonpath", f"{quoted(str(expression))} is no query", "give `count` and `value` a query"
        )
    return _nodes(expression)


def _regexp(whole: bool) -> Callable[[list[ast.Expression]], Operand]:
    """`match` (the whole string) and `search` (a part of it), on RE2: nothing can backtrack."""

    def make(args: list[ast.Expression]) -> Operand:
        if isinstance(args[1], ast.StringLiteral):
            usable(str(args[1].value))
        text, pattern = _operand(args[0]), _operand(args[1])
        return lambda current, root, budget: matches(
            pattern(current, root, budget), text(current, root, budget), whole=whole
        )

    return make


_FUNCTIONS: dict[str, Callable[[list[ast.Expression]], Operand]] = {
    "length": _length,
    "count": _count,
    "value": _value,
    "match": _regexp(whole=True),
    "search": _regexp(whole=False),
}
