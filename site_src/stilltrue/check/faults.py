"""What is wrong with a claim besides its value: one fault each, and the words for it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stilltrue.model import Claim, Provenance, Verdict

if TYPE_CHECKING:
    from stilltrue.check.records import Bad
    from stilltrue.provenance import Change


@dataclass(frozen=True, slots=True)
class Fault:
    """One reason for which a claim is refuted, suspect or stale.

    Attributes:
        verdict: Which of them.
        code: A key of `codes.CODES`.
        message: What is wrong, in one clause.
        hint: What to do next.
        cause: The operand that it was inherited from in the end; empty for the claim's own.
        fails: Whether it fails the check.
    """

    verdict: Verdict
    code: str
    message: str
    hint: str
    cause: str = ""
    fails: bool = True


def of_bad_record(path: str, bad: Bad) -> Fault:
    """The record beside an evidence file cannot be read."""
    return _suspect(bad.code, f"the record beside `{path}` cannot be used: {bad.message}", bad.hint)


def of_no_record(path: str, claim: Claim) -> Fault:
    """There is no record beside an evidence file, and the project requires one."""
    record = f"`stilltrue record {claim.probe or 'PROBE'}`"
    hint = f"take it with {record}, or say where it came from: `stilltrue adopt {path} --source … --on …`"
    return _suspect("no-provenance", f"`{path}` has no record of where it came from", hint)


def of_change(change: Change, path: str, record: Provenance, claim: Claim) -> Fault:
    """Something is not as it was when an evidence file was recorded.

    Args:
        change: What changed.
        path: The evidence file.
        record: The record beside it.
        claim: The claim that is read from it.
    """
    code, message = _WORDS[change.kind](change, path, record)
    anew = f"run `stilltrue record {record.probe}`" if record.probe else "adopt it anew"
    cure = _CURES.get(code, "{anew}").format(path=change.path, anew=anew)
    return _suspect(
        code, message, f"{cure}, or `stilltrue accept {claim.id} --because …` if it does not matter"
    )


def inherited(fault: Fault, operand: str, *, fails: bool) -> Fault:
    """An operand's fault as a derived claim has it."""
    cause = fault.cause or operand
    message = f"its operand `{operand}` is {fault.verdict}"
    return Fault(fault.verdict, fault.code, message, f"mend `{cause}`", cause, fails)


def _suspect(code: str, message: str, hint: str) -> Fault:
    return Fault(Verdict.SUSPECT, code, message, hint)


# What changed ------------------------------------------------------------------------------------------


def _evidence(change: Change, path: str, record: Provenance) -> tuple[str, str]:
    del change
    if all(subject.path != path for subject in record.subjects):
        first = record.subjects[0].path
        return "not-a-subject", f"the record beside `{path}` is of another file, `{first}`"
    return "edited-evidence", f"`{path}` is not what was recorded on {record.on}"


def _code(change: Change, path: str, record: Provenance) -> tuple[str, str]:
    if change.path == record.probe:
        if not change.after:
            return "no-probe", f"`{change.path}`, which wrote `{path}`, is gone"
        return "changed-probe", f"`{change.path}` changed after it wrote `{path}`"
    became = "changed" if change.after else "is gone"
    what = f"`{change.path}`, which `{record.probe}` imports,"
    return "changed-probe", f"{what} {became} since `{path}` was written"


def _input(change: Change, path: str, record: Provenance) -> tuple[str, str]:
    what = f"`{change.path}`, an input of `{record.probe or path}`,"
    if not change.before:
        return "changed-input", f"{what} was not there when `{path}` was written"
    became = "changed" if change.after else "is gone"
    return "changed-input", f"{what} {became} since `{path}` was written"


def _uncommitted(change: Change, path: str, record: Provenance) -> tuple[str, str]:
    del record
    return (
        "not-committed",
        f"`{path}` was taken with `{change.path}`, which git's last commit holds otherwise",
    )


_WORDS: dict[str, Callable[[Change, str, Provenance], tuple[str, str]]] = {
    "evidence": _evidence,
    "code": _code,
    "input": _input,
    "uncommitted": _uncommitted,
}
"""Code and message by the kind of the change."""

_CURES = {
    "edited-evidence": "restore it, {anew}",
    "not-a-subject": "put the two back together, {anew}",
    "no-probe": "restore it, record the evidence with what took its place",
    "not-committed": "commit `{path}`, {anew}",
}
"""What to do, by code, where it is more than to record anew."""
