"""Who is listed where: failing claims, problems and warnings, each consequence under its cause."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from stilltrue.model import FAILING, Judgement, Place, Problem, Report

Entry = Judgement | Problem


@dataclass(frozen=True, slots=True)
class Group:
    """One thing that is wrong, and what follows from it.

    Attributes:
        head: The cause.
        under: Its consequences by place: claims that inherited its verdict, problems counted under it.
    """

    head: Entry
    under: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Groups:
    """All that a report lists, each kind ordered by place; what warns fails nothing."""

    failing: tuple[Group, ...]
    problems: tuple[Group, ...]
    warnings: tuple[Group, ...]


def place_of(entry: Entry) -> Place:
    """The line that an entry is about."""
    if isinstance(entry, Problem):
        return entry.place
    return entry.claim.place


def warns(entry: Entry) -> bool:
    """Whether an entry that follows from nothing was lowered to a warning."""
    return isinstance(entry, Judgement) and not entry.fails and entry.cause is None


def grouped(report: Report) -> Groups:
    """The entries of a report that are not as they should be.

    A consequence whose cause is not listed, because the report was narrowed to some claims, is listed
    as a cause itself: nothing that is wrong goes unsaid.
    """
    causes = _Causes(report)
    under: dict[int, list[Entry]] = {}
    heads: list[Entry] = []
    for entry in causes.entries:
        root = causes.root(entry)
        if root is entry:
            heads.append(entry)
        else:
            under.setdefault(id(root), []).append(entry)
    groups = [Group(head, _by_place(under.get(id(head), ()))) for head in _by_place(heads)]
    claims = [group for group in groups if isinstance(group.head, Judgement)]
    return Groups(
        failing=tuple(group for group in claims if not warns(group.head)),
        problems=tuple(group for group in groups if isinstance(group.head, Problem)),
        warnings=_warnings(report, claims),
    )


def _warnings(report: Report, claims: Iterable[Group]) -> tuple[Group, ...]:
    """The claims that were lowered, and what announces itself."""
    lowered = [group for group in claims if warns(group.head)]
    announced = [Group(warning, ()) for warning in report.warnings]
    return tuple(sorted((*lowered, *announced), key=lambda group: place_of(group.head)))


def _by_place(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    return tuple(sorted(entries, key=place_of))


class _Causes:
    """Finds what an entry follows from."""

    def __init__(self, report: Report) -> None:
        self._wrong = {j.claim.id: j for j in report.judgements if j.verdict in FAILING}
        self._about: dict[str, list[Problem]] = {}
        for problem in report.problems:
            for name in problem.about if problem.claim is None else ():
                self._about.setdefault(name, []).append(problem)
        self.entries: tuple[Entry, ...] = (*self._wrong.values(), *report.problems)

    def root(self, entry: Entry) -> Entry:
        """What an entry follows from in the end: itself where it follows from nothing listed."""
        root, seen = entry, {id(entry)}
        while (step := self._cause(root)) is not None:
            if id(step) in seen:  # entries that blame each other: each stands for itself, so none is lost
                return entry
            seen.add(id(step))
            root = step
        return root

    def _cause(self, entry: Entry) -> Entry | None:
        if isinstance(entry, Problem):
            return self._wrong.get(entry.claim) if entry.claim is not None else None
        if entry.fails:
            return None
        if entry.cause is not None:
            return self._wrong.get(entry.cause) or next(iter(self._about.get(entry.cause, ())), None)
        # A claim that could not be judged because of a problem carries that problem's code.
        same = (problem for problem in self._about.get(entry.claim.id, ()) if problem.code == entry.code)
        return next(same, None)
