"""A claim judged again: with another stated value, on altered readings, or with another operand."""

from __future__ import annotations

from collections.abc import Mapping

from stilltrue.check.found import Evidence, found_in
from stilltrue.compare import agree
from stilltrue.derive import Expression, Operand, evaluate
from stilltrue.errors import InputError
from stilltrue.model import Claim, EvidenceSource, Found, Judgement, Verdict
from stilltrue.quantity import Stated, Units

_MOVED = frozenset({Verdict.DRIFTED, Verdict.BROKEN})


def moved(judgement: Judgement) -> bool:
    """Whether a claim does not say what was found: it has drifted, or cannot be judged at all."""
    return not _MOVED.isdisjoint((judgement.verdict, *judgement.also))


def moved_by_stating(claim: Claim, stated: Stated, found: Found) -> bool:
    """Whether the claim would fail if it stated something else."""
    return not agree(stated, found, claim.tolerance, explained=False).agrees


def moved_by_evidence(claim: Claim, source: EvidenceSource, evidence: Evidence, units: Units) -> bool:
    """Whether the claim fails on this evidence."""
    try:
        found = found_in(evidence, source, claim.stated, units).found
    except InputError:
        return True
    return moved_by_stating(claim, claim.stated, found)


def drifts_on_evidence(claim: Claim, source: EvidenceSource, evidence: Evidence, units: Units) -> bool:
    """Whether the claim drifts on this evidence; what cannot be derived shows nothing, such as 0 / 0."""
    try:
        found = found_in(evidence, source, claim.stated, units).found
    except InputError:
        return False
    return moved_by_stating(claim, claim.stated, found)


def drifts_with_operands(claim: Claim, expression: Expression, operands: Mapping[str, Operand]) -> bool:
    """Whether the derived claim drifts with these operands; what cannot be derived shows nothing."""
    try:
        found = evaluate(expression, operands)
    except InputError:
        return False
    return moved_by_stating(claim, claim.stated, found)
