"""`stilltrue update`: what it rewrites, what it leaves and says, and when it refuses."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import recording_support
from edit_support import EVIDENCE, checked, claim, project, run, told, updated
from recording_support import process_in, unchanged
from stilltrue.check import check
from stilltrue.config import Config, load
from stilltrue.edit import Outcome, update
from stilltrue.edit import run as edit_run
from stilltrue.edit.ci import ci_variable
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Report
from test_docs import titled

A = claim("a", "22,835.8 ms", "path: $.a, unit: ms")
FOUND = {"a": 22931.2, "b": 0.6612}


def one(root: Path, page: str, found: object = FOUND, **more: str) -> Path:
    return project(root, {"docs/a.md": page, **more}, found)


def text(root: Path, path: str = "docs/a.md") -> str:
    return (root / path).read_bytes().decode("utf-8")


def codes(outcome: Outcome) -> list[str]:
    return [left.code for left in outcome.left]


# What is told ------------------------------------------------------------------------------------------


def test_each_number_is_told_with_its_place_and_the_counts_come_last(tmp_path: Path) -> None:
    root = one(tmp_path, f"{A}\nIt takes [22.8 s](claim:a).\n")
    done = run(root)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "docs/a.md:4: a: 22,835.8 ms -> 22,931.2 ms",
        "docs/a.md:9: a: 22.8 s -> 22.9 s",
        "2 numbers updated in 1 file",
    ]
    assert text(root) == f"{A}\nIt takes [22.8 s](claim:a).\n".replace("22,835.8", "22,931.2").replace(
        "22.8 s", "22.9 s"
    )
    again = run(root)
    assert (again.code, again.out) == (0, "nothing to update: no number disagrees with what was found\n")


def test_a_dry_run_shows_the_lines_and_writes_nothing_even_in_ci(tmp_path: Path) -> None:
    root = one(tmp_path, A)
    with unchanged(root):
        done = run(root, "--dry-run", CI="true")
    assert done.code == 0
    assert done.out.splitlines() == [
        "docs/a.md:4: a: 22,835.8 ms -> 22,931.2 ms",
        "  - value: 22,835.8 ms",
        "  + value: 22,931.2 ms",
        "1 number would be updated in 1 file, nothing was written",
    ]


def test_a_long_line_of_many_numbers_is_kept_once(tmp_path: Path) -> None:
    root = one(tmp_path, f"{A}\n{'[22.8 s](claim:a), ' * 200}\n")
    outcome = updated(root)
    told = [each for each in outcome.changed if each.old == "22.8 s"]
    assert len(told) == 200
    assert len({id(line) for each in told for line in (each.before, each.after)}) == 2
    assert all("22.8" not in each.after and each.before.count("22.8 s") == 200 for each in told)


def test_long_lines_are_shown_around_what_changes(tmp_path: Path) -> None:
    root = one(tmp_path, f"{A}\n{'word ' * 60}[22.8 s](claim:a){' word' * 60}\n")
    lines = run(root, "--dry-run").out.splitlines()
    old, new = (line for line in lines if "[22." in line)
    assert old.startswith("  - …")
    assert len(old) < 160
    assert new == old.replace("  - ", "  + ").replace("22.8", "22.9")


@pytest.mark.parametrize("variable", ["CI", "GITHUB_ACTIONS", "TF_BUILD", "JENKINS_URL"])
def test_it_refuses_in_ci(tmp_path: Path, variable: str) -> None:
    root = one(tmp_path, A)
    with unchanged(root):
        done = run(root, **{variable: "http://ci" if variable == "JENKINS_URL" else "True"})
    assert (done.code, done.out) == (2, "")
    assert f"`{variable}` is set" in done.err
    assert done.err.endswith("`--dry-run` shows it anywhere [update-in-ci]\n")


def test_no_test_is_told_that_a_ci_runs_it() -> None:
    assert ci_variable(os.environ) == ""


@pytest.mark.parametrize("value", ["", "0", "false", "False", "no"])
def test_a_variable_that_says_no_is_no_ci(value: str) -> None:
    assert ci_variable({"CI": value, "PATH": "x"}) == ""
    assert ci_variable({"CI": value, "GITLAB_CI": "1"}) == "GITLAB_CI"


def test_only_the_places_of_the_named_claims_are_touched(tmp_path: Path) -> None:
    page = A + claim("b", "65.2 %", "path: $.b") + "\n[22.8 s](claim:a) [65.2 %](claim:b)\n"
    root = one(tmp_path, page)
    assert told(updated(root, "b")) == [
        ("docs/a.md:11", "65.2 %", "66.1 %"),
        ("docs/a.md:16", "65.2 %", "66.1 %"),
    ]
    assert text(root) == page.replace("65.2", "66.1")
    done = run(root, "nobody")
    assert done.code == 2
    assert "no claim has the id `nobody`" in done.err


def test_as_a_process_it_does_the_same(tmp_path: Path) -> None:
    root = one(tmp_path, A)
    done = process_in(root, "update")
    assert (done.code, done.err) == (0, "")
    assert "22,931.2 ms" in text(root)


# Wrong, and spelled otherwise --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        "[22.9 s](claim:a)",
        "[about 23 s](claim:a)",
        "[two thirds](claim:a)",
        "[22,931 ms](claim:a) of 1,000 ms",
    ],
)
def test_what_agrees_is_not_touched(tmp_path: Path, link: str) -> None:
    page = f"{A}\n{link}\n"
    root = one(tmp_path, page)
    updated(root)
    assert text(root) == page.replace("22,835.8", "22,931.2")


@pytest.mark.parametrize(
    ("link", "after"),
    [
        ("**[about 22.8 s of a step](claim:a)**", "**[about 22.9 s of a step](claim:a)**"),
        ("[22.8 s][x]\n\n[x]: claim:a", "[22.9 s][x]\n\n[x]: claim:a"),
        ("[22.8 s of 35 s](claim:a)", "[22.9 s of 35 s](claim:a)"),
        ("[H100: 22.8 s, or 22.8 each](claim:a)", "[H100: 22.9 s, or 22.8 each](claim:a)"),
        ("[22,836&nbsp;ms](claim:a)", "[22,931&nbsp;ms](claim:a)"),
        ("[22 836 ms](claim:a)", "[22 931 ms](claim:a)"),
        ("[22\u202f836 ms](claim:a)", "[22\u202f931 ms](claim:a)"),
        ("[22\\.8 s](claim:a)", "[22.9 s](claim:a)"),
        ("> [~22.8\n> s](claim:a)", "> [~22.9\n> s](claim:a)"),
        ("| a |\n|---|\n| [`22.8 s`](claim:a) |", "| a |\n|---|\n| [`22.9 s`](claim:a) |"),
        ("- [22.8-second](claim:a) steps", "- [22.9-second](claim:a) steps"),
        ("<div markdown>[22.8 s](claim:a)</div>", "<div markdown>[22.9 s](claim:a)</div>"),
    ],
)
def test_a_link_changes_in_its_number_alone(tmp_path: Path, link: str, after: str) -> None:
    holds = A.replace("22,835.8", "22,931.2")
    root = one(tmp_path, f"{holds}\n{link}\n")
    assert codes(updated(root)) == []
    assert text(root) == f"{holds}\n{after}\n"
    assert checked(root).ok


def test_links_to_ranges_spreads_and_bounds_take_the_end_that_they_meant(tmp_path: Path) -> None:
    blocks = [
        claim("r", "1-2 ms", "path: '$.r[*]', unit: ms"),
        claim("s", "3.0 ± 0.1 ms", "path: '$.s[*]', unit: ms"),
        claim("g", "at least 35.5 %", "path: $.g"),
    ]
    links = "[1 ms](claim:r) [2 ms](claim:r) [3 ms](claim:s) [35.5 %](claim:g) [36 %](claim:g)"
    root = one(tmp_path, "\n".join([*blocks, links, ""]), {"r": [4, 7.8], "s": [5, 6, 7], "g": 0.3427})
    assert codes(updated(root)) == []
    assert text(root).splitlines()[-1] == (
        "[4 ms](claim:r) [8 ms](claim:r) [6 ms](claim:s) [34.2 %](claim:g) [34 %](claim:g)"
    )
    assert "value: 4-8 ms" in text(root)
    assert "value: 6.0 ± 1.0 ms" in text(root)
    assert "value: at least 34.2 %" in text(root)
    assert checked(root).ok


@pytest.mark.parametrize(
    ("value", "found", "after"),
    [
        ('"> 5 ms"', 4.9, '"> 4 ms"'),
        ("over 5.0 ms", 4.9, "over 4.8 ms"),
        ("at most 5 ms", 5.2, "at most 6 ms"),
        ("exactly 5 ms", 5.125, "exactly 5.125 ms"),
        ("~100 ms", 7_143, "~7,140 ms"),
        ("5 ms", 0.004, "0.004 ms"),
        ("0.005 s", 7.4, "0.007 s"),
        ("1:05", 3_725_000, "62:05"),
        ("5 ms  # was 4", 6, "6 ms  # was 4"),
        ("'5 ms'", 6, "'6 ms'"),
        ("$5", 6, None),
    ],
)
def test_the_format_is_the_authors(tmp_path: Path, value: str, found: float, after: str | None) -> None:
    page = claim("c", value, "path: $.c, unit: ms")
    root = one(tmp_path, page, {"c": found})
    outcome = updated(root)
    if after is None:
        assert codes(outcome) == ["update-broken"]
    else:
        assert text(root) == page.replace(f"value: {value}", f"value: {after}")
        assert checked(root).ok


def test_a_tolerance_takes_as_many_digits_as_it_needs(tmp_path: Path) -> None:
    page = claim("c", "5 ms", "path: $.c, unit: ms", "tolerance: 0.1 ms")
    root = one(tmp_path, page, {"c": 7.43})
    assert told(updated(root)) == [("docs/a.md:4", "5 ms", "7.4 ms")]
    assert checked(root).ok


@pytest.mark.parametrize(
    ("value", "after"),
    [
        ("error 12", '"it: fails"'),
        ("'error 12'", "'it: fails'"),
        ('"error 12"', '"it: fails"'),
        ("|\n  error 12", "|\n  it: fails"),
    ],
)
def test_text_gets_quotes_where_it_needs_them(tmp_path: Path, value: str, after: str) -> None:
    page = claim("c", value, "path: $.c") + "\nIt says [**error 12**](claim:c), [words](claim:c).\n"
    root = one(tmp_path, page, {"c": "it: fails"})
    assert codes(updated(root)) == []
    changed = page.replace(f"value: {value}", f"value: {after}").replace("[**error 12", "[**it: fails")
    assert text(root) == changed  # a link without a quantity is just a link
    assert checked(root).ok


def test_words_around_a_text_are_not_thrown_away(tmp_path: Path) -> None:
    root = one(tmp_path, claim("c", "error 12", "path: $.c") + "\n[It is error 12](claim:c)\n", {"c": "OOM"})
    assert codes(updated(root)) == ["update-unsaid"]
    assert "value: OOM\n" in text(root)
    assert text(root).endswith("\n[It is error 12](claim:c)\n")


@pytest.mark.parametrize(("own", "after"), [("5", "12345"), ("5.0", "12345.4"), ("1,005", "12,345")])
def test_where_programs_read_too_no_separator_is_put_where_none_was(
    tmp_path: Path, own: str, after: str
) -> None:
    copies = "copies: [{file: run.sh, match: 'T=(.*)', unit: ms}]"
    badge = (
        "- id: badge\n  says: '{value}'\n  stated_in: {file: b.json, match: 's\": (.*)}', unit: ms}\n"
        f"  evidence: {EVIDENCE}\n  read: {{path: $.c, unit: ms}}\n"
    )
    files = {"run.sh": f"T={own}\n", "b.json": f'{{"s": {own}}}', "claims/b.yml": badge}
    page = claim("c", "5 ms", "path: $.c, unit: ms", copies)
    root = project(tmp_path, {"docs/a.md": page, **files}, {"c": 12345.4})
    assert codes(updated(root)) == []
    assert (text(root, "run.sh"), text(root, "b.json")) == (f"T={after}\n", f'{{"s": {after}}}')
    assert "value: 12,345 ms\n" in text(root)
    assert checked(root).ok


def test_a_number_gives_way_to_no_word(tmp_path: Path) -> None:
    copies = "copies: [{file: run.sh, match: 'T=(.*)'}]"
    page = claim("c", "5 ms", "path: $.c", copies) + "\n[5 ms](claim:c)\n"
    root = project(tmp_path, {"docs/p.md": page, "run.sh": "T=5 ms\n"}, {"c": "SIGKILL"})
    with unchanged(root):
        outcome = updated(root)
    assert codes(outcome) == ["update-unsaid"] * 3


def test_items_in_braces_and_files_of_another_layout_are_edited_too(tmp_path: Path) -> None:
    flow = '{id: %s, says: "{value}", value: 5 ms, evidence: %s, read: {path: $.a, unit: ms}}'
    items = [flow % (name, EVIDENCE) for name in "cd"]
    root = project(
        tmp_path,
        {"claims/x.yml": f"# all\n- {items[0]}\n", "claims/y.yml": f"[{items[1]}]\n"},
        {"a": 7},
    )
    assert codes(updated(root)) == []
    assert text(root, "claims/x.yml") == f"# all\n- {items[0]}\n".replace("5 ms", "7 ms")
    assert text(root, "claims/y.yml") == f"[{items[1]}]\n".replace("5 ms", "7 ms")


def test_copies_and_values_stated_elsewhere_are_rewritten_in_their_files(tmp_path: Path) -> None:
    script = "export S=22.8\r\n# \u00fcber 22.8 s\r\nT=22.8\r\n"
    readme = "# T\n\n## v1\nwrote 20% of it\n\n## v2\nwrote 30% of it\n"
    copies = (
        "copies: [{file: run.sh, match: '^export S=(\\S+)', unit: s}, {file: run.sh, match: '(\\S+ s)$'}]"
    )
    stated = (
        '- id: "share.{v}"\n  says: "{value} in {v}."\n'
        "  stated_in: {file: HISTORY.txt, match: '^## (?P<v>\\S+)\\nwrote (?P<value>\\S+)'}\n"
        f"  evidence: {EVIDENCE}\n  read: {{path: \"$.{{v}}\", unit: '%'}}\n"
    )
    root = project(
        tmp_path,
        {
            "docs/a.md": A.replace("```\n", f"{copies}\n```\n").replace(f"```claim{copies}", "```claim"),
            "run.sh": script,
            "HISTORY.txt": readme,
            "claims/x.yml": stated,
        },
        {**FOUND, "v1": 20.2, "v2": 41},
    )
    outcome = updated(root)
    assert codes(outcome) == []
    assert told(outcome) == [
        ("HISTORY.txt:7", "30%", "41%"),
        ("docs/a.md:4", "22,835.8 ms", "22,931.2 ms"),
        ("run.sh:1", "22.8", "22.9"),
        ("run.sh:2", "22.8 s", "22.9 s"),
    ]
    assert text(root, "run.sh") == "export S=22.9\r\n# \u00fcber 22.9 s\r\nT=22.8\r\n"
    assert text(root, "HISTORY.txt") == readme.replace("30%", "41%")
    assert checked(root).ok
    assert updated(root).changed == ()


# What is left ------------------------------------------------------------------------------------------


def test_superseded_reported_struck_and_broken_ones_are_left(tmp_path: Path) -> None:
    page = "\n".join(
        [
            claim("old", "5 ms", "path: $.a", "superseded: {on: 2026-01-01, because: moved}"),
            '```claim\nid: said\nsays: "{value}."\nvalue: 5 ms\nreported: {by: them}\n```\n',
            claim("gone", "5 ms", "path: $.nothing"),
            "[~~4 ms~~](claim:old) [4 ms](claim:said) [~~5 ms~~](claim:said) [7 ms](claim:old)",
            "[~~6 ms~~ 5 ms](claim:said)",
            "",
        ]
    )
    root = one(tmp_path, page)
    with unchanged(root):
        done = run(root)
    assert done.code == 1
    assert "`gone` could not be judged: " in done.out
    assert "it differs from `said`, a quoted figure" in done.out
    assert "it repeats `old`, which is superseded" in done.out
    assert "`5 ms` is struck through" in done.out
    assert "`6 ms` is struck through" in done.out
    assert "it quotes `old`, which stated `5 ms`" in done.out
    assert done.out.splitlines()[-1] == "0 numbers updated, 6 left"


def test_intervals_are_left(tmp_path: Path) -> None:
    said = '```claim\nid: said\nsays: "{value}."\nvalue: 5 s\nreported: {by: them}\n```\n'
    twice = '```claim\nid: twice\nsays: "{value}."\nvalue: 20 s\nderive: "{said} * 2"\n```\n'
    root = one(tmp_path, f"{said}\n{twice}\n[20 s](claim:twice)\n")
    with unchanged(root):
        outcome = updated(root)
    assert codes(outcome) == ["update-unsaid", "update-unsaid"]
    assert "no single value" in outcome.left[0].message


@pytest.mark.parametrize(
    ("value", "found", "hint"),
    [
        ("205 target modules", 205.5, "205.5 target modules"),
        ("exactly 5 ms", None, ""),
        ("OOM", 5, "5"),
        ("5 ms", "nan", ""),
    ],
)
def test_what_cannot_be_said_in_the_format_is_left(
    tmp_path: Path, value: str, found: object, hint: str
) -> None:
    unit = ", unit: ms" if value.endswith("ms") else ""
    page = claim("c", value, f"path: $.c{unit}")
    if found is None:
        page = claim("c", value, "a: {path: $.c, unit: ms}, b: {path: $.d}", 'derive: "a / b"')
    root = one(tmp_path, page, {"c": found if found is not None else 10, "d": 3})
    with unchanged(root):
        outcome = updated(root)
    assert len(outcome.left) == 1
    assert outcome.left[0].code in ("update-unsaid", "update-broken")
    assert hint in outcome.left[0].hint


def test_a_claim_on_doubtful_evidence_is_left_with_its_links(tmp_path: Path) -> None:
    root = recording_support.recorded(recording_support.project(tmp_path / "p"))
    page = (root / "docs/counts.md").read_text(encoding="utf-8")
    (root / "docs/counts.md").write_text(f"{page}\n[204](claim:targets)\n", encoding="utf-8")
    (root / EVIDENCE.replace("e.json", "count.json")).write_text('{"n": 206}\n', encoding="utf-8")
    with unchanged(root):
        done = run(root)
    assert done.code == 1
    assert "what was found for `targets` is in doubt (suspect" in done.out
    assert "what was found for `twice` is in doubt" in done.out
    assert done.out.count("[update-doubted]") == 3


def test_where_all_agrees_with_evidence_that_is_in_doubt_this_is_said(tmp_path: Path) -> None:
    root = recording_support.recorded(recording_support.project(tmp_path / "p"))
    probe = root / recording_support.PROBE
    probe.write_text(f"{probe.read_text(encoding='utf-8')}\nprint(end='')\n", encoding="utf-8")
    nothing = "nothing to update: no number disagrees with what was found"
    with unchanged(root):
        for ids in ((), ("targets",), ("twice",)):
            done = run(root, *ids)
            said = f"{nothing}; it is in doubt for 1 claim: see `stilltrue check`\n"
            assert (done.code, done.out) == (0, said)
        assert updated(root).doubted == 1
    recording_support.commit_all(root)
    recording_support.recorded(root)
    assert run(root).out == f"{nothing}\n"


def test_evidence_and_what_measured_it_is_never_rewritten(tmp_path: Path) -> None:
    copies = f"copies: [{{file: {EVIDENCE}, match: 'old.: (\\d+)', unit: ms}}]"
    root = one(tmp_path, claim("a", "22,931.2 ms", "path: $.a, unit: ms", copies), {**FOUND, "old": 5})
    with unchanged(root):
        outcome = updated(root)
    assert codes(outcome) == ["update-measured"]


def test_a_page_that_reads_evidence_from_itself_is_left(tmp_path: Path) -> None:
    page = "\n".join(
        [
            *("```claim", "id: a", 'says: "{value}."', "value: 5 ms", "evidence: docs/a.md"),
            *('read: {match: "^took (.*ms)$"}', "```", "", "took 6 ms", ""),
        ]
    )
    root = project(tmp_path, {"docs/a.md": page})
    with unchanged(root):
        assert codes(updated(root)) == ["update-measured"]


def test_a_cell_that_other_claims_are_read_by_is_left(tmp_path: Path) -> None:
    page = "\n".join(
        [
            "```claims",
            "id: t",
            'says: "{Key} is {value}."',
            "key: Key",
            f"evidence: {EVIDENCE}",
            "columns:",
            "  N: {read: {path: '$.{Key}'}}",
            "  M: {read: {path: '$.by[?@.n == {N}].m'}}",
            "```",
            "",
            "| Key | N | M |",
            "|---|---|---|",
            "| a | 5 | 7 |",
            "",
        ]
    )
    root = one(tmp_path, page, {"a": 6, "by": [{"n": 5, "m": 7}]})
    with unchanged(root):
        assert codes(updated(root)) == ["update-unplaced"]


def test_one_place_that_cannot_be_changed_keeps_no_other_from_it(tmp_path: Path) -> None:
    page = f"{A}\n[22.8 s](claim:a) [2&#50;.8 s](claim:a) [22.7 s](claim:a)\n"
    root = one(tmp_path, page)
    outcome = updated(root)
    assert codes(outcome) == ["update-unplaced"]
    assert outcome.left[0].hint == "correct it by hand: found is `22,931.2 ms`"
    assert text(root).endswith("\n[22.9 s](claim:a) [2&#50;.8 s](claim:a) [22.9 s](claim:a)\n")


# Files -------------------------------------------------------------------------------------------------


def test_latin_1_is_a_problem_of_the_check_and_untouched(tmp_path: Path) -> None:
    root = project(
        tmp_path, {"docs/a.md": A, "docs/b.md": "caf\xe9\n[22.8 s](claim:a)\n".encode("latin-1")}, FOUND
    )
    before = (root / "docs/b.md").read_bytes()
    assert [place for place, _, _ in told(updated(root))] == ["docs/a.md:4"]
    assert (root / "docs/b.md").read_bytes() == before


def test_what_cannot_be_read_is_said_and_is_not_up_to_date(tmp_path: Path) -> None:
    pages: dict[str, str | bytes] = {
        "docs/a.md": A.replace("22,835.8", "22,931.2")
        + claim("b", "65.2 %", "path: $.b").replace("says:", "sais:"),
        "docs/b.md": "caf\xe9\n".encode("latin-1"),
    }
    done = run(project(tmp_path, pages, FOUND))
    assert done.code == 1
    assert "docs/a.md:10: numbers here cannot be judged: " in done.out
    assert "docs/b.md:1: numbers here cannot be judged: the file is not UTF-8" in done.out
    assert "2 left" in done.out


def test_a_linked_or_protected_page_is_left_and_the_others_are_not(tmp_path: Path) -> None:
    root = project(
        tmp_path,
        {"docs/a.md": A, "docs/c.md": "[22.8 s](claim:a)\n", "elsewhere": "[22.8 s](claim:a)\n"},
        FOUND,
    )
    (root / "docs/b.md").symlink_to("../elsewhere")
    (root / "docs/c.md").chmod(0o444)
    outcome = updated(root)
    assert (root / "elsewhere").read_bytes() == b"[22.8 s](claim:a)\n"
    assert "22,931.2" in text(root)
    left = {str(left.place): left.code for left in outcome.left}
    assert left["docs/b.md:1"] == "update-unwritable"
    if os.geteuid():  # to root no file is protected
        assert left["docs/c.md:1"] == "update-unwritable"


def test_permissions_are_kept(tmp_path: Path) -> None:
    root = one(tmp_path, A)
    (root / "docs/a.md").chmod(0o640)
    updated(root)
    assert (root / "docs/a.md").stat().st_mode & 0o777 == 0o640


def test_a_file_that_changes_meanwhile_is_not_overwritten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = project(tmp_path, {"docs/a.md": A, "docs/b.md": "[22.8 s](claim:a)\n"}, FOUND)
    saved = "[22.8 s](claim:a) and more\n"

    class Places(edit_run._Places):  # the moment between looking up and writing
        def refuse_changed(self) -> None:
            (root / "docs/b.md").write_text(saved, encoding="utf-8")
            super().refuse_changed()

    monkeypatch.setattr(edit_run, "_Places", Places)
    with pytest.raises(InputError) as caught:
        updated(root)
    assert (caught.value.code, caught.value.path) == ("changed-meanwhile", "docs/b.md")
    assert text(root) == A
    assert text(root, "docs/b.md") == saved


def test_a_page_edited_after_the_check_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = one(tmp_path, A)

    def slow(config: Config, **_more: object) -> Report:
        report = check(config)
        (root / "docs/a.md").write_text(A.replace("22,835.8", "22,900.0"), encoding="utf-8")
        return report

    monkeypatch.setattr(edit_run, "check", slow)
    assert codes(updated(root)) == ["update-unplaced"]
    assert text(root) == A.replace("22,835.8", "22,900.0")


def test_nothing_to_check_is_said(tmp_path: Path) -> None:
    root = project(tmp_path, {"docs/a.md": "words\n"})
    with pytest.raises(UsageError):
        update(load(root), environ={})


def test_text_from_files_cannot_speak_to_a_runner(tmp_path: Path) -> None:
    root = one(tmp_path, claim("c", "OOM", "path: $.c"), {"c": "::error::x \x1b[31m"})
    out = run(root, "--dry-run").out
    assert "\x1b" not in out
    assert not any(line.lstrip().startswith("::") for line in out.splitlines())
    assert json.dumps(out)


# The page ----------------------------------------------------------------------------------------------


def test_the_example_of_its_page_goes_as_the_page_says(tmp_path: Path) -> None:
    shown = titled("update.md")
    files = {name: body for name, body in shown.items() if "/" in name}
    root = project(tmp_path, files)
    for title in ("looking", "writing", "again"):
        command, _, output = shown[title].partition("\n")
        done = run(root, *command.split()[3:])
        assert (done.code, done.out) == (0, output)
    assert checked(root).ok
    left = {name: (root / name).read_bytes().decode().splitlines() for name in files}
    changed = [
        (name, number)
        for name, body in files.items()
        for number, (one, other) in enumerate(zip(body.splitlines(), left[name], strict=True), 1)
        if one != other
    ]
    page = "docs/profile.md"
    assert changed == [(page, 6), (page, 12), (page, 17), ("runs/launch.sh", 1)]


def test_a_claim_that_cannot_be_read_is_said_when_it_is_asked_for(tmp_path: Path) -> None:
    root = one(tmp_path, A + claim("b", "65.2 %", "path: $.b").replace("says:", "sais:"))
    done = run(root, "b")
    assert done.code == 1
    assert "docs/a.md:10: `b` cannot be read: " in done.out
    assert "22,835.8" in text(root)


def test_a_cell_that_is_a_link_to_another_claim_is_rewritten_where_both_agree(tmp_path: Path) -> None:
    page = "\n".join(
        [
            claim("o", "5 ms", "path: $.o, unit: ms"),
            *("```claims", "id: t", 'says: "{K} is {value}."', "key: K", f"evidence: {EVIDENCE}"),
            "columns: {V: {read: {path: '$.{K}', unit: ms}}}",
            *("```", "", "| K | V |", "|---|---|", "| a | [5 ms](claim:o) |", "| b | [5 ms](claim:o) |", ""),
        ]
    )
    root = one(tmp_path, page, {"o": 6, "a": 6, "b": 7})
    outcome = updated(root)
    assert codes(outcome) == ["update-unplaced", "update-unplaced"]
    assert {left.place.line for left in outcome.left} == {20}
    assert text(root).endswith("| a | [6 ms](claim:o) |\n| b | [5 ms](claim:o) |\n")
