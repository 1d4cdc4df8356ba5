"""Arithmetic over found values: `derive: "{attention-time} / {device-time}"`."""

from stilltrue.derive.evaluate import Operand, evaluate
from stilltrue.derive.expression import FUNCTIONS, Expression
from stilltrue.derive.parse import parse

__all__ = ["FUNCTIONS", "Expression", "Operand", "evaluate", "parse"]
