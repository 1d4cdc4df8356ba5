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
from stilltrue.preflight import Result, counts_text, preflight, result_text, to_json


def look_before_launch(project: str, file: str, only: Collection[str], form: str) -> int:
    """Prints what was seen, as text each check as it ends; 0 when all checks passed, else 1.

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
    colour = in_colour(sys.stdout)

    def hear(result: Result) -> None:
        if form == "text":
            emit(result_text(result, colour=colour))

    seen = preflight(config, from_root(config.root, file), only, watch=watch, hear=hear)
    emit(to_json(seen) if form == "json" else counts_text(seen))
    return OK if seen.ok else FAILED
