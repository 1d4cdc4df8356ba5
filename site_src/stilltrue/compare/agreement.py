"""Whether stated and found agree, and if not, what to say and what to do."""

from __future__ import annotations

import re
from typing import NamedTuple

from stilltrue.compare import rows
from stilltrue.compare.hints import drift_hint, unit_hint
from stilltrue.model import Found
from stilltrue.quantity import (
    Flag,
    Form,
    Items,
    NonFinite,
    Quantity,
    Stated,
    Text,
    Tolerance,
    Unit,
    Value,
    found_text,
    same_dimension,
    show_value,
)


class Agreement(NamedTuple):
    """What comparing stated and found came to.

    Attributes:
        agrees: Whether they agree.
        comparable: Whether they could be compared: if not, the claim is broken rather than drifted.
        code: The code of the message, a key of `codes.CODES`; empty where they agree.
        message: What is wrong, in one clause.
        hint: What to do next; may be empty.
    """

    agrees: bool
    comparable: bool
    code: str
    message: str
    hint: str


AGREES = Agreement(agrees=True, comparable=True, code="", message="", hint="")
_DRIFTED = Agreement(agrees=False, comparable=True, code="drifted", message="", hint="")


_NUMBER_FIRST = re.compile(r"[+\-−]?\.?[0-9]")
_DIGIT = re.compile(r"[0-9]")
_ALONE_HINT = "let the read take the number alone, and give it a `unit`"
_SUM = re.compile(r"(?:[0-9.]+\s?[^\W\d_]+[\s,]*){2,}")
_SUM_HINT = "read each part under a name, with its own `unit`, and add them: `derive: minutes + seconds`"


def agree(
    stated: Stated, found: Found, tolerance: Tolerance | None = None, *, explained: bool = True
) -> Agreement:
    """Whether found agrees with stated, by the row of the table for the form in which it is stated.

    Args:
        stated: The value on the page.
        found: What the readings came to: one value, an interval, or for a range or a `±` all readings.
        tolerance: How far found may be from a plain stated number, in place of rounding.
        explained: Whether the message and the hint of two numbers that part are wanted: they take most of
            the time.
    """
    low, high = found.low, found.high
    if tolerance is None and stated.form is Form.NUMBER and low is high and isinstance(low, Quantity):
        unit = low.unit
        alike = unit.dimension == stated.unit.dimension or same_dimension(unit, stated.unit)
        if alike and rows.fits(stated, low, rounds=found.rounds):
            return AGREES
        if alike and not explained:
            return _DRIFTED
    return _judge(stated, found, tolerance, explained)


def _judge(stated: Stated, found: Found, tolerance: Tolerance | None, explained: bool) -> Agreement:
    spread = stated.form is Form.SPREAD
    values = (found.low, found.high) if not spread or found.spread is None else found.spread
    for value in values:
        if _holds_non_finite(value):
            return _not_finite(value)
    if not stated.numerals:
        return _equal(stated, values)
    for value in values:
        if not isinstance(value, Quantity):
            return _other_kind(stated, value)
        if not same_dimension(value.unit, stated.unit):
            return other_dimension(stated.unit, value)
    if spread:
        return _spread(stated, found)
    return _numbers(stated, found, tolerance, explained)


def _numbers(stated: Stated, found: Found, tolerance: Tolerance | None, explained: bool) -> Agreement:
    low, high = found.low, found.high
    if not isinstance(low, Quantity) or not isinstance(high, Quantity):
        return _other_kind(stated, low)
    ends = rows.ends_in(stated.unit, low, high, rounds=found.rounds)
    if tolerance is None:
        fits = rows.holds(stated, ends)
    else:
        wrong = _wrong_tolerance(stated, tolerance)
        if wrong is not None:
            return wrong
        fits = rows.within(stated, ends, tolerance)
    if fits:
        return AGREES
    if not explained:
        return _DRIFTED
    return _drifted(stated, found, drift_hint(stated, low, high, found.rounds, tolerance))


def _spread(stated: Stated, found: Found) -> Agreement:
    """Mean and sample standard deviation of the readings against the two numbers of a `±`."""
    if found.spread is None:
        return Agreement(
            agrees=False,
            comparable=False,
            code="one-reading",
            message=f"`{stated.text}` states a mean and its deviation, and there are no readings for them",
            hint="state one number, or read all of them",
        )
    parts = (part.to(stated.unit) for part in found.spread if isinstance(part, Quantity))
    fit = all(rows.rounds_to(p, stated, n) for p, n in zip(parts, stated.numerals, strict=True))
    return AGREES if fit else _drifted(stated, found, "")


def _equal(stated: Stated, values: tuple[Value, ...]) -> Agreement:
    """Yes or no, text and lists: equal or not."""
    for value in values:
        if isinstance(value, Items) and isinstance(stated.value, Items):
            apart = _items_apart(stated.value, value)
            if apart is not None:
                return apart
        if not _same(stated, value):
            shown = show_value(value)
            hint = "" if type(value) is type(stated.value) else _kind_hint(stated.value, value)
            return _says(stated, shown, hint)
    return AGREES


def _items_apart(stated: Items, found: Items) -> Agreement | None:
    """The first pair of items whose units cannot be compared, as what to say of it."""
    pairs = zip(stated.items, found.items, strict=False)
    numbers = ((a, b) for a, b in pairs if isinstance(a, Quantity) and isinstance(b, Quantity))
    return next((other_dimension(a.unit, b) for a, b in numbers if not same_dimension(a.unit, b.unit)), None)


def _same(stated: Stated, value: Value) -> bool:
    if isinstance(value, Text) and isinstance(stated.value, Text):
        return value.text.strip() in {stated.value.text, stated.text.strip()}
    return equal_values(stated.value, value)


def equal_values(one: Value, other: Value) -> bool:
    """Equal as values; two numbers by their worth, whatever their units."""
    if isinstance(one, Quantity) and isinstance(other, Quantity):
        return same_dimension(one.unit, other.unit) and one.base == other.base
    if isinstance(one, Items) and isinstance(other, Items):
        alike = len(one.items) == len(other.items)
        return alike and all(equal_values(a, b) for a, b in zip(one.items, other.items, strict=True))
    return type(one) is type(other) and one == other


def _holds_non_finite(value: Value) -> bool:
    if isinstance(value, Items):
        return any(_holds_non_finite(item) for item in value.items)
    return isinstance(value, NonFinite)


def _not_finite(value: Value) -> Agreement:
    return Agreement(
        agrees=False,
        comparable=False,
        code="not-finite",
        message=f"the evidence holds `{show_value(value)}`, which agrees with nothing",
        hint="find out what went wrong in that run, or read another number",
    )


def other_dimension(unit: Unit, value: Quantity) -> Agreement:
    """Stated and found cannot be compared: milliseconds against bytes, a count against a time."""
    return Agreement(
        agrees=False,
        comparable=False,
        code="unit-mismatch",
        message=f"stated is {_counted_in(unit)}, found (`{show_value(value)}`) is {_counted_in(value.unit)}",
        hint=unit_hint(unit, value),
    )


def _counted_in(unit: Unit) -> str:
    if unit.symbol and not unit.noun:
        return f"in `{unit.symbol}`"
    return f"a count of {unit.symbol}" if unit.noun else "a number without a unit"


def _other_kind(stated: Stated, value: Value) -> Agreement:
    """A number is stated, and something else was found."""
    if isinstance(value, Text) and _NUMBER_FIRST.match(value.text.strip()):
        return Agreement(
            agrees=False,
            comparable=False,
            code="not-a-number",
            message=f"the evidence says `{_short(value.text)}`, which is no number with a known unit",
            hint=_SUM_HINT if _SUM.fullmatch(value.text.strip()) else _ALONE_HINT,
        )
    return _says(stated, show_value(value), _kind_hint(stated.value, value))


def _kind_hint(stated: Value, found: Value) -> str:
    kinds = {Quantity: "a number", Text: "a text", Flag: "yes or no", Items: "a list", NonFinite: "no number"}
    apart = f"stated is {kinds[type(stated)]} and found is {kinds[type(found)]}"
    if isinstance(stated, Quantity) and isinstance(found, Text) and _DIGIT.search(found.text):
        return (
            f"{apart}: let a pattern take the number alone, in a group, `loss (\\S+)`; or read another value"
        )
    return f"{apart}: read another value, or state that one"


def _wrong_tolerance(stated: Stated, tolerance: Tolerance) -> Agreement | None:
    """What keeps a tolerance from being applied, None where nothing does."""
    if stated.form is not Form.NUMBER:
        message, hint = f"`{stated.text}` is no plain number, so it has no tolerance", "leave `tolerance` out"
    elif tolerance.relative:
        if stated.numerals[0].number:
            return None
        message, hint = "a percentage of 0 is no tolerance", "write an amount, such as `tolerance: 5 ms`"
    elif _amount_fits(stated.unit, tolerance.amount.unit):
        return None
    else:
        shown = stated.unit.symbol
        message = (
            f"the tolerance `{tolerance.text}` does not fit a value in `{shown}`"
            if shown
            else (f"the tolerance `{tolerance.text}` does not fit a number without a unit")
        )
        hint = (
            f"write it in `{'pp' if shown == '%' else shown}`"
            if shown
            else "write it without a unit, or in %"
        )
    return Agreement(agrees=False, comparable=False, code="bad-tolerance", message=message, hint=hint)


def _amount_fits(stated: Unit, amount: Unit) -> bool:
    """Units are never guessed: a bare tolerance fits what is stated in ones."""
    if not amount.symbol:
        return stated.scale == 1 and same_dimension(stated, amount)
    return same_dimension(stated, amount)


def _drifted(stated: Stated, found: Found, hint: str) -> Agreement:
    return _says(stated, _found_text(stated, found), hint)


def _says(stated: Stated, shown: str, hint: str) -> Agreement:
    return Agreement(
        agrees=False,
        comparable=True,
        code="drifted",
        message=f"stated is `{_short(stated.text)}`, found is `{_short(shown)}`",
        hint=hint,
    )


def _found_text(stated: Stated, found: Found) -> str:
    return found_text(stated, found.low, found.high, found.spread, apart=True)


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:80]}…"  # a line's worth
