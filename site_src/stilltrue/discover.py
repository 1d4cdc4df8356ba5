"""Which files are pages: globs from the root, over folders that hold an author's own text."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from stilltrue.globs import Glob, plain

_SKIPPED = frozenset({"node_modules", "site", "__pycache__"})
"""Folders that hold other people's pages or built ones; hidden folders are left out too."""

_SIGNS = re.compile(r"[*?[]")


def find_pages(root: Path, patterns: Iterable[str], exclude: Iterable[str] = ()) -> tuple[str, ...]:
    """The pages of a project, from the root with `/`, sorted.

    Hidden folders, `node_modules` and built sites are not entered unless a pattern names them outright,
    links to folders are not followed, and a link to a file counts only when it stays inside the root.
    In a pattern `*` and `?` stay within one folder and `**` crosses folders.
    """
    wanted = [plain(pattern) for pattern in patterns]
    unwanted = [Glob(plain(pattern)) for pattern in exclude]
    found: set[str] = set()
    for folder, parts in _by_folder(wanted).items():
        globs = [Glob(part) for part in parts]
        deep = any("**" in part or part.rfind("/") > len(folder) for part in parts)
        found.update(name for name in _walk(root, folder, deep=deep) if _any(globs, name))
    return tuple(sorted(name for name in found if not _any(unwanted, name)))


_HIDDEN = frozenset({".github", ".gitlab", ".circleci"})
"""Hidden folders that hold what an author wrote."""

BUILT = _SKIPPED | {"build", "dist", "venv", "target"}
"""Folders that git would be told to ignore."""


def find_files(root: Path) -> tuple[str, ...]:
    """Every file of a project that no version control lists, from the root with `/`, sorted.

    Hidden folders, those of packages and built ones are not entered, and links are not followed.
    """
    found: list[str] = []
    for folder, folders, names in os.walk(root):
        folders[:] = [
            name for name in folders if name in _HIDDEN or not (name.startswith(".") or name in BUILT)
        ]
        prefix = os.path.relpath(folder, root).replace(os.sep, "/")
        found.extend(name if prefix == "." else f"{prefix}/{name}" for name in names)
    return tuple(sorted(found))


def digest_of(names: Iterable[str]) -> str:
    """A short text that another list of names does not have."""
    from hashlib import blake2b  # noqa: PLC0415  # it loads OpenSSL, and most checks digest no list

    return blake2b("\0".join(names).encode("utf-8", "surrogateescape"), digest_size=16).hexdigest()


def _any(globs: list[Glob], path: str) -> bool:
    return any(glob.matches(path) for glob in globs)


def _by_folder(patterns: list[str]) -> dict[str, list[str]]:
    """The patterns by the folder that each begins in, the part before its first sign."""
    groups: dict[str, list[str]] = {}
    for pattern in patterns:
        sign = _SIGNS.search(pattern)
        fixed = pattern[: sign.start()] if sign else pattern
        groups.setdefault(fixed.rpartition("/")[0], []).append(pattern)
    return groups


def _walk(root: Path, folder: str, *, deep: bool) -> Iterator[str]:
    """The files in a folder (and below it), named from the root."""
    top = os.path.realpath(root)
    waiting = [folder]
    while waiting:
        current = waiting.pop()
        prefix = f"{current}/" if current else ""
        try:
            entries = list(os.scandir(os.path.join(top, current)))  # noqa: PTH118  # Path joins cost more than the scan
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if deep and entry.name not in _SKIPPED and not entry.name.startswith("."):
                    waiting.append(prefix + entry.name)
            elif _is_page(entry, top):
                yield prefix + entry.name


def _is_page(entry: os.DirEntry[str], top: str) -> bool:
    """Whether an entry is a regular file whose text lies inside the root."""
    try:
        if not entry.is_file():
            return False
    except OSError:
        return False
    if not entry.is_symlink():
        return True
    return os.path.realpath(entry.path).startswith(top.rstrip(os.sep) + os.sep)
