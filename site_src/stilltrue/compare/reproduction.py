"""Whether a fresh run gives what the evidence says."""

from __future__ import annotations

from stilltrue.compare.agreement import equal_values
from stilltrue.model import Found
from stilltrue.quantity import Form, Quantity, Stated, Tolerance, Value, same_dimension


def reproduced(stated: Stated, recorded: Found, fresh: Found, margin: Tolerance | None) -> bool:
    """Whether what a fresh run came to is near enough to what the evidence came to.

    Both ends of a range or an interval are compared, for a `±` mean and deviation; there a percentage is of
    the mean for both, since a deviation of a few readings moves by far more than they do.

    Args:
        stated: What the claim states; its form says what is compared.
        recorded: What the evidence came to.
        fresh: What the files of the fresh run came to.
        margin: The claim's `reproduces`; None where the two must be equal.
    """
    if stated.form is Form.SPREAD and recorded.spread and fresh.spread:
        ours, theirs = recorded.spread, fresh.spread
        return all(_near(a, b, margin, recorded.spread[0]) for a, b in zip(ours, theirs, strict=True))
    ends = (recorded.low, fresh.low), (recorded.high, fresh.high)
    return all(_near(a, b, margin, a) for a, b in ends)


def _near(one: Value, other: Value, margin: Tolerance | None, whole: Value) -> bool:
    """Whether two values are equal, or within a margin; a percentage is of `whole`."""
    if margin is None or not isinstance(one, Quantity) or not isinstance(other, Quantity):
        return equal_values(one, other)
    if not same_dimension(one.unit, other.unit):
        return False
    room = margin.amount.base
    if margin.relative:
        room *= abs(whole.base) if isinstance(whole, Quantity) else 0
    return abs(one.base - other.base) <= room
