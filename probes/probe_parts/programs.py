"""Programs that a probe starts, asked for before it measures anything; no probe itself."""

from __future__ import annotations

import shutil


def require(*names: str) -> None:
    """Stop where a program is not there.

    Raises:
        SystemExit: One is not on the PATH; says which.
    """
    for name in names:
        if shutil.which(name) is None:
            raise SystemExit(f"needs `{name}`, which is not on the PATH: install it, and run this again")
