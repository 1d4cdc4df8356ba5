"""Evidence that git ignores: the claims hold here, and are broken wherever the repository is cloned."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from shlex import quote

from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.model import Claim, Judgement, Place, Problem, Verdict
from stilltrue.wording import counted, named

CODE = "ignored-evidence"


def unshared(
    config: Config, judgements: Iterable[Judgement], files: Sequence[str], trail: Trail
) -> Iterator[Problem]:
    """Warnings about evidence that git ignores, one for each page or file of claims that rests on some.

    What git merely does not track yet is no matter: its status shows it, and it is committed with the page.

    Args:
        config: The project.
        judgements: The claims.
        files: The evidence files that are there.
        trail: Told what git was asked and what it said.
    """
    from stilltrue.git import left_out  # noqa: PLC0415  # as in `Records`: what only imports this room starts no process

    trail.evidence, trail.ignored = tuple(files), left_out(config.root, files)
    if trail.ignored:
        yield from _told(judgements, frozenset(trail.ignored))


def _told(judgements: Iterable[Judgement], ignored: frozenset[str]) -> Iterator[Problem]:
    resting: dict[str, list[Judgement]] = defaultdict(list)
    for each in judgements:
        if each.verdict is not Verdict.SUPERSEDED and not ignored.isdisjoint(each.files):
            resting[each.claim.block.path].append(each)
    for several in resting.values():
        first = min((each.claim for each in several), key=_place)
        paths = dict.fromkeys(path for each in several for path in each.files if path in ignored)
        about = tuple(each.claim.id for each in several)
        what = f"evidence of {counted(len(about), 'claim')}"
        message = f"git ignores {named(paths)}, so a clone of the repository lacks {what}"
        add = f"git add -f {quote(next(iter(paths)))}"
        hint = f"let git track it, `{add}`, or name evidence that git tracks"
        yield Problem(CODE, _place(first), message, hint, about=about)


def _place(claim: Claim) -> Place:
    """Where a claim names its evidence."""
    return Place(claim.block.path, claim.lines.get("evidence", claim.block.line))
