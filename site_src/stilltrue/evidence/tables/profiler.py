"""The tables that `torch.profiler` prints (`key_averages().table()`): text to tables.

Headings and layout are those of `torch.autograd.profiler_util._build_table` and of its earlier versions; the
word for the device (`CUDA`, `XPU`, `HPU`, `Device`) is read from the headings.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.evidence.tables.frames import Column, Frame, Kind, StoredGrid
from stilltrue.evidence.tables.headings import column_names
from stilltrue.evidence.tables.kernels import DEVICE, kernel_footer, kernel_rows
from stilltrue.quantity import Unit, Units

_RULE = re.compile(r"-{4,}(?:  -{4,}){2,} *$")
_DASHES = re.compile(r"-+")
_GAP = re.compile(r" {2,}")
_HEADINGS = re.compile(r"Name {2,}.*\bCPU total\b")
_WIDEST = 20_000
_DEVICE_WORD = re.compile(r"(?:Self (?!CPU\b)(\w+)|(?!CPU\b)(\w+) (?:total|time avg))$")
_FLOPS = re.compile(r"Total ([KMGTP]?FLOPs)$")
_NUMBER = re.compile(r"[0-9]+\.[0-9]+|--")
_TEXTS = frozenset({"name", "overload_name", "input_shapes", "source_location"})
_RENAMED = {
    "of_calls": "calls",
    "number_of_calls": "calls",
    "self_cpu_total": "self_cpu",
    "self_cpu_total_percent": "self_cpu_percent",
}
_NO_DEVICE = "no device was profiled, or nothing ran on it: record the profile with the device's activity"
_TOP_LEVEL = "This report only display top-level ops statistics"
_LONGEST_TITLE = 200


def parse_profiler(text: str, units: Units) -> tuple[Frame, ...]:
    """All tables of a text, in its order.

    A table that is cut off, or has a line that fits no row, is kept with its fault: it breaks the claims
    that read it and no others.

    Raises:
        InputError: The text holds no such table.
    """
    starts = list(_header_lines(text))
    if not starts:
        raise InputError(
            "bad-table",
            "the file holds no whole `torch.profiler` table",
            "check that it was written to the end; name another `format`, or read it with `match`",
        )
    lines = text.split("\n")
    return tuple(_frame(lines, start, units) for start in starts)


def is_profiler(text: str) -> bool:
    """Whether a text holds such a table."""
    return next(_header_lines(text), None) is not None


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the columns of a table stand, and what they are called.

    Attributes:
        header: The line of the headings, from 0.
        spans: The first and the last character of each column, from its dashes.
        headings: As printed.
        names: The name of each column.
        device: The word for the device in the headings, empty where there is none.
    """

    header: int
    spans: tuple[tuple[int, int], ...]
    headings: tuple[str, ...]
    names: tuple[str, ...]
    device: str


class _Body(NamedTuple):
    """The rows of a table, the line of each, the line after the closing rule, and what is wrong with it."""

    rows: list[list[str]]
    lines: list[int]
    end: int
    fault: InputError | None


def _header_lines(text: str) -> Iterator[int]:
    """The lines, from 0, that hold headings with a rule below them; each line is looked at once."""
    at = line = counted = 0
    while (at := text.find("CPU total", at)) >= 0:
        start = text.rfind("\n", 0, at) + 1
        end = text.find("\n", at)
        if end < 0:
            return
        below = text.find("\n", end + 1)
        rule = text[end + 1 : below if below >= 0 else None]
        narrow = max(end - start, len(rule)) < _WIDEST
        if narrow and _HEADINGS.search(text, start, end) and _RULE.search(rule):
            line += text.count("\n", counted, start)
            counted = start
            yield line
        at = end


def _frame(lines: Sequence[str], header: int, units: Units) -> Frame:
    layout = _layout(lines, header)
    fault = _misruled(layout)
    if fault is not None:
        return Frame((), StoredGrid((), ()), header + 1, fault=fault)
    body = _body(lines, layout)
    columns = [_column(*pair, units) for pair in zip(layout.names, layout.headings, strict=True)]
    footer = None
    if layout.device:
        flags = kernel_rows(layout.names, body.rows)
        footer = kernel_footer(layout.device, layout.names, body.rows, flags, lines[body.end : body.end + 4])
        columns.append(Column(DEVICE, kind=Kind.FLAG))
        for row, flag in zip(body.rows, flags, strict=True):
            row.append("1" if flag else "")
    grid = StoredGrid(body.rows, body.lines)
    lacks = "" if layout.device else _NO_DEVICE
    return Frame(tuple(columns), grid, header + 1, _title(lines, header), footer, body.fault, lacks=lacks)


def _misruled(layout: _Layout) -> InputError | None:
    """What is wrong with headings and the rule below them: a damaged rule covers some of them alone."""
    headings, columns = len(layout.headings), len(layout.spans)
    if headings == columns and "name" in layout.names:
        return None
    why = f"{headings} headings over {columns} columns" if headings != columns else "no column `Name`"
    line = layout.header + 1
    return InputError(
        "bad-table", f"the table in line {line} has {why}", "restore the file as its tool wrote it", line=line
    )


def _layout(lines: Sequence[str], header: int) -> _Layout:
    rule = lines[header + 1]
    found = _RULE.search(rule)
    spans = tuple(dashes.span() for dashes in _DASHES.finditer(rule, found.start() if found else 0))
    headings = tuple(_GAP.split(lines[header][spans[0][0] :].strip()))
    words = (_DEVICE_WORD.match(heading) for heading in headings)
    device = next((word[1] or word[2] for word in words if word), "")
    return _Layout(header, spans, headings, _names(headings, device), device)


def _names(headings: Sequence[str], device: str) -> tuple[str, ...]:
    """The names of columns: the same for every version of torch and every device."""
    word = re.compile(rf"\b{re.escape(device)}\b" if device else r"(?!)")
    plain = [_FLOPS.sub("Total FLOPs", word.sub("Device", heading)) for heading in headings]
    return tuple(_RENAMED.get(name, name) for name in column_names(plain))


def _column(name: str, heading: str, units: Units) -> Column:
    if name in _TEXTS:
        return Column(name, heading, kind=Kind.TEXT)
    if name.endswith("_mem"):
        return Column(name, heading, kind=Kind.BYTES)
    flops = _FLOPS.search(heading)
    return Column(name, heading, _flops(flops[1], units) if flops else None)


def _flops(word: str, units: Units) -> Unit | None:
    """The unit of a FLOP column, whose prefix torch chooses for each table."""
    return units.parse(word.replace("KFLOPs", "kFLOPs"))


def _body(lines: Sequence[str], layout: _Layout) -> _Body:
    rows: list[list[str]] = []
    numbers: list[int] = []
    stacks = "source_location" in layout.names
    for at in range(layout.header + 2, len(lines)):
        line = lines[at]
        if "----" in line and _RULE.search(line):
            return _Body(rows, numbers, at + 1, None)
        if stacks and not line.strip():
            continue
        cells = _cells(line, layout)
        if cells is None:
            fault = (
                _misfit(at, layout) if any(text.strip() for text in lines[at + 1 : at + 3]) else _cut(layout)
            )
            return _Body(rows, numbers, at, fault)
        if stacks and not any(cells[:-1]):
            continue  # a further frame of the stack above
        rows.append(cells)
        numbers.append(at + 1)
    return _Body(rows, numbers, len(lines), _cut(layout))


def _cells(line: str, layout: _Layout) -> list[str] | None:
    """The cells of a row; None when the line is no row of this table."""
    spans = layout.spans
    if any(line[end:start].strip() for (_, end), (start, _) in pairwise(spans)):
        # A cell wider than its column pushes the rest to the right: two spaces still part them.
        cells = _GAP.split(line[spans[0][0] :].strip())
        if len(cells) != len(spans):
            return None
    else:
        cells = [line[start:end].strip() for start, end in spans[:-1]]
        cells.append(line[spans[-1][0] :].strip())
    if not cells[0] and "source_location" not in layout.names:
        return None
    return _unswapped(cells, layout.names)


def _unswapped(cells: list[str], names: Sequence[str]) -> list[str]:
    """The cells in the order of the headings.

    With stacks and FLOPs, torch prints the headings in one order and the cells in the other.
    """
    if "total_flops" not in names:
        return cells
    flops = names.index("total_flops")
    if "source_location" in names:
        source = names.index("source_location")
        if _NUMBER.fullmatch(cells[source]):
            cells[source], cells[flops] = cells[flops], cells[source]
    if cells[flops] == "--":
        cells[flops] = ""
    return cells


def _cut(layout: _Layout) -> InputError:
    line = layout.header + 1
    return InputError(
        "bad-table",
        f"the table in line {line} is cut off: no rule closes it",
        "restore the file as its tool wrote it, or record it anew",
        line=line,
    )


def _misfit(at: int, layout: _Layout) -> InputError:
    return InputError(
        "bad-table",
        f"line {at + 1} is no row of the table in line {layout.header + 1}",
        "something else was printed into the table: restore it as torch wrote it",
        line=at + 1,
    )


def _title(lines: Sequence[str], header: int) -> str:
    """The line right above a table, such as the `header` torch was asked to print; empty if there is none."""
    above = header - 1
    if above >= 0 and _RULE.search(lines[above]):
        above -= 1
    if above > 0 and lines[above].strip() == _TOP_LEVEL:
        above -= 2
    title = lines[above].strip() if above >= 0 else ""
    own = _RULE.search(title) or " time total:" in title
    wordless = not any(sign.isalnum() for sign in title[:_LONGEST_TITLE])
    return "" if own or wordless or len(title) > _LONGEST_TITLE else title
