"""What `hyperfine --export-json` writes: one row for each command."""

from __future__ import annotations

import re
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, scalars
from stilltrue.evidence.readers.documents import document
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "a result of `hyperfine --export-json`"
_COLUMNS: dict[str, str | Kind] = {
    "command": Kind.TEXT,
    **dict.fromkeys(("mean", "stddev", "median", "user", "system", "min", "max"), "s"),
    "runs": "",
    "failed": "",
}
_START = re.compile(rb'\s*\{\s*"results"\s*:\s*\[\s*\{\s*"command"\s*:')


def _recognises(head: bytes) -> bool:
    return _START.match(head) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    found = document(content, deadline, "results", _KIND)
    rows = [Row(_cells(entry, line), line) for entry, line in found.entries]
    return (build(rows, _COLUMNS, units, line=found.line),)


def _cells(entry: dict[str, Any], line: int) -> dict[str, str]:
    missing = next((key for key in ("command", "mean", "min", "max") if key not in entry), "")
    if missing:
        raise other_format(_KIND, f"the result in line {line} has no `{missing}`", line)
    cells = scalars(entry)
    times, codes, parameters = (entry.get(key) for key in ("times", "exit_codes", "parameters"))
    if isinstance(times, list):
        cells["runs"] = str(len(times))
    if isinstance(codes, list):
        cells["failed"] = str(sum(code != 0 for code in codes))
    if isinstance(parameters, dict):
        cells |= scalars(parameters, "parameter ")
    return cells


HYPERFINE = Reader(
    means="results of `hyperfine --export-json`",
    content='begins with `{"results": [{"command":`',
    rows="one command; its parameters are columns `parameter_…`",
    columns=_COLUMNS,
    traps=(
        "All times are seconds, whatever unit hyperfine printed.",
        (
            "`failed` counts the runs that did not exit with 0, which `--ignore-failure` lets pass; a run "
            "that a signal ended counts too."
        ),
        "`mean` and `median` differ where single runs were slow; `runs` says how many there were.",
        "One run has no `stddev`: its cell is empty.",
        "Single runs are read as a tree: `path: $.results[0].times[*]`.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".json",),
)
