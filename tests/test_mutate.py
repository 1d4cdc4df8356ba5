"""Claims that could fail are left alone, and claims that could not are found: by what they state and read."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutate_support import EVIDENCE, ONE, TIMES, claim, match, mutated, project, survivors
from stilltrue.compare import agree
from stilltrue.config import load
from stilltrue.errors import UsageError
from stilltrue.model import Found
from stilltrue.mutate import Kind, mutate
from stilltrue.mutate.ladder import MOST_STEPS, chosen
from stilltrue.mutate.restate import restatements
from stilltrue.quantity import Quantity, Units, parse_stated

UNITS = Units.default()

CAN_FAIL = {
    "number": claim("c", "5 s", match(ONE)),
    "number-in-another-unit": claim("c", "5,000 ms", match(ONE)),
    "share": claim("c", "65.2 %", match("^share=(.*)$")),
    "count": claim("c", "3 modules", match("^n=(.*)$")),
    "zero": claim("c", "0 ms", match("^nothing=(.*)$")),
    "negative": claim("c", "-0.5", match("^loss=(.*)$")),
    "clock": claim("c", "1:32:21", match("^clock=(.*)$")),
    "power-of-ten": claim("c", "1.28e18", match("^big=(.*)$")),
    "digits-that-widen": claim("c", "~1.3 × 10^18", match("^big=(.*)$")),
    "exactly": claim("c", "exactly 5 s", match(ONE)),
    "about": claim("c", "~5 s", match(ONE)),
    "at-least": claim("c", "at least 5 s", match(ONE)),
    "more-than": claim("c", "> 4 s", match(ONE)),
    "more-than-nothing": claim("c", "> 0 s", match(ONE)),
    "at-most": claim("c", "at most 100 s", match(ONE)),
    "less-than": claim("c", "less than 5.1 s", match(ONE)),
    "lower-bound-below-0": claim("c", "at least -1", match("^loss=(.*)$")),
    "upper-bound-below-0": claim("c", "at most -0.1", match("^loss=(.*)$")),
    "range": claim("c", "5-7 s", match(TIMES)),
    "spread": claim("c", "6.0 ± 1.0 s", match(TIMES)),
    "tolerance-in-percent": claim("c", "5.2 s", match(ONE), "tolerance: 5 %"),
    "tolerance-of-half": claim("c", "5.2 s", match(ONE), "tolerance: 50 %"),
    "tolerance-as-amount": claim("c", "5.2 s", match(ONE), "tolerance: 500 ms"),
    "tolerance-of-a-negative": claim("c", "-0.55", match("^loss=(.*)$"), "tolerance: 20 %"),
    "tolerance-of-a-difference": claim("c", "0.1 pp", match("^diff=(.*)$"), "tolerance: 0.5 pp"),
    "tolerance-around-0": claim("c", "0 ms", match("^nothing=(.*)$"), "tolerance: 5 ms"),
    "text": claim("c", "OOM", match("^word=(.*)$")),
    "yes": claim("c", "yes", match("^ok=(.*)$")),
    "list": claim("c", "1/2/3", match("^list=(.*)$")),
}

TAKES = {
    "first": "5 s",
    "last": "7 s",
    "min": "5 s",
    "max": "7 s",
    "mean": "6 s",
    "median": "6 s",
    "p50": "6.0 s",
    "p90": "6.8 s",
    "sum": "18 s",
    "std": "1.0 s",
    "pstd": "0.82 s",
    "count": "3",
    "mean of 3": "6.00 s",
}


@pytest.mark.parametrize("block", CAN_FAIL.values(), ids=CAN_FAIL)
def test_a_claim_that_can_fail_is_no_survivor(block: str, tmp_path: Path) -> None:
    result = mutated(tmp_path, block)
    assert survivors(result) == []
    assert result.mutations >= 2


@pytest.mark.parametrize(("take", "value"), TAKES.items(), ids=TAKES)
def test_every_take_lets_its_readings_be_noticed(take: str, value: str, tmp_path: Path) -> None:
    assert survivors(mutated(tmp_path, claim("c", value, match(TIMES, take)))) == []


@pytest.mark.parametrize("take", ["min", "max", "median", "sum", "mean", "count"])
def test_a_bound_far_from_what_was_found_can_fail_by_all_readings_together(take: str, tmp_path: Path) -> None:
    unit = "" if take == "count" else " s"
    low, high = (
        claim("low", f"at least 1{unit}", match(TIMES, take)),
        claim("high", f"at most 1,000,000,000,000{unit}", match(TIMES, take)),
    )
    assert survivors(mutated(tmp_path, low, high)) == []


def test_equal_readings_are_each_noticed(tmp_path: Path) -> None:
    result = mutated(tmp_path, claim("c", "5 s", match("^e=(.*)$", "same")), evidence="e=5 s\ne=5 s\n")
    assert survivors(result) == []


def test_takes_within_and_across_files_let_their_readings_be_noticed(tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("t=8 s\nt=9 s\n", encoding="utf-8")
    block = claim("c", "8.0 s", match(TIMES, "[last, mean of 2]"), evidence="evidence: [a.txt, b.txt]")
    assert survivors(mutated(tmp_path, block)) == []


# Claims that could not fail ----------------------------------------------------------------------------

RATIO = "read: {a: {match: '^t=(6.*)$'}, b: {match: '^t=(5.*)$'}}"

CANNOT_FAIL = {
    "tolerance-of-nine-tenths": (claim("c", "5.2 s", match(ONE), "tolerance: 95 %"), {"stated-unmoved"}),
    "tolerance-of-all": (
        claim("c", "5.2 s", match(ONE), "tolerance: 100 %"),
        {"stated-unmoved", "reading-unmoved"},
    ),
    "tolerance-beyond-all": (
        claim("c", "5.2 s", match(ONE), "tolerance: 1000 %"),
        {"stated-unmoved", "reading-unmoved"},
    ),
    "tolerance-beyond-the-value": (
        claim("c", "5.2 s", match(ONE), "tolerance: 6 s"),
        {"stated-unmoved", "reading-unmoved"},
    ),
    "more-than-minus-1": (claim("c", "> -1 s", match(ONE)), {"reading-unmoved"}),
    "at-least-0": (claim("c", "at least 0 s", match(TIMES, "mean")), {"reading-unmoved"}),
    "at-least-0-of-them": (claim("c", "at least 0", match(TIMES, "count")), {"reading-unmoved"}),
    "a-read-without-influence": (
        claim("c", "5 s", RATIO, "derive: a * 0 + b"),
        {"reading-unmoved"},
    ),
    "a-read-over-itself": (
        claim("c", "1", "read: {a: {match: '^t=(6.*)$'}}", "derive: a / a"),
        {"reading-unmoved"},
    ),
    "a-comparison-with-itself": (
        claim("c", "yes", "read: {a: {match: '^t=(6.*)$'}}", "derive: a >= a"),
        {"reading-unmoved"},
    ),
    "a-constant-column": (
        claim("c", "81.93", "read: {column: '81.93'}", evidence="evidence: t.csv"),
        {"reading-unmoved"},
    ),
    "its-own-block": (
        claim("c", "7 days", "read: {match: 'value: \"(7 days)\"'}", evidence="evidence: README.md"),
        {"reads-itself"},
    ),
}


@pytest.mark.parametrize(("block", "codes"), CANNOT_FAIL.values(), ids=CANNOT_FAIL)
def test_a_claim_that_could_not_fail_is_found(block: str, codes: set[str], tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,peak\na,81.93\n", encoding="utf-8")
    result = mutated(tmp_path, block)
    assert {code for _, code in survivors(result)} == codes
    assert not result.ok
    for each in result.survivors:
        assert each.claim == "c"
        assert each.place.path == "README.md"
        assert each.message.startswith("`c` ")
        assert each.hint


def test_rows_counted_by_a_sum_of_ones_are_no_constant(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("name,peak\na,81.93\nb,7\n", encoding="utf-8")
    block = claim("c", "2", "read: {column: '1', take: sum}", evidence="evidence: t.csv")
    assert survivors(mutated(tmp_path, block)) == []


def test_readings_that_a_take_does_not_look_at_are_not_held_against_it(tmp_path: Path) -> None:
    evidence = "t=5 s\n" + "t=9 s\n" * 40
    blocks = [claim(take, value, match(TIMES, take)) for take, value in (("first", "5 s"), ("max", "9 s"))]
    assert survivors(mutated(tmp_path, *blocks, evidence=evidence)) == []


def test_what_is_no_value_beside_the_reading_that_is_taken_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "b.json").write_text('{"v": [null, {"a": 1}, 5]}', encoding="utf-8")
    block = claim("c", "5", "read: {path: '$.v[*]', take: last}", evidence="evidence: b.json")
    assert survivors(mutated(tmp_path, block)) == []


def test_a_small_reading_of_a_large_sum_is_noticed_under_derive(tmp_path: Path) -> None:
    evidence = "all=10,000 s\nown=0.001 s\nown=9,999 s\n"
    reads = "read: {all: {match: '^all=(.*)$'}, own: {match: '^own=(.*)$', take: sum}}"
    block = claim("c", "less than 0.1 %", reads, "derive: all / own - 1")
    assert survivors(mutated(tmp_path, block, evidence=evidence)) == []


# Derived claims ----------------------------------------------------------------------------------------


def test_a_derived_claim_is_moved_by_each_operand(tmp_path: Path) -> None:
    first, second = claim("first", "5 s", match(ONE)), claim("second", "7 s", match(TIMES, "max"))
    ratio = claim("ratio", "1.4x", 'derive: "{second} / {first}"')
    faster = claim("faster", "yes", 'derive: "{first} < {second}"')
    assert survivors(mutated(tmp_path, first, second, ratio, faster)) == []


def test_an_operand_without_influence_is_found_and_named(tmp_path: Path) -> None:
    first, second = claim("first", "5 s", match(ONE)), claim("second", "7 s", match(TIMES, "max"))
    result = mutated(tmp_path, first, second, claim("idle", "7 s", 'derive: "{second} + 0 * {first}"'))
    assert survivors(result) == [("idle", "reading-unmoved")]
    assert "its operand `first`" in result.survivors[0].message


def test_a_calculation_without_operands_rests_on_nothing_that_could_be_shifted(tmp_path: Path) -> None:
    block = claim("c", "4", 'derive: "2 + 2"').replace("evidence: a.txt\n", "")
    assert survivors(mutated(tmp_path, block)) == []


def test_a_claim_derived_from_a_quoted_one_is_shifted_beyond_its_interval(tmp_path: Path) -> None:
    quoted = claim("quoted", "10 s", "reported: {by: a blog}").replace("evidence: a.txt\n", "")
    result = mutated(tmp_path, quoted, claim("twice", "20 s", 'derive: "{quoted} * 2"'))
    assert survivors(result) == []
    assert (result.claims, result.reported) == (1, 1)


# Prose -------------------------------------------------------------------------------------------------

LINKS = {
    "number": (claim("c", "5 s", match(ONE)), "[5 s](claim:c) [5,000 ms](claim:c) [about 5 s](claim:c)"),
    "range": (claim("c", "5-7 s", match(TIMES)), "[5 s](claim:c) [7 s](claim:c) [5-7 s](claim:c)"),
    "spread": (claim("c", "6.0 ± 1.0 s", match(TIMES)), "[6 s](claim:c) [6.0 ± 1.0 s](claim:c)"),
    "lower-bound": (
        claim("c", "> 4 s", match(ONE)),
        "[4 s](claim:c) [more than 4 s](claim:c) [5 s](claim:c)",
    ),
    "upper-bound": (
        claim("c", "at most 100 s", match(ONE)),
        "[100 s](claim:c) [7 s](claim:c) [5 s](claim:c)",
    ),
    "tolerance": (claim("c", "5.2 s", match(ONE), "tolerance: 5 %"), "[5.2 s](claim:c) [5.1 s](claim:c)"),
    "list": (claim("c", "1/2/3", match("^list=(.*)$")), "layers [1/2/3](claim:c)"),
    "no-number": (claim("c", "OOM", match("^word=(.*)$")), "[OOM](claim:c) and [it fails](claim:c)"),
}


@pytest.mark.parametrize(("block", "prose"), LINKS.values(), ids=LINKS)
def test_bound_numbers_in_prose_can_disagree(block: str, prose: str, tmp_path: Path) -> None:
    assert survivors(mutated(tmp_path, block, prose)) == []


def test_a_bound_number_that_cannot_disagree_is_found_where_it_stands(tmp_path: Path) -> None:
    result = mutated(
        tmp_path, claim("c", "5.2 s", match(ONE), "tolerance: 600 s"), "It takes [50 s](claim:c)."
    )
    (link,) = [each for each in result.survivors if each.kind is Kind.LINK]
    assert link.code == "link-unmoved"
    assert (link.place.line, link.was) == (10, "50 s")


# What is left out, and chosen --------------------------------------------------------------------------


def test_what_fails_is_reported_or_is_superseded_is_counted_and_left_out(tmp_path: Path) -> None:
    quoted = claim("quoted", "10 s", "reported: {by: a blog}").replace("evidence: a.txt\n", "")
    old = claim("old", "9 s", match(ONE), 'superseded: {on: 2026-01-02, because: "wrong"}')
    result = mutate(load(project(tmp_path, quoted, old, claim("drifted", "8 s", match(ONE)))))
    assert (result.claims, result.reported, result.superseded, result.failing) == (0, 1, 1, 1)
    assert result.mutations == 0


def test_claims_are_chosen_by_id_and_by_tag(tmp_path: Path) -> None:
    config = load(
        project(
            tmp_path,
            claim("one", "5 s", match(ONE), "tags: [a]"),
            claim("two", "> -1 s", match(ONE)),
            claim("three", "5 s", match(ONE)),
        )
    )
    assert mutate(config, ("one",)).claims == 1
    assert survivors(mutate(config, (), ("a",))) == []
    assert survivors(mutate(config, ("two",))) == [("two", "reading-unmoved")]
    with pytest.raises(UsageError, match="no claim has the id"):
        mutate(config, ("four",))


def test_what_is_shifted_can_be_chosen(tmp_path: Path) -> None:
    config = load(project(tmp_path, claim("c", "5.2 s", match(ONE), "tolerance: 1000 %")))
    assert survivors(mutate(config, kinds={Kind.STATED})) == [("c", "stated-unmoved")]
    assert survivors(mutate(config, kinds={Kind.READING})) == [("c", "reading-unmoved")]
    assert survivors(mutate(config, kinds={Kind.LINK})) == []


def test_of_very_many_readings_the_first_the_last_and_evenly_spaced_ones_are_shifted() -> None:
    assert chosen(400) == list(range(400))
    some = chosen(100_000)
    assert (some[0], some[-1], len(some)) == (0, 99_999, 8)
    assert len(chosen(2_000)) * 2_000 <= MOST_STEPS


# Whatever is written -----------------------------------------------------------------------------------

numbers = st.decimals(min_value="0.001", max_value="999999", places=3, allow_nan=False)


@st.composite
def agreeing(draw: st.DrawFn) -> tuple[str, str]:
    """A stated value and what is measured, which agree."""
    found = draw(numbers)
    places = draw(st.integers(0, 3))
    unit = draw(st.sampled_from([" ms", " s", " %", " GiB", " tok/s"]))
    form = draw(st.sampled_from(["{}", "exactly {}", "~{}", "at least {}", "at most {}", "{:.2e}"]))
    if form == "{:.2e}":
        return f"{found:.2e}{unit}", f"{found}{unit}"
    exact = form in ("exactly {}", "at least {}", "at most {}")
    number = found if exact else round(found, places)
    return form.format(f"{number:,}") + unit, f"{found}{unit}"


@settings(max_examples=150, deadline=None)
@given(agreeing())
def test_no_shifted_value_agrees_with_what_was_found(pair: tuple[str, str]) -> None:
    stated = parse_stated(pair[0], UNITS)
    value = parse_stated(pair[1], UNITS).value
    assert isinstance(value, Quantity)
    found = Found(value, value)
    if not agree(stated, found).agrees:  # `~` beside trailing zeros is coarser, never finer
        return
    shifted = list(restatements(stated, found, None, UNITS))
    assert shifted
    for other in shifted:
        assert not agree(other, found).agrees, other.text
        assert parse_stated(other.text, UNITS).numerals[0].number == other.numerals[0].number


@settings(max_examples=25, deadline=None)
@given(st.lists(agreeing(), min_size=1, max_size=8), st.data())
def test_plain_claims_leave_no_survivor(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[tuple[str, str]], data: st.DataObject
) -> None:
    root = tmp_path_factory.mktemp("plain")
    evidence = "".join(f"v{at}={found}\n" for at, (_, found) in enumerate(pairs))
    tolerance = data.draw(st.sampled_from(["", "tolerance: 2 %"]))
    blocks = [
        claim(f"c{at}", value, match(f"^v{at}=(.*)$"), *([tolerance] if value[0].isdigit() else []))
        for at, (value, _) in enumerate(pairs)
    ]
    assert survivors(mutate(load(project(root, *blocks, evidence=evidence)))) == []


# The command -------------------------------------------------------------------------------------------


def run(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "stilltrue", "mutate", *arguments],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )


def test_the_command_lists_survivors_place_first_and_exits_with_1(tmp_path: Path) -> None:
    done = run(project(tmp_path, claim("c", "> -1 s", match(ONE)), claim("d", "5 s", match(ONE))))
    assert done.returncode == 1
    assert done.stdout == (
        "README.md:4: `c` holds whether a.txt:1 says `5 s` or `0 s`\n"
        "  state a bound above 0, or a narrower `tolerance`: what agrees with 0 shows nothing"
        " [reading-unmoved]\n\n"
        "2 claims, 9 mutations, 1 survivor\n"
    )
    assert done.stderr == ""


def test_the_command_exits_with_0_where_every_claim_can_fail(tmp_path: Path) -> None:
    done = run(project(tmp_path, claim("c", "5 s", match(ONE))))
    assert (done.returncode, done.stdout) == (0, "1 claim, 6 mutations, no survivor\n")


def test_the_command_exits_with_2_for_an_id_that_no_claim_has(tmp_path: Path) -> None:
    done = run(project(tmp_path, claim("c", "5 s", match(ONE))), "d")
    assert (done.returncode, done.stdout) == (2, "")
    assert "[nothing-to-check]" in done.stderr


def test_the_json_says_the_same_and_has_a_version(tmp_path: Path) -> None:
    done = run(project(tmp_path, claim("c", "5.2 s", match(ONE), "tolerance: 600 s")), "--format", "json")
    report = json.loads(done.stdout)
    assert (report["format"], report["ok"], done.returncode) == (1, False, 1)
    assert report["counts"]["survivors"] == len(report["survivors"]) == 2
    first = report["survivors"][0]
    assert (first["id"], first["kind"], first["path"], first["line"]) == ("c", "stated", "README.md", 4)
    assert (first["was"], first["to"]) == ("5.2 s", "51.8 s")


def test_only_one_kind_is_shifted_where_one_is_asked_for(tmp_path: Path) -> None:
    root = project(tmp_path, claim("c", "> -1 s", match(ONE)))
    assert run(root, "--only", "stated").returncode == 0
    assert run(root, "--only", "readings").returncode == 1


def test_text_from_files_is_escaped(tmp_path: Path) -> None:
    root = project(tmp_path, claim("c", "> -1 s", match(ONE), evidence="evidence: a\u202e.txt"))
    (root / "a\u202e.txt").write_text(EVIDENCE, encoding="utf-8")
    done = run(root)
    assert done.returncode == 1
    assert "whether a\\u202e.txt:1 says" in done.stdout


def test_a_block_that_cannot_be_read_is_told_of(tmp_path: Path) -> None:
    done = run(project(tmp_path, claim("c", "5 s", "reed: x"), claim("d", "5 s", match(ONE))))
    assert done.stdout == "1 claim, 6 mutations, no survivor; `check` lists 1 problem\n"


def test_the_example_of_the_documentation_goes_as_it_says(tmp_path: Path) -> None:
    page = (Path(__file__).resolve().parent.parent / "docs/tool/mutate.md").read_text(encoding="utf-8")
    for fence, name, body in re.findall(
        r'^(`{3,})\w* title="([^"/]+\.\w+)"\n(.*?)^\1$', page, re.MULTILINE | re.DOTALL
    ):
        assert fence
        (tmp_path / name).write_text(body, encoding="utf-8")
    (tmp_path / "stilltrue.toml").touch()
    (output,) = re.findall(r"^```console\n\$ stilltrue mutate\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    done = run(tmp_path)
    assert (done.returncode, done.stdout) == (1, output)


def test_nothing_is_written(tmp_path: Path) -> None:
    root = project(tmp_path, *CAN_FAIL.values())
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    run(root)
    assert {path: path.read_bytes() for path in root.rglob("*") if path.is_file()} == before
