"""A metric as MLflow's file store keeps it: a line for each time it was logged."""

from __future__ import annotations

import re

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, misfit
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "a metric of MLflow"
_COLUMNS: dict[str, str | Kind] = {
    "timestamp": "",
    "value": "",
    "step": "",
    "dataset_name": Kind.TEXT,
    "dataset_digest": Kind.TEXT,
}
_VALUE = r"[+-]?(?:[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|nan|inf)"
_LINE = re.compile(rf"([0-9]{{9,14}}) ({_VALUE})(?: (-?[0-9]+)(?: (\S+) (\S+))?)?")
_FIRST_MILLISECOND = 10**11
"""As seconds this is in the year 5138, as milliseconds in 1973."""
_PACE = 4096


def _recognises(head: bytes) -> bool:
    lines = head.decode("utf-8", "replace").split("\n")[:-1][:5]
    return bool(lines) and all(_LINE.fullmatch(line) for line in lines)


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    text = content.shown_text
    rows = []
    for number, line in enumerate(text.split("\n"), 1):
        if not number % _PACE:
            deadline.check()
        if line:
            rows.append(Row(_cells(line, number), number))
    if not text.endswith("\n"):
        raise cut("the row", text.count("\n") + 1, "its line does not end")
    return (build(rows, _COLUMNS, units),)


def _cells(line: str, number: int) -> dict[str, str]:
    found = _LINE.fullmatch(line)
    if found is None:
        raise misfit(number, _KIND)
    unit = "ms" if int(found[1]) >= _FIRST_MILLISECOND else "s"
    cells = {"timestamp": f"{found[1]} {unit}", "value": found[2]}
    others = zip(("step", "dataset_name", "dataset_digest"), found.groups()[2:], strict=True)
    return cells | {name: text for name, text in others if text is not None}


MLFLOW = Reader(
    means="a metric as MLflow's file store keeps it (`mlruns/…/metrics/NAME`)",
    content="has lines of a time in digits, a number and a step",
    rows="one time that the metric was logged",
    columns=_COLUMNS,
    traps=(
        "The file has no header, and the time comes first: the value is the column `value`.",
        (
            "`timestamp` is seconds in files of early versions and milliseconds later: each reading says "
            "which, by its size."
        ),
        "Files of early versions have no `step`.",
        "Rows stand in the order of logging; a run that was resumed can log a step twice.",
        (
            "Of a metric logged once there is one row; else name the row, `where: step = 500`, or `take: "
            "last`."
        ),
        "A last line without its end is cut, and an error.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
)
