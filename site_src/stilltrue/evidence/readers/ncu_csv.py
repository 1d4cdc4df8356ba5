"""What `ncu --csv` prints: a row for each metric, or with `--page raw` one for each kernel launch."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.ncu_metrics import COLUMNS, decimal_mark, value_cell, with_values
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.tables.frames import Frame
from stilltrue.quantity import Units

_KIND = "what `ncu --csv` prints"
_NAMES = {
    "ID": "id",
    "Process ID": "process",
    "Kernel Name": "kernel",
    "Context": "context",
    "Stream": "stream",
    "Grid Size": "grid",
    "Block Size": "block",
    "Device": "device",
    "CC": "cc",
    "Section Name": "section",
    "Metric Name": "metric",
    "Metric Unit": "unit",
    "Metric Value": "value",
}
_LEFT_OUT = frozenset({"Rule Name", "Rule Type", "Rule Description", "Estimated Speedup Type"}) | {
    "Estimated Speedup"
}
_HEADER = re.compile(r'^"ID",(?:"[^"\n]{1,200}",){0,20}"Kernel Name"[^\n]*$', re.MULTILINE)
_MARK = re.compile(_HEADER.pattern.encode(), re.MULTILINE)
_PACE = 4096

Lines = list[tuple[list[str], int]]


def _recognises(head: bytes) -> bool:
    return _MARK.search(head) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    text = content.shown_text
    header = _HEADER.search(text)
    headings = _cells(header[0]) if header is not None else None
    if header is None or headings is None or len(set(headings)) < len(headings):
        raise other_format(_KIND, 'no line `"ID",…,"Kernel Name",…` stands in it')
    line = text.count("\n", 0, header.start()) + 1
    body = list(_lines(text[header.end() + 1 :], headings, line + 1, deadline))
    if "Metric Name" in headings and not {"Metric Unit", "Metric Value"} <= set(headings):
        raise other_format(_KIND, "its headings lack `Metric Unit` or `Metric Value`", line)
    if "Metric Name" in headings:
        return (_long(body, units, line),)
    return (_wide(headings, body, units, line),)


def _lines(text: str, headings: list[str], first: int, deadline: Deadline) -> Iterator[Row]:
    """Each line below the headings as a row of its texts; what ncu says of itself is none."""
    lines = text.split("\n")
    for number, line in enumerate(lines, first):
        if not number % _PACE:
            deadline.check()
        if not line.strip() or line.startswith("=="):
            continue
        cells = _cells(line)
        if cells is None or len(cells) != len(headings):
            yield Row({}, number, misfit(number, _KIND))
        elif number == first + len(lines) - 1:
            yield Row({}, number, cut("the row", number, "its line does not end", alone=True))
        else:
            yield Row(dict(zip(headings, cells, strict=True)), number)


def _cells(line: str) -> list[str] | None:
    try:
        return next(csv.reader([line], strict=True))
    except csv.Error:
        return None


def _named(cells: Mapping[str, str]) -> dict[str, str]:
    return {_NAMES.get(name, name): text for name, text in cells.items() if name not in _LEFT_OUT}


def _long(body: list[Row], units: Units, line: int) -> Frame:
    """One row for each metric; the advice that `ncu` mixes in has no metric."""
    rows = [row._replace(cells=_named(row.cells)) for row in body]
    rows = [row for row in rows if row.fault is not None or row.cells["metric"]]
    mark = decimal_mark(row.cells.get("value", "") for row in rows)
    return build(with_values(rows, mark), COLUMNS, units, line=line)


def _wide(headings: list[str], body: list[Row], units: Units, line: int) -> Frame:
    """One row for each launch; the first line below the headings holds their units."""
    if not body or body[0].fault is not None or body[0].cells["ID"]:
        raise other_format(_KIND, "no line with the units stands below its headings", line)
    printed, rows = body[0].cells, body[1:]
    metrics = [name for name in headings if name not in _NAMES]
    mark = decimal_mark(row.cells[name] for row in rows if row.cells for name in metrics)
    made = [
        row._replace(
            cells=_named(row.cells)
            | {name: value_cell(row.cells[name], printed[name], mark) for name in metrics if row.cells}
        )
        for row in rows
    ]
    known = {name: COLUMNS[name] for heading, name in _NAMES.items() if heading in headings}
    return build(made, known, units, line=line)


NCU_CSV = Reader(
    means="what `ncu --csv` prints, with `--page raw` or without, below what the program printed or alone",
    content='has a line that begins with `"ID",` and holds `"Kernel Name"`',
    rows=(
        "one metric of one launch of a kernel; with `--page raw` one launch, its metrics are columns "
        "(`gpu_time_duration_sum`)"
    ),
    columns=COLUMNS,
    traps=(
        (
            "The traps of the sections are here too: one metric in several sections, units that change "
            "with the version and the size of the value, decimal `Kbyte`, launches beside one another."
        ),
        "Rows of advice (`Rule Name`) have no metric and are left out.",
        "`n/a` is an empty cell, never 0; where a metric has no unit, its number is bare.",
        (
            "Numbers have thousands separators, in some locales points, with a decimal comma: those that can "
            "be read in one way alone decide for the whole file."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".csv",),
)
