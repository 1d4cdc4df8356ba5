"""The table of checks that `preflight.yml` may name: each a module with a summary, keys and a function."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

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
from stilltrue.preflight.finding import CheckFunction, Finding, Launch
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


class _Module(Protocol):
    """What the module of a check holds, its `fits` aside, which not every one has."""

    SUMMARY: str
    KEYS: Keys

    def run(self, launch: Launch, settings: Settings) -> Iterable[Finding]: ...


def _check(
    module: _Module,
    *,
    several: bool = False,
    item: str = "",
    fits: Callable[[Settings], None] = _anything,
    named_by: tuple[str, ...] = (),
) -> Check:
    return Check(module.SUMMARY, module.KEYS, module.run, several, item, fits, named_by)


CHECKS: Mapping[str, Check] = MappingProxyType(
    {
        "tree": _check(tree),
        "arguments": _check(arguments, several=True),
        "resolved": _check(resolved, several=True, fits=resolved.fits),
        "cache_keys": _check(cache_keys, several=True, fits=cache_keys.fits, named_by=("command",)),
        "watchdogs": _check(watchdogs, several=True, fits=watchdogs.fits, named_by=("command",)),
        "masks": _check(masks, several=True, fits=masks.fits, named_by=("harness", "config")),
        "memory": _check(memory, several=True, fits=memory.fits, named_by=("file", "command")),
        "adapters": _check(adapters, several=True, named_by=("checkpoint",)),
        "served": _check(served, several=True, fits=served.fits, named_by=("adapter",)),
        "resume": _check(resume, fits=resume.fits),
        "copies": _check(copies),
        "relies_on": _check(relies_on, item="claim", fits=relies_on.fits),
    }
)
"""The checks by their names, in the order of the docs."""
