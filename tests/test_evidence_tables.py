from __future__ import annotations

import gc
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables import parse_tables, sniff
from stilltrue.evidence.tables.cells import CellReader
from stilltrue.evidence.tables.delimited import STORED
from stilltrue.evidence.tables.frames import Column
from stilltrue.evidence.tables.headings import column_name, column_names
from stilltrue.quantity import Flag, NonFinite, Quantity, Text, parse_value
from tables_support import CASES, UNITS, cells, csv, readings, refusal, shown, total

BENCH = """name,n,median,mean (ms),share (%),note
alpha,1,6.08ms,6.11,12.5,ok
beta,2,1.5s,1500.25,37.5,
gamma,16,250us,0.25,50,OOM
"""


def test_a_plain_column_gives_the_exact_cell_with_its_own_unit() -> None:
    assert readings(csv(BENCH), "median", "name = 'alpha'") == ["152/25 ms"]


def test_a_heading_gives_its_unit_to_bare_cells() -> None:
    assert readings(csv(BENCH), "mean_ms", "name = 'beta'") == ["6001/4 ms"]
    assert readings(csv(BENCH), "share_percent", "name = 'beta'") == ["75/2 %"]


def test_without_where_every_row_is_read_with_its_line() -> None:
    found, notes = cells(csv(BENCH), "n")
    assert [(shown(cell), cell.line) for cell in found] == [("1", 2), ("2", 3), ("16", 4)]
    assert notes == ()


def test_a_decimal_of_thirty_digits_is_not_rounded() -> None:
    digits = "0.123456789012345678901234567890"
    assert readings(csv(f"a\n{digits}\n"), "a") == [str(Fraction(digits))]


@pytest.mark.parametrize("name", ["median", "MEDIAN", '"median"', "`median`", "[median]", " median "])
def test_a_column_may_be_quoted_and_in_any_case(name: str) -> None:
    assert readings(csv(BENCH), name, "n = 2") == ["3/2 s"]


def test_predicates_see_base_units() -> None:
    table = csv(BENCH)
    assert readings(table, "n", "median > 1") == ["2"]
    assert readings(table, "n", "median = 0.00025") == ["16"]
    assert readings(table, "n", "share_percent = 0.375") == ["2"]
    assert readings(table, "n", "mean_ms between 0.0002 and 0.0003") == ["16"]


def test_predicates_see_empty_cells_as_null_and_words_as_text() -> None:
    table = csv(BENCH)
    assert readings(table, "n", "note is null") == ["2"]
    assert readings(table, "n", "note = 'OOM'") == ["16"]


def test_nan_is_null_to_predicates_and_a_reading_that_agrees_with_nothing() -> None:
    table = csv("step,loss\n1,NaN\n2,inf\n3,0.5\n")
    assert readings(table, "step", "loss is null") == ["1"]
    assert readings(table, "step", "loss > 1e300") == ["2"]
    found, _ = cells(table, "loss")
    assert [cell.value for cell in found] == [
        NonFinite("NaN"),
        NonFinite("Infinity"),
        Quantity(Fraction(1, 2)),
    ]


def test_an_expression_is_bare_in_base_units_at_its_shortest_decimal() -> None:
    table = csv(BENCH)
    assert readings(table, "median * 2", "n = 16") == ["1/2000"]
    assert readings(csv("a,b\n0.1,0.2\n"), "a + b") == [str(Fraction("0.30000000000000004"))]
    assert readings(table, "median", "n = 16", unit="us") == ["250 us"]
    assert readings(table, "median + 0", "n = 16", unit="s") == ["1/4000 s"]


def test_whole_numbers_divide_without_losing_the_rest() -> None:
    table = csv("a,b\n7,2\n9223372036854775807,9223372036854775806\n")
    assert readings(table, "a / b", "line = 2") == ["7/2"]
    assert readings(table, "a - b", "line = 3") == ["1"]
    assert readings(table, "1 / 4 * b / a", "line = 2") == [str(Fraction(repr(1 / 4 * 2 / 7)))]


def test_a_subquery_pairs_a_row_with_its_baseline() -> None:
    column = "median / (select median from evidence where name = 'gamma')"
    assert readings(csv(BENCH), column, "name = 'beta'") == ["6000"]


def test_a_text_that_an_expression_makes_is_read_like_a_cell() -> None:
    assert readings(csv("a\nt=12.5 ms\n"), "substr(a, 3)") == ["25/2 ms"]


def test_true_and_false_are_text_to_predicates_and_yes_and_no_as_readings() -> None:
    table = csv("compiled,t\nTrue,1\nFalse,2\n")
    assert readings(table, "t", "compiled = 'True'") == ["1"]
    found, _ = cells(table, "compiled", "t = 2")
    assert found[0].value == Flag(False)


def test_several_rows_come_back_in_the_order_of_the_file() -> None:
    rows = [(n * 37 % 101, n) for n in range(300)]
    table = csv("a,b\n" + "".join(f"{a},{b}\n" for a, b in rows))
    assert readings(table, "b", "a >= 0") == [str(b) for _, b in rows]


def test_the_unit_of_the_read_may_not_contradict_the_cell_or_the_heading() -> None:
    assert refusal(csv(BENCH), "median", "n = 1", unit="s").code == "unit-mismatch"
    assert refusal(csv(BENCH), "mean_ms", "n = 1", unit="MiB").code == "unit-mismatch"
    error = refusal(csv("t (ns)\n5 ms\n"), "t_ns")
    assert (error.code, error.line) == ("unit-mismatch", 2)


def test_a_decimal_comma_comes_with_semicolons() -> None:
    table = csv("name;t (ms)\nx;1.234,5\ny;0,25\n", decimal=",")
    assert readings(table, "t_ms") == ["2469/2 ms", "1/4 ms"]
    assert readings(table, "name", "t_ms < 0.001") == ["Text(text='y')"]


def test_semicolons_part_cells_where_the_first_line_has_no_comma() -> None:
    assert readings(csv("a;b\n1;2\n"), "b") == ["2"]


def test_thousands_separators_are_understood_in_quotes() -> None:
    table = csv('name,total (ns)\ncudaMalloc,"1,064,588,721"\n')
    assert readings(table, "total_ns") == ["1064588721 ns"]
    assert readings(table, "total_ns", "total_ns > 1.06 and total_ns < 1.07") == ["1064588721 ns"]


def test_header_no_names_columns_by_position() -> None:
    table = parse_tables("1748257990918\t0.5627\t0\n", "tsv", ".", False, UNITS)
    found, _ = cells(table, "c2", "c3 = 0")
    assert [(shown(cell), cell.line) for cell in found] == [("5627/10000", 1)]


def test_lines_stay_right_behind_quoted_line_ends_and_blank_lines() -> None:
    table = csv('\ufeffa,b\n"x\ny",1\n\nz,2\n')
    found, _ = cells(table, "b")
    assert [cell.line for cell in found] == [2, 5]
    assert readings(table, "line", "a = 'z'") == ["5"]


@pytest.mark.parametrize(
    ("heading", "name"),
    [
        ("Total Time (ns)", "total_time_ns"),
        ("memory(MiB)", "memory_mib"),
        ("Self CPU %", "self_cpu_percent"),
        ("% time", "percent_time"),
        ("batch_ms(avg)/batch_size", "batch_ms_avg_batch_size"),
        ("train/loss__MIN", "train_loss_min"),
        ("# of Calls", "of_calls"),
        ("Größe", "größe"),
    ],
)
def test_headings_become_names(heading: str, name: str) -> None:
    assert column_name(heading) == name


def test_equal_headings_are_numbered_so_that_none_is_read_by_accident() -> None:
    table = csv("t,t,,x\n1,2,3,4\n")
    error = refusal(table, "t")
    assert error.code == "no-column"
    assert "`t_1`, `t_2`" in error.hint
    assert readings(table, "t_2") == ["2"]
    assert readings(table, "c3") == ["3"]


def test_a_column_headed_line_is_told_from_the_line_of_the_file() -> None:
    table = csv("file,line\na.py,40\n")
    assert "`line_2`" in refusal(table, "line").hint
    assert "`line_2`" in refusal(table, "line_2", "line = 40").hint
    assert readings(table, "line_2", "file = 'a.py'") == ["40"]


@given(st.lists(st.text(alphabet="aA1_ %(ms)é", max_size=6), min_size=1, max_size=8))
@settings(max_examples=100, deadline=None)
def test_names_are_always_different(headings: list[str]) -> None:
    names = column_names(headings)
    assert len({*names, "line"}) == len(headings) + 1
    assert all(names)


def test_only_known_units_with_a_dimension_are_taken_from_headings() -> None:
    table = csv("img_s(avg),params (M),Time [s],rate (tok/s)\n1,2,3,4\n")
    names = ("img_s_avg", "params_m", "time_s", "rate_tok_s")
    assert [readings(table, name)[0] for name in names] == ["1", "2", "3 s", "4 tok/s"]


def test_an_unknown_column_names_the_near_one_and_all() -> None:
    error = refusal(csv(BENCH), "medain")
    assert (error.code, error.message) == ("no-column", "the table in line 1 has no column `medain`")
    assert error.hint.startswith("did you mean `median`?")
    assert "`share_percent`" in error.hint
    assert refusal(csv(BENCH), "median", "nmae = 'alpha'").hint.startswith("did you mean `name`?")


def test_a_where_that_matches_nothing_is_an_error_that_names_what_is_near() -> None:
    error = refusal(csv(BENCH), "median", "name = 'alpa'")
    assert (error.code, error.hint) == ("no-reading", "did you mean `alpha`?")
    assert "without quotes" in refusal(csv(BENCH), "median", "n = '16'").hint


def test_count_alone_may_find_no_row() -> None:
    assert cells(csv(BENCH), "name", "note = 'no such'", take="count") == ([], ())


def test_a_header_without_rows_counts_no_rows_and_holds_nothing_else() -> None:
    assert refusal(csv("epoch,loss\n"), "loss").code == "no-rows"
    assert cells(csv("epoch,loss\n"), "loss", take="count") == ([], ())


def test_an_empty_cell_is_never_nothing() -> None:
    error = refusal(csv(BENCH), "note")
    assert (error.code, error.line) == ("empty-cell", 3)
    assert "note is not null" in error.hint
    assert readings(csv(BENCH), "note", "note is not null") == ["Text(text='ok')", "Text(text='OOM')"]


@pytest.mark.parametrize("expression", ["n / 0", "note || 'x'", "sqrt(-n)", "x'00'"])
def test_an_expression_without_a_value_is_an_error(expression: str) -> None:
    error = refusal(csv(BENCH), expression, "n = 2")
    assert (error.code, error.line) == ("empty-cell", 3)


@pytest.mark.parametrize(
    ("text", "line", "part"),
    [
        ("a,b\n1,2\n3\n", 3, "1 cells"),
        ("a,b\n1,2,3\n", 2, "3 cells"),
        ('a,b\n1,2\n"x,3\n4,5\n', 3, "does not close"),
        ('a,b\n"x"y,3\n', 2, "no row"),
    ],
)
def test_a_malformed_table_is_an_error_with_its_line(text: str, line: int, part: str) -> None:
    with pytest.raises(InputError) as caught:
        csv(text)
    assert (caught.value.code, caught.value.line) == ("bad-table", line)
    assert part in caught.value.message


@pytest.mark.parametrize("text", ["", "\n\n", "\ufeff"])
def test_a_text_without_rows_is_no_table(text: str) -> None:
    with pytest.raises(InputError, match="holds no table"):
        csv(text)


def test_a_first_row_of_a_million_cells_is_refused() -> None:
    with pytest.raises(InputError, match="1,000,000 cells"):
        csv(",".join(["h"] * 1_000_000))


def test_a_cell_longer_than_the_csv_module_allows_is_read() -> None:
    long = "y" * 300_000
    found, _ = cells(csv(f"name,t\n{long},5\n"), "name", "t = 5 and length(name) = 300000")
    assert found[0].value == Text(long)


def test_a_large_file_reads_as_a_small_one_does() -> None:
    rows = "".join(f"{n},{'x' * 400},{n / 8}\n" for n in range(11_000))
    text = f"n,name,half\n{rows}"
    assert len(text) > STORED
    found, _ = cells(csv(text), "half", "n in (0, 5432, 10999)")
    assert [(shown(cell), cell.line) for cell in found] == [
        ("0", 2),
        ("679", 5_434),
        ("10999/8", 11_001),
    ]
    found, _ = cells(csv(text.partition("\n")[2], header=False), "c3", "c1 = 5")
    assert [(shown(cell), cell.line) for cell in found] == [("5/8", 6)]


def test_databases_are_closed_when_their_tables_are_dropped() -> None:
    for _ in range(20):
        table = csv(BENCH)
        for column in ("name", "n", "median", "mean_ms", "share_percent", "note"):
            for other in ("n", "median"):
                readings(table, "n", f"{column} is not null and {other} is not null")
    gc.collect()  # an unclosed one would warn, and warnings are errors here


@pytest.mark.parametrize(
    ("text", "path", "format"),
    [
        ("anything", "runs/a.csv", "csv"),
        ("anything", "runs/A.TSV", "tsv"),
        ("anything", "runs/a.csv.gz", "csv"),
        ("a,b\n1,2\n", "runs/a.txt", "csv"),
        ("a\tb\n1\t2\n", "runs/a.txt", "tsv"),
        ("loss is 5\nand done, really\n", "runs/a.log", None),
        ("", "a.txt", None),
        ('"never closed\n', "a.txt", None),
    ],
)
def test_the_format_is_told_by_suffix_then_by_content(text: str, path: str, format: str | None) -> None:  # noqa: A002  # the key's name
    assert sniff(text, path) == format


def test_an_unknown_format_names_the_known_ones() -> None:
    with pytest.raises(InputError, match="no format of tables") as caught:
        parse_tables("a", "parquet", ".", True, UNITS)
    assert "csv" in caught.value.hint


_SCRAPS = st.sampled_from(
    [
        *("1", "12.50", "-3", "+4", "1e-3", "1E400", "007", " 5 ", "5 ms", "1.5GiB", "12 %", "1,024", "NaN"),
        *(
            "-inf",
            "",
            "  ",
            "bench-12",
            "USD 5",
            "EUR5",
            "v2",
            "True",
            "about 5",
            "abcd 5",
            "1/2",
            "9" * 20,
            "٣",
        ),
    ]
)


@given(st.one_of(_SCRAPS, st.text(alphabet="0123456789.eE+-,abcUSD msKi%/", max_size=9)))
@settings(max_examples=400, deadline=None)
@example("0E401")
@example("1E401")
@example("0E5")
def test_what_predicates_see_is_the_reading_in_base_units(text: str) -> None:
    seen = CellReader(UNITS, ".").sql(Column("a"), [text])[0]
    try:
        value = parse_value(text, UNITS)
    except InputError:
        value = Text(text)
    if not text.strip() or value == NonFinite("NaN"):
        assert seen is None
    elif isinstance(value, Quantity):
        whole = value.base.denominator == 1 and abs(value.base) < 1 << 62
        exact = isinstance(seen, int) and seen == value.base
        assert exact or seen == (float(value.base) if abs(value.base) < 10**308 else float(text))
        assert exact or not whole or isinstance(seen, float)
    elif isinstance(value, NonFinite):
        assert seen == float(value.text)
    else:
        assert seen == text.strip()


@given(
    st.lists(
        st.tuples(st.integers(-999, 999), st.sampled_from(["x", "y z", 'q"t', "a,b", "l\nm"])), min_size=1
    )
)
@settings(max_examples=60, deadline=None)
def test_written_rows_come_back(rows: list[tuple[int, str]]) -> None:
    quoted = [(number, '"' + text.replace('"', '""') + '"') for number, text in rows]
    table = csv("n,t\n" + "".join(f"{number},{text}\n" for number, text in quoted))
    found, _ = cells(table, "n")
    assert [cell.value for cell in found] == [Quantity(Fraction(number)) for number, _ in rows]
    words, _ = cells(table, "t")
    assert [cell.value for cell in words] == [Text(text) for _, text in rows]


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases of public projects are not here")
def test_tables_of_public_projects_give_their_answers() -> None:
    text = (CASES / "evidence/rebar_rust_regex.csv").read_text(encoding="utf-8")
    assert readings(csv(text), "median", "name = 'captures/contiguous-letters'") == ["152/25 ms"]
    sam = (CASES / "public/pytorch+ao/torchao/_models/sam/results.csv").read_text(encoding="utf-8")
    assert readings(csv(sam), "memory_mib", "compress = 'sparse'") == ["13429 MiB"]
    empty = (CASES / "evidence/wandb_csv_header_only.txt").read_text(encoding="utf-8")
    assert refusal(csv(empty), "epoch").code == "no-rows"
    runs = CASES / "public/BurntSushi+ripgrep/benchsuite/runs/2022-12-16-archlinux-duff/raw.csv"
    table = csv(runs.read_text(encoding="utf-8"))
    found, _ = cells(table, "duration", "benchmark = 'linux_literal_default' and name = 'rg'", take="mean")
    assert float(total(found) / 3) == pytest.approx(0.0844464, abs=1e-7)
    collision = "benchmark = 'subtitles_ru_surrounding_words' and name = 'ugrep'"
    assert len(readings(table, "duration", collision)) == 6


def test_thousands_of_headings_of_one_name_are_numbered_and_not_all_listed() -> None:
    assert column_names(["a"] * 20_000)[-1] == "a_20000"
    text = ",".join(["a"] * 5_000) + "\n" + ",".join(["1"] * 5_000) + "\n"
    error = refusal(csv(text), "a")
    assert "`a_1`, `a_2`" in error.hint
    assert len(error.hint) < 1_000


def test_rows_that_take_longer_than_they_may_are_given_up() -> None:
    with pytest.raises(InputError) as caught:
        parse_tables('a,b\n"' + "x,y\n" * 100_000, "csv", ".", True, UNITS, Deadline(-1))
    assert caught.value.code == "too-slow"
