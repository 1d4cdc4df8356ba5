"""`record` end to end: what is run, what is written beside the evidence, and how the claims moved."""

from __future__ import annotations

import json
import os
import pty
import re
import shutil
import subprocess
from pathlib import Path

import jsonschema
import pytest

import recording_support as support
from recording_support import COUNT, MODULE, PROBE, recorded, stilltrue_in
from stilltrue import provenance


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return support.project(tmp_path / "project")


def counts(root: Path, *arguments: str) -> tuple[int, dict[str, int]]:
    done = stilltrue_in(root, "check", "--no-cache", "--format", "json", *arguments)
    return done.code, {name: number for name, number in json.loads(done.out)["counts"].items() if number}


# What is written ----------------------------------------------------------------------------------------


def test_a_probe_is_run_and_its_claims_move(root: Path) -> None:
    done = stilltrue_in(root, "record", PROBE)
    assert (done.code, done.err) == (0, "")
    assert re.sub(r"\d+\.\d\d s", "0.05 s", done.out) == (
        "probes/count.py: recorded in 0.05 s\n"
        "  claims/evidence/count.json\n"
        "targets: nothing -> 205 modules; broken -> holds\n"
        "twice: nothing -> 410; broken -> holds\n"
    )
    assert (root / COUNT).read_text() == '{"n": 205}\n'
    assert counts(root) == (0, {"holds": 2})


def test_the_record_says_how_the_evidence_came_about(root: Path) -> None:
    commit = support.git(root, "rev-parse", "HEAD").strip()
    recorded(root)
    record = support.record_of(root)
    assert [(each.path, each.sha256) for each in record.subjects] == [(COUNT, support.sha256(root / COUNT))]
    assert [each.path for each in record.code] == [PROBE, MODULE]
    assert (record.commit, record.changed, record.argv, record.source) == (commit, (), (), "")
    assert record.started[:10] == record.on
    assert record.started <= record.ended
    assert record.interpreter.startswith("CPython 3.")
    assert {"system", "cores"} <= {name for name, _ in record.machine}
    text = (root / provenance.name_of(COUNT)).read_text(encoding="ascii")
    jsonschema.Draft202012Validator(json.loads(provenance.schema())).validate(json.loads(text))
    assert str(root) not in text


def test_recording_leaves_nothing_else_behind(root: Path) -> None:
    before = support.everything(root)
    recorded(root)
    made = set(support.everything(root)) - set(before)
    assert made == {COUNT, provenance.name_of(COUNT)}
    assert support.git(root, "status", "--porcelain").split() == ["??", "claims/"]
    support.commit_all(root)
    recorded(root)
    assert support.git(root, "status", "--porcelain", PROBE, MODULE) == ""


def test_every_file_of_a_run_has_the_same_record(root: Path) -> None:
    script = support.HEADER.replace(
        '"claims/evidence/count.json"', '["claims/evidence/a.txt", "claims/evidence/b.txt"]'
    )
    support.write(root, {PROBE: f"{script}print('a')\nopen('claims/evidence/b.txt', 'w').write('b')\n"})
    support.commit_all(root)
    recorded(root)
    records = {(root / f"claims/evidence/{name}.txt.provenance.json").read_text() for name in "ab"}
    assert len(records) == 1
    record = support.record_of(root, "claims/evidence/b.txt")
    assert [each.path for each in record.subjects] == ["claims/evidence/a.txt", "claims/evidence/b.txt"]


def test_arguments_are_recorded_and_used_again_until_others_are_given(root: Path) -> None:
    recorded(root, "--", "--allow-dirty", "-h")
    assert support.record_of(root).argv == ("--allow-dirty", "-h")
    assert "recorded with `--allow-dirty -h` in" in stilltrue_in(root, "record", PROBE).out
    assert json.loads((root / COUNT).read_text()) == {"n": 207}
    recorded(root, "--")
    assert support.record_of(root).argv == ()


def test_several_probes_are_run_in_order_and_one_that_fails_keeps_no_other(root: Path) -> None:
    bad = support.HEADER.replace("count.json", "bad.json") + "raise SystemExit(3)\n"
    other = support.HEADER.replace("count.json", "other.json") + "print('{}')\n"
    support.write(root, {"probes/bad.py": bad, "probes/other.py": other})
    support.commit_all(root)
    done = stilltrue_in(root, "record", PROBE, "probes/bad.py", "probes/other.py", PROBE)
    assert done.code == 1
    assert [line.split(":")[0] for line in done.out.splitlines() if ": recorded" in line] == [
        PROBE,
        "probes/other.py",
    ]
    assert done.err.startswith("probes/bad.py: failed: ")
    assert not (root / "claims/evidence/bad.json").exists()


@pytest.mark.parametrize("folder", ["probes", "docs", "."])
def test_a_probe_is_named_from_the_current_folder_or_from_the_root(root: Path, folder: str) -> None:
    named = "count.py" if folder == "probes" else PROBE
    assert stilltrue_in(root / folder, "record", named).code == 0
    assert stilltrue_in(root.parent, "record", PROBE, "--project", str(root)).code == 0


# What is not run ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["probes/cuont.py", "count", "count.py", "../elsewhere/count.py"])
def test_a_probe_that_is_not_there_is_looked_for(root: Path, name: str) -> None:
    with support.unchanged(root):
        done = stilltrue_in(root, "record", name)
    assert done.code == 2
    assert "did you mean `probes/count.py`?" in done.err
    assert "[unknown-probe]" in done.err


def test_a_script_without_a_header_is_no_probe(root: Path) -> None:
    done = stilltrue_in(root, "record", MODULE)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("probes/helper.py: ")
    assert "[no-header]" in done.err


def test_of_several_files_those_without_a_header_are_passed_over(root: Path) -> None:
    done = stilltrue_in(
        root, "record", *(f"probes/{path.name}" for path in sorted((root / "probes").iterdir()))
    )
    assert done.code == 0
    assert done.err == "probes/helper.py: passed over, it has no header\n"
    assert done.out.startswith("probes/count.py: recorded in ")


def test_what_was_meant_to_be_a_header_is_not_passed_over(root: Path) -> None:
    support.write(root, {"probes/bad.py": "#/// script\n# ///\n"})
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE, "probes/bad.py")
    assert done.code == 2
    assert done.err.startswith("probes/bad.py:1: ")


def test_all_headers_are_read_before_anything_is_run(root: Path) -> None:
    support.write(root, {"probes/bad.py": support.HEADER.replace('cost = "cheap"', 'cost = "free"')})
    with support.unchanged(root):
        assert stilltrue_in(root, "record", PROBE, "probes/bad.py").code == 2


def test_two_probes_that_write_one_file_are_refused(root: Path) -> None:
    support.write(root, {"probes/twin.py": support.HEADER + "print(1)\n"})
    support.commit_all(root)
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE, "probes/twin.py")
    assert done.code == 2
    assert "`claims/evidence/count.json` is written by `probes/count.py` too" in done.err


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('needs = ["cuda"]', "needs cuda"),
        ("", "no-such-package is not installed"),
    ],
    ids=["a GPU", "a package"],
)
def test_a_probe_that_cannot_run_here_is_not_run_and_never_passes(
    root: Path, line: str, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    header = support.HEADER.replace(
        'cost = "cheap"', f'cost = "cheap"\n# {line}' if line else 'cost = "cheap"'
    )
    if not line:
        header = header.replace("dependencies = []", 'dependencies = ["no-such-package"]')
    support.write(root, {PROBE: header + support.SCRIPT})
    support.commit_all(root)
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert (done.code, done.out) == (1, "")
    assert done.err.startswith(f"probes/count.py: not run: it cannot be run here: {why}")
    assert "[not-run]" in done.err


def test_arguments_for_several_probes_are_refused(root: Path) -> None:
    support.write(root, {"probes/b.py": support.HEADER.replace("count", "b") + "print(1)\n"})
    done = stilltrue_in(root, "record", PROBE, "probes/b.py", "--", "1")
    assert done.code == 2
    assert "arguments are for one probe" in done.err


# The tree and HEAD --------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", [PROBE, MODULE, "data.csv"])
@pytest.mark.parametrize("first", [True, False], ids=["first run", "a later one"])
def test_what_differs_from_head_is_refused_and_with_leave_is_suspect_until_it_is_committed(
    root: Path, path: str, first: bool
) -> None:
    header = support.HEADER.replace('cost = "cheap"', 'cost = "cheap"\n# reads = "data.csv"')
    support.write(root, {PROBE: header + support.SCRIPT, "data.csv": "1\n"})
    support.commit_all(root)
    if not first:
        recorded(root)
        support.commit_all(root)
    with (root / path).open("a", encoding="utf-8") as file:
        file.write("#\n")
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert (done.code, done.out) == (1, "")
    assert f"refused: `{path}` differs from HEAD" in done.err
    assert "[dirty]" in done.err
    recorded(root, "--allow-dirty")
    assert support.record_of(root).changed == (path,)
    assert counts(root) == (1, {"suspect": 2})
    support.commit_all(root)
    assert counts(root) == (0, {"holds": 2})


def test_a_new_probe_is_recorded_and_committed_together_with_its_evidence(tmp_path: Path) -> None:
    root = support.project(tmp_path, commit=False)
    done = stilltrue_in(root, "record", PROBE)
    assert done.code == 0
    assert "note: `probes/count.py`, `probes/helper.py` are new to git: commit together with" in done.out
    record = support.record_of(root)
    assert (record.commit, record.changed) == ("", (PROBE, MODULE))
    assert counts(root) == (0, {"holds": 2})
    support.commit_all(root)
    assert counts(root) == (0, {"holds": 2})


def test_other_changes_and_its_own_outputs_make_no_tree_dirty(root: Path) -> None:
    recorded(root)
    support.commit_all(root)
    support.write(root, {"docs/counts.md": support.PAGE + "more\n", "new.txt": ""})
    recorded(root)
    recorded(root)


def test_what_another_probe_just_recorded_is_an_input_like_any_other(root: Path) -> None:
    header = support.HEADER.replace("count.json", "double.json")
    header = header.replace('cost = "cheap"', f'cost = "cheap"\n# reads = "{COUNT}"')
    body = f"import json\nprint(json.dumps(2 * json.load(open('{COUNT}'))['n']))\n"
    support.write(root, {"probes/double.py": header + body})
    support.commit_all(root)
    for _ in range(2):
        done = stilltrue_in(root, "record", PROBE, "probes/double.py")
        assert done.code == 0, done.err
        support.write(root, {MODULE: "N = 206\n"})
        support.git(root, "commit", "-qm", "more", "--", MODULE) if _ == 0 else None
    record = support.record_of(root, "claims/evidence/double.json")
    assert record.changed == ()
    assert [each.sha256 for each in record.inputs] == [support.sha256(root / COUNT)]


def test_an_input_that_git_ignores_does_not_count_as_uncommitted(root: Path) -> None:
    header = support.HEADER.replace('cost = "cheap"', 'cost = "cheap"\n# reads = "large.bin"')
    support.write(root, {PROBE: header + support.SCRIPT, ".gitignore": "*.bin\n", "large.bin": "x"})
    support.commit_all(root)
    recorded(root)
    assert support.record_of(root).changed == ()
    assert counts(root) == (0, {"holds": 2})


def test_without_git_there_is_no_commit_and_nothing_is_uncommitted(root: Path, tmp_path: Path) -> None:
    shutil.rmtree(root / ".git")
    done = stilltrue_in(root, "record", PROBE)
    assert (done.code, done.err) == (0, "")
    assert "note: no commit is recorded: git cannot tell which one this is" in done.out
    assert (support.record_of(root).commit, support.record_of(root).changed) == ("", ())
    assert counts(root) == (0, {"holds": 2})
    assert stilltrue_in(root, "record", PROBE, PATH=str(tmp_path)).code == 0


def test_a_project_below_the_top_of_its_repository_is_recorded_with_its_own_paths(tmp_path: Path) -> None:
    root = support.write(tmp_path / "deep/project", support.FILES)
    support.git(tmp_path, "init", "-q")
    commit = support.commit_all(tmp_path)
    recorded(root)
    record = support.record_of(root)
    assert (record.commit, record.probe, record.changed) == (commit, PROBE, ())
    support.write(root, {MODULE: "N = 206\n"})
    assert "`probes/helper.py` differs from HEAD" in stilltrue_in(root, "record", PROBE).err


def test_a_tracked_workspace_is_not_used(root: Path) -> None:
    support.write(root, {".stilltrue/pending/x.json": "{}"})
    support.git(root, "add", "-f", ".stilltrue")
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert done.code == 2
    assert "[tracked-cache]" in done.err


def test_everything_recorded_holds_in_a_squashed_shallow_clone_with_other_line_ends(
    root: Path, tmp_path: Path
) -> None:
    header = support.HEADER.replace('cost = "cheap"', 'cost = "cheap"\n# reads = "data.csv"')
    support.write(root, {PROBE: header + support.SCRIPT, "data.csv": "a\nb\n"})
    support.commit_all(root)
    recorded(root)
    support.commit_all(root)
    before = counts(root)
    assert before == (0, {"holds": 2})
    tree = support.git(root, "rev-parse", "HEAD^{tree}").strip()
    squashed = support.git(root, "commit-tree", tree, "-m", "squashed").strip()
    support.git(root, "branch", "squashed", squashed)
    more = ("--depth", "1", "--branch", "squashed", "-c", "core.autocrlf=true")
    support.git(tmp_path, "clone", "-q", *more, f"file://{root}", "clone")
    clone = tmp_path / "clone"
    assert b"\r\n" in (clone / PROBE).read_bytes()
    assert b"\r\n" in (clone / "data.csv").read_bytes()
    assert support.record_of(clone).commit not in support.git(clone, "log", "--format=%H")
    assert counts(clone) == before


# Earlier days -------------------------------------------------------------------------------------------


def test_evidence_of_an_earlier_day_is_kept_under_its_day(root: Path) -> None:
    recorded(root)
    support.backdate(root, "2026-01-05")
    support.commit_all(root)
    old = (root / COUNT).read_bytes()
    support.write(root, {MODULE: "N = 206\n"})
    commit = support.commit_all(root)
    recorded(root)
    kept = "claims/evidence/2026-01-05/count.json"
    assert (root / kept).read_bytes() == old
    record = support.record_of(root, kept)
    assert record.on == "2026-01-05"
    assert [(each.path, each.sha256) for each in record.subjects] == [(kept, support.sha256(root / kept))]
    assert support.record_of(root).commit == commit
    assert json.loads((root / COUNT).read_text()) == {"n": 206}
    assert provenance.history(root, COUNT) == (("2026-01-05", kept),)
    done = stilltrue_in(root, "show", "targets")
    assert f"  earlier     2026-01-05: 205 modules, commit {record.commit[:12]}\n" in done.out


def test_evidence_of_a_clock_that_was_ahead_is_kept_under_its_day_too(root: Path) -> None:
    recorded(root)
    support.backdate(root, "2199-01-05")
    support.commit_all(root)
    old = (root / COUNT).read_bytes()
    support.write(root, {MODULE: "N = 206\n"})
    support.commit_all(root)
    recorded(root)
    assert (root / "claims/evidence/2199-01-05/count.json").read_bytes() == old


def test_what_was_accepted_of_evidence_stays_accepted_under_its_day(root: Path) -> None:
    recorded(root)
    read = "evidence: claims/evidence/**/count.json\nread: {path: $.n, take: max}"
    page = support.PAGE.replace("evidence: claims/evidence/count.json\nread: {path: $.n}", read)
    support.write(root, {COUNT: '{"n":  205}\n', "docs/counts.md": page})
    assert stilltrue_in(root, "accept", "targets", "--because", "a space").code == 0
    support.backdate(root, "2026-01-05")
    support.commit_all(root)
    recorded(root)
    assert (root / "claims/evidence/2026-01-05/count.json").read_text() == '{"n":  205}\n'
    assert counts(root) == (0, {"holds": 2})


def test_a_record_that_cannot_be_read_is_deleted_before_evidence_is_recorded_anew(root: Path) -> None:
    recorded(root)
    support.commit_all(root)
    support.write(root, {f"{COUNT}.provenance.json": "{"})
    done = stilltrue_in(root, "record", PROBE)
    assert "or delete it and record the evidence anew [bad-provenance]" in done.err
    (root / f"{COUNT}.provenance.json").unlink()
    recorded(root)


def test_evidence_of_the_same_day_is_replaced(root: Path) -> None:
    recorded(root)
    recorded(root)
    assert provenance.history(root, COUNT) == ()


def test_a_clock_that_was_set_back_loses_no_evidence(root: Path) -> None:
    recorded(root)
    support.backdate(root, "2026-01-05")
    support.write(root, {MODULE: "N = 206\n"})
    support.git(root, "commit", "-qm", "206", "--", MODULE)
    recorded(root)
    support.backdate(root, "2026-01-05")
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert "`claims/evidence/2026-01-05/count.json`, and git does not hold what is there now" in done.err
    support.commit_all(root)
    recorded(root)
    assert json.loads((root / "claims/evidence/2026-01-05/count.json").read_text())["n"] == 206


def test_a_series_grows_by_a_day_and_globs_of_one_folder_pass_it_by(root: Path) -> None:
    page = support.PAGE.replace("claims/evidence/count.json", "claims/evidence/*.json")
    support.write(root, {"docs/counts.md": page})
    for day in ("2026-01-05", "2026-01-06", "2026-01-07"):
        recorded(root)
        support.backdate(root, day)
    recorded(root)
    assert [day for day, _ in provenance.history(root, COUNT)] == ["2026-01-07", "2026-01-06", "2026-01-05"]
    assert counts(root) == (0, {"holds": 2})
    shown = [line for line in stilltrue_in(root, "show", "targets").out.splitlines() if "earlier" in line]
    assert [line.split()[1] for line in shown] == ["2026-01-07:", "2026-01-06:", "2026-01-05:"]


def test_evidence_without_a_record_is_not_lost(root: Path) -> None:
    support.write(root, {COUNT: '{"n": 1}\n'})
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert done.code == 1
    assert "[unrecorded]" in done.err
    assert stilltrue_in(root, "adopt", COUNT, "--source", "by hand", "--on", "2026-01-05").code == 0
    recorded(root)
    assert (root / "claims/evidence/2026-01-05/count.json").read_text() == '{"n": 1}\n'


def test_evidence_without_a_record_that_git_holds_is_replaced(root: Path) -> None:
    support.write(root, {COUNT: '{"n": 1}\n'})
    support.commit_all(root)
    recorded(root)
    assert provenance.history(root, COUNT) == ()


def test_a_record_that_cannot_be_read_is_not_replaced(root: Path) -> None:
    recorded(root)
    support.write(root, {provenance.name_of(COUNT): "{"})
    with support.unchanged(root):
        done = stilltrue_in(root, "record", PROBE)
    assert done.code == 1
    assert "refused: the record is no JSON" in done.err
    assert provenance.name_of(COUNT) in done.err


# On a terminal ------------------------------------------------------------------------------------------


def test_on_a_terminal_what_the_probe_says_is_shown_as_it_comes_and_escaped(root: Path) -> None:
    script = support.SCRIPT.replace('"counting"', '"10 %\\x1b[31m\\u202e"')
    support.write(root, {PROBE: support.HEADER + script})
    support.commit_all(root)
    ours, theirs = pty.openpty()
    done = subprocess.run(
        support.command("record", PROBE),
        cwd=root,
        env=support.environment(PYTHONUTF8="1"),
        stdout=subprocess.PIPE,
        stderr=theirs,
        check=True,
    )
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    assert "running probes/count.py  0 s" in shown
    assert "  | 10 %\\x1b[31m\\u202e\r\n" in shown
    assert b"recorded" in done.stdout
