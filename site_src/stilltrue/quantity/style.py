"""Found values written back the way the author writes: digits, separators, powers of ten, unit, marks."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from stilltrue.quantity.algebra import same_dimension
from stilltrue.quantity.lists import BRACKETS, SEPARATOR
from stilltrue.quantity.marks import drop_inner_marks, strip_marks
from stilltrue.quantity.numerals import NUMBER, read_number
from stilltrue.quantity.show import show_value
from stilltrue.quantity.spans import is_count
from stilltrue.quantity.values import Flag, Form, Items, Numeral, Quantity, Stated, Text, Value
from stilltrue.quantity.writing import decimals_of, exact_decimals, stated_text, write_like

_MOST_DECIMALS = 30
_ROUGHLY = 3
"""Decimals of a whole count that is found to have endless ones."""


def format_like(value: Value, stated: Stated, *, rounds: bool = False) -> str:
    """`value` as the author of `stated` would write it.

    Prefix, marks, unit, separators and the number of decimals stay; a bound is rounded to the side on which
    it is true; a whole count keeps the decimals that were found, unless `rounds` says that it may be rounded.

    Args:
        value: What was found; for a range or a `±` the `Items` of its two numbers.
        stated: The value whose style is followed.
        rounds: Whether a whole stated number may be this value rounded.

    Returns:
        The text; `show_value` of it where the value cannot be said in that form or unit.
    """
    if stated.form in {Form.RANGE, Form.SPREAD}:
        pair = value.items if isinstance(value, Items) and len(value.items) == len(stated.numerals) else ()
        return _numbers(pair, stated, rounds) or show_value(value)
    if stated.numerals:
        return _numbers((value,), stated, rounds) or show_value(value)
    return _worded(value, stated) or show_value(value)


def _worded(value: Value, stated: Stated) -> str:
    """Yes or no, a text, a list; empty where the value is none of what is stated."""
    core = strip_marks(stated.text)
    written = ""
    if isinstance(value, Flag) and isinstance(stated.value, Flag):
        written = _flag_like(value.yes, core)
    elif isinstance(value, Text) and isinstance(stated.value, Text):
        written = value.text
    elif isinstance(value, Items) and isinstance(stated.value, Items):
        written = _list_like(value, stated.value, core)
    return stated.text.replace(core, written, 1) if written else ""


def _numbers(values: Sequence[Value], stated: Stated, rounds: bool) -> str:
    """The stated text with its numbers exchanged; empty where that cannot be done."""
    return exchanged(stated, numerals_like(values, stated, rounds=rounds))


def numerals_like(
    values: Sequence[Value], stated: Stated, *, rounds: bool = False, more: int = 0
) -> tuple[str, ...]:
    """The texts of a stated value's numerals for other values, each in its author's style.

    Args:
        values: One for each numeral.
        stated: The value whose style is followed.
        rounds: Whether a whole stated number may be a value rounded.
        more: How many decimals more than the author's; a clock time and a power of ten take none.

    Returns:
        The texts; none where a value cannot be said in the stated unit.
    """
    texts: list[str] = []
    for value, numeral in zip(values, stated.numerals, strict=False):
        if not isinstance(value, Quantity) or not same_dimension(value.unit, stated.unit):
            return ()
        number = value.to(stated.unit)
        decimals = _decimals(number, stated, numeral, rounds)
        if more:
            decimals = (decimals or decimals_of(numeral)) + more
        texts.append(stated_text(number, stated, numeral, decimals))
    return tuple(texts)


def _decimals(number: Fraction, stated: Stated, numeral: Numeral, rounds: bool) -> int | None:
    """How many decimals are needed where rounding would not agree, None where the author's own will do."""
    count = stated.form is Form.NUMBER and is_count(stated) and not rounds
    if stated.form is not Form.EXACTLY and not count:
        return None
    exact = exact_decimals(number, numeral, _MOST_DECIMALS)
    return _ROUGHLY if exact is None and count else exact


def exchanged(stated: Stated, texts: Sequence[str]) -> str:
    """The stated text with its numerals exchanged; empty where they cannot be found in it."""
    return _exchanged(stated.text, stated.numerals, texts) or _exchanged(
        drop_inner_marks(stated.text), stated.numerals, texts
    )


def _exchanged(text: str, numerals: Sequence[Numeral], texts: Sequence[str]) -> str:
    """`text` with each numeral exchanged; empty where one of them is not in it as it was read."""
    done, start = "", 0
    for numeral, written in zip(numerals, texts, strict=False):
        at = text.find(numeral.text, start)
        if at < 0:
            return ""
        done += text[start:at] + written
        start = at + len(numeral.text)
    return done + text[start:] if texts else ""


def _flag_like(yes: bool, core: str) -> str:
    word = ("yes", "no")[not yes] if core.lower() in {"yes", "no"} else ("true", "false")[not yes]
    if core.isupper():
        return word.upper()
    return word.capitalize() if core[:1].isupper() else word


def _list_like(value: Items, stated: Items, core: str) -> str:
    """Each number in the style of the one that stood in its place, the last with what followed the last."""
    opened, closed = (core[0], core[-1]) if core[:1] + core[-1:] in BRACKETS else ("", "")
    inner = core[len(opened) : len(core) - len(closed)]
    separator = SEPARATOR.search(inner)
    if separator is None or not value.items:
        return ""
    parts = inner.split(separator[0])
    last = len(value.items) - 1
    styles = [parts[-1] if at == last else parts[min(at, len(parts) - 2)] for at in range(last + 1)]
    units = stated.items[0]
    written = [_item_like(item, style, units) for item, style in zip(value.items, styles, strict=True)]
    if not all(written):
        return ""
    return opened + separator[0].join(written) + closed


def _item_like(item: Value, style: str, unit_of: Value) -> str:
    match = NUMBER.search(style)
    read = read_number(style, match.start()) if match else None
    if match is None or read is None or not isinstance(item, Quantity) or not isinstance(unit_of, Quantity):
        return ""
    if not same_dimension(item.unit, unit_of.unit):
        return ""
    number = item.to(unit_of.unit)
    written = write_like(number, read[0], decimals=exact_decimals(number, read[0], _MOST_DECIMALS))
    return style[: match.start()] + written + style[match.end() :]
