"""The first quantity in the text of a link."""

from __future__ import annotations

import re

from stilltrue.errors import InputError
from stilltrue.quantity.lists import items_of, list_amounts
from stilltrue.quantity.plain import plain_stated
from stilltrue.quantity.shapes import PREFIX, Shape, read_shape
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Form, Stated

_MONEY = r"(?:(?:US)?\$|[€£¥₹]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR) )"
_CANDIDATE = re.compile(
    rf"(?<![\w.,:/@#§^\\\-−–+$€£¥₹])(?:{PREFIX.pattern.replace('?P<sign>', '?:').replace('?P<word>', '?:')})?"
    rf"[+\-−]?{_MONEY}?\.?[0-9]",
    re.IGNORECASE,
)
_RUN = re.compile(r"[\w.,:/\-−–+^$]*")
_LONGEST = 10_000
_LONGER_NAME = re.compile(r"[\w^]|[.,:]?[0-9]|[-–−/][^\W_]")
"""What follows a number that is part of a name, a version or a date."""


def first_quantity(text: str, units: Units) -> Stated | None:
    """The first quantity in a prose link's text, its prefix included, None where there is none.

    Names with digits in them (`sm80`, `H100`, `v4.3`, `16-bit`), versions and dates are no quantities. Things
    counted are read as bare numbers (`205 target modules` is 205), since their nouns are not compared.
    """
    text = text[:_LONGEST]
    plain = plain_stated(text, units, BARE)
    if plain is not None:
        return plain
    start = 0
    while candidate := _CANDIDATE.search(text, start):
        try:
            stated = _at(text, candidate.start(), units)
        except InputError:  # too many digits: a name, no measurement
            stated = None
        if stated is not None:
            return stated
        run = _RUN.match(text, candidate.end())
        start = run.end() if run else candidate.end()
    return None


def _at(text: str, start: int, units: Units) -> Stated | None:
    shape = read_shape(text, start, units)
    if shape is None:
        return None
    if (
        not shape.prefixed
        and len(shape.amounts) == 1
        and text[shape.end : shape.end + 2].lstrip(" ")[:1] == "/"
    ):
        listed = list_amounts(text, start, units)
        if listed is not None and not _LONGER_NAME.match(text, listed[1]):
            items = items_of(listed[0])
            return Stated(text[start : listed[1]], Form.LIST, (), BARE, None, items)
    if _goes_on(text, shape):
        return None
    return shape.stated(text[start : shape.end])


def _goes_on(text: str, shape: Shape) -> bool:
    follows = _LONGER_NAME.match(text, shape.end)
    return follows is not None and (shape.unit is BARE or follows[0][0] not in "-–−/")
