"""What to write in the place of a number: what was found, in the author's format, so that it agrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import NamedTuple

from stilltrue.compare import agree, agree_link
from stilltrue.errors import InputError
from stilltrue.model import Claim, Found
from stilltrue.quantity import (
    Form,
    Items,
    NonFinite,
    Quantity,
    Stated,
    Text,
    Unit,
    Units,
    Value,
    format_like,
    parse_stated,
)
from stilltrue.quantity.marks import strip_marks
from stilltrue.quantity.style import exchanged, numerals_like

_SINGLE = frozenset({Form.NUMBER, Form.ABOUT, Form.EXACTLY})
_MOST_MORE = 12
"""How many decimals more than the author's are tried, where his would not agree, or would say 0."""


class Rewording(NamedTuple):
    """A text and the one that takes its place.

    Attributes:
        old: The text as it is read, Markdown marks removed.
        new: The text as it is to be read.
        pieces: What changes in it, in order: each with what is written instead.
    """

    old: str
    new: str
    pieces: tuple[tuple[str, str], ...]


def of_value(
    claim: Claim, found: Found, units: Units, unit: Unit | None = None, *, plain: bool = False
) -> Rewording | None:
    """How a claim's own value says what was found; None where no text in its format agrees.

    Args:
        claim: The claim.
        found: What was found.
        units: The known units.
        unit: The unit of a value that is bare where it is stated.
        plain: Whether programs may read the place too: then no separator is put where none was.
    """
    stated = claim.stated

    def fits(new: str) -> Stated | None:
        again = _read(new, units, unit)
        if again is None or not same_format(again, stated):
            return None
        return again if agree(again, found, claim.tolerance, explained=False).agrees else None

    return _first_that_fits(stated.text, _Way(stated, _values(stated, found), found.rounds, plain), fits)


Reader = Callable[[str], Stated | None]
"""The quantity that a text holds, None where it holds none."""


def of_text(
    text: str, claim: Claim, found: Found, reader: Reader, *, plain: bool = False
) -> Rewording | None:
    """How the text of a link, or of a copy, says what was found; None where nothing like it agrees.

    Args:
        text: The text, Markdown marks removed.
        claim: The claim that it is bound to.
        found: What was found.
        reader: What its first quantity is.
        plain: As for `of_value`.
    """
    if isinstance(found.low, Text):
        new = found.low.text
        if not isinstance(claim.stated.value, Text):  # a word in its place would be judged no more
            return None
        return Rewording(text, new, ((text, new),)) if found.low == found.high and new != text else None
    written = reader(text)
    if written is None or written.form is Form.TEXT:
        return None
    style, values, rounds = _meant(written, claim.stated, found)

    def fits(new: str) -> Stated | None:
        again = reader(new)
        if again is None or not same_format(again, written):
            return None
        agreement = agree_link(again, claim.stated, found, claim.tolerance, new, explained=False)
        return again if agreement.agrees else None

    return _first_that_fits(text, _Way(style, values, rounds, plain), fits)


def _read(text: str, units: Units, unit: Unit | None) -> Stated | None:
    try:
        return parse_stated(text, units, unit)
    except InputError:
        return None


def _values(stated: Stated, found: Found) -> tuple[Value, ...]:
    """What goes into the place of each numeral; nothing where several values were found for one."""
    if stated.form is Form.RANGE:
        return (found.low, found.high)
    if stated.form is Form.SPREAD:
        return found.spread or ()
    return (found.low,) if found.low == found.high else ()


def _meant(written: Stated, stated: Stated, found: Found) -> tuple[Stated, tuple[Value, ...], bool]:
    """How a number in prose is meant: as an end of the claim's range, its mean, or under its bound."""
    if written.form in _SINGLE and stated.form is Form.RANGE:
        number = written.numerals[0].number * written.unit.scale
        first, last = (abs(each.number * stated.unit.scale - number) for each in stated.numerals)
        return written, (found.low if first <= last else found.high,), found.rounds
    if written.form in _SINGLE and stated.form is Form.SPREAD and found.spread is not None:
        return written, found.spread[:1], True
    if written.form in _SINGLE and stated.form is Form.BOUND and found.low == found.high:
        return replace(written, form=Form.BOUND, sign=stated.sign), (found.low,), found.rounds
    return written, _values(written, found), found.rounds


class _Way(NamedTuple):
    """What is to be said, and how.

    Attributes:
        style: The quantity whose format is kept.
        values: What goes into the place of each numeral.
        rounds: Whether a whole number may be a value rounded.
        plain: Whether no separator is put where none was: a script or JSON would break on it.
    """

    style: Stated
    values: tuple[Value, ...]
    rounds: bool
    plain: bool


def _first_that_fits(text: str, way: _Way, fits: Callable[[str], Stated | None]) -> Rewording | None:
    """The first way of writing the values that agrees; one that says 0 of what is not only in need."""
    style, values = way.style, way.values
    if not values or any(isinstance(value, NonFinite) for value in values):
        return None
    in_need: Rewording | None = None
    for core, pieces in _ways(way):
        for rewording in _placed(text, style, core, pieces):
            again = fits(rewording.new)
            if again is None or len(again.numerals) != len(style.numerals):
                continue
            if not _says_nothing(again, values):
                return rewording
            in_need = in_need or rewording
    return in_need


def _ways(way: _Way) -> Iterator[tuple[str, tuple[tuple[str, str], ...]]]:
    """Each way of writing values in a style: the whole text, and the pieces of it that change."""
    style, values = way.style, way.values
    if not style.numerals:
        core = _core(style)
        whole = format_like(values[0], style)
        if isinstance(values[0], Items):
            whole = _separated(whole, style.text, way)
        new = _core(replace(style, text=whole))
        yield whole, ((core, new),)
        return
    known: set[tuple[str, ...]] = set()
    for more in range(_MOST_MORE):
        written = numerals_like(values, style, rounds=way.rounds, more=more)
        texts = tuple(_separated(t, n.text, way) for n, t in zip(style.numerals, written, strict=False))
        whole = exchanged(style, texts)
        if texts and texts not in known and whole:
            known.add(texts)
            yield whole, tuple((n.text, t) for n, t in zip(style.numerals, texts, strict=True))


def _separated(text: str, own: str, way: _Way) -> str:
    """A number with the separators that it may have; `own` is the author's."""
    return text.replace(",", "") if way.plain and "," not in own else text


def _core(stated: Stated) -> str:
    return strip_marks(stated.text)


def _placed(text: str, style: Stated, core: str, pieces: tuple[tuple[str, str], ...]) -> Iterator[Rewording]:
    """The text with one occurrence of a quantity in it exchanged."""
    at = text.find(style.text)
    while at >= 0:
        yield Rewording(text, text[:at] + core + text[at + len(style.text) :], pieces)
        at = text.find(style.text, at + 1)


def _says_nothing(stated: Stated, values: tuple[Value, ...]) -> bool:
    """Whether a number says 0 of what is not: `0.0 ms` of 0.004 ms agrees, and tells nobody anything."""
    pairs = zip(stated.numerals, values, strict=False)
    return any(not numeral.number and isinstance(v, Quantity) and v.number for numeral, v in pairs)


def is_open(found: Found) -> bool:
    """Whether an interval was found, or what is no number: nothing that could be stated."""
    values = (found.low, found.high)
    return any(map(_holds_non_finite, values)) or (found.spread is None and found.low != found.high)


def _holds_non_finite(value: Value) -> bool:
    if isinstance(value, Items):
        return any(map(_holds_non_finite, value.items))
    return isinstance(value, NonFinite)


def same_format(one: Stated, other: Stated) -> bool:
    """Whether two values are written in one format: form, sign and unit."""
    return (one.form, one.sign, one.unit) == (other.form, other.sign, other.unit)
