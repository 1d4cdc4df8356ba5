"""The search: files to the places in them where a superseded value stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from heapq import merge
from pathlib import Path
from typing import Any

from stilltrue.copies.headers import Headers
from stilltrue.copies.marks import Marks
from stilltrue.copies.needles import Needle
from stilltrue.copies.patterns import bare_pattern, pattern_of
from stilltrue.copies.places import Places
from stilltrue.copies.reading import Piece, pieces, whole
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.globs import Glob, plain
from stilltrue.quantity import BARE, Units

NEAR = 2
"""How many lines above or below a number one of its claim's `words` may stand."""

MOST_HITS = 1_000
"""How many places of one file are told."""

_MEMORY = 256 << 20
"""How much room RE2 may take for the states of its automaton; with less it starts anew on odd text."""

_BEFORE = 2_000
_AFTER = 2_000
_DIGIT = re.compile(rb"(?<![A-Za-z0-9])\.?[0-9]")
_NUMBER = re.compile(rb"[0-9]+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A place where a superseded value stands, not struck through and not marked.

    Attributes:
        path: The file, from the root.
        line: The line, from 1.
        start: Where the number begins in the file, in bytes.
        text: The value as it is written there, marks left out.
        claims: The ids of the superseded claims that state it.
        row: The whole line.
        column: Where the number begins in `row`, in code points.
    """

    path: str
    line: int
    start: int
    text: str
    claims: tuple[str, ...]
    row: str
    column: int


@dataclass(frozen=True, slots=True)
class Searched:
    """What a search came to.

    Attributes:
        hits: The places, in the order of the files and lines.
        skipped: The files that were not searched to their end, each with the reason.
    """

    hits: tuple[Hit, ...]
    skipped: tuple[tuple[str, InputError], ...]


def search(
    root: Path,
    paths: Iterable[str],
    needles: Iterable[Needle],
    units: Units,
    *,
    limit: int,
    seconds: float,
    texts: Mapping[str, bytes] | None = None,
    spared: Callable[[Hit], bool] = lambda _: False,
) -> Searched:
    """Look through files for superseded values.

    Args:
        root: The project's root.
        paths: The files, from the root.
        needles: What is looked for.
        units: The known units.
        limit: How many bytes a file may have.
        seconds: How long one file may take.
        texts: Files whose bytes are these instead of what is on the disk.
        spared: Says of a place whether it may stand: then it is not told, and does not count.
    """
    engine = _Engine(needles, units)
    texts = texts or {}
    hits: list[Hit] = []
    skipped: list[tuple[str, InputError]] = []
    for path in paths:
        parts = iter([whole(texts[path])]) if path in texts else pieces(root, path, limit)
        try:
            hits.extend(engine.hits(path, parts, Deadline(seconds), spared))
        except InputError as error:
            skipped.append((path, error))
    return Searched(tuple(hits), tuple(skipped))


class _Engine:
    """The compiled search."""

    def __init__(self, needles: Iterable[Needle], units: Units) -> None:
        # Claims that state one value are looked for once: a table of them must not cost its square.
        alike: dict[Needle, dict[str, None]] = {}
        for needle in needles:
            alike.setdefault(replace(needle, claim=""), {})[needle.claim] = None
        self.claims = {needle: tuple(claims) for needle, claims in alike.items()}
        needles = tuple(alike)
        self.places = Places(needles, units)
        worded = [needle for needle in needles if needle.words]
        measured = [needle for needle in needles if needle.unit is not BARE or needle.clock]
        self.spelled = _compiled(pattern_of(measured, units)) if measured else None
        self.bare = _compiled(bare_pattern(worded)) if worded else None
        self.words = _any_of({word for needle in worded for word in needle.words})
        self.ignored = {
            needle: [Glob(plain(name)) for name in needle.ignore] for needle in needles if needle.ignore
        }

    def hits(
        self, path: str, parts: Iterable[Piece], deadline: Deadline, spared: Callable[[Hit], bool]
    ) -> Iterator[Hit]:
        """The places in one file.

        Raises:
            InputError: `too-slow`, or the file cannot be read.
        """
        count, line, seen = 0, 1, 0
        for piece in parts:
            headers = Headers(piece.data)
            for start in self._starts(piece, deadline):
                deadline.check()
                found = self._at(path, piece, headers, start)
                if found is None:
                    continue
                place = piece.offset + start
                line += piece.data.count(b"\n", seen - piece.offset, start)
                seen = place
                hit = Hit(path, line, place, *found)
                if spared(hit):
                    continue
                yield hit
                count += 1
                if count == MOST_HITS:
                    return
            line += piece.data.count(b"\n", seen - piece.offset, piece.end)
            seen = piece.offset + piece.end

    def _starts(self, piece: Piece, deadline: Deadline) -> Iterator[int]:
        """Where numbers begin that may be looked for, in order."""
        ways: list[Iterator[int]] = []
        if self.spelled is not None:
            ways.append(_candidates(self.spelled, piece, deadline))
        if self.bare is not None and (self.words is None or self.words.search(piece.data) is not None):
            ways.append(_candidates(self.bare, piece, deadline))
        last = -1
        for start in merge(*ways):
            if start != last:
                yield start
            last = start

    def _at(
        self, path: str, piece: Piece, headers: Headers, start: int
    ) -> tuple[str, tuple[str, ...], str, int] | None:
        """What a place holds, None where nothing that was looked for or where it may stand."""
        data = piece.data
        head = max(data.rfind(b"\n", 0, start) + 1, start - _BEFORE)
        left = data[head:start].decode("utf-8", "replace")
        right = data[start : start + _AFTER].decode("utf-8", "replace")
        needles, text = self.places.at(left, right, lambda: headers.above(head))
        needles = [needle for needle in needles if not self._is_ignored(needle, path)]
        if not needles:
            return None
        before = data[max(0, start - _BEFORE) : start].decode("utf-8", "replace")
        around = _near(before, right) if any(needle.words for needle in needles) else ""
        near = [n for n in needles if not n.words or _words(n.words).search(around)]
        claims = self._claims(near)
        marks = Marks(before, right)
        if not claims or marks.kept or marks.struck:
            return None
        row = left + right.partition("\n")[0].rstrip("\r")
        return text, claims, row, len(left)

    def _claims(self, needles: list[Needle]) -> tuple[str, ...]:
        """The claims that needles are for, each once."""
        if len(needles) == 1:
            return self.claims[needles[0]]
        return tuple(dict.fromkeys(claim for needle in needles for claim in self.claims[needle]))

    def _is_ignored(self, needle: Needle, path: str) -> bool:
        return any(glob.matches(path) for glob in self.ignored.get(needle, ()))


def _candidates(pattern: Any, piece: Piece, deadline: Deadline) -> Iterator[int]:
    at = max(0, piece.start - 1)
    while (match := pattern.search(piece.data, at, len(piece.data))) is not None:
        number = _DIGIT.search(piece.data, match.start())
        start = number.start() if number else match.start()
        if start >= piece.end:
            return
        if start >= piece.start:
            yield start
        digits = _NUMBER.search(piece.data, start)
        at = digits.end() if digits else start + 1
        deadline.check()


def _compiled(pattern: bytes) -> Any:
    import re2  # type: ignore[import-untyped]  # noqa: PLC0415  # no stubs; only where something is superseded

    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    options.log_errors = False
    return re2.compile(pattern, options)


def _any_of(words: Iterable[str]) -> Any:
    """Finds a file's first of some words; None where there are none, or some whose case bytes do not tell."""
    words = sorted(words)
    if not words or not all(word.isascii() for word in words):
        return None
    return _compiled("|".join(f"(?i:{re.escape(word)})" for word in words).encode())


def _near(before: str, after: str) -> str:
    """The line of a place and those near it."""
    above = before.split("\n")[-1 - NEAR :]
    below = after.split("\n")[: 1 + NEAR]
    return "\n".join(above) + "\n".join(below)


@cache
def _words(words: tuple[str, ...]) -> re.Pattern[str]:
    """Finds one of some words where a word, or a part of a name, begins."""
    parts = [rf"(?<![^\W\d_])(?i:{re.escape(word)})" for word in words]
    humps = [rf"(?<=[a-z]){re.escape(word[:1].upper() + word[1:])}" for word in words]
    return re.compile("|".join([*parts, *humps]))
