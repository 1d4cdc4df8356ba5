"""The first quantity in the text of a link."""

from __future__ import annotations

import re

from stilltrue.errors import InputError
from stilltrue.quantity.amounts import read_amount
from stilltrue.quantity.lists import items_of, list_amounts
from stilltrue.quantity.mistyped import ends_as_name, mistyped
from stilltrue.quantity.plain import plain_stated
from stilltrue.quantity.shapes import PREFIX, Shape, read_shape
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Form, Stated, Text

_MONEY = r"(?:(?:US)?\$|[€£¥₹]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR) )"
_GLUE = r"\w.,:;/@#§^\\\-−–+$€£¥₹‐‑"
_CANDIDATE = re.compile(
    rf"(?P<clear>(?:(?<![{_GLUE}])|(?<=\b_)|(?<=\b__))"
    rf"(?:{PREFIX.pattern.replace('?P<sign>', '?:').replace('?P<word>', '?:')})?"
    rf"[+\-−]?{_MONEY}?\.?[0-9])|(?<![0-9])[0-9]|(?![0-9])\d",
    re.IGNORECASE,
)
"""Where a number may begin: after a blank or a bracket, glued to what is before it, or in other digits."""

_RUN = re.compile(r"[\w.,:/\-−–+^$]*")
_DIGITS = re.compile(r"[0-9]*")
_LONGEST = 10_000
_SPACES = " \u00a0\u202f\u2009"
_WRONG_SIGN = re.compile(r"(?:\A|[\s(\[*_`\"'])–+\Z|[$€£¥₹][+\-−–]*\Z")
"""Before a number: a dash that stands where a minus should, or a currency that is not understood (`C$66`)."""

_REFERENCE = re.compile(
    r"(?:\w|\b(?:issues?|bugs?|tickets?|pull|pr|prs|request|requests|commit) ?)#\Z", re.IGNORECASE
)
_LIST_GOES_ON = re.compile(r"[\w^]|[.,:]?[0-9]|[-–−/]\w")
_HYPHENS = frozenset("-‐‑–−")
_LOOK_BACK = 20


def first_quantity(text: str, units: Units) -> Stated | None:
    """The first quantity in a prose link's text, its prefix included, None where there is none.

    Names with digits in them (`sm80`, `H100`, `v4.3`, `7B-chat`), versions and dates are no quantities.
    Things counted are read as bare numbers (`205 target modules` is 205), since their nouns are not compared.

    A number that is mistyped (`66,5 %`, `16:00h`, `5 secnds`) comes back as a text, `Form.TEXT`, which agrees
    with no number.
    """
    text = text[:_LONGEST]
    plain = plain_stated(text, units, BARE)
    if plain is not None:
        return plain
    start = 0
    while candidate := _CANDIDATE.search(text, start):
        at = candidate.start()
        clear = candidate["clear"] is not None
        if clear or _is_number(text, at, units):
            stated = _at(text, at, candidate.end(), units)
            if stated is not None:
                return stated
        run = _RUN.match(text, candidate.end()) if clear else _DIGITS.match(text, candidate.end())
        start = run.end() if run else candidate.end()
    return None


def _at(text: str, start: int, digit: int, units: Units) -> Stated | None:
    """The quantity at `start`, a text where it is mistyped, None where its digits belong to a name."""
    try:
        shape = read_shape(text, start, units)
    except InputError:  # more digits than any measurement
        shape = None
    if shape is None or _wrong_sign(text, start):
        return _text(mistyped(text, start, digit, units))
    listed = _list_at(text, start, shape, units)
    if listed is not None:
        return listed
    shape = _hyphenated(text, shape, units)
    if ends_as_name(text, start, shape, units):
        return None
    wrong = mistyped(text, start, digit, units, shape)
    return _text(wrong) if wrong else shape.stated(text[start : shape.end])


def _text(written: str) -> Stated:
    return Stated(written, Form.TEXT, (), BARE, None, Text(written))


def _list_at(text: str, start: int, shape: Shape, units: Units) -> Stated | None:
    """The list that begins with the number that was read: `5/11/17`."""
    if shape.prefixed or len(shape.amounts) > 1:
        return None
    if text[shape.end : shape.end + 2].lstrip(" ")[:1] != "/":
        return None
    listed = list_amounts(text, start, units)
    if listed is None or _LIST_GOES_ON.match(text, listed[1]):
        return None
    return Stated(text[start : listed[1]], Form.LIST, (), BARE, None, items_of(listed[0]))


def _hyphenated(text: str, shape: Shape, units: Units) -> Shape:
    """`6-second step` is 6 seconds: the unit behind the hyphen taken for the number's own."""
    last = shape.amounts[-1]
    if shape.unit is not BARE or last.clock or text[shape.end : shape.end + 1] not in _HYPHENS:
        return shape
    found = units.longest(text, shape.end + 1)
    if found is None:
        return shape
    amounts = tuple(amount._replace(unit=found[0]) for amount in shape.amounts)
    return shape._replace(amounts=amounts, unit=found[0], end=found[1])


def _wrong_sign(text: str, start: int) -> bool:
    """Whether what stands before a number keeps it from being one: `–66 %`, `C$66`."""
    return bool(_WRONG_SIGN.search(text[max(0, start - _LOOK_BACK) : start]))


def _is_number(text: str, at: int, units: Units) -> bool:
    """Whether digits that are glued to what stands before them are a number all the same.

    After `:`, `;`, `,`, `#` or a dash they are; a `%` or a unit of its own shows it anywhere else.
    """
    glue = text[at - 1 : at]
    if not text[at].isascii() or _wrong_sign(text, at):
        return True
    before = text[max(0, at - _LOOK_BACK) : at]
    if glue in {":", "–"} or (glue in {",", ";"} and not before[-2:-1].isdigit()):
        return True
    if glue == "#" and not _REFERENCE.search(before):
        return True
    try:
        amount = read_amount(text, at, units)
    except InputError:
        return False
    if amount is None or amount.unit is BARE or amount.unit.noun:
        return False
    if amount.unit.symbol == "%":
        return True
    return not (glue.isalnum() or glue == "_") and text[amount.digits_end : amount.digits_end + 1] in tuple(
        _SPACES
    )
