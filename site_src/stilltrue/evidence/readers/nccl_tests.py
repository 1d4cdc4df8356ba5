"""What nccl-tests and rccl-tests print: a table for each run, one row for each message size."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.readers.scanning import Stream, streams
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "what nccl-tests prints"
_OUT, _IN = "out_of_place_", "in_place_"
_TIMED: dict[str, str | Kind] = {"time": "us", "algbw": "GB/s", "busbw": "GB/s", "wrong": ""}
_COLUMNS: dict[str, str | Kind] = {
    "size": "bytes",
    "count": "",
    "type": Kind.TEXT,
    "redop": Kind.TEXT,
    "root": "",
    **{f"{place}{name}": unit for place in (_OUT, _IN) for name, unit in _TIMED.items()},
    "avg_busbw": "GB/s",
    "out_of_bounds": "",
}
_MORE: dict[str, str | Kind] = {
    f"{place}{name}": unit
    for place in (_OUT, _IN)
    for name, unit in (
        ("cputime", "us"),
        ("error", ""),
        ("i_min", "us"),
        ("i_max", "us"),
        ("i_p99", "us"),
        ("i_cv", "%"),
    )
}
_HEADER = re.compile(r" *# +size +count +type(?P<rest>(?: +[#\w%]+)+) *$")
_MARK = re.compile(rb"# +size +count +type ++[^\n]{0,200}\balgbw +busbw\b")
_ROW = re.compile(r" *\d+ +\d+ +[A-Za-z]")
_TORN = re.compile(
    r"\d +\d+ +(?:u?int\d+|half|float|double|bfloat16|(?:f8|fp8|float8)\w*)"
    r" +(?:[A-Za-z/]+ +)?(?:-?\d+ +)?\d[\d.e+]* +\d"
)
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$|-?nan$|-?inf$")
_AVERAGE = re.compile(r" *# Avg bus bandwidth +: (\S+)")
_BOUNDS = re.compile(r" *# Out of bounds values +: (\d+)")
_TITLE = re.compile(r" *# Collective test starting: (\S+)")
_LONGEST = 10_000
_PACE = 1024


class _Run(NamedTuple):
    """One run: the columns of its rows, the index of its headings, and its test where they say it."""

    columns: list[str]
    start: int
    title: str


def _recognises(text: bytes) -> bool:
    return _MARK.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    frames = [
        _frame(run, stream, end, deadline, units)
        for stream in streams(content.shown_text, deadline)
        for run, end in _runs(stream.lines, deadline)
    ]
    if not frames:
        raise other_format(_KIND, "no line `# size count type … algbw busbw …` stands in it")
    return tuple(sorted(frames, key=lambda frame: frame.line))


def _runs(lines: list[str], deadline: Deadline) -> Iterator[tuple[_Run, int]]:
    """Each run, and the index of the line before which it must have ended."""
    title, last = "", None
    for at, line in enumerate(lines):
        if not at % _PACE:
            deadline.check()
        if len(line) > _LONGEST or "#" not in line:
            continue
        named, header = _TITLE.match(line), _HEADER.fullmatch(line)
        if named is not None:
            title = named[1]
        elif header is not None and "busbw" in header["rest"]:
            if last is not None:
                yield last, at
            last = _Run(_headings(header["rest"].split()), at, title)
            title = ""
    if last is not None:
        yield last, len(lines)


def _headings(words: list[str]) -> list[str]:
    """The names of the columns: those that stand twice are out of place first, in place second."""
    names = ["size", "count", "type"]
    for word in words:
        name = word.strip("#%")
        place = "" if name in {"redop", "root", "timestamp"} else _OUT
        names.append(_IN + name if place + name in names else place + name)
    return names


def _frame(run: _Run, stream: Stream, end: int, deadline: Deadline, units: Units) -> Frame:
    footer: dict[str, str] = {}
    line = stream.numbers[run.start]
    rows = list(_rows(run, stream, end, footer, deadline))
    rows = [row._replace(cells={**row.cells, **footer}) if row.fault is None else row for row in rows]
    if "avg_busbw" not in footer:
        rows.append(
            Row({}, line, cut("the run", line, "no line `# Avg bus bandwidth` closes it", alone=True))
        )
    frame = build(rows, _COLUMNS | _MORE, units, line=line, title=run.title)
    twice = len(set(run.columns)) < len(run.columns)
    return replace(frame, fault=misfit(line, _KIND)) if twice else frame


def _rows(run: _Run, stream: Stream, end: int, footer: dict[str, str], deadline: Deadline) -> Iterator[Row]:
    """The rows of a run; what stands below them goes into `footer`."""
    for at in range(run.start + 1, end):
        if not at % _PACE:
            deadline.check()
        line, ends = stream.lines[at], stream.ended(at)
        average, bounds = _AVERAGE.match(line), _BOUNDS.match(line)
        if bounds is not None:
            footer["out_of_bounds"] = bounds[1]
        elif average is not None and ends:
            footer["avg_busbw"] = average[1]
            return
        elif _ROW.match(line):
            yield _row(run, line, stream.numbers[at], ends=ends)
        elif len(line) < _LONGEST and _TORN.search(line):  # printed behind what another process printed
            yield Row({}, stream.numbers[at], misfit(stream.numbers[at], _KIND))


def _row(run: _Run, line: str, number: int, *, ends: bool) -> Row:
    """One row; a time of day at its end is two words."""
    words = line.split() if len(line) < _LONGEST else []
    if "timestamp" in run.columns and len(words) == len(run.columns) + 1:
        words[-2:] = [" ".join(words[-2:])]
    if len(words) != len(run.columns):
        return Row({}, number, misfit(number, _KIND))
    if not ends:
        return Row({}, number, cut("the row", number, "its line does not end", alone=True))
    cells = {name: "" if word == "N/A" else word for name, word in zip(run.columns, words, strict=True)}
    numbers = [text for name, text in cells.items() if name.startswith((_OUT, _IN)) and text]
    if not all(_NUMBER.match(text) for text in numbers):
        return Row({}, number, misfit(number, _KIND))
    return Row(cells, number)


NCCL_TESTS = Reader(
    means="what nccl-tests and rccl-tests print, alone or in a log, below the prefix of a launcher too",
    content="holds a line `# size count type … algbw busbw …`",
    rows="one size of message; times out of place and in place are columns of their own",
    columns=_COLUMNS,
    traps=(
        (
            "`busbw` is `algbw` times a factor of the collective and of the number of ranks, for comparison "
            "with the hardware; `algbw` is size over time. They are not the same rate."
        ),
        (
            "`avg_busbw` is the mean over all sizes, small ones included, and over both places: it falls "
            "with the range that was asked for, and is no peak. It is the same in every row: `take: same`."
        ),
        "Bandwidths are decimal GB/s, times microseconds, `size` is bytes.",
        (
            "Early versions print `error`, the largest deviation, where later ones print `#wrong`, the "
            "number of wrong values: `out_of_place_error` and `out_of_place_wrong` tell them apart. `N/A`, "
            "without a check, is an empty cell."
        ),
        "With `-C` times are of the CPU: the column is called `out_of_place_cputime`.",
        "Several runs are several tables, called by their test where the version says it.",
        (
            "A run that no line `# Avg bus bandwidth` closes was cut or died, and breaks the reads that do "
            "not leave it out by its line."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
