"""Mutates a project: shifts what its claims say and rest on, and gathers what nobody noticed."""

from __future__ import annotations

from collections.abc import Collection

from stilltrue.check import Progress, check, select
from stilltrue.config import Config
from stilltrue.evidence import Library
from stilltrue.model import DeriveSource, EvidenceSource, Judgement, Report, Verdict
from stilltrue.mutate.again import moved
from stilltrue.mutate.operands import shift_operands
from stilltrue.mutate.outcome import Kind, Mutated, Tally
from stilltrue.mutate.plants import run_plants
from stilltrue.mutate.readings import shift_readings
from stilltrue.mutate.statements import shift_link, shift_stated
from stilltrue.runs import Watch, silently

ALL = frozenset(Kind)


def mutate(
    config: Config,
    ids: Collection[str] = (),
    tags: Collection[str] = (),
    *,
    kinds: Collection[Kind] = ALL,
    slow: bool = False,
    progress: Progress | None = None,
    watch: Watch = silently,
) -> Mutated:
    """Shift all that the claims of a project state and rest on, and list what held all the same.

    Nothing is written in the project, remembered runs of its probes aside. Claims that are reported,
    superseded or fail as they are are counted, and left out.

    Args:
        config: The project.
        ids: The claims; all where neither ids nor tags are given.
        tags: The tags of claims.
        kinds: What to shift; `plant`: which faults to run.
        slow: Whether to run the plants of slow probes too.
        progress: Told how many of how many claims are done.
        watch: Opened while a probe runs.

    Raises:
        UsageError: There is nothing to check, or an id or tag that no claim has.
    """
    library = Library(config)
    whole = check(config, library=library, search=False)
    report = select(whole, ids, tags)
    chosen = [each for each in report.judgements if _can_be_mutated(each)]
    shifting = _Shifting(config, library, whole)
    for at, judgement in enumerate(chosen):
        shifting.claim(judgement, kinds)
        if progress:
            progress(at + 1, len(chosen))
    if Kind.LINK in kinds:
        shifting.links(report)
    plants = (
        run_plants(config, whole, report.judgements, slow=slow, watch=watch) if Kind.PLANT in kinds else ()
    )
    return Mutated(
        claims=len(chosen),
        mutations=shifting.tally.mutations,
        survivors=tuple(sorted(shifting.tally.survivors, key=lambda each: each.place)),
        plants=plants,
        reported=sum(_quoted(each) for each in report.judgements),
        superseded=sum(each.verdict is Verdict.SUPERSEDED for each in report.judgements),
        failing=sum(moved(each) for each in report.judgements),
        problems=len(report.problems),
    )


def _can_be_mutated(judgement: Judgement) -> bool:
    """Whether a claim agrees as it is; one derived from a quoted figure can fail, a quoted figure cannot."""
    return judgement.found is not None and not moved(judgement)


def _quoted(judgement: Judgement) -> bool:
    return judgement.verdict is Verdict.REPORTED and judgement.found is None


class _Shifting:
    """What is known while claim after claim is shifted."""

    def __init__(self, config: Config, library: Library, report: Report) -> None:
        self.units = config.units
        self.library = library
        self.judgements = {each.claim.id: each for each in report.judgements}
        self.tally = Tally.empty()

    def claim(self, judgement: Judgement, kinds: Collection[Kind]) -> None:
        claim, found = judgement.claim, judgement.found
        if found is None:
            return
        if Kind.STATED in kinds:
            shift_stated(claim, judgement, found, self.units, self.tally)
        if Kind.READING not in kinds:
            return
        match claim.source:
            case EvidenceSource() as source:
                shift_readings(claim, source, found, self.library, self.units, self.tally)
            case DeriveSource() as source:
                shift_operands(claim, source, found, self.judgements, self.units, self.tally)

    def links(self, report: Report) -> None:
        chosen = {each.claim.id for each in report.judgements if _can_be_mutated(each)}
        for bound in report.links:
            judgement = self.judgements[bound.link.target]
            found = judgement.found
            if bound.agrees and found is not None and judgement.claim.id in chosen:
                shift_link(bound.link, judgement, found, self.units, self.tally)
