"""Stated values from text: what an author wrote in `value`, and how far a tolerance reaches."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction

from stilltrue.errors import InputError
from stilltrue.quantity.lists import SEPARATOR, read_list
from stilltrue.quantity.marks import drop_inner_marks, strip_marks
from stilltrue.quantity.plain import plain_stated
from stilltrue.quantity.readings import FLAGS, MAX_LENGTH
from stilltrue.quantity.refusals import text_or_refusal
from stilltrue.quantity.shapes import Shape, read_shape
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Flag, Form, Quantity, Stated, Text, Tolerance, Unit

_DIGIT = re.compile(r"[0-9⁰¹²³⁴⁵⁶⁷⁸⁹]")
_BRACKETED = re.compile(r"((?:.*[\s~≈<>=≥≤])?)\(([^()]*)\)\s*([^()]*)\Z")
_NOUN_WORD = r"[^\W\d_](?:\w|['’.\-](?=\w))*"
_NOUN = re.compile(rf"\s(?P<phrase>{_NOUN_WORD}(?:\s{_NOUN_WORD}){{0,7}})\Z")
_PLUS_MINUS = re.compile(r"\s*(?:±|\+/[-−]|\+-)\s*")


def parse_stated(text: str, units: Units, unit: Unit | None = None) -> Stated:
    """What an author stated.

    Args:
        text: The value as written, marks included.
        units: The known units.
        unit: The unit of a bare number; nothing else takes it.

    Raises:
        InputError: `bad-value`: it is empty, a mistyped number, or a number with an unknown or misspelt unit.
    """
    plain = plain_stated(text, units, unit or BARE)
    if plain is not None:
        return plain
    core = strip_marks(text)
    if not core:
        raise InputError("bad-value", "the value is empty", "state a number, yes or no, or a text")
    return _read(text, core, units, unit)


def _read(text: str, core: str, units: Units, unit: Unit | None) -> Stated:
    word = core.lower()
    if word in FLAGS:
        return Stated(text, Form.FLAG, (), BARE, None, Flag(FLAGS[word]))
    if len(core) <= MAX_LENGTH and _DIGIT.search(core):
        inner = drop_inner_marks(core)
        stated = _quantity(text, core, units) or (_quantity(text, inner, units) if inner != core else None)
        if stated is not None:
            return _bare_given(stated, unit)
        core = text_or_refusal(core, units)
    return Stated(text, Form.TEXT, (), BARE, None, Text(core))


def _quantity(text: str, core: str, units: Units) -> Stated | None:
    """The quantity or list that the whole of `core` is, None where it is none."""
    if core[0] == "[":
        return _list(text, core, units)
    core = _without_brackets(core)
    shape = read_shape(core, 0, units)
    if shape is None:
        return _list(text, core, units) if core[0] == "(" else None
    if shape.prefixed and len(shape.amounts) > 1:
        raise InputError(
            "bad-value",
            f"`{core}` has a word or sign before {'a range' if shape.form is Form.RANGE else 'a ±'}",
            "state the two numbers alone",
        )
    if shape.end == len(core):
        return shape.stated(text)
    if SEPARATOR.match(core, shape.end):
        return _list(text, core, units)
    return _counted(text, core, shape, units)


def _without_brackets(core: str) -> str:
    """`(0.120 ± 0.020) s` without its brackets."""
    match = _BRACKETED.match(core) if "(" in core else None
    return f"{match[1]}{match[2].strip()} {match[3]}".strip() if match else core


def _list(text: str, core: str, units: Units) -> Stated | None:
    items = read_list(core, units)
    return Stated(text, Form.LIST, (), BARE, None, items) if items else None


def _counted(text: str, core: str, shape: Shape, units: Units) -> Stated | None:
    """A whole number of things that have no unit: `205 target modules`.

    Raises:
        InputError: `bad-value`: one of the words is a unit, or one slip away from one.
    """
    amount = shape.amounts[-1]
    if not amount.numeral.whole or not (amount.unit is BARE or amount.unit.noun):
        return None
    noun = _NOUN.match(core, amount.digits_end)
    if noun is None:
        return None
    words = noun["phrase"].split()
    for word in words:
        if word != "a" or len(words) == 1:  # an article, and alone a mistyped ampere
            _check_noun(word, units, alone=len(words) == 1)
    unit = Unit(noun["phrase"], Fraction(1), (), noun=True)
    amounts = tuple(each._replace(unit=unit) for each in shape.amounts)
    return shape._replace(amounts=amounts, unit=unit).stated(text)


def _check_noun(word: str, units: Units, *, alone: bool) -> None:
    """Refuses a word of a noun that is a unit, or was meant to be one; a letter alone is no noun."""
    known = units.find(word)
    if known is not None and not known.noun:
        raise InputError(
            "bad-value",
            f"`{word}` is a unit, and other words stand beside it",
            "state the number and its unit alone",
        )
    near = units.slip(word)
    if len(word) == 1 and not near and alone:
        raise InputError("bad-value", f"`{word}` is no known unit", units.advice(word))
    if near:
        raise InputError(
            "bad-value",
            f"`{word}` is no known unit",
            f"did you mean `{near}`? For a thing that is counted, "
            f'add `{word} = "noun"` to `[tool.stilltrue.units]`',
        )


def _bare_given(stated: Stated, unit: Unit | None) -> Stated:
    if unit is None or stated.unit is not BARE or not isinstance(stated.value, Quantity):
        return stated
    return replace(stated, unit=unit, value=Quantity(stated.value.number, unit))


def parse_tolerance(text: str, units: Units) -> Tolerance:
    """How far found may be from stated: `2 %` is relative to stated, `5 ms` and `0.5 pp` are not.

    Raises:
        InputError: `bad-tolerance`: it is no amount of at least 0, or has an unknown unit.
    """
    body = strip_marks(text)
    sign = _PLUS_MINUS.match(body)
    try:
        stated = parse_stated(body[sign.end() :] if sign else body, units)
    except InputError as error:
        raise InputError("bad-tolerance", error.message, error.hint) from None
    amount = stated.value
    if stated.form is not Form.NUMBER or not isinstance(amount, Quantity) or amount.number < 0:
        raise InputError(
            "bad-tolerance",
            f"`{text}` is no tolerance",
            "write `2 %`, or an amount such as `5 ms` or `0.5 pp`",
        )
    percent = amount.unit.dimension == () and amount.unit.scale == Fraction(1, 100)
    return Tolerance(text, amount, relative=percent and amount.unit.symbol in _PERCENT)


_PERCENT = frozenset({"%", "percent", "per cent"})
