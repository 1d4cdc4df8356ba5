"""What `stilltrue preflight` does."""

from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path

from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.paths import from_root
from stilltrue.cli.running import watch
from stilltrue.cli.streams import emit, in_colour
from stilltrue.config import load
from stilltrue.preflight import preflight, to_json, to_text


def look_before_launch(project: str, file: str, only: Collection[str], form: str) -> int:
    """Prints what was seen; 0 when all checks passed, else 1.

    Args:
        project: A folder in the project.
        file: The settings' file, from the current folder or from the root.
        only: The checks to run; all that the file asks for where none is named.
        form: `text` or `json`.

    Raises:
        UsageError: The configuration or the settings cannot be used, or they ask for nothing.
        InputError: The settings' file cannot be read.
    """
    config = load(Path(project))
    seen = preflight(config, from_root(config.root, file), only, watch=watch)
    emit(to_json(seen) if form == "json" else to_text(seen, colour=in_colour(sys.stdout)))
    return OK if seen.ok else FAILED
