"""Which probes stand behind claims, by the records of their evidence, else as their authors name them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from stilltrue.derive import parse
from stilltrue.errors import InputError
from stilltrue.model import DeriveSource, Judgement, Report
from stilltrue.quantity import Units

_NO_PROBE = frozenset({"no-header", "no-file", "bad-path"})
"""What is wrong with the `probe` of a claim that only says where its figure came from."""


class Call(NamedTuple):
    """A script and its arguments."""

    path: str
    arguments: tuple[str, ...]


class Behind:
    """The probes behind the claims of a whole report.

    Args:
        report: A check of the whole project.
        units: The known units.

    Attributes:
        judgements: The judgements by id.
        files: The evidence files that each probe wrote, in the order of the claims.
        recorded: The probes that a record names; the others only a claim's `probe` does.
    """

    def __init__(self, report: Report, units: Units) -> None:
        self._units = units
        self._report = report
        self.judgements = {judgement.claim.id: judgement for judgement in report.judgements}
        self.files: dict[Call, dict[str, None]] = {}
        self.recorded: set[Call] = set()
        for judgement in report.judgements:
            for call, path in self._of(judgement):
                self.files.setdefault(call, {})[path] = None

    def of(self, name: str) -> set[Call]:
        """The probes of one claim's own evidence."""
        return {call for call, _ in self._of(self.judgements[name])}

    def of_all(self, names: Iterable[str]) -> set[Call]:
        """The probes behind claims, and behind all that they are derived from."""
        return {call for name in self._with_operands(names) for call in self.of(name)}

    def is_no_probe(self, call: Call, error: InputError) -> bool:
        """Whether the header of a script cannot be read because it never was a probe."""
        return call not in self.recorded and error.code in _NO_PROBE

    def _with_operands(self, names: Iterable[str]) -> Iterator[str]:
        """Claims, and all that they are derived from, each once."""
        waiting = [name for name in names if name in self.judgements]
        seen = set(waiting)
        while waiting:
            name = waiting.pop()
            yield name
            fresh = [each for each in self._operands(name) if each in self.judgements and each not in seen]
            seen.update(fresh)
            waiting += fresh

    def _operands(self, name: str) -> tuple[str, ...]:
        source = self.judgements[name].claim.source
        if not isinstance(source, DeriveSource):
            return ()
        try:
            return parse(source.derive, self._units).operands
        except InputError:
            return ()

    def _of(self, judgement: Judgement) -> Iterator[tuple[Call, str]]:
        """Each evidence file of a claim with the probe that wrote it, as far as one is known."""
        records = dict(self._report.records(judgement))
        for path in judgement.files:
            record = records.get(path)
            if record is None:
                if judgement.claim.probe:
                    yield Call(judgement.claim.probe, ()), path
            elif record.probe:
                call = Call(record.probe, record.argv)
                self.recorded.add(call)
                yield call, path
