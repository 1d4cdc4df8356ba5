"""What the scanner finds and what the renderer shows is the same set."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from pages_renderer import found_links, show
from stilltrue.pages import scan

CORPUS = Path(__file__).parent / "pages_corpus"


def ids(text: str) -> list[str]:
    return [block.body.split("\n")[0].removeprefix("id: ") for block in scan("p.md", text).blocks]


def test_one_page_with_every_case_shows_what_is_found() -> None:
    text = (CORPUS / "every_case.md").read_text(encoding="utf-8")
    shown = show(text.split("---\n", 2)[2])
    assert shown.page.problems == ()
    assert shown.lost == []
    assert not shown.code
    assert shown.cards == [block.place.line for block in shown.page.blocks]
    assert found_links(shown.page) == shown.links


def test_one_page_with_every_case_is_found_as_listed() -> None:
    text = (CORPUS / "every_case.md").read_text(encoding="utf-8")
    page = scan("p.md", text)
    wanted = [line.split("id: ")[1] for line in text.split("\n") if "id: " in line and "id: no-" not in line]
    assert ids(text) == wanted
    assert len(wanted) == 19
    targets = {link.target for link in page.links}
    assert len(targets) == len(page.links) - 1  # `by-reference` is named twice
    assert not any(link.text == "no" for link in page.links)
    assert {link.target for link in page.links if link.struck} == {"struck-outside", "struck-inside"}
    lines = text.split("\n")
    for block in page.blocks:
        assert "claim" in lines[block.place.line - 1]
        assert lines[block.end - 1].strip("> `~") == ""


# Documents made of nested containers and the traps above -------------------------------------------------

Lines = list[str]


def _fence(word: str, marks: str, number: int) -> Lines:
    return [f"{marks}{word}", f"id: b{number}", marks]


LINK = st.sampled_from(
    [
        "[65 %](claim:a)",
        "text [5 ms](claim:b) and `[c](claim:c)`",
        '[**7**](claim:d "t")',
        "~~[4 h](claim:e)~~",
        "\\[no](claim:f)",
        "two words",
    ]
)
FENCE = st.builds(
    _fence,
    st.sampled_from(["claim", "claim", "claim", "text", ""]),
    st.sampled_from(["```", "```", "~~~", "````"]),
    st.integers(0, 99),
)
LEAF = st.one_of(
    FENCE,
    FENCE,
    LINK.map(lambda text: [text]),
    LINK.map(lambda text: ["| a | b |", "|---|---|", f"| {text} | x |"]),
    LINK.map(lambda text: [f"# {text}"]),
    st.just(["---"]),
    FENCE.map(lambda lines: ["`````markdown", *lines, "`````"]),
    FENCE.map(lambda lines: ["<!--", *lines, "-->"]),
    FENCE.map(lambda lines: ["<pre>", *lines, "</pre>"]),
    st.builds(lambda lines, text: ["<div>", *lines, text, "</div>"], FENCE, LINK),
    FENCE.map(lambda lines: [f"    {line}" for line in lines]),
)
OPENERS = ["- item", "1. item", "!!! note", '!!! note "T"', '??? note "T"', '=== "T"']


def _held(opener: str, gap: bool, inner: Lines) -> Lines:
    return [opener, *([""] if gap else []), *(f"    {line}" if line else "" for line in inner)]


def _joined(parts: list[tuple[Lines, bool]]) -> Lines:
    return [line for lines, gap in parts for line in [*lines, *([""] if gap else [])]]


def _documents(inner: st.SearchStrategy[Lines]) -> st.SearchStrategy[Lines]:
    body = st.lists(st.tuples(inner, st.sampled_from([True, True, True, False])), min_size=1, max_size=3)
    held = st.builds(_held, st.sampled_from(OPENERS), st.booleans(), body.map(_joined))
    quoted = body.map(_joined).map(lambda lines: [f"> {line}".rstrip() for line in lines])
    return st.one_of(held, held, quoted, body.map(_joined))


DOCUMENT = st.recursive(LEAF, _documents, max_leaves=12).map("\n".join)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(DOCUMENT)
def test_nested_documents_show_what_is_found(text: str) -> None:
    shown = show(text)
    if shown.page.problems:
        return
    assert shown.lost == []
    assert not shown.code
    assert found_links(shown.page) == shown.links


MARKS = ["65 %", " ", "\n", "`", "``", "[", "]", "!", "**", "_", "~~", "`code`", "\\[", "\\`", "![i](u)"]
LINKS = ["[r]", "[z](http://u)", "[6](claim:a)", "[`8`](<claim:c>)", "[9][r]", "[~~4~~](claim:d)"]
PIECE = st.sampled_from([*MARKS, *LINKS, '[**7**](claim:b "t")'])


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.lists(PIECE, min_size=1, max_size=9).map("".join))
def test_inline_marks_bind_the_same_links(text: str) -> None:
    shown = show(f"x {text}\n\n[r]: claim:ref\n")
    found = sorted(link.target for link in shown.page.links)
    assert found == sorted(link.target for link in shown.links)


WORD = st.sampled_from(["65", "5 ms", "a_b", "2 * 3", "12,288", "`c`", "\\*", "&amp;", "<b>b</b>"])
MARKED = st.one_of(
    WORD,
    st.builds(lambda mark, word: f"{mark}{word}{mark}", st.sampled_from(["*", "**", "_", "__", "~~"]), WORD),
)


@settings(max_examples=150, deadline=None)
@given(MARKED, st.sampled_from(["", "~~", "**", "*"]), st.sampled_from(["", " h"]))
def test_link_texts_lose_their_marks_as_rendered(inner: str, around: str, more: str) -> None:
    shown = show(f"x {around}[{inner}{more}](claim:a){around} y")
    assert shown.links
    assert found_links(shown.page) == shown.links
