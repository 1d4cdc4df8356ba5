"""The tables of files that `table_in` may name: Markdown as plain viewers show it, and HTML."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Table
from stilltrue.pages.any_tables import SHOWN, format_of
from stilltrue.pages.found import Found
from stilltrue.pages.plain_tables import PlainPage

TABLE = "| a | b |\n|---|---|\n| x | 1 |\n"


def found(text: str, path: str = "README.md") -> list[Found]:
    return list(format_of(path).tables(path, text, Deadline(60)))


def tables(text: str, path: str = "README.md") -> list[Table]:
    every = found(text, path)
    assert not [each for each in every if isinstance(each.table, InputError)]
    return [each.table for each in every if isinstance(each.table, Table)]


def rows(text: str, path: str = "README.md") -> list[list[str]]:
    """The rows of the one table, its header first."""
    (table,) = tables(text, path)
    return [list(table.header), *([cell.text for cell in row.cells] for row in table.rows)]


def quoted(text: str) -> str:
    return "".join(f"> {line}\n" for line in text.splitlines())


def indented(text: str, blanks: int) -> str:
    return "".join(f"{' ' * blanks}{line}\n" for line in text.splitlines())


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(TABLE, id="alone"),
        pytest.param(f"# R\n{TABLE}", id="under a heading"),
        pytest.param(f"Measured here:\n{TABLE}after\n", id="in a paragraph"),
        pytest.param(f"<details><summary>m</summary>\n\n{TABLE}\n</details>\n", id="in an element"),
        pytest.param(f"<div align=center>\n\n{TABLE}</div>\n", id="an element ends it"),
        pytest.param(quoted(TABLE), id="in a quote"),
        pytest.param(f"- item\n\n{indented(TABLE, 2)}", id="in an item"),
        pytest.param(f"1. item\n{indented(TABLE, 3)}", id="in a numbered item"),
        pytest.param(f"1. item\n\n    - inner\n\n{indented(TABLE, 8)}", id="deep in items"),
        pytest.param(indented(TABLE, 3), id="indented a little"),
        pytest.param(TABLE.replace("\n", "\r\n"), id="CRLF"),
        pytest.param(f"---\ntitle: x\n---\n{TABLE}", id="after front matter"),
        pytest.param(f"{TABLE}# Next\n", id="a heading ends it"),
        pytest.param(f"{TABLE}```\n| y | 2 |\n```\n", id="a fence ends it"),
        pytest.param(f"{TABLE}> | y | 2 |\n", id="a quote ends it"),
        pytest.param(f"{TABLE}- item\n", id="an item ends it"),
        pytest.param("a | b\n--|--\nx | 1\n", id="without outer pipes"),
        pytest.param("| a | b\n|--|:-:\n| x | 1 | beyond\n", id="a cell too many"),
        pytest.param("|\ta\t|\tb\t|\n|\t-\t|\t-\t|\n|\tx\t|\t1\t|\n", id="tabs"),
    ],
)
def test_a_pipe_table_is_found_where_a_viewer_shows_it(text: str) -> None:
    header, first, *rest = rows(text)
    assert (header, first) == (["a", "b"], ["x", "1"])
    assert rest in ([], [["after", ""]])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"```\n{TABLE}```\n", id="fence"),
        pytest.param(f"text\n\n{indented(TABLE, 4)}", id="indented code"),
        pytest.param(f"<!--\n{TABLE}-->\n", id="comment"),
        pytest.param(f"<!--\n{TABLE}", id="comment without an end"),
        pytest.param(f"<pre>\n{TABLE}</pre>\n", id="preformatted"),
        pytest.param("Text\n---\nmore | text\n", id="heading"),
        pytest.param("| a | b |\n|---|\n| x | 1 |\n", id="rule of another width"),
        pytest.param("| a | b |\n\n|---|---|\n| x | 1 |\n", id="blank line"),
        pytest.param("| a | b |\n| x | 1 |\n", id="no rule"),
    ],
)
def test_what_no_viewer_shows_as_a_table_is_none(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    "before", ["`<!--` begins one\n\n", "an inline `<pre>`\n\n", "<!-- short -->\n", "a <!-- b\n\n"]
)
def test_a_table_behind_what_only_looks_like_a_comment_is_found(before: str) -> None:
    assert rows(before + TABLE)[1] == ["x", "1"]


@pytest.mark.parametrize(
    ("cell", "text", "target"),
    [
        ("**81.93**", "81.93", ""),
        ("<b>81.93</b>", "81.93", ""),
        ("81.93[^1]", "81.93", ""),
        ("81.93<sup>1</sup>", "81.93", ""),
        ("81.93 <sup>[a](#a)</sup>", "81.93", ""),
        ("1.28 × 10<sup>18</sup>", "1.28 × 10^18", ""),
        ("5 s/token<sup>2</sup>", "5 s/token^2", ""),
        ("at most 5 s/token<sup>2</sup>", "at most 5 s/token^2", ""),
        ("**430 ± 10 ms**<sup>1</sup>", "430 ± 10 ms", ""),
        ("LoRA<sup>2</sup>", "LoRA", ""),
        ("65.2<sub>1</sub>", "65.2₁", ""),
        ("x<sub>1</sub>", "x1", ""),
        ("v2 of it<sup>2</sup>", "v2 of it", ""),
        ("10<sup>-3</sup>", "10^-3", ""),
        ("[81.93](logs/a.log)", "81.93", "logs/a.log"),
        ("[81.93][log]", "81.93", "logs/b.log"),
        ('<a href="logs/a.log">81.93</a>', "81.93", "logs/a.log"),
        ("**<a class=x href='logs/a&amp;b.log'>81.93</a>**[^1]", "81.93", "logs/a&b.log"),
        ("<b><a title='a' href=logs/a.log>81.93</a></b>", "81.93", "logs/a.log"),
        ('<a name="x"></a>81.93 <abbr href="y">s</abbr>', "81.93 s", ""),
        ('see <a href="logs/a.log">81.93</a>', "see 81.93", ""),
        ('`<a href="logs/a.log">`', '<a href="logs/a.log">', ""),
        ("0.120&nbsp;±&nbsp;0.020", "0.120 ± 0.020", ""),
        ("a \\| b", "a | b", ""),
        ("22<br>43", "22 43", ""),
    ],
)
def test_a_cell_is_read_as_a_reader_sees_it(cell: str, text: str, target: str) -> None:
    page = f"| a | b |\n|---|---|\n| x | {cell} |\n\n[log]: logs/b.log\n"
    (table,) = tables(page)
    read = table.rows[0].cells[1]
    assert (read.text, read.target) == (text, target)
    assert read.written is not None
    raw = page[read.written.start : read.written.end]
    assert raw.strip() == cell
    assert read.written.line == table.rows[0].line == 3
    assert SHOWN[table.syntax](raw, PlainPage("a.md", page).references) == text


def test_a_row_that_viewers_cut_in_different_places_is_refused() -> None:
    (each,) = found("| a | b |\n|---|---|\n| `x|y` | 1 |\n")
    assert isinstance(each.table, InputError)
    assert (each.table.code, each.table.line) == ("no-table-in", 3)
    assert rows("| a | b |\n|---|---|\n| `x\\|y` | 1 |\n")[1] == ["x|y", "1"]


def test_many_tables_come_in_the_order_of_the_file() -> None:
    html = "<table><tr><th>a<th>b<tr><td>y<td>2</table>\n"
    text = f"{TABLE}\n{html}\n```html\n{html}```\n\nuse `<table>`\n\n{TABLE}"
    assert [each.rows[0].cells[1].text for each in tables(text)] == ["1", "2", "1"]
    assert [(each.first, each.last) for each in found(text)] == [(1, 3), (5, 5), (13, 15)]


# HTML --------------------------------------------------------------------------------------------------

HEADER = "<tr><th>a</th><th>b</th></tr>"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param("<tr><td>x</td><td>1</td></tr>", [["x", "1"]], id="plain"),
        pytest.param("<TR><TD>x<TD>1", [["x", "1"]], id="no end tags"),
        pytest.param("<tr><th scope=row>x</th><td>1</td></tr>", [["x", "1"]], id="a row with its own header"),
        pytest.param("<tr><td rowspan=2>x</td><td>1<tr><td>2", [["x", "1"], ["x", "2"]], id="rowspan"),
        pytest.param(
            "<tr><td rowspan=0>x<td>1<tr><td>2<tr><td>3",
            [["x", "1"], ["x", "2"], ["x", "3"]],
            id="to the end",
        ),
        pytest.param("<tr><td>x<td rowspan=2>1<tr><td>y", [["x", "1"], ["y", "1"]], id="rowspan behind"),
        pytest.param("<tr><td>x<td rowspan=2>1<tr>", [["x", "1"]], id="an empty row"),
        pytest.param(
            "<tr><td rowspan=2>x<td>1<tr><tr><td>y<td>2", [["x", "1"], ["y", "2"]], id="a row below"
        ),
        pytest.param(
            "<tbody><tr><td rowspan=9>x<td>1</tbody><tr><td>y<td>2",
            [["x", "1"], ["y", "2"]],
            id="no further than its group",
        ),
        pytest.param(
            "<tr><td colspan='1px' colspan=2>x<td>1", [["x", "1"]], id="the first of two attributes"
        ),
        pytest.param(
            "<tr><td hidden>0<td>x<td>1<tr><td>y<td>2", [["x", "1"], ["y", "2"]], id="a hidden cell"
        ),
        pytest.param("<tr hidden><td>x<td>1<tr><td>y<td>2", [["y", "2"]], id="a hidden row"),
        pytest.param("<tr><td>x<td>1<p hidden>2<tr><td>y<td>3", [["x", "1"], ["y", "3"]], id="a hidden line"),
        pytest.param(
            "<tr><td hidden><table><tr><td>9</table><td>x<td>1", [["x", "1"]], id="a table in a hidden cell"
        ),
        pytest.param("<tr><td>x<td>81.93<sub>1</sub>", [["x", "81.93₁"]], id="lowered"),
        pytest.param("<tr><td colspan=2>4 cards</td></tr><tr><td>x<td>1", [["x", "1"]], id="a title"),
        pytest.param("<tr><td>x<td>1<td>beyond", [["x", "1"]], id="a cell too many"),
        pytest.param("<tr><td>x", [["x", ""]], id="a cell too few"),
        pytest.param("<tr><td>x<td><table><tr><td>9</table>1", [["x", "1"]], id="a table inside"),
        pytest.param("<tr><td>x<td>1<!-- 2 --><script>3</script>", [["x", "1"]], id="unseen"),
        pytest.param("<tr><td>x<td>1<span hidden>2<b>3</b></span>", [["x", "1"]], id="hidden"),
        pytest.param("<tr><td>x<td>1<span style='display: none'>2</span>", [["x", "1"]], id="not displayed"),
        pytest.param(
            "<tr><td>x<td><s>0.9</s><br>1 &plusmn;\n 2", [["x", "0.9 1 ± 2"]], id="entities and blanks"
        ),
        pytest.param("<tr><td>x<td><p>1</p><p>2</p>", [["x", "1 2"]], id="paragraphs"),
        pytest.param("<tr><td>x<td>81.93<sup>1</sup>", [["x", "81.93"]], id="footnote"),
        pytest.param(
            "<tr><td>x<td>81.93<sup><a href='#f'>[1]</a></sup>", [["x", "81.93"]], id="linked footnote"
        ),
        pytest.param("<tr><td>x<td>1.28 × 10<sup>18</sup>", [["x", "1.28 × 10^18"]], id="power"),
        pytest.param("<tr><td>x<td>1.28&times;10<sup>−3</sup> s", [["x", "1.28×10^−3 s"]], id="small power"),
    ],
)
def test_the_rows_of_an_html_table(body: str, expected: list[list[str]]) -> None:
    text = f"<p>1</p><table>{HEADER}\n{body}</table>"
    table = max(tables(text, "r.html"), key=lambda each: len(each.header))
    assert [[cell.text for cell in row.cells] for row in table.rows] == expected
    assert table.header == ("a", "b")


@pytest.mark.parametrize("rows", ["2", "0", "9"])
def test_a_cell_of_a_head_does_not_reach_below_it(rows: str) -> None:
    text = f"<table><thead><tr><th rowspan={rows}>a<th>b</thead><tbody><tr><td>x<td>1</table>"
    (table,) = tables(text, "r.html")
    assert table.header == ("a", "b")
    assert [cell.text for cell in table.rows[0].cells] == ["x", "1"]


def test_several_rows_of_a_header_make_one_name() -> None:
    text = (
        "<table><thead><tr><th rowspan=2>Loss<th colspan=2>Memory<tr><th>Peak<th>Mean</thead>"
        "<tbody><tr><td>x<td>1<td>2</table>"
    )
    assert rows(text, "r.html") == [["Loss", "Memory Peak", "Memory Mean"], ["x", "1", "2"]]


def test_a_cell_knows_its_line_and_where_it_is_written() -> None:
    text = "é<table>\r\n<tr>\r\n<th>a\r\n<th>b\r\n<tr>\r\n<td>x\r\n<td>\r\n  <b>1.5</b> s\r\n</table>"
    (table,) = tables(text, "r.html")
    cell = table.rows[0].cells[1]
    assert cell.text == "1.5 s"
    assert cell.written is not None
    assert text[cell.written.start : cell.written.end].strip() == "<b>1.5</b> s"
    assert (cell.written.line, table.rows[0].line, table.place.line) == (8, 5, 1)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("<tr>" + "<td colspan=900>" * 2, id="wide"),
        pytest.param("<tr>" + "<td rowspan=0>" * 900 + "<tr><td>" * 600, id="many"),
    ],
)
def test_a_table_larger_than_any_page_is_refused(body: str) -> None:
    (each,) = found(f"<table>{body}</table>", "r.html")
    assert isinstance(each.table, InputError)
    assert each.table.code == "no-table-in"


def test_a_table_without_cells_is_refused() -> None:
    (each,) = found("<table></table>", "r.html")
    assert isinstance(each.table, InputError)


@pytest.mark.parametrize("path", ["README.txt", "table.csv", "README", "md"])
def test_a_file_of_another_format_is_refused_with_those_that_are_read(path: str) -> None:
    with pytest.raises(InputError, match="tables are not looked for") as error:
        format_of(path)
    assert "Markdown (`.md`)" in error.value.hint


# Whatever is written -----------------------------------------------------------------------------------

PIECES = [
    *(
        "|",
        "a",
        "1.5",
        "-",
        "---",
        "\n",
        "\n",
        " ",
        "    ",
        "> ",
        "- ",
        "1. ",
        "`",
        "```\n",
        "\\",
        "<!--",
        "-->",
    ),
    *("<table>", "</table>", "<tr>", "<td>", "<td rowspan=2>", "<th colspan=3>", "<sup>", "</sup>", "<pre>"),
    *("</pre>", "&amp;", "[^1]", "[a](b)", "**", "\t", "\r\n", "é", "\x02", "<span hidden>", "</span>"),
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=60).map("".join), st.sampled_from(["r.md", "r.html"]))
def test_no_text_breaks_the_search_and_each_cell_is_where_it_says(text: str, path: str) -> None:
    for each in found(text, path):
        assert 1 <= each.first <= each.last <= len(re.split(r"\r\n|\r|\n", text))
        if not isinstance(each.table, Table):
            continue
        for row in each.table.rows:
            assert len(row.cells) == len(each.table.header)
            for cell in row.cells:
                if cell.written is not None:
                    assert 0 <= cell.written.start <= cell.written.end <= len(text)
                    assert each.first <= cell.written.line <= each.last


@settings(max_examples=80, deadline=None)
@given(
    st.lists(
        st.lists(st.sampled_from(["1", "2.5", "**3**", "a b", "", "—", "`x`", "é"]), min_size=2, max_size=2),
        max_size=4,
    ),
    st.sampled_from(["", "> ", "  "]),
    st.booleans(),
)
def test_every_cell_that_is_written_is_read(body: list[list[str]], lead: str, borders: bool) -> None:
    lines = [["h", "i"], ["-", "-"], *([cell or "—" for cell in row] for row in body)]
    text = "".join(lead + (f"| {' | '.join(row)} |" if borders else " | ".join(row)) + "\n" for row in lines)
    read = rows(text)
    assert read[0] == ["h", "i"]
    assert read[1:] == [[re.sub(r"[*`]", "", cell) for cell in row] for row in lines[2:]]


# reStructuredText --------------------------------------------------------------------------------------

GRID = """\
+---------+-----------+
| a       | b         |
+=========+===========+
| x       | **1.5** s |
+---------+-----------+
| y       |           |
| and z   | 2         |
+---------+-----------+
"""
SIMPLE = """\
=======  =========
a        b
=======  =========
x        **1.5** s
y        2
and
z        3 [1]_ and more than its border
=======  =========
"""


@pytest.mark.parametrize(
    "lead", ["", "Text::\n\n   code\n\n", ".. table:: T\n\n", ".. a comment\n\n", "Title\n=====\n\n"]
)
def test_the_tables_of_restructured_text(lead: str) -> None:
    blanks = 3 if "table::" in lead else 0
    assert rows(lead + indented(GRID, blanks), "r.rst") == [["a", "b"], ["x", "1.5 s"], ["y and z", "2"]]
    assert rows(lead + indented(SIMPLE, blanks), "r.rst") == [
        ["a", "b"],
        ["x", "1.5 s"],
        ["y", "2"],
        ["and", ""],
        ["z", "3 and more than its border"],
    ]


def test_a_cell_of_restructured_text_is_where_it_says() -> None:
    for table_text, raw in ((GRID, " **1.5** s "), (SIMPLE, "**1.5** s")):
        text = "é\r\n\r\n" + table_text.replace("\n", "\r\n")
        (table,) = tables(text, "r.rst")
        cell = table.rows[0].cells[1]
        assert cell.written is not None
        assert text[cell.written.start : cell.written.end] == raw
        assert cell.written.line == table.rows[0].line == 6


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(".. flat-table:: T\n\n   * - a\n     - b\n", "flat-table", id="flat"),
        pytest.param(".. list-table::\n\n   * - a\n     - b\n   * - c\n", "has 1 cell", id="list"),
        pytest.param('.. csv-table::\n\n   a, "b\n', "quote", id="csv"),
        pytest.param(GRID.replace("| y       |     ", "| y             "), "spans", id="column span"),
        pytest.param(GRID.replace("+=========+=", "|         +="), "spans", id="row span"),
        pytest.param(GRID.replace("| x       |", "| x      |"), "spans", id="out of line"),
        pytest.param(GRID.rpartition("+-")[0].rpartition("+-")[0], "", id="cut"),
        pytest.param(SIMPLE.replace("y        2", "y across the columns"), "spans", id="simple span"),
        pytest.param(SIMPLE.replace("x   ", "-------  ---\nx   "), "spans", id="simple underline"),
    ],
)
def test_what_cannot_be_read_whole_is_refused_and_not_passed_over(text: str, says: str) -> None:
    every = found(f"{text}\n\n{GRID}", "r.rst")
    if says:
        assert isinstance(every[0].table, InputError)
        assert says in every[0].table.message
    assert isinstance(every[-1].table, Table)


@pytest.mark.parametrize("lead", ["Shown so::\n\n", ".. code-block:: rst\n\n", ".. a comment\n", "..\n"])
def test_code_and_comments_of_restructured_text_hold_no_table(lead: str) -> None:
    assert found(lead + indented(GRID, 3) + "\nText\n", "r.rst") == []


@pytest.mark.parametrize(
    ("cell", "text", "target"),
    [
        ("``81.93``", "81.93", ""),
        ("*81.93* [#a]_", "81.93", ""),
        ("`81.93 <logs/a.log>`_", "81.93", "logs/a.log"),
        ("`log`_", "log", "logs/b.log"),
        ("log_", "log", "logs/b.log"),
        ("snake_case a_", "snake_case a_", ""),
        (r"1.28 × 10\ :sup:`18`", "1.28 × 10^18", ""),
        (r"81.93\ :sup:`1`", "81.93", ""),
        (r"81.93\ :sub:`1`", "81.93₁", ""),
        (":math:`5` s", "5 s", ""),
        (r"a \* b", "a * b", ""),
    ],
)
def test_a_cell_of_restructured_text_is_read_as_a_reader_sees_it(cell: str, text: str, target: str) -> None:
    page = f"=====  =====\na      b\n=====  =====\nx      {cell}\n=====  =====\n\n.. _log: logs/b.log\n"
    (table,) = tables(page, "r.rst")
    assert (table.rows[0].cells[1].text, table.rows[0].cells[1].target) == (text, target)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "+---+---+\n",
                "| a | b |\n",
                "+===+===+\n",
                "|   | 1 |\n",
                "==  ==\n",
                "a   1\n",
                "    2\n",
                "\n",
                "::\n",
                "  ",
                ".. code::\n",
                "..\n",
                ".. list-table::\n",
                "| a+  |\n",
                "--  --\n",
                "`a <b>`_",
                "\r\n",
            ]
        ),
        max_size=30,
    ).map("".join)
)
def test_no_restructured_text_breaks_the_search(text: str) -> None:
    last = 0
    for each in found(text, "r.rst"):
        assert last < each.first <= each.last <= len(text.splitlines())
        last = each.last
        if isinstance(each.table, Table):
            assert all(len(row.cells) == len(each.table.header) for row in each.table.rows)
