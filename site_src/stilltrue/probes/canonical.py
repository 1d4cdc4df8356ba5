"""Python code in one form that comments, layout and the Python that reads it do not change.

Own, and not `ast.dump`, whose form changes between Pythons. Standard library alone, and no imports of
ours: the form is the same under every Python that can parse the code.
"""

from __future__ import annotations

import ast
import json
import warnings
from functools import cache
from typing import Any

_SKIPPED = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
"""Fields that say nothing of their own: `ctx` follows from the place, `kind` is the `u` of `u""`."""

_DOCUMENTED = frozenset({ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef})
_KEEPING_NONE = frozenset({ast.Constant, ast.MatchSingleton})

MOST_BYTES = 1 << 18
"""Of larger files no form is made: they are data rather than code, and a parser may take a kilobyte of memory
for each byte, and before Python 3.12 a time that grows with the square of an f-string's length."""


def canonical(source: bytes) -> str | None:
    """The code's form; None for what this Python cannot parse, and for more than `MOST_BYTES`.

    Two sources of one form do the same. Left out are comments, layout, quotes, parentheses and trailing
    commas; docstrings stay, without their indentation.
    """
    if len(source) > MOST_BYTES:
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what the author wrote is not the reader's to be warned of
            tree = ast.parse(source)
        return _form(tree)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Mark(str):
    """Text that goes into the form as it is; any other string is a name or a constant of the code."""

    __slots__ = ()


_OPEN, _OPEN_JOINED, _CLOSE, _END = _Mark("["), _Mark("f["), _Mark("]"), _Mark(")")


def _form(tree: ast.AST) -> str:
    """A tree as text, by a stack of its own: code can be nested deeper than Python calls."""
    parts: list[str] = []
    waiting: list[Any] = [tree]
    while waiting:
        item = waiting.pop()
        if type(item) is _Mark:
            parts.append(item)
        elif isinstance(item, ast.JoinedStr):
            parts.append(_OPEN_JOINED)
            waiting.append(_CLOSE)
            waiting += reversed(_joined(item))
        elif isinstance(item, ast.AST):
            _open_node(item, parts, waiting)
        elif type(item) is list:
            parts.append(_OPEN)
            waiting.append(_CLOSE)
            waiting += reversed(item)
        else:
            parts.append(_constant(item))
    return "".join(parts)


def _open_node(node: ast.AST, parts: list[str], waiting: list[Any]) -> None:
    """Writes a node's name, and puts its fields, each with its label, on the stack.

    Fields that hold nothing are left out: a Python that knows more fields leaves those of older code empty.
    """
    kind: Any = type(node)  # any kind of node is hashable, which the stubs do not say
    name, labels = _labels(kind)
    parts.append(name)
    waiting.append(_END)
    keeps_none = kind in _KEEPING_NONE
    for field, label in labels:
        value: Any = getattr(node, field, None)
        if field == "body" and kind in _DOCUMENTED:
            value = _with_plain_docstring(value)
        elif field == "format_spec" and _is_empty(value):
            continue
        if keeps_none or (value is not None and value != []):
            waiting += (value, label)


@cache
def _labels(kind: Any) -> tuple[_Mark, tuple[tuple[str, _Mark], ...]]:
    """How nodes of one kind begin, and the labels of their fields, the last first."""
    fields = [field for field in kind._fields if field not in _SKIPPED]
    return _Mark(f"({kind.__name__}"), tuple((field, _Mark(f" {field}=")) for field in reversed(fields))


def _is_empty(value: object) -> bool:
    """Whether it is the format of `f"{x:}"`, which is that of `f"{x}"`."""
    return isinstance(value, ast.JoinedStr) and not _joined(value)


def _with_plain_docstring(body: list[Any]) -> list[Any]:
    match body[:1]:
        case [ast.Expr(value=ast.Constant(value=str(text)))]:
            return [_Mark(f"(doc {_constant(_dedented(text))})"), *body[1:]]
    return body


def _dedented(text: str) -> str:
    """A docstring without what an indentation, or a formatter, changes in it.

    Not `inspect.cleandoc`, which differs between Pythons.
    """
    first, *rest = (line.rstrip() for line in text.expandtabs().split("\n"))
    margin = min((len(line) - len(line.lstrip(" ")) for line in rest if line), default=0)
    return "\n".join((first.lstrip(), *(line[margin:] for line in rest))).strip("\n")


def _joined(node: ast.JoinedStr) -> list[Any]:
    """The parts of an f-string, neighbouring texts as one: Pythons differ in where they cut them."""
    parts: list[Any] = []
    for value in node.values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            if parts and type(parts[-1]) is str:
                parts[-1] += value.value
            else:
                parts.append(value.value)
        else:
            parts.append(value)
    return [part for part in parts if part != ""]


def _constant(value: object) -> str:
    """A constant with its type: `1`, `1.0` and `True` are three."""
    match value:
        case bool() | None:
            return repr(value)
        case int():
            return f"{value:#x}"  # decimal digits have a limit
        case str():
            return json.dumps(value)
        case bytes():
            return f"b{value.hex()}"
        case _:
            return f"<{value!r}>"  # float, complex, Ellipsis
