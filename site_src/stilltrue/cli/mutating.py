"""What `stilltrue mutate` does."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.progress import Progress
from stilltrue.cli.running import watch
from stilltrue.cli.streams import emit
from stilltrue.config import load
from stilltrue.mutate import Kind, mutate, to_json, to_text

_KINDS = {
    "stated": (Kind.STATED, Kind.LINK),
    "readings": (Kind.READING,),
    "plants": (Kind.PLANT,),
}


def mutate_claims(
    project: str, ids: Collection[str], tags: Collection[str], only: Collection[str], form: str, *, slow: bool
) -> int:
    """Prints what nobody noticed; 0 when that is nothing, else 1.

    Args:
        project: A folder in the project.
        ids: The claims; all where neither ids nor tags are given.
        tags: The tags of claims.
        only: Some of `stated`, `readings` and `plants`; all where none is given.
        form: `text` or `json`.
        slow: Whether to run the plants of slow probes too.

    Raises:
        UsageError: The configuration cannot be used, an id or tag is unknown, or there is nothing to check.
    """
    kinds = {kind for word in only or _KINDS for kind in _KINDS[word]}
    with Progress() as progress:
        mutated = mutate(
            load(Path(project)), ids, tags, kinds=kinds, slow=slow, progress=progress, watch=watch
        )
    emit(to_json(mutated) if form == "json" else to_text(mutated))
    return OK if mutated.ok else FAILED
