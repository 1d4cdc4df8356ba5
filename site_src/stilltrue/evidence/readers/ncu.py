"""What Nsight Compute prints: one row for each metric of each kernel launch."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.ncu_metrics import COLUMNS, decimal_mark, with_values
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.readers.ruled import Spans, ruled, spans
from stilltrue.evidence.readers.scanning import Stream, streams
from stilltrue.evidence.tables.frames import Frame
from stilltrue.quantity import Units

_KIND = "what `ncu` prints"
_RULE = re.compile(r" *-+ -+ -+ *")
_HEADER = ["Metric Name", "Metric Unit", "Metric Value"]
_SECTION = re.compile(r" *(?:Section: |Table Name : )(\S.*)")
_PROCESS = re.compile(r"\[(\d+)\] \S.*@\S+ *")
_LAUNCH = re.compile(
    r" *(?P<kernel>\S.*?)(?: \((?P<grid>\d+, \d+, \d+)\)x\((?P<block>\d+, \d+, \d+)\))?"
    r"(?:, \d{4}-\w{3}-\d{2} [\d:]+)?"
    r", Context (?P<context>\d+), Stream (?P<stream>\d+)(?:, Device (?P<device>\d+), CC (?P<cc>[\d.]+))? *"
)
_LIKE_LAUNCH = re.compile(r", Context [^,]*, Stream ")
_MARK = re.compile(rb"^ *Section: [^\n]+\n *-+ -+ -+ *$", re.MULTILINE)
_PACE = 4096
_LONGEST = 100_000
_LONGEST_NAME = 1000


@dataclass(slots=True)
class _Walk:
    """What stands above the metrics that are being read."""

    process: str = ""
    launches: int = 0
    section: str = ""
    launch: dict[str, str] = field(default_factory=dict)

    def see(self, line: str) -> None:
        """Keeps what a line between tables says."""
        process, launch, section = (
            _PROCESS.fullmatch(line) if len(line) < _LONGEST_NAME else None,
            _LAUNCH.fullmatch(line) if ", Context " in line else None,
            _SECTION.fullmatch(line),
        )
        if process is not None:
            self.process = process[1]
        elif launch is not None:
            found = {name: text for name, text in launch.groupdict().items() if text is not None}
            self.launch = {"id": str(self.launches), "process": self.process, **found}
            self.launches += 1
            self.section = ""
        elif _LIKE_LAUNCH.search(line) is not None:  # what follows is not of the launch before it
            self.launch, self.section = {}, ""
            self.launches += 1
        elif section is not None:
            self.section = section[1].rstrip()


def _recognises(text: bytes) -> bool:
    return _MARK.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = [row for stream in streams(content.shown_text, deadline) for row in _rows(stream, deadline)]
    if not rows:
        raise other_format(_KIND, "no section with a table of metrics stands in it")
    rows.sort(key=lambda row: row.line)
    mark = decimal_mark(row.cells.get("value", "") for row in rows)
    return (build(with_values(rows, mark), COLUMNS, units, line=rows[0].line),)


def _rows(stream: Stream, deadline: Deadline) -> Iterator[Row]:
    walk = _Walk()
    at, lines = 0, stream.lines
    while at < len(lines):
        if not at % _PACE:
            deadline.check()
        if walk.section and _RULE.fullmatch(lines[at]):
            found, at = _table(stream, at, {**walk.launch, "section": walk.section})
            yield from found
        else:
            if len(lines[at]) < _LONGEST:
                walk.see(lines[at])
            at += 1


def _table(stream: Stream, start: int, above: dict[str, str]) -> tuple[list[Row], int]:
    """The metrics from the rule at `start` to the one that closes them, and the index of what follows."""
    lines, columns, first = stream.lines, spans(stream.lines[start]), stream.numbers[start]
    at = start + 1
    if at + 1 < len(lines) and ruled(lines[at], columns) == _HEADER and _RULE.fullmatch(lines[at + 1]):
        at += 2
    rows: list[Row] = []
    while at < len(lines) and lines[at].strip():
        if _RULE.fullmatch(lines[at]):
            return rows, at + 1
        rows.append(_row(lines[at], columns, stream.numbers[at], above))
        at += 1
    rows.append(Row({}, first, cut("the table", first, "no rule of dashes closes it", alone=True)))
    return rows, at


def _row(line: str, columns: Spans, number: int, above: dict[str, str]) -> Row:
    cells = ruled(line, columns)
    if cells is None or not cells[0]:
        return Row({}, number, misfit(number, _KIND))
    return Row(above | dict(zip(("metric", "unit", "value"), cells, strict=True)), number)


NCU = Reader(
    means="the sections that Nsight Compute prints, alone or in a log",
    content="holds a line `Section: …` with a rule of dashes below it",
    rows="one metric of one launch of a kernel",
    columns=COLUMNS,
    traps=(
        (
            "One metric stands in several sections with other units: `Memory Throughput` is a share in one "
            "and bytes per second in another. Name the `section` too."
        ),
        (
            "Units change with versions (`msecond`, `ms`; `cycle/nsecond`, `Ghz`) and with the size of the "
            "value: each reading carries its own, and `unit` holds it as printed. Values of other units, "
            "such as `Kbyte/block` or `inst`, are bare numbers."
        ),
        "`Kbyte`, `Mbyte` and `Gbyte` are decimal, and read as kB, MB and GB.",
        (
            "A kernel is launched many times: `id` counts the launches from 0, and `take: only` refuses "
            "several."
        ),
        ("`(!) n/a` is an empty cell, never 0: the metric is not there on this card, or has another name."),
        (
            "`Duration` is under the profiler, which by default locks clocks to their base and empties "
            "caches before each pass: it is not the time of a run."
        ),
        (
            "Some locales print `3.717,88`: numbers that can be read in one way alone decide for the whole "
            "file."
        ),
        "Tables of more than three columns, which `--print-details all` adds, are not read.",
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
