"""The records beside evidence, and what has changed since they were written: each file is looked at once."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.files import PROVENANCE_SUFFIX, expand
from stilltrue.globs import is_glob
from stilltrue.model import Code, Provenance

if TYPE_CHECKING:
    from stilltrue.provenance import Change, Current


class Bad(NamedTuple):
    """A record that cannot be read, and why."""

    code: str
    message: str
    hint: str


class Records:
    """The records of one check.

    Args:
        config: The project.
        trail: Told what was looked at.
    """

    def __init__(self, config: Config, trail: Trail) -> None:
        self._config = config
        self._trail = trail
        self._records: dict[str, Provenance] = {}
        self._bad: dict[str, Bad] = {}
        self._absent: set[str] = set()
        self._changes: dict[str, tuple[Change, ...]] = {}
        self._inputs: dict[str, tuple[str, ...]] = {}
        self._now: Current | None = None
        self._differing: frozenset[str] | None = None

    def look_up(self, paths: Iterable[str]) -> None:
        """Read the record beside each of some evidence files, where there is one."""
        root = str(self._config.root)
        for path in paths:
            name = path + PROVENANCE_SUFFIX
            self._trail.files.add(name)
            # A Path for each of thousands of files costs more than the look.
            if os.path.lexists(os.path.join(root, name)):  # noqa: PTH118
                self._read(path)
            else:
                self._absent.add(path)

    def of(self, path: str) -> Provenance | None:
        """The record beside an evidence file; None where there is none, or none that can be read."""
        return self._records.get(path)

    def bad(self, path: str) -> Bad | None:
        """Why the record beside an evidence file cannot be read; None where nothing is wrong with it."""
        return self._bad.get(path)

    def lacks(self, path: str) -> bool:
        """Whether there is no record beside an evidence file."""
        return path in self._absent

    def changes(self, path: str) -> tuple[Change, ...]:
        """What has changed since an evidence file was recorded; nothing where it has no record."""
        if path not in self._records:
            return ()
        if path not in self._changes:
            # Imported only where there is a record: this takes hashes and a parser.
            from stilltrue.provenance import changes  # noqa: PLC0415

            self._changes[path] = changes(self._records[path], path, self._current())
        return self._changes[path]

    def _read(self, path: str) -> None:
        from stilltrue.provenance import read  # noqa: PLC0415  # as in `changes`

        try:
            record = read(self._config.root, path)
        except InputError as error:
            self._bad[path] = Bad(error.code, error.message, error.hint)
            return
        if record is None:
            self._absent.add(path)
            return
        self._records[path] = record
        self._trail.files.update(code.path for code in record.code)
        self._trail.files.update(file.path for file in record.inputs)

    def _current(self) -> Current:
        if self._now is None:
            from stilltrue.provenance import Current  # noqa: PLC0415  # as in `changes`

            self._now = Current(
                self._config.root,
                code_of=self._code_of,
                uncommitted=self._uncommitted,
                declared=self._declared,
            )
        return self._now

    def _code_of(self, path: str, script: bool) -> Code:
        from stilltrue.probes import code_of  # noqa: PLC0415  # only code whose bytes differ is parsed

        return code_of(self._config.root, path, script=script)

    def _declared(self, probe: str) -> tuple[str, ...]:
        """The inputs that a probe's header names now; none where it cannot be read: its change says so."""
        if probe not in self._inputs:
            from stilltrue.probes import read_header  # noqa: PLC0415  # as in `changes`
            from stilltrue.probes.digest import input_paths  # noqa: PLC0415

            try:
                header = read_header(self._config.root, probe, self._config.evidence)
                self._inputs[probe] = input_paths(self._config.root, header)
                globs = {read: expand(self._config.root, read) for read in header.reads if is_glob(read)}
            except InputError:
                self._inputs[probe], globs = (), {}
            self._trail.globs.update(globs)
        return self._inputs[probe]

    def _uncommitted(self, paths: tuple[str, ...]) -> frozenset[str]:
        """What git's HEAD holds otherwise, asked once for all records; nothing where it cannot tell.

        A file that HEAD does not know at all goes into the same commit as the evidence; one that is left
        behind is gone for everybody else, which is told there.
        """
        del paths
        if self._differing is None:
            from stilltrue.git import changed, committed, head  # noqa: PLC0415  # few records need it

            root = self._config.root
            self._trail.head = head(root)
            everything = sorted({path for record in self._records.values() for path in record.changed})
            self._differing = frozenset(committed(root, changed(root, everything) or ()))
        return self._differing
