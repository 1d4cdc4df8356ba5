"""What GNU `time -v` prints: one row for each command that was timed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "what GNU `time -v` prints"
_LABELS: dict[str, tuple[str, str | Kind]] = {
    "Command being timed": ("command", Kind.TEXT),
    "User time (seconds)": ("user", "s"),
    "System time (seconds)": ("system", "s"),
    "Percent of CPU this job got": ("cpu_percent", "%"),
    "Elapsed (wall clock) time (h:mm:ss or m:ss)": ("elapsed", "s"),
    "Average shared text size (kbytes)": ("average_shared_text", "KiB"),
    "Average unshared data size (kbytes)": ("average_unshared_data", "KiB"),
    "Average stack size (kbytes)": ("average_stack", "KiB"),
    "Average total size (kbytes)": ("average_total", "KiB"),
    "Maximum resident set size (kbytes)": ("max_resident", "KiB"),
    "Average resident set size (kbytes)": ("average_resident", "KiB"),
    "Major (requiring I/O) page faults": ("major_faults", ""),
    "Minor (reclaiming a frame) page faults": ("minor_faults", ""),
    "Voluntary context switches": ("voluntary_switches", ""),
    "Involuntary context switches": ("involuntary_switches", ""),
    "Swaps": ("swaps", ""),
    "File system inputs": ("inputs", ""),
    "File system outputs": ("outputs", ""),
    "Socket messages sent": ("messages_sent", ""),
    "Socket messages received": ("messages_received", ""),
    "Signals delivered": ("signals", ""),
    "Page size (bytes)": ("page_size", "bytes"),
    "Exit status": ("exit_status", ""),
}
_COLUMNS = {"ended": Kind.TEXT, **dict(_LABELS.values())}
_FIRST, _LAST = "Command being timed", "Exit status"
_BEGINS = f"\t{_FIRST}: "
_LINE = re.compile(r"\t(" + "|".join(map(re.escape, _LABELS)) + r"): (.*)$")
_ENDED = re.compile(r"Command (?:exited with non-zero status|terminated by signal|stopped by signal) \d+$")
_CLOCK = re.compile(r"(?:(\d+):)?(\d+):(\d+(?:\.\d+)?)$")
_NUMBER = re.compile(r"\d+(?:\.\d+)?$")


def _recognises(text: bytes) -> bool:
    return b"\tCommand being timed: " in text


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = list(_rows(content.shown_text.split("\n"), deadline))
    if not rows:
        raise other_format(_KIND, "no line `Command being timed:` stands in it")
    return (build(rows, _COLUMNS, units, line=rows[0].line),)


def _rows(lines: list[str], deadline: Deadline) -> Iterator[Row]:
    """One row from each first line of a report to its last."""
    at = 0
    while at < len(lines):
        deadline.check()
        start = next((n for n in range(at, len(lines)) if _BEGINS in lines[n]), None)
        if start is None:
            return
        # The command's own last line need not have ended: a progress bar's does not.
        lines[start] = lines[start][lines[start].index(_BEGINS) :]
        cells = {"ended": lines[start - 1].strip()} if start and _ENDED.search(lines[start - 1]) else {}
        try:
            at = _report(lines, start, cells)
            yield Row(cells, start + 1)
        except InputError as error:
            at = start + 1
            yield Row({}, start + 1, error)


def _report(lines: list[str], start: int, cells: dict[str, str]) -> int:
    """Fills in the cells of the report that begins at `start`; gives the line after its last."""
    at = start
    for at in range(start, len(lines)):
        found = _LINE.match(lines[at])
        if found is None or _LABELS[found[1]][0] in cells:
            break
        name, known = _LABELS[found[1]]
        cells[name] = found[2] if known is Kind.TEXT else _number(found[2], at + 1)
        if found[1] == _LAST:
            return at + 1
    raise cut("the report of `time -v`", start + 1, "its last line, `Exit status`, is not there", alone=True)


def _number(text: str, line: int) -> str:
    """The number of a cell: a clock's in seconds, empty for `?%`."""
    clock = _CLOCK.match(text)
    if clock is not None:
        hours, minutes, seconds = clock.groups()
        return str(Decimal(int(hours or 0) * 3600 + int(minutes) * 60) + Decimal(seconds))
    bare = text.removesuffix("%")
    if bare == "?":
        return ""
    if not _NUMBER.match(bare):
        raise misfit(line, _KIND)
    return bare


GNU_TIME = Reader(
    means="what GNU `time -v` prints on standard error, alone or in a log",
    content="holds a line `Command being timed:`",
    rows="one timed command",
    columns=_COLUMNS,
    traps=(
        "`Elapsed` is written as `h:mm:ss` or `m:ss`, by its length; `elapsed` is seconds.",
        "Sizes labelled `kbytes` are KiB.",
        "`max_resident` is that of the largest single process, not of all together.",
        (
            "GNU time 1.7, of 1996, gave four times the `max_resident` that there was; its output looks the"
            " same."
        ),
        (
            "A command that failed is timed like any other: `ended` holds the line that says so, "
            "`exit_status` its number."
        ),
        "`cpu_percent` is rounded down to a whole number, and empty where the clock did not move.",
        "A report without its last line is cut, and an error.",
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
