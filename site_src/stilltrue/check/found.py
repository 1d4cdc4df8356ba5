"""What a claim's own evidence comes to: read, and for named reads derived."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from stilltrue.check.outcome import operand_of_read
from stilltrue.derive import evaluate, parse
from stilltrue.errors import InputError
from stilltrue.model import EvidenceSource, Found, Read, Reading, Spread, Taken
from stilltrue.quantity import Form, Stated, Units

_ALL_READINGS = (Form.RANGE, Form.SPREAD)
"""The forms that look at all readings instead of taking one."""


class Evidence(Protocol):
    """What gives readings: the `Library`, or one that alters what a library gives."""

    def take(self, patterns: tuple[str, ...], read: Read) -> Taken:
        """What a read comes to; as `Library.take`."""

    def spread(self, patterns: tuple[str, ...], read: Read) -> Spread:
        """All readings of a read; as `Library.spread`."""


class Outcome(NamedTuple):
    """What was found, the readings it came from, and what the readers noted."""

    found: Found
    readings: tuple[Reading, ...]
    notes: tuple[str, ...]


def looks_at_all(stated: Stated) -> bool:
    """Whether a value states something of all readings, instead of one that is taken from them."""
    return stated.form in _ALL_READINGS


def found_in(evidence: Evidence, source: EvidenceSource, stated: Stated, units: Units) -> Outcome:
    """What the evidence of a claim that states `stated` comes to.

    Raises:
        InputError: Nothing can be read there, or derived from what was read.
    """
    if source.derive:
        return _by_reads(evidence, source, units)
    ((_, read),) = source.reads
    if looks_at_all(stated):
        spread = evidence.spread(source.patterns, read)
        found = Found(spread.low, spread.high, spread=(spread.mean, spread.std))
        return Outcome(found, spread.readings, spread.notes)
    taken = evidence.take(source.patterns, read)
    return Outcome(Found(taken.value, taken.value, taken.rounds), taken.readings, taken.notes)


def _by_reads(evidence: Evidence, source: EvidenceSource, units: Units) -> Outcome:
    """Several named reads, and what `derive` makes of them."""
    names = [name for name, _ in source.reads]
    expression = parse(source.derive, units, names)
    unused = [name for name in names if name not in expression.operands]
    if unused:
        raise InputError(
            "bad-derive", f"`derive` does not use the read `{unused[0]}`", "use it, or remove that read"
        )
    taken = {name: evidence.take(source.patterns, read) for name, read in source.reads}
    operands = {name: operand_of_read(name, outcome) for name, outcome in taken.items()}
    readings = tuple(r for outcome in taken.values() for r in outcome.readings)
    notes = tuple(n for outcome in taken.values() for n in outcome.notes)
    return Outcome(evaluate(expression, operands), readings, notes)
