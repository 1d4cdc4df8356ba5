"""Evidence that git ignores: told by `check`, whatever is remembered, and by `bind` before it writes."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from recording_support import git, stilltrue_in
from stilltrue.cache import Cache
from stilltrue.check import Trail, check
from stilltrue.config import load
from stilltrue.evidence import Library
from stilltrue.model import Report

CLAIM = """```claim
id: {name}
says: "The loss is {{value}}."
value: "22.81"
evidence: {path}
read: {{match: 'loss (\\S+)'}}
```

"""
FILES = {
    "stilltrue.toml": "",
    ".gitignore": "logs/\n",
    "logs/run.log": "loss 22.81\n",
    "kept/run.log": "loss 22.81\n",
    "README.md": "The loss was 22.81.\n\n"
    + CLAIM.format(name="a", path="kept/run.log")
    + CLAIM.format(name="b", path="logs/run.log")
    + CLAIM.format(name="c", path="logs/run.log"),
}
WARNING = (
    "README.md:15: warning: git ignores `logs/run.log`, so a clone of the repository lacks evidence of "
    "2 claims\n"
    "  let git track it, `git add -f logs/run.log`, or name evidence that git tracks [ignored-evidence]\n"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Two claims on a log that git ignores, one on a log that it merely does not track yet."""
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    git(tmp_path, "init", "-q")
    return tmp_path


def judged(root: Path) -> Report:
    return check(load(root))


def test_ignored_evidence_is_a_warning_once_for_a_page_and_fails_nothing(root: Path) -> None:
    done = stilltrue_in(root, "check")
    assert (done.code, done.out) == (0, f"{WARNING}\n3 claims: 3 hold; 1 warning\n")
    assert stilltrue_in(root, "check", "a").out == "1 claim: 1 holds\n"
    assert WARNING in stilltrue_in(root, "check", "c").out


def test_each_page_is_told_of_what_it_rests_on(root: Path) -> None:
    (root / "logs/two.log").write_text("loss 22.81\n")
    (root / "docs").mkdir()
    (root / "docs/other.md").write_text(
        CLAIM.format(name="d", path="'logs/*.log'").replace("\\S+)'", "\\S+)', take: same")
    )
    told = {each.place.path: (each.message, each.about) for each in judged(root).warnings}
    assert told["README.md"][1] == ("b", "c")
    assert told["docs/other.md"] == (
        "git ignores `logs/run.log`, `logs/two.log`, so a clone of the repository lacks evidence of 1 claim",
        ("d",),
    )


def test_the_command_that_is_proposed_can_be_pasted(root: Path) -> None:
    (root / "logs/run.log").rename(root / "logs/my run.log")
    (root / "README.md").write_text(FILES["README.md"].replace("logs/run.log", "logs/my run.log"))
    (warning,) = judged(root).warnings
    assert "`git add -f 'logs/my run.log'`" in warning.hint


@pytest.mark.parametrize(
    "mend",
    [
        lambda root: git(root, "add", "-f", "logs/run.log"),
        lambda root: (root / ".gitignore").write_text("nothing\n"),
        lambda root: (root / ".git").rename(root / "no-git"),
        lambda root: (root / "README.md").write_text(
            FILES["README.md"].replace(
                "evidence: logs", 'superseded: {on: 2026-01-01, because: "x"}\nevidence: logs'
            )
        ),
    ],
    ids=["tracked", "no longer ignored", "no repository", "superseded"],
)
def test_what_a_clone_has_or_nobody_can_tell_of_is_no_warning(root: Path, mend: object) -> None:
    assert [each.code for each in judged(root).warnings] == ["ignored-evidence"]
    assert callable(mend)
    mend(root)
    assert not judged(root).warnings


def kept(root: Path) -> Cache:
    """The report of a check, remembered."""
    config, trail = load(root), Trail()
    library, cache = Library(config), Cache(root, "text")
    assert check(config, library=library, trail=trail).ok
    cache.keep(config, library.inputs(), trail, "the report", time.time())
    assert cache.find() == "the report"
    return cache


@pytest.mark.usefixtures("settled")
def test_a_remembered_report_is_no_longer_used_when_git_ignores_other_evidence(root: Path) -> None:
    cache = kept(root)
    git(root, "add", "-f", "logs/run.log")
    assert cache.find() is None
    cache = kept(root)
    git(root, "add", "kept")
    assert cache.find() == "the report"
    git(root, "rm", "-q", "--cached", "logs/run.log")
    assert cache.find() is None
    cache = kept(root)
    (root / ".git/info/exclude").write_text("nothing\n")
    assert cache.find() == "the report"
    (root / ".gitignore").write_text("logs/\nkept/\n")
    assert cache.find() == "the report"  # what is tracked is not ignored
    git(root, "rm", "-q", "--cached", "kept/run.log")
    assert cache.find() is None


# What `bind` says --------------------------------------------------------------------------------------


def bound(root: Path, *args: str) -> tuple[int, str, str]:
    (root / "README.md").write_text("The loss was 22.81.\n", encoding="utf-8")
    done = stilltrue_in(root, "bind", "README.md:1", *args)
    return done.code, done.out, done.err


def test_a_number_of_an_ignored_file_is_not_sure_and_written_only_when_picked(root: Path) -> None:
    code, out, _ = bound(root, "logs/run.log")
    assert code == 0
    assert "  git ignores `logs/run.log`, so a clone lacks it: let git track it first\n" in out
    assert "1. likely: logs/run.log:1: 22.81\n" in out
    assert bound(root, "logs/run.log", "--write")[0] == 2
    assert bound(root, "logs/run.log", "--pick", "1", "--write")[0] == 0


def test_a_number_of_a_new_file_is_sure_and_the_file_goes_into_the_same_commit(root: Path) -> None:
    note = "git does not track `kept/run.log` yet: commit it with the claim\n"
    code, out, _ = bound(root, "kept/run.log")
    assert (code, "1. sure: " in out, out.endswith(note)) == (0, True, True)
    assert bound(root, "kept/run.log", "--write")[1].endswith(note)
    git(root, "add", "kept")
    assert "git " not in bound(root, "kept/run.log")[1]


@pytest.mark.parametrize(
    ("name", "standing"),
    [("logs/run.log", "ignored"), ("kept/run.log", "untracked"), ("in/run.log", "tracked")],
)
def test_programs_are_told_what_git_makes_of_the_file(root: Path, name: str, standing: str) -> None:
    (root / "in").mkdir()
    (root / "in/run.log").write_text("loss 22.81\n")
    git(root, "add", "in")
    assert json.loads(bound(root, name, "--format", "json")[1])["git"] == standing
    (root / ".git").rename(root / "no-git")
    assert json.loads(bound(root, name, "--format", "json")[1])["git"] == "unknown"
