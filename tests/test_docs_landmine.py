"""The contributor's page "Add a landmine", replayed from its first command to its last in a fresh clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

import recording_support as support
from stilltrue.check import check
from stilltrue.config import load
from stilltrue.model import Verdict

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "tool" / "landmine.md"

_FENCE = re.compile(
    r'^(?P<fence>`{3,})(?P<word>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)
_YOURS = re.compile(r"^# --- Yours: the trap .*?(?=^# --- Broken guards)", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """What the page has its reader do: run a command, or write a part of a file in another's place."""

    command: str
    file: str = ""
    text: str = ""


def steps() -> Iterator[Step]:
    """Everything to do, in the order of the page."""
    for match in _FENCE.finditer(PAGE.read_text(encoding="utf-8")):
        if match["word"] == "sh":
            yield from (Step(line) for line in match["body"].splitlines() if line)
        elif match["title"]:
            yield Step("", match["title"].removeprefix("part of "), match["body"])


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of this repository as it is in the working tree, what is not committed included."""
    listed = support.git(ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    origin = tmp_path / "origin"
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).is_file():
            (origin / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, origin / name)
    support.git(origin, "init", "-q")
    support.commit_all(origin)
    support.git(tmp_path, "clone", "-q", str(origin), "clone")
    root = tmp_path / "clone"
    for known in (".stilltrue/runs", ".mypy_cache"):  # the clone's would be the same
        if (ROOT / known).is_dir():
            shutil.copytree(ROOT / known, root / known)
    return root


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment whose programs are those under test, and in which nothing says that this is CI."""
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ("stilltrue", "pytest", "mkdocs", "ruff", "mypy"):
        script = programs / name
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m {name} "$@"\n', encoding="utf-8")
        script.chmod(0o755)
    (programs / "python").symlink_to(sys.executable)
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR", "LANG") if name in os.environ}
    path = f"{programs}{os.pathsep}{os.environ['PATH']}"
    return {**kept, **support.GIT, "NO_COLOR": "1", "NO_MKDOCS_2_WARNING": "1", "PATH": path}


def run(root: Path, command: str, shell: dict[str, str]) -> str:
    """What a command prints; it must do what the page says, which is to end well."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=root, env=shell, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def put(root: Path, step: Step) -> None:
    """Write a part of a file in the place of the one it replaces."""
    file = root / step.file
    old = file.read_text(encoding="utf-8")
    if step.file.endswith(".py"):
        part: re.Pattern[str] = _YOURS
    else:
        name = step.text.splitlines()[1]
        part = re.compile(rf"^```claim\n{re.escape(name)}\n.*?^```\n", re.MULTILINE | re.DOTALL)
    assert len(part.findall(old)) == 1
    file.write_text(part.sub(lambda _: step.text, old), encoding="utf-8")


def assert_shows_what_was_made(clone: Path) -> None:
    """The page names every file that is new or changed."""
    made = support.git(clone, "status", "--porcelain", "--untracked-files=all").splitlines()
    text = PAGE.read_text(encoding="utf-8")
    assert [line for line in made if line[3:].rpartition("/")[2] not in text] == []
    assert len(made) == 6


@pytest.mark.long
def test_its_commands_lead_from_a_fresh_clone_to_a_committed_landmine(
    clone: Path, shell: dict[str, str]
) -> None:
    printed = {}
    for step in steps():
        if step.command:
            printed[step.command] = run(clone, step.command, shell)
            if step.command.startswith("stilltrue new"):
                assert_shows_what_was_made(clone)
        else:
            put(clone, step)
    assert sum(command.startswith("mkdocs build --strict") for command in printed) == 1
    mutated = printed["stilltrue mutate --tag lost-tail"]
    assert "no survivor; plants: 2 seen" in mutated
    shown = PAGE.read_text(encoding="utf-8")
    assert "\n".join(mutated.splitlines()[:4]) in shown
    assert printed["python probes/lost_tail.py"] in shown
    assert '"stops": false' in printed["python probes/lost_tail.py --plant no-guard"]
    assert "lost-tail-trap: 8 samples -> 2 samples" in printed["stilltrue record probes/lost_tail.py"]
    own = [each for each in check(load(clone)).judgements if "lost-tail" in each.claim.tags]
    assert {each.verdict for each in own} == {Verdict.HOLDS}
    assert [each.claim.stated.text for each in own] == ["2 samples", "0 samples", "yes", "yes"]
    assert "[2](claim:lost-tail-trap)" in (clone / "docs/integrity/lost-tail.md").read_text(encoding="utf-8")
    assert support.git(clone, "status", "--porcelain") == ""
    own_files = "probes/lost_tail.py tests/test_landmine_lost_tail.py"
    run(clone, f"ruff check {own_files} && ruff format --check {own_files} && mypy {own_files}", shell)
    assert "lost-tail" in (clone / "site/integrity/lost-tail/index.html").read_text(encoding="utf-8")
