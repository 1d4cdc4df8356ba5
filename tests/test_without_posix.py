"""Commands that only read, without what Windows lacks: modules, signals, flags and calls of POSIX.

This stands in for a Windows machine, and is none: its paths, consoles and files are not tried here.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from recording_support import commit_all, git, write

SOURCE = Path(__file__).resolve().parents[1] / "site_src" / "stilltrue"

LACKING = '''\
"""Takes away what a Python on Windows lacks, then runs each command line that standard input names."""

import contextlib
import importlib.abc
import io
import json
import os
import signal
import sys

import shutil, subprocess, tempfile  # what the standard library looked for itself

MODULES = {"crypt", "fcntl", "grp", "nis", "pty", "pwd", "readline", "resource", "syslog", "termios", "tty"}
SIGNALS = ["SIGALRM", "SIGCHLD", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGUSR1", "SIGUSR2"]
SIGNALS += ["SIG_BLOCK", "SIG_SETMASK", "SIG_UNBLOCK", "alarm", "pthread_sigmask", "setitimer", "sigwait"]
SYSTEM = ["O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "chown", "fchmod", "fchown", "fork"]
SYSTEM += ["getegid", "geteuid", "getgid", "getpgid", "getuid", "killpg", "mkfifo", "pread", "pwrite"]
SYSTEM += ["setsid", "sched_getaffinity", "statvfs", "sysconf", "uname"]


class Gone(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


for name in MODULES:
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Gone())
for owner, names in ((signal, SIGNALS), (os, SYSTEM)):
    for name in names:
        if hasattr(owner, name):
            delattr(owner, name)

from stilltrue.cli.boundary import run

for arguments in json.loads(sys.stdin.read()):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(arguments)
    print(json.dumps([code, out.getvalue(), err.getvalue()]))
'''

FILES = {
    "stilltrue.toml": "",
    "README.md": (
        "| Run | Loss | Log |\n|---|--:|---|\n| a | 1.61 | [log](logs/a.log) |\n\n"
        "In 4.1 s.\nThe b takes 9.07 s.\n"
    ),
    "claims/runs.yml": (
        '- id: runs\n  says: "{Run} comes to {value}."\n  table_in: {file: README.md}\n  key: Run\n'
        "  evidence: '{Log}'\n  columns: {Loss: {read: {match: 'loss (.*)', take: last}}}\n\n"
        "- id: time\n  says: \"It takes {value}.\"\n  stated_in: {file: README.md, match: 'In (.* s)'}\n"
        "  evidence: times.csv\n  read: {where: run = 'a', column: seconds, unit: s}\n"
        "  copies: [{file: run.sh, match: 'TIME=(.*)', unit: s}]\n\n"
        '- id: old\n  says: "It took {value}."\n  value: 5.5 s\n  reported: {by: me}\n'
        "  superseded: {by: time, on: 2026-03-01, because: measured again}\n"
    ),
    "logs/a.log": "loss 2.31\nloss 1.612\n",
    "times.csv": "run,seconds\na,4.1\nb,9.0712\n",
    "run.sh": "TIME=4.1\n",
}
READING = (
    ["check"],
    ["check", "--format", "json"],
    ["check", "--format", "sarif"],
    ["check", "--changed-since", "HEAD"],
    ["check", "--rerun", "cheap"],
    ["show", "runs.a.loss"],
    ["coverage"],
    ["mutate", "--only", "stated", "--only", "readings"],
    ["readings", "logs/a.log"],
    ["bind", "README.md:6", "times.csv"],
    ["schema"],
    ["update"],
    ["init", "--dry-run", "--workflow"],
)
WRITING = (
    ["update", "time"],
    ["supersede", "time", "--because", "of a test"],
    ["adopt", "times.csv", "--source", "a test", "--on", "2026-03-01"],
    ["bind", "README.md:6", "times.csv", "--pick", "1", "--write"],
    ["init", "--workflow"],
    ["coverage", "--raise"],
)


def outcomes(root: Path, *commands: list[str]) -> list[tuple[int, str, str]]:
    """Exit code, standard output and standard error of each command, run in one process."""
    done = subprocess.run(
        [sys.executable, "-c", LACKING],
        input=json.dumps(commands),
        cwd=root,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return [tuple(json.loads(line)) for line in done.stdout.splitlines()]


def test_modules_of_posix_are_imported_where_their_lack_is_seen_to() -> None:
    lacking = {
        "crypt",
        "fcntl",
        "grp",
        "nis",
        "pty",
        "pwd",
        "readline",
        "resource",
        "syslog",
        "termios",
        "tty",
    }
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            if lacking & set(names):
                found.add(path.relative_to(SOURCE).as_posix())
    assert found <= {"evidence/readers/memory_bound.py", "evidence/tables/memory.py", "transaction/locks.py"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = write(tmp_path / "project", FILES)
    git(folder, "init", "-q", "-b", "main")
    commit_all(folder)
    return folder


def test_what_only_reads_works_as_everywhere(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    found = outcomes(root, *READING)
    assert [code for code, _, _ in found] == [0] * len(READING), found
    assert [err for _, _, err in found if "bug" in err] == []
    said = [out for _, out, _ in found]
    assert said[0] == said[4] == "3 claims: 2 hold, 1 superseded\n"
    assert json.loads(said[1])["counts"]["holds"] == 2
    assert said[3] == "nothing that a claim rests on has changed since HEAD\n"
    assert "logs/a.log\n       2 | loss 1.612" in said[5]
    assert "no survivor" in said[7]


def test_a_number_that_is_wrong_fails_there_too(root: Path) -> None:
    write(root, {"logs/a.log": "loss 1.7\n", "run.sh": "TIME=4.2\n", "times.csv": "run,seconds\nb,9.0\n"})
    ((code, out, err),) = outcomes(root, ["check"])
    assert (code, err) == (1, "")
    assert "runs.a.loss drifted" in out
    assert "time broken" in out


def test_what_writes_says_that_it_cannot_and_leaves_all_as_it_is(root: Path) -> None:
    write(root, {"times.csv": "run,seconds\na,4.4\nb,9.0712\n", "run.sh": "TIME=4.4\n"})
    before = git(root, "status", "--porcelain")
    for code, out, err in outcomes(root, *WRITING):
        assert code == 2, out
        assert "nothing can be written here: this system has no locks for files" in err
        assert "WSL" in err
    assert git(root, "status", "--porcelain") == before
