"""What is to be rewritten: the numbers of a report that disagree with what was found."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum

from stilltrue.edit.outcome import Left
from stilltrue.model import (
    BoundCopy,
    BoundLink,
    Claim,
    Found,
    Judgement,
    Link,
    Place,
    Problem,
    Report,
    Verdict,
)

_DOUBTED = (Verdict.REFUTED, Verdict.SUSPECT, Verdict.STALE)


class Part(StrEnum):
    """Where a number stands."""

    VALUE = "value"
    CELL = "cell"
    STATED_IN = "stated_in"
    LINK = "link"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Want:
    """A number that is to say what was found.

    Attributes:
        claim: The claim.
        found: What was found.
        place: Where the number stands.
        part: As what.
        link: The link, for one.
        copy: The copy, for one.
    """

    claim: Claim
    found: Found
    place: Place
    part: Part
    link: Link | None = None
    copy: BoundCopy | None = None


def wanted(report: Report, ids: Collection[str] = ()) -> Iterator[Want | Left]:
    """Every number that disagrees with what was found, and what stands in the way of rewriting it.

    Args:
        report: The check.
        ids: The claims whose places are meant; all where there are none.
    """
    judgements = {each.claim.id: each for each in report.judgements}
    meant = {name: each for name, each in judgements.items() if not ids or name in ids}
    for judgement in meant.values():
        yield from _own(judgement, meant)
    for name in ids:
        if name not in judgements:
            yield from _unread(name, report)
    if not ids:
        yield from _unseen(report, judgements)
    for bound in report.links:
        if not bound.agrees and bound.link.target in meant:
            yield _link(bound, meant[bound.link.target])
    for copy in report.copies:
        if not copy.agrees and copy.claim in meant:
            yield _copy(copy, meant[copy.claim])


def doubted(report: Report, ids: Collection[str] = ()) -> int:
    """How many claims fail since what was found is in doubt, those apart that inherit it from one of them.

    Args:
        report: The check.
        ids: The claims that are meant; all where there are none.
    """
    meant = {each.claim.id: each for each in report.judgements if not ids or each.claim.id in ids}
    return sum(
        not {each.verdict, *each.also}.isdisjoint(_DOUBTED)
        for each in meant.values()
        if each.fails or (each.cause is not None and each.cause not in meant)
    )


def _unread(name: str, report: Report) -> Iterator[Left]:
    """That a claim was asked for that cannot be read: what is wrong with it is all that is known."""
    problem = next((each for each in report.problems if name in each.about), None)
    if problem is not None:
        message = f"`{name}` cannot be read: {problem.message}"
        yield Left(name, problem.place, "update-broken", message, problem.hint or "mend that, then update")


def _unseen(report: Report, judgements: Collection[str]) -> Iterator[Left]:
    """The pages, blocks and items that cannot be read: whether their numbers agree, nobody knows."""
    for problem in report.problems:
        if problem.code in _UNREAD_FILES or _is_unread_claim(problem, judgements):
            name = next(iter(problem.about), "")
            message = f"numbers here cannot be judged: {problem.message}"
            yield Left(
                name, problem.place, "update-broken", message, problem.hint or "mend that, then update"
            )


def _is_unread_claim(problem: Problem, judgements: Collection[str]) -> bool:
    """Whether a problem is all that is known of some claim; a link may name one that is nowhere."""
    unknown = not any(name in judgements for name in problem.about)
    return bool(problem.about) and unknown and problem.code != "unknown-id"


_UNREAD_FILES = frozenset({"not-utf8", "unreadable", "too-large", "unclosed-fence", "unseen-block"})


def _own(judgement: Judgement, meant: Collection[str]) -> Iterator[Want | Left]:
    """A claim's own value."""
    claim = judgement.claim
    verdicts = {judgement.verdict, *judgement.also}
    if claim.superseded is not None:
        return
    if Verdict.BROKEN in verdicts:
        if judgement.cause not in meant:  # else it is told there
            yield _broken(judgement)
    elif Verdict.DRIFTED in verdicts and judgement.found is not None:
        part = Part.CELL if claim.table else Part.STATED_IN if claim.stated_in else Part.VALUE
        yield _doubted(judgement, claim.place) or Want(claim, judgement.found, claim.place, part)


def _link(bound: BoundLink, judgement: Judgement) -> Want | Left:
    link, claim = bound.link, judgement.claim
    if (link.struck or link.struck_part) and claim.superseded is None:
        message = f"`{link.struck_part or link.text}` is struck through, but `{claim.id}` is not superseded"
        return Left(claim.id, link.place, "update-none", message, "take the strike away, then update again")
    if link.struck:
        message = f"it quotes `{claim.id}`, which stated `{claim.stated.text}` ({claim.place})"
        return Left(claim.id, link.place, "update-none", message, "quote it as it was")
    left = _nothing_found(judgement, link.place) or _doubted(judgement, link.place)
    if left is not None or judgement.found is None:
        return left or _broken(judgement)
    return Want(claim, judgement.found, link.place, Part.LINK, link=link)


def _copy(copy: BoundCopy, judgement: Judgement) -> Want | Left:
    left = _nothing_found(judgement, copy.place) or _doubted(judgement, copy.place)
    if left is not None or judgement.found is None:
        return left or _broken(judgement)
    return Want(judgement.claim, judgement.found, copy.place, Part.COPY, copy=copy)


def _broken(judgement: Judgement) -> Left:
    claim = judgement.claim
    message = f"`{claim.id}` could not be judged: {judgement.message}"
    return Left(claim.id, claim.place, "update-broken", message, judgement.hint or "mend that, then update")


def _nothing_found(judgement: Judgement, place: Place) -> Left | None:
    """That there is nothing to write: the claim is superseded, or a quoted figure."""
    claim = judgement.claim
    if claim.superseded is not None:
        successor = claim.superseded.by
        hint = f"state `{successor}` instead, or strike it through" if successor else "take it out"
        message = f"it repeats `{claim.id}`, which is superseded"
        return Left(claim.id, place, "update-none", message, hint)
    if judgement.found is None:
        message = f"it differs from `{claim.id}`, a quoted figure ({claim.place}): nothing was found for it"
        return Left(
            claim.id, place, "update-none", message, f"write `{claim.stated.text}`, or correct the quote"
        )
    return None


def _doubted(judgement: Judgement, place: Place) -> Left | None:
    """That what was found is in doubt itself."""
    verdicts = {judgement.verdict, *judgement.also}
    doubts = [verdict for verdict in _DOUBTED if verdict in verdicts]
    if not doubts:
        return None
    name = judgement.claim.id
    why = next((reason for reason in _reasons(judgement) if reason.startswith(doubts[0])), doubts[0].value)
    message = f"what was found for `{name}` is in doubt ({why})"
    hint = f"see `stilltrue show {name}`; record its evidence again or accept the change, then update"
    return Left(name, place, "update-doubted", message, hint)


def _reasons(judgement: Judgement) -> Iterator[str]:
    yield from judgement.reasons
    if judgement.message and judgement.verdict in _DOUBTED:
        yield f"{judgement.verdict}: {judgement.message}"
