"""One number written in the manner of another: decimals, separators, sign, power of ten, suffix, clock."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor

from stilltrue.quantity.numerals import POWER, match_number
from stilltrue.quantity.show import fixed, magnitude, readable
from stilltrue.quantity.spans import about_ulp
from stilltrue.quantity.values import Form, Numeral, Sign, Stated

Rounding = Callable[[Fraction], int]

_MINUS = "−"
_GROUPED_FROM = 4
_MOST_DIGITS = 30
_EXPONENT = re.compile(
    r"(?P<lead>[eE]|\s?[×x·⋅*]\s?10(?:\^|\*\*)?)(?P<open>\{?)(?P<digits>[+\-−⁺⁻]?[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]+)(?P<rest>.*)\Z"
)
_SUPERSCRIPTS = str.maketrans("+-0123456789", "⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def rounding_of(stated: Stated) -> Rounding:
    """How a number is rounded so that what is written stays true: a bound to its safe side."""
    match stated.sign:
        case Sign.AT_LEAST:
            return floor
        case Sign.AT_MOST:
            return ceil
        case Sign.MORE_THAN:
            return lambda number: ceil(number) - 1
        case Sign.LESS_THAN:
            return lambda number: floor(number) + 1
    return round


def write_like(
    number: Fraction, numeral: Numeral, rounding: Rounding = round, decimals: int | None = None
) -> str:
    """`number`, in the unit of `numeral`, in its style; `decimals` overrides how many it has."""
    match = match_number(numeral.text)
    if match is None or match.re is POWER:
        return _power(number, match, rounding)
    if match["exp"] or match["braced"] or match["raised"] or match["super"]:
        return _scientific(number, numeral, match, rounding)
    if magnitude(number / numeral.ulp) > _MOST_DIGITS:
        return readable(number)
    if match["clock"]:
        return _clock(number, numeral, match, rounding)
    written = match["part"] or match["only"] or ""
    wanted = len(written) if decimals is None else decimals
    step = numeral.ulp * Fraction(10) ** (len(written) - wanted)
    scaled = rounding(number / step)
    digits = fixed(abs(scaled), wanted, _separator(match["whole"] or ""))
    if match["whole"] is None and digits.startswith("0."):
        digits = digits[1:]
    return _signed(scaled, match) + digits + (match["suffix"] or "")


def write_about(number: Fraction, numeral: Numeral) -> str:
    """`number` after `~`: as coarse as `numeral` is, where that still holds."""
    step = numeral.ulp if _EXPONENT.search(numeral.text) else about_ulp(numeral)
    while step > numeral.ulp:
        coarse = round(number / step) * step
        text = write_like(coarse, numeral)
        if abs(number - coarse) * 2 <= about_ulp(Numeral(text, coarse, numeral.ulp, numeral.whole)):
            return text
        step /= 10
    return write_like(number, numeral)


def decimals_of(numeral: Numeral) -> int:
    """How many decimals a number was written with; none of a power of ten."""
    match = match_number(numeral.text)
    return 0 if match is None or match.re is POWER else len(match["part"] or match["only"] or "")


def exact_decimals(number: Fraction, numeral: Numeral, most: int) -> int | None:
    """How many decimals, in the style of `numeral`, say `number` exactly; None beyond `most`."""
    match = match_number(numeral.text)
    if match is None or match.re is POWER or match["clock"] or _EXPONENT.search(numeral.text):
        return None
    written = len(match["part"] or match["only"] or "")
    for decimals in range(written, most + 1):
        if (number / numeral.ulp * 10 ** (decimals - written)).denominator == 1:
            return decimals
    return None


def _separator(whole: str) -> str:
    """What the author puts between thousands: a comma where the number was too short to show it."""
    own = next((sign for sign in whole if not sign.isdigit()), "")
    return own or ("" if len(whole) >= _GROUPED_FROM else ",")


def _signed(scaled: int, match: re.Match[str]) -> str:
    sign = match["sign"]
    money = match["money"] or ""
    if scaled < 0:
        return (_MINUS if sign == _MINUS else "-") + money
    return ("+" if sign == "+" else "") + money


def _clock(number: Fraction, numeral: Numeral, match: re.Match[str], rounding: Rounding) -> str:
    fields, _, part = match["clock"].partition(".")
    scaled = rounding(number / numeral.ulp)
    whole, rest = divmod(abs(scaled), 10 ** len(part))
    minutes, seconds = divmod(whole, 60)
    shown = f"{seconds:02d}" + (f".{rest:0{len(part)}d}" if part else "")
    pad = len(fields.partition(":")[0])
    if fields.count(":") == 1:
        return _signed(scaled, match) + f"{minutes:0{min(pad, 2)}d}:{shown}"
    hours, minutes = divmod(minutes, 60)
    return _signed(scaled, match) + f"{hours:0{min(pad, 2)}d}:{minutes:02d}:{shown}"


def _scientific(number: Fraction, numeral: Numeral, match: re.Match[str], rounding: Rounding) -> str:
    """A mantissa with as many digits as the author's, and the power of ten that this takes."""
    tail = _EXPONENT.search(match[0])
    if tail is None:
        return match[0]
    whole = len((match["whole"] or "0").replace(",", ""))
    decimals = len(match["part"] or match["only"] or "")
    own = _exponent_of(match)
    unit = numeral.ulp / Fraction(10) ** (own - decimals)
    scaled, exponent = rounding(Fraction(0)), own - decimals
    if number:
        scaled, exponent = _mantissa(number / unit, whole + decimals, rounding)
    body = _signed(scaled, match) + fixed(abs(scaled), decimals)
    return body + _exponent_like(exponent + decimals, tail)


def _mantissa(number: Fraction, digits: int, rounding: Rounding) -> tuple[int, int]:
    """A whole number of `digits` digits and a power of ten whose product is `number`, rounded.

    Rounding may add a digit (9.96 to 10.0) or lose one (a bound just below 1.0): the power moves then.
    """
    exponent = magnitude(number) - digits + 1
    scaled = rounding(number / Fraction(10) ** exponent)
    if not 10 ** (digits - 1) <= abs(scaled) < 10**digits:
        exponent += 1 if abs(scaled) >= 10**digits else -1
        scaled = rounding(number / Fraction(10) ** exponent)
    return scaled, exponent


def _exponent_of(match: re.Match[str]) -> int:
    written = match["exp"] or match["braced"] or match["raised"] or match["super"] or "0"
    return int(written.translate(str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "+-0123456789-")))


def _exponent_like(exponent: int, tail: re.Match[str]) -> str:
    own = tail["digits"]
    plus = "+" if own[0] in "+⁺" and exponent >= 0 else ""
    width = len(own.lstrip("+-−⁺⁻")) if own.lstrip("+-−").startswith("0") else 1
    digits = f"{'-' if exponent < 0 else plus}{abs(exponent):0{width}d}"
    if own.strip("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹") == "":
        digits = digits.translate(_SUPERSCRIPTS)
    elif _MINUS in own:
        digits = digits.replace("-", _MINUS)
    rest = tail["rest"]
    return f"{tail['lead']}{tail['open']}{digits}{rest}"


def _power(number: Fraction, match: re.Match[str] | None, rounding: Rounding) -> str:
    """`10^18` has no mantissa; another number gets one digit."""
    if not number:
        return "0"
    exponent = magnitude(number)
    digit = rounding(number / Fraction(10) ** exponent)
    if abs(digit) == 10:  # 9.6 rounds to the next power
        digit, exponent = digit // 10, exponent + 1
    power = f"10^{exponent}"
    return power if digit == 1 and match is not None else f"{digit} × {power}"


def stated_text(number: Fraction, stated: Stated, numeral: Numeral, decimals: int | None) -> str:
    """One numeral of a stated value, rewritten for `number`."""
    if stated.form is Form.ABOUT and decimals is None:
        return write_about(number, numeral)
    return write_like(number, numeral, rounding_of(stated), decimals)
