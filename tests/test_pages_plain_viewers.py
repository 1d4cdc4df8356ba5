"""A viewer that knows plain Markdown alone, as a code forge shows a README, sees the same claim blocks.

The site's renderer is Python-Markdown, which the scanner follows. markdown-it-py stands for everybody else:
where nothing but lists and quotes hold a block, both must show it, or the scanner says that they differ.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from stilltrue.pages import scan

ROOT = Path(__file__).resolve().parent.parent
VIEWER = MarkdownIt("commonmark")
Lines = list[str]


def shown(text: str) -> list[int]:
    """The lines, from 1, on which a plain viewer sees claim fences open."""
    return [
        token.map[0] + 1
        for token in VIEWER.parse(text)
        if token.type == "fence" and token.map and token.info.split()[:1] in (["claim"], ["claims"])
    ]


def found(text: str) -> list[int]:
    return [block.place.line for block in scan("page.md", text, front_matter=False).blocks]


def own_pages() -> list[Path]:
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


@pytest.mark.parametrize("path", own_pages(), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_our_own_pages_read_the_same_without_the_site(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert found(text) == shown(text)


def _fence(word: str, mark: str, number: int) -> Lines:
    return [f"{mark}{word}", f"id: b{number}", mark]


FENCE = st.builds(
    _fence,
    st.sampled_from(["claim", "claim", "claim", "text", ""]),
    st.sampled_from(["```", "~~~", "````"]),
    st.integers(0, 99),
)
LEAF = st.one_of(
    FENCE,
    FENCE,
    st.just(["Two words."]),
    st.just(["# A heading"]),
    FENCE.map(lambda lines: ["`````markdown", *lines, "`````"]),
    FENCE.map(lambda lines: ["<!--", *lines, "-->"]),
    FENCE.map(lambda lines: [f"    {line}" for line in lines]),
)


def _joined(parts: list[Lines]) -> Lines:
    return [line for lines in parts for line in [*lines, ""]]


def _held(opener: str, inner: Lines) -> Lines:
    return [opener, "", *(f"    {line}" if line else "" for line in inner)]


def _documents(inner: st.SearchStrategy[Lines]) -> st.SearchStrategy[Lines]:
    body = st.lists(inner, min_size=1, max_size=3).map(_joined)
    listed = st.builds(_held, st.sampled_from(["- item", "1. item"]), body)
    quoted = body.map(lambda lines: [f"> {line}".rstrip() for line in lines])
    return st.one_of(listed, quoted, body)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.recursive(LEAF, _documents, max_leaves=8).map("\n".join))
def test_lists_and_quotes_hold_the_same_blocks_for_every_viewer(text: str) -> None:
    if not scan("page.md", text, front_matter=False).problems:
        assert found(text) == shown(text)
