"""What readings and operands are shifted to: from just enough to make a difference, up to far beyond."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from stilltrue.model import Claim, Found
from stilltrue.mutate import beyond
from stilltrue.mutate.restate import others
from stilltrue.quantity import Quantity, Unit, Value

MOST_STEPS = 200_000
"""About how many readings are looked at again for one claim: of many readings, a part is shifted."""

FEWEST = 8
"""How many of a claim's readings are shifted at least, however many there are."""

_MULTIPLES = (1, 3, 10, 100)
_SHARES = (Fraction(1, 2), Fraction(1), Fraction(10), Fraction(1000), Fraction(10**6))


def chosen(count: int) -> list[int]:
    """Which of so many readings are shifted: all, or of very many as many as can be paid for.

    Each is judged with all others, so that the work grows with the square: of more than some four hundred the
    first, the last and evenly spaced ones are chosen.
    """
    most = max(FEWEST, MOST_STEPS // max(count, 1))
    if count <= most:
        return list(range(count))
    return sorted({at * (count - 1) // (most - 1) for at in range(most)})


def share_to_move(claim: Claim, found: Found) -> Fraction:
    """By which share of itself what was found must move not to agree any more; 1 % where it is no number."""
    span = beyond.span_of(claim.stated, found)
    if span is None or not (span.low and span.high):
        return Fraction(1, 100)
    targets = beyond.outside(claim.stated, rounds=found.rounds, tolerance=claim.tolerance)
    up = abs(targets.up / span.high - 1) if targets.up is not None else None
    down = abs(targets.down / span.low - 1) if targets.down is not None else None
    return min(each for each in (up, down) if each is not None)


def alone(
    numbers: list[Quantity], at: int, unit: Unit, span: beyond.Span, outside: beyond.Outside
) -> Iterator[Value]:
    """The values that one of several readings is shifted to, the failing side first."""
    one = numbers[at]
    bases = [each.base for each in numbers]
    apart = (max(bases) - min(bases)) / one.unit.scale
    room = max(abs(t - end) for t, end in zip(outside, (span.high, span.low), strict=True) if t is not None)
    by = room * unit.scale / one.unit.scale
    signs = (1, -1) if outside.up is not None else (-1, 1)
    for sign in signs:
        for step in _sums(by, len(numbers), apart):
            yield Quantity(one.number + sign * step, one.unit)


def together(
    numbers: list[Quantity], end: Fraction, aim: Fraction, unit: Unit, *, scale: bool
) -> dict[int, Value]:
    """All readings shifted so that what they come to, now `end`, comes to `aim`.

    They are multiplied, so that sums, means, extremes and deviations follow; where that cannot be, because
    they come to 0 or have signs, as much is added to each.
    """
    if scale and end:
        factor = aim / end
        return {at: Quantity(each.number * factor, each.unit) for at, each in enumerate(numbers)}
    by = (aim - end) * unit.scale
    return {at: Quantity(each.number + by / each.unit.scale, each.unit) for at, each in enumerate(numbers)}


def one_of(numbers: list[Quantity], at: int, share: Fraction) -> Iterator[Value]:
    """The values that one of several readings is shifted to where `derive` reckons with what they come to.

    A share of all of them together, so that a small one moves their sum or mean as much as a large one.
    """
    one = numbers[at]
    everything = sum((abs(each.base) for each in numbers), Fraction(0)) / one.unit.scale or Fraction(1)
    for factor in factors(share):
        yield Quantity(one.number + factor * everything, one.unit)
        yield Quantity(one.number - factor * everything, one.unit)


def scaled(numbers: list[Quantity], share: Fraction, *, signed: bool) -> Iterator[list[Value]]:
    """The readings multiplied up and down, further each time."""
    for factor in factors(share):
        pairs = [list(shifted(each.number, factor, signed=signed)) for each in numbers]
        for side in range(max(len(pair) for pair in pairs)):
            yield [
                Quantity(pair[min(side, len(pair) - 1)], each.unit)
                for pair, each in zip(pairs, numbers, strict=True)
            ]


def other(value: Value | None) -> Iterator[Value]:
    """What a reading among texts, flags, lists and what is no value is shifted to."""
    if not isinstance(value, Quantity):
        yield from others(value) if value is not None else ()
        return
    for factor in factors(Fraction(0)):
        for number in shifted(value.number, factor, signed=True):
            yield Quantity(number, value.unit)


def _sums(by: Fraction, count: int, spread: Fraction) -> Iterator[Fraction]:
    """How much one of several numbers may have to move for what they come to to move by `by`.

    As much for a sum, `count` times as much for a mean, past all others for an extreme or a median; and
    far more for what knows no such rule, a deviation.

    Args:
        by: How far what they come to must move.
        count: How many numbers there are.
        spread: How far apart the smallest and the largest are.
    """
    yield by
    if count > 1:
        yield by * count
        yield by * count + spread
        yield 1000 * (by * count + spread)


def factors(share: Fraction) -> Iterator[Fraction]:
    """By which shares of itself an operand is shifted where it is not known what it does.

    Args:
        share: By which share the result must move.
    """
    yield from dict.fromkeys([*(share * multiple for multiple in _MULTIPLES if share), *_SHARES])


def shifted(number: Fraction, share: Fraction, *, signed: bool) -> Iterator[Fraction]:
    """A number more and less by a share of itself; what is never negative stays at 0 or above.

    0 has no shares: it is shifted by the share itself.
    """
    by = abs(number) * share or share
    yield number + by
    lower = number - by
    if signed or number < 0 or (number > 0 and share <= 1):
        yield lower
