"""Reaching files: every path resolves, links followed, to a regular file inside the repository."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.globs import ANY_FOLDERS, is_glob, name_matcher, steps

PROVENANCE_SUFFIX = ".provenance.json"
"""What ends the name of a provenance record; such files are never evidence."""

LONGEST_PATH = 4096
"""How many bytes a path may have: systems allow no more, and each part of it is looked at."""

MOST_ENTRIES = 1_000_000
"""How many files and folders a glob may look at."""


def join(base: str, path: str) -> str:
    """A path as written, from the repository's root: `./x` lies beside the file whose folder is `base`.

    Args:
        base: The folder of the file that names the path, from the root with `/`; empty for the root.
        path: The path as written.

    Raises:
        InputError: The path is empty, absolute, too long, holds a NUL or a backslash, leads out by `..`, or
            into git's own folder, which holds credentials on many machines.
    """
    if not path or "\0" in path or not _is_name(path):
        shown = path if len(path) <= _SHOWN else f"{path[:_SHOWN]}…"
        raise InputError("bad-path", f"`{shown}` is no path", "name a file inside the repository")
    if "://" in path:
        raise InputError(
            "bad-path",
            f"`{path}` is an address, and evidence is a file in the repository",
            "keep a copy of the file, or quote it: `reported: {by: …, url: …}`",
        )
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
        raise InputError("bad-path", f"`{path}` is a folder", _IN_A_FOLDER)
    if any(part.lower() == _GIT for part in parts):
        raise _in_git(path)
    return "/".join(parts)


def _is_name(path: str) -> bool:
    """Whether the system can have such a path."""
    try:
        return len(os.fsencode(path)) <= LONGEST_PATH
    except UnicodeEncodeError:
        return False


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
        raise _out_by_link(path)
    if f"{os.sep}{_GIT}{os.sep}" in real[len(str(root)) :]:
        raise _in_git(path)
    try:
        mode = os.stat(real).st_mode  # noqa: PTH116  # a Path here costs more than the call
    except FileNotFoundError:
        raise InputError("no-file", f"there is no file `{path}`", _near(root, path)) from None
    except OSError as error:
        raise InputError("unreadable", f"`{path}` cannot be reached: {error.strerror}", _PERMISSION) from None
    if not stat.S_ISREG(mode):
        if stat.S_ISDIR(mode):
            raise InputError("bad-path", f"`{path}` is a folder", _IN_A_FOLDER)
        raise InputError("bad-path", f"`{path}` is not a regular file", "name a regular file")
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
        raise _too_large(path, limit)
    return data


def size_of(root: Path, path: str) -> int:
    """The bytes that a file inside the repository has on disk; raises as `resolve`."""
    try:
        return resolve(root, path).stat().st_size
    except OSError as error:
        raise InputError("unreadable", f"`{path}` cannot be read: {error.strerror}", _PERMISSION) from None


def read_pieces(root: Path, path: str, limit: int, size: int) -> Iterator[bytes]:
    """The bytes of a file inside the repository, in pieces of `size` bytes; raises as `read_bytes`."""
    real = resolve(root, path)
    left = limit
    try:
        with real.open("rb") as file:
            while piece := file.read(size):
                left -= len(piece)
                if left < 0:
                    raise _too_large(path, limit)
                yield piece
    except OSError as error:
        raise InputError("unreadable", f"`{path}` cannot be read: {error.strerror}", _PERMISSION) from None


def expand(root: Path, pattern: str) -> tuple[str, ...]:
    """The files that a path or a glob names, sorted, provenance records left out.

    A plain path comes back as it is, whether or not the file is there; a glob that matches nothing is empty.
    Signs match no hidden name; `**` enters no link, other signs none that leads out of the repository.

    Raises:
        InputError: `bad-path`: a plain path names a provenance record, a folder of the glob leads out of the
            repository through a link, or there is too much to look through.
    """
    if not is_glob(pattern):
        if pattern.endswith(PROVENANCE_SUFFIX):
            raise InputError(
                "bad-path",
                f"`{pattern}` is a record of provenance, which is no evidence",
                "name the file that it stands beside",
            )
        return (pattern,)
    found = _Search(root, pattern).files()
    return tuple(sorted(name for name in found if not name.endswith(PROVENANCE_SUFFIX)))


class _Search:
    """Walks the folders that a glob names, one step of it after the other, each folder once a step."""

    def __init__(self, root: Path, pattern: str) -> None:
        self.root = str(root)
        self.pattern = pattern
        self.left = MOST_ENTRIES

    def files(self) -> set[str]:
        """All files that the glob names, from the root."""
        *before, last = steps(self.pattern)
        folders = {""}
        for step in before:
            folders = {inner for folder in folders for inner in self._folders(folder, step)}
        if is_glob(last):
            entries = (entry for folder in folders for entry in self._matching(folder, last))
            return {name for name, entry in entries if not _is_dir(entry)}
        names = {folder + last for folder in folders}
        return {name for name in names if os.path.lexists(self._at(name)) and not self._is_folder(name)}

    def _folders(self, folder: str, step: str) -> Iterator[str]:
        """The folders that one step leads to from a folder; all names of folders end in `/`."""
        if step == ANY_FOLDERS:
            yield from self._below(folder)
        elif is_glob(step):
            for name, entry in self._matching(folder, step):
                if _is_dir(entry) and (not entry.is_symlink() or self._inside(name)):
                    yield f"{name}/"
        elif self._is_folder(folder + step):
            if not self._inside(folder + step):
                raise _out_by_link(self.pattern)
            yield f"{folder}{step}/"

    def _below(self, folder: str) -> Iterator[str]:
        waiting = [folder]
        while waiting:
            current = waiting.pop()
            yield current
            for name, entry in self._matching(current, "*"):
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(f"{name}/")

    def _matching(self, folder: str, step: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """What a folder holds whose name matches; hidden names only where the step begins with a dot."""
        try:
            entries = list(os.scandir(self._at(folder)))
        except OSError:
            return
        self.left -= len(entries) + sum(_LINK_COST for entry in entries if entry.is_symlink())
        if self.left < 0:
            raise InputError(
                "bad-path",
                f"`{self.pattern}` looks through more than {MOST_ENTRIES:,} files",
                "begin the glob with the folder that is meant",
            )
        fits = name_matcher(step)
        for entry in entries:
            if (step[0] == "." or entry.name[0] != ".") and fits(entry.name):
                yield folder + entry.name, entry

    def _at(self, name: str) -> str:
        return os.path.join(self.root, name)  # noqa: PTH118  # a Path for every name costs more than the search

    def _is_folder(self, name: str) -> bool:
        return os.path.isdir(self._at(name))  # noqa: PTH112  # as in `_at`

    def _inside(self, name: str) -> bool:
        real = os.path.realpath(self._at(name))
        return real == self.root or _within(real, self.root)


def _is_dir(entry: os.DirEntry[str]) -> bool:
    """Whether it is a folder, or a link to one; a link that leads round in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


_LINK_COST = 20
"""How many files a link counts for: following it takes a look at every folder on its way."""


def claims_files(root: Path, folder: str) -> tuple[str, ...]:
    """The claims files in a folder, sorted; what lies below it is evidence."""
    try:
        entries = list(os.scandir(root / folder))
    except OSError:
        return ()
    return tuple(sorted(f"{folder}/{e.name}" for e in entries if e.name.endswith(_CLAIMS) and e.is_file()))


def is_claims_file(path: str, folder: str) -> bool:
    """Whether a path from the root would be that of a claims file in a folder."""
    return path.rpartition("/")[0] == folder and path.endswith(_CLAIMS)


_CLAIMS = (".yml", ".yaml")
_GIT = ".git"
_SHOWN = 60
_PERMISSION = "check the file's permissions"
_IN_A_FOLDER = "name a file in it; `evidence` takes a glob too"


def _within(real: str, root: str) -> bool:
    return real.startswith(root if root.endswith(os.sep) else root + os.sep)


def _too_large(path: str, limit: int) -> InputError:
    return InputError(
        "too-large",
        f"`{path}` is larger than {limit:,} bytes",
        "raise `limits.bytes` in the configuration if it should be read",
    )


def _out_by_link(path: str) -> InputError:
    return InputError(
        "bad-path",
        f"`{path}` leads out of the repository through a link",
        "copy the file into the repository",
    )


def _in_git(path: str) -> InputError:
    return InputError(
        "bad-path", f"`{path}` lies in git's own folder", "keep a copy of the file in the repository"
    )


def _near(root: Path, path: str) -> str:
    """What to do about a missing file: the nearest name in its folder, where there is one."""
    from unicodedata import normalize  # noqa: PLC0415  # only a failing check needs these

    from stilltrue.suggest import did_you_mean  # noqa: PLC0415

    folder, _, name = path.rpartition("/")
    try:
        names = [entry.name for entry in os.scandir(root / folder) if entry.is_file()]
    except OSError:
        return f"there is no folder `{folder}` either" if folder else "check the path"
    if normalize("NFC", name) in (normalize("NFC", each) for each in names):
        return "a file whose name looks the same has its accents in another form: copy its name from there"
    near = did_you_mean(name, names)
    return near or "check the path; it starts at the repository's root"
