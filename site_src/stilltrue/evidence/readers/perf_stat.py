"""What `perf stat` prints: a table for each command, one row for each event."""

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

_KIND = "what `perf stat` prints"
_COLUMNS: dict[str, str | Kind] = {
    "event": Kind.TEXT,
    "value": "",
    "metric": "",
    "metric_name": Kind.TEXT,
    "spread": "%",
    "plus_minus": "s",
    "counted": "%",
    "missing": Kind.TEXT,
}
_HEADER = re.compile(r"^ Performance counter stats for (.+?)(?: \((\d+) runs\))?:$", re.MULTILINE)
_NUMBER = r"\d(?:[\d.,\u202f\u00a0']| (?=\d{3}(?!\d)))*"
_EVENT = re.compile(
    rf"^ *(?:(?P<value>{_NUMBER})|<(?P<missing>not counted|not supported)>) +"
    r"(?:(?P<unit>[^\s#(\d]\S*) +)?(?P<event>[^\s#(]\S*)(?: \((?P<early_unit>msec)\))? *(?=[#(]|$)"
)
_GROUP = re.compile(r"^ *(?P<event>[A-Za-z][\w.-]*(?: \([\w-]+\))?) +(?=#)")
_METRIC = re.compile(rf"^ *# +(?P<metric>-?{_NUMBER}|nan|inf) *(?P<name>[^(]*?) *(?=\(|$)")
_SPREAD = re.compile(rf"\( \+- *(?P<spread>{_NUMBER})% \)")
_COUNTED = re.compile(rf"\((?P<counted>{_NUMBER})%\)")
_CLOCK = re.compile(
    rf"^ *(?P<value>{_NUMBER})(?: \+- (?P<spread>{_NUMBER}))? seconds (?P<event>time elapsed|user|sys)\b"
)
_SINGLE_RUN = re.compile(rf"^ *{_NUMBER} \([+-]{_NUMBER}\) *#*$")
_HEADINGS = ("# Table of individual measurements:", "# Final result:")
_LONGEST = 1000
_UNITS = {"Watts": "W", "C": "°C", "Bytes": "bytes"}
_MARKS = re.compile(r"[.,\u202f\u00a0' ]")
_LAST_GROUP = re.compile(r"[.,\u202f\u00a0' ]\d{3}$")


def _recognises(text: bytes) -> bool:
    return b" Performance counter stats for " in text


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    text = content.shown_text
    starts = list(_HEADER.finditer(text))
    if not starts:
        raise other_format(_KIND, "no line `Performance counter stats for …:` stands in it")
    ends = [found.start() for found in starts[1:]] + [len(text)]
    frames = []
    line, counted = 1, 0
    for found, end in zip(starts, ends, strict=True):
        deadline.check()
        line += text.count("\n", counted, found.start())
        counted = found.start()
        rows = list(_rows(text[found.end() + 1 : end].split("\n"), line + 1, last=end == len(text)))
        if not rows:
            raise cut("the report of `perf stat`", line, "no event follows")
        frames.append(build(rows, _COLUMNS, units, line=line, title=_command(found[1])))
    return tuple(frames)


def _rows(lines: list[str], first: int, *, last: bool) -> Iterator[Row]:
    """The events of one command, then its times, after which other text may follow."""
    timed = False
    for number, line in enumerate(lines, first):
        clock = _CLOCK.match(line)
        if clock is not None:
            timed = True
            yield Row(_clock_cells(clock), number)
        elif timed and line.strip():
            return
        elif not _is_aside(line):
            if last and number == first + len(lines) - 1:
                raise cut("the row", number, "its line does not end")
            yield Row(_cells(line, number), number)


def _command(text: str) -> str:
    """What was measured: a command stands in quotes, a process (`process id '42'`) and the system do not."""
    return text.removeprefix("'").removesuffix("'") if text.startswith("'") else text


def _is_aside(line: str) -> bool:
    """Whether a line is no event: empty, a comment, or one of those that `--table` adds for each run."""
    return (
        not line.strip()
        or line.startswith("#")
        or line.strip() in _HEADINGS
        or (len(line) < _LONGEST and _SINGLE_RUN.match(line) is not None)
    )


def _clock_cells(clock: re.Match[str]) -> dict[str, str]:
    cells = {"event": clock["event"].removeprefix("time "), "value": f"{_decimal(clock['value'])} s"}
    if clock["spread"]:
        cells["plus_minus"] = f"{_decimal(clock['spread'])} s"
    return cells


def _cells(line: str, number: int) -> dict[str, str]:
    """The cells of one event, of a group of metrics, or of a further metric of the one above."""
    event = _EVENT.match(line) or _GROUP.match(line)
    if len(line) > _LONGEST or (event is None and _METRIC.match(line) is None):
        raise misfit(number, _KIND)
    cells = _event_cells(event) if event is not None else {}
    rest = line[event.end() :] if event is not None else line
    metric = _METRIC.match(rest)
    if metric is not None:
        cells |= {"metric": _decimal(metric["metric"]), "metric_name": metric["name"].strip()}
    for found in (_SPREAD.search(rest), _COUNTED.search(rest)):
        if found is not None:
            cells |= {name: _decimal(text) for name, text in found.groupdict().items()}
    return cells


def _event_cells(event: re.Match[str]) -> dict[str, str]:
    said = event.groupdict()
    cells = {"event": event["event"], "missing": said.get("missing") or ""}
    if said.get("value"):
        unit = event["unit"] or event["early_unit"] or ""
        cells["value"] = f"{_value(event['value'])} {_UNITS.get(unit, unit)}".strip()
    return cells


def _value(text: str) -> str:
    """A number of the first column: three digits after marks of one kind are a group, all else decimals."""
    is_count = len(set(_MARKS.findall(text))) <= 1 and _LAST_GROUP.search(text) is not None
    return _MARKS.sub("", text) if is_count else _decimal(text)


def _decimal(text: str) -> str:
    """A number that is always printed with decimals: the last sign is their mark, whatever the locale."""
    marks = list(_MARKS.finditer(text))
    if not marks:
        return text
    end = marks[-1].start()
    return f"{_MARKS.sub('', text[:end])}.{text[end + 1 :]}"


PERF_STAT = Reader(
    means="what `perf stat` prints, alone or in a log",
    content="holds a line `Performance counter stats for …:`",
    rows="one event; the times at the end are the events `elapsed`, `user` and `sys`",
    columns=_COLUMNS,
    traps=(
        (
            "In many locales the comma marks decimals and the dot parts thousands. Each number says which "
            "it is: values have two decimals, six or none, groups three digits, and all else has decimals."
        ),
        (
            "Below 100 %, `counted` is the share of the time that the event was really counted: its value "
            "is scaled up."
        ),
        "`missing` says `not counted` or `not supported`; such an event has no value, not 0.",
        (
            "With several runs, values are means and `spread` is the relative standard error that follows "
            "`+-`."
        ),
        (
            "`metric` is derived by perf, `metric_name` says what it is (`GHz`, `insn per cycle`) and "
            "changes with versions."
        ),
        "Several commands are several tables, each called by its command.",
        (
            "A group of metrics (`TopdownL1`) has no value: its first metric is in its row, the others in "
            "rows below without an `event`. What `--table` lists of single runs is no row."
        ),
        "The output of `-x`, `-j`, `-I`, `-A`, `--metric-only` and `--topdown` is another one and not read.",
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
