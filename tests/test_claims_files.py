"""Claims files: every item is a claim of its own, and a malformed one hides no other."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.claims import read_file
from stilltrue.codes import CODES
from stilltrue.model import Claim, DeriveSource, EvidenceSource, Place
from stilltrue.quantity import Units

UNITS = Units.default()
FILE = """\
# retired from their pages
- id: a
  says: "It took {value}."
  value: 5 ms
  evidence: ./x.txt
  read: {match: (.*) ms}

# and this one
- id: b
  says: "It took {value}."
  value: 6 ms
  derive: "{a}"
"""


def ids(text: str) -> list[str]:
    claims, problems, _ = read_file("claims/old.yml", text, UNITS)
    assert not problems
    return [claim.id for claim in claims]


def test_each_item_is_a_claim_that_knows_its_lines() -> None:
    (a, b), problems, named = read_file("claims/old.yml", FILE, UNITS)
    assert isinstance(a, Claim)
    assert isinstance(b, Claim)
    assert not problems
    assert not named
    assert isinstance(a.source, EvidenceSource)
    assert a.source.patterns == ("claims/x.txt",)
    assert b.source == DeriveSource("{a}")
    assert (a.block, a.end, a.place) == (Place("claims/old.yml", 2), 6, Place("claims/old.yml", 4))
    assert (b.block, b.end, b.place) == (Place("claims/old.yml", 9), 12, Place("claims/old.yml", 11))
    assert b.lines == {"id": 9, "says": 10, "value": 11, "derive": 12}
    assert b.raw == 'id: b\nsays: "It took {value}."\nvalue: 6 ms\nderive: "{a}"'
    assert not b.page


@pytest.mark.parametrize(
    "text",
    [
        FILE,
        "---\n" + FILE,
        "\ufeff" + FILE,
        FILE.replace("\n", "\r\n"),
        "  " + FILE.replace("\n", "\n  "),
        FILE.replace("- ", "-   ").replace("\n  ", "\n    "),
        FILE.replace("- id", "-\n  id"),
        FILE + "  note: |\n    first\n    # no comment\n\n    - id: c\n",
        FILE + "  note: 'first\n\n    - id: c'\n",
        '[{id: a, says: "{value}", value: 5, derive: x},\n {id: b, says: "{value}", value: 5, derive: x}]',
    ],
)
def test_lists_are_written_in_many_ways(text: str) -> None:
    assert ids(text) == ["a", "b"]


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing yet\n", "---\n"])
def test_an_empty_file_holds_no_claims(text: str) -> None:
    assert ids(text) == []


@pytest.mark.parametrize(
    ("good", "bad", "line", "hint"),
    [
        ("  value: 5 ms", "  value: > 5 ms", 4, 'write `  value: "> 5 ms"`'),
        ("  value: 5 ms", "  value: **5**", 4, 'write `  value: "**5**"`'),
        ('  says: "It took {value}."\n  value: 5', '  says: "It took {value}.\n  value: 5', 3, None),
        ("  value: 5 ms", "\tvalue: 5 ms", 4, "write `  value: 5 ms`"),
        ("  value: 5 ms", "  vaule: 5 ms", 4, "did you mean `value`?"),
        ("  value: 5 ms", "  value: 5 ms\n  value: 6 ms", 5, "keep one of them"),
        ("  value: 5 ms", "  value: &x 5 ms", 4, 'write `  value: "&x 5 ms"`'),
        ("- id: a", "- id: a\n  - x", 3, None),
        ("  read: {match: (.*) ms}", "  read: {match: (.*) ms", 6, "write `  read: {match: (.*) ms}`"),
    ],
)
def test_a_malformed_item_hides_no_other(good: str, bad: str, line: int, hint: str | None) -> None:
    text = FILE.replace(good, bad, 1)
    claims, problems, named = read_file("claims/old.yml", text, UNITS)
    assert [claim.id for claim in claims] == ["b"]
    assert claims[0].place.line == text[: text.rindex("  value: 6 ms")].count("\n") + 1
    (problem,) = problems
    assert problem.code in CODES
    assert problem.place == Place("claims/old.yml", line)
    assert hint is None or problem.hint == hint
    assert named == {"a"}


def test_the_line_of_a_hint_can_be_pasted_into_the_first_line_of_an_item() -> None:
    text = FILE.replace("- id: b", "- says: {value} of b").replace(
        '  says: "It took {value}."\n  value: 6', "  id: b\n  value: 6"
    )
    _, (problem,), named = read_file("claims/old.yml", text, UNITS)
    line = re.fullmatch(r"write `(.*)`", problem.hint)
    assert line
    assert line[1] == '- says: "{value} of b"'
    lines = text.split("\n")
    lines[problem.place.line - 1] = line[1]
    assert ids("\n".join(lines)) == ["a", "b"]
    assert named == {"b"}


def test_every_malformed_item_is_a_problem() -> None:
    text = FILE.replace("5 ms", "> 5 ms").replace('"{a}"', "{a} / {b}")
    claims, problems, named = read_file("claims/old.yml", text, UNITS)
    assert not claims
    assert [problem.place.line for problem in problems] == [4, 12]
    assert named == {"a", "b"}


@pytest.mark.parametrize(
    ("text", "line", "code"),
    [
        ("id: a\nvalue: 5\n", 1, "not-a-claim"),
        ("claims\n", 1, "not-a-claim"),
        ("- claims\n", 1, "not-a-claim"),
        ("- - id: a\n", 1, "not-a-claim"),
        ("-\n", 1, "not-a-claim"),
        ("\n\x00", 2, "bad-yaml"),
        ("[{id: a}, {id: b}\n", 1, "bad-yaml"),
        ("- columns: {Peak: {unit: GiB}}\n  table_in: {file: README.md}\n", 1, "missing-key"),
        ("- id: a\n  key: b\n  columns: {Peak: {unit: GiB}}\n", 1, "missing-key"),
        ("- id: a\n  key: b\n  table_in: {file: README.md}\n", 1, "missing-key"),
        ("- id: a\n  value: 5\n  table_in: {file: README.md}\n", 2, "unknown-key"),
    ],
)
def test_what_is_no_list_of_claims(text: str, line: int, code: str) -> None:
    claims, problems, _ = read_file("claims/old.yml", text, UNITS)
    assert not claims
    assert [(problem.code, problem.place.line) for problem in problems] == [(code, line)]


def test_a_file_in_the_root_has_its_paths_beside_it() -> None:
    (a, _), _, _ = read_file("old.yml", FILE, UNITS)
    assert isinstance(a, Claim)
    assert isinstance(a.source, EvidenceSource)
    assert a.source.patterns == ("x.txt",)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.sampled_from([*FILE.split("\n"), "  value: > 5", "- x", "-", "  - a", '"', "---", "\t"]),
        max_size=12,
    )
)
def test_no_lines_are_lost_without_a_problem(lines: list[str]) -> None:
    claims, problems, _ = read_file("claims/old.yml", "\n".join(lines), UNITS)
    written = [line for line in lines if line.strip() and not line.startswith("#") and line != "---"]
    assert claims or problems or not written
    assert all(problem.code in CODES and problem.hint for problem in problems)
