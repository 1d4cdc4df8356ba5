"""What stands in prose: bound numbers, and blocks that show a claim of a claims file."""

from __future__ import annotations

from collections.abc import Mapping

from stilltrue.check.gather import Corpus
from stilltrue.compare import agree_link
from stilltrue.model import BoundLink, Embed, Judgement, Link, Problem, Verdict
from stilltrue.quantity import Stated, Units, first_quantity
from stilltrue.suggest import Nearest


def judge_links(
    corpus: Corpus, judgements: Mapping[str, Judgement], units: Units
) -> tuple[tuple[BoundLink, ...], list[Problem]]:
    """Every link that names a known claim, and what is wrong with links."""
    bound: list[BoundLink] = []
    problems: list[Problem] = []
    numbers = _Numbers(units)
    nearest = Nearest(corpus.claims)
    for link in corpus.links:
        judgement = judgements.get(link.target)
        if judgement is None:
            if link.target not in corpus.malformed:
                problems.append(_unknown(link, nearest))
            continue
        problem = _judge_link(link, judgement, numbers)
        bound.append(BoundLink(link, problem is None))
        if problem is not None:
            problems.append(problem)
    return tuple(bound), problems


def agrees(text: str, judgement: Judgement, units: Units) -> bool:
    """Whether the number in the text of a link agrees with the claim, for a link that is on no page.

    Args:
        text: The link's text, Markdown marks removed.
        judgement: The claim that it names.
        units: The known units.
    """
    claim = judgement.claim
    written = first_quantity(text, units)
    if written is None or judgement.verdict is Verdict.BROKEN:
        return True
    return agree_link(written, claim.stated, judgement.found, claim.tolerance, text).agrees


def judge_embeds(corpus: Corpus) -> tuple[tuple[Embed, ...], list[Problem]]:
    """Every block that shows a known claim of a claims file, and what is wrong with such blocks."""
    shown: list[Embed] = []
    problems: list[Problem] = []
    nearest = Nearest(claim.id for claim in corpus.claims.values() if not claim.page)
    for embed in corpus.embeds:
        claim = corpus.claims.get(embed.id)
        if claim is not None and not claim.page:
            shown.append(embed)
        elif claim is not None:
            problems.append(
                Problem(
                    "embedded-twice",
                    embed.place,
                    f"`{embed.id}` is shown already, where it is written: {claim.block}",
                    f"link to it instead, `[…](claim:{embed.id})`, or move it to a claims file",
                    about=(embed.id,),
                )
            )
        elif embed.id not in corpus.malformed:
            problems.append(
                Problem(
                    "unknown-id",
                    embed.place,
                    f"this block shows `{embed.id}`, which no claims file has as an id",
                    nearest.to(embed.id) or "write that claim in a claims file, or the whole claim here",
                    about=(embed.id,),
                )
            )
    return tuple(shown), problems


class _Numbers:
    """The first quantity of each link text, remembered: pages repeat themselves."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self.known: dict[str, Stated | None] = {}

    def __getitem__(self, text: str) -> Stated | None:
        if text not in self.known:
            self.known[text] = first_quantity(text, self.units)
        return self.known[text]


def _unknown(link: Link, nearest: Nearest) -> Problem:
    return Problem(
        "unknown-id",
        link.place,
        f"the link names `{link.target}`, which no claim has as its id",
        nearest.to(link.target) or "write that claim, or correct the id",
        about=(link.target,),
    )


def _judge_link(link: Link, judgement: Judgement, numbers: _Numbers) -> Problem | None:
    """What is wrong with a link to a known claim, None where nothing is."""
    claim, verdict = judgement.claim, judgement.verdict
    if link.struck and verdict is not Verdict.SUPERSEDED:
        return _problem(
            "struck-link",
            link,
            judgement,
            f"`{link.text}` is struck through, but `{claim.id}` is not superseded",
            "take the strike away, or supersede the claim",
        )
    if link.struck_part and verdict is not Verdict.SUPERSEDED and numbers[link.struck_part] is not None:
        return _problem(
            "struck-link",
            link,
            judgement,
            f"`{link.struck_part}` is struck through in a link to `{claim.id}`, which is not superseded",
            "strike it through outside of the link, and link the number alone that stands",
        )
    written = numbers[link.text]
    if written is None or verdict is Verdict.BROKEN:
        return None
    if verdict is Verdict.SUPERSEDED and not link.struck:
        return _superseded(link, judgement)
    agreement = agree_link(written, claim.stated, judgement.found, claim.tolerance, link.text)
    if agreement.agrees:
        return None
    side = (
        f"was found to be `{judgement.found_text}`"
        if judgement.found
        else f"is stated as `{claim.stated.text}`"
    )
    return _problem(
        "link-disagrees",
        link,
        judgement,
        f"the text says `{written.text}`, but `{claim.id}` {side} ({claim.place})",
        agreement.hint or "correct the number, and link the number alone",
    )


def _superseded(link: Link, judgement: Judgement) -> Problem:
    claim = judgement.claim
    assert claim.superseded is not None  # noqa: S101  # its verdict says so
    successor = claim.superseded.by
    return _problem(
        "superseded-link",
        link,
        judgement,
        f"`{link.text}` repeats `{claim.id}`, which is superseded ({claim.place})",
        (f"state `{successor}` instead, or" if successor else "remove the number, or")
        + f" strike the old one through: `[~~{link.text}~~](claim:{claim.id})`",
    )


def _problem(code: str, link: Link, judgement: Judgement, message: str, hint: str) -> Problem:
    """A problem of a link; counted under its claim when that has failed itself."""
    claim = judgement.claim
    # Other verdicts say nothing of the number in the text.
    under = claim.id if judgement.verdict in (Verdict.BROKEN, Verdict.DRIFTED) else None
    return Problem(code, link.place, message, hint, claim=under, about=(claim.id,))
