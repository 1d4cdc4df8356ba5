"""Pages and claims files to one corpus: every claim once, every link, and what was wrong on the way."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from stilltrue.claims import Malformed, read_block, read_file
from stilltrue.config import Config
from stilltrue.discover import find_pages
from stilltrue.errors import InputError
from stilltrue.files import claims_files, read_bytes
from stilltrue.model import Claim, Embed, Link, Place, Problem
from stilltrue.pages import scan


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
    """

    pages: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    claims: dict[str, Claim] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    embeds: list[Embed] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    malformed: set[str] = field(default_factory=set)

    def add(self, claim: Claim) -> None:
        """Take a claim in; a second one with its id is a problem naming both places."""
        first = self.claims.setdefault(claim.id, claim)
        if first is not claim:
            problem = Problem(
                "duplicate-id",
                claim.block,
                f"the id `{claim.id}` is taken by the claim at {first.block}",
                "give this claim an id of its own; ids are never reused",
                about=(claim.id,),
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
    for block in page.blocks:
        try:
            claim = read_block(block, config.units, folder)
        except Malformed as malformed:
            corpus.problems.append(malformed.problem)
            if malformed.id:
                corpus.malformed.add(malformed.id)
            continue
        if isinstance(claim, Embed):
            corpus.embeds.append(claim)
        else:
            corpus.add(claim)
