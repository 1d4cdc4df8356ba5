"""Whole projects through the command line, compared whole with what is kept beside them.

A project is a folder below `projects/`; its `expected.txt` and `expected.json` are what `check` prints, and
what the forms for CI print where it has a file for them. Where they differ, what was printed is kept below
`actual/`: read it, and copy it over when it is right.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from recording_support import stilltrue_in

HERE = Path(__file__).resolve().parent
PROJECTS = sorted(path.name for path in (HERE / "projects").iterdir() if path.is_dir())
EXPECTED = {"text": "expected.txt", "json": "expected.json"}
FOR_CI = {"github": "expected.github.txt", "sarif": "expected.sarif.json"}
CASES = [
    *((name, form) for name in PROJECTS for form in EXPECTED),
    *(
        (name, form)
        for name in PROJECTS
        for form in FOR_CI
        if (HERE / "projects" / name / FOR_CI[form]).exists()
    ),
]


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k not in ("FORCE_COLOR", "NO_COLOR")}
    return subprocess.run(
        [sys.executable, "-m", "stilltrue", *arguments],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
        env=environment,
    )


def copied(name: str, folder: Path) -> Path:
    root = folder / name
    shutil.copytree(HERE / "projects" / name, root, ignore=shutil.ignore_patterns("expected.*"))
    if not (root / "stilltrue.toml").exists():
        (root / "stilltrue.toml").touch()
    return root


@pytest.mark.parametrize(("name", "form"), CASES)
def test_a_project_is_judged_as_expected(name: str, form: str, tmp_path: Path) -> None:
    root = copied(name, tmp_path)
    done = run(root, "check", "--format", form, "--no-cache")
    file = {**EXPECTED, **FOR_CI}[form]
    expected = HERE / "projects" / name / file
    actual = HERE / "actual" / name / file
    actual.parent.mkdir(parents=True, exist_ok=True)
    actual.write_text(done.stdout, encoding="utf-8")
    assert done.stderr == ""
    assert done.stdout == expected.read_text(encoding="utf-8")
    actual.unlink()


@pytest.mark.parametrize("name", PROJECTS)
def test_the_forms_for_ci_tell_what_the_text_tells(name: str, tmp_path: Path) -> None:
    root = copied(name, tmp_path)
    text, commands, log = (
        stilltrue_in(root, "check", "--no-cache", "--format", form) for form in ("text", "github", "sarif")
    )
    *told, counts = text.out.split("\n\n")
    assert (commands.code, log.code) == (text.code, text.code)
    assert commands.out.split("\n")[len(told) :] == counts.split("\n")
    assert len(json.loads(log.out)["runs"][0]["results"]) == len(told)


@pytest.mark.parametrize("name", PROJECTS)
def test_the_exit_code_says_what_the_report_says(name: str, tmp_path: Path) -> None:
    done = run(copied(name, tmp_path), "check", "--format", "json")
    report = json.loads(done.stdout)
    assert done.returncode == (0 if report["ok"] else 1)


@pytest.mark.parametrize("name", PROJECTS)
def test_a_check_writes_nothing_but_its_cache(name: str, tmp_path: Path) -> None:
    root = copied(name, tmp_path)
    before = {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}
    run(root, "check")
    after = {
        path: path.read_bytes()
        for path in root.rglob("*")
        if path.is_file() and ".stilltrue" not in path.parts
    }
    assert after == before
