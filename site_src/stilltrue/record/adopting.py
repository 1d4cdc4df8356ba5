"""`adopt`: a record for evidence that was measured elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stilltrue.config import Config
from stilltrue.days import refuse_day
from stilltrue.errors import InputError, UsageError
from stilltrue.files import PROVENANCE_SUFFIX, join, resolve
from stilltrue.git import refuse_tracked_workspace
from stilltrue.model import Digested, Provenance
from stilltrue.probes.digest import digested
from stilltrue.provenance import name_of, read, to_json
from stilltrue.transaction import held, recover, refuse_unwritable, write_all


def adopt(
    config: Config, paths: Sequence[str], *, source: str, on: str, again: bool = False
) -> tuple[str, ...]:
    """Write one record for files that one measurement elsewhere brought; the files stay as they are.

    Args:
        config: The project.
        paths: The files, from the root; anywhere in the repository.
        source: Where they came from, in words or as an address.
        on: The day of the measurement, YYYY-MM-DD, in UTC.
        again: Whether a record that is there already is replaced.

    Returns:
        The records that were written.

    Raises:
        UsageError: The source is empty, or the day is none or lies in the future.
        InputError: A file is not there, is a record itself or is reached through a link; it has a record
            already; or the record cannot be written.
    """
    _refuse_bad(source, on)
    refuse_tracked_workspace(config.root)
    recover(config.root)
    names = tuple(dict.fromkeys(_name(config.root, path) for path in paths))
    with held(config.root, names):
        subjects = tuple(_subject(config.root, path, again=again) for path in names)
        text = to_json(Provenance(subjects=subjects, on=on, source=source)).encode()
        write_all(config.root, {name_of(path): text for path in names})
    return tuple(map(name_of, names))


def _refuse_bad(source: str, on: str) -> None:
    if not source.strip():
        raise UsageError("the source is empty", "say where the evidence came from: `--source TEXT`")
    refuse_day(on, "give the day of the measurement")


def _name(root: Path, path: str) -> str:
    """The file's plain path.

    Raises:
        InputError: As `adopt`.
    """
    name = join("", path)
    if name.endswith(PROVENANCE_SUFFIX):
        hint = "name the file that it stands beside"
        raise InputError("bad-path", f"`{name}` is a record of provenance, which is no evidence", hint)
    if resolve(root, name) != root / name:
        hint = "name the file that the link leads to"
        raise InputError("bad-path", f"`{name}` is reached through a link", hint)
    return name


def _subject(root: Path, path: str, *, again: bool) -> Digested:
    refuse_unwritable(root, name_of(path))
    if not again and (root / name_of(path)).exists():
        raise InputError("recorded-already", *_there(root, path))
    return digested(root, path)


def _there(root: Path, path: str) -> tuple[str, str]:
    """What to say of a file that has a record."""
    try:
        old = read(root, path)
    except InputError:
        return f"`{path}` has a record, which cannot be read", "replace it with `--again`"
    how = f"by `{old.probe}`" if old and old.probe else f"from {old.source}" if old else "already"
    hint = "leave it as it is, or replace its record with `--again`"
    return f"`{path}` has a record: {how}, on {old.on if old else 'an unknown day'}", hint
