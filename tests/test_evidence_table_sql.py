from __future__ import annotations

import signal
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import InputError
from stilltrue.evidence.tables import Tables
from stilltrue.evidence.tables.expressions import parse_expression
from tables_support import cells, csv, readings, refusal

ROWS = "name,n,t (ms),order\nalpha,1,6.5,9\nbeta,2,1500,8\ngamma,3,0.25,7\n"


@pytest.fixture(scope="module")
def table() -> Tables:
    return csv(ROWS)


@pytest.mark.parametrize(
    "expression",
    [
        "load_extension('x.so')",
        "readfile('/etc/passwd')",
        "writefile('x', 'y')",
        "edit('x')",
        "random()",
        "randomblob(1000000000)",
        "zeroblob(1000000000)",
        "printf('%1000000000d', 1)",
        "format('%1000000000d', 1)",
        "hex(name)",
        "quote(name)",
        "char(0)",
        "date('now')",
        "current_timestamp",
        "json_array(1)",
        "fts3_tokenizer('x')",
        "sqlite_version()",
        "last_insert_rowid()",
        "(select sql from sqlite_master)",
        "(select name from sqlite_schema)",
        "(select name from pragma_table_info('evidence'))",
        "(select file from pragma_database_list)",
        "(select value from json_each('[1]'))",
        "(select 1 from dbstat)",
        "(with w as (select 1) select * from w)",
        "(with recursive x(a) as (select 1 union all select a + 1 from x) select max(a) from x)",
    ],
)
def test_nothing_but_the_table_can_be_reached(table: Tables, expression: str) -> None:
    for column, where in ((expression, ""), ("n", expression)):
        error = refusal(table, column, where)
        assert error.code == "bad-sql"
        assert error.message
        assert error.hint


@pytest.mark.parametrize(
    "expression",
    [
        "1; drop table evidence",
        "1) from evidence; drop table evidence; --",
        "1) union select 1, 2 -- ",
        "n /* hidden",
        "n -- hidden",
        "n) or (1",
        "((n)",
        "'open",
        '"open',
        "`open",
        "[open",
        "n = ?",
        "n = :x",
        "n = @x",
        "n = $x",
        "n\0",
        "n\u00a0= 1",
        "n = \ud800",
        "5ms",
        "0x10",
        "n = 1 order by 1",
        "n limit 1",
        "n union select 1",
        "n from evidence",
        "n as m",
        "select n from evidence",
        "attach 'x' as y",
        "pragma query_only",
        "insert into evidence values (1)",
        "delete from evidence",
        "vacuum into 'x'",
        "n, n",
        "",
        "   ",
        "n" * 10_001,
        "(" * 500 + "n" + ")" * 500,
        "n" + " + n" * 2000,
        "name like '" + "%a" * 400 + "'",
    ],
)
def test_what_is_no_single_expression_is_refused(table: Tables, expression: str) -> None:
    error = refusal(table, expression)
    assert error.code in {"bad-sql", "no-column"}
    assert readings(table, "n") == ["1", "2", "3"]


def test_a_fault_is_laid_to_the_key_that_holds_it(table: Tables) -> None:
    assert refusal(table, "n + 1", "n = = 1").message.startswith("SQLite refuses `where`: ")
    assert refusal(table, "n + + / 1", "n = 1").message.startswith("SQLite refuses `column`: ")


@pytest.mark.parametrize(
    "column",
    ["sum(n)", "max(n)", "count(*)", "n + avg(n)", "count(*) over ()", "row_number() over (order by n)"],
)
def test_a_column_cannot_fold_rows(table: Tables, column: str) -> None:
    error = refusal(table, column)
    assert (error.code, error.message.startswith("`column` folds several rows into one")) == ("bad-sql", True)
    assert "take" in error.hint


def test_a_subquery_may_fold_rows_and_functions_of_one_row_are_there(table: Tables) -> None:
    assert readings(table, "(select max(n) from evidence)", "n = 1") == ["3"]
    assert readings(table, "max(n, 2)", "line < 4") == ["2", "2"]
    assert readings(table, "n", "n = (select min(n) from evidence where n > 1)") == ["2"]
    assert readings(table, "round(abs(-n) * 1.26, 1)", "upper(name) = 'BETA'") == ["5/2"]
    assert readings(table, "(select count(*) from evidence b where b.n < evidence.n)") == ["0", "1", "2"]
    assert readings(table, "(select max(d.n) from (select 7 as n union select 5) d)", "n = 1") == ["7"]


@pytest.mark.parametrize(
    ("column", "where"),
    [
        ("n / (select n from evidence)", ""),
        ("n", "n = (select n from evidence where n > 1)"),
        ("n", "n = 1 + ((select b.n from evidence b where b.n >= evidence.n))"),
        ("n + 1", "n = (select n from evidence where name like '%a')"),
    ],
)
def test_a_subquery_that_finds_several_rows_is_refused(table: Tables, column: str, where: str) -> None:
    error = refusal(table, column, where)
    assert (error.code, "several rows" in error.message) == ("bad-sql", True)


def test_a_subquery_may_find_several_rows_where_none_is_picked(table: Tables) -> None:
    assert readings(table, "n", "n in (select n from evidence where n > 1)") == ["2", "3"]
    assert readings(table, "n", "exists (select n from evidence b where b.n > evidence.n)") == ["1", "2"]
    assert readings(table, "(select n from evidence order by n desc limit 1)", "n = 1") == ["3"]
    assert readings(table, "n / (select b.n from evidence b where b.n = evidence.n)", "n > 1") == ["1", "1"]


@pytest.mark.parametrize(
    "where",
    [
        "(select count(*) from evidence a, evidence b, evidence c, evidence d, evidence e) > 0",
        "n in (select a.n || b.n || c.n || d.name from evidence a, evidence b, evidence c, evidence d)",
    ],
)
def test_a_query_that_never_ends_is_stopped(where: str) -> None:
    many = csv("n,name\n" + "".join(f"{n},bench-{n}\n" for n in range(400)))
    begin = time.process_time()
    error = refusal(many, "n", where, seconds=0.3)
    assert (error.code, "0.3 s" in error.message) == ("too-slow", True)
    assert time.process_time() - begin < 5
    assert readings(many, "n", "n = 3") == ["3"]


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="interrupts come from a timer")
def test_an_interrupt_stops_a_query_and_breaks_no_claim() -> None:
    rows = csv("a\n" + "1\n" * 500)
    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            readings(rows, "a", "(select count(*) from evidence x, evidence y, evidence z, evidence w) > 1")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_a_pattern_that_would_backtrack_is_answered_at_once() -> None:
    long = csv(f"name,n\n{'a' * 50_000},1\n")
    begin = time.process_time()
    assert refusal(long, "n", f"name like '{'%a' * 200}%b'").code == "no-reading"
    assert time.process_time() - begin < 5


def test_a_text_that_doubles_itself_is_refused(table: Tables) -> None:
    grown = "name"
    for _ in range(12):
        grown = f"replace({grown}, 'a', 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')"
    error = refusal(table, grown)
    assert (error.code, "too big" in error.message) == ("bad-sql", True)


def test_text_in_double_quotes_is_no_text(table: Tables) -> None:
    error = refusal(table, "n", 'name = "alpha"')
    assert (error.code, error.hint.startswith("text goes in single quotes")) == ("no-column", True)
    assert refusal(table, "n", '"nmae" > 5').code == "no-column"


def test_a_word_that_is_compared_may_be_a_text_without_its_quotes(table: Tables) -> None:
    assert "single quotes, `'alpha'`" in refusal(table, "n", "name = alpha").hint
    assert "quotes" not in refusal(table, "n", "nmae = 5").hint
    assert "quotes" not in refusal(table, "alpha", "").hint


def test_a_column_named_like_a_word_of_sql_can_be_read(table: Tables) -> None:
    assert readings(table, "order", "n = 1") == ["9"]
    assert readings(table, "n", '"order" = 8') == ["2"]
    assert '"index"' in refusal(table, "n", "order = 8").hint


def test_quotes_and_slashes_inside_text_stay_as_they_are() -> None:
    odd = csv("name,n\na/b,1\nit's -- ; (,2\n")
    assert readings(odd, "n", "name = 'a/b'") == ["1"]
    assert readings(odd, "n", "name = 'it''s -- ; ('") == ["2"]


def test_expressions_know_what_they_name() -> None:
    found = parse_expression("""Median / (select "mean" from evidence where name = 'x''y')""", "column")
    assert found.words == {"median", "select", "from", "evidence", "where", "name"}
    assert found.names == {"mean"}
    assert found.texts == ("x'y",)
    assert found.lone == ""
    assert parse_expression(" [Median] ", "column").lone == "median"


@given(st.text(alphabet="n=1'\"()[]`;-/*,+ ax.%\n?e0", max_size=14))
@settings(max_examples=400, deadline=None)
def test_no_text_at_all_makes_anything_but_readings_or_a_clear_error(text: str) -> None:
    table = csv(ROWS)
    for column, where in ((text, ""), ("n", text)):
        try:
            found, _ = cells(table, column, where)
        except InputError as error:
            assert error.code in {
                "bad-sql",
                "no-column",
                "no-reading",
                "empty-cell",
                "unit-mismatch",
                "bad-value",
            }
            assert error.message
        else:
            assert len(found) <= 3
    assert readings(table, "n") == ["1", "2", "3"]


@given(
    st.lists(st.tuples(st.integers(-20, 20), st.integers(1, 20)), min_size=1, max_size=6),
    st.sampled_from(["a / b", "a * 2 / b", "a + a / b", "(a - b) / b / 2", "-a / -b", "a / b * b"]),
)
@settings(max_examples=60, deadline=None)
def test_division_is_what_python_makes_of_it(rows: list[tuple[int, int]], expression: str) -> None:
    table = csv("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    found = [float(eval(expression, {"a": a, "b": b})) for a, b in rows]  # noqa: S307  # one of the six above
    assert [float(eval(text)) for text in readings(table, expression)] == pytest.approx(found)  # noqa: S307  # a fraction
