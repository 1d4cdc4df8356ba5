"""The CSV that a line plot of Weights & Biases exports: one row for each point of a run."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.tables.delimited import parse_csv
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "a CSV that a plot of Weights & Biases exports"
_COLUMNS: dict[str, str | Kind] = {
    "run": Kind.TEXT,
    "metric": Kind.TEXT,
    "x": "",
    "x_axis": Kind.TEXT,
    "value": "",
    "min": "",
    "max": "",
}
_BETWEEN = " - "
_ENDS = {"__MIN": "min", "__MAX": "max"}
_PACE = 256


class _Series(NamedTuple):
    """One metric of one run, and the columns of the file that hold it, by their name here."""

    run: str
    metric: str
    places: dict[str, int]


def _recognises(head: bytes) -> bool:
    if b"__MIN" not in head or b"__MAX" not in head:
        return False
    line, ended, _ = head.decode("utf-8", "replace").removeprefix("\ufeff").partition("\n")
    try:
        headings = next(csv.reader([line]), [])
    except csv.Error:
        return False
    return _is_export(headings if ended else headings[:-1])


def _is_export(headings: Sequence[str]) -> bool:
    """Whether every heading but the first is a run's metric, or has its least and greatest beside it."""
    paired = {name.removesuffix("__MIN") for name in headings if name.endswith("__MIN")}
    paired &= {name.removesuffix("__MAX") for name in headings if name.endswith("__MAX")}
    return bool(paired) and all(_BETWEEN in name or _split(name)[0] in paired for name in headings[1:])


def _split(heading: str) -> tuple[str, str]:
    """A heading without its end, and what the end means: `value`, `min` or `max`."""
    for end, name in _ENDS.items():
        if heading.endswith(end):
            return heading.removesuffix(end), name
    return heading, "value"


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    text = content.shown_text
    wide = parse_csv(text, ".", True, units, deadline)
    headings = [column.heading for column in wide.columns]
    if not _is_export(headings):
        raise other_format(_KIND, "its headings are not of the form `RUN - METRIC__MIN`", wide.line)
    fault = _cut(text, wide)
    rows = [
        Row(cells, wide.grid.line(at), fault if at + 1 == wide.grid.height else None)
        for at, cells in _points(wide, headings, deadline)
    ]
    return (build(rows, _COLUMNS, units, line=wide.line),)


def _cut(text: str, wide: Frame) -> InputError | None:
    """What is wrong with the last row: a number that neither a quote nor a line's end closes may be cut."""
    if not wide.grid.height or text.endswith(("\n", '"')):
        return None
    return cut("the row", wide.grid.line(wide.grid.height - 1), "its line does not end", alone=True)


def _points(wide: Frame, headings: Sequence[str], deadline: Deadline) -> Iterator[tuple[int, dict[str, str]]]:
    """The row of the file and the cells of each point; where a run logged nothing there is none."""
    columns = wide.grid.texts(range(len(headings)), deadline)
    series = _series(headings)
    for at in range(wide.grid.height):
        if not at % _PACE:
            deadline.check()
        for one in series:
            found = {name: columns[place][at] for name, place in one.places.items()}
            if any(cell.strip() for cell in found.values()):
                shared = {"run": one.run, "metric": one.metric, "x": columns[0][at], "x_axis": headings[0]}
                yield at, shared | found


def _series(headings: Sequence[str]) -> list[_Series]:
    """The series that columns make; a heading that comes again begins another of the same names."""
    made: list[_Series] = []
    latest: dict[str, _Series] = {}
    for place, heading in enumerate(headings[1:], 1):
        stem, name = _split(heading)
        one = latest.get(stem)
        if one is None or name in one.places:
            run, _, metric = stem.rpartition(_BETWEEN)
            one = latest[stem] = _Series(run, metric, {})
            made.append(one)
        one.places[name] = place
    return made


WANDB_CSV = Reader(
    means="the CSV that a line plot of Weights & Biases exports",
    content="has headings `RUN - METRIC`, `RUN - METRIC__MIN` and `RUN - METRIC__MAX`",
    rows="one point of one metric of one run; the file has a column for each of them",
    columns=_COLUMNS,
    traps=(
        "`x` is what the plot had below it, which `x_axis` names: `Step`, `epoch`, a time.",
        (
            "A plot shows a long run in part: `value` is then one of the points near `x` or their mean, `min`"
            " and `max` are their ends. What was logged at one step need not be in it."
        ),
        "A plot that is smoothed or grouped exports what it shows, not what was logged.",
        (
            "Two runs of one name have headings of one name: `take: only` refuses where both have a point, "
            "and says where."
        ),
        "A point that a run did not log is no row. Headings without rows are an export of an empty plot.",
        "`format: csv` reads the columns as the file has them.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".csv",),
)
