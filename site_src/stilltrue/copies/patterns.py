"""A value's spellings as RE2 over bytes: wide enough to miss none, narrow enough that few places are left.

What a place really says is decided by `places`; here a number counts together with what follows it, so that
text full of other numbers costs nothing beyond the scan.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import NamedTuple

from stilltrue.copies.needles import Needle
from stilltrue.quantity import Form, Numeral, Unit, Units
from stilltrue.quantity.numerals import POWER, match_number
from stilltrue.quantity.unit_table import CURRENCIES, SUFFIXES

_BLANK = rb"[ \t]|\xc2\xa0|\xe2\x80[\x80-\x91\xaf]|&#?[A-Za-z0-9]{2,7};|\\[,;:! ]"
_UNSEEN = rb"<!--[^<>\n]*-->|\xc2\xad|\xe2\x81\xa0|\xef\xbb\xbf"
_MARK = rb"[*_`~$\\-]|</?[A-Za-z][^<>\n]*>|" + _UNSEEN + rb"|\\(?:mathrm|text|rm)\{"
GAP = b"(?:" + _BLANK + b"|" + _MARK + b")*"
"""What may stand between a number and its unit: blanks, marks, comments, what nobody sees."""

_WRAPPED = rb"[ \t]*\r?\n[ \t>#/;*-]{0,40}"
"""The end of a line, and what begins the next one in prose and in comments."""

_START = rb"(?:^|[^0-9A-Za-z.])"
"""Before a number: nothing that it could be the rest of."""

_SEPARATOR = rb"(?:[,_ ']|\xc2\xa0|\xe2\x80[\x89\xaf]|&[a-z]{4,6};|\\,|\{,\})?"
_SIGNS = rb"[eE][+-]?0?[0-9]|[*xX]|\xc3\x97|\xc2\xb7|\xe2\x8b\x85|\\times|&times;"
_TIMES = rb"(?:" + _BLANK + rb"){0,2}(?:" + _SIGNS + rb")"
_RAISED = rb"(?:\^|\*\*|\xc2[\xb2\xb3\xb9]|\xe2\x81)"
_BETWEEN = rb"[^0-9\n]+"
_KEYED = (
    rb"[\"'`\]]{0,2}[ \t]{0,20}(?::[ \t]{0,4}[A-Za-z_][A-Za-z0-9_.]*[ \t]*)?[:=]{1,2}[ \t]{0,20}[\"'(]{0,2}"
)
_CELL = rb"[ \t*_`~]{0,12}"
_MONEY = rb"(?:[$]|\xe2\x82[\xac\xb9]|\xc2[\xa3\xa5])"
_END = rb"(?:[^0-9.]|\.[^0-9]|$)"
_NAME = 3
"""How many letters a unit has that may end a name without a sign before it: `encodeHours`, and `encode_h`."""

_WORD = 4
"""How many letters a unit has that a number may stand for at the end of the line before."""

_SPELLED_OUT = {"Wh": "watt", "mWh": "milliwatt", "kWh": "kilowatt", "MWh": "megawatt", "GWh": "gigawatt"}
"""The first words of units whose names in full are compounds: `kilowatt-hours`."""

_CUT = re.compile(r"\s*/\s*|\s+per\s+|\s*[·⋅*^]\s*|[- ⁻⁰¹²³⁴⁵⁶⁷⁸⁹]")


def pattern_of(needles: Iterable[Needle], units: Units) -> bytes:
    """One pattern for all of some needles with a unit; empty where none has one."""
    parts = _Parts()
    for needle in needles:
        numbers = _numbers(needle)
        if needle.form is not Form.NUMBER or numbers.endswith((_TIMES, _RAISED)):
            parts.add(_START, numbers, b"")  # rare enough by themselves
        elif needle.clock:
            parts.add(_START + b"0?", numbers, b"")
        else:
            _of_one(parts, needle, numbers, units)
    return parts.pattern()


def bare_pattern(needles: Iterable[Needle]) -> bytes:
    """One pattern for the numbers of some needles, whatever follows them."""
    return _START + _any({_numbers(needle) for needle in needles})


class _Parts:
    """Numbers by what stands before and behind them, so that each such thing is said once."""

    def __init__(self) -> None:
        self.numbers: dict[tuple[bytes, bytes], set[bytes]] = {}

    def add(self, before: bytes, number: bytes, behind: bytes) -> None:
        self.numbers.setdefault((before, behind), set()).add(number)

    def pattern(self) -> bytes:
        by_start: dict[bytes, list[bytes]] = {}
        for (before, behind), numbers in sorted(self.numbers.items()):
            by_start.setdefault(before, []).append(_any(numbers) + behind)
        return b"|".join(before + _any(rest) for before, rest in by_start.items())


def _of_one(parts: _Parts, needle: Needle, numbers: bytes, units: Units) -> None:
    """One number: with its unit behind it, in its key's name, in its column's header."""
    frame = _frame(needle.unit, units)
    parts.add(_START, numbers, frame.behind)
    parts.add(_START, numbers, _CELL + rb"\|")
    for before in frame.before:
        parts.add(before, numbers, _END)


class _Frame(NamedTuple):
    """What stands around the numbers of a unit: behind them, or one of these before."""

    behind: bytes
    before: tuple[bytes, ...]


@lru_cache(maxsize=256)
def _frame(unit: Unit, units: Units) -> _Frame:
    symbols, words = leads(unit, units)
    behind = GAP + _named(symbols, words)
    before: list[bytes] = []
    names = {name for name in _last(unit, units) if name.isalpha()}
    if names:
        keyed = _any({(b"" if len(name) >= _NAME else b"[_.-]") + _any_case(name) for name in names})
        before.append(keyed + _KEYED)
    if long := [word for word in words if len(word) >= _WORD]:
        behind = _any([behind, _WRAPPED + _named((), long)])
        before.append(b"-" + _any(map(_any_case, long)) + rb"[ \t]")
    if _is_money(unit):
        before += [_MONEY + b" ?", _any({_any_case(name) for name in words}) + b" "]
    return _Frame(behind, tuple(before))


def _named(symbols: Iterable[str], words: Iterable[str]) -> bytes:
    """A unit's names, each to its end: `h` is none in `4.3 hats`."""
    patterns = {name: _literal(name) for name in symbols} | {name: _any_case(name) for name in words}
    ended = _any(pattern for name, pattern in patterns.items() if name[-1].isalpha())
    signs = [pattern for name, pattern in patterns.items() if not name[-1].isalpha()]
    return _any([ended + rb"(?:[^0-9A-Za-z]|$)", *signs])


def _is_money(unit: Unit) -> bool:
    return any(base in CURRENCIES for base, _ in unit.dimension)


# Numbers -----------------------------------------------------------------------------------------------


def _numbers(needle: Needle) -> bytes:
    first, *rest = needle.numerals
    return _BETWEEN.join([_numeral(first), *map(_numeral, rest)])


def _numeral(numeral: Numeral) -> bytes:
    """The spellings of one number, its sign aside."""
    match = match_number(numeral.text)
    if match is None or match.re is POWER:
        return b"10" + _RAISED
    if match["clock"]:
        return _literal(match["clock"].lstrip("0") or "0")
    whole = re.sub(r"[^0-9]", "", match["whole"] or "")
    part = match["part"] or match["only"] or ""
    body = _grouped(whole)
    if part:
        body += rb"\." + part.encode()
    if any(match[name] for name in ("exp", "braced", "raised", "super")):
        return body + _TIMES
    suffix = (match["suffix"] or "").strip()
    return body + _suffix(suffix) if suffix else body


def _grouped(whole: str) -> bytes:
    """Digits with whatever may stand between thousands; a nought before the point may be left out."""
    if whole in {"", "0"}:
        return b"0?"
    first = len(whole) % 3 or 3
    groups = [whole[:first], *(whole[at : at + 3] for at in range(first, len(whole), 3))]
    return _SEPARATOR.join(group.encode() for group in groups)


def _suffix(suffix: str) -> bytes:
    same = [name for name, factor in SUFFIXES.items() if factor == SUFFIXES[suffix]]
    return GAP + _any({_any_case(name) for name in same})


# Units -------------------------------------------------------------------------------------------------


def leads(unit: Unit, units: Units) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """How the first word of a unit may be spelled: symbols as written, and words in any case."""
    if unit.noun and not unit.dimension:
        first = re.split(r"[\s-]", unit.symbol)[0]
        return (), (first, f"{first}s", first.removesuffix("s"))
    symbols, words = units.spellings(unit)
    words = (*words, *(word for name in symbols if (word := _SPELLED_OUT.get(name))))
    if _is_compound(unit.symbol):
        first = _CUT.split(unit.symbol.lstrip("/").strip())[0]
        known = units.find(first)
        more = units.spellings(known) if known is not None else ((first,), ())
        symbols, words = (*symbols, *more[0], first), (*words, *more[1])
        if unit.symbol.startswith(("/", "1/")):
            symbols = (*symbols, "/", "1/", "per")
    return tuple(dict.fromkeys(symbols or (unit.symbol,))), tuple(dict.fromkeys(words))


def _last(unit: Unit, units: Units) -> tuple[str, ...]:
    """How the last word of a unit may be spelled, where it ends the name of a key."""
    symbols, words = units.spellings(unit)
    if _is_compound(unit.symbol):
        last = [part for part in _CUT.split(unit.symbol) if part][-1]
        known = units.find(last)
        more = units.spellings(known) if known is not None else ((last,), ())
        symbols, words = (*symbols, *more[0]), (*words, *more[1])
    return (*symbols, *words)


def _is_compound(symbol: str) -> bool:
    return len([part for part in _CUT.split(symbol) if part]) > 1 or symbol.startswith("/")


# Pieces ------------------------------------------------------------------------------------------------


def _any(patterns: Iterable[bytes]) -> bytes:
    return b"(?:" + b"|".join(sorted(patterns)) + b")"


@cache
def _literal(text: str) -> bytes:
    return b"".join(
        bytes([byte]) if chr(byte).isalnum() and byte < 128 else b"\\x%02x" % byte
        for byte in text.encode("utf-8")
    )


@cache
def _any_case(word: str) -> bytes:
    """A word in any case; of letters beyond ASCII only as written."""
    return b"(?i:" + _literal(word) + b")"
