"""What an expression is made of: a small tree of frozen nodes, and nothing that could reach further."""

from __future__ import annotations

from dataclasses import dataclass

from stilltrue.quantity import Quantity

FUNCTIONS: dict[str, str] = {
    "sqrt": "square root; the unit's exponents must be even",
    "log2": "logarithm to base 2 of a pure number",
    "log10": "logarithm to base 10 of a pure number",
    "abs": "absolute value",
    "min": "the smallest of one or more values of one dimension",
    "max": "the largest of one or more values of one dimension",
}
"""The functions that an expression may call, with what they do."""

COMPARISONS = ("<=", ">=", "==", "!=", "<", ">")
"""The comparisons, which give yes or no."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number written in the expression, exact: `24 USD/h`."""

    value: Quantity


@dataclass(frozen=True, slots=True)
class Name:
    """An operand: a claim's id, or the name of a read."""

    name: str


@dataclass(frozen=True, slots=True)
class Negative:
    """`-x`."""

    operand: Node


@dataclass(frozen=True, slots=True)
class Binary:
    """`left sign right`, the sign being an arithmetic one or a comparison."""

    sign: str
    left: Node
    right: Node


@dataclass(frozen=True, slots=True)
class Call:
    """`function(arguments)`."""

    function: str
    arguments: tuple[Node, ...]


Node = Literal | Name | Negative | Binary | Call


@dataclass(frozen=True, slots=True)
class Expression:
    """A parsed `derive`.

    Attributes:
        text: As written.
        root: Its tree.
        operands: The names in it, each once, in the order of their first use.
    """

    text: str
    root: Node
    operands: tuple[str, ...]
