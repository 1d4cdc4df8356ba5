"""The lines that DeepSpeed logs: its steps, its speed, and its timers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.readers.scanning import found_in, rank_before
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_COLUMNS: dict[str, str | Kind] = {
    "kind": Kind.TEXT,
    "rank": "",
    "step": "",
    "skipped": "",
    "lr": "",
    "mom": "",
    "epoch": "",
    "micro_step": "",
    "running_avg_samples_per_sec": "samples/s",
    "curr_samples_per_sec": "samples/s",
    "mem_allocated": "GiB",
    "max_mem_allocated": "GiB",
    "fwd_microstep": "ms",
    "bwd_microstep": "ms",
    "step_microstep": "ms",
}
_STEP = r"\bstep=(?=\d+, skipped=)"
_SPEED = r"(?=\b(?:epoch=\d+/micro_step=\d+/global_step=\d+|\d+/\d+), RunningAvgSamplesPerSec=)"
_TIMES = r"\[Rank \d+\] time \(ms\) \|(?= )"
_LINE = re.compile(rf"(?P<step>{_STEP})|(?P<speed>{_SPEED})|(?P<times>{_TIMES})")
_MARK = re.compile(rb"\bstep=\d+, skipped=\d+, lr=\[|, RunningAvgSamplesPerSec=|" + _TIMES.encode())
_NUMBER = r"[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|nan|inf)"
_LIST = rf"\[(?:{_NUMBER}(?:, {_NUMBER})*)?\]"
_STEP_LINE = re.compile(
    rf"(?P<step>\d+), skipped=(?P<skipped>\d+), lr=(?P<lr>{_LIST}), mom=(?P<mom>\[[^\[\]\n]{{0,4000}}\])\s*$"
)
_SPEED_LINE = re.compile(
    r"(?:epoch=(?P<epoch>\d+)/micro_step=(?P<micro_step>\d+)/global_step=(?P<step>\d+)"
    r"|(?P<old_epoch>\d+)/(?P<old_step>\d+))"
    rf", RunningAvgSamplesPerSec=(?P<average>{_NUMBER}), CurrSamplesPerSec=(?P<current>{_NUMBER})"
    rf"(?:, MemAllocated=(?P<memory>{_NUMBER})GB, MaxMemAllocated=(?P<most>{_NUMBER})GB)?\s*$"
)
_TIMER = re.compile(rf" ?(?P<name>\w[\w./-]{{0,80}}): (?P<value>{_NUMBER})\s*")
_LONGEST = 20_000


def _recognises(text: bytes) -> bool:
    return _MARK.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = list(_rows(content.shown_text, deadline))
    if not rows:
        raise other_format("a log of DeepSpeed", "no line `step=10, skipped=0, lr=[…]` stands in it")
    met = dict.fromkeys(heading for row in rows for heading in row.cells)
    known = _COLUMNS | {heading: "ms" for heading in met if heading not in _COLUMNS}
    return (build(rows, known, units, line=rows[0].line),)


def _rows(text: str, deadline: Deadline) -> Iterator[Row]:
    for found, line in found_in(text, _LINE, deadline):
        kind = found.lastgroup or ""
        rank = rank_before(text, found.end())
        begun = {"kind": kind} | ({"rank": rank} if rank else {})
        try:
            yield Row(begun | _CELLS[kind](_rest(text, found.end(), line), line), line)
        except InputError as error:
            yield Row({}, line, error)


def _rest(text: str, at: int, line: int) -> str:
    """What follows, to the end of the line."""
    end = text.find("\n", at, at + _LONGEST)
    if end < 0:
        raise cut("the record", line, "its line does not end", alone=True)
    return text[at:end]


def _step_cells(rest: str, line: int) -> dict[str, str]:
    found = _STEP_LINE.match(rest)
    if found is None:
        raise _broken(line)
    rates = found["lr"].strip("[]").split(", ")
    lr = rates[0] if len(set(rates)) == 1 else found["lr"]
    return {"step": found["step"], "skipped": found["skipped"], "lr": lr, "mom": found["mom"]}


def _speed_cells(rest: str, line: int) -> dict[str, str]:
    found = _SPEED_LINE.match(rest)
    if found is None:
        raise _broken(line)
    cells = {
        "epoch": found["epoch"] or found["old_epoch"],
        "micro_step": found["micro_step"],
        "step": found["step"] or found["old_step"],
        "running_avg_samples_per_sec": found["average"],
        "curr_samples_per_sec": found["current"],
        "mem_allocated": found["memory"],
        "max_mem_allocated": found["most"],
    }
    return {name: text for name, text in cells.items() if text is not None}


def _timer_cells(rest: str, line: int) -> dict[str, str]:
    """Timers; one that is called as a column of another line does gets `_ms` at its end."""
    cells: dict[str, str] = {}
    for part in rest.split("|"):
        found = _TIMER.fullmatch(part)
        if found is None:
            raise _broken(line)
        name = found["name"]
        name = name if _COLUMNS.get(name, "ms") == "ms" else f"{name}_ms"
        if name in cells:
            raise _broken(line)
        cells[name] = found["value"]
    return cells


def _broken(line: int) -> InputError:
    return cut(
        "the record", line, "something else was printed into it, or its version is not known", alone=True
    )


_CELLS: dict[str, Callable[[str, int], dict[str, str]]] = {
    "step": _step_cells,
    "speed": _speed_cells,
    "times": _timer_cells,
}

DEEPSPEED = Reader(
    means="the lines that DeepSpeed logs, among any other text",
    content="holds `step=10, skipped=0, lr=[`, `RunningAvgSamplesPerSec=` or `[Rank 0] time (ms) |`",
    rows="one line; `kind` says which: `step`, `speed` or `times`",
    columns=_COLUMNS,
    traps=(
        ("`MemAllocated=4.32GB` is binary: what it calls GB is GiB, and read as that."),
        (
            "`running_avg_samples_per_sec` is since the start, the first steps left out; "
            "`curr_samples_per_sec` is of the last step alone. Both count the samples of all ranks."
        ),
        ("`skipped` is the sum since the start: with a dynamic loss scale the first steps are no steps."),
        (
            "`lr` is one number where all groups of parameters have the same, else the list; `step` of "
            "`speed` lines is the `global_step`, of early versions the second number of `0/20`."
        ),
        (
            "Timers are milliseconds, columns by their name (`bwd_allreduce_microstep`); `fwd_microstep` is "
            "of one micro step, `fwd` of the whole step. The timer `step` is the column `step_ms`."
        ),
        "Logs of Megatron-DeepSpeed hold lines of both: say which with `format`.",
        "A line that another process printed into, or that the log ends in, is an error.",
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
