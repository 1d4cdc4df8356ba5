"""The part of a report that concerns some of its claims."""

from __future__ import annotations

from collections.abc import Callable, Collection
from collections.abc import Set as AbstractSet
from dataclasses import replace

from stilltrue.errors import UsageError
from stilltrue.model import Problem, Report
from stilltrue.suggest import did_you_mean


def select(report: Report, ids: Collection[str] = (), tags: Collection[str] = ()) -> Report:
    """The report of the claims that are named, or carry one of the tags, and of what concerns them.

    Everything is returned when neither ids nor tags are given.

    Raises:
        UsageError: An id or a tag that no claim has.
    """
    if not ids and not tags:
        return report
    _known(report, ids, tags)
    wanted = {
        j.claim.id for j in report.judgements if j.claim.id in ids or not set(tags).isdisjoint(j.claim.tags)
    } | set(ids)
    return concerning(report, wanted)


def concerning(
    report: Report, names: AbstractSet[str], also: Callable[[Problem], bool] = lambda _problem: False
) -> Report:
    """The report of some claims, and of what concerns them.

    What failed through an operand is counted there, so the operand belongs to the answer; so does the claim
    that a problem is counted under.

    Args:
        report: The report.
        names: The ids of the claims; those that it does not hold are passed over.
        also: Which problems and warnings are told beside those that are about the claims.
    """
    told = {problem.claim for problem in report.problems if problem.claim and also(problem)}
    named = names | told
    wanted = named | {j.cause for j in report.judgements if j.cause and j.claim.id in named}
    return replace(
        report,
        judgements=tuple(j for j in report.judgements if j.claim.id in wanted),
        problems=tuple(p for p in report.problems if also(p) or not wanted.isdisjoint(p.about)),
        warnings=tuple(w for w in report.warnings if also(w) or not wanted.isdisjoint(w.about)),
        links=tuple(b for b in report.links if b.link.target in wanted),
        embeds=tuple(e for e in report.embeds if e.id in wanted),
        copies=tuple(c for c in report.copies if c.claim in wanted),
    )


def _known(report: Report, ids: Collection[str], tags: Collection[str]) -> None:
    # A claim whose block is malformed has no judgement; the problem about it is its answer.
    known_ids = {j.claim.id for j in report.judgements} | {i for p in report.problems for i in p.about}
    known_tags = {tag for j in report.judgements for tag in j.claim.tags}
    for what, asked, known in (("id", ids, known_ids), ("tag", tags, known_tags)):
        for name in asked:
            if name not in known:
                near = did_you_mean(name, known)
                hint = near or f"see `stilltrue check --format json` for every {what}"
                raise UsageError(f"no claim has the {what} `{name}`", hint, code="nothing-to-check")
