"""What `stilltrue coverage` does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.paths import from_root
from stilltrue.cli.streams import emit, say
from stilltrue.config import Config, load
from stilltrue.coverage import Coverage, floor_at, measure, raised, to_json, to_text
from stilltrue.errors import UsageError


def cover_pages(project: str, pages: Sequence[str], form: str, *, upward: bool, since: str | None) -> int:
    """Prints what no claim stands behind; 0 when that is little enough and nothing else is wrong, else 1.

    Args:
        project: A folder in the project.
        pages: Pages or folders of pages, from the current folder or from the root; all where none is given.
        form: `text` or `json`.
        upward: Whether to write the floor up to today's share.
        since: A revision: the floor may not be lower than there; None: it is not compared.

    Raises:
        UsageError: The configuration, a page or the revision cannot be used, or there are no pages.
        InputError: The configuration cannot be written.
    """
    if upward and pages:
        raise UsageError("`--raise` is for all pages together", "leave the pages out")
    config = load(Path(project))
    coverage = measure(config, tuple(from_root(config.root, page) for page in pages))
    if since is not None:
        coverage = replace(coverage, problems=(*coverage.problems, *floor_at(config, since)))
    emit(to_json(coverage) if form == "json" else to_text(coverage))
    if upward:
        say(_raised(config, coverage))
    return OK if coverage.ok else FAILED


def _raised(config: Config, coverage: Coverage) -> str:
    """Raises the floor where it may be; says what became of it."""
    if not coverage.ok:
        return "the floor is not raised: mend what is listed first"
    if not coverage.bound + coverage.unbound:
        return "the floor is not raised: there are no quantities to take a share of"
    floor = raised(config, coverage.share)
    return f"the floor is now {floor}" if floor else "the floor is as high as today's share already"
