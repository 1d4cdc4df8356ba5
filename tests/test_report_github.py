"""A report as GitHub's workflow commands, read back as the runner reads them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recording_support import process_in, stilltrue_in, write
from report_support import DRIFTED_PAGE, HOSTILE, claim, drifted, drifted_below, holding, inherited
from stilltrue.model import Judgement, Place, ProbeRun, Problem, Reading, Report, RunState, Verdict
from stilltrue.quantity import Text
from stilltrue.report import to_github

KNOWN = {
    *("error", "warning", "notice", "debug", "group", "endgroup", "add-mask", "add-path", "add-matcher"),
    *("remove-matcher", "set-env", "set-output", "save-state", "echo", "stop-commands"),
}
"""The commands that a runner knows."""


@dataclass
class Command:
    """What a runner takes a line for."""

    name: str
    data: str = ""
    properties: dict[str, str] = field(default_factory=dict)


def unescaped(text: str, *signs: str) -> str:
    for sign in ("\r", "\n", *signs, "%"):
        text = text.replace(f"%{ord(sign):02X}", sign)
    return text


def second_form(line: str) -> Command | None:
    """`::name key=value,…::data`, as `TryParseV2` of the runner has it."""
    line = line.lstrip()
    if not line.startswith("::") or (end := line.find("::", 2)) < 0:
        return None
    name, _, listed = line[2:end].partition(" ")
    if name not in KNOWN:
        return None
    pairs = (pair.split("=", 1) for pair in listed.strip().split(",") if pair)
    properties = {pair[0]: unescaped(pair[1], ":", ",") for pair in pairs if len(pair) == 2 and all(pair)}
    return Command(name, unescaped(line[end + 2 :]), properties)


def first_form(line: str) -> Command | None:
    """`##[name …]data` anywhere in a line, as `TryParse` of the runner has it."""
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    name = line[start + 3 : end].partition(" ")[0]
    return Command(name) if name in KNOWN else None


def obeyed(text: str) -> list[Command]:
    """The commands that a runner obeys; it ends lines as .NET does."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    found = (second_form(line) or first_form(line) for line in lines)
    return [command for command in found if command is not None]


def test_a_drifted_claim_is_an_error_at_its_line() -> None:
    assert to_github(Report((drifted(), holding()), ())) == (
        "::error file=docs/throughput/profile.md,line=42,title=attention-time drifted::"
        "docs/throughput/profile.md:42: attention-time drifted: "
        "the page says `22,835.8 ms`, the evidence says `22,931.2 ms`%0A"
        "  read at claims/evidence/step-profile.txt:17, :23%0A"
        "  state what was found [disagrees]\n"
        "2 claims: 1 holds, 1 drifted\n"
    )


def test_nothing_to_tell_is_the_summary_alone() -> None:
    assert to_github(Report((holding("a"), holding("b")), ())) == "2 claims: 2 hold\n"


def test_problems_are_errors_and_what_was_lowered_or_announced_are_warnings() -> None:
    soft = replace(drifted("soft", 1), fails=False)
    problem = Problem("bad-block", Place("docs/a.md"), "the block is empty", "write a claim")
    ends = Problem("ends-soon", Place("docs/a.md", 9), "`a` is valid for 3 days more")
    report = Report((soft, drifted()), (problem,), warnings=(ends,))
    assert [(each.name, each.properties) for each in obeyed(to_github(report))] == [
        ("error", {"file": "docs/throughput/profile.md", "line": "42", "title": "attention-time drifted"}),
        ("error", {"file": "docs/a.md", "title": "bad-block"}),
        ("warning", {"file": "docs/a.md", "line": "9", "title": "ends-soon"}),
        ("warning", {"file": "docs/throughput/profile.md", "line": "3", "title": "soft drifted"}),
    ]


def test_consequences_are_told_with_their_cause() -> None:
    cause = replace(drifted("time"), verdict=Verdict.BROKEN, message="there is no file `x`", code="no-file")
    link = Problem("link-disagrees", Place("docs/z.md", 7), "the text says `9 s`", claim="time")
    (only,) = obeyed(to_github(Report((inherited("share", "time", 60), cause), (link,))))
    assert only.properties["title"] == "time broken"
    assert only.data.split("\n")[3:] == [
        "  and so:",
        "    docs/throughput/profile.md:62: share broken: its operand `time` is broken [no-file]",
        "    docs/z.md:7: the text says `9 s` [link-disagrees]",
    ]


def test_paths_are_counted_from_the_top_of_the_repository() -> None:
    (only,) = obeyed(to_github(Report((drifted(),), ()), below="sub/docs, old: 100%/"))
    assert only.properties["file"] == "sub/docs, old: 100%/docs/throughput/profile.md"
    assert only.data.startswith("docs/throughput/profile.md:42: ")


def test_what_became_of_probes_is_a_notice() -> None:
    runs = (
        ProbeRun("probes/a.py", RunState.NOT_RUN, "it is slow, see `--rerun all`"),
        ProbeRun("probes/b.py", RunState.RAN, seconds=3.21),
    )
    first, second = obeyed(to_github(Report((holding(),), (), probes=runs)))
    assert (first.name, first.properties) == ("notice", {"file": "probes/a.py", "title": "probe not run"})
    assert first.data == "probes/a.py: not run: it is slow, see `--rerun all`"
    assert second.data == "probes/b.py: ran in 3.2 s"


def test_every_sign_that_the_runner_unescapes_comes_back() -> None:
    odd = "50 %0A, 60 %25: a, b:c = d%"
    problem = Problem("bad-block", Place(f"docs/{odd}.md", 3), odd, odd)
    (only,) = obeyed(to_github(Report((), (problem,))))
    assert only.properties == {"file": f"docs/{odd}.md", "line": "3", "title": "bad-block"}
    assert only.data == f"docs/{odd}.md:3: {odd}\n  {odd} [bad-block]"


PARTS = st.text(st.sampled_from("%0AD25:,=[]#\r\n\x85\u2028\u200b error"))
SPEECH = HOSTILE | st.text() | PARTS.map("::error ::{}".format)


@settings(deadline=None, max_examples=150)
@given(SPEECH, SPEECH)
def test_whatever_files_hold_no_command_is_obeyed_but_ours(one: str, other: str) -> None:
    place = Place(one, 1)
    evil = replace(
        drifted(message=one, hint=other, notes=(one,), reasons=(other,)),
        claim=claim(one, place=place, block=place, says=other, note=one, owner=other),
        readings=(Reading(one, 1, Text(one)), Reading(other, 2, Text(one))),
    )
    behind = Judgement(claim(other), Verdict.BROKEN, message=one, cause=one)
    report = Report(
        (evil, behind, replace(drifted("soft", message=other), fails=False)),
        (Problem("bad-block", Place(other, 2), one, other),),
        warnings=(Problem("ends-soon", place, other, one),),
        probes=(ProbeRun(one, RunState.NOT_RUN, other),),
    )
    text = to_github(report, below="sub/")
    lines = text.split("\n")
    commands = obeyed(text)
    assert [line.partition(" ")[0] for line in lines[:-2]] == [f"::{each.name}" for each in commands]
    assert {line.partition(" ")[0] for line in lines[:-2]} <= {"::error", "::warning", "::notice"}
    assert all(each.properties.keys() <= {"file", "line", "title"} for each in commands)
    assert text.splitlines() == lines[:-1]
    assert not any(obeyed(each.data) for each in commands)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return drifted_below(tmp_path)


def test_the_report_is_alone_on_standard_output_and_never_coloured(root: Path) -> None:
    for forced, off in (("1", ""), ("", "1")):
        done = process_in(root, "check", "--format", "github", FORCE_COLOR=forced, NO_COLOR=off)
        assert (done.code, done.err) == (1, "")
        assert done.out == (
            "::error file=sub/README.md,line=4,title=time drifted::README.md:4: time drifted: "
            "the page says `4 s`, the evidence (a.txt:1) says `5 s`%0A"
            "  find out why the evidence moved; `stilltrue update` states what was found [drifted]\n"
            "1 claim: 1 drifted\n"
        )


def test_a_usage_error_is_no_report(root: Path) -> None:
    done = process_in(root, "check", "tmie", "--format", "github")
    assert (done.code, done.out) == (2, "")
    assert "no claim has the id `tmie`" in done.err


def test_a_report_that_passed_is_remembered_for_its_place_in_the_repository(root: Path) -> None:
    soft = DRIFTED_PAGE.replace("read:", "severity: {level: warn, because: it is known}\nread:")
    write(root, {"README.md": soft})
    first = stilltrue_in(root, "check", "--format", "github")
    assert (first.code, first.out[:29]) == (0, "::warning file=sub/README.md,")
    moved = root.rename(root.parent / "other")
    assert "file=other/README.md" in stilltrue_in(moved, "check", "--format", "github").out
    assert stilltrue_in(moved, "check").out.endswith("1 claim: 1 drifted; 1 warning\n")


def test_ids_and_tags_narrow_it_as_they_do_the_others(root: Path) -> None:
    other = DRIFTED_PAGE.replace("id: time", "id: other\ntags: [x]")
    write(root, {"b.md": other})
    assert len(obeyed(stilltrue_in(root, "check", "--format", "github").out)) == 2
    for arguments in (("other",), ("--tag", "x")):
        (only,) = obeyed(stilltrue_in(root, "check", *arguments, "--format", "github").out)
        assert only.properties["file"] == "sub/b.md"
