"""The `:::MLLOG` lines of MLPerf training: one row for each event."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build, cell, scalars
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.quantity import Units

_KIND = "an MLPerf log"
_MARK, _OLDER = ":::MLLOG ", ":::MLP"
_COLUMNS: dict[str, str | Kind] = {
    "time_ms": "ms",
    "event_type": Kind.TEXT,
    "key": Kind.TEXT,
    "value": "",
    "namespace": Kind.TEXT,
    "metadata file": Kind.TEXT,
    "metadata lineno": "",
    "metadata status": Kind.TEXT,
    "metadata epoch_num": "",
}
_WANTED = ("time_ms", "event_type", "key", "value")


def _recognises(text: bytes) -> bool:
    return _MARK.encode() in text


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows: list[Row] = []
    for text, line in _marked(content.shown_text):
        deadline.check()
        try:
            rows.append(Row(_cells(text, line, deadline), line))
        except InputError as error:
            if error.code == "too-slow":
                raise
            rows.append(Row({}, line, error))
    if not rows:
        older = any(line.startswith(_OLDER) for line in content.shown_text.split("\n", 1000))
        why = (
            "its lines begin with `:::MLP`, as earlier ones do" if older else "it has no line `:::MLLOG {…}`"
        )
        raise other_format(_KIND, why)
    return (build(rows, _COLUMNS, units, line=rows[0].line),)


def _marked(text: str) -> Iterator[tuple[str, int]]:
    """What follows each mark, to the end of its line; launchers print a rank before it."""
    line, counted, at = 1, 0, text.find(_MARK)
    while at >= 0:
        line += text.count("\n", counted, at)
        counted = at
        end = text.find("\n", at)
        following = text.find(_MARK, at + 1)
        stops = [stop for stop in (end, following) if stop >= 0]
        yield text[at + len(_MARK) : min(stops, default=len(text))], line
        at = following


def _cells(text: str, line: int, deadline: Deadline) -> dict[str, str]:
    try:
        event: Any = read_json(text, deadline).value
    except InputError as error:
        if error.code == "too-slow":
            raise
        raise cut("the event", line, "what follows `:::MLLOG` is no whole JSON object", alone=True) from None
    missing = next((key for key in _WANTED if not isinstance(event, dict) or key not in event), "")
    if missing:
        raise other_format(_KIND, f"the event in line {line} has no `{missing}`", line)
    cells = scalars(event) | {"value": cell(event["value"])}
    for within in ("value", "metadata"):
        members = event.get(within)
        cells |= scalars(members, f"{within} ") if isinstance(members, dict) else {}
    return cells


MLLOG = Reader(
    means="the `:::MLLOG` lines of MLPerf training, alone or in a log",
    content="holds a line with `:::MLLOG `",
    rows="one event; its metadata are columns `metadata_…`, the members of a value `value_…`",
    columns=_COLUMNS,
    traps=(
        (
            "The time of a run is `where: key = 'run_stop'` with `column: time_ms - (select time_ms from "
            "evidence where key = 'run_start')` and `unit: s`. A log that ends before `run_stop` has no "
            "such row: the claim breaks, and nothing is guessed."
        ),
        "`run_stop` is there for an aborted run too: ask for `metadata_status = 'success'`.",
        "`time_ms` is milliseconds since 1970; an expression reckons in seconds.",
        (
            "`value` is whatever was logged: a number, text, a list or an object as JSON, or nothing. The "
            "`throughput` of `tracked_stats` is `value_throughput`, samples or tokens per second."
        ),
        "Several ranks may log one event each: `take: only` refuses, and says where.",
        (
            "A line that another process printed into, or that the log ends in, is an error. Lines that "
            "begin with `:::MLP` are of an earlier version and not read."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
