"""What pytest-benchmark saves (`--benchmark-json`, `--benchmark-autosave`): one row for each benchmark."""

from __future__ import annotations

from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, cell, scalars
from stilltrue.evidence.readers.documents import document
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "a file of pytest-benchmark"
_SECONDS = ("mean", "median", "min", "max", "stddev", "iqr", "q1", "q3", "ld15iqr", "hd15iqr", "total")
_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(("fullname", "name", "group", "param"), Kind.TEXT),
    **dict.fromkeys(_SECONDS, "s"),
    "ops": "1/s",
    "rounds": "",
    "iterations": "",
    "outliers": Kind.TEXT,
    "commit": Kind.TEXT,
    "dirty": Kind.FLAG,
    "version": Kind.TEXT,
}


def _recognises(head: bytes) -> bool:
    start = head.lstrip()
    return (
        start.startswith(b"{")
        and (b'"machine_info"' in head or b'"benchmarks"' in head[:1000])
        and (b'"commit_info"' in head or b'"fullname"' in head)
    )


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    found = document(content, deadline, "benchmarks", _KIND)
    commit = found.root.get("commit_info")
    commit = commit if isinstance(commit, dict) else {}
    shared = {
        "commit": cell(commit.get("id")),
        "dirty": "1" if commit.get("dirty") is True else "",
        "version": cell(found.root.get("version")),
    }
    rows = [Row(_cells(entry, line) | shared, line) for entry, line in found.entries]
    return (build(rows, _COLUMNS, units, line=found.line),)


def _cells(entry: dict[str, Any], line: int) -> dict[str, str]:
    stats = entry.get("stats")
    if not isinstance(stats, dict) or "mean" not in stats or "fullname" not in entry:
        raise other_format(_KIND, f"the benchmark in line {line} lacks `fullname` or `stats.mean`", line)
    cells = scalars({key: value for key, value in entry.items() if key != "stats"}) | scalars(stats)
    for key, before in (("params", "param "), ("extra_info", "extra ")):
        inner = entry.get(key)
        if isinstance(inner, dict):
            cells |= scalars(inner, before)
    return cells


PYTEST_BENCHMARK = Reader(
    means="what pytest-benchmark saves with `--benchmark-json` or `--benchmark-autosave`",
    content="is an object with `machine_info`, `commit_info` and `benchmarks`",
    rows="one benchmark; its parameters are columns `param_…`, its `extra_info` columns `extra_…`",
    columns=_COLUMNS,
    traps=(
        (
            "All times are seconds for one iteration, whatever unit was printed; one round runs "
            "`iterations` of them."
        ),
        (
            "`dirty` is 1 where the checkout had changes that no commit holds: then `commit` does not say "
            "what ran. The name of the file may hold another commit."
        ),
        "`name` can stand in several modules; `fullname` is the key.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".json",),
)
