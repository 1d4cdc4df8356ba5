"""Which names a class or function takes, in this interpreter; and what becomes of a name that it does not.

The question is a list of names such as `transformers.TrainingArguments` or `train.arguments:Arguments`; the
answer a list with, for each, `parameters` (a name, and what the library says against it), `swallows` (what
becomes of any other name, empty where it is refused), `package` and `error`.

It runs under any Python from 3.9 on, with nothing of stilltrue's.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import importlib
import importlib.metadata
import inspect
import textwrap
import types
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

_NAMED = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


def main(question: list[str]) -> list[dict[str, Any]]:
    """The answer."""
    return [answer(name) for name in question]


def answer(name: str) -> dict[str, Any]:
    """What one name takes."""
    try:
        found = find(name)
        taken = Taken(found)
    except Exception as error:  # noqa: BLE001  # a library may raise anything when it is imported
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        "parameters": taken.parameters,
        "swallows": taken.swallows,
        "package": package(found),
        "error": "",
    }


def find(name: str) -> Any:
    """The class or function of a dotted name, or of `module:name`."""
    module, colon, inside = name.partition(":")
    if colon:
        return functools.reduce(getattr, inside.split("."), importlib.import_module(module))
    parts = name.split(".")
    for count in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:count]))
        except ModuleNotFoundError as error:
            if error.name and not f"{name}.".startswith(f"{error.name}."):
                raise  # the module is there, and what it needs is not
            continue
        return functools.reduce(getattr, parts[count:], found)
    importlib.import_module(parts[0])
    raise ValueError("a module is no class or function")


def package(found: Any) -> str:
    """`transformers 5.24.0`: what it comes from; empty where that is no installed package."""
    top = (getattr(found, "__module__", "") or "").partition(".")[0]
    try:
        return f"{top} {importlib.metadata.version(top)}"
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return ""


class Taken:
    """What a class or function takes by name.

    Args:
        found: The class or function.
    """

    def __init__(self, found: Any) -> None:
        self.parameters = dict.fromkeys(_named(found), "")
        self.parameters.update(_deprecated(found, self.parameters))
        self.swallows = ""
        fates = []
        for function in _takers(found):
            use = used(function)
            if isinstance(found, type):
                self._add(_named(function))
            self._add(use.names)
            fates.append(use.fate)
        if fates:
            self.swallows = max(fates, key=_FATES.index)  # the last that is known of it
        if self.swallows == _SET:
            self._add(_aliases(found))
        self.parameters.pop("self", None)

    def _add(self, names: Iterable[str]) -> None:
        """Further parameters; what is said against one that is known already stays."""
        for name in names:
            self.parameters.setdefault(name, "")


_DROPPED = "it would be taken without a word"
_HANDED = "it would be handed on by `**`"
_SET = "it would become an attribute of that name, whether or not anything reads it"
_FATES = (_DROPPED, _HANDED, _SET)


def _named(found: Any) -> Iterator[str]:
    """The parameters that can be given by name, in their order."""
    for name, parameter in inspect.signature(found).parameters.items():
        if parameter.kind in _NAMED:
            yield name


def _deprecated(found: Any, names: Any) -> dict[str, str]:
    """Fields of a data class whose help begins by calling them deprecated, with that help."""
    if not dataclasses.is_dataclass(found):
        return {}
    helps = {field.name: str(field.metadata.get("help", "")) for field in dataclasses.fields(found)}
    return {
        name: " ".join(text.split())
        for name, text in helps.items()
        if name in names and text.lstrip("(*` ").lower().startswith("deprecated")
    }


def _aliases(found: Any) -> Iterator[str]:
    """Other names of its attributes, as configurations of transformers have: set by one, read by both."""
    other = getattr(found, "attribute_map", None)
    if isinstance(found, type) and isinstance(other, dict):
        yield from (name for name in other if isinstance(name, str))


def _takers(found: Any) -> Iterator[types.FunctionType]:
    """The functions through which a name goes that no parameter takes; none where it is refused."""
    if not isinstance(found, type):
        yield from filter(_takes_any, _unwrapped(found))
        return
    for kind in found.__mro__[:-1]:
        own = [
            function
            for word in ("__init__", "__post_init__")
            for function in _unwrapped(vars(kind).get(word))
        ]
        takers = [function for function in own if _takes_any(function)]
        yield from takers
        # The classes above get what is handed to them, and a data class calls their `__post_init__`.
        further = any(used(taker).above for taker in takers) or (takers and dataclasses.is_dataclass(kind))
        if "__init__" in vars(kind) and not further:
            return


def _unwrapped(function: Any) -> Iterator[types.FunctionType]:
    """A function and those that it wraps."""
    function = getattr(function, "__func__", function)
    while isinstance(function, types.FunctionType):
        yield function
        function = getattr(function, "__wrapped__", None)


def _takes_any(function: types.FunctionType) -> bool:
    return bool(function.__code__.co_flags & inspect.CO_VARKEYWORDS)


class Use(NamedTuple):
    """What a function does with the names that no parameter of it takes.

    Attributes:
        names: Those that it takes out by name: `kwargs.pop("device_map")`.
        fate: What becomes of the others.
        above: Whether it hands them to the class above it.
    """

    names: tuple[str, ...]
    fate: str
    above: bool


def used(function: types.FunctionType) -> Use:
    """Reads what a function does with its `**` parameter; of one without source nothing is known."""
    code = function.__code__
    own = code.co_varnames[
        code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    ]
    try:
        tree = ast.parse(textwrap.dedent("".join(inspect.getsourcelines(code)[0])))
    except (OSError, SyntaxError):
        return Use((), _DROPPED, above=False)
    names: list[str] = []
    handed = above = sets = False
    for node in ast.walk(tree):
        names.extend(_taken_out(node, own))
        if isinstance(node, ast.Call) and any(
            word.arg is None and _is(word.value, own) for word in node.keywords
        ):
            handed, above = True, above or _is_above(node)
        sets = sets or _sets(node, own)
    return Use(tuple(names), _SET if sets else _HANDED if handed else _DROPPED, above)


def _is(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def _taken_out(node: ast.AST, own: str) -> Iterator[str]:
    """`kwargs.pop("name")`, `kwargs.get("name")`, `kwargs["name"]`."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and _is(node.func.value, own):
        first = node.args[0] if node.args and node.func.attr in ("pop", "get") else None
    elif isinstance(node, ast.Subscript) and _is(node.value, own) and isinstance(node.ctx, ast.Load):
        first = node.slice
    else:
        return
    if isinstance(first, ast.Constant) and isinstance(first.value, str):
        yield first.value


def _is_above(call: ast.Call) -> bool:
    """`super().__init__(…)`."""
    function = call.func
    return (
        isinstance(function, ast.Attribute)
        and function.attr == "__init__"
        and isinstance(function.value, ast.Call)
        and _is(function.value.func, "super")
    )


def _sets(node: ast.AST, own: str) -> bool:
    """`for name, value in kwargs.items(): setattr(self, name, value)`, or `self.__dict__.update(kwargs)`."""
    if isinstance(node, ast.For) and any(_is(inner, own) for inner in ast.walk(node.iter)):
        return any(isinstance(inner, ast.Call) and _is(inner.func, "setattr") for inner in ast.walk(node))
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "update"
        and isinstance(node.func.value, ast.Attribute)
        and node.func.value.attr == "__dict__"
    )
