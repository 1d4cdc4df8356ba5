"""From the modules that a run loaded to the repository's own code and the packages that were used."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from importlib import metadata
from pathlib import Path

Packages = tuple[tuple[str, str], ...]


def own_modules(loaded: Mapping[str, str], roots: Sequence[Path], files: Collection[str]) -> dict[str, str]:
    """Of loaded modules those that are the repository's own, and their files from the root.

    Args:
        loaded: The modules' files by the modules' names.
        roots: Folders that stand for the repository's root, resolved: the stage's, and the real one, from
            which a package that is installed as editable is loaded.
        files: The repository's files, from the root.
    """
    found = {name: _from_root(Path(os.path.realpath(path)), roots) for name, path in loaded.items()}
    return {name: path for name, path in found.items() if path in files}


def _from_root(path: Path, roots: Sequence[Path]) -> str:
    return next((path.relative_to(root).as_posix() for root in roots if path.is_relative_to(root)), "")


def packages(loaded: Mapping[str, str]) -> Packages:
    """Name and version of the installed packages that modules were loaded from, sorted.

    Args:
        loaded: The modules' files by the modules' names; those of the standard library do not count.
    """
    tops = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    providers = metadata.packages_distributions() if tops else {}
    found: dict[str, str] = {}
    for top in sorted(tops):
        names = set(providers.get(top, (top,)))
        for name in names if len(names) == 1 else _providing(names, top, loaded):
            if version := _version(name):
                found[name] = version
    return tuple(sorted(found.items(), key=lambda item: (item[0].lower(), item)))


def _providing(names: set[str], top: str, loaded: Mapping[str, str]) -> set[str]:
    """Of several packages that share a folder, those that files were loaded from."""
    used = {os.path.realpath(path) for name, path in loaded.items() if name.partition(".")[0] == top}
    return {name for name in names if used & _files(name)}


def _files(name: str) -> set[str]:
    return {os.path.realpath(str(file.locate())) for file in metadata.files(name) or ()}


def _version(name: str) -> str:
    try:
        return str(metadata.version(name) or "")
    except (metadata.PackageNotFoundError, ValueError):
        return ""
