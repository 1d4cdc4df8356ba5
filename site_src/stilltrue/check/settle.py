"""From the value of each claim to its verdict: what stands behind the value, and what operands pass on."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from stilltrue.check import faults
from stilltrue.check.faults import Fault
from stilltrue.check.judge import Judge
from stilltrue.check.outcome import fails
from stilltrue.check.records import Records
from stilltrue.check.reruns import Reruns
from stilltrue.check.validity import Validity
from stilltrue.config import Config
from stilltrue.model import Claim, DeriveSource, Judgement, Problem, Provenance, Verdict

_RANKS = {verdict: rank for rank, verdict in enumerate(Verdict)}


class Settlement:
    """Gives claims that were judged by their value their verdicts.

    Args:
        config: The project.
        judge: Has judged every claim by its value.
        records: The records beside evidence.
        validity: The day and the versions.
        reruns: The fresh runs.
    """

    def __init__(
        self, config: Config, judge: Judge, records: Records, validity: Validity, reruns: Reruns
    ) -> None:
        self._config = config
        self._judge = judge
        self._records = records
        self._validity = validity
        self._reruns = reruns
        self._faults: dict[str, tuple[Fault, ...]] = {}
        self._touched: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.warnings: list[Problem] = []

    def all(self, judgements: Mapping[str, Judgement]) -> dict[str, Judgement]:
        """Every judgement by id, in the order given."""
        self._records.look_up({path for each in judgements.values() for path in each.files})
        settled: dict[str, Judgement] = {}
        for name in self._judge.order:
            judgement = judgements[name]
            if judgement.verdict is Verdict.SUPERSEDED:
                continue
            found = tuple(self._found(judgement))
            if found:
                self._faults[name] = found
                settled[name] = with_faults(judgement, found)
            warning = self._validity.ending(judgement.claim)
            if warning is not None:
                self.warnings.append(warning)
        return {name: settled.get(name, judgement) for name, judgement in judgements.items()}

    def _found(self, judgement: Judgement) -> Iterator[Fault]:
        """All faults of a claim."""
        claim = judgement.claim
        if isinstance(claim.source, DeriveSource):
            yield from self._inherited(claim)
        else:
            yield from (self._weighed(claim, fault) for fault in self._own(judgement))
        if claim.valid is not None:
            stale = self._validity.faults(claim, self._behind(claim))
            yield from (self._weighed(claim, fault) for fault in stale)

    def _own(self, judgement: Judgement) -> Iterator[Fault]:
        """The faults of a claim's own evidence."""
        refuted = self._reruns.fault(judgement)
        if refuted is not None:
            yield refuted
        files = judgement.files
        if files not in self._touched:
            self._touched[files] = tuple(path for path in files if self._is_touched(path))
        for path in self._touched[files]:
            yield from self._suspect(judgement.claim, path)

    def _is_touched(self, path: str) -> bool:
        """Whether anything may be wrong with what stands behind an evidence file."""
        records = self._records
        lacks = self._config.require_provenance and records.lacks(path)
        if not lacks and records.of(path) is None and records.bad(path) is None:
            return False
        # Of a file that is not there no more can be said. `os.path` answers where `Path` raises.
        there = os.path.isfile(self._config.root / path)  # noqa: PTH113
        return there and bool(lacks or records.bad(path) or records.changes(path))

    def _suspect(self, claim: Claim, path: str) -> Iterator[Fault]:
        from stilltrue.provenance import standing  # noqa: PLC0415  # as in `Records.changes`

        bad, record = self._records.bad(path), self._records.of(path)
        if bad is not None:
            yield faults.of_bad_record(path, bad)
        elif record is None:
            yield faults.of_no_record(path, claim)
        else:
            for change in standing(self._records.changes(path), record.accepted, claim.id):
                yield faults.of_change(change, path, record, claim)

    def _weighed(self, claim: Claim, fault: Fault) -> Fault:
        return replace(fault, fails=fails(claim, fault.verdict, self._config.severity))

    # Operands ------------------------------------------------------------------------------------------

    def _operands(self, claim: Claim) -> tuple[str, ...]:
        expression = self._judge.expressions.get(claim.id)
        return () if expression is None else expression.operands

    def _inherited(self, claim: Claim) -> Iterator[Fault]:
        """The faults of operands, one of each verdict for each of them.

        They are counted there, unless they were lowered to a warning there: nobody lowered this claim's.
        """
        for operand in self._operands(claim):
            seen: set[Verdict] = set()
            for fault in self._faults.get(operand, ()):
                if fault.verdict not in seen:
                    seen.add(fault.verdict)
                    lowered = not fault.cause and not fault.fails
                    failing = lowered and fails(claim, fault.verdict, self._config.severity)
                    yield faults.inherited(fault, operand, fails=failing)

    def _behind(self, claim: Claim) -> list[tuple[str, Provenance]]:
        """The evidence files that a claim rests on and their records, those of its operands included."""
        files: dict[str, None] = {}
        waiting, seen = [claim.id], {claim.id}
        while waiting:
            name = waiting.pop()
            judgement = self._judge.done.get(name)
            if judgement is None:
                continue
            files.update(dict.fromkeys(judgement.files))
            fresh = [each for each in self._operands(judgement.claim) if each not in seen]
            seen.update(fresh)
            waiting += fresh
        found = ((path, self._records.of(path)) for path in files)
        return [(path, record) for path, record in found if record is not None]


def with_faults(judgement: Judgement, found: Sequence[Fault]) -> Judgement:
    """A judgement by value with its faults: the first verdict that applies, the others beside it."""
    verdicts = {judgement.verdict, *judgement.also, *(fault.verdict for fault in found)} - {Verdict.HOLDS}
    first, *also = sorted(verdicts, key=_RANKS.__getitem__)
    failing = judgement.fails or any(fault.fails for fault in found)
    if first is judgement.verdict:
        hint = _next(judgement, found)
        return replace(judgement, also=tuple(also), fails=failing, hint=hint, reasons=_reasons(found))
    head = next(fault for fault in found if fault.verdict is first)
    return replace(
        judgement,
        verdict=first,
        also=tuple(also),
        fails=failing,
        message=head.message,
        hint=head.hint,
        code=head.code,
        cause=head.cause or None,
        reasons=_reasons([fault for fault in found if fault is not head]),
    )


def _next(judgement: Judgement, found: Iterable[Fault]) -> str:
    """What to do next of a claim whose value is wrong too: what edited evidence says is not to be stated."""
    edited = (fault.hint for fault in found if fault.code == "edited-evidence" and not fault.cause)
    return next(edited, judgement.hint) if judgement.verdict is Verdict.DRIFTED else judgement.hint


def _reasons(found: Iterable[Fault]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(f"{fault.verdict}: {fault.message}" for fault in found))
