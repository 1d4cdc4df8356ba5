"""What `nsys stats` and `nsys profile --stats=true` print: a table for each report."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import partial
from typing import NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.readers.ruled import ruled, spans
from stilltrue.evidence.readers.scanning import Stream, streams
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.tables.headings import heading_unit
from stilltrue.quantity import Units

_KIND = "what `nsys stats` prints"
_COLUMNS: dict[str, str | Kind] = {
    "Time (%)": "%",
    **dict.fromkeys(("Total Time (ns)", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)", "StdDev (ns)"), "ns"),
    **dict.fromkeys(("Num Calls", "Instances", "Count"), ""),
    **dict.fromkeys(("Total (MB)", "Avg (MB)", "Med (MB)", "Min (MB)", "Max (MB)", "StdDev (MB)"), "MB"),
    **dict.fromkeys(("Name", "Operation", "Range", "Style"), Kind.TEXT),
}
_TEXTS = frozenset(
    {
        *("Name", "Operation", "Range", "Style", "Category", "Domain", "Kernel Name", "API Name", "Device"),
        *("SrcMemKd", "DstMemKd", "Event Type", "API Function"),
    }
)
_BARE = frozenset({"Total", "Average", "Median", "Minimum", "Maximum", "StdDev"})
_RULE = re.compile(r" *--+(?:  --+)+ *")
_GAP = re.compile(r" {2,}")
_FIRST = re.compile(r"(?:Time|Start|Total) ?\((?:%|[A-Za-z]{1,4})\)|Duration ?\([a-z]+\)")
_CSV = re.compile(r"(?:Time|Start|Total) ?\((?:%|[A-Za-z]{1,4})\),[A-Z]")
_TITLES = (
    re.compile(r"Executing '([\w:.-]+)' stats report"),
    re.compile(r"^ *\*\* [^\n]{1,200} \(([\w:,.=-]{1,100})\): *$"),
    re.compile(r"with \[[^\]\n]{0,400}?(\w+)\.py[^\]\n]{0,400}\]"),
    re.compile(r"\[[^\]\n]{0,400}?(\w+)\.py [^\]\n]{0,400}\] to console"),
    re.compile(r"^ *([A-Z][\w ]{3,60} Statistics(?: \(by [\w ]{2,30}\))?): *$"),
)
_SIZES = re.compile(r"\(by size in (\w+)\)$")
_PERCENT = re.compile(r"\d{1,3}(?:\.\d{1,6})?")
_SHARE = re.compile(r"Time ?\(%\)$")
_MARK = re.compile(
    rb"' stats report$|^ *(?:Time ?\(%\)|Start ?\([a-z]+\))(?:  +|,)(?:Total Time|Duration) ?\(", re.MULTILINE
)
_ABOVE = 5
_PACE = 4096
_LONGEST = 1000


class _Table(NamedTuple):
    """One table: its headings, the index of its first row, and how the cells of a line are told apart."""

    headings: list[str]
    start: int
    title: str
    split: Callable[[str], list[str] | None]


@dataclass(frozen=True, slots=True)
class Shares:
    """What the rows of a table have of the time, in percent, and by how much rounding leaves it open."""

    total: Decimal
    slack: Decimal

    def complaint(self) -> str:
        """Why rows must be missing; empty where the shares can add up to 100 %."""
        if self.total + self.slack >= 100:
            return ""
        return f"its rows have {self.total:.1f} % of the time, not 100 %"

    def cure(self) -> str:
        """What to do about it."""
        return "keep the report whole, so that `take` sees every row"


def _recognises(text: bytes) -> bool:
    return _MARK.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    frames = [
        _frame(table, stream, deadline, units)
        for stream in streams(content.shown_text, deadline)
        for table in _tables(stream.lines, deadline)
    ]
    if not frames:
        raise other_format(_KIND, "no table with a rule of dashes below its headings stands in it")
    return tuple(sorted(frames, key=lambda frame: frame.line))


def _tables(lines: list[str], deadline: Deadline) -> Iterator[_Table]:
    for at, line in enumerate(lines):
        if not at % _PACE:
            deadline.check()
        if _CSV.match(line):
            yield _Table(next(csv.reader([line])), at + 1, _title(lines, at), _csv_cells)
        elif at and _RULE.fullmatch(line):
            title, headings = _title(lines, at - 1), _GAP.split(lines[at - 1].strip())
            if title or _FIRST.match(headings[0]):
                yield _Table(headings, at + 1, title, partial(ruled, columns=spans(line)))


def _title(lines: list[str], header: int) -> str:
    """What the lines above a table's headings call it; another table may not stand between."""
    for line in reversed(lines[max(0, header - _ABOVE) : header]):
        for pattern in _TITLES:
            found = pattern.search(line[:_LONGEST])
            if found is not None:
                return found[1]
        if line.strip() and not line.startswith(("Processing", "SKIPPED")):
            return ""
    return ""


def _csv_cells(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error:
        return None


def _frame(table: _Table, stream: Stream, deadline: Deadline, units: Units) -> Frame:
    rows = list(_rows(table, stream, deadline))
    line = stream.numbers[table.start - 1]
    columns = {heading: _known(heading, table, units) for heading in table.headings}
    frame = build(rows, columns, units, line=line, title=table.title)
    if len(columns) < len(table.headings):
        return replace(frame, fault=misfit(line, _KIND))
    return replace(frame, footer=_shares(rows, table.headings))


def _rows(table: _Table, stream: Stream, deadline: Deadline) -> Iterator[Row]:
    """The rows down to an empty line; the last line of a file has to end."""
    for at in range(table.start, len(stream.lines)):
        if not at % _PACE:
            deadline.check()
        line, number = stream.lines[at], stream.numbers[at]
        if not line.strip() or line.startswith("```"):
            return
        cells = table.split(line)
        if cells is None or len(cells) != len(table.headings):
            yield Row({}, number, misfit(number, _KIND))
        elif not stream.ended(at):
            yield Row({}, number, cut("the row", number, "its line does not end", alone=True))
        else:
            yield Row(dict(zip(table.headings, cells, strict=True)), number)


def _known(heading: str, table: _Table, units: Units) -> str | Kind:
    """What a column is: its heading says so, in early versions the title or the column of total times."""
    if heading in _TEXTS:
        return Kind.TEXT
    unit = heading_unit(heading, units)
    if unit is not None:
        return unit.symbol
    if heading not in _BARE:
        return ""
    sizes = _SIZES.search(table.title)
    total = next((other for other in table.headings if other.startswith("Total Time")), "")
    unit = heading_unit(f"({sizes[1]})" if sizes is not None else total, units)
    return unit.symbol if unit is not None else ""


def _shares(rows: Sequence[Row], headings: Sequence[str]) -> Shares | None:
    """The sum of the shares; None where the table has none, or one of them is no number."""
    if not rows or not headings or not _SHARE.match(headings[0]):
        return None
    texts = [row.cells.get(headings[0], "") for row in rows]
    if not all(map(_PERCENT.fullmatch, texts)):
        return None
    return Shares(sum(map(Decimal, texts), Decimal(0)), Decimal(len(rows)) / 20)


NSYS_STATS = Reader(
    means="what `nsys stats` and `nsys profile --stats=true` print, as columns or as CSV, alone or in a log",
    content="holds a line `Executing '…' stats report`, or headings `Time (%)  Total Time (ns)`",
    rows="one line of a report; columns are its headings: `total_time_ns`, `num_calls`, `name`",
    columns=_COLUMNS,
    traps=(
        (
            "Each report is a table with the same headings: `table: cuda_api_sum` names it as the file "
            "does (`cudaapisum`, or `CUDA API Statistics`, in earlier versions); of two with one name the "
            "number says which."
        ),
        ("A report that was skipped, for lack of data, is no table: reading it is an error, and not 0."),
        (
            "Time in the API and time on the device are different: `cudaLaunchKernel` of `cuda_api_sum` is "
            "no kernel, and `cudaDeviceSynchronize` waits for all of them."
        ),
        (
            "Units are those of the headings: `--timeunit` changes them. Early versions head `Average` "
            "without one, which is that of `Total Time`, and sizes by KiB in the title, later ones by MB."
        ),
        (
            "Long names are cut, with `…` at their end, so that two kernels can look the same: then `take: "
            "only` refuses."
        ),
        (
            "Shares add up to 100 %. Where they do not, lines are missing (`head`): a take over several "
            "rows breaks, and other reads carry a note."
        ),
        "A file that ends in `.csv` and begins with `Processing [` needs `format: nsys-stats`.",
        "The boxes of `--format table` are not read.",
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
