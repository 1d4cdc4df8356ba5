"""Do the files that start the run repeat a number that has been overtaken?"""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue import files
from stilltrue.check.gather import Corpus, gather
from stilltrue.check.stale import stale_in
from stilltrue.copies import is_text
from stilltrue.errors import InputError
from stilltrue.model import Place, Problem, Report, Verdict
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import Key, Kind, table
from stilltrue.preflight.settings import Settings
from stilltrue.wording import counted

SUMMARY = "The launchers hold no superseded value, and every number in them that is bound to a claim agrees."

KEYS = table(
    Key(
        "files",
        Kind.GLOBS,
        "The launchers, and what they read; searched whatever the configuration leaves out.",
        "files: [runs/launch.sh, runs/*.yml]",
        required=True,
    ),
)

_HEAD = 1 << 13
"""How many bytes of a file tell whether it is searched."""

_SOUND = frozenset({Verdict.HOLDS, Verdict.REPORTED, Verdict.SUPERSEDED})
"""Verdicts that say nothing against a number bound to the claim; its agreement is judged apart."""


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    names: dict[str, None] = {}
    for pattern, place in settings.placed("files"):
        found = files.expand(launch.config.root, pattern)
        names.update(dict.fromkeys(found))
        if not found:
            yield failed(f"`{pattern}`", "no file matches", "correct the glob", place)
    report = launch.report()
    corpus = gather(launch.config)
    wrong = [
        *_unsearched(launch, names),
        *_stale(launch, corpus, report, names),
        *_problems(report, names),
        *_lost(launch, report, names),
        *_unsound(report, names),
        *(_finding(problem) for problem in corpus.problems),  # a claim that is not read is not looked for
    ]
    yield from {(finding.place, finding.saw): finding for finding in wrong}.values()
    if names and not wrong:
        yield passed(counted(len(names), "file"), _searched(report, names))


def _unsearched(launch: Launch, names: dict[str, None]) -> Iterator[Finding]:
    """Files that the search leaves out by how they begin.

    Raises:
        InputError: One is not there, or cannot be read.
    """
    for name in names:
        path = files.resolve(launch.config.root, name)
        try:
            with path.open("rb") as file:
                head = file.read(_HEAD)
        except OSError as error:
            message = f"`{name}` cannot be read: {error.strerror}"
            raise InputError("unreadable", message, "check its permissions", path=name) from None
        if not is_text(head):
            saw = "it begins as what is binary or generated, and that is not searched"
            hint = "name the text that it is made from, or a narrower glob"
            yield failed(f"`{name}`", saw, hint, Place(name))


def _stale(launch: Launch, corpus: Corpus, report: Report, names: dict[str, None]) -> Iterator[Finding]:
    """Superseded values, by the check's own search, and files that could not be searched."""
    found = stale_in(launch.config, corpus, report.copies, lambda: names)
    for problem in (*found.problems, *found.warnings):
        yield _finding(problem)


def _problems(report: Report, names: dict[str, None]) -> Iterator[Finding]:
    """What the check of the claims finds in these files: copies that disagree, patterns without a part."""
    yield from (_finding(problem) for problem in report.problems if problem.place.path in names)


def _lost(launch: Launch, report: Report, names: dict[str, None]) -> Iterator[Finding]:
    """Copies that claims name in these files, or in files that are not there, and that were not found."""
    root = launch.config.root
    wanted = {
        Place(each.claim.block.path, copy.line): [
            name for name in files.expand(root, copy.file) if (root / name).is_file()
        ]
        for each in report.judgements
        for copy in each.claim.copies
    }
    for problem in report.problems:
        named = wanted.get(problem.place)
        if named is not None and (not named or names.keys() & named):
            yield _finding(problem)


def _unsound(report: Report, names: dict[str, None]) -> Iterator[Finding]:
    """Numbers in these files whose claim itself has fallen, so that nothing stands behind them."""
    judgements = {each.claim.id: each for each in report.judgements}
    places = [(copy.claim, copy.place) for copy in report.copies if copy.place.path in names]
    places += [
        (each.claim.id, each.claim.place) for each in report.judgements if each.claim.place.path in names
    ]
    for name, place in places:
        judgement = judgements[name]
        if judgement.verdict not in _SOUND:
            saw = f"this number is bound to `{name}`, which is {judgement.verdict}: {judgement.message}"
            yield failed(str(place), saw, judgement.hint or f"see `stilltrue show {name}`", place)


def _finding(problem: Problem) -> Finding:
    return failed(str(problem.place), problem.message, problem.hint or "mend it", problem.place)


def _searched(report: Report, names: dict[str, None]) -> str:
    """What a search that found nothing looked for."""
    superseded = sum(each.claim.superseded is not None for each in report.judgements)
    bound = sum(copy.place.path in names for copy in report.copies)
    nothing = f"no value of {counted(superseded, 'superseded claim')}"
    agree = "agrees" if bound == 1 else "agree"
    return f"{nothing}; {counted(bound, 'bound number')} {agree}" if bound else nothing
