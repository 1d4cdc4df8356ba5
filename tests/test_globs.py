"""Globs: which paths a pattern means."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.globs import Glob, steps

PIECES = {"**/": "(?:[^/]+/)*", "*": "[^/]*", "?": "[^/]", "a": "a", "b": "b", "/": "/"}


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("docs/**/*.md", ("docs", "**", "*.md")),
        ("docs/**", ("docs", "**", "*")),
        ("**.md", ("**", "*.md")),
        ("**/**/***/a", ("**", "a")),
        ("a*b", ("a*b",)),
    ],
)
def test_a_glob_is_taken_apart_by_names(pattern: str, found: tuple[str, ...]) -> None:
    assert steps(pattern) == found


@settings(max_examples=400, deadline=None)
@given(
    pieces=st.lists(st.sampled_from(sorted(PIECES)), min_size=1, max_size=8),
    path=st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=5).map("/".join),
)
def test_a_path_matches_when_some_reading_of_the_signs_makes_it_so(pieces: list[str], path: str) -> None:
    # `**` is only written where it stands for whole folders; two stars side by side would make another.
    pattern = "".join(
        piece for at, piece in enumerate(pieces) if piece != "**/" or at == 0 or pieces[at - 1] == "/"
    )
    if "**" in pattern.replace("**/", "") or "***" in pattern or "//" in pattern or pattern[-1] == "/":
        return
    written = re.sub(r"\*\*/|[*?ab/]", lambda found: PIECES[found[0]], pattern)
    assert Glob(pattern).matches(path) == bool(re.fullmatch(written, path))
