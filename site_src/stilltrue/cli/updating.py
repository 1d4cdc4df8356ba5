"""What `stilltrue update` does."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.progress import Progress
from stilltrue.cli.streams import emit
from stilltrue.config import load
from stilltrue.edit import to_text, update


def update_numbers(project: str, ids: Collection[str], *, dry_run: bool) -> int:
    """`stilltrue update`: 0 when every number that disagreed was rewritten, else 1.

    Args:
        project: A folder in the project.
        ids: The claims; all where there are none.
        dry_run: Whether to write nothing.

    Raises:
        UsageError: The configuration cannot be used, a continuous integration runs this, an id is unknown, or
            there is nothing to check.
        InputError: A file changed meanwhile, or cannot be written; then none was.
    """
    config = load(Path(project))
    with Progress() as progress:
        outcome = update(config, ids, dry_run=dry_run, progress=progress)
    emit(to_text(outcome))
    return OK if outcome.ok else FAILED
