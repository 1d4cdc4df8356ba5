"""From what evidence holds to a value: nothing is guessed, and null is no value."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

from stilltrue.errors import InputError
from stilltrue.evidence.trees import Number
from stilltrue.model import Read
from stilltrue.quantity import BARE, Flag, Items, NonFinite, Quantity, Text, Units, Value, parse_value
from stilltrue.wording import listed, quoted

_LONGEST = 10_000
_LARGEST_EXPONENT = 9_999


def from_text(text: str, read: Read, units: Units) -> Value:
    """The value that a piece of text is.

    Raises:
        InputError: `unit-mismatch`; `not-a-value` when it is too long, or half a character.
    """
    if len(text) > _LONGEST:
        raise InputError(
            "not-a-value",
            f"the reading is {len(text):,} characters long",
            "let the read take the number alone",
        )
    if not text.isascii() and any("\ud800" <= sign <= "\udfff" for sign in text):
        raise InputError(
            "not-a-value", f"the reading {quoted(text)} holds half a character", "take the evidence again"
        )
    return parse_value(text, units, unit=read.unit, decimal=read.decimal)


def from_tree(item: Any, read: Read, units: Units) -> Value:
    """The value that a node of a tree is; an array of scalars is one list.

    Raises:
        InputError: `not-a-value` for null, objects, nested arrays and empty ones; as `from_text`.
    """
    kind = type(item)
    if kind is Number:
        return Quantity(_fraction(item.text), read.unit or BARE)
    if kind is int:
        return Quantity(Fraction(item), read.unit or BARE)
    if kind is str:
        return from_text(item, read, units)
    if kind is bool:
        return Flag(item)
    if kind is NonFinite:
        known: NonFinite = item
        return known
    if kind is list and item and not any(isinstance(element, list | dict) for element in item):
        return Items(tuple(from_tree(element, read, units) for element in item))
    raise _no_value(item)


def described(item: Any) -> str:
    """What a node of a tree is, for a message: `an object with the keys …`, `a list of 3`, `null`."""
    if isinstance(item, dict):
        keys = listed((quoted(key) for key in item), 8)
        return f"an object with the keys {keys}" if item else "an empty object"
    if isinstance(item, list):
        return f"a list of {len(item):,}" if item else "an empty list"
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "true" if item else "false"
    return quoted(item.text if isinstance(item, Number | NonFinite) else str(item))


def as_counted(item: Any) -> Value:
    """A node as a reading of a `count`: what it is, in words where it is no scalar."""
    if isinstance(item, str):
        return Text(item[:200])
    return Text(described(item).strip("`"))


def _fraction(text: str) -> Fraction:
    """The exact number, unless its exponent is one that no measurement has."""
    exponent = text.lower().partition("e")[2]
    if exponent and abs(int(exponent[:20])) > _LARGEST_EXPONENT:
        raise InputError(
            "not-a-value", f"{quoted(text)} is too large to be computed with", "take the evidence again"
        )
    return Fraction(*Decimal(text).as_integer_ratio())  # exact, and twice as fast as Fraction of text


def _no_value(item: Any) -> InputError:
    hint = "let the path end at one value"
    if isinstance(item, dict) and item:
        hint = f"add one of its keys to the path: `.{next(iter(item))[:40]}`"
    elif isinstance(item, list) and item:
        hint = "step into it with `[*]` or an index"
    elif item is None:
        hint = "nothing was measured there: narrow the path with a filter, or mend what writes the file"
    return InputError("not-a-value", f"the reading is {described(item)}, no value", hint)
