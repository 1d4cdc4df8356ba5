"""Pages and claims files to one corpus: every claim once, every link, and what was wrong on the way."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from stilltrue.check.texts import Texts, decode
from stilltrue.check.trail import Trail
from stilltrue.claims import Malformed, read_block, read_chart, read_file
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.discover import find_pages
from stilltrue.errors import InputError
from stilltrue.files import claims_files, is_claims_file
from stilltrue.model import Block, Chart, Claim, Embed, Link, Page, Place, Problem, Written
from stilltrue.pages import scan

if TYPE_CHECKING:
    from stilltrue.claims.stated_in import Unstated
    from stilltrue.claims.table_cells import Cells
    from stilltrue.claims.table_in import Untabled

_OWN_ID = "give this claim an id of its own; ids are never reused"
_GAP = re.compile(r"\{\w+\}")


class Unread(set[str]):
    """Ids of claims that cannot be read; the id of a table stands for those of all its cells.

    An id with placeholders stands for every id that it may become.
    """

    def __init__(self) -> None:
        super().__init__()
        self.tables: set[str] = set()
        self._shapes: list[re.Pattern[str]] = []

    def __contains__(self, name: object) -> bool:
        """Whether a claim cannot be read, or its table cannot."""
        if super().__contains__(name):
            return True
        return isinstance(name, str) and (
            any(name.startswith(f"{table}.") for table in self.tables)
            or any(shape.fullmatch(name) for shape in self._shapes)
        )

    def take(self, written: str) -> None:
        """Take in an id as it is written in a block."""
        self.add(written)
        if "{" in written:
            self._shapes.append(re.compile(".*".join(map(re.escape, _GAP.split(written)))))


@dataclass(slots=True)
class Corpus:
    """All that the project's pages and claims files hold.

    Attributes:
        pages: The paths of all pages, sorted.
        sources: The paths of all claims files, sorted.
        claims: The claims by id, in the order of pages and lines; of two with one id, the first.
        links: The prose links.
        embeds: The blocks that show a claim of a claims file.
        problems: What was wrong.
        malformed: The ids of claims whose block cannot be read: what names them is not reported again.
        charts: The charts, in the order of pages and lines.
        tables: The ids of tables of claims, each with the place of its block.
        texts: Reads the files that claims name beside their evidence.
        written: Where cells are written that claims files bind, and the keys of their rows, by file.
    """

    texts: Texts
    pages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    claims: dict[str, Claim] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    embeds: list[Embed] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    malformed: Unread = field(default_factory=Unread)
    charts: list[Chart] = field(default_factory=list)
    tables: dict[str, Place] = field(default_factory=dict)
    written: dict[str, set[Written]] = field(default_factory=dict)

    def add(self, claim: Claim) -> None:
        """Take a claim in; a second one with its id is a problem naming both places."""
        first = self.claims.setdefault(claim.id, claim)
        if first is not claim:
            own = claim.place if claim.table or claim.stated_in else claim.block
            hint = _OWN_ID
            if claim.stated_in and claim.block == first.block:
                hint = f"let the id hold what tells the matches apart: `id: {claim.id}.{{group}}`"
            self._taken(claim.id, own, first.place if first.stated_in else first.block, hint)

    def add_table(self, name: str, place: Place) -> None:
        """Take a table's id in; a second one with it is a problem naming both places."""
        first = self.tables.setdefault(name, place)
        if first is not place:
            self._taken(name, place, first)

    def check_tables(self) -> None:
        """Find the claims that have the id of a table, once all are there."""
        for name, place in self.tables.items():
            if name in self.claims:
                self._taken(name, place, self.claims[name].block)

    def _taken(self, name: str, place: Place, first: Place, hint: str = _OWN_ID) -> None:
        message = f"the id `{name}` is taken by the claim at {first}"
        self.problems.append(Problem("duplicate-id", place, message, hint, about=(name,)))


_AS_ON_DISK: Mapping[str, bytes] = MappingProxyType({})


def gather(config: Config, texts: Mapping[str, bytes] = _AS_ON_DISK, *, trail: Trail | None = None) -> Corpus:
    """Read every page and every claims file of the project, and the files that state their values.

    Args:
        config: The project.
        texts: What some of its files hold, by their paths, instead of what is on the disk.
        trail: Told which files were read beside pages and claims files.
    """
    corpus = Corpus(
        Texts(config, trail or Trail(), texts),
        find_pages(config.root, config.pages, config.exclude),
        _sources(config, texts),
    )
    for path, text in _texts(corpus, corpus.pages):
        _gather_page(config, corpus, path, text)
    for path, text in _texts(corpus, corpus.sources):
        claims, problems, malformed = read_file(path, text, config.units)
        for claim in claims:
            _add(config, corpus, claim)
        corpus.problems.extend(problems)
        for name in malformed:
            corpus.malformed.take(name)
    corpus.check_tables()
    return corpus


def _sources(config: Config, texts: Mapping[str, bytes]) -> tuple[str, ...]:
    """The claims files, those that are not on the disk yet included."""
    given = (path for path in texts if is_claims_file(path, config.claims))
    return tuple(sorted({*claims_files(config.root, config.claims), *given}))


def _add(config: Config, corpus: Corpus, claim: Claim | Unstated | Untabled) -> None:
    """Take in a claim, or the claims that it is once the file is read which states their values."""
    if isinstance(claim, Claim):
        corpus.add(claim)
        return
    from stilltrue.claims.stated_in import Unstated  # noqa: PLC0415  # loaded where there is one

    if not isinstance(claim, Unstated):
        _add_untabled(config, corpus, claim)
        return
    try:
        found = claim.read(corpus.texts.source(claim.stated_in.file), Deadline(config.limits.seconds))
    except InputError as error:
        found = claim.unread(error)
    for each in found.claims:
        corpus.add(each)
    corpus.problems.extend(found.problems)
    corpus.malformed.update(found.malformed)
    if found.hidden:
        corpus.malformed.take(claim.id)


def _add_untabled(config: Config, corpus: Corpus, untabled: Untabled) -> None:
    """Take in the claims of a table that stands in another file than its block."""
    from stilltrue.check.tables_in import meant  # noqa: PLC0415  # as in `_gather_table`

    where = untabled.table_in
    try:
        source, tables = corpus.texts.source(where.file), corpus.texts.tables(where.file)
        found = untabled.read(meant(where, source, tables, Deadline(config.limits.seconds)))
    except InputError as error:
        problem = untabled.unread(error)
    except Malformed as malformed:
        problem = replace(malformed.problem, files=(where.file,))
    else:
        _add_cells(corpus, found, untabled.origin.block)
        corpus.written.setdefault(where.file, set()).update(found.written())
        return
    corpus.problems.append(problem)
    corpus.malformed.take(untabled.id)
    corpus.malformed.tables.add(untabled.id)


def _texts(corpus: Corpus, paths: tuple[str, ...]) -> Iterable[tuple[str, str]]:
    """The files that can be read, decoded; the others become problems."""
    for path in paths:
        try:
            yield path, decode(corpus.texts.data(path))
        except InputError as error:
            corpus.problems.append(Problem(error.code, Place(path, error.line), error.message, error.hint))


def _gather_page(config: Config, corpus: Corpus, path: str, text: str) -> None:
    page = scan(path, text)
    folder = path.rpartition("/")[0]
    corpus.problems.extend(page.problems)
    corpus.links.extend(page.links)
    _gather_charts(config, corpus, page, folder)
    for block in page.blocks:
        try:
            if block.kind == "claims":
                _gather_table(config, corpus, block, folder)
                continue
            claim = read_block(block, config.units, folder)
        except Malformed as malformed:
            corpus.problems.append(malformed.problem)
            if malformed.id:
                corpus.malformed.take(malformed.id)
                if block.kind == "claims":
                    corpus.malformed.tables.add(malformed.id)
            continue
        if isinstance(claim, Embed):
            corpus.embeds.append(claim)
        else:
            _add(config, corpus, claim)


def _gather_table(config: Config, corpus: Corpus, block: Block, folder: str) -> None:
    from stilltrue.claims.table_cells import read_table  # noqa: PLC0415  # few projects have tables of claims

    _add_cells(corpus, read_table(block, config.units, folder), block.place)


def _add_cells(corpus: Corpus, found: Cells, place: Place) -> None:
    corpus.add_table(found.id, place)
    corpus.problems.extend(found.problems)
    corpus.malformed.update(found.malformed)
    for cell in found.cells:
        corpus.add(cell.claim)


def _gather_charts(config: Config, corpus: Corpus, page: Page, folder: str) -> None:
    for block in page.charts:
        try:
            corpus.charts.append(read_chart(block, config.units, folder))
        except Malformed as malformed:
            corpus.problems.append(malformed.problem)
