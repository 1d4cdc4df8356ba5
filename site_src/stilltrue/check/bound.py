"""Which places of a file are bound to a claim, or state a superseded one: an old value may stand there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from stilltrue.check.gather import Corpus
from stilltrue.check.texts import Texts
from stilltrue.errors import InputError
from stilltrue.model import BoundCopy, Claim
from stilltrue.pages.spans import LinkSpan, link_spans
from stilltrue.quantity import first_quantity

if TYPE_CHECKING:
    from stilltrue.copies import Hit


class Bound:
    """Says of places whether they are bound.

    Args:
        corpus: The project's claims and pages.
        copies: The places that claims name as copies.
    """

    def __init__(self, corpus: Corpus, copies: Iterable[BoundCopy]) -> None:
        self.corpus = corpus
        self.units = corpus.texts.config.units
        self.pages = frozenset(corpus.pages)
        self.stated: dict[tuple[str, int], list[Claim]] = {}
        self.retired: dict[str, list[Claim]] = {}
        self.copies: dict[str, list[BoundCopy]] = {}
        self._files: dict[str, _Text] = {}
        for claim in corpus.claims.values():
            self.stated.setdefault((claim.place.path, claim.place.line), []).append(claim)
            if claim.superseded is not None and not claim.table:
                self.retired.setdefault(claim.block.path, []).append(claim)
        for copy in copies:
            self.copies.setdefault(copy.place.path, []).append(copy)

    def holds(self, hit: Hit) -> bool:
        """Whether a hit is bound to a claim, or is where a superseded one is stated."""
        retired = self.retired.get(hit.path, ())
        if any(claim.block.line <= hit.line <= claim.end for claim in retired):
            return True
        if any(self._states(claim, hit) for claim in self.stated.get((hit.path, hit.line), ())):
            return True
        return self._is_copy(hit) or (hit.path in self.pages and self._is_linked(hit))

    def _states(self, claim: Claim, hit: Hit) -> bool:
        """Whether a claim is stated at a hit, of whose line it is known that one is."""
        if claim.table:
            return self._in_cell(claim, hit)
        if claim.stated_in is not None:
            return _covers(hit.row, claim.stated.text, hit.column)
        return True

    def _in_cell(self, claim: Claim, hit: Hit) -> bool:
        from stilltrue.claims.placeholders import Value, slug  # noqa: PLC0415  # as below
        from stilltrue.copies import naming  # noqa: PLC0415  # only where a row with bound cells has a hit

        if claim.superseded is not None and claim.id in hit.claims:
            return True
        text = self._text(hit.path)
        header = text.header_above(hit.line) if text else ""
        names = naming.cells_of(header)
        column = naming.column_of(hit.row[: hit.column])
        name = names[column].strip(" *_`") if column < len(names) else ""
        return claim.id.endswith(f".{slug(Value('', name))}")

    def _is_copy(self, hit: Hit) -> bool:
        copies = self.copies.get(hit.path)
        text = self._text(hit.path) if copies else None
        if not copies or text is None:
            return False
        at = text.point(hit.start)
        return any(copy.start <= at < copy.end for copy in copies)

    def _is_linked(self, hit: Hit) -> bool:
        """Whether it is the number of a link to a claim: the first in its text."""
        text = self._text(hit.path)
        if text is None:
            return False
        at = text.point(hit.start)
        for span in text.links():
            if span.start <= at < span.end:
                known = span.target in self.corpus.claims or span.target in self.corpus.malformed
                return known and first_quantity(text.text[span.start : at], self.units) is None
        return False

    def _text(self, path: str) -> _Text | None:
        if path not in self._files:
            self._files[path] = _Text(path, self.corpus.texts)
        text = self._files[path]
        return text if text.known else None


class _Text:
    """A file with hits; not known where it cannot be read as text."""

    def __init__(self, path: str, texts: Texts) -> None:
        self.path = path
        try:
            self.data = texts.data(path)
            self.text = self.data.decode("utf-8-sig")
        except (InputError, UnicodeDecodeError):
            self.data, self.text = b"", ""
        self.known = bool(self.text)
        self._links: tuple[LinkSpan, ...] | None = None

    def point(self, byte: int) -> int:
        """The place in the text of a byte of the file."""
        return len(self.data[:byte].decode("utf-8-sig", "replace"))

    def links(self) -> tuple[LinkSpan, ...]:
        """Where links to claims stand."""
        if self._links is None:
            self._links = link_spans(self.path, self.text)
        return self._links

    def header_above(self, line: int) -> str:
        """The header of the Markdown table that a line is a row of; empty where there is none."""
        lines = self.text.split("\n")[: line - 1]
        while lines and "|" in lines[-1]:
            row = lines.pop().strip()
            if row and not row.strip("|:- "):
                return lines[-1] if lines else ""
        return ""


def _covers(row: str, text: str, column: int) -> bool:
    """Whether a text stands on a line over a column of it."""
    at = row.find(text) if text else -1
    while at >= 0:
        if at <= column < at + len(text):
            return True
        at = row.find(text, at + 1)
    return False
