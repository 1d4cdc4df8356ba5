"""The check `tree`: the commit is what runs."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight_support import launch_of, look
from recording_support import commit_all, git, write
from stilltrue import git as git_room
from stilltrue.git import Differences

PLAIN = "tree: {}\n"
RECORDED = "tree: {record: {file: out/run.json, path: $.commit}}\n"
IGNORING = {".gitignore": "out/\n*.local.yml\n"}


def head(root: Path) -> str:
    return git(root, "rev-parse", "HEAD").strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return launch_of(tmp_path, PLAIN, {"train.py": "print()\n", **IGNORING}, commit=True)


def test_a_clean_tree_passes_and_its_commit_is_told(root: Path) -> None:
    seen = look(root)
    assert seen.code == 0
    assert seen.right("tree") == [f"work tree: clean at {head(root)}"]


def test_every_kind_of_change_fails_and_is_counted(root: Path) -> None:
    write(root, {"train.py": "print(1)\n", "new.py": "", "data/new.py": ""})
    (root / ".gitignore").unlink()
    (wrong,) = look(root).wrong("tree")
    counts = "1 modified file, 2 uncommitted files, 1 deleted file"
    assert wrong == f"work tree: {counts}: `.gitignore`, `data/new.py`, `new.py` and 1 more"


def test_a_change_beside_the_project_in_the_same_repository_fails(tmp_path: Path) -> None:
    launch_of(tmp_path / "project", PLAIN)
    write(tmp_path, {"shared.py": "A = 1\n"})
    git(tmp_path, "init", "-q", "-b", "main")
    commit_all(tmp_path)
    assert look(tmp_path / "project").code == 0
    write(tmp_path, {"shared.py": "A = 2\n"})
    assert look(tmp_path / "project").wrong("tree") == ["work tree: 1 modified file: `shared.py`"]


@pytest.mark.parametrize("flag", ["--assume-unchanged", "--skip-worktree"])
def test_a_file_that_git_was_told_not_to_look_at_fails_although_the_status_is_clean(
    root: Path, flag: str
) -> None:
    git(root, "update-index", flag, "train.py")
    write(root, {"train.py": "print('another run')\n"})
    assert git(root, "status", "--porcelain") == ""
    assert look(root).wrong("tree") == [
        "`train.py`: git was told not to look at it, so a change to it shows nowhere"
    ]


def test_an_ignored_file_that_matters_fails(root: Path) -> None:
    write(root, {"preflight.yml": "tree: {ignored_matters: ['*.local.yml', train.py]}\n"})
    commit_all(root)
    assert look(root).code == 0
    write(root, {"rate.local.yml": "lr: 1\n"})
    assert look(root).wrong("tree") == ["`rate.local.yml`: git ignores it, so no commit tells what it held"]


def test_what_matters_is_told_by_name_and_a_folder_that_is_not_there_fails(root: Path) -> None:
    asked = "'*.local.yml', '*.py', 'rnus/**/*.yml', 'no/a', local"
    write(
        root, {"preflight.yml": f"tree: {{ignored_matters: [{asked}]}}\n", "local/rate.local.yml": "lr: 1\n"}
    )
    commit_all(root)
    seen = look(root)
    assert seen.right("tree")[-2:] == [
        "`*.local.yml`: no file has this name now",
        "`*.py`: 1 file, none of them ignored",
    ]
    assert seen.wrong("tree") == [
        "`rnus/**/*.yml`: there is no folder `rnus`",
        "`no/a`: there is no folder `no`",
        "`local`: this is a folder",
    ]
    assert seen.checks["tree"][-1]["hint"] == "name the files in it: `local/**`"


@pytest.mark.parametrize("short", [False, True])
def test_the_recorded_commit_is_held_against_the_one_that_is_checked_out(tmp_path: Path, short: bool) -> None:
    root = launch_of(tmp_path, RECORDED, IGNORING, commit=True)
    first = head(root)
    write(root, {"out/run.json": f'{{"commit": "{first[:9] if short else first}"}}'})
    assert look(root).code == 0
    write(root, {"later.py": ""})
    second = commit_all(root)
    (wrong,) = look(root).wrong("tree")
    assert wrong.startswith(f"recorded commit: {first[:9]}")
    assert wrong.endswith(f", but HEAD is {second}")


@pytest.mark.parametrize(
    ("written", "saw"),
    [
        pytest.param('{"commit": "main"}', "`main` is no commit", id="branch"),
        pytest.param('{"commit": null}', "`null` is no commit", id="null"),
        pytest.param(
            '{"commit": "c0ffee54f-dirty"}',
            "c0ffee54f-dirty: the run started from a changed tree",
            id="dirty",
        ),
        pytest.param('{"commit": 12345678}', "12345678, but HEAD is ", id="digits alone"),
        pytest.param('{"rev": "c0ffee54f"}', "no key `commit`", id="missing key"),
        pytest.param("", "is empty", id="empty file"),
        pytest.param(None, "there is no file `out/run.json`", id="no file"),
    ],
)
def test_a_record_that_does_not_name_this_commit_fails(tmp_path: Path, written: str | None, saw: str) -> None:
    root = launch_of(tmp_path, RECORDED, IGNORING, commit=True)
    if written is not None:
        write(root, {"out/run.json": written})
    (wrong,) = look(root).wrong("tree")
    assert saw in wrong


def test_without_a_commit_or_a_repository_it_fails(tmp_path: Path) -> None:
    root = launch_of(tmp_path, PLAIN)
    why = "commit: git is not there, this is no repository or another user's, or it has no commit yet"
    assert look(root).wrong("tree") == [why]
    git(root, "init", "-q")
    assert look(root).wrong("tree") == [why]


def test_the_failure_rests_on_what_git_reports(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(root, {"train.py": "print(1)\n"})
    assert look(root).code == 1
    monkeypatch.setattr("stilltrue.git.differences", lambda *_: Differences())
    assert look(root).code == 0
    monkeypatch.setattr("stilltrue.git.differences", lambda *_: None)
    assert look(root).wrong("tree") == ["work tree: git could not tell what has changed"]


@pytest.mark.parametrize(
    ("question", "saw"),
    [
        ("differences", "work tree: git could not tell what has changed"),
        ("passed_over", "hidden changes: git could not tell which files it passes over"),
        ("ignored", "`*.local.yml`: git could not tell which of these files it ignores"),
    ],
)
def test_what_git_cannot_tell_has_not_passed(
    root: Path, question: str, saw: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(root, {"preflight.yml": "tree: {ignored_matters: '*.local.yml'}\n"})
    commit_all(root)
    assert look(root).code == 0
    monkeypatch.setattr(git_room, question, lambda *_: None)
    assert look(root).wrong("tree") == [saw]


def test_a_file_of_a_submodule_that_git_passes_over_is_told(tmp_path: Path) -> None:
    write(tmp_path / "library", {"a.py": "A = 1\n"})
    git(tmp_path / "library", "init", "-q", "-b", "main")
    commit_all(tmp_path / "library")
    root = launch_of(tmp_path / "root", PLAIN, commit=True)
    git(root, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(tmp_path / "library"), "lib")
    commit_all(root)
    assert look(root).code == 0
    git(root / "lib", "update-index", "--assume-unchanged", "a.py")
    write(root / "lib", {"a.py": "A = 2\n"})
    assert look(root).wrong("tree")[0].startswith("`lib/a.py`: git was told not to look at it")
