"""Digits in prose that are no quantity: the names that they belong to, and numbers that were mistyped."""

from __future__ import annotations

import re

from stilltrue.quantity.shapes import Shape
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE

_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+){2,}(?![0-9,]|\.[0-9]|:[0-9]{1,2}(?![0-9]))")
_GROUPS = re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3}){2,}(?![0-9]|\.[0-9])")
"""Points between groups of three, as some languages write thousands: `1.024.000` is no version."""
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(?:-[0-9]{2}(?:T[0-9:.]+Z?)?)?(?![0-9]|[-.,:][0-9])")
_MORE_DIGITS = re.compile(r"(?:[.,:]+|[_'’])?\d|[\^⁰¹²³⁴-⁹%‰]|[ \u00a0\u202f\u2009]?[¼½¾⅐-⅞]")
_ATTACHED = re.compile(r"[^\W\d_]+")
_HYPHENED = re.compile(r"[-‐‑–−]([^\W\d_]+)")
_JOINED = re.compile(r"[-–−/][0-9]")
_BACKWARDS = re.compile(r"[-–−](?:(?:US)?\$|[€£¥₹])?[0-9]")
"""After a unit: the second number of a range that runs backwards, `$866–$673` and `43%-22%`."""
_SIZE = re.compile(r"[xX×][0-9][0-9.,]*(?!\w)")
_NAMED = re.compile(r"[-–−‐‑/][^\W\d_]|_[^\W_]")
_SPACED = re.compile(r"[ \u00a0\u202f\u2009]([^\W\d_]+)(?![\w])")
_SPACES = frozenset(" \u00a0\u202f\u2009")
_ORDINALS = frozenset({"st", "nd", "rd", "th", "d"})
_TAKEN_FOR_DIGITS = re.compile(r"[OolI]+[0-9OolI.,]*(?!\w)")
"""Letters that look like 0 and 1: `10O ms` and `1O.5 ms` are no names, since a unit follows."""
_SHORTEST = 4
"""Shorter words are near to too many units to be called mistyped in the middle of a sentence."""
_SHORTEST_GLUED = 3
"""A word of so many letters, glued to a number, is no name: `66pct`; shorter ones are, as in `3D`."""

_WORDS = re.compile(r"[ \u00a0\u202f\u2009]?[^\s.,;:!?)\]]{1,60}")
_SHOWN = re.compile(r"\S{1,60}")
_END = ".,;:!?)]}*_`\"'"


def ends_as_name(text: str, start: int, shape: Shape, units: Units) -> bool:
    """Whether a number that was read is the beginning of a name: `8xH100`, `3D`, `7B-chat`, `10.0.0.1`."""
    if shape.prefixed or shape.unit is not BARE:
        return False
    for names in (_VERSION, _DATE):
        name = names.match(text, start)
        if name and name.end() > shape.end:
            return not _unit_at(text, name.end(), units) and not _GROUPS.match(text, start)
    end = shape.end
    if _MORE_DIGITS.match(text, end) or _slip_at(text, shape, units):
        return False
    alike = _TAKEN_FOR_DIGITS.match(text, end)
    if alike and _unit_at(text, alike.end(), units):
        return False
    word = _ATTACHED.match(text, end)
    return _names(text, word, shape) if word else bool(_NAMED.match(text, end))


def _names(text: str, word: re.Match[str], shape: Shape) -> bool:
    """Whether letters glued to a number make a name of it: `8xH100`, `3D`, and not `66pct`, `3x3`."""
    numeral = shape.amounts[-1].numeral
    if _SIZE.match(text, word.start()) and numeral.number:
        return False
    after = text[word.end() : word.end() + 1]
    if after.isdigit():
        return after.isascii() and "e" not in numeral.text.lower()
    return len(word[0]) < _SHORTEST_GLUED and (numeral.whole or bool(shape.amounts[-1].suffix))


def mistyped(text: str, start: int, digit: int, units: Units, shape: Shape | None = None) -> str:
    """The number at `start` as written, where it is not one that a `value` may be; else empty.

    Args:
        text: The text.
        start: Where the number begins, its prefix included.
        digit: The place after its first digit.
        units: The known units.
        shape: What was read there; None where nothing was.
    """
    if shape is not None and not _wrong_end(text, shape, units):
        return ""
    from_sign = start - 1 if text[start - 1 : start] in set("–$€£¥₹") else start
    shown = _SHOWN.match(text, digit - 1)
    end = shown.end() if shown else digit
    if shape is not None:
        end = max(end, shape.end)
        run = _SHOWN.match(text, end) if _BACKWARDS.match(text, end) else None
        end = run.end() if run else end
    unit = _unit_at(text, end, units)
    if shape is not None and (_slip_at(text, shape, units) or _compound_slip(text, shape, units)):
        word = _WORDS.match(text, end)
        end = word.end() if word else end
    end = unit or end
    return text[max(0, from_sign) : end].strip().rstrip(_END)


def _wrong_end(text: str, shape: Shape, units: Units) -> bool:
    end = shape.end
    if _MORE_DIGITS.match(text, end) or _ATTACHED.match(text, end) or _compound_slip(text, shape, units):
        return True
    if shape.unit is BARE:
        return bool(_JOINED.match(text, end)) or _slip_at(text, shape, units)
    named = text[end : end + 1] == "_" and text[end + 1 : end + 2].isalnum()
    return named or bool(_BACKWARDS.match(text, end))


def _slip_at(text: str, shape: Shape, units: Units) -> bool:
    """Whether the word after a bare number was meant to be a unit: `5 secnds`, `66-percnt`, `5secnds`."""
    last = shape.amounts[-1]
    if shape.unit is not BARE or last.suffix:
        return False
    end = shape.end
    for pattern, group, shortest in (
        (_ATTACHED, 0, _SHORTEST_GLUED), (_HYPHENED, 1, _SHORTEST), (_SPACED, 1, _SHORTEST)
    ):  # fmt: skip
        word = pattern.match(text, end)
        if word is not None and word[group].lower() not in _ORDINALS:
            return len(word[group]) >= shortest and bool(units.slip(word[group]))
    return False


def _compound_slip(text: str, shape: Shape, units: Units) -> bool:
    start = shape.amounts[-1].digits_end
    return bool(units.compound_slip(text, start + (text[start : start + 1] in _SPACES)))


def _unit_at(text: str, end: int, units: Units) -> int:
    """The place after a unit that follows, 0 where none that is measured does."""
    while text[end : end + 1] in _SPACES:
        end += 1
    found = units.longest(text, end) if end < len(text) else None
    return found[1] if found and not found[0].noun else 0
