"""A check's result as JSON, format 1, from reports made by hand."""

from __future__ import annotations

import json
import re
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from report_support import HOSTILE, MS, SECONDS, claim, drifted, holding
from stilltrue.model import Found, Judgement, Place, Problem, Reading, Report, ReportedSource, Verdict
from stilltrue.quantity import BARE, Form, Quantity, Stated, Text, Units, parse_stated
from stilltrue.report import to_json

GOLDEN = """\
{"format": 1, "stilltrue": "0.1.0", "ok": false, "counts": {"holds": 0, "drifted": 1, "refuted": 0, \
"broken": 0, "suspect": 0, "stale": 0, "reported": 0, "superseded": 0},
 "claims": [
  {"id": "attention-time", "verdict": "drifted", "also": [], \
"says": "Attention kernels take {value} of one step.", "path": "docs/throughput/profile.md", "line": 42, \
"stated": {"text": "22,835.8 ms", "value": "22835.8", "unit": "ms"}, \
"found": {"text": "22,931.2 ms", "value": "22931.2", "unit": "ms"}, \
"readings": [{"path": "claims/evidence/step-profile.txt", "line": 17, "value": "11417.9", "unit": "ms"}, \
{"path": "claims/evidence/step-profile.txt", "line": 23, "value": "11513.3", "unit": "ms"}], \
"probe": null, "provenance": null, "tags": ["throughput"], \
"code": "disagrees", "message": "the page says `22,835.8 ms`, the evidence says `22,931.2 ms`", \
"hint": "state what was found", "reasons": []}],
 "problems": [
  {"code": "duplicate-id", "path": "docs/a.md", "line": 7, "message": "`x` is taken", \
"hint": "choose another"}],
 "warnings": [],
 "probes": []}
"""


def test_the_json_is_format_1_to_the_letter() -> None:
    problem = Problem("duplicate-id", Place("docs/a.md", 7), "`x` is taken", "choose another")
    assert to_json(Report((drifted(),), (problem,))) == GOLDEN


def only_claim(judgement: Judgement) -> dict[str, object]:
    (shown,) = json.loads(to_json(Report((judgement,), ())))["claims"]
    assert isinstance(shown, dict)
    return shown


def test_an_empty_report_is_json_too() -> None:
    whole = json.loads(to_json(Report((), ())))
    assert whole["ok"] is True
    assert whole["claims"] == whole["problems"] == []


def test_nothing_found_is_null() -> None:
    quoted = Judgement(claim(source=ReportedSource("a report")), Verdict.REPORTED)
    assert only_claim(quoted)["found"] is None


def test_found_is_given_in_the_unit_of_the_stated_value() -> None:
    seconds = Quantity(Fraction("22.9312"), SECONDS)
    shown = only_claim(drifted(found=Found(seconds, seconds)))
    assert shown["found"] == {"text": "22,931.2 ms", "value": "22931.2", "unit": "ms"}


def test_an_interval_has_text_and_no_single_value() -> None:
    low, high = Quantity(Fraction(1), MS), Quantity(Fraction(2), MS)
    shown = only_claim(drifted(found=Found(low, high)))
    assert shown["found"] == {"text": "1 ms to 2 ms", "value": None, "unit": "ms"}


def test_a_bare_number_has_no_unit_and_text_no_value() -> None:
    three = Quantity(Fraction(3), BARE)
    shown = only_claim(
        Judgement(
            claim(stated=parse_stated("3", Units.default())),
            Verdict.HOLDS,
            found=Found(three, three),
            readings=(Reading("a.txt", 1, Text("OOM")),),
        )
    )
    assert shown["stated"] == shown["found"] == {"text": "3", "value": "3", "unit": None}
    assert shown["readings"] == [{"path": "a.txt", "line": 1, "value": None, "unit": None}]


def test_a_stated_text_has_no_value() -> None:
    oom = Stated("OOM", Form.TEXT, (), BARE, None, Text("OOM"))
    found = Found(Text("OOM"), Text("OOM"))
    shown = only_claim(Judgement(claim(stated=oom), Verdict.HOLDS, found=found))
    assert shown["stated"] == shown["found"] == {"text": "OOM", "value": None, "unit": None}


def test_a_claim_written_elsewhere_says_where() -> None:
    elsewhere = claim(place=Place("README.md", 12), block=Place("claims/tables.yml", 3))
    shown = only_claim(Judgement(elsewhere, Verdict.HOLDS))
    assert (shown["path"], shown["line"]) == ("README.md", 12)
    assert shown["block"] == {"path": "claims/tables.yml", "line": 3}
    assert list(shown)[4:8] == ["path", "line", "block", "stated"]
    assert "block" not in only_claim(holding())


@settings(deadline=None, max_examples=60)
@given(HOSTILE | st.text())
def test_json_keeps_any_text_and_stays_ascii(text: str) -> None:
    written = to_json(Report((drifted(message=text),), (Problem("x", Place(text, 1), text, text),)))
    assert written.isascii()
    assert not re.search(r"^\s*::|##[A-Za-z]*\[", written, re.MULTILINE)
    back = json.loads(written)
    assert back["claims"][0]["message"] == text
    assert back["problems"][0]["path"] == text
