"""What probes of landmines share: whether a guard stops something, and two broken ones; no probe itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

NO_GUARD = "no-guard"
REFUSE_ALL = "refuse-all"

PLANTS = {
    NO_GUARD: "a guard that lets everything through",
    REFUSE_ALL: "a guard that lets nothing through",
}
"""The broken guards that every landmine is tried with, and what each does."""


class RefusedError(Exception):
    """A guard stops what it was given, and says why.

    A class of its own, so that an accident inside a guard is never taken for a refusal.
    """


def broken(guard: Callable[[T], None], plant: str) -> Callable[[T], None]:
    """The guard, or the broken one that `plant` puts in its place."""
    return {NO_GUARD: _no_guard, REFUSE_ALL: _refuse_all}.get(plant, guard)


def stops(guard: Callable[[T], None], tried: T) -> bool:
    """Whether a guard stops something."""
    try:
        guard(tried)
    except RefusedError:
        return True
    return False


def _no_guard(tried: object) -> None:
    del tried


def _refuse_all(tried: object) -> None:
    raise RefusedError(f"no {type(tried).__name__} is let through")
