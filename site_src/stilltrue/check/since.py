"""What has changed in a project since its history and a revision's parted, and whether that is all of it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from stilltrue import git
from stilltrue.config import Config
from stilltrue.errors import InputError, UsageError
from stilltrue.files import PROVENANCE_SUFFIX
from stilltrue.git import Differences
from stilltrue.globs import Glob, is_glob
from stilltrue.locks import USUAL, find_locks, read_lock
from stilltrue.model import Place, Problem, Report, Since
from stilltrue.root import OWN_FILE, SHARED_FILE, table_in


class Changes:
    """The files that differ from the commit at which the project's history and a revision's parted.

    Args:
        config: The project.
        revision: A branch, a tag, a commit.

    Raises:
        UsageError: `no-base`: git is not there, knows no such revision, or not where the two parted.
    """

    def __init__(self, config: Config, revision: str) -> None:
        self._config = config
        self.since = Since(revision, _base(config.root, revision))
        self.files = _differences(config.root, self.since)
        self._paths = self.files.paths
        self._touched: dict[str, bool] = {}

    def touch(self, path: str) -> bool:
        """Whether a file differs, or is a glob that matches one that does; each link on its way counts.

        A folder of it counts too: one that is a link, or a submodule.
        """
        if path not in self._touched:
            self._touched[path] = self._globbed(path) if is_glob(path) else self._leads_to(path)
        return self._touched[path]

    def unseen(self, path: str) -> bool:
        """Whether git passes over a file that is there: nobody can tell then whether it changed."""
        there = self._known is not None and (self._config.root / path).is_file()
        return there and self._real(path) not in (self._known or ())

    @cached_property
    def _known(self) -> frozenset[str] | None:
        known = git.known_files(self._config.root)
        return None if known is None else frozenset(known)

    @cached_property
    def everything(self) -> bool:
        """Whether the configuration or a lock file changed: then any claim may be another."""
        if any(map(self.touch, _locks(self._config))):
            return True
        touched = [name for name in (OWN_FILE, SHARED_FILE) if name in self._paths]
        return any(
            _judging(table_in(self._held(name), name)) != _judging(table_in(self._before(name), name))
            for name in touched
        )

    def _held(self, path: str) -> bytes | None:
        """What a file of the project holds; None where it is not there."""
        file = self._config.root / path
        return file.read_bytes() if file.is_file() else None

    def _before(self, path: str) -> bytes | None:
        return git.blob_at(self._config.root, self.since.base, path)

    def modified_evidence(self, report: Report) -> tuple[Problem, ...]:
        """A warning for each evidence file that holds something else, and whose earlier version is gone.

        `record` keeps the version of an earlier day in a folder of that day: nothing is lost then.
        """
        readers: dict[str, list[str]] = {}
        for judgement in report.judgements:
            for path in judgement.files:
                readers.setdefault(path, []).append(judgement.claim.id)
        return tuple(
            self._warning(path, tuple(readers.get(path, ())))
            for path in sorted(self.files.modified)
            if (path in readers or self._is_evidence(path)) and not self._is_kept(path)
        )

    def _globbed(self, pattern: str) -> bool:
        return any(map(Glob(pattern).matches, self._paths))

    def _leads_to(self, path: str) -> bool:
        ways = (*_ways(self._config.root, path), self._real(path))
        return any(each in self._paths for way in ways for each in _with_folders(way))

    def _real(self, path: str) -> str:
        """A file's path from the root, every link followed."""
        real = os.path.realpath(self._config.root / path)
        return os.path.relpath(real, self._config.root).replace(os.sep, "/")

    def _is_evidence(self, path: str) -> bool:
        folder = f"{self._config.evidence.rstrip('/')}/"
        return path.startswith(folder) and not path.endswith(PROVENANCE_SUFFIX)

    def _is_kept(self, path: str) -> bool:
        """Whether what the file held at the base lies in a folder of an earlier day now."""
        from stilltrue.provenance import history  # noqa: PLC0415  # evidence is hardly ever modified

        root = self._config.root
        held = git.blob_id(root, self.since.base, path)
        return bool(held) and any(git.id_now(root, file) == held for _, file in history(root, path))

    def _warning(self, path: str, readers: tuple[str, ...]) -> Problem:
        return Problem(
            "modified-evidence",
            Place(path),
            f"the evidence was another at `{self.since.revision}`, and that version is not kept",
            "evidence is never edited: restore it and record it anew, or keep the earlier version beside it",
            about=readers,
        )


def _with_folders(path: str) -> Iterator[str]:
    """A path, and each of its folders."""
    while path:
        yield path
        path = path.rpartition("/")[0]


_MOST_LINKS = 40
"""How many links a system follows before it gives up."""


def _ways(root: Path, path: str) -> Iterator[str]:
    """A path, and each that it leads to when the first link in it is followed, while the root holds it."""
    for _ in range(_MOST_LINKS):
        yield path
        parts = path.split("/")
        folders = ("/".join(parts[:count]) for count in range(1, len(parts) + 1))
        link = next((each for each in folders if (root / each).is_symlink()), "")
        if not link:
            return
        target = (root / link).parent / (root / link).readlink()
        path = os.path.relpath(f"{target}{path.removeprefix(link)}", root).replace(os.sep, "/")
        if path.startswith(".."):
            return


# The base ----------------------------------------------------------------------------------------------


def _base(root: Path, revision: str) -> str:
    """The commit at which HEAD and a revision parted.

    Raises:
        UsageError: There is none.
    """
    if not git.is_repository(root):
        raise _no_base(
            "git is not there, or this is no repository that it can read", "leave `--changed-since` out"
        )
    head, other = git.head(root), git.commit_of(root, revision)
    cut = _CUT if git.is_shallow(root) else ""
    if not other:
        hint = cut or "name a branch, a tag or a commit, and `git fetch` it first"
        raise _no_base(f"git knows no commit by the name `{revision}`", hint)
    base = git.merge_base(root, head, other) if head else ""
    if not base:
        hint = cut or "name a revision that this branch came from"
        raise _no_base(f"`{revision}` and what is checked out have no commit in common", hint)
    return base


_CUT = "this clone holds a part of the history: fetch it whole (`fetch-depth: 0` for actions/checkout)"


def _differences(root: Path, since: Since) -> Differences:
    found = git.differences(root, since.base)
    if found is None:
        raise _no_base(
            f"git cannot compare the files with `{since.revision}`",
            f"see what `git diff --stat {since.base[:12]}` says",
        )
    return found


def _no_base(what: str, hint: str) -> UsageError:
    return UsageError(what, hint, code="no-base", place="--changed-since")


# The configuration -------------------------------------------------------------------------------------


def _locks(config: Config) -> Iterator[str]:
    """The lock files, those that they include, and those that may have been there."""
    yield from USUAL if config.locks is None else config.locks
    for path in find_locks(config.root, config.locks):
        try:
            yield from read_lock(config.root, path).files
        except InputError:
            continue


def _judging(table: Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """What of a configuration a check depends on: what `coverage` leaves out says nothing of a claim."""
    return table and {key: value for key, value in table.items() if key != "coverage"}
