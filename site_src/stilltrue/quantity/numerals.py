"""Numbers as people write them, read exactly: separators, signs, powers of ten, suffixes, clock times."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from stilltrue.errors import InputError
from stilltrue.quantity.unit_table import SUFFIXES
from stilltrue.quantity.values import Numeral

MAX_DIGITS = 1000
"""More digits than this are no measurement, and their arithmetic would cost more than any check should."""

MAX_EXPONENT = 400
"""Beyond the range of a binary float (10^308) no tool writes a number."""

_GROUP = "[0-9]{3}"
_GROUPED = rf"(?:(?:,{_GROUP}){{1,340}}|(?:_{_GROUP}){{1,340}}|(?:[ \u00a0\u202f\u2009]{_GROUP}){{1,340}})"
_WHOLE = rf"(?:[1-9][0-9]{{0,2}}{_GROUPED}(?![0-9])|[0-9]+)"
_SUPER = "[⁰¹²³⁴⁵⁶⁷⁸⁹]"
_TEN = (
    r"10(?:(?:\^|\*\*)(?:\{(?P<braced>[+\-−]?[0-9]+)\}|(?P<raised>[+\-−]?[0-9]+))"
    rf"|(?P<super>[⁺⁻]?{_SUPER}+))"
)
_WORDS = "|".join(word for word in SUFFIXES if len(word) > 1)

NUMBER = re.compile(
    r"(?P<sign>[+\-−]?)(?P<money>(?:US)?\$|[€£¥₹])?"
    rf"(?:(?P<clock>[0-9]+(?::[0-5][0-9]){{1,2}}(?:\.[0-9]+)?)(?![0-9:])"
    rf"|(?:(?P<whole>{_WHOLE})(?:\.(?P<part>[0-9]+))?|\.(?P<only>[0-9]+))"
    rf"(?:[eE](?P<exp>[+\-−]?[0-9]+)|\s?[×x·⋅*]\s?{_TEN})?"
    rf"(?P<suffix>\s?(?:[kKMT](?![\w·^])|B(?![\w·^/]))|\s?(?:{_WORDS})\b)?)"
)
"""A number from its sign to its suffix, at a place in a text."""

POWER = re.compile(rf"(?P<sign>[+\-−]?){_TEN}(?![\w.])")
"""A power of ten without a mantissa: `10^18`."""

_SUPERSCRIPTS = str.maketrans("⁺⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "+-0123456789-")
_SEPARATORS = str.maketrans("", "", ",_ \u00a0\u202f\u2009")


def read_number(text: str, start: int = 0) -> tuple[Numeral, re.Match[str]] | None:
    """The number that begins at `start`, None where none does.

    Returns:
        The numeral (a clock time in seconds) and the match: its groups `money`, `clock` and `suffix` say
        what was written beside the digits.

    Raises:
        InputError: `bad-value`: more than 1000 digits, or an exponent beyond 400.
    """
    match = match_number(text, start)
    if match is None:
        return None
    limit_digits(match.end() - start)
    groups = match.groupdict()
    if groups.get("clock"):
        return _clock(match), match
    digits = groups.get("whole") or ""
    part = groups.get("part") or groups.get("only") or ""
    exponent = _exponent(groups)
    suffix = (groups.get("suffix") or "").strip()
    mantissa = (digits.translate(_SEPARATORS) + part) or "1"
    ulp = _ulp(len(part), exponent, suffix)
    number = int(mantissa) * ulp
    whole = not part and exponent is None and not suffix and not groups.get("only")
    signed = -number if match["sign"] in {"-", "−"} else number
    return Numeral(match[0], signed, ulp, whole), match


def match_number(text: str, start: int = 0) -> re.Match[str] | None:
    """The match of the number that begins at `start`; its `re` is `POWER` or `NUMBER`."""
    return POWER.match(text, start) or NUMBER.match(text, start)


def limit_digits(length: int) -> None:
    """Raises InputError `bad-value` where a number is longer than any measurement."""
    if length > MAX_DIGITS:
        raise InputError("bad-value", f"a number of {length:,} characters is too long", "round it")


@cache
def _ulp(decimals: int, exponent: int | None, suffix: str) -> Fraction:
    """What the last written digit is worth."""
    return Fraction(SUFFIXES.get(suffix, 1), 10**decimals) * Fraction(10) ** (exponent or 0)


def _exponent(groups: dict[str, str | None]) -> int | None:
    for name in ("exp", "braced", "raised", "super"):
        written = groups.get(name)
        if written:
            exponent = written.translate(_SUPERSCRIPTS)
            if len(exponent) > 8 or abs(int(exponent)) > MAX_EXPONENT:  # int() of many digits is slow
                raise InputError(
                    "bad-value", f"10^{exponent[:12]} is out of range", f"exponents go to {MAX_EXPONENT}"
                )
            return int(exponent)
    return None


def _clock(match: re.Match[str]) -> Numeral:
    """`1:32:21` is h:mm:ss, `15:00` is m:ss; in seconds."""
    body, _, part = match["clock"].partition(".")
    seconds = 0
    for field in body.split(":"):
        seconds = seconds * 60 + int(field)
    ulp = Fraction(1, 10 ** len(part))
    number = seconds + (Fraction(int(part), 10 ** len(part)) if part else 0)
    return Numeral(
        match[0], -Fraction(number) if match["sign"] in {"-", "−"} else Fraction(number), ulp, whole=False
    )
