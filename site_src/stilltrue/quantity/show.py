"""Numbers and values as plain text, for reports and JSON."""

from __future__ import annotations

from fractions import Fraction

from stilltrue.quantity.values import Flag, Items, Quantity, Value

_SIGNIFICANT = 12
_LONGEST = 40
_MOST_PLACES = 400
_BEFORE = frozenset("$€£¥₹")
_ATTACHED = frozenset({"x", "X", "×"})


def decimal_text(number: Fraction) -> str:
    """A number as a decimal string: exact where it ends within 40 digits, else 12 significant digits.

    A power of ten (`1.28e41`) only where 40 digits would not do; never a thousands separator.
    """
    size = magnitude(number)
    if -_LONGEST < size < _LONGEST:
        exact = exact_decimal(number)
        if exact is not None and len(exact) <= _LONGEST:
            return exact
    digits, exponent = significant(abs(number), _SIGNIFICANT)
    if not -_LONGEST // 2 <= exponent < _LONGEST:
        return _with_power(number, digits, exponent)
    return ("-" if number < 0 else "") + _placed(digits, exponent)


def magnitude(number: Fraction) -> int:
    """The power of ten of a number's first digit, 0 for 0; cheap for numbers of any length."""
    if not number:
        return 0
    size = abs(number)
    exponent = (size.numerator.bit_length() - size.denominator.bit_length()) * 30103 // 100000
    while size < Fraction(10) ** exponent:
        exponent -= 1
    while size >= Fraction(10) ** (exponent + 1):
        exponent += 1
    return exponent


def exact_decimal(number: Fraction) -> str | None:
    """A number's finite decimal expansion, None where it has none of at most 400 places."""
    denominator = number.denominator
    twos = (denominator & -denominator).bit_length() - 1
    denominator >>= twos
    fives = 0
    while denominator % 5 == 0 and fives <= _MOST_PLACES:
        denominator //= 5
        fives += 1
    decimals = max(twos, fives)
    if denominator != 1 or decimals > _MOST_PLACES:
        return None
    scaled = abs(number.numerator) * 10**decimals // number.denominator
    return ("-" if number < 0 else "") + fixed(scaled, decimals)


def fixed(scaled: int, decimals: int, separator: str = "") -> str:
    """`scaled / 10**decimals` with that many decimals: `fixed(228358, 1, ",")` is `22,835.8`."""
    digits = str(scaled).rjust(decimals + 1, "0")
    whole, part = (digits[:-decimals], digits[-decimals:]) if decimals else (digits, "")
    if separator:
        whole = f"{int(whole):,}".replace(",", separator)
    return f"{whole}.{part}" if part else whole


def significant(number: Fraction, digits: int) -> tuple[str, int]:
    """A number of at least 0 as its leading digits, rounded, and the power of ten of the first one."""
    exponent = magnitude(number)
    leading = round(number / Fraction(10) ** (exponent - digits + 1))
    if leading >= 10**digits:
        leading, exponent = leading // 10, exponent + 1
    return str(leading).rjust(digits, "0"), exponent


def show_value(value: Value) -> str:
    """A value in its own unit, readable: `22,931.2 ms`, `66.1 %`, `2.4x`, `$39.6`, `yes`, `5/11/17`."""
    if isinstance(value, Quantity):
        return _with_unit(readable(value.number), value.unit.symbol)
    if isinstance(value, Flag):
        return "yes" if value.yes else "no"
    if isinstance(value, Items):
        shown = [show_value(item) for item in value.items[:50]]
        return "/".join([*shown, "…"] if len(value.items) > len(shown) else shown)
    return value.text


def readable(number: Fraction) -> str:
    """A number with commas between thousands, and a power of ten where it is very large or very small."""
    digits, exponent = significant(abs(number), _SIGNIFICANT)
    if number and not -5 <= exponent < 15:  # what people still read at a glance
        return _with_power(number, digits, exponent)
    whole, _, part = decimal_text(abs(number)).partition(".")
    sign = "-" if number < 0 else ""
    return f"{sign}{int(whole):,}.{part}" if part else f"{sign}{int(whole):,}"


def _with_power(number: Fraction, digits: str, exponent: int) -> str:
    tail = digits[1:].rstrip("0")
    return f"{'-' if number < 0 else ''}{digits[0]}{'.' + tail if tail else ''}e{exponent}"


def _with_unit(number: str, symbol: str) -> str:
    if not symbol:
        return number
    if symbol[0] in _BEFORE:
        sign = "-" if number.startswith("-") else ""
        return f"{sign}{symbol[0]}{number.lstrip('-')}{symbol[1:]}"
    return f"{number}{symbol}" if symbol in _ATTACHED or symbol.startswith("/") else f"{number} {symbol}"


def _placed(digits: str, exponent: int) -> str:
    """Digits with the point where `exponent` puts it, trailing zeros of a fraction dropped."""
    if exponent < 0:
        return ("0." + "0" * (-exponent - 1) + digits).rstrip("0")
    if exponent >= len(digits) - 1:
        return digits + "0" * (exponent - len(digits) + 1)
    return f"{digits[: exponent + 1]}.{digits[exponent + 1 :]}".rstrip("0").rstrip(".")
