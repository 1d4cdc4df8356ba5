"""Which probes are to run again: those of the claims that are meant, each once for its arguments."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import NamedTuple

from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.model import Report
from stilltrue.runs.behind import Behind, Call
from stilltrue.suggest import did_you_mean

CHEAP = "cheap"
"""The word that asks for the probes that take seconds."""
ALL = "all"
"""The word that asks for every probe."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """A probe that is to run again.

    Attributes:
        call: The script and its arguments, as its record has them.
        files: The evidence files that are wanted of it.
        slow: Whether it is wanted even if it is slow.
    """

    call: Call
    files: tuple[str, ...]
    slow: bool


class Plan(NamedTuple):
    """What stands behind the claims, and what of it is to run again."""

    behind: Behind
    wanted: tuple[Wanted, ...]


def plan(config: Config, report: Report, which: Collection[str], claims: Collection[str]) -> Plan:
    """The probes that are to run again, in the order in which their claims are written.

    Args:
        config: The project.
        report: A check of the whole project.
        which: `cheap`, `all`, ids of claims, paths of probes.
        claims: The ids of the claims that `cheap` and `all` are about.

    Raises:
        UsageError: A word of `which` is none of these, or names a claim that no probe stands behind.
    """
    behind = Behind(report, config.units)
    named = {call for word in which if word not in (CHEAP, ALL) for call in _named(behind, word)}
    general = set() if {CHEAP, ALL}.isdisjoint(which) else behind.of_all(claims)
    wanted = (
        Wanted(call, tuple(files), slow=ALL in which or call in named)
        for call, files in behind.files.items()
        if call in named or call in general
    )
    return Plan(behind, tuple(wanted))


def _named(behind: Behind, word: str) -> set[Call]:
    """The probes that an id or a path stands for."""
    if word in behind.judgements:
        found = behind.of_all((word,))
        if not found:
            hint = "take its evidence with `stilltrue record PROBE`, or leave it out"
            raise UsageError(f"no probe stands behind `{word}`, so none can be run again", hint)
        return found
    found = {call for call in behind.files if call.path == word}
    if not found:
        known = [CHEAP, ALL, *behind.judgements, *(call.path for call in behind.files)]
        hint = did_you_mean(word, known) or "name `cheap`, `all`, a claim's id or the path of a probe"
        raise UsageError(f"`{word}` is no claim, and no probe that evidence was taken with", hint)
    return found
