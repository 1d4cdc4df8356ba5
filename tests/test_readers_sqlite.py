"""SQLite files, and what nsys exports as such: exact values, and nothing that the file says is run."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from binary_support import NSYS, SQLITE, File, database
from evidence_support import Project, take
from stilltrue.config import Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.readers import grids
from stilltrue.evidence.readers.sqlite_file import Database
from stilltrue.model import Read, Shape
from stilltrue.quantity import NonFinite, Text

NAME = "runs.sqlite"
CODES = {
    "malformed-evidence",
    "bad-table",
    "no-table",
    "no-rows",
    "no-column",
    "no-reading",
    "unknown-format",
}


@pytest.fixture
def runs(tmp_path: Path) -> File:
    return File(tmp_path, NAME, database(SQLITE))


@pytest.fixture
def export(tmp_path: Path) -> File:
    return File(tmp_path, "report.sqlite", database(NSYS))


def test_values_are_exact_and_have_the_units_of_their_headings(runs: File) -> None:
    assert runs.number("tokens", "name = 'a'", table="runs") == "9007199254740993"
    assert runs.number("loss", "name = 'a'", table="runs") == "1/10"
    assert runs.number("peak_gib", "name = 'b'", table="runs") == "13 GiB"
    assert runs.number("passed", "run = 'z'", table="times") == "12 ms"
    assert runs.value("loss", "name = 'c'", table="runs") == NonFinite("Infinity")


def test_rows_have_their_numbers_for_lines(runs: File) -> None:
    assert runs.lines("tokens", "name = 'c'", table="runs") == [3]
    assert runs.number("line", "", "count", table="runs") == "3"
    assert runs.number("tokens", "line = 2", table="runs") == "1"


def test_a_null_is_empty_and_a_blob_says_how_long_it_is(runs: File) -> None:
    error = runs.error("loss", "name = 'b'", table="runs")
    assert (error.code, str(error)) == ("empty-cell", "`loss` is empty in row 2")
    assert runs.value("raw", "name = 'a'", table="runs") == Text("blob of 2 bytes")


def test_a_table_is_named_and_a_message_lists_them(runs: File) -> None:
    assert runs.error("loss").code == "no-table"
    assert "1 (`runs`), 2 (`times`), 3 (`empty`)" in runs.error("loss", table="run").hint
    assert str(runs.error("a", table="empty")) == "the table `empty` has headings and no rows"
    assert str(runs.error("twice", table="runs")) == "the table `runs` has no column `twice`"


def test_two_tables_with_columns_of_one_place_are_kept_apart(tmp_path: Path) -> None:
    file = File(
        tmp_path,
        NAME,
        database("CREATE TABLE a(x); CREATE TABLE b(x); INSERT INTO a VALUES(1);INSERT INTO b VALUES(2)"),
    )
    assert [file.number("x + 0", table=name) for name in ("a", "b")] == ["1", "2"]


def test_a_file_in_write_ahead_mode_is_read(tmp_path: Path) -> None:
    path = tmp_path / NAME
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript("CREATE TABLE t(x); INSERT INTO t VALUES (5)")
    connection.close()
    data = path.read_bytes()
    assert data[18] == 2
    assert File(tmp_path, NAME, data).number("x") == "5"


HOSTILE = {
    "view": "CREATE TABLE t(x); INSERT INTO t VALUES (1); CREATE VIEW v AS SELECT randomblob(9) AS x;",
    "trigger": "CREATE TABLE t(x); INSERT INTO t VALUES (1);"
    "CREATE TRIGGER g AFTER INSERT ON t BEGIN DELETE FROM t; END;",
    "index": "CREATE TABLE t(x); INSERT INTO t VALUES (1); CREATE INDEX i ON t(abs(x));",
    "generated": "CREATE TABLE t(x, y AS (hex(zeroblob(4)))); INSERT INTO t(x) VALUES (1);",
    "check": "CREATE TABLE t(x CHECK (abs(x) > 0)); INSERT INTO t VALUES (1);",
    "names": 'CREATE TABLE "t""; DROP TABLE t; --"(x); INSERT INTO "t""; DROP TABLE t; --" VALUES (1);',
}


@pytest.mark.parametrize("script", HOSTILE.values(), ids=HOSTILE)
def test_only_the_rows_of_tables_are_read(tmp_path: Path, script: str) -> None:
    file = File(tmp_path, NAME, database(script))
    assert file.number("x") == "1"
    assert file.error("y").code == "no-column"


def test_a_view_or_virtual_table_alone_is_no_evidence(tmp_path: Path) -> None:
    error = File(tmp_path, NAME, database("CREATE VIEW v AS SELECT 1 AS x")).error("x")
    assert (error.code, "it has no table" in str(error)) == ("bad-table", True)


def test_the_schema_may_lie_about_a_table(tmp_path: Path) -> None:
    """A table whose definition was swapped for a function call: SQLite refuses it, and so do we."""
    connection = sqlite3.connect(":memory:")
    connection.executescript("CREATE TABLE t(x); INSERT INTO t VALUES (1); PRAGMA writable_schema = ON;")
    connection.execute("UPDATE sqlite_schema SET sql = 'CREATE TABLE t(x, y AS (load_extension(''a'')))'")
    data = connection.serialize()
    connection.close()
    error = File(tmp_path, NAME, data).error("x", table="t")
    assert (error.code, "malformed database schema" in str(error)) == ("malformed-evidence", True)


@pytest.mark.parametrize("script", [SQLITE, NSYS], ids=["sqlite", "nsys"])
def test_a_file_that_is_cut_is_an_error(tmp_path: Path, script: str) -> None:
    whole = database(script)
    for end in (*range(16, 120, 9), len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        error = File(tmp_path, NAME, whole[:end]).error("line", "", "count", table="1")
        assert (error.code, "no whole SQLite file" in str(error)) == ("malformed-evidence", True)


def test_a_damaged_file_gives_values_or_an_error_of_ours(tmp_path: Path) -> None:
    whole = database(SQLITE)
    refused = 0
    for at in range(0, len(whole), 131):
        data = whole[:at] + b"\xff" + whole[at + 1 :]
        try:
            File(tmp_path, NAME, data).value("line", "", "count", "runs", "sqlite")
        except InputError as error:
            assert error.code in CODES
            refused += 1
    assert refused > 2


def test_text_that_is_not_utf8_breaks_reads_of_its_column_alone(tmp_path: Path) -> None:
    file = File(
        tmp_path, NAME, database("CREATE TABLE t(x, y); INSERT INTO t VALUES (1, CAST(x'ff' AS TEXT))")
    )
    assert file.number("x") == "1"
    error = file.error("y")
    assert (error.code, "not UTF-8" in str(error)) == ("malformed-evidence", True)


def test_pages_that_lead_in_circles_end(tmp_path: Path) -> None:
    """Every pointer of an inner page leads to the page itself."""
    connection = sqlite3.connect(":memory:")
    connection.executescript("PRAGMA page_size = 512; CREATE TABLE t(x)")
    connection.executemany("INSERT INTO t VALUES (?)", [("x" * 100,)] * 500)
    connection.commit()
    data = bytearray(connection.serialize())
    connection.close()
    assert data[512] == 5  # an inner page of a table
    for cell in range(int.from_bytes(data[515:517], "big")):
        at = 512 + int.from_bytes(data[524 + 2 * cell : 526 + 2 * cell], "big")
        data[at : at + 4] = (2).to_bytes(4, "big")
    error = File(tmp_path, NAME, bytes(data)).error("x", "", "count")
    assert error.code in {"malformed-evidence", "too-slow"}


def test_counting_stops_with_the_deadline_and_at_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    data = database(
        "CREATE TABLE t(x); WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 50000) "
        "INSERT INTO t SELECT i FROM n"
    )
    opened = Database(data, Deadline(10))
    with pytest.raises(InputError) as caught:
        opened.height("t", Deadline(0))
    assert caught.value.code == "too-slow"
    with pytest.raises(InputError) as caught:
        opened.texts("t", ("x",), Deadline(0))
    assert caught.value.code == "too-slow"
    monkeypatch.setattr(grids, "MOST_CELLS", 49_999)
    with pytest.raises(InputError) as caught:
        grids.refuse_many(opened.height("t", Deadline(10)))
    assert caught.value.code == "too-large"


def test_a_long_text_in_many_rows_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grids, "MOST_BYTES", 3_000)
    rows = database(
        "CREATE TABLE t(x, y); INSERT INTO t VALUES (hex(zeroblob(1000)), 1), (hex(zeroblob(1000)), 2)"
    )
    error = File(tmp_path, NAME, rows).error("x", "", "first")
    assert (error.code, "3,000 bytes" in str(error)) == ("too-large", True)
    assert File(tmp_path, NAME, rows).number("y", "", "sum") == "3"


def test_kernels_have_names_and_durations(export: File) -> None:
    name = "name = 'void gemm<float>(int)'"
    assert export.number("duration", f"{name} and stream = 7", table="kernels") == "1000 ns"
    assert export.number("start", f"{name} and stream = 13", table="kernels") == "9007199254740993 ns"
    assert export.number("duration", "duration is not null", "sum", "kernels") == "2500 ns"
    assert export.value("short_name", "stream = 13", table="kernels") == Text("gemm")
    assert export.number("registersperthread", "line = 3", table="kernels") == "8"


def test_what_had_not_ended_has_no_duration(export: File) -> None:
    error = export.error("duration", "", "sum", table="kernels")
    assert (error.code, str(error)) == ("empty-cell", "`duration` is empty in row 3")
    assert export.error("duration", "name = 'mark'", table="nvtx").code == "empty-cell"


def test_names_come_from_the_row_or_from_the_strings(export: File) -> None:
    assert export.number("duration", "name = 'forward'", table="nvtx") == "100 ns"
    assert export.number("duration", "name = 'step'", table="nvtx") == "200 ns"
    assert export.number("duration", "name = 'cudaLaunchKernel_v7000'", table="api") == "5 ns"


def test_copies_have_their_kind_and_bytes(export: File) -> None:
    assert export.number("bytes", "kind = 'Host-to-Device'", table="memcpy") == "4194304 bytes"


def test_what_was_not_recorded_is_no_table(export: File) -> None:
    error = export.error("duration", "", "count", table="memset")
    assert (error.code, "`memcpy`" in error.hint) == ("no-table", True)


def test_the_same_export_is_read_as_it_is(export: File) -> None:
    reads = export.value("deviceid", "line = 1", "only", "CUPTI_ACTIVITY_KIND_KERNEL", "sqlite")
    assert reads == export.value("device", "line = 1", table="kernels")


@pytest.mark.parametrize(
    ("script", "says"),
    [
        ("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start, end, name)", "it has no table `StringIds`"),
        (
            "CREATE TABLE META_DATA_EXPORT(name, value); CREATE TABLE StringIds(id, value)",
            "none of the tables",
        ),
        (
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start); CREATE TABLE StringIds(id, value)",
            "lacks `start` or",
        ),
    ],
    ids=["nvprof", "nothing recorded", "unknown version"],
)
def test_another_database_says_what_it_lacks(tmp_path: Path, script: str, says: str) -> None:
    error = File(tmp_path, NAME, database(script)).error("duration", table="kernels")
    assert (error.code, says in str(error), "format" in error.hint) == ("bad-table", True, True)


def test_an_id_that_names_nothing_is_an_error(tmp_path: Path) -> None:
    broken = NSYS.replace("(1, 'void gemm<float>(int)'), ", "")
    error = File(tmp_path, NAME, database(broken)).error("name", "line = 1", table="kernels")
    assert (error.code, "nothing has the id 1" in str(error)) == ("bad-table", True)


def test_a_slow_read_ends(tmp_path: Path) -> None:
    project = Project(tmp_path, Limits(seconds=0)).write(NAME, database(SQLITE))
    read = Read(Shape.TABLE, column="loss", table="runs", take=take("first"))
    assert project.error(NAME, read).code == "too-slow"
