"""Which versions of lock files are known: what a later one means by the same keys, nobody can say."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from stilltrue.evidence.readers.building import cell
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.trees.tree import Location, Tree

Versions = Iterable[tuple[Location, Collection[str]]]
"""Where a file may say its version, and the first numbers of those that are known."""


def refuse_versions(tree: Tree, versions: Versions, kind: str) -> None:
    """Nothing, where a file says a version that is known, or none.

    Raises:
        InputError: `bad-table`, on the line of the version.
    """
    for place, known in versions:
        value = tree.value
        for key in place:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None and cell(value).partition(".")[0] not in known:
            why = f"its version `{cell(value)[:40]}` is not known"
            raise other_format(f"{kind} that is read here", why, tree.line_of(place))
