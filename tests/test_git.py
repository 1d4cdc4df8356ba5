"""What git is asked, in every kind of repository, and without one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import recording_support as support
from stilltrue.git import (
    Differences,
    blob_at,
    blob_id,
    changed,
    commit_of,
    committed,
    differences,
    head,
    id_now,
    is_repository,
    is_shallow,
    is_tracked,
    known_files,
    listed_files,
    merge_base,
)

NAME = 'n é"w\t*.py'


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in support.GIT.items():
        monkeypatch.setenv(name, value)
    root = tmp_path / "repository"
    support.write(root, {"a.py": "1\n", "in/b.py": "2\n", ".gitignore": "*.bin\n", "gone.py": ""})
    support.git(root, "init", "-q")
    support.commit_all(root)
    return root.resolve()


def test_the_commit_is_named_in_full(root: Path) -> None:
    assert head(root) == support.git(root, "rev-parse", "HEAD").strip()
    assert head(root / "in") == head(root)


def test_what_differs_from_head_is_listed_in_the_order_it_was_asked_for(root: Path) -> None:
    support.write(root, {"in/b.py": "3\n", "new.py": "", "x.bin": "", NAME: ""})
    support.git(root, "add", "new.py")
    (root / "gone.py").unlink()
    asked = ("new.py", "a.py", NAME, "in/b.py", "x.bin", "nowhere.py", "gone.py")
    assert changed(root, asked) == ("new.py", NAME, "in/b.py", "gone.py")
    assert committed(root, asked) == ("a.py", "in/b.py", "gone.py")


def test_what_was_added_and_then_changed_back_is_as_head_has_it(root: Path) -> None:
    support.write(root, {"a.py": "9\n"})
    support.git(root, "add", "a.py")
    assert changed(root, ("a.py",)) == ("a.py",)
    support.write(root, {"a.py": "1\n"})
    support.git(root, "add", "a.py")
    assert changed(root, ("a.py",)) == ()


def test_a_path_is_never_a_pattern(root: Path) -> None:
    support.write(root, {"a.py": "9\n"})
    assert changed(root, ("*.py", ":(glob)**", "?.py")) == ()
    assert committed(root, ("*.py",)) == ()
    assert not is_tracked(root, "*.py")


def test_a_project_below_the_top_of_its_repository_has_its_own_paths(root: Path) -> None:
    support.write(root, {"in/b.py": "3\n", f"in/{NAME}": ""})
    assert changed(root / "in", ("b.py", NAME)) == ("b.py", NAME)
    assert committed(root / "in", ("b.py", "a.py")) == ("b.py",)
    assert known_files(root / "in") == ("b.py", NAME)


def test_line_ends_that_git_converted_are_no_difference(root: Path, tmp_path: Path) -> None:
    support.git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(root), "windows")
    clone = tmp_path / "windows"
    assert (clone / "a.py").read_bytes() == b"1\r\n"
    os.utime(clone / "a.py", (1, 1))
    assert changed(clone, ("a.py", "in/b.py")) == ()


def test_asking_writes_nothing_and_takes_no_lock(root: Path) -> None:
    os.utime(root / "a.py")
    index = (root / ".git/index").read_bytes()
    (root / ".git/index.lock").touch()
    assert changed(root, ("a.py",)) == ()
    assert (root / ".git/index").read_bytes() == index


def test_known_files_are_tracked_or_not_ignored_and_there(root: Path) -> None:
    support.write(root, {"new.py": "", "x.bin": "", NAME: ""})
    (root / "gone.py").unlink()
    (root / "link").symlink_to("nowhere")
    assert known_files(root) == (".gitignore", "a.py", "in/b.py", "link", NAME, "new.py")


def test_a_submodule_is_asked_about_its_own_files(root: Path, tmp_path: Path) -> None:
    outer = tmp_path / "outer"
    support.write(outer, {"probe.py": ""})
    support.git(outer, "init", "-q")
    support.git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root), "lib")
    support.commit_all(outer)
    assert changed(outer, ("lib/a.py", "probe.py")) == ()
    support.write(outer, {"lib/a.py": "9\n", "lib/new.py": ""})
    assert changed(outer, ("lib/a.py", "lib/new.py", "probe.py")) == ("lib/a.py", "lib/new.py")
    assert committed(outer, ("lib/a.py", "lib/new.py")) == ("lib/a.py",)
    assert {"lib/a.py", "lib/in/b.py", "probe.py"} <= set(known_files(outer) or ())


def test_before_the_first_commit_nothing_is_held(tmp_path: Path) -> None:
    support.write(tmp_path, {"a.py": "", "b.py": ""})
    support.git(tmp_path, "init", "-q")
    support.git(tmp_path, "add", "a.py")
    assert head(tmp_path) == ""
    assert changed(tmp_path, ("a.py", "b.py")) == ("a.py", "b.py")
    assert committed(tmp_path, ("a.py",)) == ()
    assert known_files(tmp_path) == ("a.py", "b.py")


def test_a_worktree_and_a_detached_head_are_repositories_too(root: Path, tmp_path: Path) -> None:
    support.git(root, "worktree", "add", "-q", "--detach", str(tmp_path / "tree"))
    tree = tmp_path / "tree"
    support.write(tree, {"a.py": "9\n"})
    assert head(tree) == head(root)
    assert changed(tree, ("a.py", "in/b.py")) == ("a.py",)
    assert changed(root, ("a.py",)) == ()


def test_a_shallow_clone_tells_as_much(root: Path, tmp_path: Path) -> None:
    support.write(root, {"later.py": ""})
    support.commit_all(root)
    support.git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "shallow")
    clone = tmp_path / "shallow"
    assert head(clone) == head(root)
    assert changed(clone, ("a.py", "later.py")) == ()
    assert committed(clone, ("a.py", "later.py")) == ("a.py", "later.py")


def test_outside_a_repository_nothing_can_be_told(tmp_path: Path) -> None:
    support.write(tmp_path, {"a.py": ""})
    assert (head(tmp_path), changed(tmp_path, ("a.py",)), known_files(tmp_path)) == ("", None, None)
    assert committed(tmp_path, ("a.py",)) == ()
    assert not is_tracked(tmp_path, "a.py")


def test_without_git_nothing_can_be_told(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(root))
    assert (head(root), changed(root, ("a.py",)), known_files(root)) == ("", None, None)


def test_a_repository_that_git_refuses_tells_nothing(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")  # git's own switch for this
    refused = subprocess.run(["git", "-C", str(root), "status"], capture_output=True, text=True, check=False)
    assert "dubious ownership" in refused.stderr
    assert (head(root), changed(root, ("a.py",)), known_files(root)) == ("", None, None)


def test_a_hook_of_another_repository_does_not_lead_astray(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = support.project(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_PREFIX", "docs/")
    assert changed(root, ("a.py",)) == ()
    assert is_tracked(root, "a.py")
    assert head(root) != head(other) or root == other


def test_a_folder_that_poses_as_a_bare_repository_runs_nothing(root: Path) -> None:
    ran = root / "ran"
    program = f'fsmonitor = "touch {ran}; false"'
    config = f"[core]\n repositoryformatversion = 0\n bare = false\n worktree = .\n {program}\n"
    posing = {"HEAD": "ref: refs/heads/main\n", "config": config, "objects/x": "", "refs/x": ""}
    support.write(root / "in", posing)
    subprocess.run(["git", "-C", str(root / "in"), "status"], capture_output=True, check=False)
    assert ran.exists()  # git alone does run it
    ran.unlink()
    assert not is_tracked(root / "in", "b.py")
    assert changed(root / "in", ("b.py",)) is None
    assert not ran.exists()


def test_many_paths_are_asked_about_in_parts(root: Path) -> None:
    support.write(root, {f"many/{number}.py": "" for number in range(600)})
    support.commit_all(root)
    support.write(root, {"many/7.py": "1", "many/599.py": "1"})
    paths = tuple(f"many/{number}.py" for number in range(600))
    assert changed(root, paths) == ("many/7.py", "many/599.py")
    assert len(committed(root, paths)) == len(paths)


def test_a_path_with_a_nul_is_no_file(root: Path) -> None:
    assert changed(root, ("a\0b",)) is None
    assert not is_tracked(root, "a\0b")


def test_what_differs_from_a_commit_is_told_by_what_became_of_it(root: Path) -> None:
    base = head(root)
    support.write(root, {"a.py": "9\n", NAME: "", "x.bin": "", "in/c.py": ""})
    (root / "gone.py").unlink()
    support.git(root, "add", "in/c.py")
    expected = Differences(frozenset({NAME, "in/c.py"}), frozenset({"a.py"}), frozenset({"gone.py"}))
    assert differences(root, base) == expected
    assert differences(root / "in", base) == Differences(added=frozenset({"c.py"}))
    support.commit_all(root)
    assert differences(root, base) == expected
    assert differences(root, head(root)) == Differences()
    assert expected.paths == {NAME, "in/c.py", "a.py", "gone.py"}


def test_a_commit_is_named_by_what_git_knows_and_never_by_an_option(root: Path) -> None:
    first = head(root)
    support.git(root, "tag", "-a", "v1", "-m", "first")
    support.write(root, {"a.py": "9\n"})
    support.commit_all(root)
    assert [commit_of(root, name) for name in ("v1", "HEAD~", first[:10])] == [first] * 3
    assert [commit_of(root, name) for name in ("nowhere", "--all", "-h", "", "HEAD:in", "a\0b")] == [""] * 6
    assert merge_base(root, first, head(root)) == first
    assert merge_base(root, first, "0" * 40) == ""


def test_what_a_commit_holds_is_told_byte_for_byte(root: Path) -> None:
    (root / "in/b.py").write_bytes(b"\xff\r\n\0")
    commit = support.commit_all(root)
    support.write(root, {"in/b.py": "3\n"})
    assert blob_at(root, commit, "in/b.py") == blob_at(root / "in", commit, "b.py") == b"\xff\r\n\0"
    assert [blob_at(root, commit, path) for path in ("in", "nowhere", "../a.py")] == [None] * 3
    assert blob_id(root, commit, "a.py") == id_now(root, "a.py") != ""
    assert blob_id(root, commit, "in/b.py") != id_now(root, "in/b.py")
    assert (blob_id(root, commit, "nowhere"), id_now(root, "nowhere")) == ("", "")


def test_a_history_that_was_cut_off_is_told(root: Path, tmp_path: Path) -> None:
    support.git(tmp_path, "clone", "-q", "--depth", "1", f"file://{root}", "shallow")
    assert (is_shallow(tmp_path / "shallow"), is_shallow(root), is_shallow(tmp_path)) == (True, False, False)
    assert (is_repository(root / "in"), is_repository(tmp_path)) == (True, False)
    assert differences(tmp_path, head(root)) is None


def test_what_is_tracked_or_new_and_not_ignored_is_listed(root: Path) -> None:
    support.write(root, {"new.txt": "", "out.bin": "", "in/deep/c.txt": ""})
    (root / "gone.py").unlink()
    expected = (".gitignore", "a.py", "gone.py", "in/b.py", "in/deep/c.txt", "new.txt")
    assert listed_files(root) == expected
    assert listed_files(root / "in") == ("b.py", "deep/c.txt")


def test_outside_a_repository_nothing_is_listed(tmp_path: Path) -> None:
    assert listed_files(tmp_path) is None
