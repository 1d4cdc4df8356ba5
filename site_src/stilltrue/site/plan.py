"""What a site gets beside an author's pages: which generated pages and files, planned without any host."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files as resources
from pathlib import Path

from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.files import resolve
from stilltrue.model import Report
from stilltrue.provenance import name_of
from stilltrue.report import to_json
from stilltrue.site.bench import Entry, entries
from stilltrue.site.docstrings import directive
from stilltrue.site.evidence_page import evidence_page
from stilltrue.site.generated import (
    ASSETS,
    INDEX,
    JSON,
    PROBES,
    SUPERSEDED,
    evidence_sources,
    probe_sources,
    raw_name,
)
from stilltrue.site.history_section import Kept, kept_days
from stilltrue.site.index_page import index_page
from stilltrue.site.probe_index import probe_index
from stilltrue.site.probe_page import probe_page
from stilltrue.site.superseded_page import superseded_page
from stilltrue.site.view import Spot

Render = Callable[[Spot, str], str]
"""The HTML of a generated page, from the page itself and what Markdown made of its body."""

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class Generated:
    """A generated page.

    Attributes:
        title: What it is called in the browser's title and in search.
        render: Makes its HTML.
        listed: Whether it appears in a navigation that the site does not write itself.
        searched: Whether search finds it.
        body: Its Markdown.
    """

    title: str
    render: Render
    listed: bool = False
    searched: bool = False
    body: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """The generated pages and files of a site.

    Attributes:
        pages: The pages by the names of their sources in the docs folder.
        files: What each file holds, by its address from the site's root: bytes, or what another file holds.
        evidence: The source of each evidence file's page, by the file.
        probes: The source of each probe's page, by the script.
        scripts: The text of each of these scripts.
    """

    pages: Mapping[str, Generated]
    files: Mapping[str, bytes | Path]
    evidence: Mapping[str, str]
    probes: Mapping[str, str]
    scripts: Mapping[str, str]

    def state(self) -> str:
        """A short text that stands for all that the pages are made of: another one, and they are old."""
        parts = {name: content for name, content in self.files.items() if name not in ASSETS.values()}
        parts |= {path: text.encode("utf-8", "surrogateescape") for path, text in self.scripts.items()}
        digest = hashlib.sha256()
        for name, content in sorted(parts.items()):
            digest.update(f"{name}\0{_digest(content)}\0".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()[:16]


def plan(project: Config, report: Report, docs: str, folders: tuple[Path, ...] = ()) -> Plan:
    """The generated pages and files of a checked project.

    Args:
        project: The project.
        report: What checking it came to.
        docs: The folder of the site's pages, from the repository's root with a `/` at its end.
        folders: Where mkdocstrings looks for Python modules; empty where the site has it not.
    """
    probes = entries(project, report)
    evidence = evidence_sources(_readable(project, report), project.evidence)
    scripts = probe_sources(probes)
    days = {path: kept_days(project.root, path) for path in evidence}
    pages = {
        INDEX: Generated("Claims", lambda spot, _: index_page(spot, docs), listed=True, searched=True),
        SUPERSEDED: Generated(
            "Superseded claims", lambda spot, _: superseded_page(spot), listed=True, searched=True
        ),
        **{source: _evidence(project, path, days[path]) for path, source in evidence.items()},
        **{source: _probe(project, probes[path], folders) for path, source in scripts.items()},
    }
    if probes:
        pages[PROBES] = Generated(
            "Probes", lambda spot, _: probe_index(probes, spot), listed=True, searched=True
        )
    texts = {path: probes[path].script.text for path in scripts}
    return Plan(pages, _files(project, report, days), evidence, scripts, texts)


def _evidence(project: Config, path: str, kept: Sequence[Kept]) -> Generated:
    return Generated(path.rpartition("/")[2], lambda spot, _: evidence_page(project, path, spot, kept))


def _probe(project: Config, entry: Entry, folders: tuple[Path, ...]) -> Generated:
    body = directive(entry.real, entry.script.docstring, folders) if entry.script.parsed else ""
    return Generated(
        entry.path.rpartition("/")[2],
        lambda spot, docstring: probe_page(project, entry, spot, docstring),
        searched=True,
        body=body,
    )


def _files(project: Config, report: Report, days: Mapping[str, Sequence[Kept]]) -> Mapping[str, bytes | Path]:
    """The report, the style sheet and the script, and unedited copies of evidence and of its records."""
    # What a check says without running anything: how long probes took makes no two builds differ.
    files: dict[str, bytes | Path] = {JSON: to_json(replace(report, probes=())).encode("ascii")}
    for path, kept in days.items():
        for each in (path, *(day.path for day in kept)):
            for copied in (each, name_of(each)):
                _add_copy(files, project.root, copied)
    for kind, name in ASSETS.items():
        files[name] = asset(kind)
    return files


def _add_copy(files: dict[str, bytes | Path], root: Path, path: str) -> None:
    """Add the copy of a file, once; one that is not there is left out."""
    name = raw_name(path)
    if name not in files:
        try:
            files[name] = resolve(root, path)
        except InputError:
            return


def asset(kind: str) -> bytes:
    """The style sheet, `css`, or the script, `js`."""
    return (resources("stilltrue.site") / "assets" / f"stilltrue.{kind}").read_bytes()


def _readable(project: Config, report: Report) -> list[str]:
    """The evidence files that are there; what is wrong with the others, their claims say.

    A file whose name is no UTF-8 has no address, and so no page.
    """
    there = []
    for path in report.files:
        try:
            path.encode()
            resolve(project.root, path)
        except (InputError, UnicodeEncodeError):
            continue
        there.append(path)
    return there


def _digest(content: bytes | Path) -> str:
    digest = hashlib.sha256()
    if isinstance(content, bytes):
        digest.update(content)
        return digest.hexdigest()
    with content.open("rb") as file:
        while chunk := file.read(_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
