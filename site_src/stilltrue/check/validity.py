"""Whether a claim is past its limits: its last day, and the versions of packages that it is valid with."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from stilltrue.check.faults import Fault
from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.locks import USUAL, Lock, find_locks, read_lock
from stilltrue.model import Claim, Place, Problem, Provenance, Verdict
from stilltrue.requirements import normal
from stilltrue.wording import counted

NOTICE = datetime.timedelta(days=30)
"""How long before its last day a claim's end is announced."""


class _Known(NamedTuple):
    """A version that is known, and the clause that says from where."""

    version: str
    source: str


class Validity:
    """Holds claims against the day and against versions; lock files are read once, and only if asked for.

    Args:
        config: The project.
        today: The day, in UTC.
        trail: Told which lock files were looked at.
    """

    def __init__(self, config: Config, today: datetime.date, trail: Trail) -> None:
        self._config = config
        self._today = today
        self._trail = trail
        self._locks: list[Lock] | None = None
        self._about: list[str] = []
        self._wrong: list[Problem] = []

    def faults(self, claim: Claim, records: Iterable[tuple[str, Provenance]]) -> Iterator[Fault]:
        """Why a claim is stale: one fault for each limit that it is past.

        Args:
            claim: The claim.
            records: The evidence files that it rests on, each with its record.
        """
        if claim.valid is None:
            return
        if claim.valid.until and self._today > self._last(claim):
            hint = "measure it again and move `valid.until`, or supersede it"
            yield _stale("past-until", f"it was valid until {claim.valid.until}", hint)
        if claim.valid.versions:
            self._about.append(claim.id)
            known = [_versions_in(path, record) for path, record in records]
            known += [_versions_of(lock) for lock in self._read_locks()]
            for package, specifier in claim.valid.versions:
                versions = [each for some in known for each in some.get(package, ())]
                yield from _outside(package, specifier, versions)
                if not versions and not self._wrong:  # else a lock file that cannot be read is the problem
                    yield _unknown(package)

    def ending(self, claim: Claim) -> Problem | None:
        """A warning that a claim's last day is near; None where it is not, or is over."""
        if claim.valid is None or not claim.valid.until:
            return None
        left = self._last(claim) - self._today
        if left < datetime.timedelta(0) or left > NOTICE:
            return None
        when = f"in {counted(left.days, 'day')}" if left.days else "today"
        place = Place(claim.block.path, claim.lines.get("valid.until", claim.block.line))
        message = f"`{claim.id}` is valid until {claim.valid.until}, which is {when}"
        hint = "measure it again and move `valid.until`, or supersede it"
        return Problem("ends-soon", place, message, hint, about=(claim.id,))

    def problems(self) -> list[Problem]:
        """What was wrong with lock files that were asked for."""
        about = tuple(self._about)
        return [Problem(p.code, p.place, p.message, p.hint, about=about) for p in self._wrong]

    def _last(self, claim: Claim) -> datetime.date:
        return datetime.date.fromisoformat(claim.valid.until) if claim.valid else datetime.date.max

    def _read_locks(self) -> list[Lock]:
        if self._locks is None:
            self._locks = []
            named = self._config.locks
            self._trail.files.update(USUAL if named is None else named)
            for path in find_locks(self._config.root, named):
                try:
                    lock = read_lock(self._config.root, path)
                except InputError as error:
                    place = Place(error.path or path, error.line)
                    self._wrong.append(Problem(error.code, place, error.message, error.hint))
                    continue
                self._trail.files.update(lock.files)
                self._locks.append(lock)
        return self._locks


def _stale(code: str, message: str, hint: str) -> Fault:
    return Fault(Verdict.STALE, code, message, hint)


def _versions_in(path: str, record: Provenance) -> Mapping[str, tuple[_Known, ...]]:
    """What a record says of versions; that of the interpreter is `python`'s."""
    source = f"`{path}` was taken with"
    found = {normal(name): (_Known(version, source),) for name, version in record.packages}
    if record.interpreter:
        found["python"] = (_Known(record.interpreter.rpartition(" ")[2], source),)
    return found


def _versions_of(lock: Lock) -> Mapping[str, tuple[_Known, ...]]:
    source = f"`{lock.path}` pins"
    return {name: tuple(_Known(each, source) for each in versions) for name, versions in lock.pins.items()}


def _unknown(package: str) -> Fault:
    message = f"nothing says which `{package}` it was taken with: no record and no lock file names it"
    return _stale("no-version", message, f"name the lock file under `locks`, or leave `{package}` out")


def _outside(package: str, specifier: str, versions: Iterable[_Known]) -> Iterator[Fault]:
    """Each known version of a package that is not among those named."""
    # Imported only where a claim names versions.
    from packaging.specifiers import SpecifierSet  # noqa: PLC0415

    for version, source in versions:
        try:
            fits = SpecifierSet(specifier).contains(version, prereleases=True)
        except ValueError:  # no version, or one of thousands of digits
            fits = False
        if not fits:
            message = f"{source} `{package}` {version}, which is not `{specifier}`"
            hint = "measure it with such a version, or move `valid.with` once it is known to hold"
            yield _stale("other-version", message, hint)
