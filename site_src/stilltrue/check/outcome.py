"""What was found, compared with what is stated: the judgement, and the words for it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from stilltrue.check.advice import advice
from stilltrue.compare import agree
from stilltrue.derive import Operand
from stilltrue.errors import InputError
from stilltrue.model import FAILING, Claim, DeriveSource, Found, Judgement, Place, Reading, Taken, Verdict
from stilltrue.quantity import Form, Quantity, interval, show_value

_NO_OPERANDS = {
    Form.BOUND: "a bound",
    Form.TEXT: "text",
    Form.FLAG: "yes or no",
    Form.LIST: "a list",
}


# Operands ----------------------------------------------------------------------------------------------


def operand_of_read(name: str, taken: Taken) -> Operand:
    """A named read as an operand.

    Raises:
        InputError: `bad-derive`: it gave no number.
    """
    if isinstance(taken.value, Quantity):
        return Operand(taken.value, taken.value)
    raise InputError(
        "bad-derive",
        f"the read `{name}` gave `{show_value(taken.value)}`, which is no number",
        "read a number",
    )


def operand_of_claim(judgement: Judgement) -> Operand:
    """What a derived claim reckons with: found, or for a quoted figure what its digits leave open.

    Raises:
        InputError: `bad-derive`: the claim is a bound, text, yes or no, or a list.
    """
    claim, found = judgement.claim, judgement.found
    if found is None:
        kind = _NO_OPERANDS.get(claim.stated.form)
        if kind is None:
            return Operand(*interval(claim.stated))
        raise _no_operand(claim, kind)
    if isinstance(found.low, Quantity) and isinstance(found.high, Quantity):
        return Operand(found.low, found.high)
    raise _no_operand(claim, f"`{show_value(found.low)}`")


def _no_operand(claim: Claim, kind: str) -> InputError:
    return InputError(
        "bad-derive", f"`{claim.id}` is {kind}, which cannot be reckoned with", "derive from a plain quantity"
    )


# Judgements --------------------------------------------------------------------------------------------


def broken(claim: Claim, error: InputError, files: tuple[str, ...] = ()) -> Judgement:
    """A claim that could not be judged, and why; `files` are those that its evidence names."""
    message = error.message
    if error.path and error.path not in message:
        message = f"{message} ({Place(error.path, error.line)})"
    return Judgement(
        claim,
        Verdict.BROKEN,
        fails=fails(claim, Verdict.BROKEN),
        message=message,
        hint=error.hint,
        code=error.code,
        files=files,
    )


def inherited(claim: Claim, operand: Judgement) -> Judgement:
    """A derived claim that cannot be judged because its operand cannot.

    It is counted under that one, unless that one was lowered to a warning: nobody lowered this one.
    """
    lowered = operand.cause is None and fails(operand.claim, operand.verdict) is False
    return Judgement(
        claim,
        operand.verdict,
        fails=lowered and fails(claim, operand.verdict),
        message=f"its operand `{operand.claim.id}` is {operand.verdict}",
        hint=f"mend `{operand.claim.id}`",
        code=operand.code,
        cause=operand.cause or operand.claim.id,
    )


def quoted(judgement: Judgement) -> Judgement:
    """The same judgement of a claim that rests on a quoted figure: never more than `reported`."""
    if judgement.verdict is Verdict.HOLDS:
        return replace(judgement, verdict=Verdict.REPORTED)
    return replace(judgement, also=(*judgement.also, Verdict.REPORTED))


def compared(
    claim: Claim,
    found: Found,
    readings: tuple[Reading, ...] = (),
    notes: tuple[str, ...] = (),
    files: tuple[str, ...] = (),
) -> Judgement:
    """Whether what was found, in `files` where it was read, agrees with what is stated."""
    agreement = agree(claim.stated, found, claim.tolerance)
    judgement = Judgement(claim, Verdict.HOLDS, found=found, readings=readings, notes=notes, files=files)
    if agreement.agrees:
        return judgement
    verdict = Verdict.DRIFTED if agreement.comparable else Verdict.BROKEN
    if agreement.comparable:
        text = replace(judgement, verdict=verdict).found_text
        message = f"{_said(claim)}, {_source(claim, readings)} `{text}`"
    else:
        message = f"{agreement.message}{_where(readings)}"
    return replace(
        judgement,
        verdict=verdict,
        fails=fails(claim, verdict),
        message=message,
        hint=advice(claim, found, agreement) or agreement.hint or _what_moved(claim),
        code=agreement.code,
    )


def fails(claim: Claim, verdict: Verdict, lowered: Collection[str] = ()) -> bool:
    """Whether a verdict fails a claim: the claim's own severity says so, else the configuration's.

    Args:
        claim: The claim.
        verdict: The verdict.
        lowered: The verdicts that only warn by configuration.
    """
    if verdict not in FAILING:
        return False
    return verdict not in lowered if claim.severity is None else claim.severity.level == "fail"


def _said(claim: Claim) -> str:
    where = "file" if claim.stated_in or claim.table_in else "page" if claim.page else "claim"
    within = f" within `{claim.tolerance.text}`" if claim.tolerance else ""
    return f"the {where} says `{claim.stated.text}`{within}"


def _what_moved(claim: Claim) -> str:
    moved = "which operand" if isinstance(claim.source, DeriveSource) else "why the evidence"
    return f"find out {moved} moved; `stilltrue update` states what was found"


def _source(claim: Claim, readings: tuple[Reading, ...]) -> str:
    if readings:
        return f"the evidence{_where(readings)} says"
    return "its operands give" if isinstance(claim.source, DeriveSource) else "the evidence says"


def _where(readings: tuple[Reading, ...]) -> str:
    """Where the readings stand: the first of them, and how many more there are."""
    if not readings:
        return ""
    first, *rest = dict.fromkeys(Place(reading.path, reading.line) for reading in readings)
    more = f" and {len(rest):,} more" if rest else ""
    return f" ({first}{more})"
