"""A report as a SARIF log: valid by the published schema, the same every time, inert."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from hypothesis import given, settings

from recording_support import process_in, stilltrue_in, write
from report_support import HOSTILE, claim, drifted, drifted_below, holding, inherited, reading
from stilltrue.codes import CODES
from stilltrue.model import Judgement, Place, ProbeRun, Problem, Reading, Report, RunState, Verdict
from stilltrue.quantity import Text
from stilltrue.report.sarif import FINGERPRINT, to_sarif

HERE = Path(__file__).parent
VALIDATOR = jsonschema.Draft202012Validator(
    json.loads((HERE / "schemas" / "sarif-2.1.0.json").read_text(encoding="utf-8"))
)


def run_of(text: str) -> dict[str, Any]:
    """The one run of a log, which is valid and ASCII."""
    text.encode("ascii")
    log = json.loads(text)
    VALIDATOR.validate(log)
    (run,) = log["runs"]
    assert isinstance(run, dict)
    return run


def results(report: Report, below: str = "") -> list[dict[str, Any]]:
    found = run_of(to_sarif(report, below=below))["results"]
    assert isinstance(found, list)
    return found


def place(location: dict[str, Any]) -> tuple[str, int]:
    physical = location["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical.get("region", {}).get("startLine", 0)


def test_the_schema_refuses_what_is_no_log() -> None:
    log = json.loads(to_sarif(Report((drifted(),), ())))
    del log["runs"][0]["results"][0]["message"]
    with pytest.raises(jsonschema.ValidationError, match="'message' is a required property"):
        VALIDATOR.validate(log)


def test_a_drifted_claim_is_an_error_where_it_is_stated() -> None:
    (only,) = results(Report((drifted(code="drifted"), holding()), ()))
    assert (only["ruleId"], only["level"]) == ("drifted", "error")
    assert only["message"]["text"].split("\n") == [
        "attention-time drifted: the page says `22,835.8 ms`, the evidence says `22,931.2 ms`",
        "  read at claims/evidence/step-profile.txt:17, :23",
        "  state what was found [drifted]",
    ]
    assert [place(each) for each in only["locations"]] == [("docs/throughput/profile.md", 42)]
    assert [(place(each), each["message"]["text"]) for each in only["relatedLocations"]] == [
        (("claims/evidence/step-profile.txt", 17), "read here: 11,417.9 ms"),
        (("claims/evidence/step-profile.txt", 23), "read here: 11,513.3 ms"),
    ]
    assert only["properties"] == {"claim": "attention-time", "verdict": "drifted"}


def test_nothing_to_tell_is_a_log_without_results() -> None:
    run = run_of(to_sarif(Report((holding(),), ())))
    assert (run["results"], run["tool"]["driver"]["rules"]) == ([], [])
    assert run["invocations"] == [{"executionSuccessful": True}]


def test_the_rules_are_the_codes_that_occur_each_with_its_meaning_and_cure() -> None:
    problem = Problem("duplicate-id", Place("docs/b.md", 9), "`x` is taken")
    run = run_of(to_sarif(Report((drifted(code="drifted"),), (problem, problem))))
    rules = run["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == ["drifted", "duplicate-id"]
    assert [rules[each["ruleIndex"]]["id"] == each["ruleId"] for each in run["results"]] == [True] * 3
    for rule in rules:
        code = CODES[rule["id"]]
        assert rule["fullDescription"]["text"] == code.means
        assert rule["help"]["text"] == code.cure
        assert code.means.startswith(rule["shortDescription"]["text"][:-1])


def test_what_was_lowered_or_announced_is_a_warning_and_nothing_is_suppressed() -> None:
    soft = replace(drifted("soft", 1), fails=False)
    ends = Problem("ends-soon", Place("docs/a.md", 9), "`a` is valid for 3 days more", about=("a",))
    found = results(Report((soft, drifted()), (), warnings=(ends,)))
    assert [each["level"] for each in found] == ["error", "warning", "warning"]
    assert not any("suppressions" in each for each in found)


def test_consequences_are_related_to_their_cause() -> None:
    cause = replace(drifted("time"), verdict=Verdict.BROKEN, readings=(), message="gone", code="no-file")
    link = Problem("link-disagrees", Place("docs/z.md", 7), "the text says `9 s`", claim="time")
    (only,) = results(Report((inherited("share", "time", 60), cause), (link,)))
    assert [(place(each), each["message"]["text"]) for each in only["relatedLocations"]] == [
        (("docs/throughput/profile.md", 62), "and so: share broken"),
        (("docs/z.md", 7), "and so: link-disagrees"),
    ]
    assert "  and so:\n    docs/throughput/profile.md:62: share broken" in only["message"]["text"]


def test_of_thousands_of_readings_the_first_are_related() -> None:
    many = tuple(reading(line, "1") for line in range(1, 3000))
    (only,) = results(Report((drifted(readings=many),), ()))
    assert len(only["relatedLocations"]) == 20
    assert "and 2,996 more" in only["message"]["text"]


def fingerprints(report: Report) -> list[str]:
    return [each["partialFingerprints"][FINGERPRINT] for each in results(report)]


def test_a_fingerprint_stays_when_lines_and_values_move() -> None:
    taken = "the id `x` is taken by the claim at docs/a.md:{}"
    then = Report((drifted(),), (Problem("duplicate-id", Place("docs/b.md", 9), taken.format(3)),))
    now = Report(
        (drifted(line=400, message="it says something else", readings=()),),
        (Problem("duplicate-id", Place("docs/b.md", 19), taken.format(31)),),
    )
    assert fingerprints(then) == fingerprints(now)
    assert len(set(fingerprints(then))) == 2


def test_fingerprints_tell_claims_codes_files_and_repetitions_apart() -> None:
    claims = (drifted("a", 1), drifted("b", 20), drifted("c", 40, code="other"))
    link = Problem("link-disagrees", Place("docs/z.md", 7), "the text says `9 s`", about=("a",))
    links = (link, replace(link, place=Place("docs/z.md", 9)), replace(link, place=Place("docs/y.md", 7)))
    assert len(set(fingerprints(Report(claims, links)))) == 6


def test_paths_are_relative_uris_from_the_top_of_the_repository() -> None:
    names = ("docs/50 % of #1?.md", "docs/naïve.md", "a:b.md", "docs/\udcff.md")
    problems = tuple(Problem("bad-block", Place(name, 1), "empty") for name in names)
    found = [place(each["locations"][0])[0] for each in results(Report((), problems), below="sub/")]
    assert sorted(unquote(uri, errors="surrogateescape") for uri in found) == sorted(
        f"sub/{name}" for name in names
    )
    assert all(re.fullmatch(r"[A-Za-z0-9._~/-]|(%[0-9A-F]{2})", each) for uri in found for each in parts(uri))


def parts(uri: str) -> list[str]:
    """Signs, and escapes as one."""
    return re.findall(r"%..|.", uri, re.DOTALL)


def test_a_message_holds_no_placeholder_and_no_link() -> None:
    hint = "write `derive: {a} / {0}`, or [this](https://example.org)"
    (only,) = results(Report((drifted(hint=hint),), ()))
    text = only["message"]["text"]
    assert "`derive: {{a}} / {{0}}`, or [this] (https://example.org)" in text
    assert not re.search(r"\]\(|(?<!\{)\{[0-9]+\}(?!\})", text)


def test_what_became_of_probes_is_a_notification() -> None:
    runs = (
        ProbeRun("probes/a.py", RunState.NOT_RUN, "it is slow"),
        ProbeRun("probes/b.py", RunState.FAILED, "exit code 1", code="probe-failed"),
    )
    run = run_of(to_sarif(Report((holding(),), (), probes=runs)))
    notes = run["invocations"][0]["toolExecutionNotifications"]
    assert [(each["level"], each["message"]["text"]) for each in notes] == [
        ("note", "probes/a.py: not run: it is slow"),
        ("error", "probes/b.py: failed"),
    ]


@settings(deadline=None, max_examples=60)
@given(HOSTILE, HOSTILE)
def test_whatever_files_hold_the_log_is_valid_and_no_runner_obeys_it(one: str, other: str) -> None:
    where = Place(one, 1)
    evil = replace(
        drifted(message=one, hint=other, notes=(one,), reasons=(other,)),
        claim=claim(one, place=where, block=where, says=other),
        readings=(Reading(one, 1, Text(one)), Reading(other, 2, Text(one))),
    )
    behind = Judgement(claim(other), Verdict.BROKEN, message=one, cause=one)
    runs = (ProbeRun(one, RunState.NOT_RUN, other),)
    text = to_sarif(Report((evil, behind), (Problem(other, where, one, other),), probes=runs))
    run_of(text)
    assert not re.search(r"^\s*::|##[A-Za-z]*\[", text, re.MULTILINE)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return drifted_below(tmp_path)


def test_the_log_is_alone_on_standard_output_the_same_every_time_and_names_no_machine(root: Path) -> None:
    first = process_in(root, "check", "--format", "sarif", FORCE_COLOR="1", NO_COLOR="")
    assert (first.code, first.err) == (1, "")
    assert process_in(root, "check", "--format", "sarif", "--no-cache") == first
    (only,) = run_of(first.out)["results"]
    assert place(only["locations"][0]) == ("sub/README.md", 4)
    assert str(root.parent) not in first.out


def test_a_log_that_passed_is_remembered_beside_the_other_forms(root: Path) -> None:
    write(root, {"a.txt": "took 4 s\n"})
    first = stilltrue_in(root, "check", "--format", "sarif")
    assert (first.code, run_of(first.out)["results"]) == (0, [])
    assert stilltrue_in(root, "check").out == "1 claim: 1 holds\n"
    assert stilltrue_in(root, "check", "--format", "sarif") == first
    assert stilltrue_in(root, "check", "time", "--format", "sarif") == first
