"""What `mkdocs serve` watches, and where a repository shows its files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import site_project
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Code, Digested, Provenance
from stilltrue.site.repository import browse_url
from stilltrue.site.watch import MOST_FOLDERS, watched

CLAIM = """\
- id: step-{n}
  says: "It took {{value}}."
  value: 1 s
  evidence: {evidence}
  read: {{path: "$.seconds", unit: s, take: same}}
"""


def watch(root: Path, *evidence: str) -> dict[str, bool]:
    """What is watched when claims read these paths and globs beside the evidence folder's."""
    claims = "".join(CLAIM.format(n=n, evidence=f'"{path}"') for n, path in enumerate(evidence))
    site_project.put(root, "claims/shared.yml", claims)
    site_project.put(root, "docs/index.md", "# Home\n")
    config = load(root)
    return dict(watched(config, check(config), "docs/"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    site_project.put(tmp_path, "stilltrue.toml", "")
    for name in ("claims/evidence/a.json", "results/step.json", "runs/1/a/step.json", "step.json"):
        site_project.put(tmp_path, name, '{"seconds": 1}\n')
    return tmp_path


ALWAYS = {"claims": True, "stilltrue.toml": False}


@pytest.mark.parametrize(
    ("evidence", "more"),
    [
        ("claims/evidence/a.json", {}),
        ("results/step.json", {"results": False}),
        ("results/not-there-yet.json", {"results": False}),
        ("nowhere/step.json", {}),
        ("runs/1/*/step.json", {"runs/1": True}),
        ("runs/**/*.json", {"runs": True}),
        ("step.json", {"step.json": False}),
        ("*.json", {".": False, "step.json": False}),
        ("*/step.json", {".": False, "results": False}),
        ("docs/step.json", {}),
    ],
)
def test_what_claims_read_is_watched(root: Path, evidence: str, more: dict[str, bool]) -> None:
    assert watch(root, evidence) == ALWAYS | more


def test_a_folder_below_one_that_is_watched_whole_is_not_watched_again(root: Path) -> None:
    assert watch(root, "runs/1/a/step.json", "runs/*/a/step.json") == ALWAYS | {"runs": True}


def test_code_inputs_and_lock_files_are_watched(root: Path) -> None:
    claims = CLAIM.format(n=1, evidence="claims/evidence/a.json")
    site_project.put(root, "claims/shared.yml", claims + '  valid: {with: {numpy: ">=1"}}\n')
    site_project.put(root, "docs/index.md", "# Home\n")
    for name in ("scripts/probe.py", "inputs/lengths.csv", "uv.lock"):
        site_project.put(root, name, "")
    config = load(root)
    code = Code("scripts/probe.py", "0" * 64, "0" * 64)
    record = Provenance((), on="2026-11-29", code=(code,), inputs=(Digested("inputs/lengths.csv", "0" * 64),))
    report = replace(check(config), provenance={"claims/evidence/a.json": record})
    more = {"scripts": False, "inputs": False, "uv.lock": False}
    assert dict(watched(config, report, "docs/")) == ALWAYS | more


def test_very_many_folders_are_watched_as_one_tree(root: Path) -> None:
    paths = [f"many/{n}/step.json" for n in range(MOST_FOLDERS + 1)]
    for path in paths:
        site_project.put(root, path, '{"seconds": 1}\n')
    assert watch(root, *paths) == ALWAYS | {"many": True}


def test_probes_are_watched(root: Path) -> None:
    site_project.put(root, "probes/step.py", "")
    assert watch(root, "step.json")["probes"] is True


@pytest.mark.parametrize(
    ("repo", "edit", "docs", "expected"),
    [
        ("https://github.com/a/b", "edit/main/docs/", "docs/", "https://github.com/a/b/blob/main/"),
        ("https://github.com/a/b/", "edit/main/", "", "https://github.com/a/b/blob/main/"),
        ("https://gitlab.com/a/b", "-/edit/x/docs", "docs/", "https://gitlab.com/a/b/-/blob/x/"),
        ("https://bitbucket.org/a/b", "src/default/docs/", "docs/", "https://bitbucket.org/a/b/src/default/"),
        ("https://github.com/edit/b", "edit/main/docs/", "docs/", "https://github.com/edit/b/blob/main/"),
        (
            "https://github.com/a/b",
            "https://github.com/a/b/edit/main/docs/",
            "docs/",
            "https://github.com/a/b/blob/main/",
        ),
        ("https://forge.test/a", "?query=root/docs/", "docs/", ""),
        ("https://github.com/a/b", "edit/main/pages/", "docs/", ""),
        ("https://github.com/a/b", "https://elsewhere.test/docs/", "docs/", ""),
        ("https://github.com/a/b", None, "docs/", ""),
        (None, "edit/main/docs/", "docs/", ""),
    ],
)
def test_where_a_repository_shows_its_files(
    repo: str | None, edit: str | None, docs: str, expected: str
) -> None:
    assert browse_url(repo, edit, docs) == expected
