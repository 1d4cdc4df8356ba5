"""What the serving benchmarks of vLLM and SGLang print: one row for each run."""

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
from stilltrue.quantity import Units

_KIND = "what a benchmark of vLLM or SGLang prints"
_START = re.compile(r"(?<!=)={3,}+ (?:\w+ ){0,8}(?:Serving|Offline Throughput) Benchmark Result ={3,}+")
_START_BYTES = re.compile(_START.pattern.encode())
_RULE = re.compile(r"=+$")
_SECTION = re.compile(r"-+[^-].*[^-]-+$")
_ITEM = re.compile(r"([^:]+?)(?: \(([^()]+)\))?: +(\S.*)$")
_LIST = re.compile(r"[^:]+ \((%)\):$")  # `Per-position acceptance (%):` of vLLM, above one item for each
_DIGITS = re.compile(r"\d+")
_LONGEST_PREFIX = 200
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?$|nan$|inf$")
_UNITS = {"ms", "s", "tok/s", "req/s", "%"}
_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(("Successful requests", "Failed requests"), ""),
    "Benchmark duration": "s",
    **dict.fromkeys(("Total input tokens", "Total generated tokens"), ""),
    "Request throughput": "req/s",
    **dict.fromkeys(
        ("Output token throughput", "Peak output token throughput", "Total token throughput"), "tok/s"
    ),
    **{
        f"{statistic} {name}": "ms"
        for name in ("TTFT", "TPOT", "ITL", "E2EL")
        for statistic in ("Mean", "Median", "P99")
    },
}
_RENAMED = {"Total Token throughput": "Total token throughput"}


def _recognises(text: bytes) -> bool:
    return _START_BYTES.search(text) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    rows = list(_rows(content.shown_text, deadline))
    if not rows:
        raise other_format(_KIND, "no line `==== Serving Benchmark Result ====` stands in it")
    bare = dict.fromkeys(_COLUMNS, "")  # the cells carry their units
    return (build(rows, bare, units, line=rows[0].line),)


def _rows(text: str, deadline: Deadline) -> Iterator[Row]:
    line, counted = 1, 0
    for found in _START.finditer(text):
        deadline.check()
        line += text.count("\n", counted, found.start())
        counted = found.start()
        try:
            yield Row(_cells(text, found.start(), found.end(), line), line)
        except InputError as error:
            yield Row({}, line, error)


def _cells(text: str, begins: int, at: int, first: int) -> dict[str, str]:
    """The cells of the block whose heading begins and ends there; it goes on to a rule of `=`."""
    cells: dict[str, str] = {}
    inherited = ""
    for line, row in _block(text, begins, at, first):
        item = _ITEM.match(row)
        heading = _LIST.match(row)
        if item is not None:
            name, value = _cell(item, inherited)
            if name in cells:
                raise misfit(line, _KIND)
            cells[name] = value
        elif heading is not None:
            inherited = heading[1]
        elif _SECTION.match(row):
            inherited = ""
        elif row:
            raise misfit(line, _KIND)
    return cells


def _block(text: str, begins: int, at: int, first: int) -> Iterator[tuple[int, str]]:
    """The lines between a heading and its rule, with their numbers, as the benchmark printed them."""
    end = _end(text, at)
    if text[at:end].strip():  # something else was printed behind the heading
        raise misfit(first, _KIND)
    prefix = _prefix(text, begins, end + 1)
    line = first
    while end < len(text):
        at, end, line = end + 1, _end(text, end + 1), line + 1
        row = text[at:end]
        printed = prefix.match(row)
        if printed is None:
            raise misfit(line, _KIND)
        row = row[printed.end() :].strip()
        if _RULE.match(row):
            return
        yield line, row
    raise cut("the result", first, "no rule of `=` closes it", alone=True)


def _end(text: str, at: int) -> int:
    found = text.find("\n", at)
    return found if found >= 0 else len(text)


def _prefix(text: str, begins: int, following: int) -> re.Pattern[str]:
    """What a launcher puts before each line, its numbers aside: what stands before heading and next line."""
    before = text[max(0, begins - _LONGEST_PREFIX) : begins].rpartition("\n")[2].strip()
    prefix = re.compile(r"\s*" + _DIGITS.sub(r"\\d+", re.escape(before)))
    return prefix if prefix.match(text, following) else re.compile("")


def _cell(item: re.Match[str], inherited: str) -> tuple[str, str]:
    """The name of an item without its unit, and its value with it, or with that of the list it stands in."""
    label, unit, value = item[1], item[2] or inherited, item[3]
    if unit in _UNITS:
        return _RENAMED.get(label, label), f"{value} {unit}" if _NUMBER.match(value) else value
    return f"{label} ({unit})" if unit else label, value


SERVING_BENCHMARK = Reader(
    means=(
        "what `vllm bench serve`, `sglang.bench_serving` and `sglang.bench_offline_throughput` print, alone "
        "or in a log"
    ),
    content="holds a line `==== Serving Benchmark Result ====`, or with `Offline Throughput` for `Serving`",
    rows="one run; columns are its lines without their units: `mean_ttft`, `output_token_throughput`",
    columns=_COLUMNS,
    traps=(
        "A file often holds several runs, with the same names: `take: only` refuses, and says where.",
        "Each reading carries the unit that its line says, so times in `ms` and in `s` are told apart.",
        "`successful_requests` may be fewer than were sent: the rest is in no mean.",
        (
            "`total_token_throughput` counts the prompt's tokens too. It is one column, however a version "
            "spells it."
        ),
        (
            "TPOT leaves out the first token, ITL does not average within a request: they are no two names "
            "of one thing, though they can agree."
        ),
        (
            "A result that no rule closes is cut, and an error, as is a line that was printed into it. What "
            "a launcher or CI puts before every line is undone."
        ),
    ),
    recognises=_recognises,
    read=_read,
    whole=False,
)
