"""Tables of the directives `list-table` and `csv-table`, as docutils shows them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edit_support import checked, project, told, updated
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.model import Table, Verdict
from stilltrue.pages.any_tables import SHOWN
from stilltrue.pages.found import Found
from stilltrue.pages.rst_inline import references_of
from stilltrue.pages.rst_tables import rst_tables


def found(text: str) -> list[Found]:
    return list(rst_tables("r.rst", text, Deadline(60)))


def table_of(text: str) -> Table:
    """The one table of a text."""
    (each,) = found(text)
    assert isinstance(each.table, Table), each.table
    return each.table


def rows(text: str) -> list[list[str]]:
    """The rows of the one table, its header first."""
    table = table_of(text)
    return [list(table.header), *([cell.text for cell in row.cells] for row in table.rows)]


def fault(text: str) -> tuple[str, int]:
    """Why the one table of a text cannot be read, and the line that says so."""
    (each,) = found(text)
    assert isinstance(each.table, InputError), each.table
    assert each.table.code == "no-table-in"
    return each.table.message, each.table.line


def directive(name: str, content: str, *options: str, title: str = "") -> str:
    """A directive; its content begins on the line behind its options and a blank one."""
    body = "\n".join([*options, "", textwrap.dedent(content).strip("\n")])
    return f".. {name}:: {title}".rstrip() + "\n" + textwrap.indent(body, "   ") + "\n"


# List tables -------------------------------------------------------------------------------------------

LIST = """\
* - Kernel
  - Time [1]_
  - Note
* - **plain**
  - 1.84 ms
  -
* - `fused <logs/f.txt>`__

  - ``0.99``
    ms

  - | one
    | two

    .. not shown
       nor this

    three
"""


@pytest.mark.parametrize("lead", ["", "Text\n\n", "* item\n\n  ", "\t"])
@pytest.mark.parametrize("title", ["", "Times of *kernels*"])
def test_a_list_table_is_read_as_its_reader_sees_it(lead: str, title: str) -> None:
    written = directive("list-table", LIST, ":header-rows: 1", ":widths: 2 1 1", ":align: left", title=title)
    indent = " " * len(lead.rpartition("\n")[2])
    assert rows(lead + textwrap.indent(written, indent).lstrip()) == [
        ["Kernel", "Time", "Note"],
        ["plain", "1.84 ms", ""],
        ["fused", "0.99 ms", "one two three"],
    ]


def test_two_header_rows_make_one_name_and_none_takes_the_first_row() -> None:
    content = "* - Kernel\n  - Time\n* - Kernel\n  - Mean\n* - a\n  - 1\n"
    assert rows(directive("list-table", content, ":header-rows: 2"))[0] == ["Kernel", "Time Mean"]
    assert rows(directive("list-table", content))[0] == ["Kernel", "Time"]


def test_a_bullet_alone_begins_a_row_or_a_cell() -> None:
    assert rows(directive("list-table", "*\n  - a\n  -\n    b\n\n*\n\n  - c\n  - - 5 s\n")) == [
        ["a", "b"],
        ["c", "5 s"],
    ]


def test_a_cell_of_a_list_table_is_where_it_says() -> None:
    text = "é\r\n" + directive("list-table", LIST, ":header-rows: 1").replace("\n   ", "\r\n\t")
    table = table_of(text)
    cells = [cell.written for row in table.rows for cell in row.cells]
    texts = [text[each.start : each.end] for each in cells if each]
    assert texts[:4] == ["**plain**", "1.84 ms", "", "`fused <logs/f.txt>`__"]
    assert texts[4].split() == ["``0.99``", "ms"]
    assert [each.line for each in cells if each] == [8, 9, 10, 11, 13, 16]
    assert [row.line for row in table.rows] == [8, 11]
    assert (table.place.line, table.rows[1].cells[0].target) == (2, "logs/f.txt")


@pytest.mark.parametrize(
    ("content", "says", "line"),
    [
        pytest.param("", "is empty", 1, id="nothing"),
        pytest.param("* - a\n  - b\n* - c\n", "has 1 cell, its first row 2", 5, id="uneven"),
        pytest.param("* - a\n\n.. comment\n\n* - b\n", "`.. comment` stands where a row", 5, id="comment"),
        pytest.param("* - a\n  b\n", "`b` stands where a cell", 4, id="text"),
        pytest.param("* a\n", "`a` stands where a cell", 3, id="one level"),
        pytest.param("* - a\n- - b\n", "stands where a row", 4, id="another bullet"),
        pytest.param("*\n* - b\n", "has 0 cells", 3, id="no cells"),
        pytest.param("text\n", "`text` stands where a row", 3, id="no list"),
    ],
)
def test_a_list_that_is_no_table_is_refused(content: str, says: str, line: int) -> None:
    message, at = fault(directive("list-table", content))
    assert says in message
    assert at == line


# CSV tables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "content", "read"),
    [
        pytest.param(
            [":header-rows: 1"], 'a, b\n"x, y",  1.5 s\n', [["a", "b"], ["x, y", "1.5 s"]], id="plain"
        ),
        pytest.param([":header: a, b"], "x, 1\ny, 2", [["a", "b"], ["x", "1"], ["y", "2"]], id="header"),
        pytest.param(
            [":header: a,", '   "b', '   c"'], "x, 1", [["a b c", ""], ["x", "1"]], id="long header"
        ),
        pytest.param(
            [":header: a, b", ":header-rows: 1"], "c, d\nx, 1", [["a c", "b d"], ["x", "1"]], id="both"
        ),
        pytest.param([":delim: ;"], 'a;b\n"x;y";1,5', [["a", "b"], ["x;y", "1,5"]], id="delim"),
        pytest.param([":delim: U+7C"], "a|b", [["a", "b"]], id="code"),
        pytest.param([":delim: space"], "a  b\n'c d' e", [["a", "b", ""], ["'c", "d'", "e"]], id="space"),
        pytest.param([":quote: '"], "a, 'b, \"c\" ''d'''", [["a", "b, \"c\" 'd'"]], id="quote"),
        pytest.param([":escape: \\"], 'a, b\\, c, "d\\", e"f', [["a", "b, c", 'd", ef']], id="escape"),
        pytest.param([":keepspace:"], 'a, "b"\n "c", d', [["a", '"b"'], ['"c"', "d"]], id="keepspace"),
        pytest.param(
            [],
            'a, b\n\nx\n"1\n2","say ""3"""',
            [["a", "b"], ["", ""], ["x", ""], ["1 2", 'say "3"']],
            id="short",
        ),
        pytest.param([], "**a**, `b <c>`__, d [#n]_", [["a", "b", "d"]], id="marks"),
    ],
)
def test_a_csv_table_is_read_as_its_reader_sees_it(
    options: list[str], content: str, read: list[list[str]]
) -> None:
    assert rows(directive("csv-table", content, *options)) == read


def test_a_cell_of_a_csv_table_is_where_it_says() -> None:
    text = "é\r\n" + directive("csv-table", 'a, b\n"x ""y""",  **1.5** s\n\t"2",3').replace("\n", "\r\n")
    table = table_of(text)
    cells = [cell.written for row in table.rows for cell in row.cells]
    assert [text[each.start : each.end] for each in cells if each] == ['x ""y""', "**1.5** s", "2", "3"]
    assert [each.line for each in cells if each] == [5, 5, 6, 6]


@pytest.mark.parametrize(
    ("options", "content", "says", "line"),
    [
        pytest.param([":file: a.csv"], "", "stands elsewhere, as `:file:` says", 2, id="file"),
        pytest.param([":align: left", ":url: https://example.org"], "", "as `:url:` says", 3, id="url"),
        pytest.param([], "", "is empty", 1, id="nothing"),
        pytest.param([":delim: tab"], "a b", "a tab on a page is blanks", 2, id="tab"),
        pytest.param([":delim: ab"], "a b", "`:delim: ab` gives no single sign", 2, id="two signs"),
        pytest.param([":delim: 99999999999"], "a b", "gives no single sign", 2, id="no code"),
        pytest.param([":escape: \\", ":quote: \\"], "a b", "are not all different", 3, id="one sign twice"),
        pytest.param([], 'a, b\nc, "d\ne, f', "a quote is not closed here", 4, id="open"),
        pytest.param([], '"a" b', "text stands right behind one", 3, id="behind"),
        pytest.param([":stub-columns: 1"], "a, b\nc", "leaves a row no cell", 2, id="no cell"),
        pytest.param([], "," * 800 + "\n1" * 800, "is larger than 500,000 cells", 1, id="too large"),
    ],
)
def test_csv_that_is_no_table_is_refused(options: list[str], content: str, says: str, line: int) -> None:
    message, at = fault(directive("csv-table", content, *options))
    assert says in message
    assert at == line


# Options -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["list-table", "csv-table"])
@pytest.mark.parametrize(
    ("options", "says", "line"),
    [
        pytest.param([":name: t", ":heder-rows: 1"], "`:heder-rows:` is no option", 3, id="unknown"),
        pytest.param([":name: t", ":name: u"], "`:name:` stands twice", 3, id="twice"),
        pytest.param([":header-rows: one"], "`:header-rows: one` is no value", 2, id="no number"),
        pytest.param([f":header-rows: {'9' * 5000}"], "is no value", 2, id="a long number"),
        pytest.param([":stub-columns: -1"], "`:stub-columns: -1` is no value", 2, id="below 0"),
        pytest.param([":widths: 0 1"], "`:widths: 0 1` is no value", 2, id="no width"),
        pytest.param([":widths: 1, 2, 3"], "`:widths:` has 3 widths for 2 columns", 2, id="too many widths"),
        pytest.param([":align: top"], "`:align: top` is no value", 2, id="align"),
        pytest.param([":class:"], "`:class:` is no value", 2, id="nothing"),
        pytest.param([":header-rows: 2"], "leaves no row of 2", 2, id="no body"),
        pytest.param([":stub-columns: 2"], "leaves a row no cell", 2, id="no cells"),
        pytest.param([":name: t", "text"], "`text` stands among the options", 3, id="no option"),
    ],
)
def test_an_option_that_docutils_refuses_is_refused_where_it_stands(
    name: str, options: list[str], says: str, line: int
) -> None:
    content = "* - a\n  - b\n* - c\n  - d\n" if name == "list-table" else "a, b\nc, d\n"
    message, at = fault(directive(name, content, *options))
    assert says in message
    assert at == line


@pytest.mark.parametrize("name", ["code-block", "Code-Block"])
def test_a_table_in_code_is_none_however_its_directive_is_spelt(name: str) -> None:
    table = directive("List-Table", "* - a\n* - b\n")
    assert rows(table) == [["a"], ["b"]]
    assert found(directive(name, table, title="rst")) == []


# Claims ------------------------------------------------------------------------------------------------

PAGE = (
    directive(
        "list-table",
        "* - Run\n  - Time\n* - a\n  - **1.5** [1]_\n* - b\n  - 2.5\n",
        ":header-rows: 1",
        title="List: list",
    )
    + "\n"
    + directive(
        "csv-table", 'a, "1.5",  x\nb,2.5 , "y, ""z"""', ':header: Run, "Time", Note', title="CSV: csv"
    )
)
CLAIMS = """\
- id: NAME
  says: "{Run} takes {value}."
  table_in: {file: r.rst, after: ': NAME'}
  key: Run
  evidence: e.json
  columns: {Time: {read: {path: "$.{Run}"}}}
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_update_changes_the_cells_alone(ending: str, tmp_path: Path) -> None:
    page = PAGE.replace("\n", ending)
    claims = CLAIMS.replace("NAME", "list") + CLAIMS.replace("NAME", "csv")
    files = {"r.rst": page, "claims/r.yml": claims, "e.json": '{"a": 1.5, "b": 2.5}'}
    root = project(tmp_path, files)
    report = checked(root)
    assert report.problems == ()
    assert {str(each.claim.place): each.verdict for each in report.judgements} == {
        f"r.rst:{line}": Verdict.HOLDS for line in (7, 9, 14, 15)
    }
    (root / "e.json").write_text('{"a": 11.25, "b": 123456.75}', encoding="utf-8")
    outcome = updated(root)
    assert (outcome.left, len(told(outcome))) == ((), 4)
    expected = page.replace("**1.5**", "**11.2**").replace('"1.5"', '"11.2"')
    expected = expected.replace("- 2.5", "- 123,456.8").replace("b,2.5 ,", 'b,"123,456.8 ",')
    assert (root / "r.rst").read_bytes().decode() == expected
    assert {each.verdict for each in checked(root).judgements} == {Verdict.HOLDS}


# Whatever is written -----------------------------------------------------------------------------------

PIECES = [
    *(
        ".. list-table::\n",
        ".. csv-table:: t\n",
        "   :header-rows: 1\n",
        "   :delim: ;\n",
        "   :keepspace:\n",
    ),
    *("   :header: a, b\n", "   * - a\n", "     - 1\n", "     -\n", "       more\n", "   *\n", "\t* - b\n"),
    *('   a, "b"\n', '   "c, d\n', '   e", f\n', '   "g ""h""",\n', "\n", "\n", " ", "\t", "\r\n", "é", "\\"),
    *("   :escape: \\\n", ".. c\n", "       .. c\n", "   x;1\n", "   | a\n", "     - **2**\n", " \t \n"),
]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_directive_breaks_the_search_and_each_cell_is_where_it_says(text: str) -> None:
    references = references_of(text)
    last = 0
    for each in found(text):
        assert last < each.first <= each.last <= len(text.splitlines())
        last = each.last
        if not isinstance(each.table, Table):
            continue
        for cell in (cell for row in each.table.rows for cell in row.cells):
            if cell.written is not None and "\\" not in text:
                raw = text[cell.written.start : cell.written.end]
                assert each.first <= cell.written.line <= each.last
                assert SHOWN[each.table.syntax](raw, references) == cell.text
