"""A file's text with some of a claim's own text changed, every other character as it was."""

from __future__ import annotations

import re
from collections.abc import Iterable

from stilltrue.claims.superseding import Change, Mark
from stilltrue.errors import InputError

_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n|\Z)")


def with_changes(text: str, own: str, first: int, changes: Iterable[Change]) -> str:
    """The file's text with the changes made.

    A page may indent a block, or put `>` before it: what stands before a line of the claim's text on the line
    of the file stays, and a new line gets the same.

    Args:
        text: The file's text, with its byte order mark and its line ends.
        own: The claim's own text, as it is found in the file from line `first` on.
        first: The line of the file, from 1, that holds the first line of `own`.
        changes: What changes in `own`.

    Raises:
        InputError: `unplaced`: a line of the file does not end as the claim's line does.
    """
    return _Edited(text, own, first).with_changes(changes)


class _Edited:
    def __init__(self, text: str, own: str, first: int) -> None:
        self.text = text
        self.lines = [found for found in _LINE.finditer(text) if found[0] or found.start() == len(text)]
        self.own = own.split("\n")
        self.first = first - 1

    def with_changes(self, changes: Iterable[Change]) -> str:
        parts, at = [], 0
        for start, end, text in sorted(self._span(change) for change in changes):
            parts += [self.text[at:start], text]
            at = end
        return "".join([*parts, self.text[at:]])

    def _span(self, change: Change) -> tuple[int, int, str]:
        """The change as a span of the file's text."""
        start, end = self._offset(change.start), self._offset(change.end)
        if not change.line:
            return start, end, change.text
        line = self._line(change.end)
        margin = self.text[self._line(change.start).start() : start].removeprefix("\ufeff").replace("-", " ")
        if line[2]:
            return line.end(), line.end(), f"{margin}{change.text}{line[2]}"
        return line.end(), line.end(), f"{self._newline()}{margin}{change.text}"

    def _offset(self, mark: Mark) -> int:
        """Counted from the line's end, before which the two are the same."""
        line, own = self._line(mark), self.own[mark.line]
        if not line[1].endswith(own):
            raise InputError(
                "unplaced", f"its line {self.first + mark.line + 1} is not read as it is written"
            )
        return line.start() + len(line[1]) - len(own) + mark.column

    def _line(self, mark: Mark) -> re.Match[str]:
        at = self.first + mark.line
        if at >= len(self.lines):
            raise InputError("unplaced", "its text ends before it is over")
        return self.lines[at]

    def _newline(self) -> str:
        """How the file ends its lines."""
        return next((line[2] for line in self.lines if line[2]), "\n")
