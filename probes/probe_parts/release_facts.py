"""What the source of a transformers release says of its defaults, found in its syntax tree; no probe itself.

Each finder looks for one shape of code and says so when the shape is not there: a default that moved to
another function must not read as a default that is gone.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from probe_parts.wheels import MissingError, Wheel

Default = str | int | bool | None
"""What a default is; None where the release does not have it."""

MODELS = "transformers/modeling_utils.py"
ARGUMENTS = "transformers/training_args.py"
SDPA = "transformers/integrations/sdpa_attention.py"


@dataclass(frozen=True, slots=True)
class Fact:
    """One default.

    Attributes:
        name: Its name in the document.
        member: The module in the wheel that it stands in.
        find: Takes it out of that module's tree; raises MissingError where it is not there.
    """

    name: str
    member: str
    find: Callable[[ast.Module], Default]

    def of(self, wheel: Wheel) -> Default:
        """The default in one release.

        Raises:
            MissingError: It is not there.
        """
        return self.find(wheel.module(self.member))


def function(tree: ast.Module, name: str) -> ast.FunctionDef:
    """The one function, or method, of that name.

    Raises:
        MissingError: There is none, or there are several.
    """
    found = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    if len(found) != 1:
        raise MissingError(f"there are {len(found)} functions `{name}`")
    return found[0]


def the_one(found: Iterator[Default], what: str) -> Default:
    """The value that all agree on.

    Raises:
        MissingError: There is none, or they differ.
    """
    values = list(dict.fromkeys(found))
    if len(values) != 1:
        raise MissingError(f"there are {len(values)} values of {what}")
    return values[0]


def is_none(test: ast.expr) -> bool:
    """Whether an expression asks if a name is None."""
    return (
        isinstance(test, ast.Compare)
        and isinstance(test.left, ast.Name)
        and isinstance(test.ops[0], ast.Is)
        and isinstance(test.comparators[0], ast.Constant)
        and test.comparators[0].value is None
    )


def constant(node: ast.expr) -> Iterator[str | int | bool]:
    """The text, number or yes/no that an expression is, if it is one."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str | int | bool):
        yield node.value


def when_nothing_is_asked(name: str) -> Callable[[ast.Module], Default]:
    """Of `x = "default" if asked is None else asked` in the function `name`: the default."""

    def find(tree: ast.Module) -> Default:
        chosen = [node for node in ast.walk(function(tree, name)) if isinstance(node, ast.IfExp)]
        return the_one(
            (value for node in chosen if is_none(node.test) for value in constant(node.body)),
            f"a default in `{name}`",
        )

    return find


def filled_in(inside: str, variable: str) -> Callable[[ast.Module], Default]:
    """Of `if variable is None: variable = "default"` in the function `inside`: the default."""

    def find(tree: ast.Module) -> Default:
        tests = [node for node in ast.walk(function(tree, inside)) if isinstance(node, ast.If)]
        bodies = [node.body for node in tests if is_none(node.test) and names(node.test) == {variable}]
        return the_one(
            (
                value
                for body in bodies
                for line in body
                if isinstance(line, ast.Assign) and names(line.targets[0]) == {variable}
                for value in constant(line.value)
            ),
            f"`{variable}` for None in `{inside}`",
        )

    return find


def names(node: ast.expr) -> set[str]:
    """Names in an expression."""
    return {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}


def reentrant(tree: ast.Module) -> Default:
    """Of `if kwargs is None: kwargs = {"use_reentrant": …}`: the value, anywhere in the module."""
    tests = [node for node in ast.walk(tree) if isinstance(node, ast.If) and is_none(node.test)]
    tables = [
        line.value
        for test in tests
        for line in test.body
        if isinstance(line, ast.Assign) and isinstance(line.value, ast.Dict)
    ]
    return the_one(
        (
            value
            for table in tables
            for key, item in zip(table.keys, table.values, strict=True)
            if isinstance(key, ast.Constant) and key.value == "use_reentrant"
            for value in constant(item)
        ),
        "`use_reentrant` for None",
    )


def widest_grouped_head(tree: ast.Module) -> Default:
    """Of `… <= 256` in `use_gqa_in_sdpa`: the bound on the head size."""
    comparisons = [
        node for node in ast.walk(function(tree, "use_gqa_in_sdpa")) if isinstance(node, ast.Compare)
    ]
    return the_one(
        (
            value
            for node in comparisons
            if isinstance(node.ops[-1], ast.LtE)
            for value in constant(node.comparators[-1])
        ),
        "a bound on the head size in `use_gqa_in_sdpa`",
    )


def arguments(tree: ast.Module) -> dict[str, ast.AnnAssign]:
    """The parameters of `TrainingArguments`, a dataclass, in their order.

    Raises:
        MissingError: There is no such class, it has no fields, or it inherits some.
    """
    found = [
        node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "TrainingArguments"
    ]
    if len(found) != 1:
        raise MissingError(f"there are {len(found)} classes `TrainingArguments`")
    if found[0].bases:
        raise MissingError(f"`TrainingArguments` inherits from `{written(found[0].bases[0])}`")
    fields = {
        line.target.id: line
        for line in found[0].body
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name) and is_parameter(line)
    }
    if not fields:
        raise MissingError("`TrainingArguments` has no fields")
    return fields


def is_parameter(field: ast.AnnAssign) -> bool:
    """Whether a field of a dataclass is an argument of its constructor."""
    if "ClassVar" in written(field.annotation):
        return False
    made = field.value.keywords if isinstance(field.value, ast.Call) else []
    return not any(key.arg == "init" and False in list(constant(key.value)) for key in made)


def written(node: ast.expr) -> str:
    """An expression as source.

    Raises:
        MissingError: It is nested too deep.
    """
    try:
        return ast.unparse(node)
    except RecursionError:
        raise MissingError(f"line {node.lineno} is nested too deep to be read") from None


def annotation(name: str) -> Callable[[ast.Module], Default]:
    """The type that `TrainingArguments` gives one of its parameters, as written."""

    def find(tree: ast.Module) -> Default:
        fields = arguments(tree)
        if name not in fields:
            raise MissingError(f"`TrainingArguments` has no `{name}`")
        return written(fields[name].annotation)

    return find


FACTS = (
    Fact("attention", MODELS, when_nothing_is_asked("get_correct_attn_implementation")),
    Fact("experts", MODELS, when_nothing_is_asked("get_correct_experts_implementation")),
    Fact("use_reentrant", MODELS, reentrant),
    Fact("dtype", MODELS, filled_in("from_pretrained", "dtype")),
    Fact("warmup_steps", ARGUMENTS, annotation("warmup_steps")),
    Fact("widest_grouped_head", SDPA, widest_grouped_head),
)
"""The defaults that are read from each release."""
