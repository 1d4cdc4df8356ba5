"""What `nvidia-smi --query-gpu=… --format=csv` prints: one row for each card and moment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.tables.headings import heading_unit
from stilltrue.quantity import Units

_KIND = "what `nvidia-smi --query-gpu=… --format=csv` prints"
_WORD = r"[a-z_0-9]+(?:\.[a-z_0-9]+)*"
_HEADER = re.compile(rf"(?:{_WORD}(?: \[[A-Za-z%]+\])?, )*{_WORD}(?: \[[A-Za-z%]+\])?")
_OWN = re.compile(
    r"\b(?:(?:utilization|temperature|memory|clocks|power|pcie|ecc)\.[a-z]|used_gpu_memory|gpu_(?:name|uuid)\b)"
)
_ABSENT = frozenset(
    {
        "[N/A]",
        "N/A",
        "[Not Supported]",
        "[Unknown Error]",
        "[GPU requires reset]",
        "[Insufficient Permissions]",
    }
)
_TEXTS = frozenset(
    {
        "timestamp",
        "name",
        "gpu_name",
        "uuid",
        "gpu_uuid",
        "serial",
        "gpu_serial",
        "pci.bus_id",
        "driver_version",
        "vbios_version",
        "pstate",
    }
)
_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(sorted(_TEXTS), Kind.TEXT),
    "temperature.gpu": "°C",
    "temperature.memory": "°C",
}
_LONGEST = 10_000
_PACE = 4096


def _recognises(head: bytes) -> bool:
    first = head.split(b"\n", 1)[0].decode("utf-8", "replace").rstrip()
    return _is_header(first) and _OWN.search(first) is not None


def _is_header(line: str) -> bool:
    return len(line) < _LONGEST and _HEADER.fullmatch(line) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    text = content.shown_text
    header, _, body = text.partition("\n")
    if (", " not in header and _OWN.search(header) is None) or not _is_header(header.rstrip()):
        raise other_format(_KIND, "its first line does not name the queried properties", 1)
    headings = header.rstrip().split(", ")
    if len(set(headings)) < len(headings):
        raise other_format(_KIND, "its first line names a property twice", 1)
    if body and not body.endswith("\n"):
        raise cut("the row", body.count("\n") + 2, "its line does not end")
    columns = dict(_COLUMNS) | {name: unit.symbol for name in headings if (unit := heading_unit(name, units))}
    return (build(list(_rows(body, headings, deadline)), columns, units),)


def _rows(body: str, headings: list[str], deadline: Deadline) -> Iterator[Row]:
    """The rows; headings that stand between them, where a log was appended to, are left out."""
    for number, line in enumerate(body.split("\n"), 2):
        if not number % _PACE:
            deadline.check()
        cells = line.rstrip().split(", ")
        if not line.strip() or cells == headings:
            continue
        if len(cells) != len(headings):
            raise _unfit(line, number)
        yield Row(
            {name: "" if text in _ABSENT else text for name, text in zip(headings, cells, strict=True)},
            number,
        )


def _unfit(line: str, number: int) -> InputError:
    if _is_header(line.rstrip()):
        return InputError(
            "bad-table",
            f"from line {number} on other properties were queried than before",
            "keep each query in a file of its own",
            line=number,
        )
    return misfit(number, _KIND)


NVIDIA_SMI = Reader(
    means="what `nvidia-smi --query-gpu=… --format=csv` prints, with `nounits` or without",
    content="begins with a line of properties such as `memory.used [MiB]`",
    rows="one card at one moment; columns are the properties as CSV names them: `memory_used_mib`",
    columns=_COLUMNS,
    traps=(
        (
            "`utilization.gpu` is the share of time in which any kernel ran, not how much of the card was "
            "busy."
        ),
        (
            "`memory.used` is what processes reserved, caches included, not what tensors take; `MiB` are "
            "1024-based."
        ),
        "`[N/A]`, `[Not Supported]` and errors in brackets are empty cells, never 0.",
        'Several cards take turns, row by row: narrow with `where: "index" = 0`.',
        (
            "Headings that stand again in the middle, where a log was appended to, are no rows; other "
            "headings are an error."
        ),
        "The table that `nvidia-smi` prints without a query is `nvidia-smi-table`.",
        "With `noheader` there is nothing to know it by: read it as `csv` with `header: no`.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".csv",),
)
