"""The stage: a copy of the project in a folder of its own, in which a probe runs."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.probes.digest import input_paths

_SKIPPED = frozenset({"__pycache__", "node_modules", "site", "venv", "env"})
"""Folders that a project without git has and did not write; hidden folders are left out too."""

_ENVIRONMENT = "pyvenv.cfg"
"""What marks the folder of a virtual environment."""

_CACHES = frozenset(
    {"__pycache__", ".cache", ".hypothesis", ".mypy_cache", ".numba_cache", ".pytest_cache", ".ruff_cache"}
)
"""Folders into which tools write on the side: what appears below them is nobody's result."""

Signs = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class Stage:
    """A filled stage.

    Attributes:
        tree: The copy's root, resolved: the folder that the probe runs in.
        before: The files in it and what to know them by, from `tree`, as they were before the run.
    """

    tree: Path
    before: dict[str, Signs]

    def written(self) -> tuple[str, ...]:
        """The files that were made, changed or removed since, sorted; caches aside."""
        after = _signs(self.tree)
        changed = (path for path in {*after, *self.before} if after.get(path) != self.before.get(path))
        return tuple(sorted(path for path in changed if _CACHES.isdisjoint(path.split("/")[:-1])))


def fill(tree: Path, root: Path, probe: Probe, files: Sequence[str] | None) -> Stage:
    """Copies a project into an empty folder, for one run of one probe.

    Links stay links where they lead to a place inside the project, and are left out where they lead out of
    it, as is what is neither a file nor a link. What the probe writes is left out too, its folders are made.

    Args:
        tree: The empty folder, resolved.
        root: The project's root, resolved.
        probe: What will be run: its script and its inputs are always copied.
        files: The files to copy, from the root; all that the project seems to own where None.

    Raises:
        InputError: `unreadable`: a file cannot be read; `no-stage`: there is no room.
    """
    wanted = set(project_files(root) if files is None else _expanded(root, files))
    for path in (probe.path, *input_paths(root, probe)):
        wanted.update((path, *_real(root, path)))
    made: set[Path] = {tree}
    for path in sorted(_without_links_on_the_way(root, wanted) - set(probe.writes)):
        _copy(root, tree, path, made)
    for path in probe.writes:
        _folder(tree / path, made)
    return Stage(tree, _signs(tree))


def project_files(root: Path) -> Iterator[str]:
    """The files of a project that has no git, from the root.

    Left out are hidden folders, those of other people's code and of built sites, and virtual environments.
    """
    return _walk(root, "")


def _expanded(root: Path, files: Iterable[str]) -> Iterator[str]:
    """The files of a list, a folder in it (a repository inside the repository) standing for what it holds."""
    for path in files:
        place = root / path
        if place.is_dir() and not place.is_symlink():
            yield from _walk(root, f"{path.rstrip('/')}/")
        else:
            yield path


def _walk(root: Path, prefix: str) -> Iterator[str]:
    try:
        entries = list(os.scandir(root / prefix))
    except OSError:
        return
    if prefix and any(entry.name == _ENVIRONMENT for entry in entries):
        return
    for entry in entries:
        if not entry.is_dir(follow_symlinks=False):
            yield prefix + entry.name
        elif entry.name not in _SKIPPED and not entry.name.startswith("."):
            yield from _walk(root, f"{prefix}{entry.name}/")


def _real(root: Path, path: str) -> Iterator[str]:
    """The file that a path leads to, from the root; nothing where it lies outside."""
    real = Path(os.path.realpath(root / path))
    if real.is_relative_to(root):
        yield real.relative_to(root).as_posix()


def _without_links_on_the_way(root: Path, paths: Iterable[str]) -> set[str]:
    """The paths, those through a link to a folder replaced by that link and by where they lead."""
    found: set[str] = set()
    links: dict[str, str] = {}
    for path in paths:
        folder = path.rpartition("/")[0]
        if folder not in links:
            links[folder] = _first_link(root, folder)
        found.update((links[folder], *_real(root, path)) if links[folder] else (path,))
    return found


def _first_link(root: Path, folder: str) -> str:
    """The first part of a folder's path that is a link, from the root; empty where none is."""
    names = folder.split("/")
    parts = ("/".join(names[:count]) for count in range(1, len(names) + 1)) if folder else ()
    return next((part for part in parts if (root / part).is_symlink()), "")


def _copy(root: Path, tree: Path, path: str, made: set[Path]) -> None:
    """Copies one file or link; what is gone by now, or is neither, is left out."""
    source, target = root / path, tree / path
    try:
        mode = source.lstat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise _unreadable(path, error) from None
    if stat.S_ISLNK(mode):
        if inside := _link_inside(root, source):
            _folder(target, made)
            target.symlink_to(inside)
    elif stat.S_ISREG(mode):
        _folder(target, made)
        _copy_file(source, target, path)


def _link_inside(root: Path, link: Path) -> str:
    """What a link's copy holds: a path relative to it; empty where it leads out of the project."""
    real = Path(os.path.realpath(link))
    if not real.is_relative_to(root):
        return ""
    written = link.readlink()
    if not written.is_absolute():
        return str(written)
    return os.path.relpath(real, os.path.realpath(link.parent))


def _copy_file(source: Path, target: Path, path: str) -> None:
    """Copies bytes, mode and times: a file that is written later is known by its time."""
    try:
        shutil.copy2(source, target, follow_symlinks=False)
    except OSError as error:
        if error.errno in _NO_ROOM:
            raise no_stage(error) from None
        raise _unreadable(path, error) from None


def _folder(target: Path, made: set[Path]) -> None:
    if target.parent not in made:
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise no_stage(error) from None
        made.add(target.parent)


_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EROFS})


def no_stage(error: OSError) -> InputError:
    """The error of a stage that cannot be made."""
    return InputError(
        "no-stage",
        f"the project cannot be copied to a temporary folder for the run: {error.strerror or error}",
        "make room there, or let the environment variable TMPDIR name another folder",
    )


def _unreadable(path: str, error: OSError) -> InputError:
    return InputError(
        "unreadable", f"`{path}` cannot be read: {error.strerror}", "check the file's permissions", path=path
    )


def _signs(tree: Path) -> dict[str, Signs]:
    """What each file below a folder is known by: number, size, time, mode. Links are not followed."""
    found: dict[str, Signs] = {}
    waiting = [""]
    while waiting:
        prefix = waiting.pop()
        try:
            entries = list(os.scandir(tree / prefix))
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(f"{prefix}{entry.name}/")
            else:
                at = entry.stat(follow_symlinks=False)
                found[prefix + entry.name] = (at.st_ino, at.st_size, at.st_mtime_ns, at.st_mode)
    return found
