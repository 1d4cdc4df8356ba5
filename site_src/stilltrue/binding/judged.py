"""Whether a claim may be written as it is proposed, by a check of the whole project with it in place."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stilltrue.binding.outcome import Proposal
from stilltrue.check import check
from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.model import Judgement, Report


def checked(config: Config, files: dict[str, bytes]) -> Report | None:
    """The check of the project with these files in it; None where there is nothing to check."""
    try:
        return check(config, texts=files, search=False)
    except UsageError as error:
        if error.code != "nothing-to-check":
            raise
        return None


def judged(report: Report | None, name: str) -> list[Judgement]:
    """Those of a claim, or of the cells of a table."""
    every = () if report is None else report.judgements
    return [each for each in every if name in (each.claim.id, each.claim.table)]


class Refusal(NamedTuple):
    """Why a claim may not be written so, and what to do instead; both empty where it may."""

    message: str
    cure: str = "choose another candidate with `--pick N`, or bind it by hand"


NOT_REFUSED = Refusal("", "")


def refusal(
    before: Report | None, after: Report | None, judgements: list[Judgement], proposal: Proposal
) -> Refusal:
    """Whether a claim may be written: it must not fail, be read where it is meant, and change nothing else.

    Args:
        before: The check without it.
        after: The check with it.
        judgements: Those of the claim in the latter.
        proposal: The claim.
    """
    known = set(_said(before))
    new = [each for each in _said(after) if each not in known]
    ids = {each.claim.id for each in after.judgements} if after is not None else set()
    problem = next((message for code, message in new if code not in ids), "")
    if after is None or not judgements:
        return Refusal(problem or "it would not be read where it is written")
    failing = next((each for each in judgements if each.fails), None)
    if failing is not None:
        which = f"`{failing.claim.id}`" if failing.claim.table else "it"
        return Refusal(f"{which} would be {failing.verdict}: {failing.message}")
    if proposal.link and not any(each.agrees and each.link.target == proposal.id for each in after.links):
        message = "where the number stands it cannot be a link, in another link or an image for instance"
        return Refusal(message, "leave the page as it is with `--aside`, or move the number out of there")
    own = {each.claim.id for each in judgements}
    other = next((message for code, message in new if code not in own), "")
    return Refusal(f"something else would change: {other}") if other else NOT_REFUSED


def _said(report: Report | None) -> Iterator[tuple[str, str]]:
    """All that a check says, whatever the line: each claim's verdict, each problem."""
    if report is None:
        return
    yield from ((each.claim.id, f"`{each.claim.id}` would be {each.verdict}") for each in report.judgements)
    yield from ((each.code, each.message) for each in report.problems)
