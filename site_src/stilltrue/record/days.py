"""Days, and where evidence of an earlier day is kept."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.git import changed, committed
from stilltrue.model import Digested, Provenance
from stilltrue.provenance import name_of, read, to_json


def today() -> str:
    """This day in UTC, YYYY-MM-DD."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def dated(path: str, day: str) -> str:
    """Where evidence of an earlier day lies: `claims/evidence/2026-03-01/a.json`."""
    folder, slash, name = path.rpartition("/")
    return f"{folder}{slash}{day}/{name}"


def set_aside(root: Path, paths: Iterable[str], day: str) -> dict[str, bytes | Path]:
    """What must be written, for evidence of earlier days to outlast that of `day`.

    Args:
        root: The project's root.
        paths: The evidence files that are about to be replaced; they need not be there.
        day: The day of the new ones.

    Returns:
        The new place of each file of another day, and of its record, with what goes there.

    Raises:
        InputError: `bad-provenance`: a record cannot be read. `unrecorded`: a file has no record and git does
            not hold it, so that it would be lost.
    """
    old = {path: _of(root, path) for path in paths if (root / path).is_file()}
    kept = {path: each for path, each in old.items() if each is not None and each.on != day}
    writes: dict[str, bytes | Path] = {}
    for path, each in kept.items():
        same = [other for other, record in kept.items() if record.subjects == each.subjects]
        moved = _renamed(each, {other: dated(other, kept[other].on) for other in same})
        writes[dated(path, each.on)] = root / path
        writes[name_of(dated(path, each.on))] = to_json(moved).encode()
    return writes


def _of(root: Path, path: str) -> Provenance | None:
    record = read(root, path)
    if record is None and not _held_by_git(root, path):
        raise InputError(
            "unrecorded",
            f"`{path}` has no record and git does not hold it, so that it would be lost",
            f"say where it came from: `stilltrue adopt {path} --source … --on …`, or move it away",
        )
    return record


def _held_by_git(root: Path, path: str) -> bool:
    return changed(root, (path,)) == () and committed(root, (path,)) == (path,)


def _renamed(record: Provenance, places: Mapping[str, str]) -> Provenance:
    """A record with the new places of its files; a file that was moved by hand is called by its old name."""
    subjects = tuple(Digested(places.get(each.path, each.path), each.sha256) for each in record.subjects)
    return replace(record, subjects=subjects)
