"""Blocks to claims: every key, every source, every rule between them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from stilltrue.claims import Malformed, read_block
from stilltrue.codes import CODES
from stilltrue.model import (
    Block,
    Claim,
    DeriveSource,
    Embed,
    EvidenceSource,
    Place,
    Problem,
    Read,
    ReportedSource,
    Severity,
    Shape,
    Superseded,
    Take,
)
from stilltrue.quantity import Form, Units

UNITS = Units.default()
FENCE = 10

PARTS = {
    "id": "attention-time",
    "says": '"Attention kernels take {value} of one step."',
    "value": "22,835.8 ms",
    "evidence": "claims/evidence/step-profile.txt",
    "read": "{column: self_device, take: sum}",
}


def written(**changes: str | None) -> str:
    """The body of a good claim with some of its lines changed, added, or (None) left out."""
    parts = PARTS | changes
    return "".join(f"{key}: {value}\n" for key, value in parts.items() if value is not None)


def block(body: str) -> Block:
    return Block("claim", body, Place("docs/a/page.md", FENCE), FENCE + body.count("\n") + 1)


def claim(body: str) -> Claim:
    read = read_block(block(body), UNITS, "docs/a")
    assert isinstance(read, Claim)
    return read


def problem(body: str) -> Problem:
    with pytest.raises(Malformed) as caught:
        read_block(block(body), UNITS, "docs/a")
    assert caught.value.problem.code in CODES
    assert caught.value.problem.hint
    return caught.value.problem


def test_the_example_of_the_contract_is_a_claim() -> None:
    body = """\
id: attention-time
says: "Attention kernels take {value} of one step at width 16,384."
value: 22,835.8 ms
evidence: claims/evidence/step-profile.txt
read:
  where: name like 'fmha_cutlass%' and device
  column: self_device
  take: sum
tags: [throughput, attention]
"""
    read = claim(body)
    assert (read.id, read.stated.text, read.stated.form) == ("attention-time", "22,835.8 ms", Form.NUMBER)
    assert read.says == "Attention kernels take {value} of one step at width 16,384."
    assert read.source == EvidenceSource(
        ("claims/evidence/step-profile.txt",),
        (
            (
                "",
                Read(
                    Shape.TABLE,
                    column="self_device",
                    where="name like 'fmha_cutlass%' and device",
                    take=(Take("sum"),),
                    line=FENCE + 5,
                ),
            ),
        ),
    )
    assert read.tags == ("throughput", "attention")
    assert read.place == Place("docs/a/page.md", FENCE + 3)
    assert read.block == Place("docs/a/page.md", FENCE)
    assert (read.end, read.raw, read.page) == (FENCE + 10, body, True)
    assert read.lines == {
        "id": 11, "says": 12, "value": 13, "evidence": 14, "read": 15,
        "read.where": 16, "read.column": 17, "read.take": 18, "tags": 19,
    }  # fmt: skip


def test_every_optional_key_is_kept() -> None:
    read = claim(
        written(
            tolerance="2 %",
            severity='{level: warn, because: "the machine is being replaced"}',
            superseded='{by: encode-rebuild, on: 2026-08-26, because: "measured at 145.5 s"}',
            tags="[a, b]",
            owner="the training team",
            note="taken warm",
            probe="probes/step.py",
        )
    )
    assert read.tolerance is not None
    assert (read.tolerance.text, read.tolerance.relative) == ("2 %", True)
    assert read.severity == Severity("warn", "the machine is being replaced")
    assert read.superseded == Superseded("measured at 145.5 s", "2026-08-26", "encode-rebuild")
    assert (read.tags, read.owner, read.note, read.probe) == (
        ("a", "b"),
        "the training team",
        "taken warm",
        "probes/step.py",
    )


def test_a_claim_may_be_withdrawn_without_a_successor() -> None:
    superseded = claim(
        written(superseded="{on: 2026-08-26, because: it described another process}")
    ).superseded
    assert superseded == Superseded("it described another process", "2026-08-26", "")


# Embedding ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["attention-time\n", "  ce-memory.naive.1.peak  \n\n", "a"])
def test_a_block_whose_body_is_an_id_shows_that_claim(body: str) -> None:
    assert read_block(block(body), UNITS, "docs/a") == Embed(body.strip(), Place("docs/a/page.md", FENCE))


@pytest.mark.parametrize("body", ["Attention_Time\n", "two words\n", "-a\n", "a.\n", "a" * 201])
def test_one_word_that_is_no_id_is_a_problem(body: str) -> None:
    assert problem(body).code == "not-a-claim"


@pytest.mark.parametrize("body", ["", "\n", "  \n\n", "\t\n", "# later\n", "---\n"])
def test_an_empty_block_is_a_problem_at_its_fence(body: str) -> None:
    found = problem(body)
    assert (found.code, found.place.line) == ("empty-block", FENCE)


def test_a_list_is_no_claim() -> None:
    assert problem("- id: a\n").code == "not-a-claim"


# Sources -----------------------------------------------------------------------------------------------


def test_paths_beside_the_page_are_resolved_against_its_folder() -> None:
    source = claim(written(evidence="[./x.txt, ../b.txt, data/*.json]".replace("../b", "./../b"))).source
    assert isinstance(source, EvidenceSource)
    assert source.patterns == ("docs/a/x.txt", "docs/b.txt", "data/*.json")


def test_named_reads_make_a_ratio_one_claim() -> None:
    source = claim(
        written(value="1.3x", read="{after: {match: 'a (.*)'}, before: {path: $.b}}", derive="after / before")
    ).source
    assert isinstance(source, EvidenceSource)
    assert [(name, read.shape) for name, read in source.reads] == [
        ("after", Shape.TEXT),
        ("before", Shape.TREE),
    ]
    assert source.derive == "after / before"


def test_a_named_read_may_bear_the_name_of_a_key() -> None:
    read = "{path: {path: $.a}, column: {path: $.b}}"
    source = claim(written(value="1.3x", read=read, derive="path / column")).source
    assert isinstance(source, EvidenceSource)
    assert [(name, read.path) for name, read in source.reads] == [("path", "$.a"), ("column", "$.b")]


def test_a_derivation_over_other_claims_needs_no_evidence() -> None:
    source = claim(written(evidence=None, read=None, derive='"{a} / {b}"')).source
    assert source == DeriveSource("{a} / {b}")


def test_a_reported_figure_says_who_when_and_where() -> None:
    reported = '{by: "The data sheet", on: 2026-08-24, url: "https://example.org/a?b=c#d"}'
    source = claim(written(evidence=None, read=None, reported=reported)).source
    assert source == ReportedSource("The data sheet", "2026-08-24", "https://example.org/a?b=c#d")


@pytest.mark.parametrize(
    ("changes", "code", "message"),
    [
        ({"evidence": None, "read": None}, "no-source", "where its value comes from"),
        ({"evidence": None}, "missing-key", "`evidence` is missing"),
        ({"read": None}, "missing-key", "`read` is missing"),
        ({"read": None, "derive": "a / b"}, "missing-key", "`read` is missing"),
        ({"derive": "a / b"}, "bad-read", "needs reads with names"),
        ({"read": "{a: {path: $.a}, b: {path: $.b}}"}, "missing-key", "need a `derive`"),
        ({"read": "{a: {path: $.a}, b: x}", "derive": "a"}, "bad-read", "`b` stands beside"),
        ({"read": "{1st: {path: $.a}}", "derive": "a"}, "bad-read", "no name for a read"),
        ({"reported": "{by: x}"}, "two-sources", "`evidence` stands beside `reported`"),
        ({"evidence": None, "read": None, "derive": "a", "reported": "{by: x}"}, "two-sources", "`derive`"),
        ({"evidence": None, "read": None, "reported": "{on: 2026-08-24}"}, "missing-key", "`by` is missing"),
        ({"evidence": "../../../etc/passwd"}, "bad-path", "leads out"),
        ({"evidence": "[a.txt, /etc/passwd]"}, "bad-path", "absolute"),
        ({"evidence": "[]"}, "missing-key", "empty list"),
    ],
)
def test_a_claim_has_one_whole_source(changes: dict[str, str | None], code: str, message: str) -> None:
    found = problem(written(**changes))
    assert found.code == code
    assert message in found.message


@pytest.mark.parametrize("on", ["2026-02-30", "24.8.2026", "2026-8-4", "20260824", "today", "２０２６-08-24"])
def test_a_date_is_a_day_of_the_calendar(on: str) -> None:
    found = problem(written(evidence=None, read=None, reported=f"{{by: x, on: {on}}}"))
    assert (found.code, found.place.line) == ("bad-date", FENCE + 4)


@pytest.mark.parametrize(
    "url",
    ["javascript:alert(1)", "ftp://example.org", "//example.org", "https://", "https://a b", 'http://a"b'],
)
def test_an_address_is_http_or_https(url: str) -> None:
    assert problem(written(evidence=None, read=None, reported=f"\n  by: x\n  url: '{url}'")).code == "bad-url"


# Reads -------------------------------------------------------------------------------------------------


def only_read(read: str, **changes: str | None) -> Read:
    source = claim(written(read=read, **changes)).source
    assert isinstance(source, EvidenceSource)
    return source.reads[0][1]


def test_every_key_of_a_table_read() -> None:
    read = only_read(
        "{column: c2, where: c1 = 'a', table: 2, header: no, take: max, decimal: ',', unit: ms, format: csv}"
    )
    assert (read.shape, read.column, read.where, read.table) == (Shape.TABLE, "c2", "c1 = 'a'", "2")
    assert (read.header, read.decimal, read.format) == (False, ",", "csv")
    assert read.unit == UNITS.parse("ms")


def test_a_text_read_may_be_bounded() -> None:
    read = only_read("{match: 'loss (.*)', between: ['^## Run 3$', '^## ']}")
    assert (read.shape, read.match, read.between) == (Shape.TEXT, "loss (.*)", ("^## Run 3$", "^## "))


@pytest.mark.parametrize(
    ("take", "takes"),
    [
        ("sum", (Take("sum"),)),
        ("mean of 3", (Take("mean", 3),)),
        ("p99.9", (Take("p", None, Fraction(999, 10)),)),
        ("p50 of 7", (Take("p", 7, Fraction(50)),)),
        ("[last, mean of 7]", (Take("last"), Take("mean", 7))),
        ("p100", (Take("p", None, Fraction(100)),)),
    ],
)
def test_takes(take: str, takes: tuple[Take, ...]) -> None:
    assert only_read(f"{{column: a, take: {take}}}").take == takes


@pytest.mark.parametrize(
    "take",
    [
        "average",
        "p101",
        "p",
        "mean of",
        "mean of 0",
        "mean of three",
        "[last]",
        "[a, b, c]",
        "mean of 3 of 4",
        "Sum",
    ],
)
def test_what_is_no_take_is_a_problem(take: str) -> None:
    assert problem(written(read=f"{{column: a, take: {take}}}")).code == "bad-take"


def test_a_mistyped_take_is_told_the_nearest() -> None:
    assert "did you mean `median`?" in problem(written(read="{column: a, take: medain}")).hint


@pytest.mark.parametrize(
    ("read", "code", "message"),
    [
        ("{unit: s}", "missing-key", "no `path`, `column` or `match`"),
        ("{column: a, path: $.b}", "bad-read", "`path` and `column`"),
        ("{match: a, where: b}", "bad-read", "`where` goes with `column`"),
        ("{path: $.a, table: 1}", "bad-read", "`table` goes with `column`"),
        ("{path: $.a, header: no}", "bad-read", "`header` goes with `column`"),
        ("{column: a, between: [b, c]}", "bad-read", "`between` goes with `match`"),
        ("{match: a, between: [b]}", "wrong-type", "two patterns, not 1"),
        ("{match: a, between: b}", "wrong-type", "`between` must be a list of two patterns"),
        ("{column: a, header: maybe}", "wrong-type", "yes or no"),
        ("{column: a, decimal: ;}", "wrong-type", "`.` or `,`"),
        ("{column: a, tkae: sum}", "unknown-key", "unknown key `tkae` in `read`"),
        ("{column: a, unit: mss}", "unknown-unit", "mss"),
        ("self_device", "wrong-type", "must be a mapping, not text"),
    ],
)
def test_keys_of_a_read_go_together(read: str, code: str, message: str) -> None:
    found = problem(written(read=read))
    assert found.code == code
    assert message in found.message
    assert found.place.line == FENCE + 5


# Rules between the keys --------------------------------------------------------------------------------


def test_a_yes_no_claim_needs_no_place_for_its_value() -> None:
    assert claim(written(says="The loss diverges.", value="yes")).says == "The loss diverges."


@pytest.mark.parametrize("says", ['"It takes a while."', '"{value} of {Loss}"', '"{ value }"', '"{Value}"'])
def test_a_sentence_has_its_value_and_no_other_placeholder(says: str) -> None:
    found = problem(written(says=says))
    assert (found.code, found.place.line) == ("bad-says", FENCE + 2)


def test_a_sentence_over_several_lines_is_one_line() -> None:
    assert claim(written(says="|\n  It takes\n  {value}.")).says == "It takes {value}."
    assert claim(written(says="It takes\n  {value}.")).says == "It takes {value}."


@pytest.mark.parametrize("value", ["22-43 %", "0.120 ± 0.020"])
def test_a_range_looks_at_all_readings(value: str) -> None:
    assert claim(written(value=value, read="{column: a}")).stated.form in (Form.RANGE, Form.SPREAD)
    taken = problem(written(value=value))
    assert (taken.code, taken.place.line) == ("bad-range", FENCE + 5)
    derived = problem(written(value=value, evidence=None, read=None, derive='"{a} / {b}"'))
    assert (derived.code, derived.place.line) == ("bad-range", FENCE + 4)
    named = problem(written(value=value, read="{a: {path: $.a}}", derive="a"))
    assert (named.code, named.place.line) == ("bad-range", FENCE + 6)


def test_a_range_may_be_reported() -> None:
    assert (
        claim(written(value="22-43 %", evidence=None, read=None, reported="{by: x}")).stated.form
        is Form.RANGE
    )


@pytest.mark.parametrize(
    ("value", "tolerance", "code"),
    [
        ("0 ms", "2 %", "bad-tolerance"),
        ("5 ms", "3 GiB", "bad-tolerance"),
        ("5 ms", "3", "bad-tolerance"),
        ("5", "3 ms", "bad-tolerance"),
        ("~5 ms", "1 ms", "bad-tolerance"),
        ("exactly 5 ms", "1 ms", "bad-tolerance"),
        ("at least 5 ms", "1 ms", "bad-tolerance"),
        ("yes", "1 ms", "bad-tolerance"),
        ("5 ms", "a little", "bad-tolerance"),
    ],
)
def test_a_tolerance_goes_with_a_plain_number_of_its_kind(value: str, tolerance: str, code: str) -> None:
    found = problem(written(value=value, tolerance=tolerance))
    assert (found.code, found.place.line) == (code, FENCE + 6)


@pytest.mark.parametrize(
    ("value", "tolerance"),
    [("5 ms", "2 %"), ("5 ms", "100 us"), ("65 %", "0.5 pp"), ("0 ms", "1 ms"), ("7", "1")],
)
def test_tolerances_that_fit(value: str, tolerance: str) -> None:
    read = claim(written(value=value, tolerance=tolerance)).tolerance
    assert read is not None
    assert read.text == tolerance


def test_a_value_that_cannot_be_read_is_a_problem_on_its_line() -> None:
    found = problem(written(value="5 secnds"))
    assert found.place.line == FENCE + 3


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"id": "Attention_Time"}, "bad-id"),
        ({"id": "-a"}, "bad-id"),
        ({"superseded": "{by: attention-time, on: 2026-08-26, because: x}"}, "bad-superseded"),
        ({"superseded": "{by: B, on: 2026-08-26, because: x}"}, "bad-id"),
        ({"superseded": "{by: b, because: x}"}, "missing-key"),
        ({"superseded": "{by: b, on: 2026-08-26}"}, "missing-key"),
        ({"superseded": "encode-rebuild"}, "wrong-type"),
        ({"severity": "warn"}, "wrong-type"),
        ({"severity": "{level: warn}"}, "missing-key"),
        ({"severity": "{level: ignore, because: x}"}, "bad-severity"),
        ({"tags": "throughput"}, "wrong-type"),
        ({"tags": "[a, [b]]"}, "wrong-type"),
        ({"probe": "[a]"}, "wrong-type"),
        ({"owner": ""}, "missing-key"),
    ],
)
def test_other_keys_are_checked(changes: dict[str, str | None], code: str) -> None:
    assert problem(written(**changes)).code == code


# Unknown, missing, repeated, unsupported ---------------------------------------------------------------


@pytest.mark.parametrize("key", ["id", "says", "value"])
def test_a_missing_key_is_named(key: str) -> None:
    found = problem(written(**{key: None}))
    assert found.code == "missing-key"
    assert found.message == f"`{key}` is missing"


def test_an_unknown_key_is_told_the_nearest_and_its_own_line() -> None:
    found = problem(written(vaule="5"))
    assert (found.code, found.place.line) == ("unknown-key", FENCE + 6)
    assert found.hint == "did you mean `value`?"


def test_a_key_in_the_wrong_place_is_told_the_right_one() -> None:
    assert problem(written(take="sum")).hint == "`take` belongs inside `read`"
    assert "beside" in problem(written(read="{column: a, evidence: b}")).hint


@pytest.mark.parametrize("value", ["x", "{file: README.md}", "[a]", ""])
def test_a_page_binds_no_table_of_another_file(value: str) -> None:
    found = problem(written(table_in=value))
    assert found.code == "unsupported-key"
    assert found.message == "`table_in` belongs to a table of claims in a claims file, beside its `columns`"
    assert found.hint.startswith("leave it out")


@pytest.mark.parametrize("key", ["key", "columns", "rows"])
def test_a_key_of_tables_is_told_where_it_belongs(key: str) -> None:
    found = problem(written(**{key: "{a: b}"}))
    assert found.code == "unsupported-key"
    assert found.message == f"`{key}` belongs to a block marked `claims`, which binds the table after it"
    assert "in a claims file name the table by `table_in`" in found.hint


def test_stated_in_is_named_rather_than_the_value_it_stands_for() -> None:
    assert (
        problem(written(value=None, stated_in="{file: README.md}")).message
        == "`match` is missing in `stated_in`"
    )


def test_repeated_keys_are_problems_also_inside() -> None:
    top = problem(written() + "id: b\n")
    assert (top.code, top.place.line) == ("repeated-key", FENCE + 6)
    assert "first on line 11" in top.message
    inner = problem(written(read="\n  column: a\n  take: sum\n  column: b"))
    assert (inner.code, inner.place.line) == ("repeated-key", FENCE + 8)
    assert problem(written(read="{column: a, column: b}")).code == "repeated-key"


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (written(vaule="5"), "attention-time"),
        (written(value="> 5 ms"), "attention-time"),
        (written(id="'quoted-id'", value="**5**"), "quoted-id"),
        ("{id: flow-id, value: %}\n", "flow-id"),
        ('{"id": "json-id"}\n', "json-id"),
        (written(id="Bad_Id"), "Bad_Id"),
        ("vaule: 5\n", None),
    ],
)
def test_a_malformed_block_carries_the_id_that_it_names(body: str, name: str | None) -> None:
    with pytest.raises(Malformed) as caught:
        read_block(block(body), UNITS, "")
    assert caught.value.id == name
    assert caught.value.problem.about == ((name,) if name else ())


def test_line_endings_do_not_matter() -> None:
    for ending in ("\r\n", "\r"):
        read = claim(written().replace("\n", ending))
        assert (read.stated.text, read.place.line) == ("22,835.8 ms", FENCE + 3)
