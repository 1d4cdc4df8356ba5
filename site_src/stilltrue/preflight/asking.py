"""Asking the launch's own interpreter: what is installed there is what the launch will use."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from stilltrue.errors import InputError
from stilltrue.preflight import asked
from stilltrue.preflight.finding import Launch

TIMEOUT_S = 120.0
"""How long a question may take, where the caller does not say: importing transformers alone takes a while."""

_FOLDER = Path(asked.__file__).parent


def ask(
    launch: Launch, program: str, question: Any, *, timeout_s: float = TIMEOUT_S, path: bool = False
) -> Any:
    """What `main` of one of the programs in `asked/` answers, under the interpreter of the launch.

    Nothing is downloaded: the libraries of models are told to stay offline. Whatever they print goes to
    standard error, and what they would do at the end of the process is not waited for.

    Args:
        launch: The launch.
        program: The program's name, without `.py`.
        question: What it is asked: plain data.
        timeout_s: How many seconds it may take.
        path: Whether modules of the project's root may be imported there.

    Returns:
        The answer: a list or a mapping.

    Raises:
        InputError: `launch-failed`: it could not be started, failed, took too long, or gave no JSON.
    """
    words = [launch.python, "-c", _START, str(_FOLDER / f"{program}.py"), json.dumps(question)]
    environment = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    if path:
        before = os.environ.get("PYTHONPATH", "")
        environment["PYTHONPATH"] = f"{launch.config.root}{os.pathsep}{before}".rstrip(os.pathsep)
    ran = launch.run(words, folder=launch.config.root, timeout_s=timeout_s, environment=environment)
    if not ran.ok:
        raise InputError("launch-failed", f"`{launch.python}` gave no answer: {ran.fault}", _HINT)
    try:
        found = json.loads(ran.out)
    except ValueError:
        found = None
    if not isinstance(found, dict | list):
        raise InputError("launch-failed", f"`{launch.python}` gave no answer, and did not say why", _HINT)
    return found


_START = """\
import sys
del sys.argv[0]
sys.path[:] = [each for each in sys.path if each]
import json, os, runpy
answer = os.dup(1)
os.dup2(2, 1)
found = json.dumps(runpy.run_path(sys.argv[0])["main"](json.loads(sys.argv[1])))
with os.fdopen(answer, "w") as file:
    file.write(found)
os._exit(0)
"""
"""A program that is started by its file could import what lies beside it: here nothing can.

What a library prints must not mix with the answer, nor a thread that it leaves keep the process.
"""

_HINT = "name the interpreter of the launch: `python: .venv/bin/python` in the settings"
