"""Paths as they are typed."""

from __future__ import annotations

import os
from pathlib import Path


def from_root(root: Path, path: str) -> str:
    """A path as typed, from the root: it starts in the current folder, else at the root."""
    here = Path(os.path.abspath(path))  # noqa: PTH100  # links stay: they are judged where the file is used
    if not os.path.lexists(here) and os.path.lexists(root / path):
        return os.path.normpath(path)
    with_links = Path(os.path.realpath(here.parent)) / here.name
    for each in (here, with_links):
        if each.is_relative_to(root):
            return each.relative_to(root).as_posix()
    return path
