"""The folder `.stilltrue/`: what stilltrue remembers between runs. Git-ignored, safe to delete."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from pathlib import Path

from stilltrue.errors import InputError

FOLDER = ".stilltrue"
"""Its name, in the project's root."""


def workspace(root: Path, name: str = "") -> Path:
    """The folder, or one in it, made where it is missing.

    Args:
        root: The project's root.
        name: The name of a folder in it; empty for itself.

    Raises:
        InputError: `unwritable`: it cannot be made, or is a link or a file.
    """
    own = root / FOLDER
    for folder in (own, own / name):
        shown = folder.relative_to(root).as_posix()
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            what = "a link" if folder.is_symlink() else "not a folder"
            raise InputError(
                "unwritable", f"`{shown}` is {what}", f"remove it: `{FOLDER}` is a plain folder", path=shown
            )
        try:
            folder.mkdir(exist_ok=True)
            _ignore(own)
        except OSError as error:
            raise unwritable(shown, error) from None
    return own / name


def write_whole(path: Path, data: bytes) -> bool:
    """Write a whole file or none of it; says whether it could be written."""
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.stem}-", suffix=".tmp")
    except OSError:
        return False
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).replace(path)
    except OSError:
        Path(name).unlink(missing_ok=True)
        return False
    return True


def unwritable(path: str, error: OSError) -> InputError:
    """What to say of a file that the system does not let be written."""
    reason = error.strerror or str(error)
    return InputError(
        "unwritable",
        f"`{path}` cannot be written: {reason}",
        _CURES.get(error.errno or 0, _CURE),
        path=path,
    )


def _ignore(own: Path) -> None:
    """Have git ignore the folder; a link by that name is not followed."""
    ignore = own / ".gitignore"
    if not os.path.lexists(ignore):
        with suppress(FileExistsError), ignore.open("x", encoding="utf-8") as file:  # somebody else just did
            file.write("*\n")


_CURE = "check the permissions of the file and of its folder"
_ROOM = "make room on the disk, then do it again"
_CURES = {
    errno.ENOSPC: _ROOM,
    errno.EDQUOT: _ROOM,
    errno.EROFS: "the file system is mounted for reading only",
}
