"""Headers of safetensors files as trees: exact counts, and every way in which a header can lie."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from binary_support import framed, reading, tensors
from evidence_support import Project, quantity, tree
from stilltrue.errors import InputError
from stilltrue.evidence.readers import READERS
from stilltrue.quantity import Flag, Text
from stilltrue.tensor_header import HeaderError, read_header, refuse_other_size

NAME = "model.safetensors"
ENTRIES = {
    "lm_head.weight": ("BF16", [4, 3], 24),
    "layers.0.scale": ("F32", [], 4),
    "layers.0.packed": ("U8", [2, 5], 10),
    "layers.0.empty": ("F32", [0, 7], 0),
}
WHOLE = tensors(ENTRIES, {"format": "pt", "step": "500"})
HEADER = WHOLE[: 8 + int.from_bytes(WHOLE[:8], "little")]


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return Project(tmp_path).write(NAME, WHOLE)


def test_a_tensor_has_its_format_shape_and_counts(project: Project) -> None:
    assert project.value(NAME, tree("$.tensors['lm_head.weight'].parameters")) == quantity("12")
    assert project.value(NAME, tree("$.tensors['lm_head.weight'].dtype")) == Text("BF16")
    assert project.value(NAME, tree("$.tensors['lm_head.weight'].shape[1]")) == quantity("3")
    assert project.value(NAME, tree("$.tensors['layers.0.scale'].parameters")) == quantity("1")
    assert project.value(NAME, tree("$.tensors['layers.0.empty'].parameters")) == quantity("0")


def test_sums_are_over_all_tensors_and_over_each_format(project: Project) -> None:
    assert project.value(NAME, tree("$.parameters")) == quantity("23")
    assert project.value(NAME, tree("$.bytes", symbol="bytes")) == quantity("38", "bytes")
    assert project.value(NAME, tree("$.count")) == quantity("4")
    assert project.value(NAME, tree("$.dtypes.F32.count")) == quantity("2")
    assert project.value(NAME, tree("$.dtypes.U8.parameters")) == quantity("10")
    assert project.value(NAME, tree("$.tensors[?@.dtype == 'F32'].parameters", "sum")) == quantity("1")


def test_what_else_the_header_says_is_text(project: Project) -> None:
    assert project.value(NAME, tree("$.metadata.format")) == Text("pt")
    assert project.value(NAME, tree("$.metadata.step")) == quantity("500")


def test_a_count_beyond_a_double_stays_exact(tmp_path: Path) -> None:
    shape = [2**53 + 1]
    entry = {"dtype": "U8", "shape": shape, "data_offsets": [0, shape[0]]}
    project = Project(tmp_path).write(NAME, framed(json.dumps({"w": entry}).encode()))
    assert project.value(NAME, tree("$.parameters")) == quantity(str(2**53 + 1))


def test_a_header_alone_is_read_and_says_so(tmp_path: Path, project: Project) -> None:
    alone = Project(tmp_path / "alone").write(NAME, HEADER)
    assert alone.value(NAME, tree("$.parameters")) == quantity("23")
    assert alone.value(NAME, tree("$.header_alone")) == Flag(True)
    assert project.value(NAME, tree("$.header_alone")) == Flag(False)


def test_parts_of_a_checkpoint_are_added_up(tmp_path: Path) -> None:
    project = Project(tmp_path)
    for part in (1, 2):
        project.write(f"model-{part}.safetensors", tensors({f"w{part}": ("F16", [part, 8], 16 * part)}, {}))
    read = tree("$.parameters", "only, sum of 2")
    assert project.value("model-*.safetensors", read) == quantity("24")


def test_a_file_that_is_cut_is_an_error_anywhere_but_after_its_header(tmp_path: Path) -> None:
    for end in (*range(1, len(HEADER), 7), len(HEADER) - 1, len(HEADER) + 1, len(WHOLE) - 1):
        error = Project(tmp_path).write(NAME, WHOLE[:end]).error(NAME, tree("$.count", form="safetensors"))
        assert error.code == "malformed-evidence"


def entry(**changes: Any) -> bytes:
    said = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]} | changes
    return framed(json.dumps({"w": said}).encode()) + bytes(8)


BROKEN = {
    "16 EiB of header": (b"\xff" * 8 + b'{"w": 1}', "its header is longer than the file"),
    "100 MB of header": ((200_000_000).to_bytes(8, "little") + b"{}", "its header is longer than the file"),
    "no JSON": (framed(b'{"w": '), "its header is no JSON"),
    "twice": (framed(b'{"w": 1, "w": 2}'), "names a tensor twice"),
    "nested": (framed(b'{"w": ' + b"[" * 100_000), "its header is no JSON"),
    "an array": (framed(b'["w"]'), "its header is no mapping"),
    "a number": (framed(b'{"w": 1}'), "nothing of where `w` lies"),
    "metadata of numbers": (framed(b'{"__metadata__": {"a": 1}}'), "`__metadata__` does not map"),
    "a negative size": (entry(shape=[-2]), "`w` has no shape"),
    "a size of yes": (entry(shape=[True, 2]), "`w` has no shape"),
    "half a size": (entry(shape=[2.0]), "`w` has no shape"),
    "too few bytes": (entry(data_offsets=[0, 4]), "not as many numbers as its shape says"),
    "backwards": (entry(data_offsets=[8, 0]), "nothing of where `w` lies"),
    "a gap": (entry(shape=[1], data_offsets=[4, 8]), "does not begin where the one before it ends"),
    "a rest": (entry(shape=[1], data_offsets=[0, 4]), "4 bytes at its end belong to none"),
    "cut": (entry(shape=[4], data_offsets=[0, 16]), "it ends before `w` does"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_header_that_lies_says_how(tmp_path: Path, name: str) -> None:
    data, says = BROKEN[name]
    error = Project(tmp_path).write(NAME, data).error(NAME, tree("$.count", form="safetensors"))
    assert (error.code, says in str(error)) == ("malformed-evidence", True), str(error)


def test_a_format_that_is_not_known_is_counted_by_its_shape(tmp_path: Path) -> None:
    project = Project(tmp_path).write(NAME, entry(dtype="F3", shape=[5]))
    assert project.value(NAME, tree("$.dtypes.F3.parameters")) == quantity("5")


def test_it_is_no_table_and_no_text(project: Project) -> None:
    error = project.error(NAME, reading("dtype", "", "only", "", ""))
    assert (error.code, error.hint) == ("unknown-format", "read it with `path`")
    assert str(error) == f"`{NAME}` is read as a tree (`safetensors`), and `column` reads a table"


def test_text_is_never_taken_for_one() -> None:
    recognises = READERS["safetensors"].recognises
    assert recognises(WHOLE)
    assert not any(map(recognises, (b"", b"{}", b'        {"a": 1}', b'12345678{"a": 1}', bytes(9))))


@settings(max_examples=200, deadline=None)
@given(
    st.binary(max_size=60)
    | st.binary(max_size=60).map(framed)
    | st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)).map(
        lambda change: WHOLE[: change[0]] + bytes([change[1]]) + WHOLE[change[0] + 1 :]
    )
)
def test_any_bytes_give_a_header_or_its_error(data: bytes) -> None:
    try:
        header = read_header(data, len(data))
        refuse_other_size(header, len(data))
    except HeaderError:
        return
    assert header.start + header.size == len(data)
    assert all(known.count >= 0 for known in header.entries.values())


def test_the_writer_of_the_format_is_understood(tmp_path: Path) -> None:
    numpy = pytest.importorskip("numpy")
    save = pytest.importorskip("safetensors.numpy").save
    project = Project(tmp_path).write(NAME, save({"w": numpy.zeros((2, 3), numpy.float32)}, {"format": "np"}))
    assert project.value(NAME, tree("$.tensors.w.parameters")) == quantity("6")
    with pytest.raises(InputError):
        project.take(NAME, tree("$.tensors.v.parameters"))
