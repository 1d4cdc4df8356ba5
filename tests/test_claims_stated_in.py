"""`stated_in`: the stated value read from a file, one claim, or one for each match of a pattern."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.cache import Cache
from stilltrue.check import Trail, check
from stilltrue.claims import read_file
from stilltrue.claims.stated_in import Read, Unstated
from stilltrue.codes import CODES
from stilltrue.config import Config, Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.matches import Source, find, groups_of
from stilltrue.model import Claim, EvidenceSource, Place, Report, Verdict
from stilltrue.quantity import Units
from stilltrue.report import to_json

UNITS = Units.default()
GUESS = 'reported: {by: "A guess"}'
HISTORY = """\
### v1.2

wrote 41% of it

### v1.1

A line without a number.
wrote 33% of it
"""
VERSIONS = r"'^### v(?P<version>\S+)\n(?:[^#\n].*\n|\n)*?.*wrote (?P<value>\d+%)'"


def item(stated_in: str, *lines: str, name: str = "a", says: str = "It is {value}.") -> str:
    keys = (f'- id: "{name}"', f'says: "{says}"', f"stated_in: {stated_in}", *(lines or (GUESS,)))
    return "\n  ".join(keys) + "\n"


def unstated(text: str) -> Unstated:
    (claim,), problems, _ = read_file("claims/a.yml", text, UNITS)
    assert not problems
    assert isinstance(claim, Unstated)
    return claim


def read(text: str, file: str) -> Read:
    found = unstated(text).read(Source(file), Deadline(60))
    assert all(problem.code in CODES and problem.hint for problem in found.problems)
    return found


def one(text: str, file: str) -> Claim:
    found = read(text, file)
    assert not found.problems
    (claim,) = found.claims
    return claim


def code(text: str, file: str = "") -> tuple[str, str, int]:
    """The one problem: its code, and where it is."""
    claims, problems, _ = read_file("claims/a.yml", text, UNITS)
    if not problems:
        (claim,) = claims
        assert isinstance(claim, Unstated)
        problems = list(claim.read(Source(file), Deadline(60)).problems)
    (problem,) = problems
    assert problem.code in CODES
    return problem.code, problem.place.path, problem.place.line


def project(root: Path, **files: str | bytes) -> Report:
    for name, content in files.items():
        path = root / name.replace("__", "/").replace("_DOT_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return check(Config(root.resolve()))


# One claim -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "match", "stated", "line"),
    [
        ("# T\n\nIt took **4.3 h** in all.\n", r"took (\S+ h\S*)", "**4.3 h**", 3),
        ("#!/bin/sh\nENCODE_SECONDS=145.5\n", r"^ENCODE_SECONDS=(\S+)$", "145.5", 2),
        ("<td>\n<b>65.2 %</b>\n", "<b>(.*?)</b>", "65.2 %", 2),
        ('{"a": 1,\n "seconds": 145.5}', r'"seconds": ([\d.]+)', "145.5", 2),
        ("a: 5 ms\n", "(?P<value>5 ms)", "5 ms", 1),
        ("a: 5 ms\n", "(a): (?P<value>5 ms)", "5 ms", 1),
        ("über 5 ms\nüber 6 ms", "(6 ms)", "6 ms", 2),
        ("x 5 ms", "(?P<speed>5 ms)", "5 ms", 1),
        ("yes it does", "^(yes)", "yes", 1),
        ("it is ~14 GiB.", r"is (.*)\.", "~14 GiB", 1),
        ("it is 0.120 ± 0.020.", r"is (.*)\.", "0.120 ± 0.020", 1),
    ],
)
def test_the_value_is_what_the_pattern_finds(file: str, match: str, stated: str, line: int) -> None:
    claim = one(item(f"{{file: x.txt, match: '{match}'}}"), file)
    assert claim.stated.text == stated
    assert claim.place == Place("x.txt", line)
    assert claim.block == Place("claims/a.yml", 1)
    assert claim.stated_in is not None
    assert claim.stated_in.match == match


@pytest.mark.parametrize("text", ["4.3 h", "4.3 h\n", "\n4.3 h\n\n", "4.3 h\r\n"])
@pytest.mark.parametrize("match", ["(.*)", "^(.*)$", "(?P<value>.*)"])
def test_a_file_that_holds_the_value_alone_needs_no_careful_pattern(match: str, text: str) -> None:
    assert one(item(f"{{file: x, match: '{match}'}}"), text).stated.text == "4.3 h"


def test_marks_around_the_value_are_dropped_as_for_any_value() -> None:
    claim = one(item("{file: x.md, match: 'took (.*)'}"), "took `4.3 h`\n")
    assert (claim.stated.numerals[0].text, claim.stated.unit.symbol) == ("4.3", "h")


def test_a_bare_value_has_the_unit_that_is_given_and_its_sentence_says_it() -> None:
    claim = one(item("{file: x.sh, match: 'S=(.*)', unit: s}"), "S=145.5\n")
    assert claim.stated.unit.symbol == "s"
    assert claim.says == "It is {value} s."


def test_a_unit_that_the_sentence_says_is_not_said_twice() -> None:
    text = item("{file: x.sh, match: 'S=(.*)', unit: s}", says="It takes {value} s.")
    assert one(text, "S=145.5\n").says == "It takes {value} s."


def test_a_value_that_has_a_unit_takes_no_other() -> None:
    claim = one(item("{file: x.sh, match: 'S=(.*)', unit: s}"), "S=145.5 ms\n")
    assert claim.stated.unit.symbol == "ms"
    assert claim.says == "It is {value}."


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_lines_and_their_ends_are_right_however_the_file_is_saved(
    end: str, mark: str, tmp_path: Path
) -> None:
    lines = ["a", "b: 5 ms", "c: 6 ms", ""]
    report = project(
        tmp_path,
        x_DOT_txt=(mark + end.join(lines)).encode(),
        claims__a_DOT_yml=item("{file: x.txt, match: '^c: (.*)$'}"),
    )
    assert not report.problems
    (judgement,) = report.judgements
    assert judgement.claim.stated.text == "6 ms"
    assert judgement.claim.place == Place("x.txt", 3)


def test_a_claim_on_a_page_may_be_stated_by_the_page_itself(tmp_path: Path) -> None:
    block = (
        "id: a\nsays: 'It is {value}.'\nstated_in: {file: ./p.md, match: 'takes (\\S+) ms', unit: ms}\n"
        + GUESS
    )
    report = project(tmp_path, docs__p_DOT_md=f"# T\n\nIt takes 5 ms.\n\n```claim\n{block}\n```\n")
    assert not report.problems
    claim = report.judgements[0].claim
    assert (claim.place, claim.block, claim.page) == (Place("docs/p.md", 3), Place("docs/p.md", 5), True)


def test_a_superseded_claim_reads_its_value_there_as_well() -> None:
    gone = 'superseded: {on: 2026-08-26, because: "measured"}'
    claim = one(item("{file: x, match: 'T=(.*)'}", GUESS, gone), "T=4.3 h")
    assert claim.superseded is not None
    assert claim.stated.text == "4.3 h"


def test_a_derived_claim_is_stated_where_its_number_stands(tmp_path: Path) -> None:
    time_ = item("{file: run.sh, match: '^H=(.*)', unit: h}", name="time")
    price = item("{file: run.sh, match: '^USD=(.*)', unit: USD}", 'derive: "{time} * 24 USD/h"', name="price")
    report = project(tmp_path, run_DOT_sh="H=4\nUSD=197\n", claims__a_DOT_yml=time_ + price)
    drifted = next(each for each in report.judgements if each.claim.id == "price")
    assert drifted.verdict is Verdict.DRIFTED
    assert drifted.claim.place == Place("run.sh", 2)
    assert drifted.message.startswith("the file says `197`, its operands give")


def test_a_price_that_rests_on_a_superseded_time_is_told_where_it_stands_and_drifts_once_mended(
    tmp_path: Path,
) -> None:
    gone = 'superseded: {by: new, on: 2026-08-26, because: "measured"}'
    old = item("{file: README.md, match: 'takes (.*?) on'}", GUESS, gone, name="old")
    new = "- {id: new, says: 'It takes {value}.', value: exactly 145.5 s, reported: {by: me}}\n"
    price = item(r"{file: README.md, match: 'costs (\$\S+)'}", 'derive: "{old} * 24 USD/h"', name="price")
    readme = "# T\n\nIt takes 4.3 h on a node\nand costs $103.20 a run.\n"
    report = project(tmp_path, README_DOT_md=readme, claims__a_DOT_yml=old + new.replace("'", '"') + price)
    broken = next(each for each in report.judgements if each.claim.id == "price")
    assert (broken.verdict, broken.claim.place) == (Verdict.BROKEN, Place("README.md", 4))
    assert "superseded-operand" in [problem.code for problem in report.problems]
    again = old + new.replace("'", '"') + price.replace("{old}", "{new}")
    report = project(tmp_path, README_DOT_md=readme, claims__a_DOT_yml=again)
    drifted = next(each for each in report.judgements if each.claim.id == "price")
    assert drifted.verdict is Verdict.DRIFTED
    assert drifted.message == "the file says `$103.20`, its operands give `$0.97`"


# One claim for each match --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cell", "name"),
    [
        ("**8,192**", "8192"),
        ("`big`", "big"),
        ("*big*", "big"),
        ("[big](runs/a.json)", "big"),
        ("**[`big`](runs/a.json)**", "big"),
        ("__init__", "__init__"),
        ("2 * 3", "2 * 3"),
    ],
)
def test_a_group_is_read_like_a_cell_without_marks_and_links(cell: str, name: str) -> None:
    match = "{file: R.md, match: '^(?P<n>.+): (?P<value>.*)$'}"
    text = item(match, "evidence: e.json", "read: {path: \"$['of {n}']\"}", name="a.{n}")
    claim = one(text, f"{cell}: 5 ms")
    assert isinstance(claim.source, EvidenceSource)
    assert claim.source.reads[0][1].path == f"$['of {name}']"


def test_a_link_in_a_group_stands_for_its_target_in_evidence() -> None:
    match = r"{file: R.md, match: '^(?P<log>.+): (?P<value>.*)$'}"
    text = item(match, "evidence: docs/{log}", "read: {match: 't=(.*)'}", name="a.{log}")
    claim = one(text, "[the log](./runs/a%20b.txt): 5 ms")
    assert isinstance(claim.source, EvidenceSource)
    assert (claim.id, claim.source.patterns) == ("a.the-log", ("docs/runs/a b.txt",))


def test_each_match_is_a_claim_and_its_groups_fill_every_key() -> None:
    text = item(
        f"{{file: HISTORY.md, match: {VERSIONS}}}",
        "evidence: data/v{version}.yml",
        "read: {path: \"$[?@.tag == 'v{version}'].share\", unit: '%'}",
        'note: "of {version}"',
        "copies: [{file: 'notes/{version}.md', match: 'v{version}: (.*)'}]",
        name="share.{version}",
        says="v{version}: {value}.",
    )
    first, second = read(text, HISTORY).claims
    assert [first.id, second.id] == ["share.1.2", "share.1.1"]
    assert [first.says, second.says] == ["v1.2: {value}.", "v1.1: {value}."]
    assert [first.place, second.place] == [Place("HISTORY.md", 3), Place("HISTORY.md", 8)]
    assert isinstance(second.source, EvidenceSource)
    assert second.source.patterns == ("data/v1.1.yml",)
    assert second.source.reads[0][1].path == "$[?@.tag == 'v1.1'].share"
    assert second.note == "of 1.1"
    assert [(copy.file, copy.match) for copy in second.copies] == [("notes/1.1.md", r"v1\.1: (.*)")]


def test_a_group_in_derive_is_part_of_an_operand_or_a_number() -> None:
    text = item(
        r"{file: x, match: '^(?P<run>\w+) (?P<n>\d+): (?P<value>.*)'}",
        'derive: "{time-{run}} / {n}"',
        name="per.{run}",
    )
    (claim,) = read(text, "Fast 3: 5 ms").claims
    assert claim.id == "per.fast"
    assert getattr(claim.source, "derive", "") == "{time-fast} / 3"


def test_a_match_that_is_wrong_hides_no_other() -> None:
    match = r"'^(?P<run>\w+): (?P<value>.*)'"
    found = read(item(f"{{file: x, match: {match}}}", name="t.{run}"), "a: 5 ms\nb: 6 msec ms\nc: 7 ms\n")
    assert [claim.id for claim in found.claims] == ["t.a", "t.c"]
    (problem,) = found.problems
    assert (problem.code, problem.place, problem.about) == ("bad-value", Place("x", 2), ("t.b",))
    assert "claims/a.yml:3" in problem.message
    assert found.malformed == {"t.b"}


def test_what_is_wrong_with_every_match_is_said_once() -> None:
    text = item(
        r"{file: x, match: '^(?P<run>\w+): (?P<value>.*)'}", "reported: {on: 2026-01-01}", name="t.{run}"
    )
    found = read(text, "a: 5 ms\nb: 6 ms\n")
    (problem,) = found.problems
    assert (problem.code, problem.place.path, problem.about) == (
        "missing-key",
        "claims/a.yml",
        ("t.a", "t.b"),
    )


def test_two_matches_with_one_id_are_a_duplicate_naming_both_places(tmp_path: Path) -> None:
    report = project(
        tmp_path,
        HISTORY_DOT_md=HISTORY,
        claims__a_DOT_yml=item(f"{{file: HISTORY.md, match: {VERSIONS}}}", name="share"),
    )
    (problem,) = report.problems
    assert (problem.code, problem.place) == ("duplicate-id", Place("HISTORY.md", 8))
    assert "HISTORY.md:3" in problem.message
    assert "`id: share.{group}`" in problem.hint


def test_a_group_that_took_no_part_is_a_problem_at_its_match() -> None:
    match = r"'^(?P<run>\w)(?:(?P<step>\d))?: (?P<value>.*)'"
    found = read(item(f"{{file: x, match: {match}}}", name="t.{run}"), "a1: 5 ms\nb: 6 ms\n")
    (problem,) = found.problems
    assert (problem.code, problem.place, problem.about) == ("empty-group", Place("x", 2), ("t.b",))
    assert "`step`" in problem.message


def test_a_placeholder_that_cannot_stand_in_its_place_is_told_at_the_match() -> None:
    match = r"'^(?P<run>\S+): (?P<value>.*)'"
    text = item(
        f"{{file: x, match: {match}}}", "evidence: data/{run}.json", "read: {path: $.a}", name="t.{run}"
    )
    found = read(text, "a/b: 5 ms\nc: 6 ms\n")
    (problem,) = found.problems
    assert (problem.code, problem.place) == ("bad-placeholder", Place("x", 1))
    assert "the group `run`" in problem.message
    assert "column" not in problem.hint + problem.message
    assert [claim.id for claim in found.claims] == ["t.c"]


def test_links_and_operands_of_claims_that_cannot_be_read_are_not_reported_again(tmp_path: Path) -> None:
    known = item("{file: gone.md, match: '(.*)'}", name="one")
    shaped = item(r"{file: gone.md, match: '(?P<run>\w): (?P<value>.*)'}", name="run.{run}.t")
    bad = item(r"{file: gone.md, match: '(?P<run>\w)('}", name="bad.{run}")
    page = "[5 s](claim:one) [5 s](claim:run.x.t) [5 s](claim:bad.x) [5 s](claim:other.x)\n"
    report = project(tmp_path, docs__p_DOT_md=page, claims__a_DOT_yml=known + shaped + bad)
    assert [p.code for p in report.problems] == ["no-file", "no-file", "bad-pattern", "unknown-id"]
    assert report.problems[-1].about == ("other.x",)


# What is wrong -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("stated_in", "expected"),
    [
        ("{file: x, match: 'no such (.*)'}", ("not-stated", "claims/a.yml", 3)),
        (r"{file: x, match: '(\d) ms'}", ("stated-twice", "claims/a.yml", 3)),
        ("{file: x, match: '5 ms'}", ("bad-match", "claims/a.yml", 3)),
        (r"{file: x, match: '(\d) (ms)'}", ("bad-match", "claims/a.yml", 3)),
        ("{file: x, match: '(5'}", ("bad-pattern", "claims/a.yml", 3)),
        ("{file: x, match: '(5) (?=ms)'}", ("bad-pattern", "claims/a.yml", 3)),
        ("{file: x, match: 'a(b)?: 5'}", ("empty-group", "x", 1)),
        ("{file: x, match: 'a: 5()'}", ("bad-value", "x", 1)),
        ("{file: x, match: '(5 ms), as'}", ("not-stated", "claims/a.yml", 3)),
        ("{file: x, match: '(a)'}", ("stated-twice", "claims/a.yml", 3)),
        ("{file: '*.md', match: '(5)'}", ("bad-path", "claims/a.yml", 3)),
        ("{file: ../x, match: '(5)'}", ("bad-path", "claims/a.yml", 3)),
        ("{file: /etc/passwd, match: '(5)'}", ("bad-path", "claims/a.yml", 3)),
        ("{file: .git/config, match: '(5)'}", ("bad-path", "claims/a.yml", 3)),
        ("{file: x}", ("missing-key", "claims/a.yml", 3)),
        ("{match: '(5)'}", ("missing-key", "claims/a.yml", 3)),
        ("{file: x, match: '(5)', unit: smoot}", ("unknown-unit", "claims/a.yml", 3)),
        ("{file: x, match: '(5)', units: s}", ("unknown-key", "claims/a.yml", 3)),
        ("{file: [x], match: '(5)'}", ("wrong-type", "claims/a.yml", 3)),
        ("{file: x, match: ''}", ("missing-key", "claims/a.yml", 3)),
        ("x", ("wrong-type", "claims/a.yml", 3)),
        ("[x]", ("wrong-type", "claims/a.yml", 3)),
        ("", ("missing-key", "claims/a.yml", 3)),
    ],
)
def test_what_is_wrong_is_told_where_it_is(stated_in: str, expected: tuple[str, str, int]) -> None:
    assert code(item(stated_in), "a: 5 ms\na: 6 ms\n") == expected


@pytest.mark.parametrize(
    ("match", "text", "blank"),
    [
        (r"it tags (\d+%)", "it tags\n97%", True),
        (r"it tags (\S+ percent)", "it tags 97\r\npercent", True),
        (r"it[ ]tags (\d+%)", "it tags\n97%", True),
        (r"it tags +(\d+%)", "it\ntags 97%", True),
        (r"it[ ]tags(\d+%)", "it\ntags97%", False),
        (r"it tags (\d+%)", "it says\n97%", False),
        (r"it  +tags (\d+%)", "it\ntags\n97%", False),
        (r"tags (\d+%)", "", False),
    ],
)
def test_a_pattern_that_a_line_break_keeps_from_matching_is_told_so(
    match: str, text: str, blank: bool
) -> None:
    (problem,) = read(item(f"{{file: x, match: '{match}'}}"), text).problems
    assert (problem.code, r"`\s+`" in problem.hint) == ("not-stated", blank)


@pytest.mark.parametrize(
    ("name", "match", "said"),
    [
        ("ms", "no such (.*)", "`ms` has no stated value: `no such (.*)` matches nothing in `x`"),
        ("ms", r"(\d) ms", r"`ms` has no stated value: `(\d) ms` matches 2 times in `x`: lines 1, 2"),
        (
            "run.{run}",
            r"(?P<run>z): (?P<value>\S+)",
            r"`run.{run}` has no stated value: `(?P<run>z): (?P<value>\S+)` matches nothing in `x`",
        ),
    ],
    ids=["nothing", "twice", "a name with groups"],
)
def test_a_pattern_that_finds_no_value_names_its_claim(name: str, match: str, said: str) -> None:
    (problem,) = read(item(f"{{file: x, match: '{match}'}}", name=name), "a: 5 ms\na: 6 ms\n").problems
    assert problem.message == said


def test_a_unit_behind_a_line_break_is_given_instead() -> None:
    text = "It takes 42\nminutes."
    (problem,) = read(item(r"{file: x, match: 'takes (\d+\s+minutes)'}"), text).problems
    assert (problem.code, "line break" in problem.hint) == ("bad-value", True)
    assert one(item(r"{file: x, match: 'takes (\d+)\s+minutes', unit: minutes}"), text).stated.text == "42"


def test_matches_that_say_the_same_may_be_copies() -> None:
    (same,) = read(item(r"{file: x, match: '(\d) ms'}"), "5 ms\n5 ms\n").problems
    (other,) = read(item(r"{file: x, match: '(\d) ms'}"), "5 ms\n6 ms\n").problems
    assert ("`copies`" in same.hint, "`copies`" in other.hint) == (True, False)
    assert "`(?P<run>…)`" in other.hint


def test_several_matches_are_listed_by_their_lines() -> None:
    (problem,) = read(item(r"{file: x, match: '(\d) ms'}"), "5 ms\n\n6 ms\n").problems
    assert "matches 2 times in `x`: lines 1, 3" in problem.message


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("value: 5 ms", GUESS), "two-sources"),
        ((GUESS, "tolerance: 5 lemons"), "bad-tolerance"),
        (("derive: a", GUESS), "two-sources"),
        (("note: x",), "no-source"),
    ],
    ids=["value too", "tolerance", "two sources", "no source"],
)
def test_the_rest_of_a_claim_is_held_to_its_own_rules(lines: tuple[str, ...], expected: str) -> None:
    assert code(item("{file: x, match: '(5 ms)'}", *lines), "5 ms")[0] == expected


def test_a_claim_without_value_is_told_of_both_ways() -> None:
    (_, problems, _) = read_file("claims/a.yml", f'- id: a\n  says: "It is {{value}}."\n  {GUESS}\n', UNITS)
    assert problems[0].code == "missing-key"
    assert "`stated_in`" in problems[0].hint


@pytest.mark.parametrize(
    ("says", "expected"),
    [("It is so.", "bad-says"), ("{value} of {speed}", "bad-says")],
    ids=["none", "unknown"],
)
@pytest.mark.parametrize("match", [r"(5 ms)", r"(?P<run>a): (?P<value>5 ms)"], ids=["one", "several"])
def test_a_sentence_names_its_value_and_groups_alone(says: str, expected: str, match: str) -> None:
    assert code(item(f"{{file: x, match: '{match}'}}", says=says), "a: 5 ms")[0] == expected


@pytest.mark.parametrize("wrong", ["a_B", "{run}_", "-{run}"])
def test_an_id_is_held_to_its_rules(wrong: str) -> None:
    text = item(r"{file: x, match: '(?P<run>a b|\W): (?P<value>5 ms)'}", name=wrong)
    assert code(text, "a b: 5 ms")[0] == "bad-id"


@pytest.mark.parametrize(
    ("content", "expected", "said"),
    [
        (None, "no-file", "there is no file `x.txt`"),
        (b"a\n\xff 5 ms", "not-utf8", "(x.txt:2)"),
        (b"5 ms\n" * 1000, "too-large", "`x.txt` is larger than 1,000 bytes"),
    ],
    ids=["missing", "not UTF-8", "too large"],
)
def test_a_file_that_cannot_be_read_is_a_problem_where_it_is_named(
    content: bytes | None, expected: str, said: str, tmp_path: Path
) -> None:
    if content is not None:
        (tmp_path / "x.txt").write_bytes(content)
    (tmp_path / "claims").mkdir()
    (tmp_path / "claims" / "a.yml").write_text(item("{file: x.txt, match: '(5)'}"), encoding="utf-8")
    (problem,) = check(Config(tmp_path.resolve(), limits=Limits(bytes=1000))).problems
    assert (problem.code, problem.place) == (expected, Place("claims/a.yml", 3))
    assert said in problem.message


def test_a_folder_states_nothing(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (problem,) = project(tmp_path, claims__a_DOT_yml=item("{file: x, match: '(5)'}")).problems
    assert problem.code == "bad-path"


def test_a_link_out_of_the_repository_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "secret.txt"
    outside.write_text("key: 5 ms", encoding="utf-8")
    root = tmp_path / "project"
    root.mkdir()
    (root / "x.txt").symlink_to(outside)
    report = project(root, claims__a_DOT_yml=item("{file: x.txt, match: 'key: (.*)'}"))
    assert [problem.code for problem in report.problems] == ["bad-path"]
    assert "5 ms" not in report.problems[0].message


def test_a_pattern_that_takes_too_long_is_given_up() -> None:
    claim = unstated(item(r"{file: x, match: '(?s).*s.{900}.(.*)s'}"))
    with pytest.raises(InputError) as caught:
        claim.read(Source("step " * 60_000), Deadline(0.05))
    assert caught.value.code == "too-slow"
    found = claim.unread(caught.value)
    assert found.problems[0].place == Place("claims/a.yml", 3)
    assert found.malformed == {"a"}


def test_a_pattern_that_matches_everywhere_is_refused() -> None:
    claim = unstated(item(r"{file: x, match: '(?P<run>\d)(?P<value>\d)'}", name="a.{run}"))
    with pytest.raises(InputError, match=r"more than 20,000 times"):
        claim.read(Source("12" * 20_001), Deadline(60))


# Doors ---------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("settled")
def test_a_remembered_check_notices_the_file_that_states_a_value(tmp_path: Path) -> None:
    states = item("{file: x.txt, match: 'T=(.*)'}", "evidence: claims/e.json", "read: {path: $.t, unit: ms}")
    project(tmp_path, x_DOT_txt="T=5 ms\n", claims__e_DOT_json='{"t": 5}', claims__a_DOT_yml=states)
    settings_, trail = Config(tmp_path.resolve()), Trail()
    library = Library(settings_)
    assert check(settings_, library=library, trail=trail).ok
    cache = Cache(tmp_path, "text")
    cache.keep(settings_, library.inputs(), trail, "the report", time.time())
    assert cache.find() == "the report"
    (tmp_path / "x.txt").write_text("T=6 ms\n", encoding="utf-8")
    assert cache.find() is None


def test_json_says_where_the_value_stands_and_where_the_claim_is_written(tmp_path: Path) -> None:
    states = item("{file: x.txt, match: 'T=(.*)'}")
    report = project(tmp_path, x_DOT_txt="\nT=5 ms\n", claims__a_DOT_yml=states)
    (claim,) = json.loads(to_json(report))["claims"]
    assert (claim["path"], claim["line"]) == ("x.txt", 2)
    assert claim["block"] == {"path": "claims/a.yml", "line": 1}


# Properties ----------------------------------------------------------------------------------------------


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "ü", "€ ", "\U0001f600", "|"]), st.integers(0, 10**6)), max_size=12
    ),
    st.lists(st.sampled_from(["\n", "\r\n", "\r"]), min_size=12, max_size=12),
)
def test_a_match_stands_where_it_says(parts: list[tuple[str, int]], ends: list[str]) -> None:
    text = "".join(f"{before}<{number}>{end}" for (before, number), end in zip(parts, ends, strict=False))
    found = list(find(Source(text), r"<(\d+)>$", Deadline(60)))
    assert [match.text for match in found] == [str(number) for _, number in parts]
    assert [text[match.start : match.end] for match in found] == [match.text for match in found]
    assert [match.line for match in found] == list(range(1, len(parts) + 1))


@settings(max_examples=150, deadline=None)
@given(st.text(max_size=60), st.text(max_size=40))
def test_no_pattern_and_no_text_does_more_than_be_refused(match: str, text: str) -> None:
    try:
        groups_of(match)
        found = list(find(Source(text), match, Deadline(60)))
    except InputError as error:
        assert error.code in {"bad-pattern", "bad-match"}
        return
    assert all(0 <= each.start <= each.end <= len(text) for each in found)


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet="ab/.{}* \\'[]$1é\u00a0", max_size=12))
def test_no_text_of_a_group_breaks_out_of_its_place(text: str) -> None:
    claim = unstated(
        item(
            r"{file: x, match: '^<(?P<run>[^>]*)> (?P<value>5 ms)'}",
            "evidence: data/{run}.json",
            "read: {path: \"$[?@.a == '{run}'].b\"}",
            name="t.{run}",
        )
    )
    found = claim.read(Source(f"<{text}> 5 ms\n"), Deadline(60))
    for each in found.claims:
        assert isinstance(each.source, EvidenceSource)
        (pattern,) = each.source.patterns
        assert pattern.startswith("data/")
        assert "/" not in pattern.removeprefix("data/")
    assert len(found.claims) + len(found.problems) == 1
