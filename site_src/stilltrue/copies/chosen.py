"""Which files are searched: an author's own text, not what tools wrote, others own, or once was."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stilltrue.files import PROVENANCE_SUFFIX
from stilltrue.globs import Glob, is_glob, plain

EVERYTHING = ("**",)
"""The globs of the files that are searched, where the configuration names none."""

FOLDERS = frozenset({
    "node_modules", "bower_components", "vendor", "vendored", "third_party", "third-party",
    "site-packages", "dist", "__pycache__", ".git", ".hg", ".svn", ".stilltrue", ".venv", "venv",
    ".tox", ".nox", "changelog.d", "changes.d", "changelogs", "newsfragments",
    "evidence-files", "evidence-as-text",
})  # fmt: skip
"""Folders of packages, of other people's code, of what a release once said, of copies that a site shows."""

SUFFIXES = (
    ".lock", ".lockb", ".sum", "-lock.json", "-lock.yaml", "npm-shrinkwrap.json",
    ".min.js", ".min.css", ".map", ".svg", ".snap", ".patch", ".diff",
    ".csv", ".tsv", ".jsonl", ".ndjson", ".log",
)  # fmt: skip
"""How the names of lock files, generated files and raw data end."""

HISTORY = re.compile(
    r"(?:change[-_ ]?log|changes|history|news|releases?|release[-_ ]?notes|whats[-_ ]?new)(?:\.\w+)?",
    re.IGNORECASE,
)
"""Names of files that say what once was, and stay as they are."""

_GENERATED = re.compile(
    rb"@generated\b|[Gg]enerated[^\n]{0,80}DO NOT (?:EDIT|MODIFY)|DO NOT EDIT[^\n]{0,80}generated"
    rb'|\A\{"format": \d+, "stilltrue": "'  # a report of ours, as sites keep it
)
_HEAD = 1_000
_SNIFFED = 8_192


class Choice:
    """Says of paths whether they are searched.

    Args:
        files: Globs of the files that are.
        ignore: Globs of files that are not.
        evidence: The folder that evidence is kept in.
        locks: Lock files of other names.
    """

    def __init__(
        self,
        files: Iterable[str] = EVERYTHING,
        ignore: Iterable[str] = (),
        evidence: str = "",
        locks: Iterable[str] = (),
    ) -> None:
        files = [name.removeprefix("./") for name in files]
        self._named = frozenset(name for name in files if not is_glob(name))
        self._files = () if "**" in files else tuple(Glob(plain(name)) for name in files)
        self._ignore = tuple(Glob(plain(name)) for name in ignore)
        self._evidence = f"{evidence}/" if evidence else "/"
        self._locks = frozenset(locks)

    def wants(self, path: str) -> bool:
        """Whether a file is searched; one that is named outright is, whatever it is called."""
        if path.startswith(self._evidence) or path.endswith(PROVENANCE_SUFFIX):
            return False
        if any(glob.matches(path) for glob in self._ignore):
            return False
        if path in self._named:
            return True
        if self._files and not any(glob.matches(path) for glob in self._files):
            return False
        return not self._left_out(path)

    def _left_out(self, path: str) -> bool:
        *folders, name = path.split("/")
        if not FOLDERS.isdisjoint(folders) or path in self._locks:
            return True
        return name.endswith(SUFFIXES) or HISTORY.fullmatch(name) is not None


def is_text(head: bytes) -> bool:
    """Whether a file begins as text that somebody wrote: no NUL in 8 KiB, and no word of a generator."""
    return b"\0" not in head[:_SNIFFED] and _GENERATED.search(head[:_HEAD]) is None
