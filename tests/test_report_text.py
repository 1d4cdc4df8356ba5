"""A check's result as text, from reports made by hand."""

from __future__ import annotations

import re
from dataclasses import replace

from hypothesis import given, settings
from hypothesis import strategies as st

from report_support import HOSTILE, claim, drifted, holding, inherited, reading
from stilltrue.model import Judgement, Place, Problem, Reading, Report, Verdict
from stilltrue.quantity import Text
from stilltrue.report import show_text, to_text


def test_a_drifted_claim_is_told_place_first_and_code_last() -> None:
    assert to_text(Report((drifted(), holding()), ())) == (
        "docs/throughput/profile.md:42: attention-time drifted: "
        "the page says `22,835.8 ms`, the evidence says `22,931.2 ms`\n"
        "  read at claims/evidence/step-profile.txt:17, :23\n"
        "  state what was found [disagrees]\n"
        "\n"
        "2 claims: 1 holds, 1 drifted\n"
    )


def test_a_check_that_passed_is_one_line() -> None:
    quoted = replace(holding("quoted"), verdict=Verdict.REPORTED)
    old = replace(holding("old"), verdict=Verdict.SUPERSEDED)
    report = Report((holding("a"), holding("b"), quoted, old), ())
    assert to_text(report) == "4 claims: 2 hold, 1 reported, 1 superseded\n"


def test_failing_claims_come_before_problems_and_those_before_warnings_each_by_place() -> None:
    soft = replace(drifted("soft", 1), fails=False)
    problems = (
        Problem("duplicate-id", Place("docs/b.md", 9), "`x` is taken", "choose another id"),
        Problem("bad-block", Place("docs/a.md", 30), "unknown key `vlaue`", "did you mean `value`?"),
        Problem("bad-block", Place("docs/a.md", 4), "the block is empty"),
    )
    text = to_text(Report((soft, drifted("late", 90), drifted("early", 50)), problems))
    firsts = [block.split("\n")[0] for block in text.split("\n\n")]
    assert [line.split(": ")[0] for line in firsts] == [
        "docs/throughput/profile.md:52",
        "docs/throughput/profile.md:92",
        "docs/a.md:4",
        "docs/a.md:30",
        "docs/b.md:9",
        "docs/throughput/profile.md:3",
        "3 claims",
    ]
    assert firsts[2] == "docs/a.md:4: the block is empty [bad-block]"
    assert firsts[5].startswith("docs/throughput/profile.md:3: warning: soft drifted: ")
    assert firsts[6] == "3 claims: 3 drifted; 3 problems; 1 warning"


def test_consequences_are_listed_once_under_their_cause() -> None:
    cause = replace(drifted("time"), verdict=Verdict.BROKEN, message="there is no file `x`", code="no-file")
    link = Problem("link-disagrees", Place("docs/z.md", 7), "the text says `9 s`", claim="time")
    report = Report((inherited("share", "time", 60), cause, inherited("ratio", "share", 80)), (link,))
    text = to_text(report)
    block, summary = text.rstrip("\n").split("\n\n")
    assert block.split("\n")[3:] == [
        "  and so:",
        "    docs/throughput/profile.md:62: share broken: its operand `time` is broken [no-file]",
        "    docs/throughput/profile.md:82: ratio broken: its operand `share` is broken [no-file]",
        "    docs/z.md:7: the text says `9 s` [link-disagrees]",
    ]
    assert summary == "3 claims: 3 broken"


def test_a_claim_that_a_problem_broke_is_listed_under_that_problem() -> None:
    problem = Problem("derive-cycle", Place("docs/a.md", 3), "`a` is derived from itself", about=("a", "b"))
    judgements = tuple(
        Judgement(claim(name), Verdict.BROKEN, message="it is derived from itself", code="derive-cycle")
        for name in ("a", "b")
    )
    text = to_text(Report(judgements, (problem,)))
    assert text.startswith("docs/a.md:3: `a` is derived from itself [derive-cycle]\n  and so:\n    docs/")
    assert text.count("it is derived from itself") == 2
    assert text.endswith("2 claims: 2 broken; 1 problem\n")


def test_a_consequence_whose_cause_is_out_of_sight_is_still_told() -> None:
    text = to_text(Report((inherited("share", "time", 60),), ()))
    assert text.startswith(
        "docs/throughput/profile.md:62: share broken: its operand `time` is broken [no-file]\n"
    )


def test_entries_that_blame_each_other_are_all_told() -> None:
    text = to_text(Report((inherited("a", "b", 60), inherited("b", "a", 80)), ()))
    assert "62: a broken" in text
    assert "82: b broken" in text


def test_further_verdicts_and_the_readers_notes_are_told() -> None:
    noted = drifted(also=(Verdict.STALE, Verdict.SUSPECT), notes=("rows do not add up",))
    text = to_text(Report((noted,), ()))
    assert "attention-time drifted (also stale, suspect): " in text
    assert "\n  note: rows do not add up\n" in text


def test_many_readings_are_named_by_the_first_three() -> None:
    many = tuple(reading(line, "1") for line in range(1, 2005))
    text = to_text(Report((drifted(readings=many),), ()))
    assert "  read at claims/evidence/step-profile.txt:1, :2, :3 and 2,001 more\n" in text


def test_readings_of_several_files_name_each() -> None:
    several = (reading(1, "1", "a.txt"), reading(0, "1", "a.txt"), reading(4, "1", "b.txt"))
    assert "  read at a.txt:1, a.txt, b.txt:4\n" in to_text(Report((drifted(readings=several),), ()))


def test_colour_only_adds_colour() -> None:
    soft = replace(drifted("soft", 1), fails=False)
    problem = Problem("bad-block", Place("docs/a.md", 4), "the block is empty", "write a claim")
    report = Report((drifted(), soft, holding()), (problem,))
    coloured = to_text(report, colour=True)
    assert "\x1b[31mdrifted\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d*m", "", coloured) == to_text(report)


@settings(deadline=None, max_examples=60)
@given(HOSTILE, st.booleans())
def test_nothing_from_a_file_reaches_a_terminal_or_a_runner_raw(hostile: str, colour: bool) -> None:
    place = Place(hostile, 1)
    evil = replace(
        drifted(message=hostile, hint=hostile, notes=(hostile,)),
        claim=claim(hostile, place=place, block=place, says=hostile, note=hostile, owner=hostile),
        readings=(Reading(hostile, 1, Text(hostile)), Reading(hostile, 2, Text(hostile))),
    )
    problem = Problem("bad-block", place, hostile, hostile)
    shown = show_text(evil, lines={Place(hostile, 1): hostile}, colour=colour)
    for text in (to_text(Report((evil,), (problem,)), colour=colour), shown):
        plain = re.sub(r"\x1b\[\d*m", "", text) if colour else text
        assert not re.search(r"^\s*::|##[A-Za-z]*\[", plain, re.MULTILINE)
        assert all(sign == "\n" or sign.isprintable() for sign in plain)


def test_of_thousands_of_reasons_the_first_are_told() -> None:
    many = replace(drifted(), reasons=tuple(f"suspect: reason {at}" for at in range(3000)))
    text = to_text(Report((many,), ()))
    assert "also suspect: reason 19\n" in text
    assert "reason 20\n" not in text
    assert "and for 2,980 further reasons: `stilltrue show" in text
