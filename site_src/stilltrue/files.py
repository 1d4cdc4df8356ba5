"""Reaching files: every path resolves, links followed, to a regular file inside the repository."""

from __future__ import annotations

import glob
import os
import stat
from pathlib import Path

from stilltrue.errors import InputError

PROVENANCE_SUFFIX = ".provenance.json"
"""What ends the name of a provenance record; such files are never evidence."""

_GLOB_SIGNS = frozenset("*?[")


def is_glob(pattern: str) -> bool:
    """Whether a path holds `*`, `?` or `[`."""
    return not _GLOB_SIGNS.isdisjoint(pattern)


def join(base: str, path: str) -> str:
    """A path as written, from the repository's root: `./x` lies beside the file whose folder is `base`.

    Args:
        base: The folder of the file that names the path, from the root with `/`; empty for the root.
        path: The path as written.

    Raises:
        InputError: The path is empty, absolute, holds a NUL or a backslash, or leads out by `..`.
    """
    if not path or "\0" in path:
        raise InputError("bad-path", f"`{path}` is no path", "name a file inside the repository")
    if path.startswith(("/", "~")) or (len(path) > 1 and path[1] == ":"):
        raise InputError(
            "bad-path", f"`{path}` is an absolute path", "name the file from the repository's root"
        )
    if "\\" in path:
        raise InputError("bad-path", f"`{path}` holds a backslash", "write paths with `/` on every system")
    whole = f"{base}/{path}" if path.startswith("./") and base else path
    parts: list[str] = []
    for part in whole.split("/"):
        if part in ("", "."):
            continue
        if part != "..":
            parts.append(part)
        elif parts:
            parts.pop()
        else:
            raise InputError(
                "bad-path", f"`{path}` leads out of the repository", "keep evidence inside the repository"
            )
    if not parts or whole.endswith("/"):
        raise InputError("bad-path", f"`{path}` is a folder", "name a file, or several with a glob")
    return "/".join(parts)


def resolve(root: Path, path: str) -> Path:
    """The real file of a path from the root.

    Args:
        root: The repository's root, itself resolved.
        path: From `join`.

    Raises:
        InputError: There is no such file, it leads out of the repository, or it is no regular file.
    """
    real = os.path.realpath(root / path)
    if not _within(real, str(root)):
        raise InputError(
            "bad-path",
            f"`{path}` leads out of the repository through a link",
            "copy the file into the repository",
        )
    try:
        mode = os.stat(real).st_mode  # noqa: PTH116  # a Path here costs more than the call
    except FileNotFoundError:
        raise InputError("no-file", f"there is no file `{path}`", _near(root, path)) from None
    except OSError as error:
        raise InputError("unreadable", f"`{path}` cannot be reached: {error.strerror}", _PERMISSION) from None
    if not stat.S_ISREG(mode):
        what = "a folder" if stat.S_ISDIR(mode) else "not a regular file"
        raise InputError("bad-path", f"`{path}` is {what}", "name one file, or several with a glob")
    return Path(real)


def read_bytes(root: Path, path: str, limit: int) -> bytes:
    """The bytes of a file inside the repository.

    Raises:
        InputError: As `resolve`; also when the file is larger than `limit` bytes or cannot be read.
    """
    real = resolve(root, path)
    try:
        with real.open("rb") as file:
            # A read sets aside what it is asked for, so the file's own size is asked for first.
            size = min(os.fstat(file.fileno()).st_size, limit) + 1
            data = file.read(size)
            if len(data) == size <= limit:
                data += file.read(limit + 1 - size)
    except OSError as error:
        raise InputError("unreadable", f"`{path}` cannot be read: {error.strerror}", _PERMISSION) from None
    if len(data) > limit:
        raise InputError(
            "too-large",
            f"`{path}` is larger than {limit:,} bytes",
            "raise `limits.bytes` in the configuration if it should be read",
        )
    return data


def expand(root: Path, pattern: str) -> tuple[str, ...]:
    """The files that a path or a glob names, sorted, provenance records left out.

    A plain path comes back as it is, whether or not the file is there; a glob that matches nothing is empty.

    Raises:
        InputError: `bad-path`: a plain path names a provenance record.
    """
    if not is_glob(pattern):
        if pattern.endswith(PROVENANCE_SUFFIX):
            raise InputError(
                "bad-path",
                f"`{pattern}` is a record of provenance, which is no evidence",
                "name the file that it stands beside",
            )
        return (pattern,)
    found = glob.glob(pattern, root_dir=root, recursive=True)  # noqa: PTH207  # Path.glob builds a Path a name
    named = (name.replace(os.sep, "/") for name in found)
    return tuple(sorted(n for n in named if not n.endswith(PROVENANCE_SUFFIX) and not (root / n).is_dir()))


def claims_files(root: Path, folder: str) -> tuple[str, ...]:
    """The claims files in a folder, sorted; what lies below it is evidence."""
    try:
        entries = list(os.scandir(root / folder))
    except OSError:
        return ()
    return tuple(sorted(f"{folder}/{e.name}" for e in entries if e.name.endswith(_CLAIMS) and e.is_file()))


_CLAIMS = (".yml", ".yaml")
_PERMISSION = "check the file's permissions"


def _within(real: str, root: str) -> bool:
    return real.startswith(root if root.endswith(os.sep) else root + os.sep)


def _near(root: Path, path: str) -> str:
    """What to do about a missing file: the nearest name in its folder, where there is one."""
    from stilltrue.suggest import did_you_mean  # noqa: PLC0415  # only a failing check needs it

    folder, _, name = path.rpartition("/")
    try:
        names = [entry.name for entry in os.scandir(root / folder) if entry.is_file()]
    except OSError:
        return f"there is no folder `{folder}` either" if folder else "check the path"
    near = did_you_mean(name, names)
    return near or "check the path; it starts at the repository's root"
