"""Which quantities a claim stands behind: linked ones, cells of tables of claims, copies, stated values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from stilltrue.check.gather import Corpus
from stilltrue.claims.placeholders import Value, slug
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Claim
from stilltrue.pages.passages import Kind, Passage
from stilltrue.quantity import Units, first_quantity


class Bonds:
    """What is bound on the pages of a project.

    Args:
        config: The project.
        corpus: Its claims.
    """

    def __init__(self, config: Config, corpus: Corpus) -> None:
        self.units: Units = config.units
        self.claims = corpus.claims
        self._cells = _cells(corpus.claims.values())
        self._elsewhere = _elsewhere(config, corpus)

    def linked(self, passage: Passage) -> list[tuple[int, int]]:
        """Where the quantities stand that links to known claims bind: one to a link, its first."""
        found: list[tuple[int, int]] = []
        for link in passage.links:
            text = passage.text[link.start : link.end]
            stated = first_quantity(text, self.units) if link.target in self.claims else None
            at = text.find(stated.text) if stated is not None else -1
            if stated is not None and at >= 0:
                found.append((link.start + at, link.start + at + len(stated.text)))
        return found

    def is_cell(self, path: str, line: int, passage: Passage) -> bool:
        """Whether a cell is a claim, or one of the keys that say which reading belongs to its row."""
        if passage.kind is not Kind.CELL:
            return False
        names = self._cells.get((path, line), ())
        if not names:
            return False
        column, key = (slug(Value("", text.strip())) for text in (passage.header, passage.text))
        return any(name.endswith(f".{column}") or (key and f".{key}." in name) for name in names)

    def elsewhere(self, path: str) -> list[tuple[int, int]]:
        """Where on a page claims of other files find values, or a key of them, in code points of its text."""
        return self._elsewhere.get(path, [])


def _cells(claims: Iterable[Claim]) -> dict[tuple[str, int], list[str]]:
    """What the ids of the claims of tables have after that of their table, by the line of their row."""
    found: dict[tuple[str, int], list[str]] = defaultdict(list)
    for claim in claims:
        if claim.table:
            found[claim.place].append(claim.id.removeprefix(claim.table))
    return found


def _elsewhere(config: Config, corpus: Corpus) -> dict[str, list[tuple[int, int]]]:
    """By page, where claims find their value or a copy of it: by a pattern, or in a table that they name."""
    pages = frozenset(corpus.pages)
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for path, cells in corpus.written.items():
        found[path] += [(cell.start, cell.end) for cell in cells]
    for path, match in sorted({*_patterns(corpus)}):
        if path in pages:
            found[path] += _matches(config, corpus, path, match)
    return found


def _patterns(corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Each file and each pattern that is looked for in it."""
    for claim in corpus.claims.values():
        if claim.stated_in is not None:
            yield claim.stated_in.file, claim.stated_in.match
        for copy in claim.copies:
            try:
                yield from ((path, copy.match) for path in corpus.texts.files(copy.file))
            except InputError:  # `check` says what is wrong with it
                continue


def _matches(config: Config, corpus: Corpus, path: str, match: str) -> list[tuple[int, int]]:
    from stilltrue.matches import find  # noqa: PLC0415  # RE2 is loaded where a claim has a pattern alone

    try:
        source = corpus.texts.source(path)
        deadline = Deadline(config.limits.seconds)
        return [(each.start, each.end) for each in find(source, match, deadline) if not each.missing]
    except InputError:  # as above
        return []
