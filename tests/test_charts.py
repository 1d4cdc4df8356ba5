"""Charts: the block as written, the readings that it takes, and every way in which it cannot be drawn."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.check import check
from stilltrue.claims import CHART_KEYS, Malformed, read_chart
from stilltrue.config import Config
from stilltrue.model import Block, Chart, ChartKind, Place, Read, Report
from stilltrue.pages import scan

FENCE = "```"
ROWS = [
    {"n": 2, "a": 0.25, "b": 0.5, "ms": "3 ms", "w": "x"},
    {"n": 8, "a": 0.125, "b": 1, "ms": "4 s", "w": "y"},
]
BODY = """\
title: A title
kind: line
evidence: e.json
x: {label: bucket, scale: log, read: {path: "$[*].n"}}
y: {label: padding, unit: '%'}
series:
  first one: {path: "$[*].a"}
  second: {path: "$[*].b"}
"""


def block(body: str) -> Block:
    return Block("chart", body, Place("docs/a.md", 10), 20)


def read(body: str) -> Chart:
    return read_chart(block(body), Config(Path()).units, "docs")


def path_of(source: object) -> str:
    assert isinstance(source, Read)
    return source.path


def checked(root: Path, body: str, rows: object = ROWS) -> Report:
    (root / "docs").mkdir(exist_ok=True)
    (root / "e.json").write_text(json.dumps(rows), encoding="utf-8")
    (root / "docs" / "a.md").write_text(f"# Page\n\n{FENCE}chart\n{body}{FENCE}\n", encoding="utf-8")
    return check(Config(root))


def wrong(root: Path, body: str, rows: object = ROWS) -> tuple[str, int, str]:
    """Code, line and message of the one problem."""
    report = checked(root, body, rows)
    assert not report.ok
    assert report.charts == ()
    (problem,) = report.problems
    assert problem.place.path == "docs/a.md"
    assert problem.hint
    return problem.code, problem.place.line, problem.message


# The block ---------------------------------------------------------------------------------------------


def test_a_block_is_a_chart() -> None:
    chart = read(BODY + "note: Both begin at 0.\n")
    assert (chart.title, chart.kind, chart.patterns, chart.note) == (
        "A title", ChartKind.LINE, ("e.json",), "Both begin at 0.",
    )  # fmt: skip
    assert (chart.x.label, chart.x.log, chart.x.unit, chart.x.zero) == ("bucket", True, None, False)
    assert (chart.y.label, chart.y.log, chart.y.zero) == ("padding", False, True)
    assert chart.y.unit is not None
    assert chart.y.unit.symbol == "%"
    sources = [(s.label, s.source, s.drawn, s.along) for s in chart.series]
    assert [(label, path_of(source), *rest) for label, source, *rest in sources] == [
        ("first one", "$[*].a", ChartKind.LINE, None),
        ("second", "$[*].b", ChartKind.LINE, None),
    ]
    assert path_of(chart.along) == "$[*].n"


def test_evidence_beside_the_page_is_found() -> None:
    assert read(BODY.replace("e.json", "./e.json")).patterns == ("docs/e.json",)


BAD: dict[str, tuple[str, str, str, str]] = {
    "no title": ("title: A title\n", "", "missing-key", "`title` is missing"),
    "an unknown key": ("kind: line", "kind: line\ncolour: red", "unknown-key", "unknown key `colour`"),
    "an unknown kind": ("kind: line", "kind: lines", "bad-chart", "`lines` is no kind of chart"),
    "an unknown scale": ("scale: log", "scale: ln", "bad-chart", "`ln` is no scale"),
    "an unknown unit": ("unit: '%'", "unit: blorps", "unknown-unit", "blorps"),
    "a take": ('"$[*].a"', '"$[*].a", take: max', "bad-chart", "`series.first one` has a `take`"),
    "a take along": ('"$[*].n"', '"$[*].n", take: max', "bad-chart", "`x.read` has a `take`"),
    "no read in x": (', read: {path: "$[*].n"}', "", "missing-key", "`read` is missing in `x`"),
    "a read in y": (
        "{label: padding",
        "{read: no, label: padding",
        "unknown-key",
        "unknown key `read` in `y`",
    ),
    "a series that is text": ('{path: "$[*].b"}', "b", "bad-chart", "`series.second` is no read"),
    "no shape": ('path: "$[*].b"', "unit: ms", "missing-key", "no `path`, `column` or `match`"),
    "zero": ("unit: '%'}", "unit: '%', zero: maybe}", "wrong-type", "`zero` must be yes or no"),
    "log bars": ("kind: line", "kind: bars", "bad-chart", "bars"),
    "a tag": ("A title", "!!python/object:os.system x", "bad-yaml", "YAML tag"),
    "two titles": ("kind: line", "kind: line\ntitle: B", "repeated-key", "`title` is written twice"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_block_that_is_wrong_says_what(name: str) -> None:
    old, new, code, message = BAD[name]
    assert old in BODY
    with pytest.raises(Malformed) as caught:
        read(BODY.replace(old, new))
    problem = caught.value.problem
    assert problem.code == code
    assert message in problem.message
    assert 10 <= problem.place.line <= 20
    assert problem.hint


@pytest.mark.parametrize(
    "body", ["", "\n", "just-a-word\n", "- a\n- b\n"], ids=["empty", "blank", "word", "list"]
)
def test_a_block_without_keys_is_no_chart(body: str) -> None:
    with pytest.raises(Malformed) as caught:
        read(body)
    assert caught.value.problem.code == "bad-chart"


def test_bars_may_not_hide_their_foot() -> None:
    body = BODY.replace("kind: line", "kind: bars").replace("scale: log, ", "")
    assert read(body).kind is ChartKind.BARS
    with pytest.raises(Malformed, match="do not begin at 0"):
        read(body.replace("unit: '%'}", "unit: '%', zero: no}"))


def test_more_series_than_can_be_told_apart_are_refused() -> None:
    more = "".join(f"  s{n}: {{path: $.a}}\n" for n in range(5))
    with pytest.raises(Malformed, match="told apart up to 6"):
        read(BODY + more)


@settings(max_examples=60, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=80), st.sampled_from(sorted(CHART_KEYS)))
def test_whatever_stands_in_a_key_is_a_chart_or_a_problem(value: str, key: str) -> None:
    lines = [line for line in BODY.splitlines() if not line.startswith((f"{key}:", "  ", "series"))]
    try:
        read("\n".join([*lines, f"{key}: {value}", ""]))
    except Malformed as malformed:
        assert malformed.problem.message  # nothing else may be raised


# The page ----------------------------------------------------------------------------------------------


def test_charts_are_found_where_claims_are() -> None:
    inner = f"{FENCE}chart\n{BODY}{FENCE}\n"
    text = f"text\n\n{inner}\n````markdown\n{inner}````\n\n<!--\n{inner}-->\n\n!!! note\n\n"
    text += "".join(f"    {line}\n" for line in inner.splitlines())
    page = scan("a.md", text)
    assert [chart.place.line for chart in page.charts] == [
        3,
        text.splitlines().index(f"    {FENCE}chart") + 1,
    ]
    assert [chart.body for chart in page.charts] == [BODY, BODY]
    assert (page.blocks, page.problems) == ((), ())


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (f"{FENCE}chart\n{BODY}", "unclosed-fence", "this chart block is not closed"),
        (f"{FENCE}Chart\n{BODY}{FENCE}\n", "unseen-block", "`Chart` marks no chart block"),
        (f"* {FENCE}chart\n{BODY}{FENCE}\n", "unseen-block", "right behind a list marker"),
    ],
    ids=["open", "capital", "list"],
)
def test_a_fence_that_is_no_clear_chart_is_a_problem(text: str, code: str, message: str) -> None:
    page = scan("a.md", text)
    assert page.charts == ()
    assert [problem.code for problem in page.problems] == [code]
    assert message in page.problems[0].message


def test_a_chart_does_not_part_a_table_from_its_block() -> None:
    text = f"{FENCE}claims\nid: a\n{FENCE}\n\n{FENCE}chart\n{BODY}{FENCE}\n\n| a |\n|---|\n| 1 |\n"
    page = scan("a.md", text)
    assert len(page.charts) == 1
    assert page.blocks[0].table is not None


# The readings ------------------------------------------------------------------------------------------


def test_readings_are_drawn_in_the_unit_of_the_axis(tmp_path: Path) -> None:
    report = checked(tmp_path, BODY)
    assert report.ok
    assert report.files == ("e.json",)
    (plot,) = report.charts
    assert plot.names == ("2", "8")
    assert list(plot.places) == [2, 8]
    assert [list(line.heights) for line in plot.lines] == [[25, Fraction(25, 2)], [50, 100]]
    assert (plot.x_unit.symbol, plot.y_unit.symbol, plot.files) == ("", "%", ("e.json",))


def test_without_a_unit_the_first_reading_gives_it(tmp_path: Path) -> None:
    body = (
        BODY.replace(", unit: '%'", "")
        .replace("$[*].a", "$[*].ms")
        .replace('  second: {path: "$[*].b"}\n', "")
    )
    (plot,) = checked(tmp_path, body).charts
    assert [list(line.heights) for line in plot.lines] == [[3, 4000]]
    assert plot.y_unit.symbol == "ms"


def test_bars_stand_over_words(tmp_path: Path) -> None:
    body = BODY.replace("kind: line", "kind: bars").replace("scale: log, ", "").replace("$[*].n", "$[*].w")
    (plot,) = checked(tmp_path, body).charts
    assert (plot.names, plot.places) == (("x", "y"), ())


def test_tables_and_text_are_read_too(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("n,a\n1,5\n2,7\n", encoding="utf-8")
    body = BODY.replace("e.json", "t.csv").replace('path: "$[*].n"', "column: n")
    body = body.replace('path: "$[*].a"', "column: a").replace('path: "$[*].b"', "match: '(?m)^\\d+,(\\d+)$'")
    (plot,) = checked(tmp_path, body).charts
    assert [list(line.heights) for line in plot.lines] == [[500, 700], [500, 700]]


def without(**changes: Any) -> list[dict[str, Any]]:
    return [{**ROWS[0]}, {**ROWS[1], **changes}]


UNDRAWN: dict[str, tuple[str, str, object, str, str]] = {
    "another count": ('"$[*].b"', '"$[0].b"', ROWS, "bad-chart", "`x` has 2 readings and `second` has 1"),
    "no file": ("e.json", "gone.json", ROWS, "no-file", "gone.json"),
    "no reading": ('"$[*].b"', '"$[*].z"', ROWS, "no-reading", "no"),
    "a word": ('"$[*].b"', '"$[*].w"', ROWS, "bad-chart", "a reading of `second` is `x`, which is no number"),
    "words along": ('"$[*].n"', '"$[*].w"', ROWS, "bad-chart", "a reading of `x` is `x`, which is no number"),
    "NaN": (
        "A title",
        "A title",
        without(b=float("nan")),
        "bad-chart",
        "`second` is `NaN`, which is no number",
    ),
    "infinity": (
        "A title",
        "A title",
        without(a=float("inf")),
        "bad-chart",
        "`Infinity`, which is no number",
    ),
    "null": ("A title", "A title", without(a=None), "not-a-value", "null"),
    "yes": ("A title", "A title", without(a=True), "bad-chart", "`yes`, which is no number"),
    "a list": ("A title", "A title", without(a=[1, 2]), "bad-chart", "which is no number"),
    "another unit": ('"$[*].b"', '"$[*].ms"', ROWS, "bad-chart", "no place on an axis in `%`"),
    "log of zero": ("A title", "A title", without(n=0), "bad-chart", "`0`, and the scale is `log`"),
    "too many digits": (
        '"$[*].b"',
        '"$[*].d"',
        [{**row, "d": "1." + "0" * 400 + str(at)} for at, row in enumerate(ROWS)],
        "bad-chart",
        "a reading of `second` has more digits than can be drawn",
    ),
    "beyond all": ("A title", "A title", without(a=10**200), "bad-chart", "a reading of `first one` is"),
}


@pytest.mark.parametrize("name", UNDRAWN)
def test_a_chart_that_cannot_be_drawn_is_a_problem_at_its_place(tmp_path: Path, name: str) -> None:
    old, new, rows, code, says = UNDRAWN[name]
    assert old in BODY
    found, line, message = wrong(tmp_path, BODY.replace(old, new), rows)
    assert (found, line) == (code, 3)
    assert message.startswith("this chart cannot be drawn: ")
    assert says in message


def test_too_many_bars_are_refused(tmp_path: Path) -> None:
    body = BODY.replace("kind: line", "kind: bars").replace("scale: log, ", "")
    code, _, message = wrong(tmp_path, body, [ROWS[0]] * 61)
    assert (code, "61 readings, and 60" in message) == ("bad-chart", True)


def test_a_project_of_charts_alone_is_something_to_check(tmp_path: Path) -> None:
    assert checked(tmp_path, BODY).ok


def test_a_problem_of_one_chart_leaves_the_others(tmp_path: Path) -> None:
    other = f"{FENCE}\n\n{FENCE}chart\n" + BODY.replace("e.json", "gone.json")
    report = checked(tmp_path, BODY + other)
    assert len(report.charts) == 1
    assert [problem.place.line for problem in report.problems] == [14]
