"""Files that a probe writes beside what it prints, where it is asked to; no probe itself."""

from __future__ import annotations

from pathlib import Path


def ready(path: Path | None, option: str) -> None:
    """Look before anything is measured whether it could be written.

    Raises:
        SystemExit: The folder is not there, or the file's name is that of a folder.
    """
    if path is None:
        return
    if not path.parent.is_dir():
        raise SystemExit(
            f"{path.parent}: no such folder for {option}; make it, name another, or run from the "
            "repository's root"
        )
    if path.is_dir():
        raise SystemExit(f"{path}: is a folder; name a file for {option}")


def write(path: Path | None, data: bytes) -> None:
    """The file, where there is to be one.

    Raises:
        SystemExit: It cannot be written.
    """
    if path is None:
        return
    try:
        path.write_bytes(data)
    except OSError as error:
        raise SystemExit(f"{path}: cannot be written: {error.strerror}; name another file") from None
