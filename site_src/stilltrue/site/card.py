"""The claim card: one judged claim as HTML, built by joining strings, since a site holds thousands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stilltrue.model import (
    DeriveSource,
    EvidenceSource,
    Judgement,
    Place,
    Reading,
    ReportedSource,
    Verdict,
)
from stilltrue.quantity import show_value
from stilltrue.site import records
from stilltrue.site.markup import (
    badge,
    clause,
    found_words,
    raw_block,
    sentence,
    stated_text,
    text,
    tooltip,
    verdict_badge,
    web_link,
)
from stilltrue.site.view import Spot, Unreadable

MOST_PLACES = 6
"""How many places of evidence a card links to; the fold has more."""

MOST_READINGS = 200
"""How many readings a card lists in its fold."""

_OPERAND = re.compile(r"\{([^{}]*)\}")


def card(judgement: Judgement, spot: Spot, *, anchor: bool = True) -> str:
    """A claim as the site shows it.

    Args:
        judgement: The claim and what checking it came to.
        spot: The page that it is shown on.
        anchor: Whether this is the card that the claim's id leads to on this page.
    """
    claim = judgement.claim
    name = text(claim.id)
    target = f' id="{name}"' if anchor else ""
    href = f"#{name}" if anchor else text(spot.claim_url(claim.id) or "")
    failing = " st-failing" if is_bad(judgement) else ""
    return (
        f'<div class="st-card st-{judgement.verdict}{failing}"{target}>'
        f'<p class="st-head">{verdict_badge(judgement)}{_also(judgement)}'
        f'<a class="st-id" href="{href}">{name}</a></p>'
        f'<p class="st-says">{_says(judgement)}</p>'
        f"{_message(judgement)}{_fallen(judgement, spot)}"
        f'<dl class="st-facts" data-search-exclude>{"".join(_facts(judgement, spot))}</dl>'
        f"{_fold(judgement, spot)}</div>"
    )


def broken_card(broken: Unreadable) -> str:
    """A block that shows no claim: what is wrong with it, and its text."""
    problem = broken.problem
    return (
        '<div class="st-card st-problem st-failing">'
        f'<p class="st-head">{badge("problem")}<span class="st-id">{text(problem.code)}</span></p>'
        f'<p class="st-says">{clause(problem.message)}.</p>{_hint(problem.hint)}'
        f"{raw_block(broken.block.body)}</div>"
    )


def is_bad(judgement: Judgement) -> bool:
    """Whether a card stands out: its claim fails, or something is wrong with it all the same."""
    return judgement.fails or judgement.cause is not None or bool(judgement.message)


def _also(judgement: Judgement) -> str:
    words = [f"also {', '.join(judgement.also)}"] if judgement.also else []
    severity = judgement.claim.severity
    if severity is not None and severity.level == "warn" and judgement.message:
        words.append("only a warning")
    return f'<span class="st-also">{"; ".join(words)}</span>' if words else ""


def _says(judgement: Judgement) -> str:
    says = sentence(judgement)
    return f"<del>{says}</del>" if judgement.verdict is Verdict.SUPERSEDED else says


def _message(judgement: Judgement) -> str:
    if not judgement.message:
        return ""
    return f'<p class="st-message">{clause(judgement.message)}.</p>{_hint(judgement.hint)}'


def _hint(hint: str) -> str:
    return f'<p class="st-hint">{clause(hint)}</p>' if hint else ""


def _fallen(judgement: Judgement, spot: Spot) -> str:
    """Why a superseded claim fell, when, and what stands in its place."""
    fall = judgement.claim.superseded
    if fall is None:
        return ""
    successor = successor_link(judgement, spot)
    what = f"Superseded by {successor}" if successor else "Withdrawn"
    when = f" on {text(fall.on)}" if fall.on else ""
    return f'<p class="st-message">{what}{when}: {text(fall.because)}.</p>'


def successor_link(judgement: Judgement, spot: Spot) -> str:
    """The successor of a superseded claim with its value; empty where it was withdrawn."""
    fall = judgement.claim.superseded
    if fall is None or not fall.by:
        return ""
    successor = spot.view.judged.get(fall.by)
    label = claim_link(fall.by, spot)
    if successor is None:
        return label
    return f'{label} <span class="st-keep">({stated_text(successor.claim.stated)})</span>'


def claim_link(name: str, spot: Spot, *, hint: bool = True) -> str:
    """A claim's id, leading to its card.

    Args:
        name: The id.
        spot: The page that the link stands on.
        hint: Whether its verdict and sentence show above it; Material draws each such hint by script, which
            thousands of links on a page cannot afford.
    """
    url = spot.claim_url(name)
    if url is None:
        return f"<code>{text(name)}</code>"
    title = f' title="{text(tooltip(spot.view.judged[name]))}"' if hint else ""
    return f'<a href="{text(url)}"{title}><code>{text(name)}</code></a>'


# Where the value comes from ----------------------------------------------------------------------------


def _facts(judgement: Judgement, spot: Spot) -> Iterator[str]:
    claim = judgement.claim
    if judgement.message and judgement.found_text not in ("", claim.stated.text):
        yield _fact("Found", f"<strong>{text(judgement.found_text)}</strong>")
    if claim.stated_in is not None or claim.table_in is not None:
        yield _fact("Stated in", _place(claim.place, spot))
    yield from _source(judgement, spot)
    if copies := spot.view.copies(claim.id):
        yield _fact("Also in", _also_in(copies, spot))
    if claim.tolerance is not None:
        yield _fact("Tolerance", text(claim.tolerance.text))
    yield from (_fact(name, value) for name, value in records.facts(judgement, spot))
    if claim.severity is not None:
        yield _fact("Severity", f"{text(claim.severity.level)}: {text(claim.severity.because)}")
    if claim.note:
        yield _fact("Note", text(claim.note))
    if claim.owner:
        yield _fact("Owner", text(claim.owner))
    if claim.tags:
        yield _fact("Tags", tags(claim.tags))
    if pages := _read_on(claim.id, spot):
        yield _fact("Read on", pages)
    for note in judgement.notes:
        yield _fact("Reader's note", text(note))


def tags(names: Iterable[str]) -> str:
    """A claim's tags."""
    return " ".join(f'<span class="st-tag">{text(name)}</span>' for name in names)


def _fact(name: str, value: str) -> str:
    return f"<dt>{name}</dt><dd>{value}</dd>"


def _also_in(places: Sequence[Place], spot: Spot) -> str:
    """The copies that the claim names."""
    more = len(places) - MOST_PLACES
    shown = ", ".join(_place(place, spot) for place in places[:MOST_PLACES])
    return shown + (f" and {more:,} more" if more > 0 else "")


def _place(place: Place, spot: Spot) -> str:
    """A line of a file, leading to where its repository shows it."""
    url = spot.view.source_url(place.path)
    label = str(place)
    return web_link(f"{url}#L{place.line}", label, css="st-path") if url else f"<code>{text(label)}</code>"


def _source(judgement: Judgement, spot: Spot) -> Iterator[str]:
    match judgement.claim.source:
        case ReportedSource(by=by, on=on, url=url):
            who = web_link(url, by) if url else text(by)
            yield _fact("Reported by", f"{who}, {text(on)}" if on else who)
        case DeriveSource(derive=expression):
            yield _fact("Derived", _expression(expression, spot))
            if operands := _operands(expression, spot):
                yield _fact("Operands", operands)
        case EvidenceSource(patterns=patterns, derive=expression):
            yield _fact("Evidence", _places(judgement.readings, spot) or _patterns(patterns, spot))
            if expression:
                yield _fact("Derived", f"<code>{text(expression)}</code>")


def _expression(expression: str, spot: Spot) -> str:
    """A derivation, its operands leading to their cards."""
    parts = _OPERAND.split(expression)
    return "".join(
        claim_link(part.strip(), spot) if at % 2 else _operators(part) for at, part in enumerate(parts)
    )


def _operators(part: str) -> str:
    return f'<span class="st-op">{text(part)}</span>' if part.strip() else ""


def _operands(expression: str, spot: Spot) -> str:
    """What a derivation reckons with: each operand once, leading to its card, with its value."""
    names = dict.fromkeys(name.strip() for name in _OPERAND.findall(expression))
    return "".join(
        f'<span class="st-operand">{claim_link(name, spot)} {_reckoned(spot.view.judged.get(name))}</span>'
        for name in names
    )


def _reckoned(operand: Judgement | None) -> str:
    """An operand's value as the derivation takes it: found, or what is stated where a figure is quoted."""
    if operand is None:
        return "is not known"
    if operand.found is not None:
        return found_words(operand.found, operand.claim.stated.unit)
    if isinstance(operand.claim.source, ReportedSource):
        return f"{stated_text(operand.claim.stated)}, as reported"
    return f"is {operand.verdict}"


def _places(readings: Sequence[Reading], spot: Spot) -> str:
    """Each place once: `step-profile.txt` line 17, 23; the file named once."""
    by_path: dict[str, dict[int, None]] = {}
    for reading in readings:
        by_path.setdefault(reading.path, {})[reading.line] = None
    shown, left = [], MOST_PLACES
    for path, numbers in list(by_path.items())[:MOST_PLACES]:
        if left <= 0:
            break
        some = list(numbers)[:left]
        left -= len(some)
        shown.append(_file_places(path, some, spot))
    total = sum(map(len, by_path.values()))
    more = total - MOST_PLACES
    return "; ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def _file_places(path: str, numbers: Sequence[int], spot: Spot) -> str:
    first, *rest = numbers
    label = f"{text(path)}{f':{first}' if first else ''}"
    links = [_linked(label, path, first, spot)]
    links.extend(_linked(f":{number}", path, number, spot) for number in rest if number)
    return ", ".join(links)


def _linked(label: str, path: str, number: int, spot: Spot) -> str:
    url = spot.evidence_url(path, number)
    if url is None:
        return f"<code>{label}</code>"
    return f'<a class="st-path" href="{text(url)}">{label}</a>'


def _patterns(patterns: Iterable[str], spot: Spot) -> str:
    return ", ".join(_linked(text(path), path, 0, spot) for path in patterns)


def _read_on(name: str, spot: Spot) -> str:
    """The other pages that link to a claim or show it; empty where the renderer does not say where it is."""
    pages = [path for path in spot.view.mentions(name) if path != spot.path] if spot.path else []
    more = len(pages) - MOST_PLACES
    shown = ", ".join(page_link(path, spot) for path in pages[:MOST_PLACES])
    return shown + (f" and {more:,} more" if more > 0 else "")


def page_link(path: str, spot: Spot) -> str:
    """A page's path, leading to it where it is on the site."""
    url = spot.view.layout.pages.get(path)
    label = f"<code>{text(path)}</code>"
    return label if url is None else f'<a href="{text(spot.prefix + url)}">{label}</a>'


# The fold ----------------------------------------------------------------------------------------------


def _fold(judgement: Judgement, spot: Spot) -> str:
    claim, readings = judgement.claim, judgement.readings
    found = (
        f"Found: {found_words(judgement.found, claim.stated.unit)}. " if judgement.found is not None else ""
    )
    title = "Block and readings" if readings else "Block"
    measured = records.more(judgement, spot) if judgement.files else ""
    return (
        f'<details class="st-fold" data-search-exclude><summary>{title}</summary>'
        f"{_readings(readings, spot) if readings else ''}"
        f"{measured}<p>{found}Written at {text(str(claim.block))}:</p>"
        f"{raw_block(claim.raw)}</details>"
    )


def _readings(readings: Sequence[Reading], spot: Spot) -> str:
    rows = "".join(_reading(reading, spot) for reading in readings[:MOST_READINGS])
    more = len(readings) - MOST_READINGS
    rest = f"<p>and {more:,} more readings</p>" if more > 0 else ""
    return f"<table><tbody>{rows}</tbody></table>{rest}"


def _reading(reading: Reading, spot: Spot) -> str:
    place = _file_places(reading.path, [reading.line], spot)
    return f"<tr><td>{place}</td><td>{text(show_value(reading.value))}</td></tr>"
