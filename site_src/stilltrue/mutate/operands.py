"""Shifts what a derived claim reckons with: each operand must be able to move it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from stilltrue.check.outcome import operand_of_claim
from stilltrue.derive import Expression, Operand, parse
from stilltrue.model import Claim, DeriveSource, Found, Judgement
from stilltrue.mutate import beyond, ladder
from stilltrue.mutate.again import drifts_with_operands
from stilltrue.mutate.outcome import Kind, Survivor, Tally
from stilltrue.quantity import Quantity, Units, show_value


def shift_operands(
    claim: Claim,
    source: DeriveSource,
    found: Found,
    judgements: Mapping[str, Judgement],
    units: Units,
    tally: Tally,
) -> None:
    """Judge a derived claim that agrees on shifted operands, and note in the tally what it did not notice."""
    expression = parse(source.derive, units)
    operands = {name: operand_of_claim(judgements[name]) for name in expression.operands}
    share = ladder.share_to_move(claim, found)
    for name, operand in operands.items():
        if not any(
            _moves(claim, expression, {**operands, name: other}, tally) for other in _others(operand, share)
        ):
            was = show_value(operand.low)
            _survives(claim, was, f"whatever its operand `{name}` is (now `{was}`)", tally)


def _moves(claim: Claim, expression: Expression, operands: Mapping[str, Operand], tally: Tally) -> bool:
    tally.mutations += 1
    return drifts_with_operands(claim, expression, operands)


def _others(operand: Operand, share: Fraction) -> Iterator[Operand]:
    """An operand more and less by a share of itself, further each time."""
    low, high = operand
    signed = beyond.may_be_negative(low.unit) or low.number < 0
    for factor in ladder.factors(share):
        lows = ladder.shifted(low.number, factor, signed=signed)
        highs = ladder.shifted(high.number, factor, signed=signed)
        for one, other in zip(lows, highs, strict=False):
            yield Operand(Quantity(one, low.unit), Quantity(other, high.unit))


def _survives(claim: Claim, was: str, message: str, tally: Tally) -> None:
    tally.survivors.append(
        Survivor(
            claim.id,
            claim.place,
            Kind.READING,
            "reading-unmoved",
            was,
            "",
            f"`{claim.id}` holds {message}",
            "take it out of `derive`, or state a value that it can move",
        )
    )
