"""Where evidence came from, and what it said before, as rows of `show`."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence

from stilltrue.model import Accepted, Provenance
from stilltrue.report.escape import escape
from stilltrue.wording import listed

_SHOWN = 3
_SHOWN_PACKAGES = 12
_SHOWN_DAYS = 20
_SHORT_COMMIT = 12

Row = tuple[str, str]

Day = tuple[str, str, str]
"""An earlier day, what was found then, and the commit."""


def origin(records: Iterable[Provenance], claim: str) -> Iterator[Row]:
    """Rows on the records of a claim's evidence; files that one run brought are told once.

    Args:
        records: The records, in the order of the files.
        claim: The claim's id: what was accepted for others is left out.
    """
    different: list[Provenance] = []
    for record in records:
        if not any(_is_one_run(record, other) for other in different):
            different.append(record)
    for record in different[:_SHOWN]:
        yield from _measured(record) if record.code else _adopted(record)
        yield from _accepted(each for each in record.accepted if each.claim == claim)
    if len(different) > _SHOWN:
        yield "measured", f"and {len(different) - _SHOWN:,} times more"


def earlier(days: Sequence[Day]) -> Iterator[Row]:
    """Rows on what was found on earlier days, newest first."""
    for day, found, commit in days[:_SHOWN_DAYS]:
        where = f", commit {commit[:_SHORT_COMMIT]}" if commit else ""
        yield "earlier", escape(f"{day}: {found or 'nothing'}{where}")
    if len(days) > _SHOWN_DAYS:
        yield "earlier", f"and {len(days) - _SHOWN_DAYS:,} days more"


def _is_one_run(one: Provenance, other: Provenance) -> bool:
    return (one.subjects, one.started, one.source) == (other.subjects, other.started, other.source)


def _adopted(record: Provenance) -> Iterator[Row]:
    yield "measured", escape(f"{record.on}, elsewhere: {record.source}")


def _measured(record: Provenance) -> Iterator[Row]:
    yield "probe", escape(shlex.join((record.probe, *record.argv)))
    yield "measured", escape(", ".join(filter(None, (record.started or record.on, _commit(record)))))
    machine = (f"{value} {name}" if name == "cores" else value for name, value in record.machine)
    yield "machine", escape(", ".join(filter(None, (*machine, record.accelerator))))
    versions = [record.interpreter, *(f"{name} {version}" for name, version in record.packages)]
    yield "versions", escape(listed([each for each in versions if each], _SHOWN_PACKAGES))
    if len(record.code) > 1:
        yield "imports", escape(listed([each.path for each in record.code[1:]], _SHOWN_PACKAGES))
    if record.inputs:
        yield "inputs", escape(listed([each.path for each in record.inputs], _SHOWN_PACKAGES))


def _commit(record: Provenance) -> str:
    commit = f"commit {record.commit[:_SHORT_COMMIT]}" if record.commit else "no commit"
    return f"{commit} with {', '.join(record.changed)} changed" if record.changed else commit


def _accepted(accepted: Iterable[Accepted]) -> Iterator[Row]:
    for each in accepted:
        yield "accepted", escape(f"{each.on}, a change of {each.path}: {each.because}")
