"""A project with a probe in a git repository, and the command line run on it."""

from __future__ import annotations

import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import stilltrue
from stilltrue import provenance
from stilltrue.cli.boundary import run
from stilltrue.model import Provenance

SOURCE = str(Path(stilltrue.__file__).parents[1])

COUNT = "claims/evidence/count.json"
PROBE = "probes/count.py"
MODULE = "probes/helper.py"

HEADER = """\
# /// script
# requires-python = ">=3.11"
# dependencies = []
# [tool.stilltrue]
# writes = "claims/evidence/count.json"
# cost = "cheap"
# timeout = "60 s"
# ///
"""

SCRIPT = """\
import json
import sys

import helper

print("counting", file=sys.stderr)
print(json.dumps({"n": helper.N + len(sys.argv[1:])}))
"""

TARGETS = """\
```claim
id: targets
says: "There are {value}."
value: 205 modules
evidence: claims/evidence/count.json
read: {path: $.n}
```
"""

TWICE = """\
```claim
id: twice
says: "Twice that is {value}."
value: "410"
derive: "{targets} * 2"
```
"""

PAGE = f"# Counts\n\n{TARGETS}\n{TWICE}"

FILES = {
    "stilltrue.toml": "",
    "docs/counts.md": PAGE,
    PROBE: HEADER + SCRIPT,
    MODULE: "N = 205\n",
    ".gitattributes": "claims/evidence/** -text\n",
}

GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.org",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.org",
}


class Done(NamedTuple):
    """What a process came to."""

    code: int
    out: str
    err: str


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
    return root


def project(root: Path, more: dict[str, str] | None = None, *, commit: bool = True) -> Path:
    """The project, in a repository with one commit."""
    write(root, {**FILES, **(more or {})})
    git(root, "init", "-q", "-b", "main")
    if commit:
        commit_all(root)
    return root.resolve()


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(
        ["git", "-C", str(root), *arguments],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **GIT},
    )
    return done.stdout


def commit_all(root: Path, message: str = "all") -> str:
    git(root, "add", "-A")
    git(root, "commit", "-q", "-m", message)
    return git(root, "rev-parse", "HEAD").strip()


def environment(**more: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "TMPDIR") if name in os.environ}
    return {**kept, **GIT, "PYTHONPATH": SOURCE, "NO_COLOR": "1", **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "stilltrue", *arguments]


def stilltrue_in(folder: Path, *arguments: str, **env: str) -> Done:
    """The command line, in this process: starting one takes longer than most of what it does."""
    out, err = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with patch.dict(os.environ, {**GIT, **env}), redirect_stdout(out), redirect_stderr(err):
            code = run(arguments)
    finally:
        os.chdir(before)
    assert code in (0, 1, 2), err.getvalue()
    return Done(code, out.getvalue(), err.getvalue())


def process_in(root: Path, *arguments: str, preexec: Callable[[], None] | None = None, **env: str) -> Done:
    """The command line as a process."""
    done = subprocess.run(
        command(*arguments),
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
        env=environment(**env),
        preexec_fn=preexec,
    )
    assert "bug in stilltrue" not in done.stderr, done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


def recorded(root: Path, *more: str) -> Path:
    """Record the project's probe, which must work."""
    done = stilltrue_in(root, "record", PROBE, *more)
    assert done.code == 0, done.err
    return root


def record_of(root: Path, path: str = COUNT) -> Provenance:
    record = provenance.read(root, path)
    assert record is not None
    return record


def backdate(root: Path, day: str, path: str = COUNT) -> None:
    """Let a record be one of an earlier day."""
    file = root / provenance.name_of(path)
    kept: dict[str, Any] = json.loads(file.read_bytes())
    kept["predicate"]["on"] = day
    file.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")


def sha256(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def everything(root: Path) -> dict[str, str]:
    """Every file below a folder but git's own and ours, by its digest."""
    files = (path for path in root.rglob("*") if path.is_file() or path.is_symlink())
    found = {path.relative_to(root).as_posix(): path for path in files}
    return {
        name: sha256(path) if path.is_file() else "link"
        for name, path in found.items()
        if name.partition("/")[0] not in (".git", ".stilltrue")
    }


@contextmanager
def unchanged(root: Path) -> Iterator[None]:
    """Nothing of the project is written, made or removed."""
    before = everything(root)
    yield
    assert everything(root) == before
