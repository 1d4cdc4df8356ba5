"""Locks that end with the process that holds them: a killed one leaves none behind."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.workspace import unwritable, workspace

try:
    from fcntl import LOCK_EX, LOCK_NB, flock
except ImportError:  # Windows has no such module; what only reads comes this far there too
    _LOCKS = False
else:
    _LOCKS = True

_FOLDER = "locks"


@contextmanager
def held(root: Path, paths: Collection[str]) -> Iterator[None]:
    """Hold some files for this process alone, as long as the context lasts.

    Args:
        root: The project's root.
        paths: The files, from the root; they need not be there.

    Raises:
        InputError: `busy`: another process holds one of them. `unwritable`: the lock cannot be made.
    """
    folder = _folder(root)
    with ExitStack() as locks:
        for path in sorted(set(paths)):
            lock = folder / f"{hashlib.sha256(os.fsencode(path)).hexdigest()[:32]}.lock"
            locks.callback(os.close, _locked(lock, path))
        yield


@contextmanager
def waited_for(root: Path, name: str) -> Iterator[None]:
    """Hold a lock that everybody holds but for a moment, after as long as it takes."""
    lock = _folder(root) / f"{name}.lock"
    file = _locked(lock, lock.relative_to(root).as_posix(), wait=True)
    try:
        yield
    finally:
        os.close(file)


def _folder(root: Path) -> Path:
    """Where locks lie.

    Raises:
        InputError: `unwritable`: this system has none, so that two runs could write at once.
    """
    if not _LOCKS:
        raise InputError(
            "unwritable",
            "nothing can be written here: this system has no locks for files",
            "commands that only read work here; on Windows, write in WSL",
        )
    return workspace(root, _FOLDER)


def _locked(lock: Path, path: str, *, wait: bool = False) -> int:
    """The open and locked file of a lock, which closing it frees."""
    try:
        while True:
            file = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
            if _lock(file, path, wait=wait) and _is_at(file, lock):
                with suppress(OSError):  # who holds it is good to know, and no more
                    os.ftruncate(file, 0)
                    os.pwrite(file, f"{os.getpid()}\n".encode(), 0)
                return file
            os.close(file)  # somebody cleared the folder in between
    except OSError as error:
        raise unwritable(path, error) from None


def _lock(file: int, path: str, *, wait: bool) -> bool:
    try:
        flock(file, LOCK_EX if wait else LOCK_EX | LOCK_NB)
    except BlockingIOError:
        holder = os.pread(file, 20, 0).decode("ascii", "replace").strip()
        os.close(file)
        by = f" (process {holder})" if holder.isdigit() else ""
        raise InputError(
            "busy", f"another run is writing `{path}`{by}", "wait until it has ended, then do it again"
        ) from None
    except OSError:
        os.close(file)
        raise
    return True


def _is_at(file: int, lock: Path) -> bool:
    """Whether the locked file still has its name; another process would lock another file otherwise."""
    try:
        return os.path.samestat(os.fstat(file), lock.stat())
    except FileNotFoundError:
        return False
