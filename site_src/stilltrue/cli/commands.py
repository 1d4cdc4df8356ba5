"""What the commands do: a project in, a report out."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING
from zlib import crc32

from stilltrue.cache import Cache, now
from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.streams import emit, in_colour, say
from stilltrue.root import below_top, find_root
from stilltrue.workspace import FOLDER

if TYPE_CHECKING:
    from stilltrue.check import Trail
    from stilltrue.config import Config
    from stilltrue.evidence import Library
    from stilltrue.model import Place, Reading, Report


def check_claims(
    project: str,
    ids: Collection[str],
    tags: Collection[str],
    form: str,
    *,
    since: str | None = None,
    anew: bool = False,
    again: Collection[str] = (),
) -> int:
    """`stilltrue check`: prints the report; 0 when nothing failed, else 1.

    Args:
        project: A folder in the project.
        ids: The claims to judge; all where neither ids nor tags are given.
        tags: The tags of claims to judge.
        form: `text`, `json`, `sarif` or `github`.
        since: A revision: only claims that rest on what has changed since are judged; None: all.
        anew: Whether to judge without the cache.
        again: Which probes to run again: `cheap`, `all`, ids of claims, paths of probes.

    Raises:
        UsageError: The configuration cannot be used, an id, a tag or the revision is unknown, or there is
            nothing to check.
    """
    if again or ids or tags or since is not None:
        return _check_some(Path(project), ids, tags, since, form, again)
    return _check_all(Path(project), form, None if anew else _cache(Path(project), form))


def show_claim(project: str, name: str) -> int:
    """`stilltrue show`: prints one claim; the exit code says nothing about its verdict.

    Raises:
        UsageError: The configuration cannot be used, or there is no such claim.
    """
    from stilltrue.check import select  # noqa: PLC0415  # as in `_judged`
    from stilltrue.check.series import series  # noqa: PLC0415
    from stilltrue.config import load  # noqa: PLC0415
    from stilltrue.report import show_text, to_text  # noqa: PLC0415

    config = load(Path(project))
    report = select(_judged(config)[0], (name,))
    colour = in_colour(sys.stdout)
    judgement = next((each for each in report.judgements if each.claim.id == name), None)
    if judgement is None:  # its block is malformed: the problems about it are all that is known
        emit(to_text(report, colour=colour))
        return FAILED
    text = show_text(
        judgement,
        lines=_lines(config, judgement.readings),
        links=report.links,
        embeds=report.embeds,
        records=[report.provenance[path] for path in judgement.files if path in report.provenance],
        days=[
            (each.day, each.found, each.commit) for each in series(config, judgement.claim, judgement.files)
        ],
        copies=report.copies,
        charts=report.charts,
        colour=colour,
    )
    emit(text)
    return OK


def _check_some(
    project: Path,
    ids: Collection[str],
    tags: Collection[str],
    since: str | None,
    form: str,
    again: Collection[str],
) -> int:
    """Judges everything and tells a part, or runs probes again: no report of that is remembered."""
    from stilltrue.config import load  # noqa: PLC0415  # as in `_judged`

    config = load(project)
    choose = _choice(config, ids, tags, since)
    report = _judged_again(config, choose, again) if again else choose(_judged(config)[0])
    emit(report_text(config.root, report, form))
    return _code(config, report)


def _choice(
    config: Config, ids: Collection[str], tags: Collection[str], since: str | None
) -> Callable[[Report], Report]:
    """What to tell of a report: the claims that are named, and of those the ones that changed.

    Raises:
        UsageError: Nobody can tell what has changed since the revision.
    """
    from stilltrue.check import select  # noqa: PLC0415  # as in `_judged`

    if since is None:
        return lambda report: select(report, ids, tags)
    from stilltrue.check.changed import narrowed  # noqa: PLC0415  # few runs ask for it
    from stilltrue.check.since import Changes  # noqa: PLC0415

    changes = Changes(config, since)
    return lambda report: narrowed(config, report, changes, lambda whole: select(whole, ids, tags))


def _judged_again(config: Config, choose: Callable[[Report], Report], again: Collection[str]) -> Report:
    """Runs probes again, and judges what they gave too."""
    from stilltrue.cli.progress import Progress  # noqa: PLC0415  # as in `_judged`
    from stilltrue.cli.running import watch  # noqa: PLC0415
    from stilltrue.rerun import recheck  # noqa: PLC0415

    with Progress() as progress:
        return recheck(config, again, choose=choose, progress=progress, watch=watch)


def _cache(project: Path, form: str) -> Cache | None:
    """Where the last report that passed is kept, None where it may not be used or nobody knows."""
    root = find_root(project)
    cache = Cache(root, form + _style(root, form))
    refused = cache.refused()
    if not refused:
        return cache if refused is False else None
    from stilltrue.cli.usage import message  # noqa: PLC0415  # a rare warning

    what, hint = "git tracks the cache, so it is not used", f"run `git rm -r --cached {FOLDER}`"
    say(message(FOLDER, what, hint, "tracked-cache"))
    return None


def _style(root: Path, form: str) -> str:
    """What a report depends on beside the project: colour, and where in its repository the project lies."""
    if form == "text":
        return "-colour" if in_colour(sys.stdout) else ""
    below = below_top(root) if form in ("sarif", "github") else ""
    return f"-{crc32(os.fsencode(below)):08x}" if below else ""


def _check_all(project: Path, form: str, cache: Cache | None) -> int:
    """Judges everything, or repeats the last report when that passed and nothing has changed since."""
    kept = cache.find() if cache else None
    if kept is not None:
        emit(kept)
        return OK
    from stilltrue.config import load  # noqa: PLC0415  # as in `_judged`

    started = now()
    config = load(project)
    report, library, trail = _judged(config)
    text = report_text(config.root, report, form)
    emit(text)
    if cache is not None and report.ok:
        cache.keep(config, library.inputs(), trail, text, started)
    return _code(config, report)


def _code(config: Config, report: Report) -> int:
    """The exit code of a check; one that failed because something was cut short says so."""
    if report.ok:
        return OK
    from stilltrue.cli.recording import mention_unfinished  # noqa: PLC0415  # only a failing check needs it

    mention_unfinished(config.root)
    return FAILED


def _judged(config: Config) -> tuple[Report, Library, Trail]:
    from stilltrue.check import Trail, check  # noqa: PLC0415  # nothing of this is needed when nothing has changed
    from stilltrue.cli.progress import Progress  # noqa: PLC0415
    from stilltrue.evidence import Library  # noqa: PLC0415

    library, trail = Library(config), Trail()
    with Progress() as progress:
        return check(config, library=library, progress=progress, trail=trail), library, trail


def report_text(root: Path, report: Report, form: str) -> str:
    """The report in the form that was asked for."""
    from stilltrue.report import to_github, to_json, to_text  # noqa: PLC0415  # as in `_judged`

    match form:
        case "json":
            return to_json(report)
        case "github":
            return to_github(report, below=below_top(root))
        case "sarif":
            from stilltrue.report.sarif import to_sarif  # noqa: PLC0415  # needs the catalogue of codes

            return to_sarif(report, below=below_top(root))
        case _:
            return to_text(report, colour=in_colour(sys.stdout))


def _lines(config: Config, readings: Iterable[Reading]) -> dict[Place, str]:
    """The evidence lines of readings; those that can no longer be read are left out."""
    from stilltrue.errors import InputError  # noqa: PLC0415  # only `show` needs these
    from stilltrue.evidence import text_of  # noqa: PLC0415
    from stilltrue.model import Place  # noqa: PLC0415

    wanted: dict[str, set[int]] = {}
    for reading in readings:
        if reading.line:
            wanted.setdefault(reading.path, set()).add(reading.line)
    found: dict[Place, str] = {}
    for path, numbers in wanted.items():
        try:
            lines = text_of(config, path).split("\n", max(numbers))
        except InputError:
            continue
        found.update({Place(path, number): lines[number - 1] for number in numbers if number <= len(lines)})
    return found
