"""The list of all claims, with filters; the cards of claims that no page shows; the list of evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from stilltrue.model import Judgement, Problem, Verdict
from stilltrue.report.text import COUNTED
from stilltrue.site.card import card, page_link, tags
from stilltrue.site.markup import badge, clause, counted, sentence, text, verdict_badge
from stilltrue.site.view import Spot


def index_page(spot: Spot, docs: str) -> str:
    """The page's HTML.

    Args:
        spot: The page itself.
        docs: The folder of the site's pages, from the repository's root with a `/` at its end.
    """
    view = spot.view
    judgements = view.report.judgements
    homeless = view.homeless()
    spot.shown.update((j.claim.id, None) for j in homeless)
    rows = "".join(_row(judgement, spot, docs) for judgement in judgements)
    summary = (
        f"{_sentence_case(counted(j.verdict for j in judgements))}." if judgements else "There are none yet."
    )
    return (
        f'<h1>Claims</h1><p>{summary} <a href="{spot.prefix}claims.json">All of it as JSON</a>.</p>'
        f"{_problems(view.report.problems)}"
        f"{_filters(judgements, docs)}"
        '<div class="st-table st-index" data-search-exclude><table><thead><tr><th>Verdict</th>'
        "<th>Claim</th><th>Stands in</th><th>Tags</th></tr></thead>"
        f'<tbody>{rows}</tbody></table></div><p class="st-none" hidden>No claim is like that.</p>'
        f"{_cards(homeless, spot)}{_evidence(spot)}"
    )


def _sentence_case(words: str) -> str:
    return words[:1].upper() + words[1:]


def _row(judgement: Judgement, spot: Spot, docs: str) -> str:
    claim = judgement.claim
    url = text(spot.claim_url(claim.id) or "")
    says = sentence(judgement)
    if judgement.verdict is Verdict.SUPERSEDED:
        says = f"<del>{says}</del>"
    found = ""
    if judgement.found_text and judgement.message:
        found = f'<br><span class="st-message">Found {text(judgement.found_text)}</span>'
    return (
        f'<tr data-claim="{text(claim.id)}" data-verdict="{judgement.verdict}" '
        f'data-chapter="{text(chapter(judgement, docs))}" '
        f'data-tags="{text(" ".join(claim.tags))}"><td>{verdict_badge(judgement)}</td>'
        f'<td>{says}{found}<br><a href="{url}"><code>{text(claim.id)}</code></a></td>'
        f"<td>{page_link(claim.block.path, spot)}</td><td>{tags(claim.tags)}</td></tr>"
    )


def chapter(judgement: Judgement, docs: str) -> str:
    """The folder below `docs` that a claim's page lies in; the page or file itself where it lies in none."""
    path = judgement.claim.block.path
    inside = path.removeprefix(docs)
    first, slash, _ = inside.partition("/")
    return first if slash and inside != path else inside.removesuffix(".md")


# Filters: shown by the script, since they do nothing without it ----------------------------------------


def _filters(judgements: Sequence[Judgement], docs: str) -> str:
    verdicts = {j.verdict for j in judgements}
    chapters = {chapter(j, docs) for j in judgements}
    return (
        '<form class="st-filters" role="search" aria-label="Claims" data-search-exclude hidden>'
        f"{_select('verdict', 'Verdict', (str(v) for v in COUNTED if v in verdicts))}"
        f"{_select('tag', 'Tag', sorted({t for j in judgements for t in j.claim.tags}))}"
        f"{_select('chapter', 'Chapter', sorted(chapters))}"
        '<label>Text <input type="search" name="text" autocomplete="off"></label>'
        '<output name="count" aria-live="polite"></output></form>'
    )


def _select(name: str, label: str, options: Iterable[str]) -> str:
    choices = "".join(f"<option>{text(option)}</option>" for option in options)
    return f'<label>{label} <select name="{name}"><option value="">any</option>{choices}</select></label>'


# Below the table ---------------------------------------------------------------------------------------


def _problems(problems: Sequence[Problem]) -> str:
    if not problems:
        return ""
    items = "".join(
        f"<li><code>{text(str(p.place))}</code> {clause(p.message)} <code>{text(p.code)}</code></li>"
        for p in problems
    )
    head = f'<p class="st-head">{badge("problem")}</p>'
    return f'<div class="st-card st-problem st-failing">{head}<ul>{items}</ul></div>'


def _cards(homeless: Sequence[Judgement], spot: Spot) -> str:
    if not homeless:
        return ""
    cards = "".join(card(judgement, spot) for judgement in homeless)
    title = '<h2 id="__elsewhere">Claims without a card on any page</h2>'
    return f'<div class="st-elsewhere">{title}{cards}</div>'


def _evidence(spot: Spot) -> str:
    files = spot.view.layout.evidence
    if not files:
        return ""
    items = "".join(
        f'<li><a href="{text(spot.prefix + url)}"><code>{text(path)}</code></a></li>'
        for path, url in files.items()
    )
    return f'<h2 id="__evidence">Evidence</h2><ul>{items}</ul>'
