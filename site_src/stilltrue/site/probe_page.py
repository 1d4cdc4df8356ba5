"""A probe as a page: what it settles and needs, how to run it, what rests on it, and its code."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping

from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.model import Judgement, Probe, Provenance
from stilltrue.site.bench import Entry
from stilltrue.site.card import claim_link
from stilltrue.site.line_blocks import line_blocks
from stilltrue.site.markup import clause, line, lines, row, sentence, text, verdict_badge, web_link
from stilltrue.site.markup import counted as fates_of
from stilltrue.site.record_section import seconds_words
from stilltrue.site.records import arguments, summary
from stilltrue.site.script import Argument, read_script
from stilltrue.site.view import Spot
from stilltrue.wording import counted

MOST_OPEN = 12
"""Up to how many claims are listed at once; more of them lie under a fold."""


MOST_MODULES = 100
"""How many of the modules that a probe imported are shown."""


def probe_page(config: Config, entry: Entry, spot: Spot, docstring: str) -> str:
    """The page's HTML.

    Args:
        config: The project.
        entry: The probe.
        spot: The page itself.
        docstring: The rendered docstring; empty where mkdocstrings did not render one.
    """
    path = entry.path
    records = recorded(path, spot)
    source = spot.view.source_url(path)
    shown = f" · {web_link(source, 'In the repository')}" if source else ""
    said = docstring.strip() or _said(entry.script.docstring)
    return (
        f"<h1>{text(path.rpartition('/')[2])}</h1>"
        f'<p><code>{text(path)}</code> · <a href="#code">Its code</a>{shown}</p>'
        f'<div class="st-doc">{said}</div>{_arguments(entry.script.arguments)}{_running(entry, records)}'
        f"{_claims(spot.view.supported(path), spot)}{_evidence(records, spot)}"
        f"{_code(config, entry, records.values())}"
    )


def recorded(path: str, spot: Spot) -> dict[str, Provenance]:
    """The evidence files that a probe wrote, with their records."""
    known = spot.view.report.provenance
    return {name: record for name, record in known.items() if record.probe == path}


def _said(docstring: str) -> str:
    if not docstring:
        return "<p>It says nothing of itself.</p>"
    return f'<pre class="st-said">{lines(docstring)}</pre>'


def _arguments(given: Iterable[Argument]) -> str:
    rows = "".join(
        f"<tr><td><code>{text(a.names)}</code></td><td>{text(a.help)}</td>"
        f"<td>{f'<code>{text(a.default)}</code>' if a.default else ''}</td></tr>"
        for a in given
    )
    if not rows:
        return ""
    head = "<thead><tr><th>Argument</th><th>Meaning</th><th>Default</th></tr></thead>"
    return f'<h2 id="arguments">Arguments</h2>{_table("st-arguments", f"{head}<tbody>{rows}</tbody>")}'


def _table(kind: str, inside: str) -> str:
    return f'<div class="st-table {kind}"><table>{inside}</table></div>'


# Running it --------------------------------------------------------------------------------------------


def _running(entry: Entry, records: Mapping[str, Provenance]) -> str:
    head = '<h2 id="run">Running it</h2>'
    if isinstance(entry.header, InputError):
        hint = f'<p class="st-hint">{clause(entry.header.hint)}.</p>' if entry.header.hint else ""
        return f'{head}<p class="st-message">{clause(entry.header.message)}.</p>{hint}'
    rows = "".join(row(name, value) for name, value in _facts(entry.header) if value)
    commands = "\n".join(dict.fromkeys(_command(entry.path, r) for r in records.values() or (None,)))
    return (
        f"{head}<p>From the repository's root; it writes the evidence and the record beside it:</p>"
        f"<pre><code>{lines(commands)}</code></pre>{_table('st-facts-table', f'<tbody>{rows}</tbody>')}"
    )


def _command(path: str, record: Provenance | None) -> str:
    """What records a probe with the arguments that it was recorded with."""
    given = ["--", *record.argv] if record is not None and record.argv else []
    return shlex.join(["stilltrue", "record", path, *given])


def _facts(header: Probe) -> Iterator[tuple[str, str]]:
    yield "Cost", cost(header)
    yield "Time-out", seconds_words(header.timeout_s)
    yield "Needs", _codes(header.needs) or "nothing special"
    yield "Python", text(header.requires_python)
    yield "Packages", _codes(header.dependencies)
    yield "Reads", _codes(header.reads)
    yield "Writes", _codes(header.writes)
    yield "Faults it can plant", _codes(header.plants)


def cost(header: Probe) -> str:
    """`cheap` and `slow` in words."""
    return "cheap: seconds on a laptop's processor" if header.cost == "cheap" else text(header.cost)


def _codes(words: Iterable[str]) -> str:
    return ", ".join(f"<code>{text(word)}</code>" for word in words)


# What rests on it --------------------------------------------------------------------------------------


def _claims(judgements: Iterable[Judgement], spot: Spot) -> str:
    known = tuple(judgements)
    rows = "".join(
        f"<tr><td>{verdict_badge(j)}</td><td>{sentence(j)}<br>{claim_link(j.claim.id, spot)}</td></tr>"
        for j in known
    )
    head = '<h2 id="claims">Claims that rest on it</h2>'
    if not rows:
        return f"{head}<p>None.</p>"
    table = _table("st-rests", f"<thead><tr><th>Verdict</th><th>Claim</th></tr></thead><tbody>{rows}</tbody>")
    if len(known) <= MOST_OPEN:
        return head + table
    fates = fates_of(j.verdict for j in known)
    summary = f"{len(known):,} claims: {fates}"
    return f'{head}<details class="st-fold"><summary>{summary}</summary>{table}</details>'


def _evidence(records: dict[str, Provenance], spot: Spot) -> str:
    if not records:
        return ""
    rows = "".join(_recorded(path, record, spot) for path, record in records.items())
    head = "<thead><tr><th>File</th><th>Measured</th><th>Arguments</th></tr></thead>"
    return f'<h2 id="evidence">Its evidence</h2>{_table("st-evidence", f"{head}<tbody>{rows}</tbody>")}'


def _recorded(path: str, record: Provenance, spot: Spot) -> str:
    url = spot.evidence_url(path)
    label = f"<code>{text(path)}</code>"
    name = f'<a href="{text(url)}">{label}</a>' if url else label
    given = arguments(record.argv) if record.argv else "none"
    return f"<tr><td>{name}</td><td>{summary(record, spot, path)}</td><td>{given}</td></tr>"


# Its code ----------------------------------------------------------------------------------------------


def _code(config: Config, entry: Entry, records: Iterable[Provenance]) -> str:
    """The script, and the repository's modules that it imported when it was recorded."""
    modules = dict.fromkeys(code.path for record in records for code in record.code)
    modules.pop(entry.path, None)
    shown = list(modules)[:MOST_MODULES]
    others = "".join(_module(config, path, number) for number, path in enumerate(shown, 1))
    if more := len(modules) - len(shown):
        others += f"<p>And {more:,} more, which the record names.</p>"
    own = _fold(entry.path, entry.script.text, "L")
    imported = f"<p>Of the repository it imports:</p>{others}" if others else ""
    # Material's search takes up again where the first element inside ends that has the name of the one left
    # out: no listing has a section.
    return f'<h2 id="code">Its code</h2><section data-search-exclude>{own}{imported}</section>'


def _module(config: Config, path: str, number: int) -> str:
    try:
        script = read_script(config.root, path)
    except InputError as error:
        return f"<p><code>{text(path)}</code>: {clause(error.message)}.</p>"
    return _fold(path, script.text, f"M{number}-L")


def _fold(path: str, code: str, anchor: str) -> str:
    rows = code.removesuffix("\n").split("\n")
    shown = [_line(f"{anchor}{at}", at, content) for at, content in enumerate(rows, 1)]
    return (
        f'<details class="st-fold"><summary><code>{text(path)}</code>, {counted(len(rows), "line")}</summary>'
        f"{line_blocks(shown)}</details>"
    )


def _line(anchor: str, number: int, content: str) -> str:
    return f'<span id="{anchor}"><a href="#{anchor}">{number}</a>{line(content)}\n</span>'
