"""An expression and its operands to what is found.

Every node is evaluated at all combinations of its operands' ends at once: a column of exact numbers, one
per combination. An operand has one value however often it occurs, so `A / (A + B)` is as narrow as it
should be, and the result is the interval over all columns.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from decimal import Context, Decimal, DecimalException
from fractions import Fraction
from typing import NamedTuple, Never

from stilltrue.derive.expression import COMPARISONS, Binary, Call, Expression, Literal, Name, Negative, Node
from stilltrue.errors import InputError
from stilltrue.model import Found
from stilltrue.quantity import BARE, Flag, Quantity, Unit, divide, multiply, power, same_dimension

MOST_INTERVALS = 12
"""How many operands may be intervals: all combinations of their ends are tried."""

LARGEST_BITS = 20_000
"""How large an intermediate number may grow: far beyond any measurement, far below what takes time."""

LARGEST_EXPONENT = 6_000
"""The same bound as a power of ten."""

DIGITS = 60
"""To how many digits roots and logarithms are computed, which are the only inexact steps."""

_CONTEXT = Context(prec=DIGITS, Emax=10**9, Emin=-(10**9))


class Operand(NamedTuple):
    """What an operand was found to be: one exact value, or the interval that its digits leave open."""

    low: Quantity
    high: Quantity


class _Column(NamedTuple):
    """A node's numbers at every combination of ends, in one unit; flags are 0 and 1."""

    numbers: list[Fraction]
    unit: Unit
    flag: bool = False


def evaluate(expression: Expression, operands: Mapping[str, Operand]) -> Found:
    """What the expression comes to.

    Args:
        expression: A parsed `derive`.
        operands: A value for each of `expression.operands`.

    Returns:
        A quantity, an interval of quantities, or a flag. `rounds` is set: a whole stated number may be a
        derived one rounded.

    Raises:
        InputError: `bad-derive` or `open-interval`: dimensions do not fit, a division by zero, a result
            that is no real number, or a comparison that its interval leaves open.
    """
    column = _Evaluator(expression, operands).column(expression.root)
    low, high = min(column.numbers), max(column.numbers)
    if column.flag:
        if low != high:
            raise InputError(
                "open-interval",
                "the digits of the operands leave this comparison open",
                "compare values that differ by more than their rounding, or find more digits",
            )
        return Found(Flag(bool(low)), Flag(bool(low)), rounds=True)
    return Found(Quantity(low, column.unit), Quantity(high, column.unit), rounds=True)


class _Evaluator:
    def __init__(self, expression: Expression, operands: Mapping[str, Operand]) -> None:
        self.operands = operands
        open_names = [n for n in expression.operands if operands[n].low != operands[n].high]
        if len(open_names) > MOST_INTERVALS:
            _fail(
                f"{len(open_names)} operands are intervals, at most {MOST_INTERVALS} can be combined",
                "derive an intermediate claim first",
            )
        self.bit = {name: 1 << place for place, name in enumerate(open_names)}
        self.width = 1 << len(open_names)

    def column(self, node: Node) -> _Column:
        match node:
            case Literal(value):
                return _Column([value.number] * self.width, value.unit)
            case Name(name):
                return self._operand(name)
            case Negative(operand):
                inner = self._number(operand)
                return _Column([-n for n in inner.numbers], inner.unit)
            case Binary(sign, left, right) if sign in COMPARISONS:
                return self._compare(sign, self._number(left), self._number(right))
            case Binary(sign, left, right):
                return _ARITHMETIC[sign](self._number(left), self._number(right))
            case Call(function, arguments):
                return _FUNCTIONS[function]([self._number(argument) for argument in arguments])

    def _operand(self, name: str) -> _Column:
        low, high = self.operands[name]
        bit = self.bit.get(name, 0)
        ends = (low.number, high.to(low.unit))
        return _Column([ends[bool(at & bit)] for at in range(self.width)], low.unit)

    def _number(self, node: Node) -> _Column:
        column = self.column(node)
        if column.flag:
            _fail("a comparison gives yes or no and cannot be reckoned with", "compare last")
        return column

    def _compare(self, sign: str, left: _Column, right: _Column) -> _Column:
        other = _in_unit(right, left, f"`{sign}` compares")
        apart = [a - b for a, b in zip(left.numbers, other, strict=True)]
        # The difference may be anything between its ends, so 0 is tried too when it lies between them.
        ends = {min(apart), max(apart)} | ({Fraction(0)} if min(apart) < 0 < max(apart) else set())
        outcomes = [Fraction(_COMPARE[sign](end)) for end in ends]
        return _Column(outcomes, BARE, flag=True)


def _fail(message: str, hint: str) -> Never:
    raise InputError("bad-derive", f"`derive`: {message}", hint)


def _in_unit(column: _Column, like: _Column, doing: str) -> list[Fraction]:
    """The numbers of `column` in the unit of `like`, whose dimension must be the same."""
    if not same_dimension(column.unit, like.unit):
        _fail(
            f"{doing} {_named(like.unit)} and {_named(column.unit)}, which are different dimensions",
            "convert one of them, or mend its `unit`",
        )
    factor = column.unit.scale / like.unit.scale
    return column.numbers if factor == 1 else [n * factor for n in column.numbers]


def _named(unit: Unit) -> str:
    return f"`{unit.symbol}`" if unit.symbol else "a bare number"


def _sized(numbers: list[Fraction]) -> list[Fraction]:
    """The numbers, refused when they have grown beyond anything that was measured."""
    for n in numbers:
        if max(n.numerator.bit_length(), n.denominator.bit_length()) > LARGEST_BITS:
            _fail("a number in it grows too large", "check the exponents")
    return numbers


# Arithmetic --------------------------------------------------------------------------------------------


def _add(left: _Column, right: _Column) -> _Column:
    other = _in_unit(right, left, "`+` adds")
    return _Column([a + b for a, b in zip(left.numbers, other, strict=True)], left.unit)


def _subtract(left: _Column, right: _Column) -> _Column:
    other = _in_unit(right, left, "`-` subtracts")
    return _Column([a - b for a, b in zip(left.numbers, other, strict=True)], left.unit)


def _multiply(left: _Column, right: _Column) -> _Column:
    numbers = [a * b for a, b in zip(left.numbers, right.numbers, strict=True)]
    return _Column(_sized(numbers), multiply(left.unit, right.unit))


def _divide(left: _Column, right: _Column) -> _Column:
    low, high = min(right.numbers), max(right.numbers)
    if low <= 0 <= high:
        what = "is 0" if low == high else "may be 0, as its digits leave open"
        _fail(f"a divisor {what}", "derive it without that division")
    numbers = [a / b for a, b in zip(left.numbers, right.numbers, strict=True)]
    return _Column(_sized(numbers), divide(left.unit, right.unit))


def _power(left: _Column, right: _Column) -> _Column:
    if right.unit.dimension:
        _fail(f"an exponent has the unit {_named(right.unit)}", "use a pure number")
    exponents = {n * right.unit.scale for n in right.numbers}
    if len(exponents) > 1:
        _fail("an exponent is an interval", "use an exact exponent")
    exponent = exponents.pop()
    unit = power(left.unit, exponent) if left.unit.dimension else BARE
    bases = left.numbers if left.unit.dimension else [n * left.unit.scale for n in left.numbers]
    if exponent.numerator % 2 == 0:
        bases = _folded(bases)
    return _Column(_sized([_raised(base, exponent) for base in bases]), unit)


def _raised(base: Fraction, exponent: Fraction) -> Fraction:
    if base == 0 and exponent <= 0:
        _fail("0 cannot be raised to a power of 0 or less", "derive it without that power")
    if exponent.denominator != 1:
        return _inexact(lambda x: _CONTEXT.power(x, _decimal(exponent)), base, "a broken power")
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(exponent) > LARGEST_BITS:
        _fail("a number in it grows too large", "check the exponents")
    return base ** int(exponent)


_ARITHMETIC: dict[str, Callable[[_Column, _Column], _Column]] = {
    "+": _add,
    "-": _subtract,
    "*": _multiply,
    "/": _divide,
    "**": _power,
}

_COMPARE: dict[str, Callable[[Fraction], bool]] = {
    "<": lambda apart: apart < 0,
    "<=": lambda apart: apart <= 0,
    ">": lambda apart: apart > 0,
    ">=": lambda apart: apart >= 0,
    "==": lambda apart: apart == 0,
    "!=": lambda apart: apart != 0,
}
"""The comparisons, by how far the left side is above the right one."""


# Functions ---------------------------------------------------------------------------------------------


def _decimal(number: Fraction) -> Decimal:
    return _CONTEXT.divide(Decimal(number.numerator), Decimal(number.denominator))


def _inexact(compute: Callable[[Decimal], Decimal], number: Fraction, what: str) -> Fraction:
    if number < 0:
        _fail(f"{what} of a negative number is no real number", "check the sign")
    try:
        result = compute(_decimal(number))
    except DecimalException:
        _fail(f"{what} of `{_decimal(number):.4g}` cannot be computed", "check the operands")
    if result and abs(result.adjusted()) > LARGEST_EXPONENT:
        _fail("a number in it grows too large", "check the exponents")
    return Fraction(result)


def _sqrt(arguments: list[_Column]) -> _Column:
    (column,) = arguments
    pure = not column.unit.dimension
    unit = BARE if pure else power(column.unit, Fraction(1, 2))
    # The unit's scale is rooted with the number where the root of the unit is not exact.
    inner = column.unit.scale / (unit.scale * unit.scale)
    return _Column([_root(n * inner) for n in column.numbers], unit)


def _root(number: Fraction) -> Fraction:
    if number >= 0:
        top, bottom = math.isqrt(number.numerator), math.isqrt(number.denominator)
        if top * top == number.numerator and bottom * bottom == number.denominator:
            return Fraction(top, bottom)
    return _inexact(_CONTEXT.sqrt, number, "the square root")


def _log2(arguments: list[_Column]) -> _Column:
    ln2 = _CONTEXT.ln(Decimal(2))
    return _log(arguments, "log2", lambda x: _CONTEXT.divide(_CONTEXT.ln(x), ln2), 2)


def _log10(arguments: list[_Column]) -> _Column:
    return _log(arguments, "log10", _CONTEXT.log10, 10)


def _log(arguments: list[_Column], name: str, compute: Callable[[Decimal], Decimal], base: int) -> _Column:
    (column,) = arguments
    if column.unit.dimension:
        _fail(f"`{name}` of {_named(column.unit)}", "divide by a value of the same dimension first")
    numbers = [n * column.unit.scale for n in column.numbers]
    if min(numbers) <= 0:
        _fail(f"`{name}` of a number that is not positive", "check the operands")
    return _Column([_exact_log(n, base) or _inexact(compute, n, f"`{name}`") for n in numbers], BARE)


def _exact_log(number: Fraction, base: int) -> Fraction | None:
    """The logarithm where it is a whole number other than 0, so that `log2(1024)` is exactly 10."""
    top, bottom = number.numerator, number.denominator
    if 1 not in (top, bottom):
        return None
    whole = max(top, bottom)
    exponent = round(math.log(whole, base))
    if base**exponent != whole:
        return None
    return Fraction(exponent if bottom == 1 else -exponent)


def _absolute(arguments: list[_Column]) -> _Column:
    (column,) = arguments
    return _Column(_folded(column.numbers), column.unit)


def _folded(numbers: list[Fraction]) -> list[Fraction]:
    """The absolute values; where the ends have both signs, the lesser side reaches down to 0."""
    low, high = min(numbers), max(numbers)
    if not low < 0 < high:
        return [abs(n) for n in numbers]
    lesser = -1 if -low <= high else 1
    return [Fraction(0) if n * lesser > 0 else abs(n) for n in numbers]


def _extreme(
    choose: Callable[[tuple[Fraction, ...]], Fraction], name: str
) -> Callable[[list[_Column]], _Column]:
    def extreme(arguments: list[_Column]) -> _Column:
        first = arguments[0]
        rows = [_in_unit(column, first, f"`{name}` compares") for column in arguments]
        return _Column([choose(values) for values in zip(*rows, strict=True)], first.unit)

    return extreme


_FUNCTIONS: dict[str, Callable[[list[_Column]], _Column]] = {
    "sqrt": _sqrt,
    "log2": _log2,
    "log10": _log10,
    "abs": _absolute,
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
}
