"""A claim's history: what its read finds in the evidence of earlier days."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from stilltrue.check.found import found_in
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import Claim, EvidenceSource, Judgement, Verdict
from stilltrue.provenance import history, readable

_Versions = tuple[tuple[str, str], ...]

MOST_DAYS = 100
"""How many days are looked at: the latest ones."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was found on an earlier day.

    Attributes:
        day: YYYY-MM-DD, in UTC.
        found: As the claim's author would have written it; empty where nothing can be read.
        commit: The commit it was measured from; empty where no record says.
        files: The evidence files of that day, by the path of today's.
    """

    day: str
    found: str
    commit: str
    files: Mapping[str, str]


def series(config: Config, claim: Claim, files: Iterable[str]) -> tuple[Earlier, ...]:
    """What a claim's evidence said on earlier days, newest first.

    A file that was not recorded on a day counts as it was then: its latest version of an earlier day. A day
    on which one of the files was not there yet is left out.

    Args:
        config: The project.
        claim: The claim.
        files: The evidence files that it names today.
    """
    if not isinstance(claim.source, EvidenceSource):
        return ()
    versions = {path: _versions(config.root, path) for path in files}
    days = sorted(
        {day for each in versions.values() for day, file in each if file not in versions}, reverse=True
    )
    found = (_on(config, claim, claim.source, day, versions) for day in days[:MOST_DAYS])
    return tuple(each for each in found if each is not None)


def _versions(root: Path, path: str) -> _Versions:
    """The day and the file of each version, newest first; today's last where nobody knows how old it is."""
    record = readable(root, path)
    earlier = history(root, path)
    return ((record.on, path), *earlier) if record is not None else (*earlier, ("", path))


def _on(
    config: Config, claim: Claim, source: EvidenceSource, day: str, versions: Mapping[str, _Versions]
) -> Earlier | None:
    """What was found on a day; None where a file was not there yet."""
    then = {path: next((file for on, file in each if on <= day), "") for path, each in versions.items()}
    if "" in then.values():
        return None
    library = Library(config, {path: config.root / file for path, file in then.items() if file != path})
    records = filter(None, (readable(config.root, file) for file in then.values()))
    commit = next((each.commit for each in records if each.on == day and each.commit), "")
    return Earlier(day, _found(config, claim, source, library), commit, then)


def _found(config: Config, claim: Claim, source: EvidenceSource, library: Library) -> str:
    try:
        found = found_in(library, source, claim.stated, config.units).found
    except InputError:
        return ""
    return Judgement(claim, Verdict.HOLDS, found=found).found_text
