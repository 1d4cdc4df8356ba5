"""From the events that pass by to a table: what a read asks for, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import compress

from stilltrue.deadline import Deadline
from stilltrue.evidence.readers.chrome_trace.events import ARGUMENT, Careful, Decoder, Events, Quick, Rows
from stilltrue.evidence.readers.chrome_trace.splitting import KIND, Chunk, Splitter
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.streams import Stream
from stilltrue.evidence.tables.cells import CellReader
from stilltrue.evidence.tables.frames import Column, Frame, Kind
from stilltrue.evidence.tables.headings import LINE
from stilltrue.evidence.tables.selecting import LOOKED_AT
from stilltrue.evidence.tables.wanted import Sieve, Wanted
from stilltrue.quantity import Units

COLUMNS: dict[str, str | Kind] = {
    "name": Kind.TEXT,
    "cat": Kind.TEXT,
    "ph": Kind.TEXT,
    "device": Kind.FLAG,
    "ts": "us",
    "dur": "us",
    "pid": "",
    "tid": "",
    "id": "",
    "tts": "us",
    "tdur": "us",
}
"""The columns that every trace has; all but `device` are fields of an event."""

DEVICE = "device"
DEVICE_CATEGORIES = frozenset({"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"})
"""What the device did: kernels, copies and fills, as torch calls them, and as older versions did."""

CATEGORY = "cat"
MOST_COLUMNS = 20_000
"""A trace whose events have more different arguments is none that anyone reads by name."""

_TEXTS = frozenset({"name", CATEGORY, "ph"})


def collect(stream: Stream, wanted: Wanted, deadline: Deadline, units: Units) -> Frame:
    """The table of a trace, as far as a read wants it.

    Args:
        stream: The file.
        wanted: What the read asks for.
        deadline: When it must be done.
        units: Where the units of columns are looked up.

    Raises:
        InputError: As `Splitter.chunks`; `bad-table`: what it holds are no events.
    """
    return _Collector(wanted, deadline, units).frame(stream)


class _Grid:
    """The rows that are kept: fields column by column, arguments where an event has them."""

    def __init__(self, fields: Sequence[str]) -> None:
        self.names: Sequence[str] = ()
        self._fields: dict[str, list[str]] = {name: [] for name in fields}
        self._arguments: dict[str, dict[int, str]] = {}
        self._lines: list[int] = []

    def add(self, rows: Rows) -> None:
        """Some rows more."""
        for number, arguments in enumerate(rows.arguments, len(self._lines)):
            for name, text in arguments.items():
                self._arguments.setdefault(name, {})[number] = text
        for cells, more in zip(self._fields.values(), rows.fields, strict=True):
            cells.extend(more)
        self._lines.extend(rows.lines)

    @property
    def height(self) -> int:
        """How many rows there are."""
        return len(self._lines)

    def cell(self, row: int, column: int, _deadline: Deadline) -> str:
        """The text of one cell."""
        name = self.names[column]
        if name == DEVICE:
            return _flag(self._fields[CATEGORY][row])
        if name in self._fields:
            return self._fields[name][row]
        return self._arguments.get(name, {}).get(row, "")

    def texts(self, columns: Sequence[int], _deadline: Deadline) -> list[Sequence[str]]:
        """The texts of some columns."""
        return [self._texts(self.names[column]) for column in columns]

    def line(self, row: int) -> int:
        """The line of the file on which a row begins, from 1."""
        return self._lines[row]

    def _texts(self, name: str) -> Sequence[str]:
        if name == DEVICE:
            return list(map(_flag, self._fields[CATEGORY]))
        if name in self._fields:
            return self._fields[name]
        cells = self._arguments.get(name, {})
        return [cells.get(row, "") for row in range(self.height)]


class _Collector:
    """Collects the rows of one trace."""

    def __init__(self, wanted: Wanted, deadline: Deadline, units: Units) -> None:
        self._deadline = deadline
        self._columns = [_column(name, known, units) for name, known in COLUMNS.items()]
        sieves = _sieves(wanted, self._columns, CellReader(units, "."))
        self._sieves = sorted(
            sieves, key=lambda sieve: sieve.column.kind is Kind.ANY
        )  # texts repeat themselves
        self._sought = None if wanted.names is None else {n for n in wanted.names if n.startswith(ARGUMENT)}
        fields = dict.fromkeys(_field(name) for name in COLUMNS if wanted.wants(name))
        sieved = {_field(sieve.column.name) for sieve in self._sieves}
        self._decoder = Decoder([*fields], sieved, _TEXTS, self._sought, deadline)
        self._kept = _Grid([*fields])
        self._opening = _Grid([*fields])
        self._seen = 0

    def frame(self, stream: Stream) -> Frame:
        """The table."""
        for chunk in Splitter(stream.pieces(self._deadline), self._deadline).chunks():
            self._deadline.check()
            self._add(chunk)
        columns = (*self._columns, *(Column(name, name) for name in self._decoder.names.met))
        self._kept.names = self._opening.names = [column.name for column in columns]
        left_out = self._seen - self._kept.height
        return Frame(columns, self._kept, left_out=left_out, opening=self._opening if left_out else None)

    def _add(self, chunk: Chunk) -> None:
        if not self._seen and b'"ph"' not in chunk.text:
            raise other_format(KIND, "its events have no `ph`", chunk.line)
        if chunk.events is not None:
            try:
                self._keep(Quick(self._decoder, chunk, chunk.events))
            except self._decoder.errors:
                pass
            else:
                return
        self._keep(Careful(self._decoder, chunk))

    def _keep(self, events: Events) -> None:
        """Keeps what passes of a chunk; where an error is raised, nothing of it was kept."""
        rows = self._passing(events)
        kept = events.pick(rows)
        lacking = LOOKED_AT - self._opening.height if self._sieves else 0
        opening = events.pick(range(min(events.count, max(lacking, 0))))
        if self._sieves and not self._all_met():
            events.meet()
        self._kept.add(kept)
        self._opening.add(opening)
        self._seen += events.count
        if len(self._decoder.names.met) > MOST_COLUMNS:
            raise other_format(KIND, f"its events have more than {MOST_COLUMNS:,} different arguments")

    def _all_met(self) -> bool:
        """Whether each argument that the read names is known to be one that some event has."""
        return self._sought is None or self._sought <= self._decoder.names.met.keys()

    def _passing(self, events: Events) -> Sequence[int]:
        rows: Sequence[int] = range(events.count)
        for sieve in self._sieves:
            texts = events.column(_field(sieve.column.name), rows)
            if sieve.column.name == DEVICE:
                texts = list(map(_flag, texts))
            rows = list(compress(rows, sieve.passed(texts, self._deadline)))
        return rows


def _sieves(wanted: Wanted, columns: Sequence[Column], reader: CellReader) -> Iterator[Sieve]:
    """The conditions that can be asked of single texts, before rows are made."""
    for condition in wanted.conditions:
        used = condition.words | condition.names
        named = [column for column in columns if column.name in used]
        arguments = any(name == LINE or name.startswith(ARGUMENT) for name in used)
        if len(named) == 1 and not arguments:
            yield Sieve(condition, named[0], reader)


def _field(name: str) -> str:
    """The field of an event that a column is made of."""
    return CATEGORY if name == DEVICE else name


def _flag(category: str) -> str:
    return "1" if category in DEVICE_CATEGORIES else ""


def _column(name: str, known: str | Kind, units: Units) -> Column:
    if isinstance(known, Kind):
        return Column(name, name, kind=known)
    return Column(name, name, units.parse(known) if known else None)
