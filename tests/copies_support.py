"""Superseded values without a project around them, and the search for them in a text."""

from __future__ import annotations

from pathlib import Path

from stilltrue.copies import Hit, needles_of, search
from stilltrue.model import Claim, Place, ReportedSource, Search
from stilltrue.quantity import Units, parse_stated

UNITS = Units.default()


def superseded(
    value: str, *, name: str = "old", words: tuple[str, ...] = (), ignore: tuple[str, ...] = ()
) -> Claim:
    """A claim with a value, as far as the search looks at it."""
    asked = Search(ignore, words) if words or ignore else None
    place = Place("claims.yml", 1)
    stated = parse_stated(value, UNITS)
    return Claim(name, "It takes {value}.", stated, ReportedSource("a log"), place, place, search=asked)


def hits_in(text: str | bytes, *claims: Claim, path: str = "notes.txt") -> tuple[Hit, ...]:
    """The places of some superseded values in a text."""
    data = text.encode() if isinstance(text, str) else text
    needles = [needle for claim in claims for needle in needles_of(claim, UNITS)]
    found = search(Path("/"), [path], needles, UNITS, limit=1 << 30, seconds=30, texts={path: data})
    assert found.skipped == ()
    return found.hits


def lines_of(text: str | bytes, *claims: Claim) -> list[int]:
    """The lines of those places."""
    return [hit.line for hit in hits_in(text, *claims)]
