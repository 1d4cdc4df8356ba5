"""Trees that differ from their commit: who shows it, what a run makes of it, and a guard that can fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import dirty_tree
from dirty_tree import (
    DIRT,
    Tree,
    annotate,
    committed,
    diff_alone,
    differing,
    fits,
    guard,
    note_of,
    unaccounted,
)
from probe_parts.guards import stops
from probe_support import assert_refused, document_of

CLEAN = 200
RESULTS = {
    "an edit": 2.5 * 100,
    "a staged edit": 2.5 * 100,
    "an untracked module": 2 * 3 * 100,
    "an ignored file": 2 * 150,
    "an edit, assumed unchanged": 2.5 * 100,
}
"""By hand: rate, scale and steps as each change has them."""

SHOWN = {
    "an edit": "diff diff_head status status_ignored",
    "a staged edit": "diff_head status status_ignored",
    "an untracked module": "status status_ignored",
    "an ignored file": "status_ignored",
    "an edit, assumed unchanged": "",
}


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return document_of(dirty_tree, [])


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Tree:
    return committed(tmp_path_factory.mktemp("tree"))


@pytest.fixture
def artifact(tmp_path: Path) -> Iterator[Path]:
    path = tmp_path / "run.json"
    path.write_text('{"commit": "abc", "steps": 100}', encoding="utf-8")
    yield path


# The trap, and the sound version -----------------------------------------------------------------------


def test_each_command_shows_what_it_is_there_for(found: dict[str, Any]) -> None:
    shown = {
        row["change"]: " ".join(key for key in dirty_tree.COMMANDS if row[key]) for row in found["changes"]
    }
    assert shown == SHOWN


@pytest.mark.parametrize("name", sorted(DIRT))
def test_a_run_in_a_tree_that_differs_gives_what_no_commit_gives(tree: Tree, name: str) -> None:
    with differing(tree, DIRT[name]):
        assert dirty_tree.result(tree.folder) == RESULTS[name]
    assert dirty_tree.result(tree.folder) == CLEAN
    assert tree.git("status", "--porcelain", "--ignored") == ""


def test_the_commit_that_such_a_run_records_gives_another_result(found: dict[str, Any]) -> None:
    assert found["trap"] == len(SHOWN)
    assert all(row["other_result"] for row in found["changes"])


def test_a_clean_tree_gives_what_its_commit_gives(found: dict[str, Any]) -> None:
    assert found["sound"] is True


def test_a_setting_hides_untracked_files_from_status(found: dict[str, Any]) -> None:
    assert found["hidden_by_a_setting"] is True


def test_a_hook_s_repository_is_left_alone(
    tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    assert Path(tree.git("rev-parse", "--show-toplevel").strip()) == tree.folder.resolve()


# The guard ---------------------------------------------------------------------------------------------


def test_the_guard_stops_each_way_of_differing_and_passes_a_clean_tree(found: dict[str, Any]) -> None:
    assert {row["change"]: row["stopped"] for row in found["changes"]} == dict.fromkeys(DIRT, True)
    assert found["guard"] == {"stops": True, "passes": True}


def test_no_setting_hides_an_untracked_file_from_the_guard(tree: Tree) -> None:
    tree.git("config", "status.showUntrackedFiles", "no")
    with differing(tree, lambda tree: tree.write("notes.txt", "")):
        assert stops(guard, tree)
    tree.git("config", "--unset", "status.showUntrackedFiles")
    assert not stops(guard, tree)


def test_an_ignored_file_matters_to_the_guard_only_where_the_run_reads_it(tree: Tree) -> None:
    with differing(tree, DIRT["an ignored file"]):
        assert stops(guard, tree)
        guard(tree, reads=["train.py", "settings.json"])


def test_the_broken_guard_sees_an_edit_and_nothing_that_was_added(tree: Tree) -> None:
    seen = {}
    for name, change in DIRT.items():
        with differing(tree, change):
            seen[name] = stops(diff_alone, tree)
    assert [name for name, stopped in seen.items() if stopped] == ["an edit"]


# The note beside the artifact --------------------------------------------------------------------------


def test_a_note_leaves_the_artifact_alone_and_accounts_for_each_field(artifact: Path) -> None:
    before = artifact.read_bytes()
    annotate(artifact)
    assert artifact.read_bytes() == before
    assert fits(artifact)
    assert unaccounted(artifact) == []


def test_a_field_that_a_note_leaves_out_is_named(artifact: Path) -> None:
    annotate(artifact)
    note = json.loads(note_of(artifact).read_text(encoding="utf-8"))
    note_of(artifact).write_text(json.dumps({**note, "not_wrong": []}), encoding="utf-8")
    assert unaccounted(artifact) == ["steps"]


def test_a_note_no_longer_fits_an_artifact_that_was_edited(artifact: Path) -> None:
    annotate(artifact)
    artifact.write_bytes(artifact.read_bytes() + b"\n")
    assert not fits(artifact)


def test_what_is_said_of_the_note_is_so(found: dict[str, Any]) -> None:
    assert found["note"] == {
        "artifact_unchanged": True,
        "note_fits": True,
        "fields": 5,
        "unaccounted": 0,
        "edit_noticed": True,
    }


# The faults --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plant", "part", "said"),
    [
        ("no-guard", "guard", "stops"),
        ("refuse-all", "guard", "passes"),
        ("diff-alone", "guard", "stops"),
        ("mend-the-artifact", "note", "artifact_unchanged"),
    ],
)
def test_a_fault_is_noticed(plant: str, part: str, said: str, found: dict[str, Any]) -> None:
    assert found[part][said] is True
    assert document_of(dirty_tree, ["--plant", plant])[part][said] is False


def test_an_unknown_fault_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(dirty_tree, ["--plant", "none-such"], "invalid choice: 'none-such'", capsys)


def test_a_program_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_refused(dirty_tree, [], "needs `git`", capsys)
