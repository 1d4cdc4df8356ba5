"""How evidence was measured, as cards and lists say it: the day, the machine, the commit, the probe."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from stilltrue.model import Accepted, EvidenceSource, Judgement, Provenance
from stilltrue.site.markup import clause, text, web_link
from stilltrue.site.view import Spot

MOST_MEASURED = 3
"""How many different measurements a card tells of; the pages of its evidence tell all."""

MOST_PACKAGES = 8
"""How many packages a card names."""

_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_SHORT = 7

Rows = Iterator[tuple[str, str]]


def facts(judgement: Judgement, spot: Spot) -> Rows:
    """What a card says of a claim's measurement at first sight, by name; the values are HTML."""
    claim = judgement.claim
    if isinstance(claim.source, EvidenceSource) and (measured := _measured(judgement, spot)):
        yield "Measured", measured
    if probes := spot.view.report.probes_of(judgement):
        yield "Probe", ", ".join(script(path, spot) for path in probes)
    if claim.reproduces is not None:
        yield "Reproduces", f"within {text(claim.reproduces.text)}"
    if claim.valid is not None:
        until = [f"until {text(claim.valid.until)}"] if claim.valid.until else []
        yield "Valid", "; ".join((*until, *(f"with {text(' '.join(v))}" for v in claim.valid.versions)))
    if warning := spot.view.warned.get(claim.id):
        yield "Warning", f"{clause(warning.message)}."
    for accepted in _accepted(judgement, spot):
        yield "Accepted", f"{change(accepted, spot)}: {text(accepted.because)}"


def more(judgement: Judgement, spot: Spot) -> str:
    """What lies under a card's fold: arguments, interpreter and packages of each measurement."""
    records = dict(spot.view.report.records(judgement))
    parts = dict.fromkeys(filter(None, (_with(record) for record in records.values())))
    lines = "".join(f"<p>Measured with {part}.</p>" for part in list(parts)[:MOST_MEASURED])
    links = ", ".join(_to_record(path, spot) for path in list(records)[:MOST_MEASURED])
    return f"{lines}<p>The whole record: {links}.</p>" if links else lines


def _accepted(judgement: Judgement, spot: Spot) -> list[Accepted]:
    """The accepted changes of one claim, each once: every file of a run has the same record."""
    every = (a for _, record in spot.view.report.records(judgement) for a in record.accepted)
    return list(dict.fromkeys(a for a in every if a.claim == judgement.claim.id))


def _measured(judgement: Judgement, spot: Spot) -> str:
    """When and on what a claim's evidence was measured; kept, as many claims share their evidence."""
    key = (spot.prefix, *judgement.files)
    kept = spot.view.measured
    if key not in kept:
        kept[key] = _measurements(judgement, spot)
    return kept[key]


def _measurements(judgement: Judgement, spot: Spot) -> str:
    known = spot.view.report.provenance
    said: dict[str, str] = {}
    bare = 0
    for path in judgement.files:
        if path in known:  # files of one run say the same: the first leads to the record
            said.setdefault(summary(known[path], spot), summary(known[path], spot, path))
        else:
            bare += path in spot.view.present
    shown = list(said.values())[:MOST_MEASURED]
    if len(said) > MOST_MEASURED:
        shown.append(f"and {len(said) - MOST_MEASURED:,} more")
    if bare:
        files = f" for {bare:,} of its {len(judgement.files):,} files" if said else ""
        shown.append(f"no record of when and on what{files}")
    return "; ".join(shown)


def summary(record: Provenance, spot: Spot, path: str = "") -> str:
    """`2026-11-29 on …, 2 cores, commit abc1234`: one measurement, its day leading to its record."""
    url = spot.evidence_url(path) if path else None
    day = text(record.on)
    if url is not None:
        day = f'<a href="{text(url)}#record">{day}</a>'
    if record.source:
        return f"{day}, adopted from {web_link(record.source, record.source)}"
    machine = hardware(record)
    parts = [f"{day} on {text(machine)}" if machine else day]
    if record.commit:
        parts.append(f"commit {commit(record.commit, spot)}{' with changes' if record.changed else ''}")
    return ", ".join(parts)


def hardware(record: Provenance) -> str:
    """The accelerator, the processor and its cores, as far as they are known."""
    machine = dict(record.machine)
    cores = machine.get("cores", "")
    if cores:
        cores = f"{cores} core" if cores == "1" else f"{cores} cores"
    return ", ".join(filter(None, (record.accelerator, machine.get("cpu", machine.get("system", "")), cores)))


def commit(name: str, spot: Spot, *, whole: bool = False) -> str:
    """A commit's hash, leading to it where the site says where its repository is shown."""
    label = name if whole or not _COMMIT.fullmatch(name) else name[:_SHORT]
    before = spot.view.layout.commits
    if before and _COMMIT.fullmatch(name):
        return web_link(before + name, label, css="st-path")
    return f"<code>{text(label)}</code>"


def script(path: str, spot: Spot) -> str:
    """A probe's path, leading to its page, or to the script where the site says where that is shown."""
    page = spot.probe_url(path)
    if page is not None:
        return f'<a class="st-path" href="{text(page)}">{text(path)}</a>'
    url = spot.view.source_url(path)
    return web_link(url, path, css="st-path") if url else f"<code>{text(path)}</code>"


def change(accepted: Accepted, spot: Spot) -> str:
    """What was accepted: `a change of probes/x.py on 2026-12-01`."""
    url = spot.evidence_url(accepted.path)
    where = f'<a class="st-path" href="{text(url)}">{text(accepted.path)}</a>' if url else ""
    return f"a change of {where or script(accepted.path, spot)} on {text(accepted.on)}"


def arguments(argv: Sequence[str]) -> str:
    """A probe's arguments as a shell would take them."""
    return f"<code>{text(shlex.join(argv))}</code>"


def _with(record: Provenance) -> str:
    """The arguments, the interpreter and the first packages of a run."""
    packages = [" ".join(pair) for pair in record.packages]
    rest = len(packages) - MOST_PACKAGES
    listed = [*packages[:MOST_PACKAGES], *([f"{rest:,} more packages"] if rest > 0 else [])]
    words = [text(part) for part in (record.interpreter, *listed) if part]
    given = [f"the arguments {arguments(record.argv)}"] if record.argv else []
    return ", ".join((*given, *words))


def _to_record(path: str, spot: Spot) -> str:
    url = spot.evidence_url(path)
    name = text(path)
    return f'<a class="st-path" href="{text(url)}#record">{name}</a>' if url else f"<code>{name}</code>"
