"""Pages of the documentation as their reader follows them: files written and commands run, in order."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from recording_support import GIT, stilltrue_in

TOOL = Path(__file__).resolve().parents[1] / "docs" / "tool"

_FENCE = re.compile(
    r'^(?P<fence>`{3,})(?P<word>\w+)(?: title="(?P<title>[^"]+)")?\n(?P<body>.*?)^(?P=fence)$',
    re.MULTILINE | re.DOTALL,
)


class Step(NamedTuple):
    """What a page has its reader do: write a file, or run a command that prints something.

    Attributes:
        file: The file; empty for a command.
        command: The command; empty for a file.
        text: What the file holds, or the command prints.
    """

    file: str
    command: str
    text: str


def steps(page: str) -> Iterator[Step]:
    """Everything that a page shows, in its order."""
    for match in _FENCE.finditer((TOOL / page).read_text(encoding="utf-8")):
        if match["title"]:
            yield Step(match["title"], "", match["body"])
        elif match["word"] == "console":
            for part in re.split(r"^\$ ", match["body"], flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                yield Step("", command, output)


def fenced(page: str, word: str) -> list[str]:
    """What stands in the fences of one kind that have no title."""
    found = _FENCE.finditer((TOOL / page).read_text(encoding="utf-8"))
    return [match["body"] for match in found if match["word"] == word and not match["title"]]


def shell_in(folder: Path) -> dict[str, str]:
    """An environment in which `stilltrue` is the one under test, and git has no configuration.

    Args:
        folder: Where its programs are put.
    """
    programs = folder / "programs"
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


def quickly(folder: Path, command: str, shell: dict[str, str]) -> tuple[int, str]:
    """As `run`; where the command line is `stilltrue` alone, no process is started for it."""
    if not command.startswith("stilltrue ") or set(command) & set("|&;<>$"):
        return run(folder, command, shell)
    done = stilltrue_in(folder, *shlex.split(command)[1:], NO_COLOR="1")
    return done.code, done.out


def followed(
    page: str,
    project: Path,
    shell: dict[str, str],
    run: Callable[[Path, str, dict[str, str]], tuple[int, str]] = run,
) -> int:
    """Follow a page to its end; each command must pass and print what the page shows.

    Args:
        page: Its name among the pages of the tool.
        project: An empty folder.
        shell: From `shell_in`.
        run: How a command is run: `run`, or `quickly`.

    Returns:
        How many commands were run.
    """
    commands = 0
    for step in steps(page):
        if step.file:
            path = project / step.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(step.text, encoding="utf-8")
        else:
            assert (step.command, *run(project, step.command, shell)) == (step.command, 0, step.text)
            commands += 1
    return commands
