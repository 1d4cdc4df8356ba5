"""The nearest of several words, for "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable


def did_you_mean(word: str, words: Iterable[str]) -> str:
    """`did you mean `value`?` for the nearest of `words`, or the empty string when none is near."""
    import difflib  # noqa: PLC0415  # only a failing check needs it, and it costs start-up time

    near = difflib.get_close_matches(word, list(words), n=1, cutoff=0.6)
    return f"did you mean `{near[0]}`?" if near else ""
