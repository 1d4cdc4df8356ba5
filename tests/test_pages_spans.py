"""Where links and cells are written agrees with what the scan finds."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.pages import scan
from stilltrue.pages.spans import Lines, Spans, link_spans
from test_pages_renderer import DOCUMENT, PIECE

CORPUS = Path(__file__).parent / "pages_corpus"
ENDINGS = st.sampled_from(["\n", "\r\n", "\r"])


def assert_agrees(text: str) -> None:
    links, spans = scan("p.md", text).links, link_spans("p.md", text)
    assert [(s.target, s.text, s.struck, s.line) for s in spans] == [
        (link.target, link.text, link.struck, link.place.line) for link in links
    ]
    for span in spans:
        assert text[span.start - 1] == "["
        assert text[span.end] == "]"
        assert span.start <= span.end


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_case_of_the_corpus_is_placed(ending: str) -> None:
    text = (CORPUS / "every_case.md").read_text(encoding="utf-8").replace("\n", ending)
    assert_agrees(text)
    assert {text[span.start : span.end] for span in link_spans("p.md", text)} >= {
        "1 %",
        f"eleven{ending}percent",
        "~~13 h~~",
        "16 % [of all]",
        "**17 %** of *it*",
    }


@settings(max_examples=200, deadline=None)
@given(DOCUMENT, ENDINGS)
def test_nested_documents_are_placed(text: str, ending: str) -> None:
    assert_agrees(text.replace("\n", ending))


@settings(max_examples=200, deadline=None)
@given(st.lists(PIECE, min_size=1, max_size=9).map("".join), ENDINGS)
def test_inline_marks_are_placed(text: str, ending: str) -> None:
    assert_agrees(f"x {text}\n\n[r]: claim:ref\n".replace("\n", ending))


@pytest.mark.parametrize(
    "line",
    [
        "a\t[5 ms](claim:a)",
        "-\t[5 ms](claim:a)",
        ">\t[5 ms](claim:a)",
        "\u2003[5 ms](claim:a) é",
        '!!! note "See [5 ms](claim:a)"',
        '??? note "[5 ms](claim:a)" ',
        "## [5 ms](claim:a) ##",
        "a\x02b\x03 [5 ms](claim:a)",
        "<div markdown>[5 ms](claim:a)</div>",
        '<div class="[5 ms]" markdown>so <b>x</b> [5 ms](claim:a)</div>',
        "[^1]: a note [5 ms](claim:a)",
        "term\n:   [5 ms](claim:a)",
        "[5 ms][x] and\n\n[x]: claim:a",
        "[5 ms][]\n\n[5 ms]: claim:a",
    ],
)
def test_the_text_of_a_link_is_found_where_it_is_written(line: str) -> None:
    text = f"---\ntitle: x\n---\n\n{line}\n"
    spans = link_spans("p.md", text)
    assert [text[span.start : span.end] for span in spans] == ["5 ms"]
    assert_agrees(text)


TABLE = """\
> Words.
>
> ```claims
> id: t
> ```
>
> | A | B |
> |---|--:|
> | `a|b` | \\| x  |
> |1|**2** |
> | 3 |
"""


def test_cells_are_placed_between_their_pipes() -> None:
    for text in (TABLE, TABLE.replace("\n", "\r\n")):
        spans = Spans("p.md", text)
        (block,) = spans.scan.page().blocks
        assert block.table is not None
        cells = spans.cells(block.table.place.line)
        written = {at: text[span.start : span.end] for at, span in cells.items()}
        assert written == {
            (7, 0): " A ",
            (7, 1): " B ",
            (8, 0): "---",
            (8, 1): "--:",
            (9, 0): " `a|b` ",
            (9, 1): " \\| x  ",
            (10, 0): "1",
            (10, 1): "**2** ",
            (11, 0): " 3 ",
        }
        lines = [row.line for row in block.table.rows]
        assert {line for line, _ in cells} == {7, 8, *lines}


def test_a_page_without_claims_has_no_spans() -> None:
    assert link_spans("p.md", "[65 %](other:x)\n") == ()


def test_a_line_that_is_asked_for_again_is_the_same_text() -> None:
    lines = Lines("first\r\n" + "long " * 1_000 + "\nlast")
    assert lines.line(1) is lines.line(1)
    assert [lines.line(index) for index in (0, 1, 2, 0)] == ["first", "long " * 1_000, "last", "first"]
