"""Whether a file may be written: a regular file, or none yet, in plain folders of the repository."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.workspace import unwritable


def refuse_unwritable(root: Path, path: str) -> None:
    """Look whether a file can be written or replaced, before work is done for it.

    Args:
        root: The project's root, resolved.
        path: The file, from the root; neither it nor its folders need to be there.

    Raises:
        InputError: `unwritable`: it or a folder on its way is a link or of the wrong kind, or it may not be
            written.
    """
    *folders, _ = path.split("/")
    deepest = root
    try:
        for number in range(1, len(folders) + 1):
            inner = root.joinpath(*folders[:number])
            if not _is_folder(inner, "/".join(folders[:number])):
                break
            deepest = inner
        else:
            _refuse_file(root / path, path)
    except OSError as error:
        raise unwritable(path, error) from None
    if not os.access(deepest, os.W_OK | os.X_OK):
        shown = deepest.relative_to(root).as_posix()
        raise InputError(
            "unwritable",
            f"`{path}` cannot be written: `{shown}` may not be written to",
            _PERMISSION,
            path=path,
        )


def _is_folder(folder: Path, shown: str) -> bool:
    """Whether a folder is there; a link or a file in its place is refused."""
    try:
        mode = folder.lstat().st_mode
    except FileNotFoundError:
        return False
    if stat.S_ISLNK(mode):
        raise InputError(
            "unwritable", f"`{shown}` is a link, and files are not written through links", _PLAIN, path=shown
        )
    if not stat.S_ISDIR(mode):
        raise InputError("unwritable", f"`{shown}` is not a folder", _PLAIN, path=shown)
    return True


def _refuse_file(file: Path, path: str) -> None:
    try:
        mode = file.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        message = f"`{path}` is a link, and files are not written through links"
        raise InputError("unwritable", message, _PLAIN, path=path)
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise InputError("unwritable", f"`{path}` is {what}", "move it away, or name another file", path=path)
    if not os.access(file, os.W_OK):
        raise InputError("unwritable", f"`{path}` may not be written", _PERMISSION, path=path)


_PERMISSION = "check the permissions of the file and of its folder"
_PLAIN = "let plain files and folders of the repository stand there"
