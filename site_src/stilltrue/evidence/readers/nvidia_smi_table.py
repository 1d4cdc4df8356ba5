"""The table that `nvidia-smi` prints without a query: one row for each card and moment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit, other_format
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "the table that `nvidia-smi` prints"
_COLUMNS: dict[str, str | Kind] = {
    "gpu": "",
    "name": Kind.TEXT,
    "bus_id": Kind.TEXT,
    "ecc_errors": "",
    "fan": "%",
    "temperature": "°C",
    "perf": Kind.TEXT,
    "power": "W",
    "power_cap": "W",
    "memory_used": "MiB",
    "memory_total": "MiB",
    "utilization": "%",
    "compute_mode": Kind.TEXT,
    "driver_version": Kind.TEXT,
    "cuda_version": Kind.TEXT,
}
_HEADER = re.compile(r" *\| NVIDIA-SMI \d[^|]*\| *")
_VERSIONS = {
    "driver_version": re.compile(r"\b(?:Driver|KMD) Version: (\d\S*)"),
    "cuda_version": re.compile(r"\bCUDA (?:UMD )?Version: (\d\S*)"),
}
_RULE = re.compile(r" *\|=[=+]*\| *")
# Below the two lines of a card: a rule, or the line that tells of MIG alone.
_UNDER = re.compile(r" *(?:\+-|\| +\|)")
_AFTER = re.compile(r" *\| (?:Processes|MIG devices):")
_CARD = re.compile(
    r"\| +(?P<gpu>\d+) +(?P<name>\S(?:[^|]*?\S)?) +\S+ *\| *(?P<bus_id>[\dA-Fa-f:.]+) +\S+ *"
    r"\| *(?P<ecc_errors>\d+|Off|N/A|ERR!) *\|"
)
_STATE = re.compile(
    r"\| *(?P<fan>\d+%|N/A|ERR!) +(?P<temperature>\d+C|N/A|ERR!) +(?P<perf>\S+)"
    r" +(?P<power>\d+W|N/A|ERR!) */ *(?P<power_cap>\d+W|N/A|ERR!) *"
    r"\| *(?:(?P<memory_used>\d+MiB|N/A) */ *(?P<memory_total>\d+MiB|N/A)|Not Supported|Unknown Error) *"
    r"\| *(?P<utilization>\d+%|N/A|ERR!) +(?P<compute_mode>[^|]*?) *\|"
)
_ABSENT = frozenset({"N/A", "ERR!", "Off"})
_ELSE = re.compile(rb" *(?:[|+][^\n]*|\w{3} \w{3} +\d+ [^\n]{5,40}|Every [^\n]{1,200})?\r?")
_BEGIN = 2048
_LONGEST = 1000


def _recognises(head: bytes) -> bool:
    """Whether nothing but such tables stands there: the log of a job that begins with one is no table."""
    return b"| NVIDIA-SMI " in head[:_BEGIN] and all(map(_ELSE.fullmatch, head.split(b"\n")[:-1]))


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    lines = content.shown_text.split("\n")
    starts = [at for at, line in enumerate(lines) if len(line) < _LONGEST and _HEADER.fullmatch(line)]
    if not starts:
        raise other_format(_KIND, "no line `| NVIDIA-SMI … Driver Version: …` stands in it")
    rows: list[Row] = []
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        deadline.check()
        rows += _rows(lines, start, end)
    return (build(rows, _COLUMNS, units, line=starts[0] + 1),)


def _rows(lines: list[str], start: int, end: int) -> Iterator[Row]:
    """The cards of one table, which the list of processes follows."""
    said = {name: pattern.search(lines[start]) for name, pattern in _VERSIONS.items()}
    shared = {name: found[1] for name, found in said.items() if found is not None}
    at = next((at for at in range(start, end) if _RULE.fullmatch(lines[at][:_LONGEST])), end) + 1
    while at < end and lines[at].strip():
        cells = _card(lines[at], lines[at + 1]) if at + 1 < end else {}
        if cells:
            yield Row(cells | shared, at + 1)
        elif not _UNDER.match(lines[at]):
            yield Row({}, at + 1, misfit(at + 1, _KIND))
        at += 2 if cells else 1
    if not any(_AFTER.match(line) for line in lines[at:end]):
        why = "no list of processes follows it"
        yield Row({}, start + 1, cut("the table", start + 1, why, alone=True))


def _card(first: str, second: str) -> dict[str, str]:
    """The cells of a card by its two lines; none where they are not of one."""
    if len(first) > _LONGEST or len(second) > _LONGEST:
        return {}
    card, state = _CARD.fullmatch(first.strip()), _STATE.fullmatch(second.strip())
    if card is None or state is None:
        return {}
    cells = {name: text or "" for name, text in (card.groupdict() | state.groupdict()).items()}
    cells = {name: "" if text in _ABSENT else text for name, text in cells.items()}
    return cells | {"temperature": cells["temperature"].replace("C", " °C")}


NVIDIA_SMI_TABLE = Reader(
    means="the table that `nvidia-smi` prints without a query, once or again and again",
    content="holds nothing but tables that begin with `| NVIDIA-SMI …`",
    rows="one card at one moment",
    columns=_COLUMNS,
    traps=(
        "Values are of one moment, most often before or after the run: `nvidia-smi --query-gpu` logs it.",
        (
            "`utilization` is the share of time in which any kernel ran; `memory_used` is what processes "
            "reserved, on all of the card. `MiB` are 1024-based."
        ),
        "Long names are cut, with `...` at their end.",
        "`N/A`, `ERR!` and `Not Supported` are empty cells, never 0; so is `ecc_errors` where ECC is off.",
        "Several cards, or moments, are several rows: narrow with `where: gpu = 0`, or by `line`.",
        "Processes and MIG devices are no rows: read them with `match`.",
        (
            "A log that holds other text too, as most that begin with such a table, is not taken for one: "
            "say `format: nvidia-smi-table`."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
)
