"""The headers of Markdown tables, found from the rows below them."""

from __future__ import annotations

_SEPARATOR = frozenset(b"|:- \t\r")
_LONGEST = 4_000


class Headers:
    """The headers of the tables in a text; no line is looked at twice, however many rows are asked for.

    Args:
        data: The text, in bytes.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._known: dict[int, str] = {}

    def above(self, start: int) -> str:
        """The header of the table that the line at a byte is a row of; empty where there is none."""
        header, at = "", start
        while at > 0:
            if at in self._known:
                header = self._known[at]
                break
            first = self.data.rfind(b"\n", 0, at - 1) + 1
            line = self.data[first : at - 1]
            if b"|" not in line:
                break
            if len(line) < _LONGEST and b"-" in line and _SEPARATOR.issuperset(line):
                header = self._line_before(first)
                break
            at = first
        self._known[start] = header
        return header

    def _line_before(self, end: int) -> str:
        first = max(self.data.rfind(b"\n", 0, max(0, end - 1)) + 1, end - _LONGEST)
        return self.data[first : max(first, end - 1)].decode("utf-8", "replace")
