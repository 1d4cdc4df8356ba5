"""Files of lengths: every format that is read, and what is said of files that are wrong."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from probe_parts.sample_lengths import Columns, LengthsError, read

# Formats -----------------------------------------------------------------------------------------------


def test_delimited_files(tmp_path: Path) -> None:
    comma = tmp_path / "a.csv"
    comma.write_bytes(b'\xef\xbb\xbfroot,tokens\r\n"x, y",12\r\nz, 3 \r\n')
    tab = tmp_path / "a.tsv"
    tab.write_text("size\tdoc\n4\tm\n5\tn\n", encoding="utf-8")
    found = read(comma, Columns())
    assert (found.lengths, found.roots) == ((12, 3), ("x, y", "z"))
    found = read(tab, Columns("size", "doc"))
    assert (found.lengths, found.roots) == ((4, 5), ("m", "n"))


def test_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"length": 7, "root": 3}\n\n{"length": 2, "root": "b"}\n', encoding="utf-8")
    assert read(path, Columns()) == read(path, Columns("length", "root"))
    assert read(path, Columns()).roots == ("3", "b")
    path.write_text('{"input_ids": [5, 6, 7]}\n{"input_ids": [1]}\n', encoding="utf-8")
    found = read(path, Columns())
    assert (found.lengths, found.roots) == ((3, 1), ())


def table(**columns: list[Any]) -> Any:
    return pytest.importorskip("pyarrow").table(columns)


def test_parquet(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "a.parquet"
    parquet.write_table(
        table(input_ids=[[1, 2], [3], [4, 5, 6]], root=["a", "b", "b"], text=["", "", ""]), path
    )
    found = read(path, Columns())
    assert (found.lengths, found.roots) == ((2, 1, 3), ("a", "b", "b"))
    parquet.write_table(table(n=[4, 5]), path)
    assert read(path, Columns("n")).lengths == (4, 5)


def saved(folder: Path, *shards: Any, form: str = "new_stream") -> Path:
    """A data set as `save_to_disk` leaves it: Arrow streams, and a state that names them in order."""
    arrow = pytest.importorskip("pyarrow")
    folder.mkdir()
    names = [f"data-{i:05}-of-{len(shards):05}.arrow" for i in range(len(shards))]
    for name, shard in zip(names, shards, strict=True):
        with getattr(arrow.ipc, form)(folder / name, shard.schema) as writer:
            writer.write_table(shard)
    state = {"_data_files": [{"filename": name} for name in names], "_indices_data_files": None}
    (folder / "state.json").write_text(json.dumps(state), encoding="utf-8")
    return folder


def test_a_saved_data_set(tmp_path: Path) -> None:
    folder = saved(
        tmp_path / "set", table(input_ids=[[1], [2, 3]], root=["x", "y"]), table(input_ids=[[4]], root=["x"])
    )
    found = read(folder, Columns())
    assert (found.lengths, found.roots) == ((1, 2, 1), ("x", "y", "x"))
    (folder / "state.json").unlink()
    assert read(folder, Columns()) == found


def test_a_saved_data_set_of_arrow_files(tmp_path: Path) -> None:
    assert read(saved(tmp_path / "set", table(tokens=[3, 4]), form="new_file"), Columns()).lengths == (3, 4)


# Files that are wrong ----------------------------------------------------------------------------------

WRONG: dict[str, tuple[str, bytes, str]] = {
    "empty": ("a.csv", b"", "has no column tokens or length or"),
    "header alone": ("a.csv", b"tokens\n", "holds no samples"),
    "no such column": ("a.csv", b"words\n3\n", "it has words (see --column and --root)"),
    "a word": ("a.csv", b"tokens\n3\nmany\n", "sample 2 has the length 'many', no whole number of tokens"),
    "a fraction": ("a.csv", b"tokens\n3.5\n", "sample 1 has the length '3.5'"),
    "a missing cell": ("a.csv", b"root,tokens\nx\n", "sample 1 has the length None"),
    "zero": ("a.csv", b"tokens\n3\n0\n", "sample 2 has no tokens; leave empty samples out"),
    "negative": ("a.csv", b"tokens\n-3\n", "sample 1 has the length '-3'"),
    "digits without end": ("a.csv", b"tokens\n" + b"9" * 5000 + b"\n", "sample 1 has the length '999"),
    "other digits": ("a.csv", "tokens\n²\n".encode(), "sample 1 has the length"),
    "no UTF-8": ("a.csv", b"tokens\n\xff\xfe\n", "is not what its name says"),
    "an open quote": ("a.csv", b'tokens\n"3\n', "is not what its name says"),
    "a row cut short": ("a.csv", b"tokens,root\n3\n", "line 2 is cut short"),
    "no JSON": ("a.jsonl", b'{"tokens": 3}\n{"tokens": \n', "line 2 is no JSON"),
    "no object": ("a.jsonl", b"[3]\n", "line 1 is no object with a length in it"),
    "deep JSON": ("a.jsonl", b"[" * 100_000 + b"\n", "is not what its name says"),
    "a list of nothing": ("a.jsonl", b'{"input_ids": []}\n', "sample 1 has no tokens"),
    "yes": ("a.jsonl", b'{"tokens": true}\n', "sample 1 has the length True"),
    "NaN": ("a.jsonl", b'{"tokens": NaN}\n', "sample 1 has the length nan"),
    "too long": ("a.jsonl", b'{"tokens": 1e400}\n', "sample 1 has the length inf"),
    "one without a root": ("a.jsonl", b'{"tokens": 3, "root": 1}\n{"tokens": 3}\n', "sample 2 has no root"),
    "no Parquet": ("a.parquet", b"PAR1 not at all", "is no Parquet file that can be read"),
    "another suffix": ("a.bin", b"\0\0", "a file of lengths ends in one of .csv"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_file_that_is_wrong_is_refused_in_one_sentence(tmp_path: Path, name: str) -> None:
    file, content, says = WRONG[name]
    if file.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    (tmp_path / file).write_bytes(content)
    with pytest.raises(LengthsError) as caught:
        read(tmp_path / file, Columns())
    message = str(caught.value)
    assert says in message
    assert file in message
    assert "\n" not in message
    assert len(message) < 400


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(LengthsError, match="is no regular file"):
        read(tmp_path / "pipe.csv", Columns())


@pytest.mark.parametrize(
    ("state", "says"),
    [
        ("{", "does not name"),
        ("[]", "does not name"),
        ('{"_data_files": [{"filename": "../../etc/passwd"}]}', "outside the data set's folder"),
        ('{"_data_files": [{"filename": "gone.arrow"}]}', "cannot be read"),
        ('{"_data_files": []}', "holds no Arrow files"),
        ('{"_data_files": [], "_indices_data_files": [{"filename": "i.arrow"}]}', "flattened"),
        ('{"_data_files": [{"filename": "bad.arrow"}]}', "is no Arrow file"),
    ],
    ids=["no json", "list", "outside", "gone", "none", "indices", "garbage"],
)
def test_a_saved_data_set_that_is_wrong_is_refused(tmp_path: Path, state: str, says: str) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "state.json").write_text(state, encoding="utf-8")
    (tmp_path / "bad.arrow").write_bytes(b"nothing of the kind")
    with pytest.raises(LengthsError, match=says):
        read(tmp_path, Columns())


def test_a_folder_of_splits_asks_for_one_of_them(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    (tmp_path / "dataset_dict.json").write_text('{"splits": ["train"]}', encoding="utf-8")
    with pytest.raises(LengthsError, match="name the folder of one of them"):
        read(tmp_path, Columns())


def test_without_pyarrow_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    with pytest.raises(LengthsError, match="need pyarrow: install it"):
        read(tmp_path / "a.parquet", Columns())
