"""A `claims` block and its table to claims: keys, ids, rows, units, and what is wrong with each."""

from __future__ import annotations

import pytest

from stilltrue.claims import Malformed
from stilltrue.claims.table_cells import Cells, read_table
from stilltrue.codes import CODES
from stilltrue.model import (
    Block,
    Claim,
    DeriveSource,
    EvidenceSource,
    Problem,
    ReportedSource,
    Shape,
    Take,
)
from stilltrue.pages import scan
from stilltrue.quantity import Form, Units

UNITS = Units.default()

PARTS = {
    "id": "ce",
    "says": '"{Loss} over {Length} tokens takes {value}."',
    "key": "[Loss, Length]",
    "evidence": "e/ce.json",
    "columns": """
  Peak: {unit: GiB, read: {path: "$[?@.loss == {Loss} && @.n == {Length}].peak", unit: bytes}}
  Time: {read: {path: "$[?@.loss == {Loss} && @.n == {Length}].s", unit: s}, note: "of {Loss}"}""",
}
TABLE = """\
| Loss | Length | Peak | Time |
|---|---|---|---|
| naive | 8,192 | **81.93** | 5 ms |
| o'brien | -16 | 7 | 8 ms |
"""


def blocks(table: str = TABLE, **changes: str | None) -> tuple[Block, ...]:
    """The blocks of a page with one claims block, some of its lines changed, added, or (None) left out."""
    parts = PARTS | changes
    body = "".join(f"{key}: {value}\n" for key, value in parts.items() if value is not None)
    return scan("docs/a/page.md", f"# T\n\n```claims\n{body}```\n\n{table}").blocks


def read(table: str = TABLE, **changes: str | None) -> Cells:
    (block,) = blocks(table, **changes)
    return read_table(block, UNITS, "docs/a")


def claims(table: str = TABLE, **changes: str | None) -> dict[str, Claim]:
    found = read(table, **changes)
    assert found.problems == ()
    return {cell.claim.id: cell.claim for cell in found.cells}


def problem(table: str = TABLE, **changes: str | None) -> Problem:
    with pytest.raises(Malformed) as caught:
        read(table, **changes)
    assert caught.value.problem.code in CODES
    assert caught.value.problem.hint
    return caught.value.problem


def evidence(claim: Claim) -> EvidenceSource:
    assert isinstance(claim.source, EvidenceSource)
    return claim.source


def path_of(claim: Claim) -> str:
    return evidence(claim).reads[0][1].path


def column(keys: str) -> str:
    """`columns` of one column, `Peak`, in flow style."""
    return f"{{Peak: {{{keys}}}}}"


# One claim a cell --------------------------------------------------------------------------------------


def test_each_cell_is_a_claim_of_its_own() -> None:
    found = read()
    assert found.id == "ce"
    assert [(cell.row, cell.column) for cell in found.cells] == [(0, 2), (0, 3), (1, 2), (1, 3)]
    peak = found.cells[0].claim
    assert (peak.id, peak.table) == ("ce.naive.8192.peak", "ce")
    assert (peak.stated.text, peak.stated.unit.symbol, peak.stated.form) == ("81.93", "GiB", Form.NUMBER)
    assert peak.says == "naive over 8,192 tokens takes {value} GiB."
    assert (peak.place.path, peak.place.line) == ("docs/a/page.md", 15)
    assert (peak.block.line, peak.end, peak.page) == (3, 11, True)
    assert evidence(peak).patterns == ("e/ce.json",)
    assert peak.lines["read"] == peak.lines["columns"] == 9
    assert peak.lines["evidence"] == 7
    time = found.cells[1].claim
    assert (time.id, time.says, time.note) == (
        "ce.naive.8192.time",
        "naive over 8,192 tokens takes {value}.",
        "of naive",
    )
    assert "\nvalue: 81.93\n" in peak.raw


@pytest.mark.parametrize(
    "blank", ["&nbsp;", "\u00a0", "\u202f", " "], ids=["entity", "nbsp", "narrow", "plain"]
)
def test_a_header_is_named_with_plain_blanks_whatever_the_page_has(blank: str) -> None:
    table = TABLE.replace("Loss |", f"Loss{blank}kind |").replace("Peak |", f"Peak{blank}↓ |")
    found = claims(
        table,
        says='"{Loss kind} takes {value}."',
        key="[Loss kind, Length]",
        columns='{Peak ↓: {unit: GiB, read: {path: "$.{Loss kind}", unit: bytes}}}',
    )
    assert path_of(found["ce.naive.8192.peak"]) == "$['naive']"


def test_a_cell_that_has_a_unit_keeps_it() -> None:
    found = claims(TABLE.replace("| 7 |", "| 7 MiB |"))
    assert found["ce.o-brien.m16.peak"].stated.unit.symbol == "MiB"
    assert found["ce.o-brien.m16.peak"].says.endswith("takes {value}.")


@pytest.mark.parametrize("cell", ["", "-", "–", "—", "−", "--", "n/a", "N/A", "**—**"])
def test_an_empty_cell_a_dash_and_n_a_are_no_claims(cell: str) -> None:
    assert list(claims(TABLE.replace("8 ms", cell))) == [
        "ce.naive.8192.peak",
        "ce.naive.8192.time",
        "ce.o-brien.m16.peak",
    ]


@pytest.mark.parametrize(
    ("cell", "part"),
    [
        ("8,192", "8192"),
        ("1_000", "1000"),
        ("-16", "m16"),
        ("−0.5", "m0.5"),
        ("**Big** Model", "big-model"),
        ("o'brien", "o-brien"),
        ("v1.5", "v1.5"),
        ("-O2", "mo2"),
        ("x' \\|\\| @.loss != '", "x-.loss"),
        ("8 GiB", "8-gib"),
        ("1.28e18", "1.28e18"),
        ("[run 1](runs/1.log)", "run-1"),
    ],
)
def test_the_slug_of_a_key_cell(cell: str, part: str) -> None:
    found = claims(TABLE.replace("naive", cell))
    assert next(iter(found)) == f"ce.{part}.8192.peak"


def test_an_empty_key_cell_repeats_the_one_above() -> None:
    found = claims(TABLE.replace("o'brien", ""))
    assert "ce.naive.m16.peak" in found
    assert path_of(found["ce.naive.m16.peak"]).startswith("$[?@.loss == 'naive' && ")


def test_a_sentence_may_name_any_column_and_each_column_may_have_its_own() -> None:
    found = claims(says=None, columns='{Peak: {says: "{Loss}, {Time}: {value}", read: {path: "$.{Loss}"}}}')
    assert found["ce.naive.8192.peak"].says == "naive, 5 ms: {value}"


def test_what_stands_in_a_cell_is_never_a_placeholder() -> None:
    found = claims(TABLE.replace("naive", "{Length}"), says='"{Loss} takes {value}."')
    claim = found["ce.length.8192.peak"]
    assert claim.says == "{Length} takes {value} GiB."
    assert "== '{Length}'" in path_of(claim)
    assert claims(TABLE.replace("naive", "{value}"))["ce.value.8192.peak"].says.count("{value}") == 1


def test_the_keys_of_a_column_stand_in_place_of_the_blocks() -> None:
    found = claims(
        tolerance="2 %",
        tags="[a]",
        columns="\n  Peak: {unit: GiB, tolerance: 1 GiB, evidence: e/peak.json, "
        'read: {path: "$.{Loss}", unit: bytes}}'
        '\n  Time: {read: {match: "{Loss} (.*)"}, tags: [b, "{Loss}"]}',
    )
    peak, time = found["ce.naive.8192.peak"], found["ce.naive.8192.time"]
    assert peak.tolerance is not None
    assert time.tolerance is not None
    assert (peak.tolerance.text, time.tolerance.text) == ("1 GiB", "2 %")
    assert (evidence(peak).patterns, evidence(time).patterns) == (("e/peak.json",), ("e/ce.json",))
    assert (peak.tags, time.tags) == (("a",), ("b", "naive"))
    assert evidence(time).reads[0][1].shape is Shape.TEXT


def test_a_column_may_have_another_kind_of_source() -> None:
    found = claims(
        read='{path: "$.{Loss}"}',
        columns='\n  Peak: {reported: {by: "{Loss}", url: "https://example.org/{Loss}"}}'
        '\n  Time: {derive: "{ce.{Loss}.{Length}.peak} / {Length}"}',
    )
    quoted = found["ce.o-brien.m16.peak"].source
    assert quoted == ReportedSource("o'brien", "", "https://example.org/o%27brien")
    assert found["ce.o-brien.m16.time"].source == DeriveSource("{ce.o-brien.m16.peak} / (-16)")


def test_columns_may_share_named_reads() -> None:
    found = claims(
        read='{a: {path: "$.{Loss}.a"}, b: {path: "$.{Loss}.b"}}',
        columns='{Peak: {derive: "a / b"}, Time: {derive: a - b}}',
    )
    assert evidence(found["ce.naive.8192.peak"]).derive == "a / b"
    assert [name for name, _ in evidence(found["ce.naive.8192.time"]).reads] == ["a", "b"]


def test_text_takes_no_margin_and_is_a_claim_all_the_same() -> None:
    found = claims(TABLE.replace("| 7 |", "| OOM |"), tolerance="2 %", reproduces="5 %")
    oom = found["ce.o-brien.m16.peak"]
    assert (oom.stated.form, oom.tolerance, oom.reproduces) == (Form.TEXT, None, None)
    assert oom.says.endswith("takes {value}.")
    assert found["ce.naive.8192.peak"].tolerance is not None


def test_an_empty_cell_leaves_a_note_out() -> None:
    table = "| A | B | N |\n|---|---|---|\n| x | 1 | |\n| y | 2 | warm |\n"
    columns = '{B: {read: {path: "$.{A}"}, note: "{N}"}}'
    found = claims(table, says='"{A} is {value}."', key="A", columns=columns)
    assert [claim.note for claim in found.values()] == ["", "warm"]


def test_a_link_stands_for_its_target_in_evidence_alone() -> None:
    table = "| Run | Loss |\n|---|---|\n| [seed 1](runs/seed%201.log#L3) | 0.5 |\n| two | 0.6 |\n"
    columns = '{Loss: {evidence: "claims/{Run}", read: {match: "{Run}: (.*)"}}}'
    found = claims(table, says='"{Run} is {value}."', key="Run", columns=columns)
    first, second = found.values()
    assert evidence(first).patterns == ("claims/runs/seed 1.log",)
    assert (first.says, evidence(first).reads[0][1].match) == ("seed 1 is {value}.", r"seed\ 1: (.*)")
    assert evidence(second).patterns == ("claims/two",)


# Rows --------------------------------------------------------------------------------------------------


def test_a_row_or_some_of_its_columns_can_be_skipped() -> None:
    assert list(claims(rows="{naive 8,192: skip}".replace("8,192", "8192"))) == [
        "ce.o-brien.m16.peak",
        "ce.o-brien.m16.time",
    ]
    assert list(claims(rows="\n  naive 8,192: {skip: [Peak]}\n  o'brien -16: {skip: Time}")) == [
        "ce.naive.8192.time",
        "ce.o-brien.m16.peak",
    ]


def test_a_row_may_give_placeholders_other_values_and_reads_another_take() -> None:
    table = "| Seed | Loss |\n|---|---|\n| 1 | 0.5 |\n| Mean | 0.6 |\n"
    found = claims(
        table,
        says='"Seed {Seed} ends at {value}."',
        key="Seed",
        evidence='"runs/{Seed}/*.log"',
        columns="{Loss: {read: {match: 'loss (.*)', take: last}}}",
        rows="\n  Mean: {Seed: '*', take: [last, mean of 3]}",
    )
    one, mean = found["ce.1.loss"], found["ce.mean.loss"]
    assert (evidence(one).patterns, evidence(one).reads[0][1].take) == (("runs/1/*.log",), (Take("last"),))
    assert (evidence(mean).patterns, evidence(mean).reads[0][1].take) == (
        ("runs/*/*.log",),
        (Take("last"), Take("mean", 3)),
    )
    assert mean.says == "Seed Mean ends at {value}."


def test_a_take_of_a_row_goes_into_every_named_read() -> None:
    found = claims(
        read='{a: {path: "$.{Loss}.a"}, b: {path: "$.{Loss}.b", take: min}}',
        columns='{Peak: {derive: "a / b"}}',
        rows="{naive 8192: {take: max}}",
    )
    takes = [read.take for _, read in evidence(found["ce.naive.8192.peak"]).reads]
    assert takes == [(Take("max"),), (Take("max"),)]
    assert [read.take for _, read in evidence(found["ce.o-brien.m16.peak"]).reads] == [(), (Take("min"),)]


# What is wrong with a block: one problem ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "code", "line", "says"),
    [
        ({"key": "[Loss, Lenght]"}, "unknown-column", 6, "did you mean `Length`?"),
        ({"key": "[Loss, Loss]"}, "unknown-column", 6, "name it once"),
        ({"columns": "{Peek: {}}"}, "unknown-column", 8, "did you mean `Peak`?"),
        ({"columns": "{}"}, "missing-key", 8, "columns: {Peak"),
        ({"columns": "{Peak: GiB}"}, "wrong-type", 8, "Peak: {unit: GiB}"),
        ({"columns": "{Peak: {value: 5}}"}, "unknown-key", 8, "the cells of the table are the values"),
        ({"columns": "{Peak: {take: sum}}"}, "unknown-key", 8, "belongs inside `read`"),
        ({"columns": "{Peak: {untis: GiB}}"}, "unknown-key", 8, "did you mean `unit`?"),
        ({"value": "5"}, "unknown-key", 11, "the cells of the table are the values"),
        ({"table_in": "{file: README.md}"}, "unsupported-key", 11, "leave it out"),
        ({"copies": "[a]"}, "wrong-type", 11, "copies: [{file"),
        ({"stated_in": "{file: a, match: (b)}"}, "unknown-key", 11, "the cells of the table are the values"),
        ({"id": "CE"}, "bad-id", 4, "`ce`"),
        ({"id": None}, "missing-key", 4, "id: ce-memory"),
        ({"key": None}, "missing-key", 4, "key: [Loss, Length]"),
        ({"says": None}, "missing-key", 8, "says"),
        ({"says": '"{Los} is {value}"'}, "bad-says", 5, "did you mean `Loss`?"),
        ({"rows": "{naive 8193: skip}"}, "unknown-row", 11, "did you mean `naive 8,192`?"),
        ({"rows": "{naive 8192: skp}"}, "wrong-type", 11, "naive 8192: skip"),
        ({"rows": "{naive 8192: {skip: [Peek]}}"}, "unknown-column", 11, "did you mean `Peak`?"),
        ({"rows": "{naive 8192: {skip: [Loss]}}"}, "unused-placeholder", 11, "take it out"),
        ({"rows": "{naive 8192: {Time: 5}}"}, "unused-placeholder", 11, "take it out"),
        ({"rows": "{naive 8192: {Seed: 5}}"}, "unknown-column", 11, "the columns are"),
        ({"rows": "{naive 8192: {take: {a: b}}}"}, "wrong-type", 11, "take"),
        ({"rows": '\\n  naive 8,192: skip\\n  naive 8192: skip'}, "unknown-row", 13, "one entry"),
        ({"columns": '{Peak: {read: {path: "$.a"}}}'}, "unused-placeholder", 8, "`{Loss}` and `{Length}`"),
        ({"columns": '{Peak: {read: {path: "$[?@ == {Los}]"}}}'}, "unknown-column", 8, "you mean `Loss`"),
        ({"columns": '{Peak: {read: {path: "$[{Length}]x{Loss}"}}}'}, "bad-placeholder", 8, "compare"),
        ({"columns": '{Peak: {read: {column: "{Los} + 1"}}}'}, "unknown-column", 8, "did you mean `Loss`?"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_block(changes: dict[str, str | None], code: str, line: int, says: str) -> None:
    given = {key: value and value.replace("\\n", "\n") for key, value in changes.items()}
    found = problem(TABLE, **given)
    assert (found.code, found.place.line) == (code, line)
    assert says in found.hint
    assert found.about == (() if changes.get("id", "x") is None else (given.get("id") or "ce",))


def test_a_header_that_occurs_twice_cannot_be_named() -> None:
    found = problem(TABLE.replace("| Time |", "| Peak |"))
    assert (found.code, found.place.line) == ("unknown-column", 9)
    assert "2 columns headed `Peak`" in found.message
    assert (
        problem(
            TABLE.replace("| Time |", "| Loss |"), columns='{Peak: {read: {path: "$.a[{Length}]"}}}'
        ).place.line
        == 6
    )
    twice = TABLE.replace("| Time |", "| Loss |")
    other = problem(
        twice, key="Length", says='"it is {value}"', columns='{Peak: {read: {path: "$.a[{Loss}]"}}}'
    )
    assert (other.code, other.place.line) == ("unknown-column", 8)


def test_a_table_without_a_cell_to_bind_is_a_problem() -> None:
    assert problem("| Loss | Length | Peak | Time |\n|---|---|---|---|\n").code == "claims-table"
    assert problem(TABLE, rows="{naive 8192: skip, o'brien -16: skip}").code == "claims-table"


@pytest.mark.parametrize(("rows", "told"), [(10_000, False), (10_001, True)])
def test_a_table_beyond_any_reader_is_one_problem(rows: int, told: bool) -> None:
    head = "".join(TABLE.splitlines(keepends=True)[:2])
    table = head + "".join(f"| naive | {row} | 1 | 2 ms |\n" for row in range(rows))
    if told:
        assert "20,002 cells to bind" in problem(table).message
    else:
        assert len(read(table).cells) == 20_000


@pytest.mark.parametrize("body", ["", "ce\n", "- id: ce\n", "id: [\n", "id: ce\nid: ce\n"])
def test_a_block_that_is_no_mapping_is_one_problem(body: str) -> None:
    (block,) = scan("p.md", f"```claims\n{body}```\n\n{TABLE}").blocks
    with pytest.raises(Malformed) as caught:
        read_table(block, UNITS, "")
    assert caught.value.problem.code in CODES


def test_no_table_is_told_at_the_fence() -> None:
    found = problem("## Next\n\n" + TABLE)
    assert (found.code, found.place.line, found.about) == ("claims-table", 3, ("ce",))


# What is wrong with cells ------------------------------------------------------------------------------


def faults(table: str = TABLE, **changes: str | None) -> list[tuple[str, int]]:
    found = read(table, **changes)
    for each in found.problems:
        assert each.code in CODES
        assert each.hint
    return [(each.code, each.place.line) for each in found.problems]


def test_a_mistyped_cell_is_a_problem_of_its_own_line_and_spares_the_others() -> None:
    found = read(TABLE.replace("8 ms", "8,1 ms"))
    assert [(each.code, each.place.line) for each in found.problems] == [("bad-value", 16)]
    assert found.problems[0].about == ("ce.o-brien.m16.time",)
    assert found.malformed == {"ce.o-brien.m16.time"}
    assert len(found.cells) == 3


def test_two_cells_with_one_id_are_a_problem_that_names_both() -> None:
    found = read(TABLE.replace("o'brien | -16", "Naive | 8192"))
    assert [(each.code, each.place.line) for each in found.problems] == [("duplicate-id", 16)] * 2
    assert "that in line 15" in found.problems[0].message
    assert [cell.row for cell in found.cells] == [0, 0]


def test_a_key_cell_that_gives_no_part_of_an_id_is_a_problem() -> None:
    assert faults(TABLE.replace("o'brien", "日本"))[0] == ("bad-id", 16)
    assert faults(TABLE.replace("naive", ""))[0] == ("bad-id", 15)


def test_a_cell_that_cannot_stand_in_its_gap_is_a_problem_of_its_line() -> None:
    ordered = column('read: {path: "$[?@.n > {Loss}].x"}')
    assert faults(TABLE.replace("naive", "5"), columns=ordered) == [("bad-placeholder", 14)]
    number = column('derive: "{Loss} * 2"')
    assert faults(TABLE.replace("o'brien", "7"), columns=number) == [("bad-placeholder", 13)]


@pytest.mark.parametrize("cell", ["a/b", "[a](../x)", "[a](x/%2e%2e/%2e%2e/y)", "\\.."])
def test_a_cell_of_a_path_leads_nowhere_else(cell: str) -> None:
    step = column('evidence: "e/{Loss}/x.json", read: {path: "$.x"}')
    assert faults(TABLE.replace("naive", cell), columns=step)[0][1] == 13


def test_what_is_wrong_with_every_cell_of_a_column_is_said_once_where_the_block_says_it() -> None:
    wrong = column('read: {path: "$.{Loss}", take: avg}')
    found = read(columns=wrong)
    assert [(each.code, each.place.line) for each in found.problems] == [("bad-take", 8)]
    assert found.malformed == {"ce.naive.8192.peak", "ce.o-brien.m16.peak"}


def test_what_is_wrong_with_some_cells_is_said_at_each() -> None:
    table = "| A | B | U |\n|---|---|---|\n| x | 1 | s |\n| y | 2 | sx |\n"
    found = read(
        table, says='"{A} is {value}."', key="A", columns='{B: {unit: "{U}", read: {path: "$.{A}"}}}'
    )
    assert [(each.code, each.place.line) for each in found.problems] == [("unknown-unit", 14)]
    assert "block line 8" in found.problems[0].message


def test_an_id_that_is_too_long_is_a_problem() -> None:
    assert faults(TABLE.replace("naive", "n" * 190))[0] == ("bad-id", 15)
