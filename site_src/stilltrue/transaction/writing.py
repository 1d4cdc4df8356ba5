"""The transaction itself, and what is done about one that was cut short."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.transaction.journal import PREFIX, Journal, Step, digest_of, force
from stilltrue.transaction.locks import waited_for
from stilltrue.transaction.targets import refuse_unwritable
from stilltrue.workspace import FOLDER, unwritable, workspace

_FOLDER = "pending"
_LOCK = "writing"
_NEW = ".tmp"
"""How the name of a journal ends until it is written whole."""


def write_all(root: Path, writes: Mapping[str, bytes | Path]) -> None:
    """Write several files, or none of them.

    Args:
        root: The project's root, resolved.
        writes: What each file, named from the root, is to hold: bytes, or what another file holds. Folders
            are made; a file that is replaced keeps its permissions.

    Raises:
        InputError: `unwritable`: one cannot be written; then all are as they were. `unfinished`: an earlier
            transaction was cut short and cannot be finished, or this one could not.
    """
    with waited_for(root, _LOCK), _signals_held_back():
        _recover(root)
        for path in writes:
            refuse_unwritable(root, path)
        _Transaction(root, writes).commit()


def recover(root: Path) -> None:
    """Finish, or undo, what a killed transaction left.

    Raises:
        InputError: `unfinished`: it cannot be finished.
    """
    if unfinished(root):
        with waited_for(root, _LOCK), _signals_held_back():
            _recover(root)


def unfinished(root: Path) -> str:
    """The journal of a transaction that was cut short, or is under way; empty where there is none."""
    found = _journals(root)
    return found[0].relative_to(root).as_posix() if found else ""


class _Transaction:
    """One transaction, from the first new file to the last rename."""

    def __init__(self, root: Path, writes: Mapping[str, bytes | Path]) -> None:
        token = secrets.token_hex(8)
        self._root = root
        self._writes = writes
        self._file = workspace(root, _FOLDER) / f"{token}.json"
        try:
            steps = tuple(self._planned(path, f"{token}-{at}") for at, path in enumerate(writes))
        except OSError as error:
            raise unwritable(next(iter(writes)), error) from None
        self._journal = Journal(final=False, steps=steps, folders=_missing(root, writes))

    def commit(self) -> None:
        """Write, then rename; what fails before the first rename leaves everything as it was."""
        try:
            steps = self._prepared()
        except BaseException as error:
            self._clear()
            if isinstance(error, OSError):
                raise unwritable(self._named(error), error) from None
            raise
        self._journal = replace(self._journal, final=True, steps=steps)
        try:
            _keep(self._file, self._journal)
        except OSError as error:
            self._clear()
            raise unwritable(self._file.relative_to(self._root).as_posix(), error) from None
        _finish(self._root, self._file, self._journal)

    def _clear(self) -> None:
        _undo(self._root, self._journal)
        self._file.unlink(missing_ok=True)
        self._file.with_suffix(_NEW).unlink(missing_ok=True)

    def _planned(self, path: str, token: str) -> Step:
        folder, slash, _ = path.rpartition("/")
        return Step(path, f"{folder}{slash}{PREFIX}{token}", digest_of(self._root / path))

    def _prepared(self) -> tuple[Step, ...]:
        """Write the new files, and force them to the disk."""
        _keep(self._file, self._journal)
        for made in self._journal.folders:
            (self._root / made).mkdir()
        steps = tuple(
            self._written(step, content)
            for step, content in zip(self._journal.steps, self._writes.values(), strict=True)
        )
        for folder in _folders_of(self._root, steps):
            force(folder)
        return steps

    def _written(self, step: Step, content: bytes | Path) -> Step:
        new = self._root / step.temporary
        file = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o666)
        with os.fdopen(file, "wb") as stream:
            if isinstance(content, Path):
                with content.open("rb") as source:
                    shutil.copyfileobj(source, stream)
            else:
                stream.write(content)
            if step.before:
                os.fchmod(file, (self._root / step.target).stat().st_mode & 0o777)
            stream.flush()
            os.fsync(file)
        return replace(step, after=digest_of(new))

    def _named(self, error: OSError) -> str:
        """The target that an error is about, as far as it says."""
        for step in self._journal.steps:
            if error.filename and str(error.filename) == str(self._root / step.temporary):
                return step.target
        return self._journal.steps[0].target


def _keep(file: Path, journal: Journal) -> None:
    """Write a journal whole, or not at all."""
    new = file.with_suffix(_NEW)
    with new.open("w", encoding="utf-8") as stream:
        stream.write(journal.to_json())
        stream.flush()
        os.fsync(stream.fileno())
    new.replace(file)
    force(file.parent)


def _finish(root: Path, file: Path, journal: Journal) -> None:
    """Rename what has not been renamed, and close the journal."""
    for step in journal.steps:
        new = root / step.temporary
        try:
            if os.path.lexists(new):
                new.replace(root / step.target)
        except OSError as error:
            reason = unwritable(step.target, error)
            shown = file.relative_to(root).as_posix()
            raise InputError(
                "unfinished",
                f"{reason.message}, after other files of the same run were",
                f"mend that and do it again, which finishes it; `{shown}` lists the files",
            ) from None
    for folder in _folders_of(root, journal.steps):
        force(folder)
    file.unlink(missing_ok=True)


def _undo(root: Path, journal: Journal) -> None:
    """Clear away new files that did not take their places, and the folders made for them.

    What lies behind a link is left alone: a journal may have come with the project.
    """
    for step in journal.steps:
        with suppress(OSError):
            _plain(root, step.temporary).unlink()
    for folder in reversed(journal.folders):
        with suppress(OSError):  # not empty: somebody uses it
            _plain(root, folder).rmdir()


def _plain(root: Path, path: str) -> Path:
    """A path that leads through no link.

    Raises:
        NotADirectoryError: It does.
    """
    folder = (root / path).parent
    if os.path.realpath(folder) != str(folder):
        raise NotADirectoryError(path)
    return root / path


# What was cut short ------------------------------------------------------------------------------------


def _recover(root: Path) -> None:
    for file in _journals(root):
        try:
            journal = Journal.read(file)
            if journal is not None and _is_ours(root, journal):
                _finish(root, file, journal)
            elif journal is not None:
                _undo(root, journal)
            file.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(file.relative_to(root).as_posix(), error) from None
    for half in (root / FOLDER / _FOLDER).glob(f"*{_NEW}"):
        half.unlink(missing_ok=True)


def _is_ours(root: Path, journal: Journal) -> bool:
    """Whether every file is as the transaction left it; what somebody touched since is theirs."""
    return journal.final and all(_is_as_left(root, step) for step in journal.steps)


def _is_as_left(root: Path, step: Step) -> bool:
    try:
        refuse_unwritable(root, step.target)
        refuse_unwritable(root, step.temporary)
    except InputError:
        return False
    new, now = digest_of(root / step.temporary), digest_of(root / step.target)
    return (new, now) in ((step.after, step.before), ("", step.after))


def _journals(root: Path) -> list[Path]:
    """The journals there are; none where the folder is a link."""
    folder = root / FOLDER / _FOLDER
    if (root / FOLDER).is_symlink() or folder.is_symlink():
        return []
    try:
        return sorted(Path(entry) for entry in os.scandir(folder) if entry.name.endswith(".json"))
    except OSError:
        return []


# Small things ------------------------------------------------------------------------------------------


def _missing(root: Path, paths: Iterable[str]) -> tuple[str, ...]:
    """The folders on the way to some files that are not there, outer ones first."""
    found: dict[str, None] = {}
    for path in paths:
        parts = path.split("/")[:-1]
        for number in range(1, len(parts) + 1):
            folder = "/".join(parts[:number])
            if not (root / folder).exists():
                found[folder] = None
    return tuple(found)


def _folders_of(root: Path, steps: Iterable[Step]) -> set[Path]:
    return {(root / step.target).parent for step in steps}


@contextmanager
def _signals_held_back() -> Iterator[None]:
    """Let no signal in between that can wait."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM, signal.SIGHUP})
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
