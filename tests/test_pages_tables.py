"""The table that a `claims` block binds is the one that the renderer shows after it, cell by cell."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pages_renderer import Shown, show
from stilltrue.model import Cell, Table
from stilltrue.pages import scan

BLOCK = ["```claims", "id: a", "```"]


def table_after(text: str) -> Table | None:
    (block,) = scan("p.md", text).blocks
    return block.table


def cells(text: str) -> list[list[str]]:
    """The cells of the table after the page's one block, header first."""
    table = table_after(text)
    assert table is not None
    return [list(table.header), *([cell.text for cell in row.cells] for row in table.rows)]


def found_tables(shown: Shown) -> dict[int, list[list[str]]]:
    """The tables that the scanner found, by the lines of their blocks."""
    return {
        block.place.line: [
            list(block.table.header),
            *([cell.text for cell in row.cells] for row in block.table.rows),
        ]
        for block in shown.page.blocks
        if block.table is not None
    }


def page(*rows: str) -> str:
    return "\n".join(["# T", "", *BLOCK, "", *rows, ""])


def test_a_table_has_its_header_its_rows_and_their_lines() -> None:
    table = table_after(page("| Loss | Peak |", "|:---|---:|", "| naive | **81.93** |", "| b | `2` |"))
    assert table is not None
    assert table.header == ("Loss", "Peak")
    assert (table.place.line, [row.line for row in table.rows]) == (7, [9, 10])
    assert [row.cells for row in table.rows] == [(Cell("naive"), Cell("81.93")), (Cell("b"), Cell("2"))]


@pytest.mark.parametrize(
    ("raw", "text", "target"),
    [
        ("**42**", "42", ""),
        ("*42* `x`", "42 x", ""),
        ("__4__ ~~2~~", "4 2", ""),
        ("[run 1](runs/1.log)", "run 1", "runs/1.log"),
        ('**[run 1](<runs/1.log> "t")** ok', "run 1 ok", "runs/1.log"),
        ("see [run 1](runs/1.log)", "see run 1", ""),
        ("[named][r]", "named", "http://u"),
        ("81.93[^1]", "81.93", ""),
        ("81.93\\*", "81.93*", ""),
        ("a<br>b<br/>c", "a b c", ""),
        ("a \\| b", "a | b", ""),
        ("`a|b`", "a|b", ""),
        ("``a`|`b``", "a`|`b", ""),
        ("&lt;5 &amp; 6", "<5 & 6", ""),
        ("<b>5</b> x<!-- no -->", "5 x", ""),
        ("![alt](u.png) 5", "5", ""),
        ("5 {: .right }", "5", ""),
        ("**5**{ .right #x }", "5", ""),
        ("{Peak} {a: b}", "{Peak} {a: b}", ""),
        ("x' \\|\\| @.loss != '", "x' || @.loss != '", ""),
        ("[22.8 s](claim:a.b)", "22.8 s", "claim:a.b"),
        ("a\u00a0b", "a b", ""),
        ("", "", ""),
    ],
)
def test_a_cell_is_what_a_reader_sees(raw: str, text: str, target: str) -> None:
    table = table_after(page("| a | b |", "|---|---|", f"| {raw} | x |") + "\n[r]: http://u\n\n[^1]: Note\n")
    assert table is not None
    assert table.rows[0].cells == (Cell(text, target), Cell("x"))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        (["a | b", "--|--", "1 | 2"], [["a", "b"], ["1", "2"]]),
        (["| a | b", "|:-:|---", "| 1 | 2"], [["a", "b"], ["1", "2"]]),
        (["a | b |", "- | - |", "1 | 2 |"], [["a", "b"], ["1", "2"]]),
        (
            ["| a | b |", "|---|---|", "| 1 |", "| 1 | 2 | 3 |", "1"],
            [["a", "b"], ["1", ""], ["1", "2"], ["1", ""]],
        ),
        (["| a |", "|---|", "| 1 |", "| 2 |"], [["a"], ["1"], ["2"]]),
        (["| a | b |", "|---|---|"], [["a", "b"]]),
    ],
)
def test_borders_may_be_left_out_and_rows_are_padded_or_cut(
    rows: list[str], expected: list[list[str]]
) -> None:
    assert cells(page(*rows)) == expected


@pytest.mark.parametrize(
    "rows",
    [
        ["a | b", "1 | 2"],
        ["| a | b |", "|---|", "| 1 | 2 |"],
        ["| a |", "|---|", "1"],
        ["    | a | b |", "    |---|---|", "    | 1 | 2 |"],
        ["```text", "| a | b |", "|---|---|", "```"],
        ["<!--", "| a | b |", "|---|---|", "-->"],
        ["## Next", "", "| a | b |", "|---|---|", "| 1 | 2 |"],
        ["Next", "----", "", "| a | b |", "|---|---|", "| 1 | 2 |"],
        ["```claim", "id: b", "```", "", "| a | b |", "|---|---|", "| 1 | 2 |"],
    ],
)
def test_what_is_no_table_or_stands_apart_is_not_bound(rows: list[str]) -> None:
    block = scan("p.md", page(*rows)).blocks[0]
    assert block.table is None


def test_prose_and_code_may_stand_between_a_block_and_its_table() -> None:
    rows = ["Some words.", "", "```text", "code", "```", "", "| a | b |", "|---|---|", "| 1 | 2 |"]
    assert cells(page(*rows)) == [["a", "b"], ["1", "2"]]


def test_two_blocks_bind_the_tables_that_follow_each() -> None:
    rows = ["| a | b |", "|---|---|", "| 1 | 2 |"]
    text = page(*rows, "", *BLOCK, *[row.replace("1", "3") for row in rows])
    assert [block.table.rows[0].cells[0].text for block in scan("p.md", text).blocks if block.table] == [
        "1",
        "3",
    ]


@pytest.mark.parametrize("gap", [[], [""], ["", ""]])
@pytest.mark.parametrize(
    ("before", "prefix"),
    [([], ""), (["- item", ""], "    "), (["!!! note", ""], "    "), (["> quote", ">"], "> ")],
)
def test_a_table_stands_where_its_block_stands(before: list[str], prefix: str, gap: list[str]) -> None:
    rows = ["| a | b |", "|---|---|", "| **1** | 2 |"]
    text = "\n".join([*before, *(f"{prefix}{row}".rstrip() for row in [*BLOCK, *gap, *rows])]) + "\n"
    shown = show(text)
    assert shown.page.problems == ()
    assert list(found_tables(shown).values()) == [[["a", "b"], ["1", "2"]]]
    assert found_tables(shown) == shown.tables


@pytest.mark.parametrize("last", ["#", "# Next", "###", ">", "> said"])
def test_a_heading_or_a_quote_right_below_a_table_of_one_column_ends_it(last: str) -> None:
    shown = show(page("| a |", "|---|", "| 1 |", last))
    assert list(found_tables(shown).values()) == [[["a"], ["1"]]]
    assert found_tables(shown) == shown.tables


# The same by the real renderer ---------------------------------------------------------------------------

SIGNS = st.sampled_from(
    [*("1", "8,192", "a", " ", "|", "\\|", "`", "``", "\\`", "\\\\", "**", "*", "_", "~~", "<br>", "&amp;"),
     *("{x}", "[l](u)", "[r]", "'", '"', "[", "]", "#", "-", ":", "<", ">", "o'brien")]
)  # fmt: skip
CELL = st.lists(SIGNS, max_size=5).map("".join)
ROW = st.builds(
    lambda cells, left, right: f"{left}{' | '.join(cells)}{right}",
    st.lists(CELL, min_size=1, max_size=4),
    st.sampled_from(["| ", "|", ""]),
    st.sampled_from([" |", "|", "", "  "]),
)
SEPARATOR = st.builds(
    lambda cells, left, right: f"{left}{'|'.join(cells)}{right}",
    st.lists(st.sampled_from(["---", ":--", "--:", ":-:", " - "]), min_size=1, max_size=3),
    st.sampled_from(["|", ""]),
    st.sampled_from(["|", ""]),
)


@settings(max_examples=400, deadline=None)
@given(ROW, SEPARATOR, st.lists(ROW, max_size=3))
def test_rows_are_cut_as_the_renderer_cuts_them(header: str, separator: str, rows: list[str]) -> None:
    # A row that begins with `: ` makes a definition of those above it: see the test below.
    lines = [
        line
        for line in (f"h{header}" if not header.startswith("|") else header, separator, *rows)
        if line.strip() and not line.startswith(": ")
    ]
    text = "\n".join([*BLOCK, "", *lines, "", "[r]: http://u"]) + "\n"
    shown = show(text)
    assert shape(found_tables(shown)) == shape(shown.tables)


@pytest.mark.parametrize("rows", [["T", ": | a |", "|---|", "| 1 |"], ["T", ": |", "|  |", "| 1 |"]])
def test_a_table_that_a_definition_begins_with_binds_nothing_and_the_block_says_so(rows: list[str]) -> None:
    shown = show("\n".join([*BLOCK, "", *rows]) + "\n")
    assert shown.tables
    assert found_tables(shown) == {}
    assert all(block.table is None for block in shown.page.blocks)


def shape(tables: dict[int, list[list[str]]]) -> dict[int, list[int]]:
    """How many cells each row has; the renderer makes an empty row of none."""
    return {
        line: [len(row) for at, row in enumerate(rows) if at != 1 or len(rows) > 2 or any(row)]
        for line, rows in tables.items()
    }


WORD = st.sampled_from(
    [
        "65",
        "5 ms",
        "a_b",
        "2 * 3",
        "12,288",
        "`c|d`",
        "\\*",
        "&amp;",
        "<b>b</b>",
        "\\|",
        "x<br>y",
        "o'brien",
    ]
)
MARKED = st.one_of(
    WORD,
    WORD,
    st.builds(lambda mark, word: f"{mark}{word}{mark}", st.sampled_from(["*", "**", "_", "__", "~~"]), WORD),
    st.builds(lambda word: f"[{word}](runs/1.log)", WORD),
)
WORDS = st.lists(MARKED, min_size=1, max_size=3).map(" ".join)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.lists(WORDS, min_size=2, max_size=2), min_size=1, max_size=4))
def test_cells_read_as_the_renderer_shows_them(rows: list[list[str]]) -> None:
    lines = ["| a | b |", "|---|---|", *(f"| {' | '.join(row)} |" for row in rows)]
    shown = show("\n".join([*BLOCK, *lines]) + "\n")
    assert found_tables(shown) == shown.tables
    assert len(shown.tables) == 1
