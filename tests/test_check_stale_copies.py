"""Stale copies as `check` reports them: what is bound may stand; nothing is asked where nothing fell."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from recording_support import stilltrue_in
from stilltrue.check import Trail, check, select
from stilltrue.config import load
from stilltrue.copies.search import MOST_HITS
from stilltrue.model import Problem

OLD = """```claim
id: encode-time
says: "Encoding takes {value}."
value: 4.3 h
reported: {by: a log}
superseded: {by: encode-rebuild, on: 2026-08-26, because: it was 4.3 hours with a cold cache}
```

```claim
id: encode-rebuild
says: "Encoding takes {value}."
value: 145.5 s
reported: {by: a log}
```
"""
LIVE = """```claim
id: battery
says: "It lives {value}."
value: 4.3 h
reported: {by: a data sheet}
```
"""


def put(root: Path, files: dict[str, str]) -> Path:
    (root / "stilltrue.toml").touch()
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    return root


def git(root: Path, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True)


def stale(root: Path) -> list[Problem]:
    return [problem for problem in check(load(root)).problems if problem.code == "stale-copy"]


def places(root: Path) -> list[str]:
    return [str(problem.place) for problem in stale(root)]


def test_a_copy_is_told_with_what_stands_now_and_how_it_may_stay(tmp_path: Path) -> None:
    (problem,) = stale(put(tmp_path, {"docs/a.md": OLD, "run.sh": "# takes 4.3 hours\n"}))
    assert problem.place == ("run.sh", 1)
    assert (
        problem.message
        == "`4.3 hours` is still the value of `encode-time`, which is superseded (docs/a.md:4)"
    )
    assert problem.hint == (
        "state `encode-rebuild` instead: `145.5 s`; "
        "or keep it, marked `stilltrue: keep` on its line or the one above"
    )
    assert problem.about == ("encode-time",)


def test_where_no_mark_can_stand_the_hint_says_what_else_to_do(tmp_path: Path) -> None:
    (problem,) = stale(put(tmp_path, {"docs/a.md": OLD, "told.json": '{"about": "takes 4.3 hours"}\n'}))
    assert problem.hint == (
        "state `encode-rebuild` instead: `145.5 s`; "
        "or leave the file out: `search.ignore` of the configuration"
    )


def test_the_successor_that_is_named_is_the_last_one_in_the_line(tmp_path: Path) -> None:
    middle = OLD.replace("value: 145.5 s\nreported: {by: a log}", "value: 150 s\nreported: {by: a log}\n"
                         'superseded: {by: newest, on: 2026-08-27, because: "measured again"}')  # fmt: skip
    last = "```claim\nid: newest\nsays: It takes {value}.\nvalue: 145.5 s\nreported: {by: a log}\n```\n"
    (problem,) = stale(put(tmp_path, {"README.md": middle + last, "run.sh": "4.3 h\n"}))
    assert problem.hint.startswith("state `newest` instead: `145.5 s`;")


def test_what_was_withdrawn_has_no_successor(tmp_path: Path) -> None:
    withdrawn = OLD.replace("by: encode-rebuild, ", "")
    (problem,) = stale(put(tmp_path, {"README.md": withdrawn, "run.sh": "4.3 h\n"}))
    assert problem.hint.startswith("remove it;")


def test_one_line_is_one_problem_for_the_claims_that_share_the_value(tmp_path: Path) -> None:
    twin = OLD.partition("\n\n")[0].replace("id: encode-time", "id: twin")
    (problem,) = stale(put(tmp_path, {"README.md": f"{OLD}\n{twin}\n", "run.sh": "4.3 h, or 4.3 hours\n"}))
    assert problem.about == ("encode-time", "twin")
    assert "`encode-time` and of 1 more claim, which is superseded" in problem.message


def test_places_bound_to_a_live_claim_may_stand_and_what_is_beside_them_may_not(tmp_path: Path) -> None:
    root = put(
        tmp_path,
        {
            "README.md": f"{OLD}\n{LIVE}\n[4.3 h](claim:battery)\n[4.3 h](claim:battery), 4.3 h\n"
            "[145 s, not 4.3 h](claim:encode-rebuild)\n[4.3 h](claim:unknown)\n",
        },
    )
    lines = (root / "README.md").read_text(encoding="utf-8").splitlines()
    wanted = [n for n, line in enumerate(lines, 1) if line.endswith(("), 4.3 h", "rebuild)", "unknown)"))]
    assert places(root) == [f"README.md:{line}" for line in wanted]


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "marked"])
def test_any_number_of_places_that_may_stand_hides_none_behind_them(mark: str, tmp_path: Path) -> None:
    bound = "Für [4.3 h](claim:battery)\n\n" * (MOST_HITS + 1)
    root = put(tmp_path, {"README.md": f"{OLD}\n{LIVE}\n", "docs/a.md": f"{mark}{bound}it takes 4.3 h\n"})
    assert places(root) == [f"docs/a.md:{bound.count(chr(10)) + 1}"]


def test_a_file_is_searched_no_further_than_its_most_places(tmp_path: Path) -> None:
    root = put(tmp_path, {"README.md": OLD, "run.sh": "4.3 h\n" * (MOST_HITS + 1)})
    assert len(places(root)) == MOST_HITS


@pytest.mark.parametrize(
    ("value", "line", "shown"),
    [
        ("22-43 %", "from 22 % to 43 % of it", "22 % to 43 %"),
        ("22-43 %", "between 22 and 43 percent.", "22 and 43 percent"),
        ("22-43 %", "between 22–43 % of it", "22–43 %"),
        ("0.120 ± 0.020 s", "0.120 +/- 0.020 s long", "0.120 +/- 0.020 s"),
        ("0.120 ± 0.020 s", "0.120 s long", "0.120 s"),
        ("5/11/17 ms", "at 5/11/17 ms", "5/11/17 ms"),
        ("$103.20", "103.20 USD a run", "103.20 USD"),
    ],
)
def test_all_numbers_of_a_value_are_shown_as_they_stand(
    tmp_path: Path, value: str, line: str, shown: str
) -> None:
    root = put(tmp_path, {"README.md": OLD.replace("4.3 h\nrep", f"{value}\nrep"), "run.sh": f"# {line}\n"})
    (problem,) = stale(root)
    assert problem.message.startswith(f"`{shown}` is still the value of `encode-time`")


def test_a_cell_of_a_live_claim_may_stand_and_its_neighbour_may_not(tmp_path: Path) -> None:
    table = (
        "```claims\nid: life\nsays: '{Sensor} lives {value}.'\nkey: [Sensor]\n"
        "columns:\n  Charge: {reported: {by: its data sheet}}\n```\n\n"
        "| Sensor | Charge | Remark |\n|---|---|---|\n| red | 4.3 h | - |\n"
        "| blue | 4.3 h | 4.3 h |\n| green | 9 h | 4.3 h |\n"
    )
    root = put(tmp_path, {"README.md": OLD, "docs/t.md": table})
    assert places(root) == ["docs/t.md:12", "docs/t.md:13"]


def test_a_superseded_cell_is_stated_where_it_stands(tmp_path: Path) -> None:
    table = (
        "```claims\nid: life\nsays: '{Sensor} lives {value}.'\nkey: [Sensor]\ncolumns:\n"
        "  Charge: {reported: {by: its data sheet}, superseded: {on: 2026-08-26, because: new}}\n```\n\n"
        "| Sensor | Charge |\n|---|---|\n| red | 4.3 h |\n| blue | 9.1 h |\n"
    )
    root = put(tmp_path, {"docs/t.md": table, "run.sh": "sleep 4.3h\nsleep 9.1h\n"})
    assert places(root) == ["run.sh:1", "run.sh:2"]


def test_what_copies_and_stated_in_bind_may_stand_and_what_is_beside_it_may_not(tmp_path: Path) -> None:
    claims = (
        "- id: battery\n  says: It lives {value}.\n  stated_in: {file: sensor.txt, match: 'lives (\\S+ h)'}\n"
        "  reported: {by: a data sheet}\n"
        "  copies: [{file: sensor.sh, match: 'BATTERY_HOURS=(\\S+)', unit: h}]\n"
    )
    files = {
        "README.md": OLD,
        "claims/live.yml": claims,
        "sensor.txt": "lives 4.3 h\nencoding: 4.3 h\n",
        "sensor.sh": "BATTERY_HOURS=4.3\nENCODE_HOURS=4.3\n",
    }
    assert places(put(tmp_path, files)) == ["sensor.sh:2", "sensor.txt:2"]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
def test_what_stated_in_finds_may_stand_and_the_same_number_on_its_line_may_not(
    tmp_path: Path, end: str, mark: str
) -> None:
    claims = (
        "- id: battery\n  says: It lives {value}.\n  stated_in: {file: sensor.txt, match: 'lives (\\S+ h)'}\n"
        "  reported: {by: a data sheet}\n"
    )
    for text, expected in (
        ("ä, it lives 4.3 h", []),
        ("ä, it lives 4.3 h, encoded in 4.3 h", ["sensor.txt:2"]),
        ("4.3 h to encode, lives 4.3 h", ["sensor.txt:2"]),
    ):
        files = {"README.md": OLD, "claims/live.yml": claims, "sensor.txt": f"{mark}# ü{end}{text}{end}"}
        assert places(put(tmp_path, files)) == expected


def test_a_copy_that_the_superseded_claim_names_is_told_once(tmp_path: Path) -> None:
    named = OLD.replace("superseded:", "copies: [{file: run.sh, match: 'takes (.*)'}]\nsuperseded:", 1)
    assert places(put(tmp_path, {"README.md": named, "run.sh": "# takes 4.3 hours\n"})) == ["run.sh:1"]


def test_evidence_is_not_searched_and_pages_that_are_evidence_are(tmp_path: Path) -> None:
    read = (
        "```claim\nid: x\nsays: It says {value}.\nvalue: 7\nevidence: FILE\nread: {match: 'x = (.*)'}\n```\n"
    )
    files = {
        "README.md": OLD + read.replace("FILE", "notes.txt"),
        "notes.txt": "x = 7\n4.3 h\n",
        "claims/evidence/run.txt": "4.3 h\n",
        "docs/a.md": read.replace("id: x", "id: y").replace("FILE", "docs/b.md"),
        "docs/b.md": "x = 7, not 4.3 h\n".replace(", not", "\n\nnot"),
    }
    assert places(put(tmp_path, files)) == ["docs/b.md:3"]


# What is searched --------------------------------------------------------------------------------------


def test_what_git_ignores_is_not_searched_and_what_is_new_is(tmp_path: Path) -> None:
    root = put(
        tmp_path, {"README.md": OLD, ".gitignore": "out/\n", "out/a.txt": "4.3 h\n", "old.txt": "4.3 h\n"}
    )
    git(root, "init", "--quiet")
    git(root, "add", "README.md", "old.txt")
    put(root, {"new.txt": "4.3 h\n"})
    (root / "gone.txt").touch()
    git(root, "add", "gone.txt")
    (root / "gone.txt").unlink()
    assert places(root) == ["new.txt:1", "old.txt:1"]


def test_without_git_the_folders_are_walked(tmp_path: Path) -> None:
    files = {"a/b.txt": "4.3 h", ".github/ci.yml": "a: 4.3 h", ".venv/x.txt": "4.3 h", "build/x.txt": "4.3 h"}
    assert places(put(tmp_path, {"README.md": OLD, **files})) == [".github/ci.yml:1", "a/b.txt:1"]


def test_the_configuration_chooses_files(tmp_path: Path) -> None:
    root = put(
        tmp_path,
        {"README.md": OLD, "a.sh": "4.3 h", "b.sh": "4.3 h", "c.txt": "4.3 h", "CHANGELOG.md": "4.3 h"},
    )
    (root / "stilltrue.toml").write_text(
        'search = {files = ["*.sh", "CHANGELOG.md"], ignore = ["b*"]}\n', encoding="utf-8"
    )
    assert places(root) == ["CHANGELOG.md:1", "a.sh:1"]


def test_a_claim_narrows_its_own_search(tmp_path: Path) -> None:
    asked = OLD.replace("superseded:", "search: {words: [encode], ignore: ['old/**']}\nsuperseded:", 1)
    files = {"a.sh": "4.3 h\n\n\n# encode: 4.3\n", "old/a.sh": "encode 4.3 h\n"}
    assert places(put(tmp_path, {"README.md": asked, **files})) == ["a.sh:4"]


@pytest.mark.parametrize("words", [["a"] * 101, ["a" * 101]], ids=["many", "long"])
def test_words_are_few_and_short(words: list[str], tmp_path: Path) -> None:
    asked = OLD.replace("superseded:", f"search: {{words: {words}}}\nsuperseded:", 1)
    problems = check(load(put(tmp_path, {"README.md": asked}))).problems
    assert {(problem.code, problem.place.line) for problem in problems if problem.code == "wrong-type"} == {
        ("wrong-type", 6)
    }


def test_texts_that_are_not_on_the_disk_yet_are_searched_in_place_of_what_is(tmp_path: Path) -> None:
    root = put(tmp_path, {"README.md": OLD, "a.sh": "4.3 h\n"})
    assert check(load(root), texts={"a.sh": b"145.5 s\n"}).problems == ()


def test_a_file_that_cannot_be_searched_is_a_warning(tmp_path: Path) -> None:
    root = put(tmp_path, {"README.md": OLD, "a.sh": "x" * 3_000})
    (root / "stilltrue.toml").write_text("limits = {bytes = 2000}\n", encoding="utf-8")
    report = check(load(root))
    assert report.ok
    assert [(warning.code, warning.place.path) for warning in report.warnings] == [("too-large", "a.sh")]


def test_naming_the_claim_shows_its_copies(tmp_path: Path) -> None:
    report = check(load(put(tmp_path, {"README.md": OLD, "a.sh": "4.3 h\n"})))
    assert [problem.code for problem in select(report, ["encode-time"]).problems] == ["stale-copy"]
    assert select(report, ["encode-rebuild"]).problems == ()


# What it costs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", [LIVE, OLD.replace("4.3 h", "OOM"), OLD.replace("4.3 h", "17")])
def test_nothing_is_asked_or_read_where_nothing_can_be_searched_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page: str
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("git was asked")

    root = put(tmp_path, {"README.md": page, "a.sh": "4.3 h\n"})
    monkeypatch.setattr("stilltrue.git._git", refuse)
    trail = Trail()
    assert check(load(root), trail=trail).ok
    assert trail.listing is None
    assert "a.sh" not in trail.files


def test_the_search_can_be_left_out(tmp_path: Path) -> None:
    root = put(tmp_path, {"README.md": OLD, "a.sh": "4.3 h\n"})
    assert check(load(root), search=False).ok
    assert not check(load(root)).ok


def aged(root: Path) -> None:
    """Make every file older than the tick of its clock."""
    then = time.time() - 60
    for folder, _, names in os.walk(root):
        if ".git" not in folder and ".stilltrue" not in folder:
            for name in names:
                os.utime(Path(folder, name), (then, then))


@pytest.mark.parametrize("in_git", [True, False])
def test_a_remembered_check_notices_changed_new_and_deleted_files(tmp_path: Path, in_git: bool) -> None:
    root = put(tmp_path, {"README.md": OLD, "a.sh": "# 145.5 s\n", "b/c.sh": "# 145.5 s\n"})
    if in_git:
        git(root, "init", "--quiet")
    time.sleep(2.2)  # a file changed within its clock's tick is not remembered

    def codes() -> tuple[int, bool]:
        kept = sorted((root / ".stilltrue").glob("check-*.json"))
        before = [path.stat().st_mtime_ns for path in kept]
        code = stilltrue_in(root, "check").code
        kept = sorted((root / ".stilltrue").glob("check-*.json"))
        return code, before != [] and before == [path.stat().st_mtime_ns for path in kept]

    assert codes() == (0, False)
    assert codes() == (0, True)
    put(root, {"b/new.sh": "4.3 h\n"})
    assert codes()[0] == 1
    (root / "b/new.sh").unlink()
    assert codes() == (0, True)
    put(root, {"a.sh": "# 4.3 hours\n"})
    assert codes()[0] == 1


def test_many_superseded_claims_of_one_value_are_searched_for_once(tmp_path: Path) -> None:
    fall = "superseded: {on: 2026-08-26, because: measured anew}"
    head = "says: '{value}'\n  value: 4.3 h\n  reported: {by: me}"
    items = "".join(f"- id: c{at}\n  {head}\n  {fall}\n" for at in range(2000))
    put(tmp_path, {"claims/old.yml": items, "run.sh": "# it takes 4.3 hours\n" * 500})
    started = time.process_time()
    report = check(load(tmp_path))
    assert time.process_time() - started < 10
    assert report.warnings == ()
    copies = [each for each in report.problems if each.code == "stale-copy"]
    assert [each.place.line for each in copies] == list(range(1, 501))
    assert {len(each.about) for each in copies} == {2000}
