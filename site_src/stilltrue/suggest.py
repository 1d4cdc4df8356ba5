"""The nearest of several words, for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """`did you mean `value`?` for the nearest of `words`, or the empty string when none is near."""
    near = nearest(word, words)
    return f"did you mean `{near}`?" if near else ""


def nearest(word: str, words: Iterable[str]) -> str:
    """The one of `words` that is nearest, or the empty string when none is near.

    The same in another case is nearer than another word. The id of a table is nearest to that of its first
    cell, `memory` to `memory.naive.peak`.
    """
    import difflib  # noqa: PLC0415  # only a failing check needs it, and it costs start-up time

    known = list(words)
    near = [each for each in known if each.startswith(f"{word}.")]
    near = near or [each for each in known if each.lower() == word.lower()]
    near = near or difflib.get_close_matches(word, known, n=1, cutoff=0.6)
    return near[0] if near else ""


class Nearest:
    """The nearest of the same words for many others: each is looked for once, and only the first few are.

    Args:
        words: The words there are.
    """

    MOST = 50
    """For how many words the nearest one is looked for: that compares each with all there are."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = list(words)
        self._known: dict[str, str] = {}

    def to(self, word: str) -> str:
        """As `did_you_mean`; the empty string for all but the first `MOST` different words."""
        if word not in self._known:
            self._known[word] = did_you_mean(word, self._words) if len(self._known) < self.MOST else ""
        return self._known[word]
