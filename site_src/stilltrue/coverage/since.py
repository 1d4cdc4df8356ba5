"""The floor as another revision has it: it only rises."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from stilltrue import git
from stilltrue.config import Config
from stilltrue.coverage.outcome import percent
from stilltrue.errors import StilltrueError, UsageError
from stilltrue.model import Place, Problem
from stilltrue.quantity import Quantity, Units, parse_value
from stilltrue.root import OWN_FILE, SHARED_FILE, table_in


def floor_at(config: Config, revision: str) -> list[Problem]:
    """A problem where the floor of the configuration is lower than it was at a revision.

    Args:
        config: The project.
        revision: A branch, a tag or a commit.

    Raises:
        UsageError: `no-base`: git is not there, or knows no such commit.
    """
    commit = git.commit_of(config.root, revision) if git.is_repository(config.root) else ""
    if not commit:
        hint = "name a branch, a tag or a commit, and `git fetch` it first"
        raise UsageError(
            f"git knows no commit by the name `{revision}`", hint, code="no-base", place="--since"
        )
    then = max(_floors(config, commit), default=None)
    now = config.coverage.floor
    if then is None or (now is not None and now >= then):
        return []
    said = "is gone" if now is None else f"was lowered to {percent(now)}"
    message = f"the floor of {percent(then)} that `{revision}` has {said}"
    hint = f'bind what is not bound, and write `floor = "{percent(then)}"`'
    return [Problem("floor-lowered", Place(config.source or OWN_FILE), message, hint)]


def _floors(config: Config, commit: str) -> Iterator[Fraction]:
    """The floors of a commit, in either file that may hold one; what cannot be read there has none."""
    for name in (OWN_FILE, SHARED_FILE):
        table: object = table_in(git.blob_at(config.root, commit, name), name)
        for key in ("coverage", "floor"):
            table = table.get(key) if isinstance(table, dict) else None
        if isinstance(table, str) and (share := _share(table)) is not None:
            yield share


def _share(text: str) -> Fraction | None:
    try:
        value = parse_value(text, Units.default())
    except StilltrueError:
        return None
    return value.base if isinstance(value, Quantity) else None
