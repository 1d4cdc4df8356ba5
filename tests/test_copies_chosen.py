"""Which files are searched for stale copies."""

from __future__ import annotations

import pytest

from stilltrue.copies import Choice


@pytest.mark.parametrize(
    "path",
    [
        "README.md",
        "docs/deep/a.rst",
        "run.sh",
        ".github/workflows/ci.yml",
        "Dockerfile",
        "src/a.py",
        "conf.json",
        "dist.md",
    ],
)
def test_what_an_author_writes_is_searched(path: str) -> None:
    assert Choice(evidence="claims/evidence").wants(path)


@pytest.mark.parametrize(
    "path",
    [
        "claims/evidence/run.txt",
        "data/run.txt.provenance.json",
        "uv.lock",
        "web/package-lock.json",
        "go.sum",
        "app.min.js",
        "a/node_modules/b/README.md",
        "vendor/x.go",
        "CHANGELOG.md",
        "docs/release-notes.rst",
        "HISTORY",
        "results.csv",
        "train.log",
        "pins.txt",
    ],
)
def test_evidence_lock_files_history_and_other_peoples_text_are_not(path: str) -> None:
    assert not Choice(evidence="claims/evidence", locks=("pins.txt",)).wants(path)


def test_globs_choose_and_leave_out() -> None:
    choice = Choice(["docs/", "*.sh"], ["docs/archive/**"])
    paths = ("docs/a.md", "docs/archive/b.md", "run.sh", "x/run.sh", "README.md")
    assert [path for path in paths if choice.wants(path)] == ["docs/a.md", "run.sh"]


def test_a_file_that_is_named_outright_is_searched_whatever_it_is_called() -> None:
    choice = Choice(["**", "CHANGELOG.md", "claims/evidence/a.txt"], evidence="claims/evidence")
    assert choice.wants("CHANGELOG.md")
    assert choice.wants("docs/a.md")
    assert not choice.wants("HISTORY.md")
    assert not choice.wants("claims/evidence/a.txt")
