"""Messages of torch that memory ran out: one row for each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.readers.scanning import found_in, rank_before
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_COLUMNS: dict[str, str | Kind] = {
    "backend": Kind.TEXT,
    "rank": "",
    "gpu": "",
    **dict.fromkeys(
        (
            *("requested", "capacity", "free", "in_use", "allowed", "allocated", "private_pools"),
            *("reserved_unallocated", "reserved", "cached"),
        ),
        "",
    ),
}
_START = re.compile(
    r"\b(?P<backend>CUDA|HIP|XPU|NPU|MPS backend) out of memory(?=\. Tried to allocate | \(MPS allocated: )"
)
_MARK = re.compile(_START.pattern.encode())
_SIZE = r"(\d+(?:\.\d+)? (?:[KMGT]i?B|bytes))"
_FIELDS = tuple(
    (name, re.compile(pattern.replace("SIZE", _SIZE)))
    for name, pattern in (
        ("requested", r"Tried to allocate SIZE(?=[. ]| on )"),
        ("gpu", r"(?:\(|\. )(?:GPU|NPU) (\d+)(?=;| has )"),
        ("capacity", r"has a total capac(?:i)?ty of SIZE|; SIZE total capacity;"),
        ("free", r"of which SIZE is free\.|; SIZE free;"),
        ("in_use", r"this process has SIZE memory in use\."),
        ("allowed", r"(?:; |\. )SIZE allowed(?=[;.])|max allowed: SIZE\)"),
        (
            "allocated",
            r"allocated memory SIZE is allocated by PyTorch|; SIZE already allocated;|MPS allocated: SIZE",
        ),
        ("private_pools", r"with SIZE allocated in private pools"),
        ("reserved_unallocated", r"and SIZE is reserved by PyTorch but unallocated"),
        ("reserved", r"; SIZE reserved in total by PyTorch\)"),
        ("cached", r"; SIZE cached\)"),
        ("other", r"other allocations: SIZE"),
    )
)
_PROCESS = re.compile(rf"\bProcess (\d+) has {_SIZE} memory in use\.")
_LAST = re.compile(
    r"reserved by PyTorch but unallocated|reserved in total by PyTorch\)|B cached\)| on \w+ pool\b"
)
_BINARY = re.compile(r" ([KMGT])B$")
_LONGEST = 4000


def _recognises(text: bytes) -> bool:
    return _MARK.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = list(_rows(content.shown_text, deadline))
    if not rows:
        raise other_format("a message of torch", "no `out of memory. Tried to allocate …` stands in it")
    return (build(rows, _COLUMNS, units, line=rows[0].line),)


def _rows(text: str, deadline: Deadline) -> Iterator[Row]:
    for found, line in found_in(text, _START, deadline):
        said = _message(text, found.start(), found.end())
        if _LAST.search(said) is None:
            why = "it does not say how much is reserved, which is its end"
            yield Row({}, line, cut("the message", line, why, alone=True))
        else:
            cells = {"backend": found["backend"].removesuffix(" backend"), **_cells(said)}
            rank = rank_before(text, found.start())
            yield Row(cells | ({"rank": rank} if rank else {}), line)


def _message(text: str, start: int, after: int) -> str:
    """The message: to the end of its line, or to where another begins."""
    end = text.find("\n", after, after + _LONGEST)
    following = _START.search(text, after, after + _LONGEST)
    stops = [end if end >= 0 else after + _LONGEST, *([following.start()] if following else [])]
    return text[start : min(stops)]


def _cells(said: str) -> dict[str, str]:
    cells: dict[str, str] = {}
    for name, pattern in _FIELDS:
        found = pattern.search(said)
        if found is not None:
            cells[name] = _size(next(text for text in found.groups() if text is not None))
    for number, process in enumerate(_PROCESS.finditer(said), 1):
        cells[f"process_{number}"] = process[1]
        cells[f"process_{number}_in_use"] = _size(process[2])
    return cells


def _size(text: str) -> str:
    """A size with its unit; MPS wrote `GB` for what it had divided by 1024 three times."""
    return _BINARY.sub(r" \1iB", text)


OUT_OF_MEMORY = Reader(
    means="messages of torch that a device's memory ran out (CUDA, HIP, XPU, NPU, MPS), in any log",
    content="holds `out of memory. Tried to allocate`",
    rows="one message",
    columns=_COLUMNS,
    traps=(
        (
            "Every rank prints its own, at a moment of its own, and asks for different sizes: count with "
            "`where: requested = 98 * 1048576` and `take: count` (sizes are compared in bytes)."
        ),
        (
            "One failure can be printed twice, by the rank and by its launcher: count the different `rank`s "
            "there are, or narrow to lines that have one."
        ),
        "`rank` is what the launcher writes before the message (`[rank5]:`, `5: `), `gpu` what torch says.",
        (
            "torch says what is reserved and not allocated (`reserved_unallocated`); earlier versions said "
            "all that is reserved (`reserved`), the first ones `cached`: three columns, three things."
        ),
        (
            "`in_use` is of the process itself, with what torch does not manage; of others there are "
            "`process_1` and `process_1_in_use`, and so on. In a container a process can be its own other."
        ),
        "Sizes are binary, also where MPS once wrote `GB`; `0 bytes` free is a reading.",
        "`free` can be more than was asked for, where it is in pieces.",
        (
            "A message without its end is cut, and an error; `CUDA error: out of memory` has no sizes and is "
            "no row."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
