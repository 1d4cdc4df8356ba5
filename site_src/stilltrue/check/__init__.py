"""The path of a claim: gathered from pages and files, read or derived, compared, judged.

This is the one room that knows every stage. It writes nothing, and starts no process but git.
"""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

from stilltrue.check.chart_claims import ChartClaims
from stilltrue.check.charts import plot_charts
from stilltrue.check.copies import judge_copies
from stilltrue.check.gather import Corpus, gather
from stilltrue.check.judge import Judge
from stilltrue.check.prose import judge_embeds, judge_links
from stilltrue.check.records import Records
from stilltrue.check.reruns import Reruns, failed
from stilltrue.check.select import select
from stilltrue.check.settle import Settlement
from stilltrue.check.stale import Stale, stale_copies
from stilltrue.check.trail import Trail
from stilltrue.check.unshared import unshared
from stilltrue.check.validity import Validity
from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.evidence import Library
from stilltrue.model import ProbeRun, Report
from stilltrue.wording import counted

__all__ = ["Progress", "Trail", "check", "select"]

Progress = Callable[[int, int], None]
"""Told how many of how many claims have been judged."""


def check(
    config: Config,
    *,
    library: Library | None = None,
    progress: Progress | None = None,
    fresh: Mapping[str, Path] = MappingProxyType({}),
    runs: tuple[ProbeRun, ...] = (),
    trail: Trail | None = None,
    today: datetime.date | None = None,
    texts: Mapping[str, bytes] = MappingProxyType({}),
    search: bool = True,
) -> Report:
    """Judge every claim and every prose link of a project, and see whether every chart can be drawn.

    Args:
        config: The project.
        library: Reads the evidence; a fresh one by default. Pass one to learn afterwards what was read.
        progress: Told how far the judging has come.
        fresh: What probes gave that were run again, by the path of the evidence.
        runs: What became of the probes that were asked to run again.
        trail: Told what else the check depended on.
        today: The day, in UTC; by default the clock's.
        texts: What some files of the project hold, by their paths, instead of what is on the disk.
        search: Whether the project's files are searched for superseded values.

    Raises:
        UsageError: There is nothing to check: no claim, no link and no problem on any page.
    """
    library, trail = library or Library(config), trail or Trail()
    corpus = gather(config, texts, trail=trail)
    judge = Judge(corpus, library, config.units)
    by_value, problems = judge.all(progress)
    records = Records(config, trail)
    validity = Validity(config, today or datetime.datetime.now(datetime.UTC).date(), trail)
    settlement = Settlement(config, judge, records, validity, Reruns(config, fresh))
    judgements = settlement.all(by_value)
    links, link_problems = judge_links(corpus, judgements, config.units)
    embeds, embed_problems = judge_embeds(corpus)
    copies, copy_problems = judge_copies(judgements, corpus.texts, config.units)
    charts, chart_problems = plot_charts(corpus.charts, library, ChartClaims(judgements, corpus.malformed))
    everything = [*corpus.problems, *problems, *validity.problems(), *link_problems, *embed_problems]
    files = _files(config, library.inputs().files)
    stale = stale_copies(config, corpus, copies, files, trail) if search else Stale()
    everything += [*copy_problems, *chart_problems, *stale.problems]
    _refuse_nothing(config, corpus, (judgements, everything, charts))
    ignored = unshared(config, judgements.values(), files, trail)
    report = Report(
        judgements=tuple(judgements.values()),
        problems=(),
        links=links,
        embeds=embeds,
        pages=corpus.pages,
        files=files,
        provenance={path: record for path in files if (record := records.of(path)) is not None},
        probes=runs,
        warnings=(*ignored, *settlement.warnings, *stale.warnings),
        charts=charts,
        copies=copies,
    )
    return replace(report, problems=tuple(sorted([*everything, *failed(report)], key=lambda one: one.place)))


def _files(config: Config, names: Iterable[str]) -> tuple[str, ...]:
    """Those of the files that are there, sorted."""
    # `os.path` answers where `Path` raises: for a name too long to be one.
    return tuple(sorted(name for name in names if os.path.isfile(config.root / name)))  # noqa: PTH113


def _refuse_nothing(config: Config, corpus: Corpus, told: Iterable[Collection[object]]) -> None:
    """Refuse a check that has nothing to tell.

    Raises:
        UsageError: `nothing-to-check`.
    """
    if any(told):
        return
    searched = f"{counted(len(corpus.pages), 'page')}, `{config.claims}/*.yml`"
    if corpus.sources:
        message = f"there is no claim yet in {config.root}: {searched}"
        hint = f"write the first in `{corpus.sources[0]}`, or as a block on a page"
    else:
        message = f"no claim was found in {config.root}: {searched}"
        hint = "write a claim block on a page, or name the pages under `pages` in the configuration"
        hint += "" if config.source else "; `stilltrue init` starts a project"
    raise UsageError(message, hint, code="nothing-to-check")
