"""The same measurement on earlier days: the files that are kept of it, and what claims found in them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stilltrue.check.series import series
from stilltrue.config import Config
from stilltrue.model import Provenance
from stilltrue.provenance import history, readable
from stilltrue.site.card import claim_link
from stilltrue.site.generated import raw_name
from stilltrue.site.markup import text
from stilltrue.site.record_section import listed, record_url
from stilltrue.site.records import summary
from stilltrue.site.view import Spot

MOST_CLAIMS = 50
"""Of how many claims what they found on earlier days is told: each is read again for each day."""


@dataclass(frozen=True, slots=True)
class Kept:
    """What is kept of an earlier day: the file, and its record where it has one that can be read."""

    day: str
    path: str
    record: Provenance | None


def kept_days(root: Path, path: str) -> tuple[Kept, ...]:
    """What is kept of an evidence file's earlier days, newest first.

    Args:
        root: The repository's root.
        path: The evidence of today, from the root.
    """
    return tuple(Kept(day, file, readable(root, file)) for day, file in history(root, path))


def history_section(config: Config, path: str, kept: Sequence[Kept], spot: Spot) -> str:
    """The section of an evidence page that lists earlier days, newest first; empty where there were none.

    Args:
        config: The project.
        path: The evidence of today, from the repository's root.
        kept: What is kept of earlier days.
        spot: The evidence page.
    """
    if not kept:
        return ""
    found = _found(config, path, spot)
    rows = "".join(_row(each, found.get(each.day, ()), spot) for each in kept)
    return (
        '<h2 id="history">Earlier days</h2><div class="st-table st-history"><table><thead><tr>'
        f"<th>Measured</th><th>Found</th><th>Evidence</th><th>Record</th></tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _found(config: Config, path: str, spot: Spot) -> Mapping[str, Sequence[str]]:
    """By day, what each claim that reads the file finds in the evidence of that day."""
    names = dict.fromkeys(name for line in spot.view.readers(path).values() for name in line)
    found: dict[str, list[str]] = {}
    for name in list(names)[:MOST_CLAIMS]:
        judgement = spot.view.judged[name]
        for then in series(config, judgement.claim, judgement.files):
            said = text(then.found) if then.found else "nothing"
            found.setdefault(then.day, []).append(f"{claim_link(name, spot)} {said}")
    return found


def _row(kept: Kept, found: Sequence[str], spot: Spot) -> str:
    page = spot.evidence_url(kept.path)
    file = f'<a href="{text(page or spot.raw_url(raw_name(kept.path)))}"><code>{text(kept.path)}</code></a>'
    measured = text(kept.day) if kept.record is None else summary(kept.record, spot)
    record = (
        "none"
        if kept.record is None
        else f'<a href="{text(record_url(kept.path, spot))}" download>Download</a>'
    )
    return f"<tr><td>{measured}</td><td>{listed(found)}</td><td>{file}</td><td>{record}</td></tr>"
