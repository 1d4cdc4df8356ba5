"""The page for a repository of a README and a results file, replayed from its first line to its last."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from recording_support import GIT

PAGE = Path(__file__).resolve().parents[1] / "docs" / "tool" / "start.md"

_FENCE = re.compile(
    r'^(?P<fence>`{3,})(?P<word>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """What the page has its reader do: write a file, or run a command that prints something.

    Attributes:
        file: The file; empty for a command.
        command: The command; empty for a file.
        text: What the file holds, or the command prints.
    """

    file: str
    command: str
    text: str


def steps() -> Iterator[Step]:
    """Everything that the page shows, in its order."""
    for match in _FENCE.finditer(PAGE.read_text(encoding="utf-8")):
        if match["title"]:
            yield Step(match["title"], "", match["body"])
        elif match["word"] == "console":
            for part in re.split(r"^\$ ", match["body"], flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Step("", command, output)


@pytest.fixture
def shell(tmp_path: Path) -> dict[str, str]:
    """An environment in which `stilltrue` is the one under test, and git has no configuration."""
    programs = tmp_path / "programs"
    programs.mkdir()
    script = programs / "stilltrue"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m stilltrue "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if name in ("HOME", "TMPDIR", "LANG")}
    return {**kept, **GIT, "NO_COLOR": "1", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}


def run(folder: Path, command: str, shell: dict[str, str]) -> tuple[int, str]:
    """The exit code and the standard output of a command line."""
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=shell,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return done.returncode, done.stdout


def test_every_command_of_the_page_prints_what_it_shows(tmp_path: Path, shell: dict[str, str]) -> None:
    project = tmp_path / "project"
    project.mkdir()
    commands = 0
    for step in steps():
        if step.file:
            path = project / step.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
        else:
            assert (step.command, *run(project, step.command, shell)) == (step.command, 0, step.text)
            commands += 1
    assert commands > 10
    assert run(project, "git status --porcelain", shell) == (0, "")


def test_the_page_fails_where_it_says_so() -> None:
    failing = [step for step in steps() if step.command.startswith("stilltrue check ||")]
    assert [step.text.splitlines()[-1] for step in failing] == ["exit code 2", "exit code 1"]


def test_every_file_that_is_written_twice_has_changed() -> None:
    seen: dict[str, str] = {}
    for step in steps():
        if step.file:
            assert seen.get(step.file) != step.text
            seen[step.file] = step.text
    assert sorted(seen) == ["README.md", "claims/results.yml", "results/bench.json"]
