"""What git makes of the file that a number was read from: whether others will have it."""

from __future__ import annotations

from pathlib import Path

from stilltrue.binding.outcome import Standing
from stilltrue.git import is_repository, is_tracked, left_out


def standing(root: Path, path: str) -> Standing:
    """Whether git tracks a file, ignores it, or does neither; unknown outside a repository.

    Args:
        root: The project's root.
        path: The file, from there.
    """
    if is_tracked(root, path):
        return Standing.TRACKED
    if left_out(root, (path,)):
        return Standing.IGNORED
    return Standing.NEW if is_repository(root) else Standing.UNKNOWN
