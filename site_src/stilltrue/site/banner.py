"""The correction banner: what fell on a page, when and why, and what still stands."""

from __future__ import annotations

from collections.abc import Sequence

from stilltrue.model import FAILING, Judgement, Verdict
from stilltrue.site.card import successor_link
from stilltrue.site.markup import counted, sentence, text
from stilltrue.site.view import Spot


def banner(shown: Sequence[Judgement], spot: Spot) -> str:
    """The banner of a page on which these claims stand; empty when none of them is superseded."""
    fallen = [j for j in shown if j.verdict is Verdict.SUPERSEDED]
    if not fallen:
        return ""
    others = [j.verdict for j in shown if j.verdict is not Verdict.SUPERSEDED]
    items = "".join(f"<li>{_fall(judgement, spot)}</li>" for judgement in fallen)
    return (
        '<aside class="st-banner" aria-label="Correction">'
        f'<p class="st-banner-title">Correction</p><ul>{items}</ul>{_rest(others)}</aside>'
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
    if not others:
        return ""
    if FAILING.isdisjoint(others):
        number = len(others)
        stand = "still stands" if number == 1 else "still stand"
        which = "one other claim" if number == 1 else f"{number:,} other claims"
        return f"<p>The page's {which} {stand}: {counted(others)}.</p>"
    return f"<p>Of the page's other claims, {counted(others)}.</p>"
