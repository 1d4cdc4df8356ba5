"""Running probes again beside the evidence: which, each once, and what a check makes of what they gave."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack
from pathlib import Path

from stilltrue.check import Progress, check
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.model import Probe, ProbeRun, Report, RunState
from stilltrue.probes import missing, read_header
from stilltrue.rerun.plan import ALL, CHEAP, Wanted, plan
from stilltrue.runs import Runs, Watch, silently
from stilltrue.runs.behind import Behind

__all__ = ["ALL", "CHEAP", "Choice", "Watch", "recheck", "rerun"]

Choice = Callable[[Report], Report]
"""From a report of the whole project to the part of it that is wanted."""


def recheck(
    config: Config,
    which: Collection[str],
    *,
    choose: Choice = lambda report: report,
    progress: Progress | None = None,
    watch: Watch | None = None,
) -> Report:
    """Check a project, run probes again, and check it with what they gave.

    Args:
        config: The project.
        which: `cheap`, `all`, ids of claims, paths of probes.
        choose: The part of a report that is wanted: its claims are those that `cheap` and `all` are about.
        progress: Told how far the judging has come.
        watch: Opened for each probe that is run.

    Raises:
        UsageError: A word of `which` is unknown, or there is nothing to check; and as `choose`.
    """
    library = Library(config)
    before = check(config, library=library, progress=progress, search=False)
    wanted = [judgement.claim.id for judgement in choose(before).judgements]
    with rerun(config, before, which, claims=wanted, watch=watch) as (fresh, runs):
        return choose(check(config, library=library, fresh=fresh, runs=runs))


@contextlib.contextmanager
def rerun(
    config: Config,
    report: Report,
    which: Collection[str],
    *,
    claims: Collection[str] | None = None,
    watch: Watch | None = None,
) -> Iterator[tuple[dict[str, Path], tuple[ProbeRun, ...]]]:
    """Run probes again, each once, in stages of their own; an unchanged one is not run twice.

    Args:
        config: The project.
        report: A check of it, whole.
        which: `cheap`, `all`, ids of claims, paths of probes.
        claims: The claims that `cheap` and `all` are about; all of them where None.
        watch: Opened for each probe that is run.

    Yields:
        The fresh files by the path of the evidence, which are there while the context is, and what became of
        each probe.

    Raises:
        UsageError: A word of `which` is unknown, or names a claim that no probe stands behind.
    """
    about = [judgement.claim.id for judgement in report.judgements] if claims is None else claims
    with ExitStack() as stages:
        planned = plan(config, report, which, about)
        runner = _Runner(config, stages, Runs(config, watch or silently), planned.behind)
        runs = [runner.again(wanted) for wanted in planned.wanted]
        yield runner.fresh, tuple(runs)


class _Runner:
    """Runs probes, and collects their files."""

    def __init__(self, config: Config, stages: ExitStack, runs: Runs, behind: Behind) -> None:
        self._config = config
        self._stages = stages
        self._runs = runs
        self._behind = behind
        self.fresh: dict[str, Path] = {}

    def again(self, wanted: Wanted) -> ProbeRun:
        """Run one probe, or say why not."""
        try:
            probe = read_header(self._config.root, wanted.call.path, self._config.evidence)
        except InputError as error:
            if self._behind.is_no_probe(wanted.call, error):
                return ProbeRun(wanted.call.path, RunState.NOT_RUN, error.message)
            return _failed(wanted.call.path, error)
        why = _why_not(probe, wanted)
        if why:
            return ProbeRun(wanted.call.path, RunState.NOT_RUN, why)
        try:
            return self._run(probe, wanted)
        except InputError as error:
            return _failed(wanted.call.path, error)

    def _run(self, probe: Probe, wanted: Wanted) -> ProbeRun:
        ran = self._stages.enter_context(self._runs.once(probe, wanted.call.arguments))
        self.fresh.update((path, ran.files[path]) for path in wanted.files if path in ran.files)
        if ran.remembered:
            return ProbeRun(wanted.call.path, RunState.REMEMBERED, "nothing that it depends on has changed")
        return ProbeRun(wanted.call.path, RunState.RAN, seconds=ran.seconds)


def _why_not(probe: Probe, wanted: Wanted) -> str:
    """Why a probe is not run; empty where it is."""
    if set(wanted.files).isdisjoint(probe.writes):
        return f"it does not write `{wanted.files[0]}`"
    if probe.cost != "cheap" and not wanted.slow:
        return "it is slow; `--rerun all`, or one of its claims, asks for it"
    return missing(probe)


def _failed(path: str, error: InputError) -> ProbeRun:
    return ProbeRun(path, RunState.FAILED, error.message, code=error.code, hint=error.hint)
