"""What to do about two sides that part, where the claim's own keys say more than the two values do."""

from __future__ import annotations

import re

from stilltrue.compare import SHARE, Agreement, agree
from stilltrue.model import Claim, EvidenceSource, Found, Read
from stilltrue.quantity import Quantity, Unit, Units, same_dimension

_LAST_KEY = re.compile(r"""(\w+)(?:['"]\])?\Z""")
"""The key at which a path ends."""

_PERCENT = frozenset({"%", "percent"})


def advice(claim: Claim, found: Found, agreement: Agreement) -> str:
    """The hint that the claim itself gives; empty where the two values say it all."""
    stated, value = claim.stated.unit, found.low
    if claim.stated_in and not stated.symbol:
        return _of_the_group(agreement)
    read = _only_read(claim)
    if read is None or not isinstance(value, Quantity):
        return ""
    if agreement.code == "unit-mismatch" and not value.unit.symbol:
        return _of_the_name(read, stated)
    is_percent = read.unit is not None and {read.unit.symbol, stated.symbol} <= _PERCENT
    if is_percent and found.low is found.high:
        return _of_a_share(claim, value, rounds=found.rounds)
    return ""


def _only_read(claim: Claim) -> Read | None:
    """The read, where there is one and what was found is what it gave."""
    source = claim.source
    return source.reads[0][1] if isinstance(source, EvidenceSource) and not source.derive else None


def _of_the_group(agreement: Agreement) -> str:
    """What a pattern misses that takes a number without the unit that stands behind it."""
    if agreement.hint.startswith(SHARE):
        return f"{SHARE}, so let the group of `stated_in` take the `%` too, or give it `unit: '%'`"
    if agreement.code == "unit-mismatch":
        return "let the group of `stated_in` take the unit too, or give it the `unit` that stands there"
    return ""


def _of_the_name(read: Read, unit: Unit) -> str:
    """The unit that the name of what is read ends in: `train_seconds`, `mem_mib`."""
    name = _name(read)
    word = name.rpartition("_")[2]
    named = Units.default().find(word)
    if named is None or not same_dimension(named, unit):
        return ""
    return f"as its name says, `{name}` counts in `{word}`: give the read `unit: {word}`"


def _name(read: Read) -> str:
    """The key or the column that is read; empty where it is no plain one."""
    if read.path:
        last = _LAST_KEY.search(read.path)
        return last[1] if last else ""
    return read.column if read.column.isidentifier() else ""


def _of_a_share(claim: Claim, value: Quantity, *, rounds: bool) -> str:
    """Where a share was said to count in percent."""
    percentage = Quantity(value.number * 100, value.unit)
    if agree(claim.stated, Found(percentage, percentage, rounds), claim.tolerance, explained=False).agrees:
        return f"{SHARE}, so leave `unit` out of the read"
    return ""
