"""What has changed since evidence was recorded: the evidence itself, its probe's code, the inputs."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from io import BufferedReader
from itertools import chain
from pathlib import Path
from typing import TypeVar

from stilltrue.errors import InputError
from stilltrue.files import resolve
from stilltrue.model import Accepted, Code, Digested, Provenance

_LOOKED_AT = 8_000
"""In so many first bytes git looks for a NUL, to tell binary files from text."""
_CHUNK = 1 << 20

_Seen = TypeVar("_Seen")


class Kind(StrEnum):
    """What it is that changed."""

    EVIDENCE = "evidence"
    CODE = "code"
    INPUT = "input"
    UNCOMMITTED = "uncommitted"


@dataclass(frozen=True, slots=True)
class Change:
    """One thing that is not as it was recorded.

    Attributes:
        path: The file, from the repository's root.
        before: Its digest in the record; for what is not committed, the commit that lacks it.
        after: Its digest now; empty where the file is gone.
        kind: What the file is to the evidence.
    """

    path: str
    before: str
    after: str
    kind: Kind


class Current:
    """What the files that records name hold now; each is looked at once.

    Args:
        root: The repository's root, resolved.
        code_of: The digests of a file of code from its path and whether it is the probe itself; raises an
            `InputError` where it cannot be read. Asked only when its bytes are not those of the record.
        uncommitted: Which of some paths HEAD holds otherwise than they are.
        declared: The inputs that a probe, by its path, declares now: a further one is a change too.
    """

    def __init__(
        self,
        root: Path,
        *,
        code_of: Callable[[str, bool], Code],
        uncommitted: Callable[[tuple[str, ...]], Collection[str]],
        declared: Callable[[str], Iterable[str]] = lambda _probe: (),
    ) -> None:
        self._root = root
        self._code_of = code_of
        self.uncommitted = uncommitted
        self.declared = declared
        self._plain: dict[str, str] = {}
        self._texts: dict[str, tuple[str, ...]] = {}
        self._codes: dict[tuple[str, bool], str] = {}

    def sha256(self, path: str) -> str:
        """The digest of a file's bytes; empty where there is no such file."""
        if path not in self._plain:
            self._plain[path] = self._look(path, _whole, "")
        return self._plain[path]

    def as_text(self, path: str) -> tuple[str, ...]:
        """The digests of a text with LF and with CRLF line ends; empty where it is no text or not there."""
        if path not in self._texts:
            self._texts[path] = self._look(path, _line_ends, ())
        return self._texts[path]

    def code(self, path: str, *, script: bool) -> str:
        """The digest of what a file of code does; empty where it is gone."""
        key = (path, script)
        if key not in self._codes:
            try:
                self._codes[key] = self._code_of(path, script).digest if self._is_there(path) else ""
            except InputError:
                self._codes[key] = ""
        return self._codes[key]

    def _look(self, path: str, make: Callable[[BufferedReader], _Seen], gone: _Seen) -> _Seen:
        """What is made of a file's bytes, which may be more than fit into memory; `gone` without a file."""
        if not self._is_there(path):
            return gone
        try:
            with resolve(self._root, path).open("rb") as file:
                return make(file)
        except (InputError, OSError):
            return gone

    def _is_there(self, path: str) -> bool:
        """Asked first: an error looks for a name that is near, and a record may name thousands of files."""
        return os.path.lexists(os.path.join(self._root, path))  # noqa: PTH118  # a Path for each costs more


def changes(provenance: Provenance, path: str, current: Current) -> tuple[Change, ...]:
    """What has changed since an evidence file was recorded, whether or not somebody accepted it.

    Args:
        provenance: The record beside the file.
        path: The evidence file, from the root.
        current: What the files hold now.

    Returns:
        The file itself first, then code, inputs, and what is still not committed.
    """
    found = [*_edited(provenance, path, current), *_code(provenance, current), *_inputs(provenance, current)]
    known = {change.path for change in found}
    return (*found, *_uncommitted(provenance, known, current))


def standing(found: Iterable[Change], accepted: Iterable[Accepted], claim: str) -> tuple[Change, ...]:
    """The changes that nobody accepted for a claim.

    Args:
        found: From `changes`.
        accepted: What the record says was accepted.
        claim: The claim's id.
    """
    cleared = {(each.path, each.after) for each in accepted if each.claim == claim}
    return tuple(change for change in found if (change.path, change.after) not in cleared)


def _edited(provenance: Provenance, path: str, current: Current) -> Iterator[Change]:
    now = current.sha256(path)
    subject = _subject(provenance, path, now)
    if now != subject:
        yield Change(path, subject, now, Kind.EVIDENCE)


def _subject(provenance: Provenance, path: str, now: str) -> str:
    """What the record says a file's digest was; one that was moved with its record is known by its digest."""
    digests = {subject.path: subject.sha256 for subject in provenance.subjects}
    if path in digests:
        return digests[path]
    if now in digests.values():
        return now
    name = path.rpartition("/")[2]
    same = (sha256 for subject, sha256 in digests.items() if subject.rpartition("/")[2] == name)
    return next(same, provenance.subjects[0].sha256)


def _code(provenance: Provenance, current: Current) -> Iterator[Change]:
    for number, code in enumerate(provenance.code):
        if code.sha256 in current.as_text(code.path):
            continue
        now = current.code(code.path, script=number == 0)
        if now != code.digest:
            yield Change(code.path, code.digest, now, Kind.CODE)


def _inputs(provenance: Provenance, current: Current) -> Iterator[Change]:
    for file in provenance.inputs:
        if not _same(file, current):
            yield Change(file.path, file.sha256, current.sha256(file.path), Kind.INPUT)
    if provenance.inputs and provenance.code:
        known = {file.path for file in provenance.inputs}
        for path in current.declared(provenance.probe):
            if path not in known:
                yield Change(path, "", current.sha256(path), Kind.INPUT)


def _same(file: Digested, current: Current) -> bool:
    """Whether an input is as it was; git may have checked a text out with other line ends."""
    return file.sha256 == current.sha256(file.path) or file.sha256 in current.as_text(file.path)


def _uncommitted(provenance: Provenance, known: Collection[str], current: Current) -> Iterator[Change]:
    """What the evidence was taken with and HEAD holds otherwise; what changed again is known already."""
    left = tuple(path for path in provenance.changed if path not in known)
    if not left:
        return
    still = current.uncommitted(left)
    digests = {code.path: code.digest for code in provenance.code}
    for path in left:
        if path in still:
            yield Change(path, provenance.commit, digests.get(path) or current.sha256(path), Kind.UNCOMMITTED)


def _whole(file: BufferedReader) -> str:
    return hashlib.file_digest(file, "sha256").hexdigest()


def _line_ends(file: BufferedReader) -> tuple[str, ...]:
    """The digests of a text with LF and with CRLF line ends; none of what is no text."""
    first = file.read(_LOOKED_AT)
    if b"\0" in first:
        return ()
    unix, windows = hashlib.sha256(), hashlib.sha256()
    held = b""
    for chunk in chain((first,), iter(partial(file.read, _CHUNK), b"")):
        data = held + chunk
        held = b"\r" if data.endswith(b"\r") else b""
        plain = data.removesuffix(b"\r").replace(b"\r\n", b"\n")
        unix.update(plain)
        windows.update(plain.replace(b"\n", b"\r\n"))
    unix.update(held)
    windows.update(held)
    return unix.hexdigest(), windows.hexdigest()
