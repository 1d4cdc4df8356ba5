"""Asking git; the one place besides `probes` that starts a process. It only reads, and takes no lock.

Paths are from `root`, the project's root, which may lie below the repository's top level; they are taken
literally, never as patterns. Without git, outside a repository, and where git refuses (a repository of
another user), nothing can be told: each function says what it then gives.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from stilltrue.errors import UsageError
from stilltrue.workspace import FOLDER

_TIMEOUT_S = 20.0

_OF_A_REPOSITORY = (
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
)
"""What `git rev-parse --local-env-vars` lists, configuration aside: a hook sets these."""

_WHATEVER_THE_PROJECT = (
    "--literal-pathspecs",
    "--no-optional-locks",
    "-c",
    "safe.bareRepository=explicit",
    "-c",
    "core.fsmonitor=false",
)
"""A folder of a pull request may look like a bare repository, whose configuration names programs to run."""

_AT_ONCE = 500
"""How many paths one command line names."""


def is_tracked(root: Path, path: str) -> bool:
    """Whether git tracks a file, or anything below a folder; False outside a repository or without git."""
    return bool(_git(root, "ls-files", "-z", "--", path))


def tracks_workspace(root: Path) -> bool | None:
    """Whether git tracks `.stilltrue/`: then it came with the project, and nothing in it is believed.

    Returns:
        None where nobody can tell: git is not there, or refuses a repository of another user.
    """
    if not (root / FOLDER).exists():
        return False
    listed = _git(root, "ls-files", "-z", "--", FOLDER)
    if listed is None:
        return None if _may_be_repository(root) else False
    return bool(listed)


def refuse_tracked_workspace(root: Path) -> None:
    """Refuse to work in a `.stilltrue/` that came with the project.

    Raises:
        UsageError: `tracked-cache`: git tracks it.
    """
    if tracks_workspace(root):
        hint = f"run `git rm -r --cached {FOLDER}`"
        raise UsageError("git tracks what is kept between runs", hint, code="tracked-cache", place=FOLDER)


def head(root: Path) -> str:
    """The commit that is checked out, in full; empty before the first one, and where nothing can be told."""
    return (_git(root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}") or "").strip()


def changed(root: Path, paths: Sequence[str]) -> tuple[str, ...] | None:
    """Those of some files that differ from HEAD, or are not in it and not ignored either.

    Line ends that git converts are no difference. Before the first commit nothing is in HEAD.

    Args:
        root: The project's root.
        paths: Files, from the root.

    Returns:
        In the order of `paths`; None where nothing can be told.
    """
    found: set[str] = set()
    for folder, inner in _by_repository(root, paths).items():
        differ = _differing(root / folder, inner)
        if differ is None:
            return None
        found.update(folder + path for path in differ)
    return tuple(path for path in dict.fromkeys(paths) if path in found)


def committed(root: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """Those of some files that HEAD holds, as they are or otherwise; none where nothing can be told."""
    found: set[str] = set()
    for folder, inner in _by_repository(root, paths).items():
        for some in _parts(inner):
            listed = _git(root / folder, "ls-tree", "-r", "-z", "--name-only", "HEAD", "--", *some)
            found.update(folder + path for path in _split(listed or ""))
    return tuple(path for path in dict.fromkeys(paths) if path in found)


def known_files(root: Path) -> tuple[str, ...] | None:
    """Every file below the root that git tracks or does not ignore, sorted; None where nothing can be told.

    Files of submodules are among them; what was deleted and is still tracked is not.
    """
    tracked = _git(root, "ls-files", "-z", "--cached", "--recurse-submodules")
    others = _git(root, "ls-files", "-z", "--others", "--exclude-standard")
    if tracked is None or others is None:
        return None
    names = {name for name in (*_split(tracked), *_split(others)) if not name.endswith("/")}
    return tuple(sorted(name for name in names if os.path.lexists(root / name)))


# What has changed since a revision ---------------------------------------------------------------------


class Differences(NamedTuple):  # the start of every check loads this module, and `dataclasses` is slow
    """How the files on disk differ from a commit, from the project's root and below it.

    Attributes:
        added: Files that the commit does not hold: committed since, staged, or not ignored.
        modified: Files whose content is another one.
        deleted: Files that are not there any more.
    """

    added: frozenset[str] = frozenset()
    modified: frozenset[str] = frozenset()
    deleted: frozenset[str] = frozenset()

    @property
    def paths(self) -> frozenset[str]:
        """Every file that differs. A submodule that differs is named by its folder."""
        return self.added | self.modified | self.deleted


def is_repository(root: Path) -> bool:
    """Whether git is there, and the root lies in a repository that it does not refuse."""
    return _git(root, "rev-parse", "--show-prefix") is not None


def is_shallow(root: Path) -> bool:
    """Whether the history was cut off when the repository was cloned."""
    return (_git(root, "rev-parse", "--is-shallow-repository") or "").strip() == "true"


def commit_of(root: Path, revision: str) -> str:
    """The commit that a revision names, in full; empty where there is none. It is never an option."""
    wanted = ("--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    return (_git(root, "rev-parse", *wanted) or "").strip()


def merge_base(root: Path, one: str, other: str) -> str:
    """The commit at which two histories parted; empty where they share none, as far as they are here.

    Args:
        root: The project's root.
        one: A commit, in full.
        other: Another one.
    """
    return (_git(root, "merge-base", one, other) or "").strip()


def differences(root: Path, commit: str) -> Differences | None:
    """How the files on disk, those that git neither tracks nor ignores included, differ from a commit.

    `git diff` would do in one step, but it writes the index, whatever it is told about locks.

    Args:
        root: The project's root.
        commit: A commit, in full.

    Returns:
        None where nothing can be told.
    """
    committed_since = _entries(_git(root, *_BETWEEN_COMMITS, commit, "HEAD"))
    uncommitted = _uncommitted(root)
    if committed_since is None or uncommitted is None:
        return None
    # What was changed twice may be as it was.
    twice = [path for path, status in uncommitted.items() if path in committed_since or status in _TWICE]
    same = {path for path in twice if (held := blob_id(root, commit, path)) and held == id_now(root, path)}
    statuses = {**uncommitted, **committed_since}
    was = {path: status[0] not in "?A" for path, status in statuses.items() if path not in same}
    there = {path for path in was if os.path.lexists(root / path)}
    return Differences(
        added=frozenset(path for path in there if not was[path]),
        modified=frozenset(path for path in there if was[path]),
        deleted=frozenset(path for path in was.keys() - there if was[path]),
    )


_BETWEEN_COMMITS = (
    "diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", "--relative", "--ignore-submodules=none",
)  # fmt: skip
"""`.gitmodules`, which comes with the project, may say that a submodule is to be passed over."""


_TWICE = frozenset(f"{index}{file}" for index in "MTADRCU" for file in "MTADRCU?")
"""What `git status` says of files that are one thing in the index and another one on disk."""


def _entries(listed: str | None) -> dict[str, str] | None:
    """Paths with their status, from `:mode mode id id status` and a path by turns.

    What only lost or got the right to be executed is left out.
    """
    if listed is None:
        return None
    entries = _split(listed)
    told = {path: about.split() for about, path in zip(entries[::2], entries[1::2], strict=True)}
    changed_kind = "T"  # a file that became a link may hold the same bytes, and says something else
    return {
        path: status
        for path, (_, _, before, after, status) in told.items()
        if before != after or status == changed_kind
    }


def _uncommitted(root: Path) -> dict[str, str] | None:
    """The files below the root that differ from HEAD, each with the two signs of `git status`."""
    prefix = _git(root, "rev-parse", "--show-prefix")
    # A file that became executable says what it said.
    status = _git(root, "-c", "core.fileMode=false", *_STATUS, "--ignore-submodules=none")
    if prefix is None or status is None:
        return None
    top = prefix.rstrip("\n")
    found: dict[str, str] = {}
    for entry in _split(status):
        path = entry[_STATUS_WIDTH:].rstrip("/")  # another repository's folder ends so
        if path.startswith(top):
            # A file that was taken out of the index and is still there has two entries: `D ` and `??`.
            name = path.removeprefix(top)
            found[name] = f"{found[name][0]}?" if name in found else entry[: _STATUS_WIDTH - 1]
    return found


def blob_id(root: Path, commit: str, path: str) -> str:
    """By which name git knows what a commit holds as a file; empty where it holds none."""
    wanted = ("--verify", "--quiet", "--end-of-options", f"{commit}:./{path}")
    return (_git(root, "rev-parse", *wanted) or "").strip()


def id_now(root: Path, path: str) -> str:
    """By which name git would know what a file holds now; empty where nothing can be told."""
    return (_git(root, "hash-object", "--", path) or "").strip()


def blob_at(root: Path, commit: str, path: str) -> bytes | None:
    """What a commit holds as a file; None where it holds none by that path."""
    # Git splits at the first colon, and no commit in full has one: any path may follow.
    held = _git(root, "cat-file", "blob", f"{commit}:./{path}")
    return None if held is None else os.fsencode(held)


def listed_files(root: Path) -> tuple[str, ...] | None:
    """Every file below the root that git tracks or does not ignore; None where nothing can be told.

    One question is asked. Submodules are left out: they are other people's. What was deleted and is still
    tracked is among them.
    """
    listed = _git(root, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    if listed is None:
        return None
    return tuple(sorted({name for name in _split(listed) if not name.endswith("/")}))


def ignored(root: Path, paths: Sequence[str]) -> tuple[str, ...] | None:
    """Those of some files that git ignores and does not track: no status and no commit tells of them.

    Where git tracks all of them one question is asked, about their folders: one about thousands of files by
    their names takes it many times as long.
    """
    known = _tracked_in(root, {path.rpartition("/")[0] for path in paths})
    if known is None:
        return None
    found: set[str] = set()
    for some in _parts([path for path in paths if path not in known]):
        listed = _git(root, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", *some)
        if listed is None:
            return None
        found.update(_split(listed))
    return tuple(path for path in dict.fromkeys(paths) if path in found)


def left_out(root: Path, paths: Sequence[str]) -> tuple[str, ...]:
    """As `ignored`, and nothing where nothing can be told; outside a repository git is not asked."""
    if not paths or not _may_be_repository(root):
        return ()
    return ignored(root, paths) or ()


def _tracked_in(root: Path, folders: Collection[str]) -> frozenset[str] | None:
    """The files that git tracks in some folders and below them; of the root, which is empty, all."""
    named = [()] if "" in folders else _parts(sorted(folders))
    found: set[str] = set()
    for some in named:
        listed = _git(root, "ls-files", "-z", "--", *some)
        if listed is None:
            return None
        found.update(_split(listed))
    return frozenset(found)


def _may_be_repository(root: Path) -> bool:
    """Whether a repository begins at the root or above it, whatever git thinks of it."""
    return any((folder / ".git").exists() for folder in (root, *root.parents))


def passed_over(root: Path) -> tuple[str, ...] | None:
    """The files below the root that git was told not to look at, so that it reports no change to them.

    That is what `git update-index --assume-unchanged` and `--skip-worktree` do, in submodules too; a sparse
    checkout skips files as well, which are not there then and not told here.

    Returns:
        Sorted; None where nothing can be told.
    """
    listed = _git(root, "ls-files", "-z", "-v", "--recurse-submodules")
    if listed is None:
        return None
    names = {entry[2:] for entry in _split(listed) if entry[0] == "S" or entry[0].islower()}
    return tuple(sorted(name for name in names if os.path.lexists(root / name)))


_STATUS = ("status", "--porcelain=v1", "-z", "--no-renames", "--untracked-files=all")
_STATUS_WIDTH = len("XY ")


def _differing(folder: Path, paths: Sequence[str]) -> set[str] | None:
    """Of some files of one repository, from `folder` in it, those that differ from its HEAD."""
    prefix = _git(folder, "rev-parse", "--show-prefix")
    if prefix is None:
        return None
    found: set[str] = set()
    for some in _parts(paths):
        status = _git(folder, *_STATUS, "--", *some)
        if status is None:
            return None
        found.update(entry[_STATUS_WIDTH:].removeprefix(prefix.rstrip("\n")) for entry in _split(status))
    return found


def _by_repository(root: Path, paths: Iterable[str]) -> dict[str, list[str]]:
    """Files by the submodule that they lie in: its folder from the root, ending in `/`, or empty."""
    found: dict[str, list[str]] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder and not os.path.lexists(root / folder / ".git"):
            folder = folder.rpartition("/")[0]
        folder = f"{folder}/" if folder else ""
        found.setdefault(folder, []).append(path.removeprefix(folder))
    return found


def _parts(paths: Sequence[str]) -> list[Sequence[str]]:
    return [paths[start : start + _AT_ONCE] for start in range(0, len(paths), _AT_ONCE)]


def _split(listed: str) -> list[str]:
    return [entry for entry in listed.split("\0") if entry]


def _git(root: Path, *arguments: str) -> str | None:
    """What git prints; None when it fails or is not there."""
    command = ["git", "-C", str(root), *_WHATEVER_THE_PROJECT, *arguments]
    environment = {name: value for name, value in os.environ.items() if name not in _OF_A_REPOSITORY}
    try:
        done = subprocess.run(  # noqa: S603  # fixed program, arguments passed as a list
            command,
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
            stdin=subprocess.DEVNULL,
            env=environment,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):  # ValueError: a path with a NUL
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None
