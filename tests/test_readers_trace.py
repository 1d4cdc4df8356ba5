"""Chrome traces: what is read of them, and what is said of those that are none."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from evidence_support import Project, quantity
from stilltrue.config import Limits
from stilltrue.errors import InputError
from stilltrue.evidence.readers.chrome_trace import splitting
from stilltrue.model import Read, Shape
from stilltrue.quantity import Flag, Items, NonFinite, Text
from trace_support import NAME, OLDER, PAIRS, TRACE, passing_by, read, trace

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"


@pytest.fixture(params=["whole", "passing by"])
def way(request: pytest.FixtureRequest) -> Iterator[None]:
    """Both ways that a trace is read."""
    if request.param == "whole":
        yield
    else:
        with passing_by(64):
            yield


pytestmark = pytest.mark.usefixtures("way")


def test_durations_are_microseconds_whatever_the_viewer_shows(tmp_path: Path) -> None:
    project = trace(tmp_path)
    assert project.value(NAME, read("dur", "cat = 'kernel'")) == quantity("1957.934", "us")
    assert project.value(NAME, read("dur", "dur > 0.0019 and dur < 0.002")) == quantity("1957.934", "us")
    assert project.value(NAME, read("ts", "name = 'aten::pow'")) == quantity("6093013274164.276", "us")
    assert project.value(NAME, read("dur * 1000", "cat = 'kernel'")) == quantity("1.957934")
    assert project.lines(NAME, read("dur", "ph = 'X'", "sum")) == [9, 16, 23, 34, 41]


def test_what_the_device_did_counts_once(tmp_path: Path) -> None:
    project = trace(tmp_path)
    assert project.value(NAME, read("dur", "device", "sum")) == quantity("47443.711", "us")
    assert project.value(NAME, read("device", "cat = 'gpu_user_annotation'")) == Flag(False)
    older = trace(tmp_path, OLDER, "older.json")
    assert older.value("older.json", read("dur", "device and name <> 'add'")) == quantity("2", "us")
    assert older.value("older.json", read("tid", "name = 'add'")) == Text("stream 7")
    assert older.lines("older.json", read("dur", "device", "sum")) == [3, 4]


def test_arguments_are_columns(tmp_path: Path) -> None:
    project = trace(tmp_path)
    assert project.value(NAME, read("arg_warps_per_sm", "device and arg_correlation = 49")) == quantity(
        "21701.445312"
    )
    assert project.value(NAME, read("arg_grid", "cat = 'kernel'")) == Items(
        (quantity("195313"), quantity("1"), quantity("1"))
    )
    assert project.value(NAME, read("arg_est_achieved_occupancy_percent", "cat = 'kernel'")) == quantity(
        "100"
    )
    error = project.error(NAME, read("arg_bandwidth", "cat = 'kernel'"))
    assert error.code == "no-column"
    assert "`arg_memory_bandwidth_gb_s`" in error.hint
    assert "`arg_external_id`" in error.hint
    assert project.error(NAME, read("arg_bytes", "cat = 'kernel'")).code == "empty-cell"


def test_beginnings_and_ends_have_no_duration(tmp_path: Path) -> None:
    project = trace(tmp_path, PAIRS)
    error = project.error(NAME, read("dur", "", "sum"))
    assert (error.code, error.line) == ("empty-cell", 1)
    assert "is not null" in error.hint
    assert project.value(NAME, read("dur", "dur is not null", "sum")) == quantity("0.011", "us")
    assert project.lines(NAME, read("ts", "", "max")) == [2]


def test_a_kernel_beside_its_step_is_a_subquery(tmp_path: Path) -> None:
    share = "dur / (select dur from evidence where cat = 'gpu_user_annotation')"
    found = trace(tmp_path).take(NAME, read(f"round({share}, 6)", "cat = 'kernel'"))
    assert (found.value, found.readings[0].line) == (quantity("0.003432"), 23)
    error = trace(tmp_path).error(NAME, read("dur / (select dur from evidence)", "cat = 'kernel'"))
    assert error.code == "bad-sql"


def test_no_row_says_how_many_there_are_and_what_is_near(tmp_path: Path) -> None:
    error = trace(tmp_path).error(NAME, read("dur", "cat = 'kernels'"))
    assert (error.code, "7 rows" in error.message) == ("no-reading", True)
    assert "did you mean `kernel`?" in error.hint
    assert trace(tmp_path).value(NAME, read("dur", "cat = 'kernels'", "count")) == quantity("0")


@pytest.mark.parametrize(
    "pack", [lambda data: data, lambda data: gzip.compress(data, mtime=0)], ids=["plain", "gz"]
)
@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["", "marked"])
@pytest.mark.parametrize("ends", ["\n", "\r\n"], ids=["lf", "crlf"])
def test_marks_line_ends_and_compression_change_nothing(
    tmp_path: Path, pack: Callable[[bytes], bytes], mark: str, ends: str
) -> None:
    data = (mark + TRACE.replace("\n", ends)).encode("utf-8")
    project = Project(tmp_path).write("t.json.gz", pack(data))
    assert project.lines("t.json.gz", read("dur", "ph = 'X'", "sum")) == [9, 16, 23, 34, 41]


def test_a_trace_on_one_line_has_line_1(tmp_path: Path) -> None:
    project = trace(tmp_path, json.dumps(json.loads(TRACE)))
    assert project.lines(NAME, read("dur", "device", "sum")) == [1, 1]


def test_every_place_that_a_trace_is_cut_at_breaks_it(tmp_path: Path) -> None:
    for text in (TRACE.rstrip(), OLDER.rstrip(), PAIRS):
        for end in range(1, len(text), 23):
            error = trace(tmp_path, text[:end]).error(NAME, read("dur", "", "count", "chrome-trace"))
            assert error.code in {"bad-table", "malformed-evidence"}, text[:end][-40:]
            assert error.hint


def test_a_list_without_its_bracket_is_cut(tmp_path: Path) -> None:
    error = trace(tmp_path, PAIRS[:-1]).error(NAME, read("dur", "", "first"))
    assert (error.code, error.line) == ("bad-table", 1)
    assert "cut off" in error.message


@pytest.mark.parametrize("text", ["", " \n\n"], ids=["empty", "blank"])
def test_an_empty_file_is_an_error(tmp_path: Path, text: str) -> None:
    error = trace(tmp_path, text).error(NAME, read("dur", "", "count", "chrome-trace"))
    assert error.code in {"empty-file", "bad-table"}


def test_a_trace_without_events_has_no_rows(tmp_path: Path) -> None:
    project = trace(tmp_path, '{"traceEvents": [ ], "displayTimeUnit": "ns"}')
    assert project.error(NAME, read("dur")).code == "no-rows"
    assert project.value(NAME, read("dur", "device", "count")) == quantity("0")


@pytest.mark.parametrize(
    ("text", "words", "line"),
    [
        ("a,b\n1,2\n", "no JSON object", 0),
        ('{"results": 3}\n', "no array `traceEvents`", 0),
        ('{"args": {"traceEvents": [{"ph": "X"}]}}\n', "no array `traceEvents`", 0),
        ('{"a": 1,\n"traceEvents": {"ph": "X"}}\n', "is no array", 2),
        ("[1, 2]\n", "no `ph`", 1),
        ('[{"a": 1},\n{"b": 2}]\n', "no `ph`", 1),
        ('[{"ph": "X"},\n3]\n', "is no object", 2),
        ('[{"ph": "X"},\n"ph"]\n', "is no object", 2),
        ('[{"ph": "X"},\n]\n', "comma", 2),
        ('[{"ph": "X"}\n{"ph": "X"}]\n', "JSON", 2),
        ('[{"ph": "X"},\n{"ph": tru}]\n', "JSON", 2),
        ('[{"ph": "X"},\n{"ph": "X", "name": "a\x01"}]\n', "JSON", 2),
        ('[{"ph": "X"},\n{"ph": "X"}}]\n', "brace", 2),
        ('[{"ph": "X"}]\n[]\n', "more follows", 1),
        ('{"traceEvents": [{"ph": "X"}]}\n{"a": 1}\n', "more follows", 1),
        ('{"traceEvents": [{"ph": "X"}],\n "a": nul}\n', "JSON", 2),
        ('{"traceEvents": [{"ph": "X"}],\n "traceEvents": []}\n', "twice", 2),
    ],
)
def test_other_formats_and_broken_ones_say_what_and_where(
    tmp_path: Path, text: str, words: str, line: int
) -> None:
    error = trace(tmp_path, text).error(NAME, read("ph", "", "count", "chrome-trace"))
    assert error.code in {"bad-table", "malformed-evidence"}
    assert words in error.message
    assert error.line == line
    assert error.hint


def test_what_is_no_utf_8_is_no_text(tmp_path: Path) -> None:
    error = trace(tmp_path, b'[{"ph": "X",\n "name": "\xff"}]').error(NAME, read("name", form="chrome-trace"))
    assert (error.code, error.line) in {("not-text", 2), ("malformed-evidence", 2)}


def test_numbers_that_json_has_not_are_read_as_what_they_are(tmp_path: Path) -> None:
    text = TRACE.replace("21701.445312", "Infinity").replace('"dur": 45485.777', '"dur": NaN')
    project = trace(tmp_path, text)
    assert project.value(NAME, read("arg_warps_per_sm", "cat = 'kernel'")) == NonFinite("Infinity")
    assert project.value(NAME, read("dur", "device", "sum")) == NonFinite("NaN")
    assert project.lines(NAME, read("dur", "cat = 'kernel'", "sum")) == [23]


def test_fields_of_other_types_are_cells_too(tmp_path: Path) -> None:
    events = [
        {"ph": "X", "name": 12, "cat": None, "ts": "5", "dur": True, "pid": "Spans", "args": "none"},
        {
            "ph": "X",
            "name": "b",
            "cat": ["k"],
            "ts": 6,
            "dur": {"us": 1},
            "args": {"A b": 1, "a-b": 2, "": 3},
        },
    ]
    project = trace(tmp_path, json.dumps(events))
    assert project.value(NAME, read("name", "ts < 0.0000055")) == Text("12")
    assert project.value(NAME, read("ts", "name = '12' and cat is null")) == quantity("5", "us")
    assert project.value(NAME, read("cat", "name = 'b'")) == Text('["k"]')
    assert project.value(NAME, read("arg_a_b_2", "name = 'b'")) == quantity("2")
    assert project.value(NAME, read("arg_value", "name = 'b'")) == quantity("3")
    assert project.error(NAME, read("arg_a_b", "", "first")).code == "empty-cell"


def test_a_trace_is_also_a_tree_and_a_text(tmp_path: Path) -> None:
    project = trace(tmp_path)
    tree = Read(Shape.TREE, path="$.traceEvents[2].dur")
    assert project.value(NAME, tree) == quantity("1957.934")
    assert project.value(NAME, Read(Shape.TEXT, match=r'displayTimeUnit": "(\w+)"')) == Text("ms")


# What is hostile ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        '[{"ph": "X", "args": {"a": [' + '{"ph": 1}, ' * 20_000 + "1]}}]",
        '[{"ph": "X", "args": ' + "[" * 100_000 + "]" * 100_000 + "}]",
        '[{"ph": "X"}, {"ph": "' + "\\" * 200_001,
        '{"a": "' + "{" * 100_000 + '", "traceEvents": ' + "[" * 100_000,
        '[{"ph": "X"}, ' + "3, " * 200_000 + "3]",
    ],
    ids=["nested lists of events", "deep", "backslashes", "a head of braces", "numbers"],
)
def test_what_is_made_to_be_slow_is_read_or_refused_in_time(tmp_path: Path, text: str) -> None:
    project = Project(tmp_path, Limits(seconds=3)).write(NAME, text)
    try:
        assert project.value(NAME, read("ph", "", "count", "chrome-trace")) == quantity("1")
    except InputError as error:
        assert error.code in {"bad-table", "malformed-evidence"}


@pytest.mark.parametrize(
    ("limit", "text", "words"),
    [
        ("_LONGEST_EVENT", '[{"ph": "' + "x" * 5000 + '"}]', "an event"),
        ("_LONGEST_TAIL", '{"traceEvents": [], "a": "' + "x" * 5000 + '"}', "what follows"),
    ],
)
def test_an_event_or_a_tail_without_end_is_too_large(
    tmp_path: Path, limit: str, text: str, words: str
) -> None:
    with passing_by(64), pytest.MonkeyPatch.context() as patch:
        patch.setattr(splitting, limit, 1000)
        error = trace(tmp_path, text).error(NAME, read("ph", form="chrome-trace"))
    assert (error.code, words in error.message) == ("too-large", True)


def test_a_packed_trace_keeps_to_the_limits(tmp_path: Path) -> None:
    squeezed = gzip.compress(TRACE.encode() + b" " * 5_000_000, mtime=0)
    small = Project(tmp_path, Limits(bytes=1_000_000)).write("t.json.gz", squeezed)
    assert small.error("t.json.gz", read("dur", "device", "sum")).code == "too-large"
    plain = Project(tmp_path, Limits(bytes=1_000)).write(NAME, TRACE)
    assert plain.error(NAME, read("dur", "device", "sum")).code == "too-large"
    cut = Project(tmp_path).write("c.json.gz", squeezed[:-30])
    assert cut.error("c.json.gz", read("dur", "device", "sum", "chrome-trace")).code == "bad-compression"


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
def test_a_trace_of_another_project_gives_the_known_answer() -> None:
    with (CASES / "readings.tsv").open(encoding="utf-8") as rows:
        (row,) = (row for row in csv.DictReader(rows, delimiter="\t") if "chrome_trace" in row["file"])
    found = Project(CASES).value(row["file"], read("dur", "cat = 'kernel'", "first"))
    assert found == quantity(row["answer"], row["unit"])
