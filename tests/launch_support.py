"""A real launch: the small run of tests/launch, trained once, in a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import runpy
import shutil
import subprocess
import sys
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest

from recording_support import commit_all, git
from stilltrue.preflight import launched
from stilltrue.preflight.launched import Ran

PROJECT = Path(__file__).parent / "launch"


def trained_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project after its run, in a repository with one commit; to be copied, never changed.

    Workers share it: the first one trains, another waits for it.
    """
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    root, done = shared / "launch", shared / "launch.done"
    with (shared / "launch.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(root, ignore_errors=True)
            _train(root)
            done.touch()
    return root


def _train(root: Path) -> None:
    shutil.copytree(PROJECT, root, ignore=shutil.ignore_patterns("__pycache__", "out"))
    git(root, "init", "-q", "-b", "main")
    commit_all(root)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "HF_HUB_OFFLINE": "1"}
    done = subprocess.run(
        ["bash", "launch.sh"], cwd=root, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def copied(trained: Path, to: Path) -> Path:
    """The project after its run, to be changed."""
    root = to / "launch"
    shutil.copytree(trained, root)
    return root


@contextlib.contextmanager
def asked_here() -> Iterator[None]:
    """Programs that are asked under the launch's interpreter run in this process, which has torch already."""
    there = launched.run

    def run(words: Sequence[str], *, folder: Path, timeout_s: float, **how: Any) -> Ran:
        programs = [number for number, word in enumerate(words) if "/preflight/asked/" in word]
        if not programs:
            return there(words, folder=folder, timeout_s=timeout_s, **how)
        return _here(list(words[programs[0] :]), folder)

    with patch.object(launched, "run", run):
        yield


def _here(words: list[str], folder: Path) -> Ran:
    """What a program comes to that is run as a script, in this process."""
    modules = set(sys.modules)
    try:
        with (
            contextlib.chdir(folder),
            contextlib.redirect_stdout(io.StringIO()),
            patch.object(sys, "argv", words),
            patch.object(sys, "path", [str(folder), *sys.path]),
            warnings.catch_warnings(action="ignore"),  # in a process of its own they are only told
        ):
            answer = runpy.run_path(words[0])["main"](json.loads(words[1]))
    except SystemExit as error:
        return Ran(1, "", str(error))
    finally:
        for name in set(sys.modules) - modules:
            if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(folder):
                del sys.modules[name]
    return Ran(0, json.dumps(answer), "")
