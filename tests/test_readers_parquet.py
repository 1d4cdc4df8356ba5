"""Parquet files: exact values of every type, and bounds that hold for hostile ones."""

from __future__ import annotations

import io
import subprocess
import sys
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from binary_support import File
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers import READERS, grids, parquet
from stilltrue.quantity import Flag, NonFinite, Text, Units

pa: Any = pytest.importorskip("pyarrow")
pq: Any = pytest.importorskip("pyarrow.parquet")

NAME = "metrics.parquet"


def written(columns: dict[str, Any], **options: Any) -> bytes:
    """A file of two groups of rows or more."""
    buffer = io.BytesIO()
    settings = {"row_group_size": 2, "write_page_checksum": True} | options
    pq.write_table(pa.table(columns), buffer, **settings)
    return buffer.getvalue()


@pytest.fixture(scope="module")
def whole() -> bytes:
    return written(
        {
            "name": ["a", None, "7"],
            "loss": pa.array([0.1, float("nan"), 1e20], pa.float32()),
            "score": [0.1, None, float("-inf")],
            "half": pa.array([0.5, None, 2], pa.float16()),
            "cost": pa.array(
                [Decimal("1.10"), None, Decimal("12345678901234567890.12")], pa.decimal128(38, 2)
            ),
            "tokens": pa.array([2**64 - 1, None, 1], pa.uint64()),
            "time [ms]": [1.5, 2, 3],
            "ok": [True, False, None],
            "took": pa.array([1, None, 3], pa.duration("us")),
            "at": pa.array([1, None, 1_787_560_000_000_000_001], pa.timestamp("ns", tz="Europe/Berlin")),
            "old": pa.array([-1, None, 0], pa.timestamp("ms")),
            "day": [date(2026, 8, 24), None, date(1, 1, 1)],
            "clock": [time(1, 2, 3, 4), None, time(0)],
            "raw": [b"x\xff", None, b""],
            "words": [["x", "y"], None, []],
            "of": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int32())),
            "gpu": [{"id": 1, "mem": {"used": "12 GiB"}}, None, {"id": 2**53 + 1, "mem": None}],
            "a.b": [1, 2, 3],
            "kind": pa.array(["x", None, "x"]).dictionary_encode(),
            "none": pa.nulls(3),
        }
    )


@pytest.fixture
def file(tmp_path: Path, whole: bytes) -> File:
    return File(tmp_path, NAME, whole)


@pytest.mark.parametrize(
    ("column", "first", "third"),
    [
        ("score", "1/10", ""),
        ("half", "1/2", "2"),
        ("loss", "1/10", "100000000000000000000"),
        ("cost", "11/10", "308641972530864197253/25"),
        ("tokens", "18446744073709551615", "1"),
        ("time_ms", "3/2 ms", "3 ms"),
        ("took", "1 us", "3 us"),
        ("gpu_id", "1", "9007199254740993"),
        ("a_b", "1", "3"),
    ],
)
def test_numbers_are_exact_and_have_their_units(file: File, column: str, first: str, third: str) -> None:
    assert file.number(column, "line = 1") == first
    if third:
        assert file.number(column, "line = 3") == third


@pytest.mark.parametrize(
    ("column", "text"),
    [
        ("name", "a"),
        ("at", "1970-01-01T00:00:00.000000001Z"),
        ("old", "1969-12-31T23:59:59.999"),
        ("day", "2026-08-24"),
        ("clock", "01:02:03.000004"),
        ("raw", "blob of 2 bytes"),
        ("words", '["x", "y"]'),
        ("of", '[["k", 1]]'),
        ("kind", "x"),
    ],
)
def test_what_is_no_number_is_text(file: File, column: str, text: str) -> None:
    assert file.value(column, "line = 1") == Text(text)


def test_moments_are_compared_as_text(file: File) -> None:
    assert file.lines("at", "at > '2026-01-01'") == [3]
    assert file.value("day", "line = 3") == Text("0001-01-01")


def test_a_text_with_a_unit_is_a_quantity(file: File) -> None:
    assert file.number("gpu_mem_used", "line = 1") == "12 GiB"


def test_yes_no_and_null_are_three_things(file: File) -> None:
    assert [file.value("ok", f"line = {row}") for row in (1, 2)] == [Flag(True), Flag(False)]
    assert file.error("ok", "line = 3").code == "empty-cell"
    assert [file.number("line", where, "count") for where in ("ok", "not ok", "ok is null")] == ["1"] * 3


def test_null_is_empty_and_nan_is_read(file: File) -> None:
    error = file.error("score", "", "sum")
    assert (error.code, str(error)) == ("empty-cell", "`score` is empty in row 2")
    assert file.value("loss", "line = 2") == NonFinite("NaN")
    assert file.value("score", "line = 3") == NonFinite("-Infinity")
    assert {file.error(column, "line = 2").code for column in ("gpu_id", "words", "none")} == {"empty-cell"}


def test_a_column_that_is_not_there_lists_those_that_are(file: File) -> None:
    error = file.error("gpu")
    assert str(error) == "the table has no column `gpu`"
    assert "`gpu_id`, `gpu_mem_used`" in error.hint


def test_only_the_columns_of_a_read_are_read(whole: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (frame,) = READERS["parquet"].read(Content(NAME, whole), Deadline(10), Units.default())  # type: ignore[misc]  # it is one of tables
    asked: list[str] = []

    def texts(leaf: Any, batch: Any) -> list[str]:
        asked.append(leaf.name)
        return ["x"] * len(batch)

    monkeypatch.setattr(parquet, "texts_of", texts)
    for _ in range(2):
        frame.grid.texts([0, 1], Deadline(10))
    assert asked == ["name", "loss"] * 2  # once for each of two groups of rows


def test_a_file_that_is_cut_is_an_error(tmp_path: Path, whole: bytes) -> None:
    for end in (4, 5, 11, 12, 40, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        error = File(tmp_path, NAME, whole[:end]).error("line", "", "count", form="parquet")
        assert (error.code, "no whole Parquet file" in str(error)) == ("malformed-evidence", True)


def test_a_page_whose_checksum_is_another_is_an_error(tmp_path: Path) -> None:
    data = written(
        {"x": [1_111_111, 2_222_222]}, use_dictionary=False, compression="none", write_statistics=False
    )
    at = data.index((1_111_111).to_bytes(8, "little"))
    damaged = data[:at] + b"\0" + data[at + 1 :]
    error = File(tmp_path, NAME, damaged).error("x", "line = 1")
    assert (error.code, "CRC" in str(error)) == ("malformed-evidence", True)


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"PARE" + bytes(20) + b"PARE", "it is encrypted"),
        (b"PAR1" + bytes(20), "its footer is missing"),
        (b"PAR1" + b"\xff\xff\xff\x7f" + b"PAR1", "its footer is longer than the file"),
        (b"PAR1" + bytes(9) + b"\1\0\0\0" + b"PAR1", "no whole Parquet file"),
        (b"SQLite format 3\0" + bytes(90), "it does not begin as one"),
    ],
    ids=["encrypted", "no footer", "footer", "no schema", "sqlite"],
)
def test_another_file_says_so(tmp_path: Path, data: bytes, says: str) -> None:
    error = File(tmp_path, NAME, data).error("x", form="parquet")
    assert (error.code, says in str(error)) == ("malformed-evidence", True)


def test_two_columns_of_one_name_are_told_apart_or_refused(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    pq.write_table(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["x", "x"]), buffer)
    error = File(tmp_path, NAME, buffer.getvalue()).error("x_2")
    assert (error.code, "several of its columns are called `x`" in str(error)) == ("malformed-evidence", True)


def test_a_moment_beyond_the_years_is_an_error(tmp_path: Path) -> None:
    data = written({"at": pa.array([2**62], pa.timestamp("ms"))})
    assert File(tmp_path, NAME, data).error("at").code == "malformed-evidence"


def test_no_rows_are_no_zero(tmp_path: Path) -> None:
    data = written({"loss": pa.array([], pa.float64())})
    assert File(tmp_path, NAME, data).error("loss", "", "sum").code == "no-rows"
    assert File(tmp_path, NAME, data).number("loss", "", "count") == "0"


def bomb(size: int, rows: int, each: int) -> bytes:
    """Rows that all hold one long text, in lists of `each` of them, or none for 0: small when compressed."""
    texts = pa.DictionaryArray.from_arrays(pa.array([0] * rows, pa.int32()), pa.array(["x" * size]))
    if each:
        texts = pa.ListArray.from_arrays(pa.array(range(0, rows + 1, each), pa.int32()), texts)
    return written({"s": texts}, store_schema=False, row_group_size=rows)


def test_a_long_text_that_repeats_very_often_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "MOST_BYTES", 30 << 20)
    file = File(tmp_path, NAME, bomb(10_000, 10_000, 0))
    error = file.error("s", "", "count")
    assert (error.code, "31,457,280 bytes" in str(error)) == ("too-large", True)
    assert file.number("line", "", "count") == "10000"


ALONE = """
import pathlib, sys
from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.evidence.readers import parquet
from stilltrue.model import Read, Shape, Take

parquet._MOST_MEMORY = 60 << 20
root, name = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
try:
    print(Library(Config(root)).take((name,), Read(Shape.TABLE, column="s", take=(Take("first"),))))
except InputError as error:
    print(error.code, "memory" in str(error))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says how much memory is held")
def test_lists_of_long_texts_end_at_a_limit(tmp_path: Path) -> None:
    """In a process of its own: one that read other files may have enough set aside already."""
    (tmp_path / NAME).write_bytes(bomb(20_000, 120_000, 1_000))
    command = [sys.executable, "-c", ALONE, str(tmp_path), NAME]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout == "too-large True\n"


def test_too_many_cells_are_refused_before_they_are_read(
    tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(grids, "MOST_CELLS", 2)
    error = File(tmp_path, NAME, whole).error("loss", "line = 1")
    assert (error.code, "3 cells" in str(error)) == ("too-large", True)


def test_a_footer_that_says_other_rows_is_found_out(whole: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    (frame,) = READERS["parquet"].read(Content(NAME, whole), Deadline(10), Units.default())  # type: ignore[misc]  # as above
    monkeypatch.setattr(parquet, "texts_of", lambda _leaf, _batch: ["x"])
    with pytest.raises(InputError) as caught:
        frame.grid.texts([0], Deadline(10))
    assert "its footer says 3 rows" in str(caught.value)


def test_damage_gives_values_or_an_error_of_ours(tmp_path: Path, whole: bytes) -> None:
    refused = 0
    for at in range(4, len(whole), 199):
        file = File(tmp_path, NAME, whole[:at] + b"\xff" + whole[at + 1 :])
        for column in ("name", "gpu_mem_used", "words", "cost"):
            try:
                file.value(column, "line = 1", form="parquet")
            except InputError as error:
                assert error.code in {
                    "malformed-evidence",
                    "bad-table",
                    "no-column",
                    "too-large",
                    "empty-cell",
                }
                refused += 1
    assert refused > 5


def test_without_the_library_the_message_says_what_to_install(
    tmp_path: Path, whole: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    error = File(tmp_path, NAME, whole).error("loss", "line = 1")
    assert error.code == "missing-library"
    assert error.hint == "install what reads such formats: `pip install 'stilltrue[readers]'`"
