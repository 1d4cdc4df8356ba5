"""A probe's script as it is written: its docstring and its arguments, read and never run."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stilltrue.files import read_bytes

LARGEST = 1_000_000
"""Up to how many bytes a script is shown."""

MOST_PARSED = 1 << 18
"""Up to how many characters a script is parsed, for the reasons that `probes.canonical` gives."""

MOST_NODES = 200_000
"""How many places of a script are looked at for its arguments."""

_LONGEST_SHOWN = 12
_MOST_BOUND = 100
_COMMENT = re.compile(r"[ \t]*(?:#|//|--|;|%)+ ?")
_OPENS = re.compile(r"(?:#|//) /// [\w-]+[ \t]*")
_CLOSES = ("# ///", "// ///")
_ADDS = "add_argument"


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument of a script: how it is written, its default as code (empty: none), what it means."""

    names: str
    default: str = ""
    help: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """A script.

    Attributes:
        text: Its lines.
        docstring: What it says of itself: a Python module's docstring, else the comment that it begins with.
        parsed: Whether it is Python that this interpreter can parse.
        arguments: What `add_argument` is given in so many words.
    """

    text: str
    docstring: str = ""
    parsed: bool = False
    arguments: tuple[Argument, ...] = ()


def read_script(root: Path, path: str) -> Script:
    """A script of the repository; nothing of it is run.

    Raises:
        InputError: It is not there, lies outside, or is larger than `LARGEST` bytes.
    """
    text = read_bytes(root, path, LARGEST).decode("utf-8", "replace").replace("\r\n", "\n")
    tree = _parse(text) if path.endswith(".py") and len(text) <= MOST_PARSED else None
    if tree is None:
        return Script(text, _opening_comment(text))
    docstring = ast.get_docstring(tree) or _opening_comment(text)
    return Script(text, docstring, parsed=True, arguments=_arguments(tree))


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a doubtful escape is the author's affair
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _opening_comment(text: str) -> str:
    """The comment that a script begins with, without its shebang and its metadata."""
    lines: list[str] = []
    inside = False
    for line in text.removeprefix("\ufeff").split("\n"):
        if line.startswith("#!") and not lines:
            continue
        if inside or _OPENS.fullmatch(line):
            inside = line.rstrip() not in _CLOSES
            continue
        sign = _COMMENT.match(line)
        if sign is None and (lines or line.strip()):
            break
        if sign is not None:
            lines.append(line[sign.end() :].rstrip())
    return "\n".join(lines).strip("\n")


# Arguments ---------------------------------------------------------------------------------------------

_Bound = Mapping[str, ast.expr]


def _arguments(tree: ast.Module) -> tuple[Argument, ...]:
    """What is given to `add_argument`, under whatever name, also by a loop over a table of the module."""
    values: dict[str, ast.expr] = {}
    for node in tree.body:
        target = node.targets[0] if isinstance(node, ast.Assign) else getattr(node, "target", None)
        value = getattr(node, "value", None)
        if isinstance(target, ast.Name) and isinstance(value, ast.expr):
            values[target.id] = value
    tables = {name: each.elts for name, each in values.items() if isinstance(each, ast.Tuple | ast.List)}
    try:
        constants = {name: each for name, each in values.items() if _is_plain(each)}
        return tuple(_Search(tables, constants).within(tree, {}))
    except RecursionError:
        return ()


def _is_plain(node: ast.expr) -> bool:
    """Whether an expression is a number, a text or a short tuple of them: worth more than its name."""
    if isinstance(node, ast.Tuple):
        return len(node.elts) <= _LONGEST_SHOWN and all(map(_is_plain, node.elts))
    return isinstance(node, ast.Constant) and isinstance(node.value, int | float | str)


class _Search:
    """Looks for calls in a module; loops over tables in loops over tables would keep it busy for ever.

    Args:
        tables: The rows of the module's tables by their names.
        constants: The module's plain values by their names.
    """

    def __init__(self, tables: Mapping[str, Sequence[ast.expr]], constants: _Bound) -> None:
        self._tables = tables
        self._constants = constants
        self._left = MOST_NODES

    def within(self, node: ast.AST, bound: _Bound) -> Iterator[Argument]:
        """The arguments that are added below a node, until `MOST_NODES` have been looked at."""
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Assign) and _adds(child.value, {}) and len(bound) < _MOST_BOUND:
                names = [target.id for target in child.targets if isinstance(target, ast.Name)]
                bound = {**bound, **dict.fromkeys(names, child.value)}
            if isinstance(child, ast.Call) and _adds(child.func, bound):
                yield from _argument(child, bound, self._constants)
            table = child.iter if isinstance(child, ast.For) else None
            rows = self._tables.get(table.id, ()) if isinstance(table, ast.Name) else ()
            for row in rows or (None,):
                self._left -= 1
                if self._left < 0:
                    return
                inner = _binding(child, row)
                yield from self.within(child, {**bound, **inner} if inner else bound)


def _adds(node: ast.expr, bound: _Bound) -> bool:
    """Whether an expression is a parser's `add_argument`, or another name for it: `add = p.add_argument`."""
    known = bound.get(node.id, node) if isinstance(node, ast.Name) else node
    return isinstance(known, ast.Attribute) and known.attr == _ADDS


def _binding(node: ast.AST, row: ast.expr | None) -> _Bound:
    """What the names of a loop's target stand for in one row of its table."""
    if not isinstance(node, ast.For) or row is None:
        return {}
    if isinstance(node.target, ast.Name):
        return {node.target.id: row}
    if isinstance(node.target, ast.Tuple) and isinstance(row, ast.Tuple | ast.List):
        pairs = zip(node.target.elts, row.elts, strict=False)
        return {name.id: value for name, value in pairs if isinstance(name, ast.Name)}
    return {}


def _argument(call: ast.Call, bound: _Bound, constants: _Bound) -> Iterator[Argument]:
    def given(node: ast.expr | None) -> ast.expr | None:
        found = bound.get(node.id, node) if isinstance(node, ast.Name) else node
        return constants.get(found.id, found) if isinstance(found, ast.Name) else found

    keywords = {keyword.arg: given(keyword.value) for keyword in call.keywords}
    names = [_words(given(argument)) for argument in call.args]
    if names and all(names):
        default = keywords.get("default")
        written = "" if default is None or _is_nothing(default) else ast.unparse(default)
        yield Argument(", ".join(names), written, _words(keywords.get("help")).replace("%%", "%"))


def _words(node: ast.expr | None) -> str:
    """A string as it is written; what an f-string fills in stays in braces. Empty for what is no string."""
    match node:
        case ast.Constant(value=str(words)):
            return words
        case ast.JoinedStr(values=parts):
            return "".join(_words(p) if isinstance(p, ast.Constant) else ast.unparse(p) for p in parts)
        case _:
            return ""


def _is_nothing(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value in (None, "")
