"""Placeholders of a table of claims: whatever a cell holds, it selects its own row and no other."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import tables_support
from stilltrue.claims.filled_jsonpath import template as jsonpath
from stilltrue.claims.filled_sql import SqlReader
from stilltrue.claims.filled_text import address, derivation, identifier, path, pattern, sentence, text
from stilltrue.claims.placeholders import NOTHING, Headers, Template, Value, slug
from stilltrue.deadline import Deadline
from stilltrue.derive import parse as parse_derive
from stilltrue.errors import InputError
from stilltrue.evidence.jsonpath.query import compile_query
from stilltrue.files import join
from stilltrue.globs import Glob
from stilltrue.patterns import compiled
from stilltrue.quantity import Quantity, Units, parse_value

UNITS = Units.default()
HEADERS = Headers(["Loss", "Length", "3", "2,4", "Greek"])
SQL = SqlReader(HEADERS, UNITS)

HOSTILE = (
    *("8,192", "-5", "−5", "007", ".5", "1e5", "1_000", "5 ms", "7B", "25 %", "1:32:21", "yes", "null"),
    *("nan", "x' || @.loss != '", "o'brien", "'", "''", '"', '"]', "\\", "\\'", "a\\", "{Loss}", "{Length}"),
    *("{value}", "$", "@", "%", "_", "100%", "a_b", "*", "?", "[a]", "(", ")", "|", "^a$", "a--b", "/* x */"),
    *(";", "#", "x]", "naïve", "日本", "\U0001f600", "\u202eabc", "é", "\x00", "\x1b[31m", "\x7f", "a`b"),
    *("' or 1=1 --", "\\Q", "\\E"),
)
"""Cells that would be more than text if they were put in as text."""


def _cell(raw: str) -> str:
    """A text as a page's cell can hold it: one line, no blanks at its ends."""
    return " ".join(raw.split())


CELLS = st.one_of(
    st.sampled_from(HOSTILE),
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8).map(_cell),
    st.text(st.sampled_from("0123456789,.-+eE _'\"\\%"), min_size=1, max_size=8).map(_cell),
    st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=3).map("".join).map(_cell),
).filter(bool)

OTHERS = ("naive", "8,193", "x", "''", "0.25", "other's", "\\\\", "%%", "__")


def _worth(cell: str) -> object:
    """What a cell is: a number by worth, or its text."""
    try:
        value = parse_value(cell, UNITS)
    except InputError:
        return Value("", cell).plain
    return value.base if isinstance(value, Quantity) else Value("", cell).plain


def rows_for(cell: str) -> list[str]:
    """The cell's row first, then others that are not the same."""
    return [cell, *(other for other in OTHERS if _worth(other) != _worth(cell))]


def filled(template: Template, cell: str, header: str = "Loss") -> str:
    return template.fill({header: Value(header, cell, line=7)})


def found_by(query: str, value: object) -> list[object]:
    return [node.value for node in compile_query(query).find(value, Deadline(10.0))]


# Whatever a cell holds ---------------------------------------------------------------------------------


@settings(max_examples=300, deadline=None)
@given(CELLS)
def test_an_equality_in_a_tree_selects_the_row_that_reads_like_the_cell(cell: str) -> None:
    document = json.loads(json.dumps([{"loss": row, "v": at} for at, row in enumerate(rows_for(cell))]))
    assert found_by(filled(jsonpath("$[?@.loss == {Loss}].v", HEADERS), cell), document) == [0]
    others = found_by(filled(jsonpath("$[?@.loss != {Loss}].v", HEADERS), cell), document)
    assert others == list(range(1, len(document)))


@settings(max_examples=150, deadline=None)
@given(CELLS)
def test_quoted_text_and_names_in_a_tree_are_the_cell_alone(cell: str) -> None:
    bare = Value("Loss", cell).plain
    rows = [{"loss": row} for row in (bare, *OTHERS) if row == bare or row != cell]
    same = [row for row in rows if row["loss"] == bare]
    for query in ("$[?@.loss == '{Loss}']", '$[?@.loss == "{Loss}"]', "$[?match(@.loss, {Loss})]"):
        assert found_by(filled(jsonpath(query, HEADERS), cell), rows) == same
    named = {bare: 1, "other": 2, "0": 3}
    for query in ("$[{Loss}]", "$.{Loss}", "$['{Loss}']"):
        wanted = [1] if bare != "0" else [3]
        assert found_by(filled(jsonpath(query, HEADERS), cell), named) == wanted
    assert found_by(filled(jsonpath("$[{Loss}]", HEADERS), cell), ["a", "b"]) == []


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_an_equality_in_a_table_selects_the_row_that_reads_like_the_cell(cell: str) -> None:
    assume("\x00" not in cell)  # no SQL text holds one
    assume(cell.lstrip("+-").lower() not in {"nan", "inf", "infinity"})  # to SQL these are no text
    rows = rows_for(cell)
    file = io.StringIO()
    table = [["loss", "v"], *([row, f"n{at}"] for at, row in enumerate(rows))]
    csv.writer(file, lineterminator="\n").writerows(table)
    tables = tables_support.csv(file.getvalue())
    for where in (
        "loss = {Loss}",
        "loss=={Loss}",
        "loss in ({Loss})",
        "not (loss <> {Loss})",
        "loss is not null and loss = {Loss}",
    ):
        found, _ = tables_support.cells(tables, "line", filled(SQL.where(where), cell))
        assert [tables_support.shown(each) for each in found] == ["2"]


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_text_behind_like_and_glob_in_a_table_stands_for_itself(cell: str) -> None:
    assume("\x00" not in cell)
    bare = Value("Loss", cell).plain
    other = "Z" + bare[1:] if bare[0].lower() != "z" else "Y" + bare[1:]
    file = io.StringIO()
    rows = [["loss", "v"], [f"kernel<{bare}>()", "1"], [f"kernel<{other}>()", "2"]]
    csv.writer(file, lineterminator="\n").writerows(rows)
    tables = tables_support.csv(file.getvalue())
    for where in ("loss like 'kernel<{Loss}>%'", "loss glob 'kernel<{Loss}>*'"):
        found, _ = tables_support.cells(tables, "line", filled(SQL.where(where), cell))
        assert [tables_support.shown(each) for each in found] == ["2"]


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_a_pattern_matches_the_line_that_holds_the_cell(cell: str) -> None:
    assume(not set(cell) & set("\n\r\x85\u2028\u2029"))
    lines = "".join(f"loss={row};v={at}\n" for at, row in enumerate(rows_for(cell))).encode()
    for source in (r"^loss={Loss};v=(\d+)$", r"^loss={Loss}{1};v=(\d{1,3})$"):
        regexp = compiled(filled(pattern(source, HEADERS), cell))
        assert [m[1] for m in regexp.matches(lines, 0, len(lines), Deadline(10.0))] == [b"0"]


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_a_path_of_evidence_stays_one_name_and_no_glob(cell: str) -> None:
    try:
        whole = filled(path("claims/evidence/{Loss}.json", HEADERS), cell)
        joined = join("", whole)
    except InputError as error:
        assert NOTHING.fullmatch(cell) or set(cell) & set("/\\\x00"), error.message
        return
    assert Glob(joined).matches(f"claims/evidence/{Value('', cell).plain}.json") or Glob(joined).matches(
        f"claims/evidence/{cell}.json"
    )
    assert joined.count("/") == 2


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_a_derivation_reckons_with_the_cells_number_and_nothing_else(cell: str) -> None:
    template = derivation("{Loss} * 2", HEADERS)
    try:
        expression = filled(template, cell)
    except InputError as error:
        assert (error.code, error.line) == ("bad-placeholder", 7)
        assert not Value("", cell).number
        return
    assert parse_derive(expression, UNITS).operands == ()
    assert Fraction(expression.removesuffix(" * 2").strip("()")) == Fraction(Value("", cell).number)


@settings(max_examples=200, deadline=None)
@given(CELLS)
def test_a_sentence_holds_the_cell_and_one_place_for_the_value(cell: str) -> None:
    says = filled(sentence("with {Loss} it is {value}.", HEADERS), cell)
    assert says.count("{value}") == 1
    assert says.endswith(" it is {value}.")
    assert says.removeprefix("with ").removesuffix(" it is {value}.") in (
        cell,
        cell.replace("{value}", "{ value }"),
    )


# Where a placeholder stands ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "cell", "written"),
    [
        ("$[?@.n == {Loss}]", "8,192", "$[?(@.n == 8192 || @.n == '8192' || @.n == '8,192')]"),
        ("$[?@.n == {Loss}]", "naive", "$[?@.n == 'naive']"),
        ("$[?@['a'].n!={Loss} && @.x]", "7", "$[?(@['a'].n != 7 && @['a'].n != '7') && @.x]"),
        ("$[?{Loss} == @.n]", "8,192", "$[?8192 == @.n]"),
        ("$[?@.n <= {Loss}]", "−0.5", "$[?@.n <= -0.5]"),
        ("$[?{Loss} > @.n]", "007", "$[?7 > @.n]"),
        ("$[?length(@.n) == {Loss}]", "3", "$[?length(@.n) == 3]"),
        ("$[?search(@.n, '^{Loss}')]", "a.b", "$[?search(@.n, '^a\\\\.b')]"),
        ("$[{Loss}, {Length}]", "a", "$['a', 'a']"),
        ("$..{Loss}.x", "a b", "$..['a b'].x"),
        ("$['{Loss}-{Length}']", "o'b", "$['o\\'b-o\\'b']"),
        ("$['{Other}']", "a", "$['{Other}']"),
        ("$.rows[0]", "a", "$.rows[0]"),
    ],
)
def test_a_path_is_filled_by_what_stands_around_a_placeholder(source: str, cell: str, written: str) -> None:
    values = {header: Value(header, cell) for header in ("Loss", "Length")}
    assert jsonpath(source, HEADERS).fill(values) == written


@pytest.mark.parametrize(
    ("source", "cell", "written"),
    [
        ("n = {Loss}", "8,192", "n IN (8192, '8192', '8,192')"),
        ("n = {Loss} and m", "o'b", "n IN ('o''b') and m"),
        ("t != {Loss}", "5 ms", "t NOT IN (0.005, '5 ms')"),
        ("n = {Loss} + 1", "8", "n = 8 + 1"),
        ("n = 1 -{Loss}", "-5", "n = 1 -(-5)"),
        ("t < {Loss}", "5 ms", "t < (0.005)"),
        ("{Loss} <= t", "2", "(2) <= t"),
        ("n in (1, {Loss})", "x", "n in (1, 'x')"),
        ("n like '{Loss}%'", "a_b", "n like 'a\\_b%' ESCAPE '\\'"),
        ("n like '\\{Loss}%'", "a_b", "n like '\\a!_b%' ESCAPE '!'"),
        ("n like '{Loss}%' escape '!'", "a_b", "n like 'a_b%' escape '!'"),
        ("n like {Loss}", "ab", "n like 'ab'"),
        ('"{Loss}" > 1', 'a"b', '"a""b" > 1'),
        ("[{Loss}] > 1", "a]b", '"a]b" > 1'),
        ("n = '{Other}'", "a", "n = '{Other}'"),
    ],
)
def test_sql_is_filled_by_what_stands_around_a_placeholder(source: str, cell: str, written: str) -> None:
    assert filled(SQL.where(source), cell) == written


def test_a_placeholder_that_is_all_of_a_column_is_its_name() -> None:
    assert filled(SQL.column(" {Loss} "), "Peak GiB") == '"Peak GiB"'
    assert filled(SQL.column("abs({Loss})"), "5") == "abs(5)"


@pytest.mark.parametrize(
    "read", [lambda: jsonpath("$[?@.n > {Loss}]", HEADERS), lambda: SQL.where("n > {Loss}")]
)
def test_an_order_needs_a_number(read: Callable[[], Template]) -> None:
    with pytest.raises(InputError) as caught:
        filled(read(), "x' || 1")
    assert (caught.value.code, caught.value.line) == ("bad-placeholder", 7)
    assert "`x' || 1` of `Loss`" in caught.value.message


@pytest.mark.parametrize(
    "source", ["{Loss}", "$[1:{Loss}]", "$.a{Loss}", "$[?{Loss}]", "$[?@.a == 1 {Loss}]"]
)
def test_a_path_has_no_placeholder_where_no_value_can_stand(source: str) -> None:
    with pytest.raises(InputError) as caught:
        jsonpath(source, HEADERS)
    assert caught.value.code == "bad-placeholder"


def test_a_repetition_in_a_pattern_is_no_placeholder() -> None:
    for source in (r"\d{3}", r"\d{2,4}", r"\p{Greek}+", "{Other}"):
        template = pattern(source, HEADERS)
        assert (template.used, template.fill({})) == (frozenset(), source)
    assert pattern("{Greek}", HEADERS).used == {"Greek"}
    assert jsonpath("$[?match(@.a, '[0-9]{3}')]", HEADERS).used == frozenset()


@pytest.mark.parametrize(
    ("source", "cell", "written"),
    [
        ("{Loss}", "a.b", r"a\.b"),
        ("{Loss}", "8,192", r"(?:8192|8\,192)"),
        ("x{Loss}*", "ab", "x(?:ab)*"),
        ("[{Loss}]", "a-z]", r"[a\-z\]]"),
        (r"\[{Loss}", "8,192", r"\[(?:8192|8\,192)"),
    ],
)
def test_a_pattern_takes_text_alone(source: str, cell: str, written: str) -> None:
    assert filled(pattern(source, HEADERS), cell) == written


def test_an_empty_cell_matches_nothing() -> None:
    with pytest.raises(InputError):
        filled(pattern("^{Loss}", HEADERS), "")


def test_a_derivation_takes_numbers_and_parts_of_ids() -> None:
    template = derivation("{ce.{Loss}.peak} / {Length} - {other}", HEADERS)
    values = {"Loss": Value("Loss", "O'Brien"), "Length": Value("Length", "−8,192")}
    assert template.fill(values) == "{ce.o-brien.peak} / (-8192) - {other}"
    assert template.used == {"Loss", "Length"}


def test_a_path_given_by_a_row_may_be_a_glob_and_a_linked_one_may_hold_folders() -> None:
    template = path("e/{Loss}.log", HEADERS)
    assert template.fill({"Loss": Value("Loss", "*/x?", given=True)}) == "e/*/x?.log"
    assert template.fill({"Loss": Value("Loss", "a", "runs/./b%20[1]?q#L3")}) == "e/runs/b [[]1].log"
    assert filled(template, "a*[b]?") == "e/a[*][[]b][?].log"
    for cell in ("..", "."):
        with pytest.raises(InputError):
            filled(path("e/{Loss}/x", HEADERS), cell)


def test_texts_ids_and_addresses() -> None:
    assert filled(text("of {Loss}", HEADERS), "8,192") == "of 8,192"
    assert filled(identifier("ce.{Loss}", HEADERS), "8,192") == "ce.8192"
    assert filled(address("https://example.org/{Loss}", HEADERS), "a/b c") == "https://example.org/a%2Fb%20c"


@pytest.mark.parametrize(
    ("cell", "number", "literal"),
    [
        ("8,192", "8192", "8192"),
        ("1 024", "1024", "1024"),
        ("1_000_000", "1000000", "1000000"),
        ("+5", "5", "5"),
        ("−0.50", "-0.50", "-0.50"),
        ("007", "007", "7"),
        ("1000", "1000", "1000"),
        (".5", ".5", "0.5"),
        ("1E−5", "1E-5", "1E-5"),
        ("1,5", "", ""),
        ("12,34,567", "", ""),
        ("5 ms", "", ""),
        ("-", "", ""),
        ("", "", ""),
        ("１", "", ""),
    ],
)
def test_what_of_a_cell_is_a_number(cell: str, number: str, literal: str) -> None:
    assert (Value("", cell).number, Value("", cell).literal) == (number, literal)


@given(CELLS)
def test_a_slug_is_part_of_an_id_or_nothing(cell: str) -> None:
    assert set(slug(Value("", cell))) <= set("abcdefghijklmnopqrstuvwxyz0123456789.-")
    assert not slug(Value("", cell)).startswith("-")
