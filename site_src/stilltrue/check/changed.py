"""The part of a report that rests on what has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from stilltrue.check.select import concerning
from stilltrue.check.since import Changes
from stilltrue.config import Config
from stilltrue.derive import parse
from stilltrue.errors import InputError
from stilltrue.files import PROVENANCE_SUFFIX
from stilltrue.model import Claim, DeriveSource, EvidenceSource, Judgement, Problem, Report


def narrowed(
    config: Config,
    report: Report,
    changes: Changes,
    choose: Callable[[Report], Report] = lambda report: report,
) -> Report:
    """The report of the claims that rest on what has changed, and of what concerns them or stands there.

    Each claim rests on the files that state it, its evidence with the record, the probe with all that it
    loads and reads, and the claims that it is derived from.

    Args:
        config: The project.
        report: A check of the whole project.
        changes: What has changed. When that is the configuration or a lock file, everything is told.
        choose: The part of the report that is told of at most.
    """
    warnings = (*report.warnings, *changes.modified_evidence(report))
    whole = replace(report, since=changes.since, warnings=warnings)
    part = choose(whole)
    if changes.everything:
        return part
    went = _ids_may_be_gone(config, whole, changes)

    def told(problem: Problem) -> bool:
        """Whether it stands in a changed file, or may have come with a change elsewhere."""
        places = (problem.place.path, *problem.files)
        return any(map(changes.touch, places)) or (went and problem.code == _UNKNOWN)

    lost = {each.claim.id for each in whole.judgements if went and each.code == _UNKNOWN}
    return concerning(part, lost | _Resting(config, whole, changes).claims(), told)


_UNKNOWN = "unknown-id"
"""The code of what names an id that is not there: it stands where nothing has changed."""


def _ids_may_be_gone(config: Config, report: Report, changes: Changes) -> bool:
    """Whether a file was deleted, or one was modified that may have held claims."""
    modified = changes.files.modified
    hold_ids = (path in report.pages or path.startswith(f"{config.claims}/") for path in modified)
    return bool(changes.files.deleted) or any(hold_ids)


class _Resting:
    """Finds the claims that rest on what has changed."""

    def __init__(self, config: Config, report: Report, changes: Changes) -> None:
        self._config = config
        self._report = report
        self._changes = changes
        self._shown: dict[str, set[str]] = {}
        self._reads: dict[str, tuple[str, ...]] = {}
        for name, path in _places(report):
            self._shown.setdefault(name, set()).add(path)

    def claims(self) -> set[str]:
        """Their ids, those of the claims that are derived from them included."""
        changed = {
            each.claim.id
            for each in self._report.judgements
            if any(map(self._changes.touch, self._files(each))) or any(map(self._changes.unseen, each.files))
        }
        derived: dict[str, list[str]] = {}
        for judgement in self._report.judgements:
            for operand in self._operands(judgement.claim):
                derived.setdefault(operand, []).append(judgement.claim.id)
        waiting = list(changed)
        while waiting:
            fresh = [name for name in derived.get(waiting.pop(), ()) if name not in changed]
            changed.update(fresh)
            waiting += fresh
        return changed

    def _files(self, judgement: Judgement) -> Iterator[str]:
        """Paths and globs of all that a claim rests on."""
        claim = judgement.claim
        yield from (claim.place.path, claim.block.path, *self._shown.get(claim.id, ()))
        if claim.stated_in is not None:
            yield claim.stated_in.file
        yield from (copy.file for copy in claim.copies)
        if isinstance(claim.source, EvidenceSource):
            yield from claim.source.patterns
        for path in judgement.files:
            yield from (path, path + PROVENANCE_SUFFIX)
        yield from self._behind(judgement)

    def _behind(self, judgement: Judgement) -> Iterator[str]:
        """The probe's script, what it loads, and its inputs, those that its header names now included."""
        for _, record in self._report.records(judgement):
            yield from (code.path for code in record.code)
            yield from (file.path for file in record.inputs)
        for probe in self._report.probes_of(judgement):
            yield probe
            yield from self._declared(probe)

    def _declared(self, probe: str) -> tuple[str, ...]:
        if probe not in self._reads:
            from stilltrue.probes import read_header  # noqa: PLC0415  # as in `Records.changes`

            try:
                self._reads[probe] = read_header(self._config.root, probe, self._config.evidence).reads
            except InputError:
                self._reads[probe] = ()
        return self._reads[probe]

    def _operands(self, claim: Claim) -> tuple[str, ...]:
        if not isinstance(claim.source, DeriveSource):
            return ()
        try:
            return parse(claim.source.derive, self._config.units).operands
        except InputError:
            return ()


def _places(report: Report) -> Iterable[tuple[str, str]]:
    """Claims, each with the files that show it, quote it, repeat it or draw it."""
    yield from ((bound.link.target, bound.link.place.path) for bound in report.links)
    yield from ((embed.id, embed.place.path) for embed in report.embeds)
    yield from ((copy.claim, copy.place.path) for copy in report.copies)
    yield from ((name, plot.chart.block.path) for plot in report.charts for name in plot.chart.claims)
