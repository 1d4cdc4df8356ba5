"""How claims moved when evidence was recorded."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from stilltrue.model import Judgement, Report, Verdict


@dataclass(frozen=True, slots=True)
class Move:
    """One claim before and after.

    Attributes:
        claim: Its id.
        before: What was found, as its author would have written it; empty where nothing was.
        after: The same now.
        was: Its verdict before; None where it was not judged.
        now: Its verdict now.
    """

    claim: str
    before: str
    after: str
    was: Verdict | None
    now: Verdict

    @property
    def is_one(self) -> bool:
        """Whether anything about the claim moved."""
        return (self.before, self.was) != (self.after, self.now)


def moves(before: Report | None, after: Report, files: Collection[str]) -> tuple[Move, ...]:
    """The claims that are read from some files, and all others that moved with them, in the report's order.

    Args:
        before: The check before; None where there was nothing to check.
        after: The check after.
        files: The evidence files that were recorded.
    """
    old = {each.claim.id: each for each in before.judgements} if before else {}
    found = ((each, _move(old.get(each.claim.id), each)) for each in after.judgements)
    return tuple(move for each, move in found if move.is_one or not set(files).isdisjoint(each.files))


def _move(old: Judgement | None, new: Judgement) -> Move:
    return Move(
        claim=new.claim.id,
        before=old.found_text if old else "",
        after=new.found_text,
        was=old.verdict if old else None,
        now=new.verdict,
    )
