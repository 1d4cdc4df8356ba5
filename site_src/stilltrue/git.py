"""Asking git; the one place besides `probes` that starts a process."""

from __future__ import annotations

import subprocess
from pathlib import Path

_TIMEOUT_S = 20.0


def is_tracked(root: Path, path: str) -> bool:
    """Whether git tracks a file, or anything below a folder; False outside a repository or without git.

    Args:
        root: The folder to ask in.
        path: From `root`, with `/`.
    """
    listed = _git(root, "ls-files", "-z", "--", path)
    return bool(listed)


def _git(root: Path, *arguments: str) -> str:
    """What git prints, empty when it fails or is not there."""
    command = ["git", "-C", str(root), "--literal-pathspecs", *arguments]
    try:
        done = subprocess.run(  # noqa: S603  # fixed program, arguments passed as a list
            command, capture_output=True, timeout=_TIMEOUT_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "surrogateescape") if done.returncode == 0 else ""
