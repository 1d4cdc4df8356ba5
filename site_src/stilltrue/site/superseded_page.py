"""The table of superseded claims: the old value, its successor, why, when, and where it stood."""

from __future__ import annotations

from stilltrue.model import Judgement, Verdict
from stilltrue.site.card import page_link, successor_link
from stilltrue.site.markup import sentence, stated_text, text
from stilltrue.site.view import Spot


def superseded_page(spot: Spot) -> str:
    """The page's HTML."""
    fallen = [j for j in spot.view.report.judgements if j.verdict is Verdict.SUPERSEDED]
    head = "<h1>Superseded claims</h1>"
    if not fallen:
        return f"{head}<p>No claim has been superseded.</p>"
    rows = "".join(_row(judgement, spot) for judgement in fallen)
    return (
        f"{head}<p>What these pages once said and no longer do. Each stays in its place, struck through.</p>"
        '<div class="st-table st-fallen"><table><thead><tr><th>Old value</th>'
        "<th>Claim</th><th>Successor</th><th>Why</th><th>When</th><th>Stood in</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div>"
    )


def _row(judgement: Judgement, spot: Spot) -> str:
    claim = judgement.claim
    fall = claim.superseded
    assert fall is not None  # noqa: S101  # its verdict says so
    url = text(spot.claim_url(claim.id) or "")
    return (
        f"<tr><td><del>{stated_text(claim.stated)}</del></td>"
        f'<td>{sentence(judgement)}<br><a href="{url}"><code>{text(claim.id)}</code></a></td>'
        f"<td>{successor_link(judgement, spot) or 'withdrawn'}</td>"
        f'<td>{text(fall.because)}</td><td class="st-date">{text(fall.on)}</td>'
        f"<td>{page_link(claim.block.path, spot)}</td></tr>"
    )
