"""What a check tells of when it is asked for what has changed since a revision, in real repositories."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recording_support import (
    COUNT,
    FILES,
    MODULE,
    PROBE,
    Done,
    backdate,
    commit_all,
    git,
    process_in,
    recorded,
    stilltrue_in,
    unchanged,
    write,
)
from recording_support import project as counting


def block(name: str, file: str, *, value: str = "4 s", more: str = "") -> str:
    return (
        f'```claim\nid: {name}\nsays: "It takes {{value}}."\nvalue: {value}\nevidence: {file}\n'
        f"read: {{match: 'took (.*)', take: last}}\n{more}```\n\n"
    )


TWICE = '```claim\nid: twice\nsays: "Twice that is {value}."\nvalue: 8 s\nderive: "{first} * 2"\n```\n'

PROJECT = {
    "stilltrue.toml": 'pages = ["*.md", "docs/**/*.md"]\n',
    "pyproject.toml": "[project]\nname = 'a'\n",
    "uv.lock": "version = 1\n",
    "docs/first.md": block("first", "runs/first.txt"),
    "docs/second.md": block("second", "runs/second-*.txt", more="tags: [x]\n"),
    "docs/derived.md": TWICE,
    "docs/prose.md": "It takes [4 s](claim:second).\n",
    "docs/shown.md": "```claim\nkept\n```\n",
    "claims/all.yml": (
        '- id: kept\n  says: "It takes {value}."\n  value: 4 s\n  evidence: runs/kept.txt\n'
        "  read: {match: 'took (.*)'}\n"
    ),
    "runs/first.txt": "took 4 s\n",
    "runs/second-1.txt": "took 4 s\n",
    "runs/kept.txt": "took 4 s\n",
    "src/code.py": "pass\n",
}
EVERYTHING = ["first", "kept", "second", "twice"]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project whose claims all hold, in a repository with one commit."""
    folder = write(tmp_path / "repository", PROJECT)
    git(folder, "init", "-q", "-b", "main")
    commit_all(folder)
    return folder.resolve()


def since(root: Path, revision: str = "HEAD", *more: str) -> dict[str, Any]:
    """The JSON report of what has changed."""
    done = stilltrue_in(root, "check", "--changed-since", revision, "--format", "json", *more)
    assert done.err == "", done.err
    report = json.loads(done.out)
    assert isinstance(report, dict)
    assert report["ok"] == (done.code == 0)
    return report


def told(root: Path, revision: str = "HEAD", *more: str) -> list[str]:
    """The ids of the claims that are told of, sorted."""
    return sorted(claim["id"] for claim in since(root, revision, *more)["claims"])


def codes(report: dict[str, Any]) -> list[str]:
    return [problem["code"] for problem in report["problems"]]


# Nothing and everything --------------------------------------------------------------------------------


def test_where_nothing_changed_every_form_says_so(root: Path) -> None:
    text = stilltrue_in(root, "check", "--changed-since", "main")
    assert text == Done(0, "nothing that a claim rests on has changed since main\n", "")
    assert stilltrue_in(root, "check", "--changed-since", "main", "--format", "github") == text
    report = since(root, "main")
    assert (report["claims"], report["problems"], report["warnings"]) == ([], [], [])
    assert report["since"] == {"revision": "main", "base": git(root, "rev-parse", "HEAD").strip()}
    log = json.loads(stilltrue_in(root, "check", "--changed-since", "main", "--format", "sarif").out)
    assert log["runs"][0]["results"] == []


def test_a_change_that_no_claim_rests_on_is_none(root: Path) -> None:
    write(root, {"src/code.py": "import os\n", "notes.txt": "", "docs/other.md": "# Nothing\n"})
    assert told(root) == []


def test_asking_writes_nothing(root: Path) -> None:
    write(root, {"docs/first.md": block("first", "runs/first.txt", value="9 s")})
    index = (root / ".git/index").read_bytes()
    os.utime(root / "docs/derived.md")
    with unchanged(root):
        assert since(root)["ok"] is False
    assert (root / ".git/index").read_bytes() == index


def _edit(name: str, text: str) -> Callable[[Path], object]:
    return lambda root: write(root, {name: text})


def _append(name: str, text: str = "\n") -> Callable[[Path], object]:
    def change(root: Path) -> None:
        with (root / name).open("a", encoding="utf-8") as file:
            file.write(text)

    return change


CHANGES: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a page": (_append("docs/first.md"), ["first", "twice"]),
    "the page of a derived claim": (_append("docs/derived.md"), ["twice"]),
    "a new page": (_edit("docs/new.md", block("new", "runs/first.txt")), ["new"]),
    "evidence": (_append("runs/first.txt"), ["first", "twice"]),
    "evidence gone": (lambda root: (root / "runs/first.txt").unlink(), ["first", "twice"]),
    "another file that a glob matches": (_edit("runs/second-2.txt", "took 4 s\n"), ["second"]),
    "a file gone that a glob matched": (lambda root: (root / "runs/second-1.txt").unlink(), ["second"]),
    "a claims file": (_append("claims/all.yml"), ["kept"]),
    "a page that quotes a claim": (_append("docs/prose.md"), ["second"]),
    "a page that shows a claim": (_append("docs/shown.md"), ["kept"]),
    "a record": (_edit("runs/kept.txt.provenance.json", "{}"), ["kept"]),
    "the configuration": (_append("stilltrue.toml", 'exclude = ["x.md"]\n'), EVERYTHING),
    "a comment of the configuration": (_append("stilltrue.toml", "# why\n"), []),
    "what coverage leaves out": (_append("stilltrue.toml", 'coverage = {floor = "50 %"}\n'), []),
    "a lock file": (_append("uv.lock"), EVERYTHING),
    "a lock file gone": (lambda root: (root / "uv.lock").unlink(), EVERYTHING),
    "another lock file": (_edit("requirements.txt", "torch==2.6\n"), EVERYTHING),
    "another table of pyproject.toml": (_edit("pyproject.toml", "[project]\nname = 'b'\n"), []),
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_claim_is_told_of_when_what_it_rests_on_changed(change: str, root: Path) -> None:
    make, expected = CHANGES[change]
    make(root)
    assert told(root) == expected
    commit_all(root)
    assert told(root) == []
    assert told(root, "HEAD~") == expected


def test_the_time_of_a_file_and_who_may_execute_it_are_no_change(root: Path) -> None:
    os.utime(root / "runs/first.txt", (1, 1))
    assert told(root) == []
    (root / "runs/first.txt").chmod(0o755)
    assert told(root) == []
    commit_all(root)
    assert told(root, "HEAD~") == []


def test_only_our_table_of_pyproject_is_a_configuration(tmp_path: Path) -> None:
    files = {**PROJECT, "pyproject.toml": '[project]\nname = "a"\n[tool.stilltrue]\nexclude = []\n'}
    del files["stilltrue.toml"]
    root = write(tmp_path, files).resolve()
    git(root, "init", "-q")
    commit_all(root)
    write(root, {"pyproject.toml": '[project]\nname = "b"\n# new\n[tool.stilltrue]\nexclude = [ ]\n'})
    assert told(root) == []
    write(root, {"pyproject.toml": '[project]\nname = "a"\n[tool.stilltrue]\nexclude = ["x.md"]\n'})
    assert told(root) == EVERYTHING


def test_changes_are_those_of_this_branch_alone(root: Path) -> None:
    git(root, "switch", "-q", "-c", "branch")
    write(root, {"docs/second.md": block("second", "runs/second-*.txt", value="5 s")})
    commit_all(root)
    git(root, "switch", "-q", "main")
    _append("docs/first.md")(root)
    base = git(root, "rev-parse", "HEAD").strip()
    commit_all(root)
    git(root, "switch", "-q", "branch")
    report = since(root, "main")
    assert [claim["id"] for claim in report["claims"]] == ["second"]
    assert (report["ok"], report["since"]["base"]) == (False, base)
    assert told(root, base) == ["second"]


def test_a_change_that_was_committed_and_taken_back_since_is_none(root: Path) -> None:
    _append("docs/first.md")(root)
    (root / "docs/second.md").unlink()
    write(root, {"docs/new.md": block("new", "runs/first.txt")})
    commit_all(root)
    assert told(root, "HEAD~") == ["first", "new", "twice"]
    (root / "docs/new.md").unlink()
    write(root, {name: PROJECT[name] for name in ("docs/first.md", "docs/second.md")})
    assert told(root, "HEAD~") == []


def test_staged_changes_count_and_those_that_were_taken_back_do_not(root: Path) -> None:
    _append("docs/first.md")(root)
    git(root, "add", "-A")
    assert told(root) == ["first", "twice"]
    write(root, {"docs/first.md": PROJECT["docs/first.md"]})
    assert told(root) == []
    git(root, "rm", "-q", "--cached", "-f", "docs/first.md")
    assert told(root) == []
    _append("docs/first.md")(root)
    assert told(root) == ["first", "twice"]


def test_a_file_that_states_or_repeats_a_value_counts(root: Path) -> None:
    elsewhere = (
        '- id: stated\n  says: "It takes {value}."\n  evidence: runs/kept.txt\n'
        "  read: {match: 'took (.*)'}\n"
        "  stated_in: {file: run.sh, match: '^TOOK=(.*)$'}\n"
        "  copies: [{file: 'deploy/*.sh', match: 'SECONDS=(\\d+)', unit: s}]\n"
    )
    write(root, {"claims/other.yml": elsewhere, "run.sh": "TOOK=4 s\n", "deploy/a.sh": "SECONDS=4\n"})
    commit_all(root)
    assert stilltrue_in(root, "check").out == "5 claims: 5 hold\n"
    for name, text in {"run.sh": "TOOK=4.0 s\n", "deploy/a.sh": "SECONDS=4 #\n", "deploy/b.sh": ""}.items():
        write(root, {name: text})
        assert told(root) == ["stated"], name
        git(root, "stash", "-q", "-u")
    (root / "deploy/a.sh").unlink()
    assert (told(root), codes(since(root))) == (["stated"], ["copy-missing"])


HISTORY = "### v2\n\nTook 4 s.\n\n### v1\n\nTook 9 s.\n"
IN_HISTORY = (
    '- id: "history.{version}"\n  says: "{version} took {value}."\n  evidence: "runs/{version}.txt"\n'
    "  read: {match: 'took (.*)'}\n"
    "  stated_in: {file: HISTORY.md, match: '^### (?P<version>\\S+)\\n\\nTook (?P<value>.*)\\.$'}\n"
)


@pytest.fixture
def history(root: Path) -> Path:
    """The project, with a file that states a value of each version."""
    more = {"claims/history.yml": IN_HISTORY, "HISTORY.md": HISTORY}
    write(root, {**more, "runs/v1.txt": "took 9 s\n", "runs/v2.txt": "took 4 s\n"})
    commit_all(root)
    assert stilltrue_in(root, "check").out == "6 claims: 6 hold\n"
    return root


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("HISTORY.md", "# History\n\n" + HISTORY, ["history.v1", "history.v2"]),
        ("runs/v2.txt", "took 4.0 s\n", ["history.v2"]),
        ("claims/history.yml", "# Why\n" + IN_HISTORY, ["history.v1", "history.v2"]),
        ("docs/first.md", "# First\n\n" + PROJECT["docs/first.md"], ["first", "twice"]),
    ],
)
def test_of_several_values_in_a_file_those_that_rest_on_a_change_are_told(
    name: str, text: str, expected: list[str], history: Path
) -> None:
    write(history, {name: text})
    assert told(history) == expected


def test_a_value_that_drifted_in_its_file_is_told_with_the_line_of_it(history: Path) -> None:
    write(history, {"HISTORY.md": HISTORY.replace("4 s", "5 s")})
    report = since(history)
    found = {claim["id"]: (claim["verdict"], claim["path"], claim["line"]) for claim in report["claims"]}
    assert found == {"history.v1": ("holds", "HISTORY.md", 7), "history.v2": ("drifted", "HISTORY.md", 3)}
    assert report["ok"] is False


@pytest.mark.parametrize(
    ("change", "code", "place"),
    [
        (_edit("HISTORY.md", "# History\n"), "not-stated", "claims/history.yml"),
        (_edit("HISTORY.md", HISTORY.replace("v2", "v1")), "duplicate-id", "HISTORY.md"),
        (_edit("HISTORY.md", HISTORY.replace("4 s", "4 sx")), "bad-value", "HISTORY.md"),
        (lambda root: (root / "HISTORY.md").unlink(), "no-file", "claims/history.yml"),
    ],
    ids=["nothing-matches", "one-id-twice", "no-value", "gone"],
)
def test_a_file_that_no_longer_states_a_value_is_told_where_it_alone_changed(
    change: Callable[[Path], object], code: str, place: str, history: Path
) -> None:
    change(history)
    report = since(history)
    assert [(p["code"], p["path"]) for p in report["problems"]] == [(code, place)]
    assert report["ok"] is False
    commit_all(history)
    assert since(history)["problems"] == []
    assert codes(since(history, "HEAD~")) == [code]


def test_the_new_values_of_a_file_are_told_with_its_old_ones(history: Path) -> None:
    write(history, {"HISTORY.md": "### v3\n\nTook 5 s.\n\n" + HISTORY, "runs/v3.txt": "took 5 s\n"})
    assert told(history) == ["history.v1", "history.v2", "history.v3"]
    commit_all(history)
    _edit("runs/v3.txt", "took 5 seconds\n")(history)
    assert told(history) == ["history.v3"]


# What is told beside the claims ------------------------------------------------------------------------


def test_what_fails_elsewhere_is_not_told(root: Path) -> None:
    bad = {"docs/bad.md": "```claim\nid: bad\n```\n\n[5 s](claim:first)\n", "runs/kept.txt": "took 9 s\n"}
    write(root, bad)
    commit_all(root)
    assert stilltrue_in(root, "check").code == 1
    _append("docs/second.md")(root)
    report = since(root)
    assert ([claim["id"] for claim in report["claims"]], codes(report)) == (["second"], [])
    assert report["ok"] is True
    _append("docs/bad.md")(root)
    assert codes(since(root)) == ["missing-key", "link-disagrees"]


def test_what_names_a_claim_that_was_deleted_is_told_where_nothing_changed(root: Path) -> None:
    (root / "docs/second.md").unlink()
    report = since(root)
    assert [(p["code"], p["path"]) for p in report["problems"]] == [("unknown-id", "docs/prose.md")]
    assert report["ok"] is False
    write(root, {"docs/second.md": PROJECT["docs/second.md"], "docs/first.md": "# Nothing\n"})
    report = since(root)
    assert [(p["code"], p["path"]) for p in report["problems"]] == [("unknown-id", "docs/derived.md")]
    assert [(claim["id"], claim["verdict"]) for claim in report["claims"]] == [("twice", "broken")]


def test_the_operand_that_a_changed_claim_fails_for_is_told_with_it(root: Path) -> None:
    (root / "runs/first.txt").unlink()
    commit_all(root)
    _append("docs/derived.md")(root)
    report = since(root)
    assert [claim["id"] for claim in report["claims"]] == ["twice", "first"]
    assert report["ok"] is False


def test_a_problem_in_a_changed_file_brings_the_claim_that_it_is_counted_under(root: Path) -> None:
    write(root, {"runs/second-1.txt": "took 9 s\n"})
    commit_all(root)
    write(root, {"docs/other.md": "It takes [4 s](claim:second) or [x](claim:second).\n"})
    report = since(root)
    assert [claim["id"] for claim in report["claims"]] == ["second"]
    assert [problem["path"] for problem in report["problems"]] == ["docs/other.md", "docs/prose.md"]


def test_a_chart_that_its_evidence_broke_is_told(root: Path) -> None:
    chart = (
        "```chart\ntitle: Loss\nkind: line\nevidence: runs/loss.csv\nx: {label: step, read: {column: step}}\n"
        "y: {label: loss}\nseries:\n  loss: {column: loss}\n```\n"
    )
    write(root, {"docs/chart.md": chart, "runs/loss.csv": "step,loss\n1,2\n2,1\n"})
    commit_all(root)
    broken = stilltrue_in(root, "check")
    assert broken.code == 0, broken.out
    write(root, {"runs/loss.csv": "step,los\n1,2\n"})
    assert [problem["path"] for problem in since(root)["problems"]] == ["docs/chart.md"]


def test_the_text_says_what_it_was_narrowed_to(root: Path) -> None:
    write(root, {"docs/first.md": block("first", "runs/first.txt", value="9 s")})
    done = stilltrue_in(root, "check", "--changed-since", "HEAD~0")
    assert done.code == 1
    assert done.out.endswith("\n\n2 claims changed since HEAD~0: 1 holds, 1 drifted\n")


# Evidence that was modified ----------------------------------------------------------------------------


def modified(report: dict[str, Any]) -> list[str]:
    return [each["path"] for each in report["warnings"] if each["code"] == "modified-evidence"]


def test_evidence_that_was_edited_is_a_warning_and_that_which_was_added_is_not(root: Path) -> None:
    write(root, {"runs/first.txt": "took 4 s \n", "runs/second-2.txt": "took 4 s\n"})
    report = since(root)
    assert (modified(report), report["ok"]) == (["runs/first.txt"], True)
    assert "at `HEAD`" in report["warnings"][0]["message"]
    (root / "runs/first.txt").unlink()
    assert modified(since(root)) == []


def test_a_file_in_the_evidence_folder_is_evidence_whether_or_not_it_is_read(root: Path) -> None:
    write(root, {"claims/evidence/unread.txt": "1\n", "claims/evidence/unread.txt.provenance.json": "{}"})
    commit_all(root)
    write(root, {"claims/evidence/unread.txt": "2\n", "claims/evidence/unread.txt.provenance.json": "{} "})
    assert modified(since(root)) == ["claims/evidence/unread.txt"]
    write(root, {"claims/evidence/unread.txt": "1\n"})
    assert modified(since(root)) == []


@pytest.fixture
def counted(tmp_path: Path) -> Path:
    """A project with a probe and its record, committed."""
    root = recorded(counting(tmp_path / "repository"))
    commit_all(root)
    return root


def again(root: Path) -> None:
    """Let the probe give something else, and record it on a later day."""
    backdate(root, "2026-03-01")
    commit_all(root)
    write(root, {MODULE: "N = 206\n"})
    commit_all(root)
    recorded(root)


def test_evidence_that_was_recorded_anew_on_a_later_day_keeps_its_history(counted: Path) -> None:
    again(counted)
    assert (counted / "claims/evidence/2026-03-01/count.json").is_file()
    report = since(counted)
    assert ([claim["id"] for claim in report["claims"]], modified(report)) == (["targets", "twice"], [])
    commit_all(counted)
    assert modified(since(counted, "HEAD~2")) == []


def test_evidence_that_was_recorded_twice_on_one_day_is_modified(counted: Path) -> None:
    write(counted, {MODULE: "N = 206\n"})
    commit_all(counted)
    recorded(counted)
    assert modified(since(counted)) == [COUNT]


def test_an_earlier_version_that_was_deleted_too_is_not_kept(counted: Path) -> None:
    again(counted)
    shutil.rmtree(counted / "claims/evidence/2026-03-01")
    assert modified(since(counted)) == [COUNT]


# Probes ------------------------------------------------------------------------------------------------

BEHIND: dict[str, Callable[[Path], object]] = {
    "the probe": _append(PROBE, "# more\n"),
    "a module that it imports": _append(MODULE, "# more\n"),
    "an input": _append("inputs/one.csv", "1\n"),
    "another input that its header names": _edit("inputs/two.csv", "1\n"),
    "the probe gone": lambda root: (root / PROBE).unlink(),
}


@pytest.mark.parametrize("change", BEHIND)
def test_what_stands_behind_evidence_counts(change: str, tmp_path: Path) -> None:
    probe = FILES[PROBE].replace("# cost", '# reads = ["inputs/*.csv"]\n# cost')
    other = f"{block('other', 'runs/other.txt')}"
    more = {PROBE: probe, "inputs/one.csv": "1\n", "docs/other.md": other, "runs/other.txt": "took 4 s\n"}
    root = recorded(counting(tmp_path / "repository", more))
    commit_all(root)
    assert told(root) == []
    BEHIND[change](root)
    assert told(root) == ["targets", "twice"]


def test_only_the_probes_behind_what_changed_run_again(counted: Path) -> None:
    report = since(counted, "HEAD", "--rerun", "cheap")
    assert (report["claims"], report["probes"]) == ([], [])
    _append("docs/counts.md")(counted)
    report = since(counted, "HEAD", "--rerun", "cheap")
    assert [(run["path"], run["state"]) for run in report["probes"]] == [(PROBE, "ran")]
    assert [claim["id"] for claim in report["claims"]] == ["targets", "twice"]


# Together with ids and tags ----------------------------------------------------------------------------


def test_ids_and_tags_narrow_what_changed_further(root: Path) -> None:
    for name in ("first", "second", "prose"):
        _append(f"docs/{name}.md")(root)
    assert told(root) == ["first", "second", "twice"]
    assert told(root, "HEAD", "first", "kept") == ["first"]
    assert told(root, "HEAD", "--tag", "x") == ["second"]
    assert told(root, "HEAD", "--tag", "x", "twice") == ["second", "twice"]
    _append("stilltrue.toml")(root)
    assert told(root, "HEAD", "--tag", "x") == ["second"]
    done = stilltrue_in(root, "check", "frist", "--changed-since", "HEAD")
    assert (done.code, done.out) == (2, "")
    assert "did you mean `first`?" in done.err


def test_it_is_neither_remembered_nor_answered_from_what_was(root: Path) -> None:
    assert stilltrue_in(root, "check").code == 0
    assert told(root) == []
    write(root, {"docs/first.md": block("first", "runs/first.txt", value="4.0 s")})
    assert told(root) == ["first", "twice"]
    assert stilltrue_in(root, "check").out == "4 claims: 4 hold\n"


# Kinds of repositories ---------------------------------------------------------------------------------


def test_a_project_below_the_top_of_its_repository_has_its_own_paths(tmp_path: Path) -> None:
    root = write(tmp_path / "sub/project", PROJECT).resolve()
    write(tmp_path, {"uv.lock": "version = 1\n"})
    git(tmp_path, "init", "-q")
    commit_all(tmp_path)
    write(tmp_path, {"uv.lock": "version = 2\n", "docs/first.md": "", "sub/other.md": ""})
    assert told(root) == []
    _append("runs/first.txt")(root)
    assert told(root) == ["first", "twice"]


def test_links_and_submodules_are_followed(root: Path, tmp_path: Path) -> None:
    inner = write(tmp_path / "inner", {"a.txt": "took 4 s\n"})
    git(inner, "init", "-q")
    commit_all(inner)
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    write(root, {"docs/lib.md": block("lib", "lib/a.txt") + block("linked", "runs/latest.txt")})
    (root / "runs/latest.txt").symlink_to("real.txt")
    write(root, {"runs/real.txt": "took 4 s\n"})
    commit_all(root)
    assert told(root) == []
    _append("runs/real.txt")(root)
    assert told(root) == ["linked"]
    _append("lib/a.txt")(root)
    assert told(root) == ["lib", "linked"]


def test_a_submodule_that_the_project_tells_git_to_ignore_is_followed(root: Path, tmp_path: Path) -> None:
    inner = write(tmp_path / "inner", {"a.txt": "took 4 s\n"})
    git(inner, "init", "-q")
    commit_all(inner)
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "lib")
    git(root, "config", "-f", ".gitmodules", "submodule.lib.ignore", "all")
    write(root, {"docs/lib.md": block("lib", "lib/a.txt")})
    commit_all(root)
    _append("lib/a.txt", "took 9 s\n")(root)
    commit_all(root / "lib")
    git(root, "add", "--force", "lib")
    git(root, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "moved on")
    assert told(root, "HEAD~1") == ["lib"]


def test_every_link_on_the_way_to_a_file_counts(root: Path) -> None:
    write(root, {"docs/a.md": block("a", "runs/latest.txt") + block("b", "now/b.txt")})
    write(root, {"runs/1.txt": "took 4 s\n", "runs/2.txt": "took 9 s\n"})
    write(root, {"may/b.txt": "took 4 s\n", "june/b.txt": "took 9 s\n"})
    links = {"runs/latest.txt": "this.txt", "runs/this.txt": "1.txt", "now": "month", "month": "may"}
    for name, target in links.items():
        (root / name).symlink_to(target)
    commit_all(root)
    for name, target in {"runs/this.txt": "2.txt", "month": "june"}.items():
        assert told(root) == []
        (root / name).unlink()
        (root / name).symlink_to(target)
        assert told(root) == ["a" if name.startswith("runs") else "b"]
        commit_all(root)


def test_a_file_that_became_a_link_of_the_same_bytes_counts(root: Path) -> None:
    write(
        root, {"docs/a.md": block("a", "runs/a.txt"), "runs/a.txt": "took 4 s", "runs/took 4 s": "took 9 s"}
    )
    commit_all(root)
    (root / "runs/a.txt").unlink()
    (root / "runs/a.txt").symlink_to("took 4 s")
    assert told(root) == ["a"]
    commit_all(root)
    assert told(root, "HEAD~1") == ["a"]


def test_evidence_that_git_passes_over_may_always_have_changed(root: Path) -> None:
    write(root, {"docs/a.md": block("a", "big/a.txt"), ".gitignore": "big/\n", "big/a.txt": "took 4 s\n"})
    commit_all(root)
    assert told(root) == ["a"]


def test_line_ends_that_git_converted_are_no_change(root: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(root), "windows")
    clone = tmp_path / "windows"
    assert b"\r\n" in (clone / "docs/first.md").read_bytes()
    os.utime(clone / "docs/first.md", (1, 1))
    assert told(clone) == []


def test_names_with_odd_signs_are_files_like_others(root: Path) -> None:
    name = 'docs/n é"w\t*.md'
    write(root, {name: block("odd", "runs/first.txt")})
    assert told(root) == ["odd"]
    commit_all(root)
    (root / 'docs/n é"w\t*.md').write_text(block("odd", "runs/first.txt", value="9 s"), encoding="utf-8")
    assert told(root) == ["odd"]


# When nobody can tell ----------------------------------------------------------------------------------


def refused(root: Path, revision: str, *arguments: str, **env: str) -> str:
    done = stilltrue_in(root, "check", f"--changed-since={revision}", *arguments, **env)
    assert (done.code, done.out) == (2, ""), done
    assert done.err.startswith("--changed-since: ")
    assert done.err.endswith(" [no-base]\n")
    return done.err


@pytest.mark.parametrize("revision", ["nowhere", "", "main..HEAD", "HEAD:docs", "a b", "x" * 5000])
def test_an_unknown_revision_is_refused(revision: str, root: Path) -> None:
    assert f"git knows no commit by the name `{revision}`" in refused(root, revision)


def test_a_revision_is_never_an_option(root: Path) -> None:
    for revision in ("--output=taken", "--all", "-h", "--git-dir"):
        assert "git knows no commit" in refused(root, revision)
    assert not (root / "taken").exists()


def test_a_shallow_clone_says_how_to_fetch_the_rest(root: Path, tmp_path: Path) -> None:
    _append("docs/first.md")(root)
    later = commit_all(root)
    git(root, "switch", "-q", "-c", "branch", "HEAD~")
    _append("docs/second.md")(root)
    commit_all(root)
    git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", f"file://{root}", "shallow")
    clone = tmp_path / "shallow"
    for revision in ("origin/main", later, "v1", "HEAD~"):
        assert "fetch it whole (`fetch-depth: 0` for actions/checkout)" in refused(clone, revision)
    git(clone, "fetch", "-q", "--unshallow")
    assert told(clone, "origin/main") == ["second"]


def test_histories_without_a_common_commit_are_refused(root: Path) -> None:
    git(root, "switch", "-q", "--orphan", "other")
    write(root, PROJECT)
    assert "have no commit in common" in refused(root, "main")
    commit_all(root, "another history")
    assert "have no commit in common" in refused(root, "main")


def test_without_git_or_a_repository_it_says_so(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bare = write(tmp_path / "bare", PROJECT)
    assert "this is no repository" in refused(bare, "HEAD")
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch for this
    assert "no repository that it can read" in refused(root, "HEAD")
    monkeypatch.delenv("GIT_TEST_ASSUME_DIFFERENT_OWNER")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "git is not there" in refused(root, "HEAD")


def test_no_program_that_a_project_names_is_run(root: Path, tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    program = f"touch {ran}; false"
    write(root, {".gitattributes": "*.md diff=x\n*.txt diff=x\n"})
    commit_all(root)
    for name in (
        "diff.external",
        "diff.x.command",
        "diff.x.textconv",
        "core.fsmonitor",
        "core.pager",
        "pager.diff",
    ):
        git(root, "config", name, program)
    _append("docs/first.md")(root)
    _append("runs/first.txt")(root)
    assert not ran.exists()
    assert told(root) == ["first", "twice"]
    assert not ran.exists()


def test_the_forms_for_ci_keep_to_standard_output_and_the_exit_code(root: Path) -> None:
    write(root, {"docs/first.md": block("first", "runs/first.txt", value="9 s")})
    done = process_in(
        root, "check", "--changed-since", "main", "--format", "github", FORCE_COLOR="1", NO_COLOR=""
    )
    assert (done.code, done.err) == (1, "")
    command, counts = done.out.splitlines()
    assert command.startswith("::error file=docs/first.md,line=4,title=first drifted::")
    assert counts == "2 claims changed since main: 1 holds, 1 drifted"
    done = process_in(root, "check", "--changed-since", "nowhere", "--format", "sarif")
    assert (done.code, done.out) == (2, "")
