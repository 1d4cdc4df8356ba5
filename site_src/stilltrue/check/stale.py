"""Stale copies: places in the project's files that still hold the value of a superseded claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from stilltrue.check.gather import Corpus
from stilltrue.check.successors import standing
from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.discover import digest_of, find_files
from stilltrue.model import BoundCopy, Claim, Place, Problem
from stilltrue.wording import counted, quoted

if TYPE_CHECKING:
    from stilltrue.check.bound import Bound
    from stilltrue.copies import Hit

_WITHOUT_COMMENTS = (".json", ".ipynb")
"""Formats that have no comment for a mark to stand in."""


class Stale(NamedTuple):
    """What the search came to: problems, and warnings about files that could not be searched."""

    problems: tuple[Problem, ...] = ()
    warnings: tuple[Problem, ...] = ()


def stale_copies(
    config: Config, corpus: Corpus, copies: Iterable[BoundCopy], evidence: Iterable[str], trail: Trail
) -> Stale:
    """Search the project's files for superseded values.

    Neither git is asked nor a file read where no claim is superseded that has something to search for.

    Args:
        config: The project.
        corpus: Its claims and pages.
        copies: The places that claims name as copies: each is judged already.
        evidence: The files that claims were read from: they say what was measured.
        trail: Told which files there are and which were searched.
    """
    if not any(claim.superseded is not None for claim in corpus.claims.values()):
        return Stale()
    return stale_in(config, corpus, copies, lambda: _files(config, corpus, evidence, trail))


def stale_in(
    config: Config, corpus: Corpus, copies: Iterable[BoundCopy], files: Callable[[], Iterable[str]]
) -> Stale:
    """Search files for superseded values, whatever the configuration says of them.

    Args:
        config: The project.
        corpus: Its claims and pages.
        copies: The places that claims name as copies: each is judged already.
        files: Gives the files, from the root; asked where there is something to search for.
    """
    from stilltrue.copies import needles_of, search  # noqa: PLC0415  # few projects have superseded claims

    superseded = [claim for claim in corpus.claims.values() if claim.superseded is not None]
    needles = [needle for claim in superseded for needle in needles_of(claim, config.units)]
    if not needles:
        return Stale()
    found = search(
        config.root,
        files(),
        needles,
        config.units,
        limit=config.limits.bytes,
        seconds=config.limits.seconds,
        texts=corpus.texts.given,
        spared=_bound(corpus, copies),
    )
    told = _told(found.hits)
    return Stale(
        tuple(_problem(hit, [corpus.claims[name] for name in hit.claims], corpus.claims) for hit in told),
        tuple(Problem(error.code, Place(path), error.message, error.hint) for path, error in found.skipped),
    )


def _bound(corpus: Corpus, copies: Iterable[BoundCopy]) -> Callable[[Hit], bool]:
    """Says of a place whether it is bound; what that takes is gathered where something was found alone."""
    known: list[Bound] = []

    def holds(hit: Hit) -> bool:
        if not known:
            from stilltrue.check.bound import Bound  # noqa: PLC0415  # as above

            known.append(Bound(corpus, copies))
        return known[0].holds(hit)

    return holds


def _files(config: Config, corpus: Corpus, evidence: Iterable[str], trail: Trail) -> list[str]:
    """The files that are searched: those that git lists, or all where nothing lists them."""
    from stilltrue.copies import Choice  # noqa: PLC0415  # as above
    from stilltrue.git import listed_files  # noqa: PLC0415  # as above

    names = listed_files(config.root) or find_files(config.root)
    trail.listing = digest_of(names)
    choice = Choice(config.search.files, config.search.ignore, config.evidence, config.locks or ())
    measured = set(evidence) - set(corpus.pages)
    chosen = [name for name in names if name not in measured and choice.wants(name)]
    trail.files.update(chosen)
    return chosen


def _told(hits: Iterable[Hit]) -> list[Hit]:
    """One place a line for the same claims."""
    first: dict[tuple[str, int, tuple[str, ...]], Hit] = {}
    for hit in hits:
        first.setdefault((hit.path, hit.line, hit.claims), hit)
    return list(first.values())


def _problem(hit: Hit, claims: list[Claim], known: Mapping[str, Claim]) -> Problem:
    claim = claims[0]
    more = f" and of {counted(len(claims) - 1, 'more claim')}" if len(claims) > 1 else ""
    owner = f"`{claim.id}`{more}, which is superseded ({claim.place})"
    message = f"{quoted(hit.text)} is still the value of {owner}"
    successor = standing(claim, known)
    instead = "remove it"
    if successor is not None:
        instead = f"state `{successor.id}` instead: `{successor.stated.text}`"
    keep = "keep it, marked `stilltrue: keep` on its line or the one above"
    if hit.path.endswith(_WITHOUT_COMMENTS):
        keep = "leave the file out: `search.ignore` of the configuration"
    hint = f"{instead}; or {keep}"
    return Problem("stale-copy", Place(hit.path, hit.line), message, hint, about=hit.claims)
