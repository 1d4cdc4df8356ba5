"""What a served site depends on beside its own pages, so that a change to it is seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from stilltrue.config import Config
from stilltrue.globs import is_glob
from stilltrue.locks import find_locks
from stilltrue.model import EvidenceSource, Report

MOST_FOLDERS = 64
"""How many folders of evidence are watched one by one, each by a thread; above, whole trees are."""

_PROBES = "probes"


def watched(project: Config, report: Report, docs: str) -> Mapping[str, bool]:
    """Folders and files from the root, and whether all that lies below is meant too.

    A folder is watched rather than the files in it, so that one that is replaced, or not there yet, is seen.
    Files right at the root are watched themselves: what else is written there would cause endless builds.

    Args:
        project: The project.
        report: What checking it came to.
        docs: The docs folder, from the root with a `/` at its end, which is watched already.
    """
    patterns = set(_patterns(report))
    heads = {_head(pattern) for pattern in patterns if is_glob(pattern)}
    named = {pattern for pattern in patterns if not is_glob(pattern)}
    files = named | {*report.files, project.source} | set(_recorded(report)) | set(_locks(project, report))
    trees = {project.evidence, project.claims, _PROBES} | heads
    near = {_folder(path) for path in files}
    if len(near) > MOST_FOLDERS:
        trees |= {folder.partition("/")[0] for folder in near}
    chosen = {path: False for path in files if not _folder(path)}
    chosen |= {folder: False for folder in near if folder}
    chosen |= {tree: tree != "." for tree in trees if tree}
    if "" in heads:
        chosen["."] = False
    whole = {tree for tree, recursive in chosen.items() if recursive} | {docs.rstrip("/")}
    return {
        path: recursive
        for path, recursive in sorted(chosen.items())
        if whole.isdisjoint(_above(path)) and path not in (docs.rstrip("/"), "") and _there(project, path)
    }


def _patterns(report: Report) -> Iterable[str]:
    for claim in (judgement.claim for judgement in report.judgements):
        if isinstance(claim.source, EvidenceSource):
            yield from claim.source.patterns
        if claim.stated_in is not None:
            yield claim.stated_in.file
        if claim.table_in is not None:
            yield claim.table_in.file
        yield from (copy.file for copy in claim.copies)


def _recorded(report: Report) -> Iterable[str]:
    """The code and the inputs that evidence was measured with: a change makes its claims suspect."""
    for record in report.provenance.values():
        yield from (code.path for code in record.code)
        yield from (file.path for file in record.inputs)


def _locks(project: Config, report: Report) -> Iterable[str]:
    """The lock files, where a claim is valid with some versions only."""
    if any(j.claim.valid is not None and j.claim.valid.versions for j in report.judgements):
        yield from find_locks(project.root, project.locks)


def _head(pattern: str) -> str:
    """The folder in which a glob begins to look: `runs` for `runs/*/step.log`."""
    names = pattern.split("/")[:-1]
    plain = next((at for at, name in enumerate(names) if is_glob(name)), len(names))
    return "/".join(names[:plain])


def _folder(path: str) -> str:
    return path.rpartition("/")[0]


def _above(path: str) -> Iterable[str]:
    """The folders that a path lies in."""
    while path := _folder(path):
        yield path


def _there(project: Config, path: str) -> bool:
    return (project.root / path).exists()
