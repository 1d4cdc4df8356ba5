"""Where evidence of an earlier day is kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.git import changed, committed
from stilltrue.model import Digested, Provenance
from stilltrue.provenance import name_of, read, to_json


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
        InputError: `bad-provenance`: a record cannot be read. `unrecorded`: a file that git does not hold
            would be lost, one without a record or one that is kept under that day already.
    """
    old = {path: _of(root, path) for path in paths if (root / path).is_file()}
    kept = {path: each for path, each in old.items() if each is not None and each.on != day}
    writes: dict[str, bytes | Path] = {}
    for path, each in kept.items():
        same = [other for other, record in kept.items() if record.subjects == each.subjects]
        moved = _renamed(each, {other: dated(other, kept[other].on) for other in same})
        place = dated(path, each.on)
        _refuse_to_lose(root, place, path)
        writes[place] = root / path
        writes[name_of(place)] = to_json(moved).encode()
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


def _refuse_to_lose(root: Path, place: str, path: str) -> None:
    """Refuse to put a file where another one of the same day is; a clock that was set back does that."""
    there = root / place
    if there.is_file() and there.read_bytes() != (root / path).read_bytes() and not _held_by_git(root, place):
        raise InputError(
            "unrecorded",
            f"`{path}` is to move to `{place}`, and git does not hold what is there now",
            "commit that file, or move it away",
        )


def _held_by_git(root: Path, path: str) -> bool:
    return changed(root, (path,)) == () and committed(root, (path,)) == (path,)


def _renamed(record: Provenance, places: Mapping[str, str]) -> Provenance:
    """A record with the new places of its files; a file that was moved by hand is called by its old name."""
    subjects = tuple(Digested(places.get(each.path, each.path), each.sha256) for each in record.subjects)
    accepted = tuple(replace(each, path=places.get(each.path, each.path)) for each in record.accepted)
    return replace(record, subjects=subjects, accepted=accepted)
