"""Whether the number in a prose link agrees with the claim that it is bound to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from stilltrue.compare.agreement import AGREES, Agreement, agree
from stilltrue.model import Found
from stilltrue.quantity import Form, Quantity, Sign, Stated, Text, Tolerance, Value
from stilltrue.quantity.marks import drop_inner_marks, strip_marks

_SINGLE = frozenset({Form.NUMBER, Form.ABOUT, Form.EXACTLY})
_UPWARD = frozenset({Sign.AT_LEAST, Sign.MORE_THAN})
_ALONE = "correct the number; when another number was meant, link that number alone"


def agree_link(
    written: Stated,
    claim_stated: Stated,
    found: Found | None,
    tolerance: Tolerance | None,
    text: str | None = None,
    *,
    explained: bool = True,
) -> Agreement:
    """Whether the first quantity of a link's text agrees as if it were the claim's own value.

    The claim's bound and tolerance apply, at the digits written in the link; a number that rounds to found
    is right in any case. A single number agrees with either end of a range, or with the mean of a `±`. What
    is a text agrees with the whole link text alone, and a mistyped number with no number.

    Args:
        written: The first quantity in the link's text.
        claim_stated: The claim's stated value.
        found: What was found; None for a claim that has nothing found, whose stated value is then taken.
        tolerance: The claim's tolerance.
        text: The whole text of the link; that of its first quantity where it is not given.
        explained: As for `agree`.
    """
    whole = written.text if text is None else text
    is_text = claim_stated.value if found is None else found.low
    if isinstance(is_text, Text):
        return AGREES if _plain(whole) == _plain(is_text.text) else _disagrees(written, None)
    if written.form is Form.TEXT:
        return _mistyped(written)
    if found is None:
        if claim_stated.form is Form.BOUND:
            return _same_bound(written, claim_stated)
        found = _found_of(claim_stated)
    worst: Agreement | None = None
    for stated, one, reach in _readings(written, claim_stated, found, tolerance):
        agreement = agree(stated, one, reach, explained=explained)
        if agreement.agrees:
            return AGREES
        worst = worst or agreement
    return _disagrees(written, worst, found.low)


def _readings(
    written: Stated, claim: Stated, found: Found, tolerance: Tolerance | None
) -> Iterator[tuple[Stated, Found, Tolerance | None]]:
    """The ways in which a written number can be true of what was found."""
    single = written.form in _SINGLE
    if single and claim.form is Form.SPREAD and found.spread is not None:
        mean = found.spread[0]
        yield written, Found(mean, mean, rounds=True), None
    elif single and claim.form is Form.RANGE:
        for end in (found.low, found.high):
            yield written, Found(end, end, found.rounds), None
    else:
        yield written, found, None
    if single and claim.form is Form.BOUND:
        yield replace(written, form=Form.BOUND, sign=claim.sign), found, None
    if tolerance is not None and written.form in {Form.NUMBER, Form.ABOUT}:
        yield replace(written, form=Form.NUMBER), found, tolerance


def _found_of(stated: Stated) -> Found:
    """A stated value taken for found: what a reported or superseded claim has."""
    ends = [Quantity(numeral.number, stated.unit) for numeral in stated.numerals]
    if stated.form is Form.SPREAD:
        return Found(ends[0], ends[0], spread=(ends[0], ends[1]))
    if stated.form is Form.RANGE:
        return Found(ends[0], ends[1])
    return Found(stated.value, stated.value)


def _same_bound(written: Stated, claim: Stated) -> Agreement:
    """A bound that nothing was found for: the same number, and no bound to the other side."""
    one = Found(claim.value, claim.value)
    if written.form is Form.BOUND:
        if (written.sign in _UPWARD) != (claim.sign in _UPWARD):
            return _disagrees(written, None)
        written = replace(written, form=Form.NUMBER, sign=None)
    agreement = agree(written, one)
    return AGREES if agreement.agrees else _disagrees(written, agreement)


def _plain(text: str) -> str:
    """A text without marks, its white space made one."""
    return " ".join(drop_inner_marks(strip_marks(text)).split())


def _mistyped(written: Stated) -> Agreement:
    """A number that no `value` may be."""
    return Agreement(
        agrees=False,
        comparable=False,
        code="link-disagrees",
        message=f"the text says `{written.text}`, which is no number that is understood",
        hint=f"`{written.text}` is no number that is understood: write it as a `value` is written, or link "
        "another text",
    )


def _disagrees(written: Stated, why: Agreement | None, found: Value | None = None) -> Agreement:
    if (
        why is not None
        and not why.comparable
        and not written.unit.symbol
        and isinstance(written.value, Quantity)
    ):
        hint = f"write the unit inside the link: `[{written.text} …](claim:…)`"
    elif why is not None and not why.comparable and isinstance(found, Quantity) and not found.unit.symbol:
        hint = why.hint  # a read without its unit: the number itself may well be right
    else:
        hint = _ALONE
    return Agreement(
        agrees=False,
        comparable=why is None or why.comparable,
        code="link-disagrees",
        message=f"the text says `{written.text}`"
        if why is None
        else why.message.replace("stated is", "the text says"),
        hint=hint,
    )
