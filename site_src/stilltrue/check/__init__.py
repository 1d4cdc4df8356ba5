"""The path of a claim: gathered from pages and files, read or derived, compared, judged.

This is the one room that knows every stage. It writes nothing and starts no process.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from stilltrue.check.gather import gather
from stilltrue.check.judge import Judge
from stilltrue.check.prose import judge_embeds, judge_links
from stilltrue.check.select import select
from stilltrue.config import Config
from stilltrue.errors import UsageError
from stilltrue.evidence import Library
from stilltrue.model import Report
from stilltrue.wording import counted

__all__ = ["Progress", "check", "select"]

Progress = Callable[[int, int], None]
"""Told how many of how many claims have been judged."""


def check(config: Config, *, library: Library | None = None, progress: Progress | None = None) -> Report:
    """Judge every claim and every prose link of a project.

    Args:
        config: The project.
        library: Reads the evidence; a fresh one by default. Pass one to learn afterwards what was read.
        progress: Told how far the judging has come.

    Raises:
        UsageError: There is nothing to check: no claim, no link and no problem on any page.
    """
    library = library or Library(config)
    corpus = gather(config)
    judge = Judge(corpus, library, config.units)
    judgements, problems = judge.all(progress)
    links, link_problems = judge_links(corpus, judgements, config.units)
    embeds, embed_problems = judge_embeds(corpus)
    everything = [*corpus.problems, *problems, *link_problems, *embed_problems]
    if not judgements and not everything:
        searched = f"{counted(len(corpus.pages), 'page')}, `{config.claims}/*.yml`"
        raise UsageError(
            f"no claim was found in {config.root}: {searched}",
            "write a claim block on a page, or name the pages under `pages` in the configuration",
            code="nothing-to-check",
        )
    # `os.path` answers where `Path` raises: for a name too long to be one.
    read = {name for name in library.inputs().files if os.path.isfile(config.root / name)}  # noqa: PTH113
    return Report(
        judgements=tuple(judgements.values()),
        problems=tuple(sorted(everything, key=lambda problem: problem.place)),
        links=links,
        embeds=embeds,
        pages=corpus.pages,
        files=tuple(sorted(read)),
    )
