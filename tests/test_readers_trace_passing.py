"""A large trace, read while it passes by, gives what it gives when it is read whole."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence_support import UNITS, Project, quantity
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.cells import CellReader
from stilltrue.evidence.tables.expressions import conjuncts
from stilltrue.evidence.tables.frames import Column
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.model import Read
from stilltrue.quantity import Text
from trace_support import NAME, passing_by, read, trace

TEXTS = st.sampled_from(["a", "kernel", "Kernel", "cpu_op", 'b"},{"name"', "ä\\", "x\ny", " a ", ""])
NUMBERS = st.sampled_from([0, 5, 1.5, 12.25, 1e3, 1e-7, 3_000_000, "7", None, True]) | st.floats(0, 1e6)
ODD = st.sampled_from([float("nan"), float("inf"), [1, {"name": 2}], {"ph": "X"}])
EVENTS = st.fixed_dictionaries(
    {"ph": st.sampled_from(["X", "B", "M"])},
    optional={
        "name": TEXTS,
        "cat": TEXTS,
        "ts": NUMBERS,
        "dur": NUMBERS | NUMBERS | NUMBERS | ODD,
        "pid": st.sampled_from([0, 1, "Spans"]),
        "args": st.dictionaries(
            st.sampled_from(["id", "External id", "name", "x y"]), NUMBERS | TEXTS | ODD, max_size=3
        ),
    },
)
CONDITIONS = st.sampled_from(
    [
        "cat = 'kernel'",
        "cat like 'KER%'",
        "name in ('a', 'x y')",
        "name = 'a' or cat = 'kernel'",
        "name is null",
        "not device",
        "device",
        "dur > 0.000001",
        "dur between 0 and 0.00001 and ph = 'X'",
        "ts is not null",
        "pid = 0",
        "line > 2",
        "arg_id is not null",
        "arg_nothing = 1",
        "name = cat",
        "name = (select max(name) from evidence)",
        "dur = (select max(dur) from evidence where cat = 'kernel')",
        "rowid = 2",
        "nme = 'a'",
        'name = "a"',
        "count(name) > 0",
        "length(name) + 1",
        "case when cat = 'kernel' then 1 end",
    ]
)
COLUMNS = st.sampled_from(
    [
        "dur",
        "name",
        "line",
        "ts + 1",
        "arg_id",
        "arg_external_id",
        "dur / (select max(ts) from evidence)",
        "rank() over (order by ts)",
        "nothing",
        "max(dur)",
    ]
)
LAYOUTS: list[Callable[[list[Any]], str]] = [
    lambda events: json.dumps({"schemaVersion": 1, "traceEvents": events, "displayTimeUnit": "ms"}),
    lambda events: json.dumps({"traceEvents": events}, indent=2),
    lambda events: json.dumps(events, separators=(",", ":")),
    lambda events: "[\n" + ",\n".join(json.dumps(event) for event in events) + "\n]\n",
]


def outcome(project: Project, asked: Read) -> object:
    try:
        taken = project.take(NAME, asked)
    except InputError as error:
        return error.code, error.message, error.line
    return taken.value, [(reading.line, reading.value) for reading in taken.readings]


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=st.lists(EVENTS, min_size=1, max_size=12),
    layout=st.sampled_from(LAYOUTS),
    wheres=st.lists(CONDITIONS, max_size=3),
    column=COLUMNS,
    takes=st.sampled_from(["first", "count", "last", "only"]),
    chunk=st.integers(1, 300),
)
def test_a_trace_that_passes_by_gives_what_the_whole_gives(
    tmp_path_factory: pytest.TempPathFactory,
    events: list[Any],
    layout: Callable[[list[Any]], str],
    wheres: list[str],
    column: str,
    takes: str,
    chunk: int,
) -> None:
    root = tmp_path_factory.getbasetemp()
    asked = read(column, " and ".join(wheres), takes, "chrome-trace")
    text = layout(events)
    whole = outcome(trace(root, text), asked)
    with passing_by(chunk):
        assert outcome(trace(root, text), asked) == whole


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    events=st.lists(EVENTS, min_size=1, max_size=12),
    layout=st.sampled_from(LAYOUTS),
    chunk=st.integers(1, 300),
)
def test_each_event_is_a_row_with_its_line(
    tmp_path_factory: pytest.TempPathFactory,
    events: list[Any],
    layout: Callable[[list[Any]], str],
    chunk: int,
) -> None:
    text = layout(events)
    tree = read_json(text, Deadline(10))
    at = ("traceEvents",) if isinstance(tree.value, dict) else ()
    with passing_by(chunk):
        project = trace(tmp_path_factory.getbasetemp(), text)
        taken = project.take(NAME, read("ph", "", "count", "chrome-trace"))
    assert [reading.line for reading in taken.readings] == [
        tree.line_of((*at, n)) for n in range(len(events))
    ]
    assert [reading.value for reading in taken.readings] == [Text(event["ph"]) for event in events]


# Its parts ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("a = 1", ["a = 1"]),
        ("a = 1 AND b = 'x and y'", ["a = 1 ", " b = 'x and y'"]),
        ("(a and b) and c", ["(a and b) ", " c"]),
        ("a or b and c", ["a or b and c"]),
        ("a between 1 and 2 and c", ["a between 1 and 2 and c"]),
        ("case when a and b then c end and d", ["case when a and b then c end and d"]),
        ("not a and b", ["not a ", " b"]),
    ],
)
def test_conditions_are_taken_apart_where_all_must_hold(text: str, parts: list[str]) -> None:
    assert conjuncts(text) == tuple(parts)


@settings(max_examples=150, deadline=None)
@given(
    symbol=st.sampled_from(["ms", "us", "ns"]),
    text=st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{1,20})?([eE]-?[0-9]{1,2})?", fullmatch=True),
)
def test_a_cell_in_a_small_unit_is_the_number_that_the_exact_one_rounds_to(symbol: str, text: str) -> None:
    reader, column = CellReader(UNITS, "."), Column("dur", "dur", UNITS.parse(symbol))
    (found,) = reader.sql(column, [text])
    exact = reader.value(column, text, None)
    assert found == float(exact.base)  # type: ignore[union-attr]  # a quantity
    assert isinstance(found, int) == (exact.base.denominator == 1 and abs(exact.base) < 1 << 63)  # type: ignore[union-attr]  # as above


@pytest.mark.parametrize("passing", [False, True], ids=["whole", "passing by"])
@pytest.mark.parametrize(
    ("event", "where", "twice"),
    [
        ('"name": "a", "dur": 5, "dur": 7', "name = 'a'", "dur"),
        ('"name": "a", "name": "b", "dur": 5', "name = 'a'", "name"),
        ('"name": "a", "dur": 5, "d\\u0075r": 7', "name = 'a'", "dur"),
        ('"name": "a", "dur": 5, "args": {"x y": 1, "x y": 2}', "arg_x_y = 1", "x y"),
        ('"name": "a", "dur": 5, "args": {"n": 1}, "args": {"x": 1}', "arg_x = 1", "args"),
        ('"name": "a", "dur": 5, "args": {"name": "b", "dur": "dur"}', "name = 'a'", ""),
        (f'"name": "a", "dur": 5, "args": {{"n": {{"dur": 1, "m": {"9" * 4000}}}}}', "name = 'a'", ""),
    ],
    ids=["value", "condition", "escaped", "argument", "arguments", "inside", "long number"],
)
def test_a_key_that_stands_twice_is_an_error_where_it_is_asked_for(
    tmp_path: Path, event: str, where: str, twice: str, *, passing: bool
) -> None:
    text = f'{{"traceEvents": [\n{{"ph": "X", "ts": 0, "name": "z"}},\n{{"ph": "X", "ts": 1, {event}}}\n]}}'
    asked = read("dur", where)
    with passing_by(1 << 12) if passing else nullcontext():
        if not twice:
            assert trace(tmp_path, text).value(NAME, asked) == quantity("5", "us")
            return
        error = trace(tmp_path, text).error(NAME, asked)
    assert (error.message, error.line) == (f"an object holds the key `{twice}` twice", 3)


def test_a_list_of_events_beside_another_is_an_error_however_its_key_is_written(tmp_path: Path) -> None:
    events = '[{"ph": "X", "ts": 1, "dur": 5}]'
    for first, second in (("traceEvents", "trac\\u0065Events"), ("trac\\u0065Events", "traceEvents")):
        text = f'{{"{first}": {events}, "{second}": {events}}}'
        assert trace(tmp_path, text).error(NAME, read("dur")).code == "malformed-evidence"
