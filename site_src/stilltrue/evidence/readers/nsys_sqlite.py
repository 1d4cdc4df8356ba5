"""What `nsys export --type sqlite` writes: activities of the device and of the host, each with its name.

The schema: https://docs.nvidia.com/nsight-systems/UserGuide/index.html#exporter-sqlite-schema.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.grids import ColumnGrid
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.readers.sqlite_file import MAGIC, Database
from stilltrue.evidence.tables.frames import Column, Frame, Kind
from stilltrue.evidence.tables.headings import column_names
from stilltrue.quantity import Units

_KIND = "an export of nsys"
_STRINGS = "StringIds"
_MARKS = (b"CREATE TABLE CUPTI_ACTIVITY_KIND_", b"CREATE TABLE NVTX_EVENTS", b"CREATE TABLE META_DATA_EXPORT")
_OPERATIONS = "ENUM_CUDA_MEMCPY_OPER"
_RENAMED = {
    "deviceId": "device",
    "contextId": "context",
    "streamId": "stream",
    "correlationId": "correlation",
}
_COLUMNS: dict[str, str | Kind] = {
    "name": Kind.TEXT,
    "short_name": Kind.TEXT,
    "kind": Kind.TEXT,
    **dict.fromkeys(("duration", "start", "end"), "ns"),
    "bytes": "bytes",
    **dict.fromkeys(("device", "context", "stream", "correlation"), ""),
}


@dataclass(frozen=True, slots=True)
class _Activity:
    """A table of the export.

    Attributes:
        table: What the export calls it.
        names: Columns that hold ids of texts, by what they are called here.
        texts: Columns that hold a text of their own where they are not null, by the same.
        labels: Columns that hold ids of labels, by what they are called here, each with the labels' table.
    """

    table: str
    names: Mapping[str, str]
    texts: Mapping[str, str]
    labels: Mapping[str, tuple[str, str]]


_KERNEL_NAMES = {"name": "demangledName", "short_name": "shortName"}
_ACTIVITIES = {
    "kernels": _Activity("CUPTI_ACTIVITY_KIND_KERNEL", _KERNEL_NAMES, {}, {}),
    "memcpy": _Activity("CUPTI_ACTIVITY_KIND_MEMCPY", {}, {}, {"kind": ("copyKind", _OPERATIONS)}),
    "memset": _Activity("CUPTI_ACTIVITY_KIND_MEMSET", {}, {}, {}),
    "graphs": _Activity("CUPTI_ACTIVITY_KIND_GRAPH_TRACE", {}, {}, {}),
    "api": _Activity("CUPTI_ACTIVITY_KIND_RUNTIME", {"name": "nameId"}, {}, {}),
    "nvtx": _Activity("NVTX_EVENTS", {"name": "textId"}, {"name": "text"}, {}),
    "osrt": _Activity("OSRT_API", {"name": "nameId"}, {}, {}),
}
"""The tables, by the names that `table` gives them."""


def _recognises(data: bytes) -> bool:
    return data.startswith(MAGIC) and any(mark in data for mark in _MARKS)


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    database = Database(content.data, deadline)
    if _STRINGS not in database.tables:
        raise other_format(_KIND, f"it has no table `{_STRINGS}`")
    strings = _Strings(database)
    found = {title: known for title, known in _ACTIVITIES.items() if known.table in database.tables}
    if not found:
        known = ", ".join(activity.table for activity in _ACTIVITIES.values())
        raise other_format(_KIND, f"it has none of the tables {known}")
    return tuple(
        _frame(_Rows(database, strings, known, deadline.seconds), title, units)
        for title, known in found.items()
    )


def _frame(rows: _Rows, title: str, units: Units) -> Frame:
    names = column_names(rows.headings)
    columns = tuple(_column(name, heading, units) for name, heading in zip(names, rows.headings, strict=True))
    return Frame(columns, ColumnGrid(rows, rows.seconds), 0, title)


def _column(name: str, heading: str, units: Units) -> Column:
    known = _COLUMNS.get(heading, "")
    if isinstance(known, Kind):
        return Column(name, heading, kind=known)
    return Column(name, heading, units.parse(known) if known else None)


class _Strings:
    """The texts that other tables name by their id; read once, when one is asked for."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[tuple[str, str], dict[str, str]] = {}

    def texts(self, table: str, value: str, deadline: Deadline) -> Mapping[str, str]:
        """The texts of a table by the text of their id."""
        key = (table, value)
        if key not in self._known:
            if not {"id", value} <= set(self._database.tables.get(table, ())):
                raise other_format(_KIND, f"it has no table `{table}` of `id` and `{value}`")
            ids, texts = self._database.texts(table, ("id", value), deadline)
            self._known[key] = dict(zip(ids, texts, strict=True))
        return self._known[key]


class _Rows:
    """The rows of one activity as a source of columns, ids in them replaced by what they name.

    Attributes:
        headings: Its columns, those with a meaning here first.
        seconds: How long counting them may take.

    Raises:
        InputError: `bad-table`: it lacks when its activities begin and end.
    """

    def __init__(self, database: Database, strings: _Strings, activity: _Activity, seconds: float) -> None:
        self._database, self._strings, self._activity = database, strings, activity
        self.seconds = seconds
        there = database.tables[activity.table]
        if not {"start", "end"} <= set(there):
            raise other_format(_KIND, f"its table `{activity.table}` lacks `start` or `end`")
        plain = {_RENAMED.get(column, column): column for column in there}
        named = {name: column for name, column in activity.names.items() if column in there}
        labelled = {name: column for name, (column, _) in activity.labels.items() if column in there}
        self._sources = {**named, **labelled, "duration": "", **plain}
        self.headings = tuple(self._sources)

    def height(self, deadline: Deadline) -> int:
        return self._database.height(self._activity.table, deadline)

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[list[str]]:
        return [self._texts(self.headings[at], deadline) for at in columns]

    def _texts(self, heading: str, deadline: Deadline) -> list[str]:
        activity = self._activity
        if heading == "duration":
            return list(map(_duration, *self._stored(("start", "end"), deadline)))
        if heading in activity.names:
            return self._names(heading, deadline)
        (texts,) = self._stored((self._sources[heading],), deadline)
        if heading in activity.labels:
            known = self._strings.texts(activity.labels[heading][1], "label", deadline)
            return [_named(known, text) for text in texts]
        return texts

    def _names(self, heading: str, deadline: Deadline) -> list[str]:
        """The names of all rows: the text of their own where there is one, else that which their id names."""
        known = self._strings.texts(_STRINGS, "value", deadline)
        (ids,) = self._stored((self._sources[heading],), deadline)
        own = self._activity.texts.get(heading, "")
        if own not in self._database.tables[self._activity.table]:
            return [_named(known, text) for text in ids]
        (texts,) = self._stored((own,), deadline)
        return [text or _named(known, at) for text, at in zip(texts, ids, strict=True)]

    def _stored(self, columns: Sequence[str], deadline: Deadline) -> list[list[str]]:
        return self._database.texts(self._activity.table, columns, deadline)


def _named(known: Mapping[str, str], at: str) -> str:
    """What an id names; none at all for an empty one."""
    if not at:
        return ""
    if at not in known:
        raise other_format(_KIND, f"nothing has the id {at[:40]} in it")
    return known[at]


def _duration(start: str, end: str) -> str:
    """From start to end; none for a mark, and for what had not ended, which some versions write as 0."""
    try:
        passed = int(end) - int(start)
    except ValueError:
        return ""
    return str(passed) if passed >= 0 else ""


NSYS_SQLITE = Reader(
    means="what `nsys export --type sqlite` makes of a report",
    content="is a SQLite file with tables of nsys, such as `CUPTI_ACTIVITY_KIND_KERNEL`",
    rows=(
        "one activity: of the tables `kernels`, `memcpy`, `memset`, `graphs`, `api`, `nvtx` and "
        "`osrt` those that the report has; what else the export holds of an activity is a column "
        "too"
    ),
    columns=_COLUMNS,
    traps=(
        (
            "All times are ns; `start` and `end` count from the beginning of the report. `end` is"
            ' a word of SQL: write `"end"` in a condition.'
        ),
        (
            "Kernels on several streams and devices run at the same time: the sum of their "
            '`duration` is no time that passed. That is `max("end") - min(start)`, two reads and '
            "a `derive`."
        ),
        "An activity without an end, or with one before its start, has no `duration`.",
        (
            "`api` is what the host spent in calls, which kernels run beside; the wait in "
            "`cudaDeviceSynchronize` is the kernels' own time. Ranges of `nvtx` lie inside one "
            "another, and count twice in a sum."
        ),
        (
            "With `--cuda-graph-trace=graph` the kernels of CUDA graphs are no rows of `kernels`:"
            " each launch is one of `graphs`."
        ),
        "Tables are made when something is recorded: one that is missing is an error, no 0.",
        (
            "`name` has the templates of a kernel, `short_name` has not. Older exports lack "
            "columns that newer ones have."
        ),
        "`format: sqlite` reads the tables as they are. A report (`.nsys-rep`) must be exported first.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    binary=True,
)
