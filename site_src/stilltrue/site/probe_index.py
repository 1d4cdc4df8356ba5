"""The list of all probes: what each settles, what it costs and needs, and how many claims rest on it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.site.bench import Entry
from stilltrue.site.markup import badge, counted, text
from stilltrue.site.probe_page import recorded
from stilltrue.site.records import script
from stilltrue.site.view import Spot

_PACKAGE = re.compile(r"[^\w.-].*", re.DOTALL)
"""What follows a package's name in a requirement."""


def probe_index(entries: Mapping[str, Entry], spot: Spot) -> str:
    """The page's HTML."""
    rows = "".join(_row(entry, spot) for entry in entries.values())
    return (
        "<h1>Probes</h1><p>The scripts that measured what the pages say. Each says on its page what it "
        "settles, needs and costs, and what it cannot settle.</p>"
        '<div class="st-table st-probes"><table><thead><tr><th>Probe</th><th>Costs</th><th>Needs</th>'
        f"<th>Claims</th><th>Last measured</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(entry: Entry, spot: Spot) -> str:
    header = entry.header
    days = [record.on for record in recorded(entry.path, spot).values()]
    if isinstance(header, InputError):
        cost, needs = badge("problem"), ""
    else:
        cost, needs = text(header.cost), text(", ".join(_needs(header)) or "nothing special")
    return (
        f"<tr><td>{script(entry.path, spot)}<br>{text(summary_line(entry.script.docstring))}</td>"
        f"<td>{cost}</td><td>{needs}</td><td>{_verdicts(entry.path, spot)}</td>"
        f'<td class="st-date">{text(max(days, default="no record"))}</td></tr>'
    )


def _needs(header: Probe) -> Iterator[str]:
    """What a machine must have, and the packages by name."""
    yield from header.needs
    yield from filter(None, (_PACKAGE.sub("", requirement) for requirement in header.dependencies))


def summary_line(docstring: str) -> str:
    """The first paragraph of a docstring, on one line."""
    return " ".join(docstring.strip().partition("\n\n")[0].split())


def _verdicts(path: str, spot: Spot) -> str:
    """What the claims that rest on a probe come to, counted."""
    return counted(j.verdict for j in spot.view.supported(path)) or "none"
