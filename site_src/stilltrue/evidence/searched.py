"""The text that patterns are matched in: a file as it stands, or what a notebook's cells printed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from stilltrue.evidence.loading import Content


@dataclass(frozen=True, slots=True, eq=False)
class Searched:
    """A text, and where it stands in its file.

    Attributes:
        path: The file.
        text: UTF-8; bounds are looked for in all of it.
        parts: The ranges of `text`, in order and apart, that readings are looked for in.
        line_at: The line of the file that an offset in `text` stands on.
        notes: What the reader wants known.
        elsewhere: What to do where a pattern matches nothing, besides mending it.
    """

    path: str
    text: bytes
    parts: tuple[tuple[int, int], ...]
    line_at: Callable[[int], int]
    notes: tuple[str, ...] = ()
    elsewhere: str = ""

    def within(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """The parts between two offsets."""
        for first, last in self.parts:
            if first <= end and last >= start:
                yield max(first, start), min(last, end)


def whole(content: Content) -> Searched:
    """A file as a terminal would leave it."""
    return Searched(content.path, content.shown, ((0, len(content.shown)),), content.lines.at)
