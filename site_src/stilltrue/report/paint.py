"""Colour for a terminal, or none."""

from __future__ import annotations

from stilltrue.model import Verdict

_RED, _GREEN, _YELLOW, _BLUE, _BOLD, _DIM = "31", "32", "33", "34", "1", "2"

_VERDICTS = {
    Verdict.SUPERSEDED: _DIM,
    Verdict.BROKEN: _RED,
    Verdict.DRIFTED: _RED,
    Verdict.REFUTED: _RED,
    Verdict.SUSPECT: _YELLOW,
    Verdict.STALE: _YELLOW,
    Verdict.REPORTED: _BLUE,
    Verdict.HOLDS: _GREEN,
}


class Paint:
    """Wraps text in terminal colours when `on`, and leaves it as it is otherwise."""

    def __init__(self, *, on: bool) -> None:
        self.on = on

    def verdict(self, verdict: Verdict, text: str) -> str:
        """In the verdict's colour."""
        return self._in(_VERDICTS[verdict], text)

    def good(self, text: str) -> str:
        """For what passes."""
        return self._in(_GREEN, text)

    def bad(self, text: str) -> str:
        """For what fails."""
        return self._in(_RED, text)

    def warn(self, text: str) -> str:
        """For what warns."""
        return self._in(_YELLOW, text)

    def strong(self, text: str) -> str:
        """For what the eye should find first."""
        return self._in(_BOLD, text)

    def faint(self, text: str) -> str:
        """For what may be passed over."""
        return self._in(_DIM, text)

    def _in(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text
