"""Runs probes with the faults that they can put in themselves, under which their claims must not hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import EvidenceSource, Judgement, Probe, Report, RunState
from stilltrue.mutate.again import moved, moved_by_evidence
from stilltrue.mutate.outcome import PlantRun
from stilltrue.probes import missing, read_header
from stilltrue.runs import Runs, Watch
from stilltrue.runs.behind import Behind, Call


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
    behind = Behind(report, config.units)
    runs = Runs(config, watch)
    done: list[PlantRun] = []
    for call in sorted(behind.of_all(each.claim.id for each in claims)):
        done += _of_probe(config, behind, call, runs, slow=slow)
    return tuple(done)


def _of_probe(config: Config, behind: Behind, call: Call, runs: Runs, *, slow: bool) -> Iterator[PlantRun]:
    """Every plant of one probe; a header that cannot be read is one failure."""
    try:
        probe = read_header(config.root, call.path, config.evidence)
    except InputError as error:
        if not behind.is_no_probe(call, error):
            yield PlantRun(call.path, "", RunState.FAILED, error.message)
        return
    why = missing(probe)
    if probe.cost != "cheap" and not slow:
        why = why or "it is slow; `--slow` runs it"
    if why:
        yield from (PlantRun(probe.path, plant, RunState.NOT_RUN, why) for plant in probe.plants)
    elif probe.plants:
        yield from _Planted(config, behind.judgements.values(), probe, call.arguments, runs).all()


class _Planted:
    """A probe that is run without a fault, and then with each of its faults.

    A claim that fails on a fresh run anyway, such as a timing, shows nothing of a fault: it is left aside.
    """

    def __init__(
        self,
        config: Config,
        judgements: Collection[Judgement],
        probe: Probe,
        arguments: tuple[str, ...],
        runs: Runs,
    ) -> None:
        self.config = config
        self.judgements = judgements
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
            yield from (PlantRun(self.probe.path, name, RunState.FAILED, why) for name in self.probe.plants)
            return
        for plant in self.probe.plants:
            yield self._one(plant, failing)

    def _one(self, plant: str, failing: frozenset[str]) -> PlantRun:
        try:
            with self.runs.once(self.probe, self.arguments, plant=plant) as ran:
                judged = list(self._judged(ran.files))
        except InputError as error:
            return PlantRun(self.probe.path, plant, RunState.FAILED, error.message)
        return PlantRun(
            self.probe.path,
            plant,
            RunState.REMEMBERED if ran.remembered else RunState.RAN,
            seconds=ran.seconds,
            moved=tuple(name for name, failed in judged if failed and name not in failing),
            unmoved=tuple(name for name, failed in judged if not failed and name not in failing),
            unsteady=tuple(name for name, _ in judged if name in failing),
        )

    def _judged(self, fresh: Mapping[str, Path]) -> Iterator[tuple[str, bool]]:
        """The claims that agree and are read from what it writes, and whether each fails on fresh files."""
        library = Library(self.config, fresh)
        for judgement in self.judgements:
            claim = judgement.claim
            if judgement.found is None or moved(judgement) or fresh.keys().isdisjoint(judgement.files):
                continue
            if isinstance(claim.source, EvidenceSource):
                yield claim.id, moved_by_evidence(claim, claim.source, library, self.config.units)
