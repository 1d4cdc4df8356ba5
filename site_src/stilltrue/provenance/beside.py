"""Where records lie: each beside its evidence, those of earlier days in folders named after the day."""

from __future__ import annotations

import os
from pathlib import Path

from stilltrue.days import is_day
from stilltrue.errors import InputError
from stilltrue.files import PROVENANCE_SUFFIX, read_bytes
from stilltrue.model import Provenance
from stilltrue.provenance.fields import LIMIT, wrong
from stilltrue.provenance.reading import parse


def name_of(path: str) -> str:
    """The record of an evidence file: `claims/evidence/a.json.provenance.json`."""
    return f"{path}{PROVENANCE_SUFFIX}"


def read(root: Path, path: str) -> Provenance | None:
    """The record beside an evidence file.

    Args:
        root: The repository's root, resolved.
        path: The evidence, from the root.

    Returns:
        None where there is no record.

    Raises:
        InputError: `bad-provenance`: it cannot be read, or is no record; its path is set.
    """
    name = name_of(path)
    # `os.path` answers where `Path` raises, for a name too long to be one; it is asked thousands of times.
    if not os.path.lexists(os.path.join(root, name)):  # noqa: PTH118  # as above
        return None
    try:
        return parse(_bytes(root, name))
    except InputError as error:
        error.path = name
        raise


def readable(root: Path, path: str) -> Provenance | None:
    """As `read`; None too where the record cannot be read."""
    try:
        return read(root, path)
    except InputError:
        return None


def history(root: Path, path: str) -> tuple[tuple[str, str], ...]:
    """The evidence of earlier days.

    Args:
        root: The repository's root.
        path: The evidence of today, from the root.

    Returns:
        Day and path of each earlier file, newest first.
    """
    folder, slash, name = path.rpartition("/")
    try:
        days = [entry.name for entry in os.scandir(root / folder) if is_day(entry.name)]
    except OSError:
        return ()
    earlier = ((day, f"{folder}{slash}{day}/{name}") for day in sorted(days, reverse=True))
    return tuple((day, file) for day, file in earlier if (root / file).is_file())


def _bytes(root: Path, name: str) -> bytes:
    """The bytes of a record, which must be a file and no link: it is replaced as a whole."""
    if os.path.islink(os.path.join(root, name)):  # noqa: PTH114, PTH118  # as in `read`
        raise wrong("the record is a link", "put the file itself beside the evidence")
    try:
        return read_bytes(root, name, LIMIT)
    except InputError as error:
        if error.code == "too-large":
            raise wrong(f"the record is larger than {LIMIT:,} bytes") from None
        raise wrong(error.message, error.hint) from None
