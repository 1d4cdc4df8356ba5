"""Values that the settings give outright or by their place in a file, and when two are the same."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from stilltrue.errors import InputError
from stilltrue.evidence.trees import Number
from stilltrue.preflight.documents import Item, at, shown
from stilltrue.preflight.finding import Launch
from stilltrue.preflight.settings import Settings

_NUMBER = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,4})?")
_LONGEST_NUMBER = 1_000
_WORDS: dict[str, bool | None] = {"true": True, "false": False, "null": None}


def value_at(launch: Launch, settings: Settings, name: str) -> Item:
    """The value of a key of the kind `VALUE`: the one written there, or the one that stands in a file.

    Raises:
        InputError: As `documents.at`.
    """
    source = settings.inner(name)
    if source is not None:
        return at(launch, source)
    text = settings.text(name)
    return Item(_WORDS.get(text, text), settings.place(name), {})


def whole_at(launch: Launch, settings: Settings, name: str) -> int:
    """As `value_at`, a whole number above 0.

    Raises:
        InputError: As `documents.at`; `not-a-value` where it is no such number.
    """
    item = value_at(launch, settings, name)
    number = as_number(item.value)
    if number is None or number.denominator != 1 or number < 1:
        message = f"`{name}` is no whole number above 0: {shown(item.value)}"
        hint = f"write `{settings.keys[name].example}`"
        raise InputError("not-a-value", message, hint, path=item.place.path, line=item.place.line)
    return int(number)


def as_number(value: Any) -> Fraction | None:
    """A value as an exact number, text that is one included; None where it is none."""
    if isinstance(value, bool):
        return None
    text = value.text if isinstance(value, Number) else str(value) if isinstance(value, int | str) else ""
    return Fraction(text) if len(text) <= _LONGEST_NUMBER and _NUMBER.fullmatch(text) else None


def same(one: Any, other: Any) -> bool:
    """Whether two values say the same: `16` and `"16"` do, `1e-4` and `0.0001`; `1` and `true` do not."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    return _plain(one) == _plain(other)


def _plain(value: Any) -> tuple[type, object]:
    """A scalar in the one form that it is compared in, with what it is: true is no 1."""
    number = as_number(value)
    known = number if number is not None else value
    if isinstance(known, str):
        known = _WORDS.get(known.lower(), known)
    return type(known), known
