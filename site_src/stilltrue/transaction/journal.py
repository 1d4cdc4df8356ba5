"""The journal of a transaction: what takes whose place, kept until all of it is done."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from stilltrue.errors import InputError
from stilltrue.files import join


@dataclass(frozen=True, slots=True)
class Step:
    """One file that takes its place.

    Attributes:
        target: The file, from the root.
        temporary: The new file beside it, from the root.
        before: The digest of what it replaces; empty where there is no file yet.
        after: The digest of the new file; empty until it is written.
    """

    target: str
    temporary: str
    before: str
    after: str = ""


@dataclass(frozen=True, slots=True)
class Journal:
    """A transaction.

    Attributes:
        final: Whether all new files are on the disk, so that what is left is to rename them.
        steps: What takes whose place.
        folders: The folders made for it, from the root, outer ones first.
    """

    final: bool
    steps: tuple[Step, ...]
    folders: tuple[str, ...] = ()

    def to_json(self) -> str:
        """As it is kept."""
        return json.dumps(asdict(self))

    @classmethod
    def read(cls, file: Path) -> Journal | None:
        """A journal; None where the file is none: it may have come with the project, so nothing is believed.

        Raises:
            OSError: The file cannot be read.
        """
        try:
            kept = json.loads(file.read_bytes())
            steps = tuple(_step(each) for each in kept["steps"])
            return cls(kept["final"] is True, steps, tuple(map(_plain, kept["folders"])))
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError, InputError):
            return None


def digest_of(file: Path) -> str:
    """The SHA-256 of a file's bytes; empty where there is none.

    Raises:
        OSError: It cannot be read.
    """
    try:
        with file.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except FileNotFoundError:
        return ""


def force(folder: Path) -> None:
    """Force a folder's entries to the disk, where the system can."""
    file = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(file)
    except OSError:  # some file systems cannot do it for a folder
        pass
    finally:
        os.close(file)


def _step(kept: dict[str, Any]) -> Step:
    step = Step(_plain(kept["target"]), _plain(kept["temporary"]), str(kept["before"]), str(kept["after"]))
    if step.target.rpartition("/")[0] != step.temporary.rpartition("/")[0]:
        raise ValueError(step.temporary)
    if not step.temporary.rpartition("/")[2].startswith(PREFIX):
        raise ValueError(step.temporary)
    return step


def _plain(path: str) -> str:
    if join("", path) != path:
        raise ValueError(path)
    return path


PREFIX = ".stilltrue-"
"""How the names of new files begin, until each has taken its place; globs for evidence pass hidden names."""
