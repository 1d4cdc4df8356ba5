"""The record of an evidence file as a table: everything that is known of how it was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from stilltrue.model import Digested, Provenance
from stilltrue.provenance import name_of
from stilltrue.site.generated import raw_name
from stilltrue.site.markup import row, text, web_link
from stilltrue.site.records import arguments, change, commit, script
from stilltrue.site.view import Spot

MOST_OPEN = 12
"""Up to how many items of a row are shown at once; more of them lie under a fold."""

_PARTS = {"cpu": "Processor"}

Rows = Iterator[tuple[str, str]]


def record_section(record: Provenance | None, spot: Spot, path: str) -> str:
    """The section of an evidence page that tells how the file was measured.

    Args:
        record: The record beside it; None where there is none.
        spot: The evidence page.
        path: The evidence file, from the repository's root.
    """
    head = '<h2 id="record">How it was measured</h2>'
    if record is None:
        return f"{head}<p>No record lies beside it: when, on what and by which probe is not known.</p>"
    rows = "".join(row(name, value) for name, value in _rows(record, spot) if value)
    link = f'<p><a href="{text(record_url(path, spot))}" download>Download the record as it is</a></p>'
    return f'{head}<div class="st-table st-facts-table"><table><tbody>{rows}</tbody></table></div>{link}'


def record_url(path: str, spot: Spot) -> str:
    """The address of the copy of an evidence file's record."""
    return spot.raw_url(raw_name(name_of(path)))


def _rows(record: Provenance, spot: Spot) -> Rows:
    yield "Day", text(record.on)
    yield "Adopted from", web_link(record.source, record.source) if record.source else ""
    yield "Probe", script(record.probe, spot) if record.probe else ""
    yield "Arguments", arguments(record.argv) if record.argv else ""
    yield "Commit", commit(record.commit, spot, whole=True) if record.commit else ""
    yield "Changed since that commit", listed([script(path, spot) for path in record.changed])
    yield "Run", _run(record)
    yield from _machine(record)
    yield "Packages", listed([f"{text(name)} {text(version)}" for name, version in record.packages])
    yield "Inputs", listed([_digested(digested, spot) for digested in record.inputs])
    yield "Code", listed([_digest(script(code.path, spot), code.sha256) for code in record.code])
    yield "Environment", listed([f"<code>{text(n)}={text(v)}</code>" for n, v in record.environment])
    yield "Evidence", listed([_digested(digested, spot) for digested in record.subjects])
    yield "Accepted", listed([f"{change(a, spot)} for {_claim(a.claim, spot)}: {text(a.because)}"
                             for a in record.accepted])  # fmt: skip


def _machine(record: Provenance) -> Rows:
    for name, value in record.machine:
        yield _PARTS.get(name, text(name[:1].upper() + name[1:])), text(value)
    yield "Accelerator", text(record.accelerator)
    yield "Interpreter", text(record.interpreter)


def _run(record: Provenance) -> str:
    """`2026-11-29T10:00:00Z to 2026-11-29T10:02:03Z (2 min 3 s)`."""
    if not record.started:
        return ""
    lasted = duration(record.started, record.ended)
    return f"{text(record.started)} to {text(record.ended)}{f' ({lasted})' if lasted else ''}"


def duration(started: str, ended: str) -> str:
    """How long a run took, from two times in ISO 8601; empty where they are none."""
    try:
        seconds = (datetime.fromisoformat(ended) - datetime.fromisoformat(started)).total_seconds()
    except (ValueError, TypeError):  # no times, or one of them with and one without a zone
        return ""
    return seconds_words(seconds)


def seconds_words(seconds: float) -> str:
    """`0.4 s`, `42 s`, `2 min 3 s`, `1 h 5 min`."""
    if seconds < 10:  # below, a tenth of a second matters
        return f"{seconds:.1f}".removesuffix(".0") + " s"
    whole = round(seconds)
    hours, minutes, rest = whole // 3600, whole % 3600 // 60, whole % 60
    if hours:
        return f"{hours:,} h {minutes} min" if minutes else f"{hours:,} h"
    if minutes:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{rest} s"


def _digested(digested: Digested, spot: Spot) -> str:
    url = spot.evidence_url(digested.path)
    name = text(digested.path)
    label = f'<a class="st-path" href="{text(url)}">{name}</a>' if url else script(digested.path, spot)
    return _digest(label, digested.sha256)


def _digest(label: str, sha256: str) -> str:
    return f'{label}<span class="st-digest">SHA-256 {text(sha256)}</span>'


def _claim(name: str, spot: Spot) -> str:
    url = spot.claim_url(name)
    label = f"<code>{text(name)}</code>"
    return label if url is None else f'<a href="{text(url)}">{label}</a>'


def listed(items: Sequence[str]) -> str:
    """Items under one another, a long list under a fold."""
    if len(items) < 2:  # one item is no list
        return "".join(items)
    html = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>"
    if len(items) <= MOST_OPEN:
        return html
    return f'<details class="st-fold"><summary>{len(items):,}</summary>{html}</details>'
