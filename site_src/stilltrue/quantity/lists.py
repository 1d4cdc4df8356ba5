"""Lists of numbers: `5/11/17/23/29`, `5, 11, 17`, `1; 2; 3 ms`."""

from __future__ import annotations

import re

from stilltrue.quantity.amounts import Amount, read_amount
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Items, Quantity

SEPARATOR = re.compile(r" ?/ ?|, | ?; ?")
"""What stands between two numbers of a list."""

BRACKETS = frozenset({"[]", "()"})
"""What may stand around a list."""


def read_list(text: str, units: Units) -> Items | None:
    """The list that `text` is, None where it is none; a unit after the last number alone is everyone's.

    Raises:
        InputError: `bad-value`: a number has too many digits.
    """
    inner = text[1:-1].strip() if text[:1] + text[-1:] in BRACKETS else text
    found = list_amounts(inner, 0, units)
    return items_of(found[0]) if found and found[1] == len(inner) else None


def list_amounts(text: str, start: int, units: Units) -> tuple[tuple[Amount, ...], int] | None:
    """Two or more numbers from `start` with the same sign between them, and the place after the last."""
    amounts: list[Amount] = []
    separator, end = "", start
    amount = read_amount(text, start, units)
    while amount is not None:
        amounts.append(amount)
        end = amount.end
        between = SEPARATOR.match(text, end)
        if between is None or (separator and between[0].strip() != separator):
            break
        separator = between[0].strip()
        amount = read_amount(text, between.end(), units)
    return (tuple(amounts), end) if len(amounts) > 1 else None


def items_of(amounts: tuple[Amount, ...]) -> Items:
    """The values of a list; a unit after the last number alone is everyone's."""
    shared = amounts[-1].unit
    bare = all(amount.unit is BARE for amount in amounts[:-1])
    return Items(tuple(Quantity(a.numeral.number, shared if bare else a.unit) for a in amounts))
