"""Asking git; the one place besides `probes` that starts a process. It only reads, and takes no lock.

Paths are from `root`, the project's root, which may lie below the repository's top level; they are taken
literally, never as patterns. Without git, outside a repository, and where git refuses (a repository of
another user), nothing can be told: each function says what it then gives.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

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
        return None if any((folder / ".git").exists() for folder in (root, *root.parents)) else False
    return bool(listed)


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
