"""Shifts what the docs say: each stated value, and each number that prose binds to it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from stilltrue.compare import agree_link
from stilltrue.model import Claim, Found, Judgement, Link, Reading
from stilltrue.mutate import beyond
from stilltrue.mutate.again import moved_by_stating
from stilltrue.mutate.outcome import Kind, Survivor, Tally
from stilltrue.mutate.restate import restatements, shown
from stilltrue.quantity import Form, Stated, Text, Units, first_quantity

_SINGLE = frozenset({Form.NUMBER, Form.ABOUT, Form.EXACTLY})


def shift_stated(claim: Claim, judgement: Judgement, found: Found, units: Units, tally: Tally) -> None:
    """Judge a claim that agrees with other stated values, and note in the tally what it did not notice."""
    if _reads_itself(claim, judgement.readings):
        tally.survivors.append(_own_reading(claim))
        return
    held = []
    for other in restatements(claim.stated, found, claim.tolerance, units):
        tally.mutations += 1
        if not moved_by_stating(claim, other, found):
            held.append(other)
    if held:
        within = f" within `{claim.tolerance.text}`" if claim.tolerance else ""
        tally.survivors.append(
            Survivor(
                claim.id,
                claim.place,
                Kind.STATED,
                "stated-unmoved",
                claim.stated.text,
                held[0].text,
                f"`{claim.id}` states `{claim.stated.text}`{within}, and holds with {shown(held)} as well",
                "narrow its `tolerance`, or state a bound",
            )
        )


def _reads_itself(claim: Claim, readings: Iterable[Reading]) -> bool:
    """Whether a reading stands where the value is stated: shifting the one shifts the other."""
    return any(
        (reading.path, reading.line) == claim.place
        or (reading.path == claim.block.path and claim.block.line <= reading.line <= claim.end)
        for reading in readings
        if reading.line
    )


def _own_reading(claim: Claim) -> Survivor:
    return Survivor(
        claim.id,
        claim.place,
        Kind.STATED,
        "reads-itself",
        claim.stated.text,
        "",
        f"`{claim.id}` reads its value from where it is stated, so it holds whatever is stated",
        "read it from what was measured",
    )


def shift_link(link: Link, judgement: Judgement, found: Found, units: Units, tally: Tally) -> None:
    """Judge a bound number that agrees with other numbers in its place."""
    written = first_quantity(link.text, units)
    if written is None or written.form is Form.TEXT or isinstance(found.low, Text):
        return
    claim = judgement.claim
    for other in _numbers_for(written, claim, found, units):
        tally.mutations += 1
        text = link.text.replace(written.text, other.text, 1)
        if agree_link(other, claim.stated, found, claim.tolerance, text, explained=False).agrees:
            tally.survivors.append(_unmoved_link(link, claim, text))
            return


def _numbers_for(written: Stated, claim: Claim, found: Found, units: Units) -> Iterator[Stated]:
    """What a link's number is shifted to: as if it were the claim's own value.

    Next to a bound it need only be true, so that it is shifted to the failing side alone, past what rounds
    to it. A claim's tolerance counts from the written number.
    """
    if written.form not in _SINGLE:
        yield from restatements(written, found, None, units)
        return
    if claim.stated.form is Form.SPREAD and found.spread is not None:
        found = Found(found.spread[0], found.spread[0], rounds=True)
    tolerance = claim.tolerance if written.form is not Form.EXACTLY else None
    plain = replace(written, form=Form.NUMBER) if tolerance else written
    for other in restatements(plain, found, tolerance, units):
        if _fails_beside_bound(other, claim, found):
            yield replace(other, form=written.form)


def _fails_beside_bound(other: Stated, claim: Claim, found: Found) -> bool:
    """Whether a number that does not round to found is wrong beside the claim's bound, if that is one."""
    if claim.stated.form is not Form.BOUND:
        return True
    span = beyond.span_of(other, found)
    if span is None:
        return False
    number = other.numerals[0].number
    return number > span.high if claim.stated.sign in beyond.LOWER else number < span.low


def _unmoved_link(link: Link, claim: Claim, text: str) -> Survivor:
    return Survivor(
        claim.id,
        link.place,
        Kind.LINK,
        "link-unmoved",
        link.text,
        text,
        f"the text says `{link.text}`, and `{text}` would agree with `{claim.id}` as well",
        "write the number with the digits that were found, or narrow the claim's `tolerance`",
    )
