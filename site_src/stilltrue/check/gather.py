"""Pages and claims files to one corpus: every claim once, every link, and what was wrong on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stilltrue.claims import Malformed, read_block, read_chart, read_file
from stilltrue.config import Config
from stilltrue.discover import find_pages
from stilltrue.errors import InputError
from stilltrue.files import claims_files, read_bytes
from stilltrue.model import Block, Chart, Claim, Embed, Link, Page, Place, Problem
from stilltrue.pages import scan


class Unread(set[str]):
    """Ids of claims that cannot be read; the id of a table stands for those of all its cells."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: set[str] = set()

    def __contains__(self, name: object) -> bool:
        """Whether a claim cannot be read, or its table cannot."""
        if super().__contains__(name):
            return True
        return isinstance(name, str) and any(name.startswith(f"{table}.") for table in self.tables)


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
    """

    pages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    claims: dict[str, Claim] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    embeds: list[Embed] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    malformed: Unread = field(default_factory=Unread)
    charts: list[Chart] = field(default_factory=list)
    tables: dict[str, Place] = field(default_factory=dict)

    def add(self, claim: Claim) -> None:
        """Take a claim in; a second one with its id is a problem naming both places."""
        first = self.claims.setdefault(claim.id, claim)
        if first is not claim:
            self._taken(claim.id, claim.place if claim.table else claim.block, first.block)

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

    def _taken(self, name: str, place: Place, first: Place) -> None:
        problem = Problem(
            "duplicate-id",
            place,
            f"the id `{name}` is taken by the claim at {first}",
            "give this claim an id of its own; ids are never reused",
            about=(name,),
        )
        self.problems.append(problem)


def gather(config: Config) -> Corpus:
    """Read every page and every claims file of the project."""
    corpus = Corpus(
        find_pages(config.root, config.pages, config.exclude), claims_files(config.root, config.claims)
    )
    for path, text in _texts(config, corpus.pages, corpus):
        _gather_page(config, corpus, path, text)
    for path, text in _texts(config, corpus.sources, corpus):
        claims, problems, malformed = read_file(path, text, config.units)
        for claim in claims:
            corpus.add(claim)
        corpus.problems.extend(problems)
        corpus.malformed.update(malformed)
    corpus.check_tables()
    return corpus


def _texts(config: Config, paths: tuple[str, ...], corpus: Corpus) -> Iterable[tuple[str, str]]:
    """The files that can be read, decoded; the others become problems."""
    for path in paths:
        try:
            yield path, decode(read_bytes(config.root, path, config.limits.bytes))
        except InputError as error:
            corpus.problems.append(Problem(error.code, Place(path, error.line), error.message, error.hint))


def decode(data: bytes) -> str:
    """A page's text.

    Raises:
        InputError: `not-utf8`, with the line of the first byte that is not.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "not-utf8",
            f"the file is not UTF-8 (byte 0x{data[error.start]:02x})",
            "save it as UTF-8",
            line=line,
        ) from None


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
                corpus.malformed.add(malformed.id)
                if block.kind == "claims":
                    corpus.malformed.tables.add(malformed.id)
            continue
        if isinstance(claim, Embed):
            corpus.embeds.append(claim)
        else:
            corpus.add(claim)


def _gather_table(config: Config, corpus: Corpus, block: Block, folder: str) -> None:
    from stilltrue.claims.table_cells import read_table  # noqa: PLC0415  # few projects have tables of claims

    found = read_table(block, config.units, folder)
    corpus.add_table(found.id, block.place)
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
