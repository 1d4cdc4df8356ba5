"""What probes gave when they were run again, remembered: an unchanged probe is not run twice.

A run is kept under `.stilltrue/runs/`: its evidence files, and beside them what they depended on: the probe's
script, the modules of the repository that it loaded, its declared inputs, its arguments, the interpreter, the
versions of the packages that it loaded and the environment variables that records know. It counts again as
long as all of these are what they were. Failures are not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from stilltrue import git
from stilltrue.errors import InputError
from stilltrue.model import Probe
from stilltrue.probes import Run, code_of, environment, inputs_of
from stilltrue.probes.host import interpreter
from stilltrue.workspace import workspace, write_whole

_RUNS = "runs"
_FORMAT = 1


class Memory:
    """The remembered runs of a project; nothing is remembered where `.stilltrue/` cannot be used.

    Args:
        root: The project's root.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._folder = _opened(root)

    def find(self, probe: Probe, arguments: Sequence[str]) -> dict[str, Path] | None:
        """The evidence files of a run that nothing has changed since, by their paths; None: there is none."""
        if self._folder is None:
            return None
        try:
            kept = json.loads(self._notes(probe, arguments).read_bytes())
            if kept["depends"] != self._now(probe, kept["depends"]):
                return None
            files = {path: self._folder / name for path, name in kept["files"].items()}
            whole = all(_sha256(file.read_bytes()) == file.name for file in files.values())
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError):
            return None
        return files if whole and set(probe.writes) == files.keys() else None

    def keep(self, probe: Probe, arguments: Sequence[str], run: Run) -> dict[str, Path] | None:
        """Remember a run.

        Returns:
            Its evidence files where they are kept, by their paths; None where they cannot be kept.
        """
        if self._folder is None:
            return None
        files: dict[str, Path] = {}
        for path, file in run.files.items():
            data = file.read_bytes()
            files[path] = self._folder / _sha256(data)
            if not write_whole(files[path], data):
                return None
        notes = {"depends": self._of(run), "files": {path: file.name for path, file in files.items()}}
        if not write_whole(self._notes(probe, arguments), json.dumps(notes).encode()):
            return None
        self._prune()
        return files

    def _prune(self) -> None:
        """Remove the files that no remembered run names any more."""
        assert self._folder is not None  # noqa: S101  # the caller looked
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError):
            notes = [json.loads(path.read_bytes()) for path in self._folder.glob("*.json")]
            named = {name for each in notes for name in each["files"].values()}
            for file in self._folder.iterdir():
                if file.suffix != ".json" and file.name not in named:
                    file.unlink()

    def _notes(self, probe: Probe, arguments: Sequence[str]) -> Path:
        assert self._folder is not None  # noqa: S101  # the caller looked
        return self._folder / f"{_sha256(json.dumps([probe.path, *arguments]).encode())[:32]}.json"

    def _of(self, run: Run) -> dict[str, Any]:
        """What a run depended on."""
        return {
            "format": _FORMAT,
            "code": [[code.path, code.sha256] for code in run.code],
            "inputs": [[file.path, file.sha256] for file in run.inputs],
            "packages": [list(pair) for pair in run.packages],
            "interpreter": run.interpreter,
            "environment": [list(pair) for pair in environment()],
        }

    def _now(self, probe: Probe, then: Mapping[str, Any]) -> dict[str, Any]:
        """What a run would depend on today, as far as the last one shows what that is.

        Raises:
            InputError: A file of it is gone.
            KeyError: A package of it is gone.
        """
        paths = [path for path, _ in then["code"]]
        return {
            "format": _FORMAT,
            "code": [[path, code_of(self._root, path, script=path == probe.path).sha256] for path in paths],
            "inputs": [[file.path, file.sha256] for file in inputs_of(self._root, probe)],
            "packages": [[name, _version(name)] for name, _ in then["packages"]],
            "interpreter": interpreter() if then["interpreter"] else "",
            "environment": [list(pair) for pair in environment()],
        }


def _opened(root: Path) -> Path | None:
    """The folder of the runs; None where it cannot be made, or came, or may have come, with the project."""
    if git.tracks_workspace(root) is not False:
        return None
    try:
        return workspace(root, _RUNS)
    except InputError:
        return None


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        raise KeyError(package) from None


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
