"""Charts drawn from claims, with a marked limit, with several ways of drawing and several sets of places."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recording_support import commit_all, git, stilltrue_in, write
from stilltrue import config
from stilltrue.cache import Cache
from stilltrue.check import Trail, check, select
from stilltrue.claims import Malformed, read_chart
from stilltrue.config import Config
from stilltrue.evidence import Library
from stilltrue.model import Block, Chart, ChartKind, ClaimsNamed, Limit, Place, Plot, Report
from stilltrue.quantity import Quantity, Text

FENCE = "```"
CLAIMS = """\
- id: found
  says: "It holds {value}."
  value: ~10 GiB
  evidence: e.json
  read: {path: $.bytes, unit: bytes}
- id: quoted
  says: "It is reported to hold {value}."
  value: 81.93 GiB
  reported: {by: someone}
- id: rests
  says: "Half of that is {value}."
  value: 41.0 GiB
  derive: "{quoted} / 2"
- id: old
  says: "It was thought to hold {value}."
  value: 5 GiB
  reported: {by: someone}
  superseded: {by: found, on: 2026-08-26, because: measured}
- id: text
  says: "It ended in {value}."
  value: OOM
  reported: {by: someone}
- id: range
  says: "It holds {value}."
  value: 1-2 GiB
  reported: {by: someone}
- id: bound
  says: "It holds {value}."
  value: at least 2 GiB
  reported: {by: someone}
- id: time
  says: "It takes {value}."
  value: 3 s
  reported: {by: someone}
- id: drifted
  says: "It holds {value}."
  value: 9 GiB
  evidence: e.json
  read: {path: $.bytes, unit: bytes}
- id: broken
  says: "It holds {value}."
  value: 9 GiB
  evidence: e.json
  read: {path: $.gone, unit: bytes}
- id: malformed
  value: 9 GiB
"""
BYTES = 10_790_000_000
EVIDENCE = {
    "bytes": BYTES,
    "rows": [
        {"w": 1, "ms": 10, "miss": -0.5},
        {"w": 4, "ms": 30, "miss": 0.25},
        {"w": 16, "ms": 90, "miss": 0},
    ],
    "curve": [{"w": 1 + k / 4, "ms": 5 + k} for k in range(61)],
}
BARS = """\
title: Memory
kind: bars
x: {label: run, names: [one, two, three]}
y: {label: memory, unit: GiB}
series:
  reported: {claims: [quoted, -, found]}
"""
LINES = """\
title: A fit
kind: points
evidence: e.json
x: {label: width, scale: log, read: {path: "$.rows[*].w"}}
y: {label: time, unit: ms}
series:
  measured: {path: "$.rows[*].ms", unit: ms}
  fitted: {path: "$.curve[*].ms", unit: ms, as: line, x: {path: "$.curve[*].w"}}
"""


def read(body: str) -> Chart:
    return read_chart(Block("chart", body, Place("docs/a.md", 10), 20), Config(Path()).units, "docs")


def put(root: Path, body: str, claims: str = CLAIMS) -> None:
    write(
        root,
        {
            "stilltrue.toml": 'pages = ["docs/**/*.md"]\n',
            "e.json": json.dumps(EVIDENCE),
            "claims/a.yml": claims,
            "docs/a.md": f"# Page\n\n{FENCE}chart\n{body}{FENCE}\n",
        },
    )


def checked(root: Path, body: str) -> Report:
    put(root, body)
    return check(Config(root))


def plot(root: Path, body: str) -> Plot:
    report = checked(root, body)
    (drawn,) = report.charts
    assert [p for p in report.problems if p.place.path == "docs/a.md"] == []
    return drawn


def shown(drawn: Plot) -> list[list[float | None]]:
    return [[None if h is None else round(float(h), 4) for h in line.heights] for line in drawn.lines]


# The block ---------------------------------------------------------------------------------------------


def test_a_series_names_claims_in_place_of_a_read() -> None:
    chart = read(BARS)
    assert chart.series[0].source == ClaimsNamed(("quoted", "", "found"))
    assert (chart.patterns, chart.along) == ((), (Text("one"), Text("two"), Text("three")))
    assert chart.claims == ("quoted", "found")


def test_a_list_below_the_key_is_the_same_list() -> None:
    below = BARS.replace(
        "{claims: [quoted, -, found]}", "\n    claims:\n      - quoted\n      - '-'\n      - found"
    )
    assert read(below).series == read(BARS).series


def test_a_series_says_how_it_is_drawn_and_where() -> None:
    measured, fitted = read(LINES).series
    assert (measured.drawn, measured.along) == (ChartKind.POINTS, None)
    assert fitted.drawn is ChartKind.LINE
    assert fitted.along is not None
    assert fitted.along.path == "$.curve[*].w"


def test_numbers_may_stand_along_the_bottom_by_name() -> None:
    body = BARS.replace("bars", "line").replace("one, two, three", "'1,024', 2048, 4096")
    units = [value.number for value in read(body).along if isinstance(value, Quantity)]  # type: ignore[union-attr]  # a tuple here
    assert units == [1024, 2048, 4096]


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("{label: the card, claim: quoted}", "quoted"),
        ("{label: the card, value: 95.6 GiB}", Fraction("95.6")),
    ],
    ids=["claim", "value"],
)
def test_a_limit_is_a_claim_or_a_value(limit: str, value: object) -> None:
    found = read(f"{BARS}limit: {limit}\n").limit
    assert isinstance(found, Limit)
    assert (found.label, found.value if isinstance(found.value, str) else found.value.number) == (
        "the card",
        value,
    )


BAD = {
    "no places": (BARS, "names: [one, two, three]", "unit: s", "missing-key", "`read` is missing in `x`"),
    "places twice": (
        LINES,
        'read: {path: "$.rows[*].w"}',
        "read: {path: $.a}, names: [a]",
        "missing-key",
        "both",
    ),
    "a word on a line": (BARS, "kind: bars", "kind: line", "bad-chart", "`one` in `x.names` is no number"),
    "evidence for nothing": (
        BARS,
        "kind: bars",
        "kind: bars\nevidence: e.json",
        "bad-chart",
        "no read of this chart",
    ),
    "a read without evidence": (LINES, "evidence: e.json\n", "", "missing-key", "`evidence` is missing"),
    "a read beside claims": (
        BARS,
        "{claims:",
        "{path: $.a, claims:",
        "bad-chart",
        "`path` stands beside `claims`",
    ),
    "claims that are text": (BARS, "[quoted, -, found]", "quoted", "wrong-type", "`claims` must be a list"),
    "no claims": (BARS, "[quoted, -, found]", "[]", "missing-key", "`claims` is an empty list"),
    "superseded maybe": (
        BARS,
        "found]}",
        "found], superseded: maybe}",
        "wrong-type",
        "`superseded` must be yes or no",
    ),
    "superseded beside a read": (
        LINES,
        "as: line",
        "superseded: yes",
        "unknown-key",
        "unknown key `superseded`",
    ),
    "as a bar": (LINES, "as: line", "as: bars", "bad-chart", "`bars` is no way to draw a series"),
    "bars as a line": (
        BARS,
        "found]}",
        "found], as: line}",
        "bad-chart",
        "has `as`, and bars stand side by side",
    ),
    "bars elsewhere": (BARS, "found]}", "found], x: {path: $.a}}", "bad-chart", "has `x`, and bars stand"),
    "an x that is text": (
        LINES,
        'x: {path: "$.curve[*].w"}}',
        "x: w}",
        "wrong-type",
        "`x` must be a mapping",
    ),
    "a take in x": (
        LINES,
        '"$.curve[*].w"}',
        '"$.curve[*].w", take: max}',
        "bad-chart",
        "`series.fitted.x` has a",
    ),
    "a limit without a height": (BARS, "y:", "limit: {label: a}\ny:", "bad-chart", "`limit` has no height"),
    "two limits": (
        BARS,
        "y:",
        "limit: {label: a, claim: b, value: 1}\ny:",
        "bad-chart",
        "both `claim` and `value`",
    ),
    "a limit without a name": (
        BARS,
        "y:",
        "limit: {claim: b}\ny:",
        "missing-key",
        "`label` is missing in `limit`",
    ),
    "a limit that is a range": (
        BARS,
        "y:",
        "limit: {label: a, value: 1-2 s}\ny:",
        "bad-chart",
        "no single number",
    ),
    "a limit that is a word": (
        BARS,
        "y:",
        "limit: {label: a, value: OOM}\ny:",
        "bad-chart",
        "no single number",
    ),
    "a limit of no unit": (BARS, "y:", "limit: {label: a, value: 3 gb/blorp}\ny:", "bad-value", "blorp"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_block_that_is_wrong_says_what(name: str) -> None:
    body, old, new, code, message = BAD[name]
    assert old in body
    with pytest.raises(Malformed) as caught:
        read(body.replace(old, new))
    problem = caught.value.problem
    assert problem.code == code
    assert message in problem.message
    assert 10 <= problem.place.line <= 20
    assert problem.hint


@settings(max_examples=60, deadline=None)
@given(
    st.text(st.characters(codec="utf-8"), max_size=60),
    st.sampled_from(["names", "claims", "superseded", "as", "x", "label", "claim", "value"]),
)
def test_whatever_stands_in_a_key_is_a_chart_or_a_problem(value: str, key: str) -> None:
    body = LINES.replace("as: line", f"{key}: {value}") if key in ("as", "x") else BARS
    if key == "names":
        body = body.replace("names: [one, two, three]", f"names: {value}")
    if key in ("claims", "superseded"):
        body = body.replace("{claims: [quoted, -, found]}", f"{{{key}: {value}}}")
    if key in ("label", "claim", "value"):
        body += f"limit: {{{key}: {value}}}\n"
    try:
        read(body)
    except Malformed as malformed:
        assert malformed.problem.message  # nothing else may be raised


# The heights -------------------------------------------------------------------------------------------


def test_a_claim_that_holds_gives_what_was_found_and_a_quoted_one_what_is_stated(tmp_path: Path) -> None:
    drawn = plot(tmp_path, BARS)
    assert drawn.names == ("one", "two", "three")
    assert shown(drawn) == [[81.93, None, round(BYTES / 2**30, 4)]]
    assert drawn.files == ()


def test_what_is_derived_from_a_quoted_figure_gives_what_is_stated(tmp_path: Path) -> None:
    assert shown(plot(tmp_path, BARS.replace("[quoted, -, found]", "[rests, rests, -]"))) == [[41, 41, None]]


def test_without_a_unit_the_first_claim_that_there_is_gives_it(tmp_path: Path) -> None:
    drawn = plot(tmp_path, BARS.replace(", unit: GiB", "").replace("[quoted, -, found]", "[-, quoted, -]"))
    assert (drawn.y_unit.symbol, shown(drawn)) == ("GiB", [[None, 81.93, None]])


def test_claims_and_evidence_stand_in_one_chart(tmp_path: Path) -> None:
    body = BARS.replace("kind: bars", "kind: bars\nevidence: e.json")
    drawn = plot(tmp_path, body + "  read: {path: '$.rows[*].w', unit: GiB}\n")
    assert shown(drawn)[1] == [1, 4, 16]
    assert drawn.files == ("e.json",)


def test_an_old_value_is_drawn_where_the_series_says_so(tmp_path: Path) -> None:
    body = BARS.replace("[quoted, -, found]}", "[old, -, found], superseded: yes}")
    assert shown(plot(tmp_path, body))[0][0] == 5


def test_a_limit_is_drawn_in_the_unit_of_the_axis(tmp_path: Path) -> None:
    by_value = plot(tmp_path, f"{BARS}limit: {{label: the card, value: 2048 MiB}}\n")
    by_claim = plot(tmp_path, f"{BARS}limit: {{label: the card, claim: found}}\n")
    assert by_value.limit == 2
    assert by_claim.limit == Fraction(BYTES, 2**30)
    assert by_claim.chart.claims == ("quoted", "found")


def test_a_series_may_have_places_of_its_own(tmp_path: Path) -> None:
    drawn = plot(tmp_path, LINES)
    measured, fitted = drawn.lines
    assert ([int(p) for p in measured.places], measured.own) == ([1, 4, 16], False)
    assert (len(fitted.places), int(fitted.places[-1]), int(fitted.known[-1]), fitted.own) == (
        61,
        16,
        65,
        True,
    )
    assert drawn.places == measured.places


def test_readings_may_lie_below_zero(tmp_path: Path) -> None:
    drawn = plot(tmp_path, LINES.replace('"$.rows[*].ms"', '"$.rows[*].miss"'))
    assert shown(drawn)[0] == [-0.5, 0.25, 0]


UNDRAWN = {
    "an unknown claim": (
        "[fuond, -, found]",
        "unknown-id",
        "it names `fuond`, which no claim has",
        "`found`",
    ),
    "a superseded one": (
        "[old, -, found]",
        "bad-chart",
        "its claim `old` is superseded",
        "name `found` instead",
    ),
    "a word": ("[text, -, found]", "bad-chart", "states `OOM`, which is no single number", "write `-`"),
    "a range": ("[range, -, found]", "bad-chart", "states `1-2 GiB`, which is no single number", "write `-`"),
    "a bound": ("[bound, -, found]", "bad-chart", "states `at least 2 GiB`, which is no single", "write `-`"),
    "another unit": (
        "[time, -, found]",
        "bad-chart",
        "is `3 s`, which has no place on an axis in `GiB`",
        "units",
    ),
    "too few": ("[quoted, found]", "bad-chart", "`x` has 3 names and `reported` has 2 claims", "or `-`"),
    "too many": (
        "[quoted, -, -, found]",
        "bad-chart",
        "`x` has 3 names and `reported` has 4 claims",
        "or `-`",
    ),
    "nothing at all": ("[-, -, -]", "bad-chart", "`reported` has no height at all", "name a claim"),
}


@pytest.mark.parametrize("name", UNDRAWN)
def test_a_claim_that_gives_no_height_is_a_problem_of_the_chart(tmp_path: Path, name: str) -> None:
    claims, code, says, hint = UNDRAWN[name]
    report = checked(tmp_path, BARS.replace("[quoted, -, found]", claims))
    assert report.charts == ()
    (problem,) = [p for p in report.problems if p.place.path == "docs/a.md"]
    assert (problem.code, problem.place.line, problem.claim) == (code, 3, None)
    assert problem.message.startswith("this chart cannot be drawn: ")
    assert says in problem.message
    assert hint in problem.hint


@pytest.mark.parametrize("name", ["drifted", "broken"])
def test_a_claim_that_failed_itself_is_not_counted_twice(tmp_path: Path, name: str) -> None:
    report = checked(tmp_path, BARS.replace("quoted", name))
    assert report.charts == ()
    (problem,) = [p for p in report.problems if p.place.path == "docs/a.md"]
    assert problem.claim == name
    assert f"its claim `{name}` is {name}" in problem.message
    assert [j.claim.id for j in report.judgements if j.fails] == ["drifted", "broken"]


def test_a_claim_that_cannot_be_read_is_not_reported_again(tmp_path: Path) -> None:
    report = checked(tmp_path, BARS.replace("quoted", "malformed"))
    assert report.charts == ()
    assert [p.place.path for p in report.problems] == ["claims/a.yml"]


@pytest.mark.parametrize(
    ("limit", "says"),
    [
        ("claim: gone", "it names `gone`, which no claim has as its id"),
        ("claim: old", "its claim `old` is superseded"),
        ("claim: text", "states `OOM`"),
        ("value: 3 s", "a reading of `limit` is `3 s`"),
    ],
    ids=["unknown", "superseded", "text", "unit"],
)
def test_a_limit_without_a_height_is_a_problem(tmp_path: Path, limit: str, says: str) -> None:
    report = checked(tmp_path, f"{BARS}limit: {{label: the card, {limit}}}\n")
    (problem,) = [p for p in report.problems if p.place.path == "docs/a.md"]
    assert (problem.place.line, says in problem.message) == (3, True)
    assert "superseded: yes" not in problem.hint  # which only a series has


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ('"$.curve[*].w"', '"$.rows[*].w"', "`fitted.x` has 3 readings and `fitted` has 61 readings"),
        ('"$.curve[*].w"', '"$.curve[*].gone"', "gone"),
        ('"$.curve[*].w"', '"$.rows[*].miss"', "`fitted.x` has 3 readings and `fitted` has 61"),
        ('"$.rows[*].w"', '"$.rows[*].miss"', "a reading of `x` is `-0.5`, and the scale is `log`"),
    ],
    ids=["another count", "no reading", "other rows", "log of less"],
)
def test_own_places_are_held_to_what_places_are(tmp_path: Path, old: str, new: str, says: str) -> None:
    report = checked(tmp_path, LINES.replace(old, new))
    (problem,) = [p for p in report.problems if p.place.path == "docs/a.md"]
    assert says in problem.message


# What else knows of them -------------------------------------------------------------------------------


def test_asking_for_a_claim_shows_the_chart_that_it_keeps_from_being_drawn(tmp_path: Path) -> None:
    report = select(checked(tmp_path, BARS.replace("quoted", "old")), ["old"])
    assert [(p.code, p.place.path) for p in report.problems] == [("bad-chart", "docs/a.md")]


def test_a_claim_tells_which_charts_are_drawn_from_it(tmp_path: Path) -> None:
    put(tmp_path, BARS)
    assert "  drawn       docs/a.md:3  Memory\n" in stilltrue_in(tmp_path, "show", "quoted").out
    assert "  drawn" not in stilltrue_in(tmp_path, "show", "rests").out


SOUND = CLAIMS[: CLAIMS.index("- id: drifted")]


@pytest.fixture
def sound(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    put(tmp_path, BARS, SOUND)
    commit_all(tmp_path)
    done = stilltrue_in(tmp_path, "check")
    assert done.code == 0, done.out
    return tmp_path


def _supersede(root: Path) -> None:
    old = "  superseded: {on: 2026-08-26, because: no}\n"
    text = SOUND.replace("  value: 81.93 GiB\n", f"  value: 81.93 GiB\n{old}")
    write(root, {"claims/a.yml": text.replace("  value: 41.0 GiB\n", f"  value: 41.0 GiB\n{old}")})


def _rename(root: Path) -> None:
    write(
        root, {"claims/a.yml": SOUND.replace("- id: found", "- id: other").replace("by: found", "by: other")}
    )


def _drift(root: Path) -> None:
    write(root, {"e.json": json.dumps({**EVIDENCE, "bytes": 2 * BYTES})})


CHANGES: dict[str, tuple[Callable[[Path], None], str]] = {
    "superseded": (_supersede, "its claim `quoted` is superseded"),
    "renamed": (_rename, "it names `found`, which no claim has as its id"),
    "drifted": (_drift, "its claim `found` is drifted"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_second_check_notices_what_a_chart_is_drawn_from(sound: Path, name: str) -> None:
    change, says = CHANGES[name]
    change(sound)
    for asked in (["check"], ["check", "--changed-since", "HEAD"]):
        done = stilltrue_in(sound, *asked)
        assert done.code == 1
        assert says in " ".join(done.out.split())
        assert "docs/a.md:3" in done.out


@pytest.mark.usefixtures("settled")
@pytest.mark.parametrize("name", CHANGES)
def test_a_remembered_check_is_forgotten_when_a_claim_of_a_chart_changes(tmp_path: Path, name: str) -> None:
    put(tmp_path, BARS, SOUND)
    settings, library, trail = config.load(tmp_path), Library(Config(tmp_path)), Trail()
    assert check(settings, library=library, trail=trail).ok
    cache = Cache(tmp_path, "text")
    cache.keep(settings, library.inputs(), trail, "the report", time.time())
    assert cache.find() == "the report"
    CHANGES[name][0](tmp_path)
    assert cache.find() is None


def test_the_page_about_charts_shows_what_is_printed(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs/tool/charts.md").read_text(encoding="utf-8")
    shown = page.split('````markdown title="docs/memory.md"\n')[1].split("````")[0]
    evidence = page.split('```json title="results/predicted.json"\n')[1].split("```")[0]
    output = page.split("$ stilltrue check\n")[1].split("```")[0]
    toml = 'pages = ["docs/**/*.md"]\n'
    write(tmp_path, {"docs/memory.md": shown, "results/predicted.json": evidence, "stilltrue.toml": toml})
    assert stilltrue_in(tmp_path, "check").out == output
    (drawn,) = check(config.load(tmp_path)).charts
    assert [line.heights[1] is None for line in drawn.lines] == [True, False]
