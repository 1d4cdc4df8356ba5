"""Runs probes with the faults that they can put in themselves, under which their claims must not hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from stilltrue.config import Config
from stilltrue.derive import parse
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import DeriveSource, EvidenceSource, Judgement, Probe, Report
from stilltrue.mutate.again import moved, moved_by_evidence
from stilltrue.mutate.outcome import PlantRun, State
from stilltrue.probes import missing, read_header
from stilltrue.runs import Runs, Watch


@dataclass(frozen=True, slots=True)
class Behind:
    """A probe behind some claims.

    Attributes:
        path: The script.
        arguments: Its arguments, as the record of its evidence has them.
        recorded: Whether a record names it; else the claims' own `probe` does.
    """

    path: str
    arguments: tuple[str, ...]
    recorded: bool


def run_plants(
    config: Config, report: Report, claims: Collection[Judgement], *, slow: bool, watch: Watch
) -> tuple[PlantRun, ...]:
    """Run every plant of the probes behind some claims.

    A plant is judged by all claims that are read from what its probe writes, chosen or not: at least one of
    them must not hold, which holds without the plant. Not every plant concerns every claim, so that those
    that held are only told.

    Args:
        config: The project.
        report: A check of the whole project.
        claims: The claims that are meant.
        slow: Whether slow probes are run too.
        watch: Opened while a probe runs.
    """
    runs = Runs(config, watch)
    done: list[PlantRun] = []
    for behind in _probes(config, report, claims):
        done += _of_probe(config, report, behind, runs, slow=slow)
    return tuple(done)


def _probes(config: Config, report: Report, claims: Collection[Judgement]) -> list[Behind]:
    """The probes behind claims and behind what they are derived from, each once for its arguments."""
    known = {each.claim.id: each for each in report.judgements}
    waiting = list(claims)
    seen = {each.claim.id for each in waiting}
    found: dict[tuple[str, tuple[str, ...]], Behind] = {}
    for judgement in waiting:
        for behind in _behind(report, judgement):
            found.setdefault((behind.path, behind.arguments), behind)
        for name in _operands(config, judgement):
            if name in known and name not in seen:
                seen.add(name)
                waiting.append(known[name])
    return [found[key] for key in sorted(found)]


def _behind(report: Report, judgement: Judgement) -> Iterator[Behind]:
    records = dict(report.records(judgement))
    for path in judgement.files:
        record = records.get(path)
        if record is None:
            if judgement.claim.probe:
                yield Behind(judgement.claim.probe, (), recorded=False)
        elif record.probe:
            yield Behind(record.probe, record.argv, recorded=True)


def _operands(config: Config, judgement: Judgement) -> tuple[str, ...]:
    source = judgement.claim.source
    if not isinstance(source, DeriveSource):
        return ()
    try:
        return parse(source.derive, config.units).operands
    except InputError:
        return ()


def _of_probe(
    config: Config, report: Report, behind: Behind, runs: Runs, *, slow: bool
) -> Iterator[PlantRun]:
    """Every plant of one probe; a header that cannot be read is one failure."""
    try:
        probe = read_header(config.root, behind.path, config.evidence)
    except InputError as error:
        if behind.recorded or error.code not in {"no-header", "no-file", "bad-path"}:
            yield PlantRun(behind.path, "", State.FAILED, error.message)
        return
    why = missing(probe)
    if probe.cost != "cheap" and not slow:
        why = why or "it is slow; `--slow` runs it"
    if why:
        yield from (PlantRun(probe.path, plant, State.NOT_RUN, why) for plant in probe.plants)
    elif probe.plants:
        yield from _Planted(config, report, probe, behind.arguments, runs).all()


class _Planted:
    """A probe that is run without a fault, and then with each of its faults.

    A claim that fails on a fresh run anyway, such as a timing, shows nothing of a fault: it is left aside.
    """

    def __init__(
        self, config: Config, report: Report, probe: Probe, arguments: tuple[str, ...], runs: Runs
    ) -> None:
        self.config = config
        self.report = report
        self.probe = probe
        self.arguments = arguments
        self.runs = runs

    def all(self) -> Iterator[PlantRun]:
        """What became of each of its plants."""
        try:
            with self.runs.once(self.probe, self.arguments) as ran:
                failing = frozenset(name for name, failed in self._judged(ran.files) if failed)
        except InputError as error:
            why = f"without a plant it fails too: {error.message}"
            yield from (PlantRun(self.probe.path, name, State.FAILED, why) for name in self.probe.plants)
            return
        for plant in self.probe.plants:
            yield self._one(plant, failing)

    def _one(self, plant: str, failing: frozenset[str]) -> PlantRun:
        try:
            with self.runs.once(self.probe, self.arguments, plant=plant) as ran:
                judged = list(self._judged(ran.files))
        except InputError as error:
            return PlantRun(self.probe.path, plant, State.FAILED, error.message)
        return PlantRun(
            self.probe.path,
            plant,
            State.REMEMBERED if ran.remembered else State.RAN,
            seconds=ran.seconds,
            moved=tuple(name for name, failed in judged if failed and name not in failing),
            unmoved=tuple(name for name, failed in judged if not failed and name not in failing),
            unsteady=tuple(name for name, _ in judged if name in failing),
        )

    def _judged(self, fresh: Mapping[str, Path]) -> Iterator[tuple[str, bool]]:
        """The claims that agree and are read from what it writes, and whether each fails on fresh files."""
        library = Library(self.config, fresh)
        for judgement in self.report.judgements:
            claim = judgement.claim
            if judgement.found is None or moved(judgement) or fresh.keys().isdisjoint(judgement.files):
                continue
            if isinstance(claim.source, EvidenceSource):
                yield claim.id, moved_by_evidence(claim, claim.source, library, self.config.units)
