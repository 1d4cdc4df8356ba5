"""The lines that Megatron-LM logs: one row for each `iteration … |` and each validation."""

from __future__ import annotations

import re
from collections.abc import Iterator

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.readers.scanning import found_in
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.evidence.tables.headings import column_name, heading_unit
from stilltrue.quantity import Units

_TRAINING, _EVALUATION = "training", "evaluation"
_COLUMNS: dict[str, str | Kind] = {
    "kind": Kind.TEXT,
    "iteration": "",
    "iterations": "",
    "consumed samples": "",
    "consumed tokens": "",
    "elapsed time per iteration (ms)": "ms",
    "throughput per GPU (TFLOP/s/GPU)": "TFLOP/s/GPU",
    "learning rate": "",
    "global batch size": "",
    "lm loss": "",
    "loss scale": "",
    "grad norm": "",
    "num zeros": "",
    "params norm": "",
    "number of skipped iterations": "",
    "number of nan iterations": "",
    "samples per second": "samples/s",
    "TFLOPs": "TFLOP/s",
    "on": Kind.TEXT,
    "lm loss value": "",
    "lm loss PPL": "",
}
_BY_NAME = {column_name(heading): heading for heading in _COLUMNS}
_LINE = re.compile(
    r"\biteration(?: +|= *)(?P<iteration>\d+)/ *(?P<iterations>\d+|infinity) \|"
    r"|\bvalidation loss at (?:iteration (?P<at>\d+)|the end of training)"
    r"(?: (?:(?:on|for) )?(?P<on>\[?[\w .-]{1,60}\]?))? \|"
)
_MARK = re.compile(
    rb"\biteration(?: +|= *)\d+/ *(?:\d+|infinity) \| *(?:consumed|elapsed)"
    rb"|\bvalidation loss at (?:iteration \d+|the end of training)[\w .\[\]-]{0,80} \| *\S{1,40} loss value:"
)
_NAME = re.compile(r"[^:=\[\]{}<>\"']{1,120}(?=[:=])")
_VALUE = re.compile(r"[^\[\]{}<>\"']{1,120}")
_BARE = re.compile(r"(learning rate|lm loss|loss scale) (\S{1,40})")
_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|nan|inf)(?:/\d+(?:\.\d+)?)?")
_LONGEST = 20_000
_BROKEN = "a part of it is no `name: value`, or it does not end in `|`"


def _recognises(text: bytes) -> bool:
    return _MARK.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = list(_rows(content.shown_text, deadline))
    if not rows:
        raise other_format("a log of Megatron-LM", "no line `iteration 10/ 100 | …` stands in it")
    met = dict.fromkeys(heading for row in rows for heading in row.cells)
    known = _COLUMNS | {
        heading: unit.symbol
        for heading in met
        if heading not in _COLUMNS and (unit := heading_unit(heading, units)) is not None
    }
    return (build(rows, known, units, line=rows[0].line),)


def _rows(text: str, deadline: Deadline) -> Iterator[Row]:
    for found, line in found_in(text, _LINE, deadline):
        cells = {"kind": _TRAINING if found["iteration"] else _EVALUATION}
        said = {
            "iteration": found["iteration"] or found["at"],
            "iterations": found["iterations"],
            "on": found["on"],
        }
        cells |= {name: value for name, value in said.items() if value and value != "infinity"}
        try:
            yield Row(cells | _cells(text, found.end(), line), line)
        except InputError as error:
            yield Row({}, line, error)


def _cells(text: str, at: int, line: int) -> dict[str, str]:
    """The cells of the parts between the bars, to the end of the line, which is one."""
    end = text.find("\n", at, at + _LONGEST)
    if end < 0:
        raise cut("the record", line, "its line does not end", alone=True)
    *parts, rest = text[at:end].split("|")
    cells: dict[str, str] = {}
    for part in parts:
        name, value = _named(part.strip())
        heading = _heading(name)
        if not value or heading in cells or not _fits(heading, value):
            raise cut("the record", line, _BROKEN, alone=True)
        cells[heading] = value
    if rest.strip() or not parts:
        raise cut("the record", line, _BROKEN, alone=True)
    return cells


def _named(part: str) -> tuple[str, str]:
    """The name and the value of a part; the first versions put no colon after some names."""
    name, bare = _NAME.match(part), _BARE.fullmatch(part)
    if name is None:
        return (bare[1], bare[2]) if bare is not None else ("", "")
    value = part[name.end() + 1 :].strip()
    return name[0].strip(), value if _VALUE.fullmatch(value) else ""


def _heading(name: str) -> str:
    """A column's heading; forks write `elapsed_time_per_iteration_ms` for the one with blanks."""
    return _BY_NAME.get(column_name(name), name)


def _fits(heading: str, value: str) -> bool:
    """What is known to be a number must be one; two with a stroke between are the last and the mean."""
    return heading not in _COLUMNS or _NUMBER.fullmatch(value) is not None


MEGATRON = Reader(
    means="the lines that Megatron-LM and its forks log, among any other text",
    content="holds a line `iteration 10/ 100 | consumed samples: … |`",
    rows="one line of training, or one of validation",
    columns=_COLUMNS,
    traps=(
        (
            "Lines of training and of validation are told apart by `kind`: `training` or `evaluation`; the "
            "latter have `lm_loss_value` and `lm_loss_ppl`, and `on` where the version says which set."
        ),
        (
            "Times and losses are means since the line before, learning rate and norms are of that one. "
            "The first line holds the start-up: leave it out with `iteration > …`."
        ),
        (
            "Skipped iterations (`number_of_skipped_iterations`) are in the time and not in the loss; while "
            "the loss scale falls, a line may have no loss at all."
        ),
        (
            "`throughput_per_gpu_tflop_s_gpu` is a rate for one card, of FLOPs that a formula counts; "
            "Megatron-DeepSpeed calls it `TFLOPs`, a rate too."
        ),
        (
            "Units are those of the line, `elapsed_time_per_iteration_ms`; where a fork prints the last "
            "value and the mean as `13100.0/13240.9`, the reading is both, and agrees with neither."
        ),
        "A run that was resumed holds an iteration twice: `take: only` refuses, and says where.",
        (
            "A line that another process printed into, or that the log ends in, is an error, and none is "
            "left out. The timers below it are read with `match`."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
