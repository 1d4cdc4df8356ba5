"""Every reader of our own, tried with the kit that those of others are tried with."""

from __future__ import annotations

import io
from pathlib import Path

import pyarrow as pa  # type: ignore[import-untyped]  # has no types
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # as above
import pytest

from binary_support import EVENTS, NSYS, SQLITE, database, tensors
from documents_support import TABLES
from evidence_support import Project
from readers_logs import LOGS
from readers_support import FILES
from stilltrue.evidence.readers import READERS
from stilltrue.model import Read, Shape
from stilltrue.testing import OTHERS, faults
from trace_support import TRACE


def parquet() -> bytes:
    buffer = io.BytesIO()
    table = pa.table({"name": ["a", "b", "c"], "loss": [0.5, 0.25, None], "step": [1, 2, 3]})
    pq.write_table(table, buffer, row_group_size=2, write_page_checksum=True)
    return buffer.getvalue()


BINARY: dict[str, tuple[str, bytes]] = {
    "tensorboard": ("events.out.tfevents.1", EVENTS),
    "safetensors": ("model.safetensors", tensors({"w": ("F32", [2, 3], 24)}, {"format": "pt"})),
    "nsys-sqlite": ("run.sqlite", database(NSYS)),
    "sqlite": ("runs.sqlite", database(SQLITE)),
    "parquet": ("metrics.parquet", parquet()),
}
SAMPLES: dict[str, tuple[str, bytes]] = {
    "chrome-trace": ("trace.json", TRACE.encode()),
    **BINARY,
    **{name: (path, text.encode()) for name, (path, text) in (FILES | LOGS).items()},
    **{name: (path, text.encode()) for name, (path, text, _) in TABLES.items()},
}
"""A file of each format, and of some several, by the format's name and what is said of it."""


def form_of(name: str) -> str:
    return name.partition(" ")[0]


def test_each_reader_has_a_sample() -> None:
    lacking = set(READERS) - {form_of(name) for name in SAMPLES}
    assert not lacking, "add a file of it to `FILES` in tests/readers_support.py, or to a table named here"
    assert {form_of(name) for name in SAMPLES} == set(READERS)


@pytest.mark.parametrize("name", SAMPLES)
def test_a_reader_refuses_or_gives_what_the_whole_file_holds(name: str) -> None:
    """Cut, without one of its numbers, damaged, and other formats under its name."""
    path, sample = SAMPLES[name]
    places = 50 if name in BINARY else 100
    told = faults(form_of(name), sample, path=path, places=places)
    # Where a safetensors file ends with its header, it says so: nothing of the rest is read.
    assert [one for one in told if "`$.header_alone`" not in one] == []


@pytest.mark.parametrize("name", READERS)
def test_other_formats_of_ours_are_not_taken_for_one(name: str) -> None:
    others = {other: data for other, (_, data) in SAMPLES.items() if form_of(other) != name}
    path, sample = SAMPLES.get(name) or next(SAMPLES[each] for each in SAMPLES if form_of(each) == name)
    assert [
        told for told in faults(name, sample, path=path, places=1, others=others) if "under its" in told
    ] == []


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("data", [b"", b" \n\n"], ids=["empty", "blank"])
def test_an_empty_file_is_refused_before_it_is_read(tmp_path: Path, name: str, data: bytes) -> None:
    project = Project(tmp_path).write("a", data)
    read = Read(Shape.TABLE, column="line", format=name)
    if READERS[name].shape is Shape.TREE:
        read = Read(Shape.TREE, path="$", format=name)
    assert project.error("a", read).code == "empty-file"


def test_the_other_formats_are_none_of_ours() -> None:
    """Else the kit would leave them out, where a reader of that format is tried."""
    known = [name for name, reader in READERS.items() for data in OTHERS.values() if reader.recognises(data)]
    assert known == []
