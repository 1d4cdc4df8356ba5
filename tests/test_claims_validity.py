"""How far a claim reproduces, and what it is valid with."""

from __future__ import annotations

import pytest

from stilltrue.model import Valid
from test_claims_blocks import FENCE, claim, problem, written

DERIVED = {"evidence": None, "read": None, "derive": '"{a} / {b}"'}


@pytest.mark.parametrize(
    ("text", "relative", "symbol"),
    [("10 %", True, "%"), ("5 ms", False, "ms"), ("0.1 s", False, "s"), ("0 %", True, "%")],
)
def test_reproduces_is_a_percentage_or_an_amount(text: str, relative: bool, symbol: str) -> None:
    margin = claim(written(reproduces=text)).reproduces
    assert margin is not None
    assert (margin.relative, margin.amount.unit.symbol) == (relative, symbol)


@pytest.mark.parametrize(
    "value", ["~5 ms", "at least 5 ms", "'> 5 ms'", "exactly 5 ms", "4-6 ms", "5 ± 1 ms"]
)
def test_every_form_of_a_number_may_reproduce(value: str) -> None:
    read = "{column: a}"
    assert claim(written(value=value, read=read, reproduces="10 %")).reproduces is not None


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"value": "OOM", "reproduces": "10 %"}, "only numbers come near"),
        ({"value": '"yes"', "reproduces": "10 %"}, "only numbers come near"),
        ({"value": "5/11/17", "reproduces": "10 %"}, "only numbers come near"),
        ({"reproduces": "5 MiB"}, "of different kinds"),
        ({"reproduces": "5"}, "of different kinds"),
        ({"value": "65.2 %", "reproduces": "5"}, "of different kinds"),
        ({"reproduces": "roughly"}, "roughly"),
        ({"reproduces": "-5 ms"}, "-5 ms"),
        ({**DERIVED, "reproduces": "10 %"}, "no evidence of its own"),
        ({**DERIVED, "derive": None, "reported": "{by: a}", "reproduces": "10 %"}, "no evidence of its own"),
    ],
    ids=lambda part: part if isinstance(part, str) else "",
)
def test_what_cannot_reproduce_is_refused_with_its_line(changes: dict[str, str | None], said: str) -> None:
    body = written(**changes)
    found = problem(body)
    line = next(at for at, text in enumerate(body.split("\n")) if text.startswith("reproduces"))
    assert (found.code, found.place.line) == ("bad-reproduces", FENCE + 1 + line)
    assert said in found.message


def test_a_day_and_versions_make_a_claim_valid() -> None:
    text = '{until: 2027-03-01, with: {Foo_Bar.baz: ">=5.15,<6", torch: "~=2.6"}}'
    assert claim(written(valid=text)).valid == Valid(
        "2027-03-01", (("foo-bar-baz", ">=5.15,<6"), ("torch", "~=2.6"))
    )
    assert claim(written(valid="{until: 2027-03-01}")).valid == Valid("2027-03-01")
    assert claim(written()).valid is None


def test_versions_may_stand_below_each_other() -> None:
    text = "\n  with:\n    transformers: '>=5.15'\n    torch: ==2.6.*"
    assert claim(written(valid=text)).valid == Valid("", (("transformers", ">=5.15"), ("torch", "==2.6.*")))


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("{}", "bad-valid", "`valid` says nothing"),
        ("{with: {}}", "bad-valid", "`with` names no package"),
        ("{until: soon}", "bad-date", "`soon` is no date"),
        ("{until: 2027-02-29}", "bad-date", "2027-02-29"),
        ("{untill: 2027-03-01}", "unknown-key", "untill"),
        ("2027-03-01", "wrong-type", "`valid` must be a mapping"),
        ("{with: transformers}", "wrong-type", "`with` must be a mapping"),
        ("{with: {torch: [a]}}", "bad-valid", "the versions of `torch` must be one text"),
        ("{with: {torch: '2.6'}}", "bad-valid", "`2.6` says no versions of `torch`"),
        ("{with: {torch: 'new'}}", "bad-valid", "`new` says no versions of `torch`"),
        (f"{{with: {{torch: '>={'9' * 5000}'}}}}", "bad-valid", "says no versions of `torch`"),
        (f"{{with: {{torch: '>=1,<2a{'9' * 5000}'}}}}", "bad-valid", "says no versions of `torch`"),
        ("{with: {torch: ''}}", "bad-valid", "`torch` in `with` has no versions"),
        ("{with: {'to rch': '>2'}}", "bad-valid", "`to rch` is no package name"),
        ("{with: {a_b: '>2', a-b: '>2'}}", "bad-valid", "names the package `a-b` twice"),
    ],
)
def test_what_says_no_validity_is_refused(text: str, code: str, said: str) -> None:
    found = problem(written(valid=text))
    assert (found.code, found.place.line) == (code, FENCE + 6)
    assert said in found.message


def test_a_bare_version_is_told_what_to_write() -> None:
    assert problem(written(valid="{with: {torch: '2.6'}}")).hint == 'write `">=2.6"` or `"==2.6"`'


@pytest.mark.parametrize("versions", [">=5.15,<6", "~=5.15,<6", "==5.*,!=5.2", "<6,>=5.15"])
def test_versions_in_braces_without_quotes_are_told_to_be_quoted(versions: str) -> None:
    found = problem(written(valid=f"{{with: {{transformers: {versions}}}}}"))
    assert found.code in ("bad-yaml", "bad-valid", "cut-value")
    assert '"' in found.hint
