"""The correction banner: what fell on a page, when and why, and what still stands."""

from __future__ import annotations

from collections.abc import Sequence

from stilltrue.model import FAILING, Judgement, Verdict
from stilltrue.site.card import successor_link
from stilltrue.site.markup import counted, fate, sentence, text
from stilltrue.site.view import Spot

MOST_FALLEN = 3
"""How many fallen claims are told of at once; more of them lie under a fold."""


def banner(shown: Sequence[Judgement], spot: Spot) -> str:
    """The banner of a page on which these claims stand; empty when none of them is superseded."""
    fallen = [j for j in shown if j.verdict is Verdict.SUPERSEDED]
    if not fallen:
        return ""
    others = [j.verdict for j in shown if j.verdict is not Verdict.SUPERSEDED]
    return (
        '<aside class="st-banner" aria-label="Correction"><p class="st-banner-title">'
        f'<span class="st-verdict st-superseded">Correction to this page</span></p>'
        f"{_list(fallen[:MOST_FALLEN], spot)}{_more(fallen[MOST_FALLEN:], spot)}{_rest(others)}</aside>"
    )


def _list(fallen: Sequence[Judgement], spot: Spot) -> str:
    if len(fallen) == 1:
        return f"<p>{_fall(fallen[0], spot)}</p>"
    items = "".join(f"<li>{_fall(judgement, spot)}</li>" for judgement in fallen)
    return f"<ul>{items}</ul>"


def _more(fallen: Sequence[Judgement], spot: Spot) -> str:
    if not fallen:
        return ""
    return (
        f'<details class="st-fold"><summary>and {len(fallen):,} more</summary>{_list(fallen, spot)}</details>'
    )


def _fall(judgement: Judgement, spot: Spot) -> str:
    fall = judgement.claim.superseded
    assert fall is not None  # noqa: S101  # its verdict says so
    url = text(spot.claim_url(judgement.claim.id) or "")
    successor = successor_link(judgement, spot)
    now = f"See {successor}." if successor else "It is withdrawn, and nothing takes its place."
    when = f", since {text(fall.on)}" if fall.on else ""
    old = f'<a href="{url}">{sentence(judgement)}</a>'
    return f"<del>{old}</del> No longer so{when}: {text(fall.because)}. {now}"


def _rest(others: Sequence[Verdict]) -> str:
    """The page's other claims: that they stand, or by verdict what they came to."""
    number = len(others)
    if not number:
        return ""
    which = "one other claim" if number == 1 else f"{number:,} other claims"
    if set(others) == {Verdict.HOLDS}:
        words = f"Its {which} still {fate(Verdict.HOLDS, number)}"
    elif FAILING.isdisjoint(others):
        words = f"Its {which} still " + (
            f"stands ({others[0]})" if number == 1 else f"stand: {counted(others)}"
        )
    elif number == 1:
        words = f"Its {which} {fate(others[0], 1)}"
    else:
        words = f"Of its {which}, {counted(others)}"
    return f"<p>{words}.</p>"
