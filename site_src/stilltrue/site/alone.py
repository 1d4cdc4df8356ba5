"""The session that pages of one site share where no plugin hands one over: a check, made anew when it is old.

Zensical makes a new extension for every page, and renders for hours where it serves a site. So the check is
kept for the process and compared with the files that it rests on: at once after a pause, not for each of the
pages that follow one another in one build.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from stilltrue.check import check
from stilltrue.config import Config, load
from stilltrue.discover import find_pages
from stilltrue.errors import UsageError
from stilltrue.files import claims_files, expand
from stilltrue.globs import is_glob
from stilltrue.model import EvidenceSource, Report
from stilltrue.provenance import name_of
from stilltrue.root import OWN_FILE, SHARED_FILE
from stilltrue.site.generated import INDEX, address_of
from stilltrue.site.host import Host
from stilltrue.site.markup import path_url
from stilltrue.site.plan import Plan, plan
from stilltrue.site.repository import browse_url, commit_url
from stilltrue.site.session import Session
from stilltrue.site.view import Layout, View

_PAUSE_S = 0.2
"""Pages of one build follow one another more quickly than this."""

Stamps = Mapping[str, tuple[int, int] | None]
"""Files with their size and time of change in ns; None for one that is not there."""


@dataclass(slots=True)
class Alone:
    """A session, and what it rests on.

    Attributes:
        session: The session.
        plan: The generated pages.
        docs: The docs folder from the root with a `/` at its end; empty for the root.
        stamps: The files that the check rests on.
        used: When it was last asked for, in seconds of the monotonic clock.
    """

    session: Session
    plan: Plan
    docs: str
    stamps: Stamps
    used: float


_kept: dict[tuple[Path, Host], Alone] = {}
_lock = Lock()


def alone(start: Path, host: Host) -> Alone:
    """The session for a site.

    Args:
        start: A folder in the project.
        host: The generator.

    Raises:
        UsageError: The project cannot be checked.
    """
    key = (start.resolve(), host)
    with _lock:
        known = _kept.get(key)
        if known is None or (time.monotonic() - known.used > _PAUSE_S and _changed(known)):
            known = _kept[key] = _made(start, host)
        known.used = time.monotonic()
        return known


def _changed(known: Alone) -> bool:
    view = known.session.view
    return known.stamps != _stamps(view.config, view.report)


def _made(start: Path, host: Host) -> Alone:
    config = load(start)
    report = check(config)
    stamps = _stamps(config, report)
    docs = _docs_folder(config, host)
    planned = plan(config, report, docs)
    session = Session(View(config, report, _layout(config, host, docs, planned)), state=planned.state())
    return Alone(session, planned, docs, stamps, 0.0)


def _docs_folder(config: Config, host: Host) -> str:
    if not host.docs.is_relative_to(config.root):
        raise UsageError(
            f"the docs folder lies outside the project that is checked, {config.root}",
            "keep the pages inside the project",
        )
    inside = host.docs.relative_to(config.root).as_posix()
    return "" if inside == "." else f"{inside}/"


def _layout(config: Config, host: Host, docs: str, planned: Plan) -> Layout:
    """Where things stand: pages and the generated ones that `stilltrue pages` has put there."""
    names = (path[len(docs) :] for path in find_pages(config.root, [f"{docs}**/*.md"]))
    source = browse_url(host.repo_url, host.edit_uri, docs)

    def address(name: str) -> str:
        return path_url(address_of(name, directories=host.directories))

    def there(sources: Mapping[str, str]) -> Mapping[str, str]:
        return {path: address(name) for path, name in sources.items() if (host.docs / name).is_file()}

    return Layout(
        pages={docs + name: address(name) for name in names if name not in planned.pages},
        evidence=there(planned.evidence),
        probes=there(planned.probes),
        index=address(INDEX),
        source=source,
        commits=commit_url(host.repo_url, source),
    )


def _stamps(config: Config, report: Report) -> Stamps:
    return {name: _stamp(os.path.join(config.root, name)) for name in _rests_on(config, report)}  # noqa: PTH118  # hundreds of files after each pause


def _rests_on(config: Config, report: Report) -> Iterator[str]:
    """The files that a check rests on, from the root, those that patterns match by now included."""
    yield from (OWN_FILE, SHARED_FILE)
    yield from find_pages(config.root, config.pages, config.exclude)
    yield from claims_files(config.root, config.claims)
    for path in report.files:
        yield from (path, name_of(path))
    for record in report.provenance.values():
        yield from (code.path for code in record.code)
        yield from (file.path for file in record.inputs)
    for claim in (judgement.claim for judgement in report.judgements):
        if isinstance(claim.source, EvidenceSource):
            for pattern in filter(is_glob, claim.source.patterns):
                yield from expand(config.root, pattern)
        if claim.stated_in is not None:
            yield claim.stated_in.file
        if claim.table_in is not None:
            yield claim.table_in.file
        yield from (copy.file for copy in claim.copies)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)  # noqa: PTH116  # as in `_stamps`
    except OSError:
        return None
    return status.st_size, status.st_mtime_ns
