"""Which places of a file are bound to a claim, or state a superseded one: an old value may stand there."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable
from itertools import accumulate
from typing import TYPE_CHECKING

from stilltrue.check.gather import Corpus
from stilltrue.check.texts import Texts
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import BoundCopy, Claim
from stilltrue.pages.spans import LinkSpan, link_spans
from stilltrue.quantity import first_quantity

if TYPE_CHECKING:
    from stilltrue.copies import Hit
    from stilltrue.copies.headers import Headers

_BOM = b"\xef\xbb\xbf"


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
        self.retired: dict[str, set[int]] = {}
        self.copies: dict[str, _Ranges] = {}
        self._files: dict[str, _Text] = {}
        for claim in corpus.claims.values():
            self.stated.setdefault((claim.place.path, claim.place.line), []).append(claim)
            if claim.superseded is not None and not claim.table:
                lines = range(claim.block.line, claim.end + 1)
                self.retired.setdefault(claim.block.path, set()).update(lines)
        places: dict[str, list[tuple[int, int]]] = {}
        for copy in copies:
            places.setdefault(copy.place.path, []).append((copy.start, copy.end))
        self.copies = {path: _Ranges(some) for path, some in places.items()}

    def holds(self, hit: Hit) -> bool:
        """Whether a hit is bound to a claim, or is where a superseded one is stated."""
        if hit.line in self.retired.get(hit.path, ()):
            return True
        if any(self._states(claim, hit) for claim in self.stated.get((hit.path, hit.line), ())):
            return True
        return self._is_copy(hit) or (hit.path in self.pages and self._is_linked(hit))

    def _states(self, claim: Claim, hit: Hit) -> bool:
        """Whether a claim is stated at a hit, of whose line it is known that one is."""
        if claim.written is not None:
            text = self._text(hit.path)
            return text is not None and claim.written.start <= text.point(hit.start) < claim.written.end
        if claim.table:
            return self._in_cell(claim, hit)
        if claim.stated_in is not None:
            return self._is_match(claim.stated_in.match, hit)
        return True

    def _is_match(self, pattern: str, hit: Hit) -> bool:
        """Whether a hit lies in what a `stated_in` finds: the same number beside it may not stand."""
        text = self._text(hit.path)
        return text is not None and text.matches(pattern).cover(text.point(hit.start))

    def _in_cell(self, claim: Claim, hit: Hit) -> bool:
        from stilltrue.claims.placeholders import Value, slug  # noqa: PLC0415  # as below
        from stilltrue.copies import naming  # noqa: PLC0415  # only where a row with bound cells has a hit

        if claim.superseded is not None and claim.id in hit.claims:
            return True
        text = self._text(hit.path)
        header = text.header_above(hit.start) if text else ""
        names = naming.cells_of(header)
        column = naming.column_of(hit.row[: hit.column])
        name = names[column].strip(" *_`") if column < len(names) else ""
        return claim.id.endswith(f".{slug(Value('', name))}")

    def _is_copy(self, hit: Hit) -> bool:
        copies = self.copies.get(hit.path)
        text = self._text(hit.path) if copies else None
        if not copies or text is None:
            return False
        return copies.cover(text.point(hit.start))

    def _is_linked(self, hit: Hit) -> bool:
        """Whether it is the number of a link to a claim: the first in its text."""
        text = self._text(hit.path)
        if text is None:
            return False
        at = text.point(hit.start)
        span = text.link_over(at)
        if span is None or not (span.target in self.corpus.claims or span.target in self.corpus.malformed):
            return False
        return first_quantity(text.text[span.start : at], self.units) is None

    def _text(self, path: str) -> _Text | None:
        if path not in self._files:
            self._files[path] = _Text(path, self.corpus.texts)
        text = self._files[path]
        return text if text.known else None


class _Ranges:
    """Parts of a text, which may lie over each other.

    Args:
        parts: Where each begins and ends.
    """

    def __init__(self, parts: Iterable[tuple[int, int]]) -> None:
        parts = sorted(parts)
        self.starts = [start for start, _ in parts]
        self.ends = list(accumulate((end for _, end in parts), max))

    def cover(self, at: int) -> bool:
        """Whether a place lies in one of them."""
        before = bisect_right(self.starts, at)
        return before > 0 and at < self.ends[before - 1]


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
        self._first = self._byte = len(self.data) - len(self.data.removeprefix(_BOM))
        self._point = 0
        self._links: list[LinkSpan] | None = None
        self._headers: Headers | None = None
        self._seconds = texts.config.limits.seconds
        self._matches: dict[str, _Ranges] = {}

    def point(self, byte: int) -> int:
        """The place in the text of a byte of the file, counted on from the one that was asked for before."""
        if byte < self._byte:
            self._byte, self._point = self._first, 0
        self._point += len(self.data[self._byte : byte].decode("utf-8", "replace"))
        self._byte = byte
        return self._point

    def link_over(self, point: int) -> LinkSpan | None:
        """The link to a claim whose text a place lies in; None where none does."""
        if self._links is None:
            self._links = sorted(link_spans(self.path, self.text), key=lambda span: span.start)
        at = bisect_right(self._links, point, key=lambda span: span.start) - 1  # links never lie in links
        return self._links[at] if at >= 0 and point < self._links[at].end else None

    def matches(self, pattern: str) -> _Ranges:
        """Where the values stand that a pattern finds; nowhere where it takes too long."""
        if pattern not in self._matches:
            from stilltrue.matches import Source, find  # noqa: PLC0415  # as in `Bound`

            try:
                found = list(find(Source(self.text), pattern, Deadline(self._seconds)))
            except InputError:  # told where the claim was read
                found = []
            self._matches[pattern] = _Ranges((match.start, match.end) for match in found)
        return self._matches[pattern]

    def header_above(self, byte: int) -> str:
        """The header of the Markdown table that a byte of the file stands in a row of; empty where none."""
        if self._headers is None:
            from stilltrue.copies.headers import Headers  # noqa: PLC0415  # as in `Bound`

            self._headers = Headers(self.data)
        return self._headers.above(self.data.rfind(b"\n", 0, byte) + 1)
