"""A check of the project, told as tests. It imports what a check needs: only a run that checks loads it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from stilltrue.check import check
from stilltrue.config import load
from stilltrue.errors import UsageError
from stilltrue.model import Judgement, Place, Report, Verdict
from stilltrue.pytest_plugin.told import Outcome, Told
from stilltrue.report import Paint, escape, message_lines
from stilltrue.report.escape import mute
from stilltrue.report.groups import Entry, Group, grouped
from stilltrue.report.text import group_lines

_PLACE = re.compile(r"(?P<path>.*?)(?::(?P<line>\d+))?", re.DOTALL)


class _Spot(NamedTuple):
    """Which test an entry is: the file, the line, the name."""

    path: str
    line: int
    name: str


def judged(start: Path) -> Told:
    """What checking the project comes to that `start` lies in; what stops the check is a test that fails."""
    try:
        config = load(start)
        return _told(config.root, check(config))
    except UsageError as error:
        return Told((_stopped(start, error),))


def _stopped(start: Path, error: UsageError) -> Outcome:
    """The one test of a project that cannot be checked."""
    place = error.place or "stilltrue"
    told = message_lines(escape(place), escape(error.message), escape(error.hint), error.code)
    found = _PLACE.fullmatch(place)
    path, line = (found["path"], int(found["line"] or 0)) if found else (place, 0)
    return Outcome(_printable(start / path), line, error.code, fails=True, text=mute("\n".join(told)))


def _told(root: Path, report: Report) -> Told:
    groups = grouped(report)
    causes = (*groups.failing, *groups.problems)
    problems = [group.head for group in groups.problems]
    spots = _spots(root, (*report.judgements, *problems))
    outcomes = {number: Outcome(*spot) for number, spot in spots.items()}
    for judgement in report.judgements:
        if (why := _untested(judgement)) is not None:
            outcomes[id(judgement)] = outcomes[id(judgement)]._replace(skips=why)
    for group in (*causes, *groups.warnings):
        _mark(group, outcomes, spots, fails=group in causes)
    ordered = sorted(outcomes.values(), key=lambda outcome: (outcome.path, outcome.line))
    return Told(tuple(ordered), tuple(_text(group) for group in groups.warnings))


def _mark(group: Group, outcomes: dict[int, Outcome], spots: Mapping[int, _Spot], *, fails: bool) -> None:
    """Say of a cause that it fails, and of each claim that follows from it what it follows from."""
    head = group.head
    if fails:
        outcomes[id(head)] = outcomes[id(head)]._replace(fails=True, text=_text(group))
    for entry in group.under:
        if isinstance(entry, Judgement):
            spot = spots[id(head)]
            outcomes[id(entry)] = outcomes[id(entry)]._replace(
                fails=fails,
                text=_text(Group(entry, ())),
                skips=f"counted under `{spot.name}`",
                under=Outcome(*spot).key,
            )


def _spots(root: Path, entries: Iterable[Entry]) -> dict[int, _Spot]:
    """Which test each entry is, by the entry's identity; no two are the same."""
    taken: Counter[tuple[str, str]] = Counter()
    found: dict[int, _Spot] = {}
    for entry in entries:
        place = entry.claim.block if isinstance(entry, Judgement) else entry.place
        path, name = _printable(root / (place.path or "stilltrue")), _name(entry, place)
        taken[path, name] += 1
        number = taken[path, name]
        found[id(entry)] = _Spot(path, place.line, f"{name}#{number}" if number > 1 else name)
    return found


def _name(entry: Entry, place: Place) -> str:
    if isinstance(entry, Judgement):
        return entry.claim.id
    return f"{entry.code}:{place.line}" if place.line else entry.code


def _printable(path: Path) -> str:
    """A path that every terminal and every channel takes: what is no UTF-8 in it is written out."""
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")


def _untested(judgement: Judgement) -> str | None:
    """Why a claim that does not fail is no test of anything, None where it is one."""
    if judgement.verdict is Verdict.SUPERSEDED:
        fell = judgement.claim.superseded
        return f"superseded: {escape(fell.because)}" if fell else "superseded"
    return "reported: quoted, not measured here" if judgement.verdict is Verdict.REPORTED else None


def _text(group: Group) -> str:
    """What the report says of it."""
    return mute("\n".join(group_lines(group, Paint(on=False))))
