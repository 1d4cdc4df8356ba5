from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stilltrue.errors import InputError
from stilltrue.files import claims_files, expand, join, read_bytes, resolve


@pytest.mark.parametrize(
    ("base", "path", "whole"),
    [
        ("docs/deep", "claims/a.txt", "claims/a.txt"),
        ("docs/deep", "./a.txt", "docs/deep/a.txt"),
        ("docs/deep", "./../a.txt", "docs/a.txt"),
        ("", "./a.txt", "a.txt"),
        ("docs", "a//b/./c.txt", "a/b/c.txt"),
        ("docs", "runs/*.log", "runs/*.log"),
    ],
)
def test_a_path_is_from_the_root_or_beside_its_file(base: str, path: str, whole: str) -> None:
    assert join(base, path) == whole


@pytest.mark.parametrize(
    "path",
    ["", "/etc/passwd", "~/a", "C:/a", "..", "../a", "./../../a", "a/../../b", "a\\b", "a\0b", ".", "a/"],
)
def test_a_path_that_leads_out_or_nowhere_is_refused(path: str) -> None:
    with pytest.raises(InputError) as caught:
        join("docs", path)
    assert caught.value.code == "bad-path"
    assert caught.value.hint


@pytest.mark.parametrize(
    "path",
    ["a/" * 500_000 + "b", "a\ud800b", ".git/config", "a/../.GIT/config", "sub/.git/config", ".git/*"],
    ids=["long", "surrogate", "git", "git in capitals", "git of a module", "glob in git"],
)
def test_a_path_that_no_project_needs_is_refused(path: str) -> None:
    with pytest.raises(InputError) as caught:
        join("docs", path)
    assert caught.value.code == "bad-path"
    assert len(caught.value.message) < 200


def refusal(root: Path, path: str) -> InputError:
    with pytest.raises(InputError) as caught:
        resolve(root, path)
    return caught.value


def test_only_regular_files_inside_the_repository_resolve(tmp_path: Path) -> None:
    root = tmp_path / "project"
    root.mkdir()
    (tmp_path / "project-secrets").write_text("x", encoding="utf-8")
    (root / "a.txt").write_text("x", encoding="utf-8")
    (root / "inside").symlink_to(root / "a.txt")
    (root / "outside").symlink_to(tmp_path / "project-secrets")
    (root / "device").symlink_to("/dev/zero")
    (root / "loop").symlink_to(root / "loop")
    (root / "folder").mkdir()
    (root / ".git").mkdir()
    (root / ".git" / "config").write_text("x", encoding="utf-8")
    (root / "config").symlink_to(".git/config")
    os.mkfifo(root / "pipe")
    assert resolve(root, "inside") == root / "a.txt"
    assert refusal(root, "outside").code == "bad-path"
    assert refusal(root, "config").code == "bad-path"
    assert refusal(root, "device").code == "bad-path"
    assert refusal(root, "folder").code == "bad-path"
    assert refusal(root, "pipe").code == "bad-path"
    assert refusal(root, "loop").code in ("no-file", "unreadable")
    assert refusal(root, "a" * 5000).code == "unreadable"


def test_a_missing_file_is_named_with_its_nearest_neighbour(tmp_path: Path) -> None:
    (tmp_path / "steps.log").touch()
    assert "steps.log" in refusal(tmp_path, "step.log").hint
    assert "no folder" in refusal(tmp_path, "nowhere/step.log").hint


def test_a_file_larger_than_the_limit_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"x" * 11)
    assert len(read_bytes(tmp_path, "a", 11)) == 11
    with pytest.raises(InputError) as caught:
        read_bytes(tmp_path, "a", 10)
    assert caught.value.code == "too-large"


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else to try it"
)
def test_a_file_that_may_not_be_read_is_said_to_be_so(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    path.write_text("x", encoding="utf-8")
    path.chmod(0)
    for folder in (tmp_path, *tmp_path.parents):
        if folder.stat().st_uid == 0 and folder != Path("/"):
            folder.chmod(folder.stat().st_mode | 0o055)
    code = (
        "import os, sys; from pathlib import Path\n"
        "from stilltrue.files import read_bytes; from stilltrue.errors import InputError\n"
        "os.setuid(65534)\n"
        "try: read_bytes(Path(sys.argv[1]), 'secret', 10)\n"
        "except InputError as error: print(error.code, error.message)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], capture_output=True, encoding="utf-8", check=False
    )
    assert done.stdout.startswith("unreadable"), done.stderr
    assert "secret" in done.stdout


def test_globs_are_sorted_and_never_match_provenance(tmp_path: Path) -> None:
    for name in ("b.log", "a.log", "a.log.provenance.json", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "d.log").mkdir()
    assert expand(tmp_path, "*.log") == ("a.log", "b.log")
    assert expand(tmp_path, "*") == ("a.log", "b.log", "c.txt")
    assert expand(tmp_path, "*.none") == ()
    assert expand(tmp_path, "gone.txt") == ("gone.txt",)


def test_claims_files_lie_in_their_folder_and_not_below(tmp_path: Path) -> None:
    (tmp_path / "claims" / "evidence").mkdir(parents=True)
    for name in ("claims/b.yml", "claims/a.yaml", "claims/notes.md", "claims/evidence/c.yml"):
        (tmp_path / name).touch()
    assert claims_files(tmp_path, "claims") == ("claims/a.yaml", "claims/b.yml")
    assert claims_files(tmp_path, "nowhere") == ()


def test_a_glob_goes_round_no_loop_of_links_and_leaves_no_repository(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "runs" / "a").mkdir(parents=True)
    (root / "runs" / "a" / "x.log").touch()
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside" / "x.log").touch()
    for name in "bcd":
        (root / "runs" / name).symlink_to(root / "runs", target_is_directory=True)
    (root / "runs" / "out").symlink_to(tmp_path / "outside", target_is_directory=True)
    assert expand(root, "runs/**/*.log") == ("runs/a/x.log",)
    assert expand(root, "**/**/**/**/*.log") == ("runs/a/x.log",)
    assert expand(root, "runs/*/x.log") == ("runs/a/x.log",)
    assert expand(root, "runs/b/*/x.log") == ("runs/b/a/x.log",)
    with pytest.raises(InputError, match="leads out"):
        expand(root, "runs/out/*.log")


def test_a_glob_that_looks_through_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("stilltrue.files.MOST_ENTRIES", 20_000)  # a million takes long to look through
    for name in "abc":
        (tmp_path / name).symlink_to(tmp_path, target_is_directory=True)
    with pytest.raises(InputError, match="looks through more than 20,000 files") as caught:
        expand(tmp_path, "*/" * 20 + "*.log")
    assert caught.value.code == "bad-path"


def test_a_glob_matches_no_hidden_name_unless_it_says_so(tmp_path: Path) -> None:
    for name in (".hidden/a.log", ".a.log", "shown/a.log"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert expand(tmp_path, "**/*.log") == ("shown/a.log",)
    assert expand(tmp_path, ".*.log") == (".a.log",)
    assert expand(tmp_path, ".hid*/*.log") == (".hidden/a.log",)
    assert expand(tmp_path, "shown/**") == ("shown/a.log",)


def test_a_glob_passes_a_link_that_leads_round_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "a.txt").write_text("x", encoding="utf-8")
    assert expand(tmp_path.resolve(), "*") == ("a.txt", "loop")
    assert expand(tmp_path.resolve(), "*/a.txt") == ()
