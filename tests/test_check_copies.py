"""Copies that claims name: every match is judged as a link in prose is."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.cache import Cache
from stilltrue.check import Trail, check, select, texts
from stilltrue.check.copies import written_in
from stilltrue.codes import CODES
from stilltrue.config import Config, Limits
from stilltrue.evidence import Library
from stilltrue.matches import Source
from stilltrue.model import Copy, Place, Problem, Report
from stilltrue.quantity import Form, Units
from stilltrue.report import show_text, to_json, to_text

UNITS = Units.default()
EVIDENCE = "evidence: data.json\nread: {path: $.t, unit: s}"
REPORTED = 'reported: {by: "A guess"}'
GONE = 'superseded: {by: new, on: 2026-08-26, because: "measured"}'


def claim(copies: str, name: str = "a", value: str = "145.5 s", *more: str, source: str = EVIDENCE) -> str:
    lines = [f"id: {name}", 'says: "It is {value}."', f"value: {value}", *source.split("\n"), *more]
    if copies:
        lines.append(f"copies: {copies}")
    return "- " + "\n  ".join(lines) + "\n"


def project(root: Path, claims: str, files: dict[str, str | bytes], found: float = 145.5) -> Report:
    written: dict[str, str | bytes] = {"claims/a.yml": claims, "data.json": json.dumps({"t": found}), **files}
    for name, content in written.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return checked(root)


def checked(root: Path, limits: Limits | None = None) -> Report:
    report = check(Config(root.resolve(), limits=limits or Limits()))
    assert all(problem.code in CODES for problem in report.problems)
    return report


def judged(tmp_path: Path, text: str, match: str = "S=(.*)", **how: str) -> Problem | None:
    """What is wrong with the one copy of a claim of 145.5 s."""
    unit = f", unit: {how['unit']}" if "unit" in how else ""
    value = how.get("value", "145.5 s")
    report = project(
        tmp_path,
        claim(f"[{{file: run.sh, match: '{match}'{unit}}}]", value=value),
        {"run.sh": f"{text}\n"},
        float(how.get("found", "145.5")),
    )
    (copy,) = report.copies
    assert copy.agrees == (not report.problems)
    return report.problems[0] if report.problems else None


# One copy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "145.5 s", "145.5s", "~146 s", "about 2.4 min", "2 min", "145.50 s", "145500 ms", "0:02:25.5",
        "> 100 s", "**145.5 s**", "145.5 seconds", '"145.5 s"', "145.5 s,", "145.5 s of encoding",
    ],
)  # fmt: skip
def test_a_copy_agrees_as_a_link_would(text: str, tmp_path: Path) -> None:
    assert judged(tmp_path, f"S={text}") is None


@pytest.mark.parametrize(
    "text",
    [
        "154.5 s", "145.5", "145.5 ms", "145.5 GiB", "14.55 s", "-145.5 s", "145,5 s", "145.5 secnds", "OOM",
        "yes", "< 100 s", "146.5 s", "", "v145.5", "145.5.1 s",
    ],
)  # fmt: skip
def test_a_copy_that_says_something_else_is_told(text: str, tmp_path: Path) -> None:
    problem = judged(tmp_path, f"S={text}")
    assert problem is not None
    assert (problem.code, problem.place, problem.about) == ("copy-disagrees", Place("run.sh", 1), ("a",))
    assert "`a` was found to be `145.5 s` (claims/a.yml:3)" in problem.message
    assert problem.hint


@pytest.mark.parametrize("text", ["145.5", '"145.5"', "145.5;", "~146"])
def test_a_bare_copy_has_the_unit_that_is_given(text: str, tmp_path: Path) -> None:
    assert judged(tmp_path, f"S={text}", unit="s") is None
    assert judged(tmp_path, f"S={text}", unit="min") is not None


@pytest.mark.parametrize("text", ["145.5 ms", "145.5 lemons", "145.5 per cent"])
def test_what_has_a_unit_takes_no_other(text: str, tmp_path: Path) -> None:
    assert judged(tmp_path, f"S={text}", unit="s") is not None


def test_a_bare_copy_is_told_the_unit_it_lacks(tmp_path: Path) -> None:
    problem = judged(tmp_path, "S=145.5")
    assert problem is not None
    assert "`unit: s`" in problem.hint


def test_tolerance_and_bound_of_the_claim_apply(tmp_path: Path) -> None:
    text = claim("[{file: run.sh, match: 'S=(.*)'}]", "a", "145.5 s", "tolerance: 10 %")
    assert not project(tmp_path, text, {"run.sh": "S=150 s\n"}).problems
    bound = claim("[{file: run.sh, match: 'S=(.*)'}]", value='"at least 100 s"')
    assert not project(tmp_path, bound, {"run.sh": "S=100 s\n"}).problems


@pytest.mark.parametrize(("text", "agrees"), [("OOM", True), ("`OOM`", True), ("OK", False), ("5 s", False)])
def test_a_text_agrees_with_equal_text_alone(text: str, agrees: bool, tmp_path: Path) -> None:
    said = claim("[{file: run.sh, match: 'S=(.*)'}]", value="OOM", source=REPORTED)
    assert bool(project(tmp_path, said, {"run.sh": f"S={text}\n"}).problems) is not agrees


@pytest.mark.parametrize(("text", "agrees"), [("yes", True), ("true", True), ("no", False), ("maybe", False)])
def test_yes_and_no_are_copied_too(text: str, agrees: bool, tmp_path: Path) -> None:
    said = claim("[{file: run.sh, match: 'S=(.*)'}]", value="yes", source=REPORTED)
    assert bool(project(tmp_path, said, {"run.sh": f"S={text}\n"}).problems) is not agrees


def test_a_quoted_figure_is_copied_as_it_is_stated(tmp_path: Path) -> None:
    said = claim("[{file: run.sh, match: 'S=(.*)'}]", source=REPORTED)
    (problem,) = project(tmp_path, said, {"run.sh": "S=145.5 s\nS=155.5 s\n"}).problems
    assert problem.place == Place("run.sh", 2)
    assert "is stated as `145.5 s`" in problem.message


# Where it stands -----------------------------------------------------------------------------------------


def test_every_match_in_every_file_counts(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "runs/a.sh": "S=145.5 s\nS=145 s\n",
        "runs/b/c.sh": "x\r\nü S=154 s\r\n",
        "runs/none.sh": "nothing\n",
    }
    report = project(tmp_path, claim("[{file: runs/**/*.sh, match: 'S=(.*)'}]"), files)
    assert [(str(copy.place), copy.text, copy.agrees) for copy in report.copies] == [
        ("runs/a.sh:1", "145.5 s", True),
        ("runs/a.sh:2", "145 s", True),
        ("runs/b/c.sh:2", "154 s", False),
    ]
    assert [problem.place for problem in report.problems] == [Place("runs/b/c.sh", 2)]


def test_places_are_code_points_of_the_text_as_it_is(tmp_path: Path) -> None:
    text = "ü\r\n€ \U0001f600 S=145.5 s;\r\nS=146 s;"
    report = project(
        tmp_path,
        claim("[{file: x, match: 'S=(.*);'}]"),
        {"x": b"\xef\xbb\xbf" + text.encode("utf-8")},
    )
    assert [text[copy.start : copy.end] for copy in report.copies] == ["145.5 s", "146 s"]
    assert [copy.place.line for copy in report.copies] == [2, 3]


def test_a_path_with_a_dot_lies_beside_the_file_that_names_it(tmp_path: Path) -> None:
    report = project(tmp_path, claim("[{file: ./x, match: '(.*) s'}]"), {"claims/x": "145.5 s\n"})
    assert [copy.place.path for copy in report.copies] == ["claims/x"]


def test_a_pattern_that_matches_itself_in_its_own_block_is_no_copy(tmp_path: Path) -> None:
    text = claim(r"[{file: ./a.yml, match: 'took (\S+ ?s)'}]") + "# it took 145.5 s\n"
    report = project(tmp_path, text, {})
    assert [(copy.text, copy.place.line) for copy in report.copies] == [("145.5 s", 7)]


def test_a_file_is_read_once_for_all_claims(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []

    class Told(Source):
        def __init__(self, text: str) -> None:
            made.append(text)
            super().__init__(text)

    monkeypatch.setattr(texts, "Source", Told)
    many = "".join(claim("[{file: run.sh, match: 'S=(.*)'}]", f"c{at}") for at in range(20))
    assert len(project(tmp_path, many, {"run.sh": "S=145.5 s\n"}).copies) == 20
    assert made == ["S=145.5 s\n"]


# What is wrong with the copy as it is named -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("copies", "expected", "said"),
    [
        ("[{file: run.sh, match: 'T=(.*)'}]", "copy-missing", "`T=(.*)` matches nothing in `run.sh`"),
        ("[{file: '*.sh', match: 'T=(.*)'}]", "copy-missing", "in the 1 file that `*.sh` names"),
        ("[{file: '*.zsh', match: 'T=(.*)'}]", "copy-missing", "no file is named by `*.zsh`"),
        ("[{file: gone.sh, match: 'T=(.*)'}]", "no-file", "a copy of `a`: there is no file `gone.sh`"),
        ("[{file: latin, match: '(.*)'}]", "not-utf8", "(latin:2)"),
        ("[{file: claims, match: '(.*)'}]", "bad-path", "is a folder"),
        ("[{file: run.sh, match: '(x)?S='}]", "empty-group", "took no part"),
        ("[{file: run.sh, match: 'S='}]", "bad-match", "has no group"),
        ("[{file: run.sh, match: '(S)=(.)'}]", "bad-match", "has 2 groups"),
        ("[{file: run.sh, match: '(S'}]", "bad-pattern", "RE2 refuses"),
        ("[{file: /run.sh, match: '(S)'}]", "bad-path", "absolute"),
        ("[{file: ../run.sh, match: '(S)'}]", "bad-path", "leads out"),
        ("[{file: run.sh}]", "missing-key", "`match` is missing in `copies`"),
        ("[{match: '(S)'}]", "missing-key", "`file` is missing in `copies`"),
        ("[{file: run.sh, match: '(S)', unit: smoot}]", "unknown-unit", "`smoot`"),
        ("[{file: run.sh, match: '(S)', flie: x}]", "unknown-key", "`flie` in `copies`"),
        ("[]", "missing-key", "`copies` is an empty list"),
        ("[run.sh]", "wrong-type", "an item of `copies` is text, not a mapping"),
        ("{file: run.sh, match: '(S)'}", "wrong-type", "must be a list of mappings"),
        ("run.sh", "wrong-type", "must be a list of mappings"),
    ],
)
def test_what_is_wrong_with_a_copy_as_it_is_named(
    copies: str, expected: str, said: str, tmp_path: Path
) -> None:
    report = project(tmp_path, claim(copies), {"run.sh": "S=145.5 s\n", "latin": b"a\n\xff"})
    (problem,) = report.problems
    assert problem.code == expected
    assert said in problem.message
    assert problem.hint
    assert problem.place.path == ("run.sh" if expected == "empty-group" else "claims/a.yml")


def test_a_copy_that_a_line_break_keeps_from_matching_is_told_so(tmp_path: Path) -> None:
    copies = claim("[{file: '*.md', match: 'S is (\\S+ s)'}]")
    (broken,) = project(tmp_path, copies, {"a.md": "Nothing.\n", "b.md": "S is\n145.5 s\n"}).problems
    assert (broken.code, r"`\s+`" in broken.hint) == ("copy-missing", True)


def test_a_pattern_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    project(tmp_path, claim("[{file: x, match: '(?s).*s.{900}.(.*)s'}]"), {"x": "step " * 60_000})
    (problem,) = checked(tmp_path, Limits(seconds=0.05)).problems
    assert problem.code == "too-slow"
    assert "(x)" in problem.message


# Verdicts ------------------------------------------------------------------------------------------------


def test_a_copy_of_a_claim_that_drifted_is_counted_under_it(tmp_path: Path) -> None:
    report = project(tmp_path, claim("[{file: run.sh, match: 'S=(.*)'}]"), {"run.sh": "S=145.5 s\n"}, 150.2)
    (problem,) = report.problems
    assert (problem.code, problem.claim) == ("copy-disagrees", "a")
    assert "and so:\n    run.sh:1" in to_text(report)


def test_a_copy_that_was_mended_before_its_claim_agrees(tmp_path: Path) -> None:
    report = project(tmp_path, claim("[{file: run.sh, match: 'S=(.*)'}]"), {"run.sh": "S=150.2 s\n"}, 150.2)
    assert not report.problems


def test_a_copy_of_a_broken_claim_is_not_judged(tmp_path: Path) -> None:
    text = claim("[{file: run.sh, match: 'S=(.*)'}]", source="evidence: none.json\nread: {path: $.t}")
    report = project(tmp_path, text, {"run.sh": "S=1 s\n"})
    assert not report.problems
    assert [copy.agrees for copy in report.copies] == [True]


@pytest.mark.parametrize(
    ("text", "stale"),
    [
        ("4.3 h", True), ("4.3 hours", True), ("~4 h", True), ("258 min", True), ("145.5 s", False),
        ("5 h", False), ("nothing", False), ("2.4 min", False),
    ],
)  # fmt: skip
def test_a_copy_of_a_superseded_claim_may_not_hold_the_old_value(
    text: str, stale: bool, tmp_path: Path
) -> None:
    old = claim("[{file: run.sh, match: 'S=(.*)'}]", "old", "4.3 h", GONE, source=REPORTED)
    report = project(tmp_path, old + claim("", "new"), {"run.sh": f"S={text}\n"})
    assert [copy.agrees for copy in report.copies] == [not stale]
    assert [problem.code for problem in report.problems] == ["stale-copy"] * stale
    for problem in report.problems:
        assert (problem.place, problem.claim, problem.about) == (Place("run.sh", 1), None, ("old",))
        assert problem.hint == "state `new` instead: `145.5 s`"
    assert report.ok is not stale


def test_a_copy_that_agrees_with_the_successor_too_is_not_stale(tmp_path: Path) -> None:
    old = claim("[{file: run.sh, match: 'S=(.*)'}]", "old", "145.9 s", GONE, source=REPORTED)
    assert not project(tmp_path, old + claim("", "new"), {"run.sh": "S=146 s\n"}).problems


def test_copies_of_a_superseded_claim_may_be_gone(tmp_path: Path) -> None:
    places = (
        "[{file: gone.sh, match: '(.*)'}, {file: run.sh, match: 'T=(.*)'}, {file: '*.zsh', match: '(.*)'}]"
    )
    old = claim(places, "old", "4.3 h", GONE, source=REPORTED)
    report = project(tmp_path, old + claim("", "new"), {"run.sh": "S=1 s\n"})
    assert (report.copies, report.problems) == ((), ())


def test_a_withdrawn_claim_has_no_successor_to_state(tmp_path: Path) -> None:
    gone = 'superseded: {on: 2026-08-26, because: "another process"}'
    old = claim("[{file: run.sh, match: 'S=(.*)'}]", "old", "4.3 h", gone, source=REPORTED)
    (problem,) = project(tmp_path, old, {"run.sh": "S=4.3 h\n"}).problems
    assert "take the place out of `copies`" in problem.hint


# Tables, pages, doors ------------------------------------------------------------------------------------


def test_the_cells_of_a_table_have_copies_with_placeholders(tmp_path: Path) -> None:
    page = """
```claims
id: m
says: "{Loss} takes {value}."
key: Loss
reported: {by: "A guess"}
columns: {Time: {unit: s}}
copies: [{file: 'conf/{Loss}.yml', match: '^{Loss}_s: (.*)', unit: s}]
```

| Loss | Time |
|---|---|
| naive | 5.1 |
| fast | 2.2 |
"""
    files: dict[str, str | bytes] = {
        "docs/p.md": page,
        "conf/naive.yml": "naive_s: 5.1\n",
        "conf/fast.yml": "fast_s: 2.3\n",
    }
    report = project(tmp_path, claim(""), files)
    assert [(copy.claim, str(copy.place), copy.agrees) for copy in report.copies] == [
        ("m.naive.time", "conf/naive.yml:1", True),
        ("m.fast.time", "conf/fast.yml:1", False),
    ]
    assert (
        "copies: [{file: conf/fast.yml, match: '^fast_s: (.*)', unit: s}]" in report.judgements[1].claim.raw
    )


def test_json_show_and_selection_have_the_copies_of_a_claim(tmp_path: Path) -> None:
    both = claim("[{file: run.sh, match: 'S=(.*)'}]") + claim("", "b")
    report = project(tmp_path, both, {"run.sh": "S=145.5 s\nS=9 s\n"})
    first, second = json.loads(to_json(report))["claims"]
    assert first["copies"] == [
        {"path": "run.sh", "line": 1, "text": "145.5 s", "agrees": True},
        {"path": "run.sh", "line": 2, "text": "9 s", "agrees": False},
    ]
    assert "copies" not in second
    shown = show_text(report.judgements[0], lines={}, copies=report.copies)
    assert "copied      run.sh:1  145.5 s\n" in shown
    assert "copied      run.sh:2  9 s  disagrees\n" in shown
    assert select(report, ("b",)).copies == ()
    assert len(select(report, ("a",)).copies) == 2


@pytest.mark.usefixtures("settled")
def test_a_remembered_check_notices_a_copy_and_a_new_file_of_its_glob(tmp_path: Path) -> None:
    project(tmp_path, claim("[{file: 'runs/*.sh', match: 'S=(.*)'}]"), {"runs/a.sh": "S=145.5 s\n"})

    def kept() -> Cache:
        config, trail = Config(tmp_path.resolve()), Trail()
        library = Library(config)
        assert check(config, library=library, trail=trail).ok
        cache = Cache(tmp_path, "text")
        cache.keep(config, library.inputs(), trail, "the report", time.time())
        assert cache.find() == "the report"
        return cache

    cache = kept()
    (tmp_path / "runs" / "b.sh").write_text("S=1 s\n", encoding="utf-8")
    assert cache.find() is None
    (tmp_path / "runs" / "b.sh").unlink()
    cache = kept()
    (tmp_path / "runs" / "a.sh").write_text("S=1455 ms\n", encoding="utf-8")
    assert cache.find() is None


def test_texts_that_are_not_on_the_disk_yet_are_judged_in_their_place(tmp_path: Path) -> None:
    project(tmp_path, claim("[{file: run.sh, match: 'S=(.*)'}]"), {"run.sh": "S=9 s\n"})
    report = check(Config(tmp_path.resolve()), texts={"run.sh": b"S=145.5 s\n"})
    assert [copy.agrees for copy in report.copies] == [True]


# Properties ----------------------------------------------------------------------------------------------


def test_no_wrong_number_agrees(tmp_path: Path) -> None:
    """Whatever its unit, digits and spelling: none of a thousand numbers off by more than their digits."""
    dice = random.Random(4)  # noqa: S311  # a seed that any machine repeats
    wrong: list[str] = []
    while len(wrong) < 1000:
        number, digits = dice.uniform(1, 400), dice.randint(0, 3)
        if abs(number - 145.5) > 1.2:
            scale, unit = dice.choice(
                [(1, " s"), (1, "s"), (1000, " ms"), (1, " seconds"), (1, " GiB"), (1, " %")]
            )
            wrong.append(dice.choice(["", "~", "**", '"']) + f"{number * scale:,.{digits}f}{unit}")
    lines = "".join(f"S={each}\n" for each in wrong)
    report = project(tmp_path, claim("[{file: run.sh, match: 'S=(.*)'}]"), {"run.sh": lines})
    assert len(report.copies) == 1000
    assert [copy.text for copy in report.copies if copy.agrees] == []


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=30), st.sampled_from([None, "s", "%", "GiB"]))
def test_any_text_of_a_copy_is_understood_or_is_text(text: str, unit: str | None) -> None:
    copy = Copy("x", "(.*)", UNITS.parse(unit) if unit else None)
    written = written_in(text, copy, UNITS)
    assert written.form is Form.TEXT or any(sign.isdigit() for sign in text) or written.form is Form.FLAG
