"""Units from text: known symbols and words, compounds of them, and the words that a project adds."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import cache

from stilltrue.errors import InputError
from stilltrue.quantity.unit_table import EVERYDAY, MEASURES, SUFFIXES, known_units
from stilltrue.quantity.values import Dimension, Unit
from stilltrue.suggest import did_you_mean, nearest

_MAX_LENGTH = 80
_MAX_REMEMBERED = 4096
_MAX_POWER = 12
_SUPERSCRIPTS = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹−", "-0123456789-")
_NAME = r"(?:[^\W\d_⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+\$?|[%‰×$€£¥₹]|°C)"
_POWER = r"(?:(?:\^|\*\*)[-−]?\d{1,2}|⁻?[⁰¹²³⁴⁵⁶⁷⁸⁹]{1,2})"
_FACTOR = re.compile(rf"({_NAME})({_POWER})?")
_DIVIDED = re.compile(r"\s*/\s*|\s+per\s+")
_MULTIPLIED = re.compile(r"(\s*[·⋅*]\s*|[- ])")
_CUT = re.compile(r" ?[/·⋅*] ?|[- ]")
_COMPOUND = re.compile(r"[/·⋅*^]")
_COMPOUND_PARTS = re.compile(r"(\s*[/·⋅*]\s*)")
_FLOPS = ("FLOP", "FLOPs", "FLOPS", *(f"{prefix}FLOPs" for prefix in "kMGTPEZ"))
_RATIOS = frozenset({"x", "X", "×", "times"})
_POINTS = frozenset({"point", "points", "%-points", "% points", "%points"})
_SPACES = re.compile(r"\s+")

PHRASE = re.compile(
    rf"(?:1(?=/)|{_NAME}{_POWER}?)(?:(?: ?[/·⋅*] ?|[- ]){_NAME}{_POWER}?){{0,5}}|/ ?{_NAME}{_POWER}?"
)
"""What may be a unit where a number ends; which leading part of it is one, `Units.longest` says."""


class Units:
    """A frozen table of known units; `default()` has the common ones, `extended()` adds a project's own."""

    def __init__(self, symbols: Mapping[str, Unit], words: Mapping[str, Unit]) -> None:
        self._symbols = symbols
        self._words = words
        self._seen: dict[str, Unit | None] = dict(symbols)
        self._slips: dict[str, str] = {}

    @staticmethod
    @cache
    def default() -> Units:
        """The units that every project has."""
        return Units(*known_units())

    def extended(self, words: Mapping[str, str]) -> Units:
        """These units and a project's own.

        Args:
            words: What each new word means: `noun` for a thing that is counted, or an amount of a known
                unit (`furlong: 201.168 m`). A word of three letters or more is known in any case and with
                a plural `s`; a shorter one, and one with a capital, as written.

        Raises:
            InputError: `bad-unit`: a word is known already, is no word, or its meaning cannot be read.
        """
        if not words:
            return self
        symbols, known = dict(self._symbols), dict(self._words)
        for word, meaning in words.items():
            unit = Units(symbols, known)._defined(word, meaning)
            if len(word) >= 3 and word == word.lower():  # said in the docstring
                known[word] = unit
                known.setdefault(f"{word}s", _renamed(unit, f"{word}s"))
            else:
                symbols[word] = unit
        return Units(symbols, known)

    def parse(self, text: str) -> Unit:
        """The unit that `text` names: `ms`, `tok/s`, `s/token^2`, `%`, `GPU-hours`, `tokens per second`.

        Raises:
            InputError: `unknown-unit`, with what may have been meant.
        """
        unit = self.find(text)
        if unit is None:
            raise InputError("unknown-unit", f"`{text}` is no known unit", self.advice(text))
        return unit

    def find(self, text: str) -> Unit | None:
        """The unit that `text` names, None where it names none."""
        try:
            return self._seen[text]
        except KeyError:
            pass
        unit = self._read(text) if len(text) <= _MAX_LENGTH else None
        if len(self._seen) < _MAX_REMEMBERED and len(text) <= _MAX_LENGTH:
            self._seen[text] = unit
        return unit

    def spellings(self, unit: Unit) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The symbols, as written, and the words, in any case, that mean the same amount as a unit."""
        meant = unit.scale, unit.dimension
        return (
            tuple(name for name, known in self._symbols.items() if (known.scale, known.dimension) == meant),
            tuple(name for name, known in self._words.items() if (known.scale, known.dimension) == meant),
        )

    def longest(self, text: str, start: int) -> tuple[Unit, int] | None:
        """The longest unit that begins at `start`, with the place after it; None where none does."""
        phrase = PHRASE.match(text, start)
        end = phrase.end() if phrase else start
        while end > start:
            unit = self.find(text[start:end])
            if unit is not None and not text[end : end + 1].isalnum():
                return unit, end
            end = max((cut.start() for cut in _CUT.finditer(text, start, end)), default=start)
        return None

    def advice(self, text: str) -> str:
        """What to do about a text that names no unit."""
        name = text.strip()
        if name in SUFFIXES or any(part == "B" for part in re.split(r"[/·*^ -]", name)):
            return "after a number `B` is a billion; write `bytes`, or a prefixed unit such as `MB` or `MiB`"
        if name.lower().rstrip("s").endswith("flop"):
            return "`FLOPs` are a count, `FLOPS` and `FLOP/s` a rate; write which one is meant"
        if name.lower() in _POINTS:
            return "percentage points are `pp`: where the docs say points, take the number alone, `unit: pp`"
        if _COMPOUND.search(name):
            near = self._nearest_compound(name)
        else:
            near = did_you_mean(name, [*self._symbols, *self._words])
        return near or 'name a known unit, or add the word to `[tool.stilltrue.units]` (`word = "noun"`)'

    def _nearest_compound(self, name: str) -> str:
        """The compound of the units that are nearest to its parts: `sentences/s` for `sent/s`."""
        parts = _COMPOUND_PARTS.split(name)
        near = [part and self._nearest_part(part) for part in parts[::2]]
        if any(part and not found for part, found in zip(parts[::2], near, strict=True)):
            return ""
        parts[::2] = near
        mended = "".join(parts)
        return f"did you mean `{mended}`?" if self.find(mended) is not None else ""

    def _nearest_part(self, part: str) -> str:
        """A part of a compound, where it names no unit the nearest word: what it may be short for, first."""
        if self.find(part) is not None:
            return part
        short = part.lower().rstrip("s")
        longer = (word for word in self._words if len(short) > 2 and word.startswith(short))
        return next(longer, "") or nearest(part, [*self._symbols, *self._words])

    def slip(self, word: str) -> str:
        """The unit that `word` is one slip away from (a letter too many, too few, other or swapped), or ``.

        Of a compound (`tokk/s`) it is the one with every part mended. Nouns of things counted are not looked
        at outside of compounds, nor words that mean themselves (`64 bins`); FLOPs are.
        """
        if word not in self._slips:
            near = self._mended(word) if _COMPOUND.search(word) else self._nearest(word)
            if len(self._slips) >= _MAX_REMEMBERED:
                return near
            self._slips[word] = near
        return self._slips[word]

    def compound_slip(self, text: str, start: int) -> str:
        """The compound that was meant at `start`: `tok/s` for `tokk/s` and `tok/S`; or ``."""
        phrase = PHRASE.match(text, start)
        end = phrase.end() if phrase else start
        while end > start and _COMPOUND.search(text, start, end):
            if self.find(text[start:end]) is not None:
                return ""
            if near := self.slip(text[start:end]):
                return near
            end = max((cut.start() for cut in _CUT.finditer(text, start, end)), default=start)
        return ""

    def _nearest(self, word: str) -> str:
        lower = word.lower()
        if len(word) > _MAX_LENGTH or lower in EVERYDAY or self.find(word) is not None:
            return ""
        if same := [name for name in self._symbols if name.lower() == lower]:
            return same[0]
        if word.upper() in SUFFIXES:
            return word.upper()
        any_case = lower if len(word) > 3 else word  # `PRs` is not meant to be `hrs`
        return (
            _near(any_case, self._words)
            or _near(word, self._symbols)
            or _swapped(lower, self._words)
            or next((name for name in _FLOPS if len(word) > 3 and one_slip(lower, name.lower())), "")
        )

    def _mended(self, phrase: str) -> str:
        """The compound that `phrase` was meant to be, empty where no known one is near."""
        if len(phrase) > _MAX_LENGTH or self.find(phrase) is not None:
            return ""
        parts = _COMPOUND_PARTS.split(phrase)
        parts[::2] = [self._mended_part(part) for part in parts[::2]]
        mended = "".join(parts)
        return mended if mended != phrase and self.find(mended) is not None else ""

    def _mended_part(self, part: str) -> str:
        match = _FACTOR.fullmatch(part)
        if match is None or match[1] == "B" or self._single(match[1]) is not None:
            return part
        word = match[1]
        near = self._nearest(word)
        if not near and len(word) > 2 and word.lower() not in EVERYDAY:
            near = next((name for name in self._words if one_slip(word.lower(), name)), "")
        return (near or word) + (match[2] or "")

    def _read(self, text: str) -> Unit | None:
        name = _SPACES.sub(" ", text.strip())
        unit = self._single(name)
        if unit is None:
            unit = self._compound(name)
        return unit if unit is None or unit.symbol == name else _renamed(unit, name)

    def _single(self, name: str) -> Unit | None:
        unit = self._symbols.get(name)
        if unit is None and len(name) > 1:
            unit = self._words.get(name.lower())
        return unit

    def _compound(self, name: str) -> Unit | None:
        parts = _DIVIDED.split(name)
        if len(parts) > 1 and parts[0] in {"", "1"}:
            parts[0] = ""
        scale, powers = Fraction(1), dict[str, int]()
        for index, part in enumerate(parts):
            if not part and index == 0 and len(parts) > 1:
                continue
            product = self._product(part)
            if product is None:
                return None
            sign = -1 if index else 1
            scale *= product[0] ** sign
            for base, power in product[1].items():
                powers[base] = powers.get(base, 0) + sign * power
        dimension = dimension_of(powers)
        return Unit(name, scale, dimension, is_noun(scale, dimension))

    def _product(self, text: str) -> tuple[Fraction, dict[str, int]] | None:
        whole = self._single(text)
        factors = [(whole, 1)] if whole is not None else self._factors(text)
        scale, powers = Fraction(1), dict[str, int]()
        for unit, power in factors:
            if unit is None or abs(power) > _MAX_POWER:
                return None
            scale *= unit.scale**power
            for base, exponent in unit.dimension:
                powers[base] = powers.get(base, 0) + exponent * power
        return scale, powers

    def _factors(self, text: str) -> list[tuple[Unit | None, int]]:
        """The factors of a product; a space or a hyphen multiplies what is counted or spelled out alone."""
        parts = _MULTIPLIED.split(text)
        factors = [self._factor(part) for part in parts[::2]]
        for (unit, _), part, between in zip(factors, parts[::2], parts[1::2], strict=False):
            loose = between in {" ", "-"} and unit is not None and not unit.noun
            if loose and (between == " " or len(part) < 3):  # `kilowatt-hours`, and not `m-s`
                return [(None, 0)]
        return factors

    def _factor(self, text: str) -> tuple[Unit | None, int]:
        match = _FACTOR.fullmatch(text)
        if match is None:
            return None, 0
        power = (match[2] or "1").lstrip("^*").translate(_SUPERSCRIPTS)
        return self._single(match[1]), int(power)

    def _defined(self, word: str, meaning: str) -> Unit:
        """The unit that a project's own word stands for."""
        if not re.fullmatch(r"[^\W\d_]+(?:[ -][^\W\d_]+)*", word) or len(word) > _MAX_LENGTH:
            raise InputError("bad-unit", f"`{word}` is no word", "a unit's name is made of letters")
        if self.find(word) is not None or word in SUFFIXES:
            raise InputError("bad-unit", f"`{word}` is known already", "choose another word, or leave it out")
        if meaning.strip() == "noun":
            return Unit(word, Fraction(1), ((word.lower(), 1),), noun=True)
        match = re.fullmatch(r"\s*(\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,2})?)?\s*(\D.*?)\s*", meaning)
        base = self.find(match[2]) if match else None
        factor = Fraction(match[1] or 1) if match else Fraction(0)
        if base is None or not factor:
            raise InputError(
                "bad-unit",
                f'`{word} = "{meaning}"` is no amount of a known unit',
                f'write `{word} = "noun"`, or an amount such as `{word} = "201.168 m"`',
            )
        return Unit(word, base.scale * factor, base.dimension, base.noun)


def dimension_of(powers: Mapping[str, int]) -> Dimension:
    """Powers of base dimensions in canonical form."""
    return tuple(sorted((base, power) for base, power in powers.items() if power))


def counts_only(dimension: Dimension) -> bool:
    """Whether a dimension holds nothing that is measured: bare numbers, tokens, FLOPs."""
    return all(base not in MEASURES for base, _ in dimension)


def is_noun(scale: Fraction, dimension: Dimension) -> bool:
    """Whether a unit merely names what is counted, one by one."""
    return scale == 1 and bool(dimension) and counts_only(dimension)


def one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter: added, left out, exchanged, or swapped with its neighbour."""
    if abs(len(one) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(one), len(other)) and one[start] == other[start]:
        start += 1
    rest, other_rest = one[start:], other[start:]
    if len(rest) != len(other_rest):
        longer, shorter = sorted((rest, other_rest), key=len, reverse=True)
        return longer[1:] == shorter
    swapped = rest[1:2] + rest[0:1] + rest[2:]
    return rest[1:] == other_rest[1:] or swapped == other_rest


def _near(word: str, units: Mapping[str, Unit]) -> str:
    """The first measured unit whose name is one slip away; two single letters have nothing in common."""
    for name, unit in units.items():
        if (
            not unit.noun
            and unit.symbol not in _RATIOS
            and len(name) + len(word) > 2
            and one_slip(name, word)
        ):
            return unit.symbol
    return ""


def _swapped(word: str, units: Mapping[str, Unit]) -> str:
    """The measured unit whose letters `word` has, two neighbours exchanged: `SUD` for `USD`."""
    for name, unit in units.items():
        alike = len(name) == len(word) and not unit.noun and sorted(name) == sorted(word)
        if alike and one_slip(name, word):
            return unit.symbol
    return ""


def _renamed(unit: Unit, symbol: str) -> Unit:
    return Unit(symbol, unit.scale, unit.dimension, unit.noun)
