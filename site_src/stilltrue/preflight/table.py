"""The table of checks that `preflight.yml` may name: each a module with a summary, keys and a function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from stilltrue.preflight.checks import (
    adapters,
    arguments,
    cache_keys,
    copies,
    masks,
    memory,
    relies_on,
    resolved,
    resume,
    served,
    tree,
    watchdogs,
)
from stilltrue.preflight.finding import CheckFunction
from stilltrue.preflight.keys import Keys
from stilltrue.preflight.settings import Settings


def _anything(_settings: Settings) -> None:
    """Nothing else can be wrong."""


@dataclass(frozen=True, slots=True)
class Check:
    """One check.

    Attributes:
        summary: What it verifies, in one sentence.
        keys: The keys of its settings.
        run: Looks, and says what it saw.
        several: Whether its settings may be a list of mappings; then it runs once for each.
        item: The key that a text in that list, or alone, is short for; empty where that means nothing.
        fits: Says what else is wrong with its settings, by `Settings.refuse`, before any check runs.
        named_by: The keys of which one names what it looks at; empty where its findings do that themselves,
            or there can be one alone.
    """

    summary: str
    keys: Keys
    run: CheckFunction
    several: bool = False
    item: str = ""
    fits: Callable[[Settings], None] = _anything
    named_by: tuple[str, ...] = ()


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "tree": Check(tree.SUMMARY, tree.KEYS, tree.run),
        "arguments": Check(arguments.SUMMARY, arguments.KEYS, arguments.run, several=True),
        "resolved": Check(resolved.SUMMARY, resolved.KEYS, resolved.run, several=True, fits=resolved.fits),
        "cache_keys": Check(
            cache_keys.SUMMARY,
            cache_keys.KEYS,
            cache_keys.run,
            several=True,
            fits=cache_keys.fits,
            named_by=("command",),
        ),
        "watchdogs": Check(
            watchdogs.SUMMARY,
            watchdogs.KEYS,
            watchdogs.run,
            several=True,
            fits=watchdogs.fits,
            named_by=("command",),
        ),
        "masks": Check(
            masks.SUMMARY,
            masks.KEYS,
            masks.run,
            several=True,
            fits=masks.fits,
            named_by=("harness", "config"),
        ),
        "memory": Check(
            memory.SUMMARY,
            memory.KEYS,
            memory.run,
            several=True,
            fits=memory.fits,
            named_by=("file", "command"),
        ),
        "adapters": Check(
            adapters.SUMMARY, adapters.KEYS, adapters.run, several=True, named_by=("checkpoint",)
        ),
        "served": Check(
            served.SUMMARY, served.KEYS, served.run, several=True, fits=served.fits, named_by=("adapter",)
        ),
        "resume": Check(resume.SUMMARY, resume.KEYS, resume.run, fits=resume.fits),
        "copies": Check(copies.SUMMARY, copies.KEYS, copies.run),
        "relies_on": Check(
            relies_on.SUMMARY, relies_on.KEYS, relies_on.run, item="claim", fits=relies_on.fits
        ),
    }
)
"""The checks by their names, in the order of the docs."""
