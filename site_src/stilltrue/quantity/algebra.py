"""Arithmetic of units: whether two can be compared, and what their products, quotients and powers are."""

from __future__ import annotations

import re
from fractions import Fraction

from stilltrue.errors import InputError
from stilltrue.quantity.unit_table import MEASURES
from stilltrue.quantity.units import dimension_of, is_noun
from stilltrue.quantity.values import BARE, Dimension, Unit

_FACTOR = re.compile(r"(.*?)(?:\^(-?\d+))?")
_MAX_POWER = 64


def same_dimension(a: Unit, b: Unit) -> bool:
    """Whether quantities in `a` and `b` can be compared.

    What is measured must be the same (time, bytes, energy, money, …). Nouns of things counted are not
    compared: a bare `7104`, `7,104 sequences` and `7104 tokens` are alike, as are `tok/s` and `1/s`. But
    rates of different things are not: `tok/s` is no `req/s`.
    """
    if a.dimension == b.dimension:
        return True
    measured = _measured(a.dimension)
    if measured != _measured(b.dimension):
        return False
    counted, other = _counted(a.dimension), _counted(b.dimension)
    return not measured or not counted or not other or not counted.isdisjoint(other)


def multiply(a: Unit, b: Unit) -> Unit:
    """The unit of a product: `USD/h` and `h` give `USD`."""
    return _combined(a, b, 1)


def divide(a: Unit, b: Unit) -> Unit:
    """The unit of a quotient: `token` and `s` give `token/s`; a unit and itself give the bare number."""
    return _combined(a, b, -1)


def power(a: Unit, n: Fraction) -> Unit:
    """The unit of a power; `n` may be a fraction where all exponents stay whole (`sqrt` of `s^2`).

    Raises:
        InputError: `bad-unit`: an exponent would not be a whole number, or is beyond 64.
    """
    if a.dimension == () and a.scale == 1:
        return BARE
    exponents = [(base, exponent * n) for base, exponent in a.dimension]
    factors = {name: exponent * n for name, exponent in _factors(a).items()}
    whole = all(exponent.denominator == 1 for _, exponent in exponents)
    root = _exact_power(a.scale, n)
    if not whole or root is None or any(abs(e) > _MAX_POWER for _, e in exponents):
        raise InputError(
            "bad-unit",
            f"`{a.symbol or '1'}` to the power of {n} is no unit",
            "bring it to a plain number first",
        )
    dimension = dimension_of({base: int(exponent) for base, exponent in exponents})
    return _named(factors, root, dimension)


def _measured(dimension: Dimension) -> Dimension:
    return tuple(pair for pair in dimension if pair[0] in MEASURES)


def _counted(dimension: Dimension) -> frozenset[str]:
    return frozenset(base for base, _ in dimension if base not in MEASURES)


def _combined(a: Unit, b: Unit, sign: int) -> Unit:
    if _is_plain(b):
        return BARE if _is_plain(a) else a
    if _is_plain(a) and sign > 0:
        return b
    powers = dict(a.dimension)
    for base, exponent in b.dimension:
        powers[base] = powers.get(base, 0) + sign * exponent
    factors = _factors(a)
    for name, times in _factors(b).items():
        factors[name] = factors.get(name, Fraction(0)) + sign * times
    return _named(factors, a.scale * b.scale**sign, dimension_of(powers))


def _is_plain(unit: Unit) -> bool:
    return unit.dimension == () and unit.scale == 1


def _named(factors: dict[str, Fraction], scale: Fraction, dimension: Dimension) -> Unit:
    if not dimension and scale == 1:
        return BARE
    above = [_written(name, e) for name, e in factors.items() if e > 0]
    below = [_written(name, -e) for name, e in factors.items() if e < 0]
    symbol = "/".join(["·".join(above) or "1", *below]) if below else "·".join(above)
    return Unit(symbol, scale, dimension, is_noun(scale, dimension))


def _written(name: str, exponent: Fraction) -> str:
    return name if exponent == 1 else f"{name}^{exponent}"


def _factors(unit: Unit) -> dict[str, Fraction]:
    """The names of a symbol with their exponents: `s/token^2` is `s` to 1 and `token` to -2."""
    factors: dict[str, Fraction] = {}
    if _is_plain(unit):
        return factors
    for index, part in enumerate(re.split(r"\s*/\s*|\s+per\s+", unit.symbol)):
        for factor in re.split(r"\s*[·⋅*]\s*|[- ]", part):
            match = _FACTOR.fullmatch(factor)
            if match and match[1] and match[1] != "1":
                exponent = Fraction(match[2] or 1) * (-1 if index else 1)
                factors[match[1]] = factors.get(match[1], Fraction(0)) + exponent
    return factors


def _exact_power(scale: Fraction, n: Fraction) -> Fraction | None:
    """`scale ** n` where that is rational, else None."""
    if abs(n) > _MAX_POWER:
        return None
    root = _root(scale.numerator, n.denominator), _root(scale.denominator, n.denominator)
    if root[0] is None or root[1] is None:
        return None
    return Fraction(root[0], root[1]) ** n.numerator


def _root(number: int, degree: int) -> int | None:
    """The whole root of a positive whole number, None where it has none."""
    if degree == 1 or number == 1:
        return number
    low, high = 1, 1 << (number.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**degree < number else (low, middle)
    return low if low**degree == number else None
