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
    """What one of the programs in `asked/` answers, under the interpreter of the launch.

    Nothing is downloaded: the libraries of models are told to stay offline.

    Args:
        launch: The launch.
        program: The program's name, without `.py`.
        question: What it is asked: plain data.
        timeout_s: How many seconds it may take.
        path: Whether modules of the project's root may be imported there.

    Returns:
        Its JSON document.

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
    answer = ran.out.strip().rpartition("\n")[2]  # a library may print something when it is imported
    try:
        found = json.loads(answer)
    except ValueError:
        found = None
    if not isinstance(found, dict | list):
        raise InputError("launch-failed", f"`{launch.python}` gave no answer, and did not say why", _HINT)
    return found


_START = (
    "import sys; del sys.argv[0]; sys.path[:] = [each for each in sys.path if each]; "
    "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
)
"""A program that is started by its file could import what lies beside it: here nothing can."""

_HINT = "name the interpreter of the launch: `python: .venv/bin/python` in the settings"
