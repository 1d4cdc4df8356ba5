"""The lengths of a corpus's samples, read from the files that people have them in; no probe itself.

Known are CSV and TSV, JSON Lines, Parquet, and a data set as Hugging Face's `save_to_disk` leaves it: a
folder of Arrow streams. A column holds lengths, or lists of tokens whose lengths count. Parquet and Arrow
need the package `pyarrow`.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from statistics import NormalDist
from typing import Any

LENGTH_NAMES = ("tokens", "length", "lengths", "num_tokens", "n_tokens", "input_ids")
"""The columns that hold lengths, unless another is asked for: the first of these that is there."""

ROOT_NAME = "root"
"""The column that names a sample's source document, unless another is asked for."""

LONGEST = 1 << 40
"""A sample of more tokens than this is a mistake in the file."""


class LengthsError(Exception):
    """A corpus that cannot be read; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """The samples of a corpus.

    Attributes:
        lengths: Tokens of each sample, above 0.
        roots: The source document of each, empty where the corpus does not say.
    """

    lengths: tuple[int, ...]
    roots: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns were asked for; empty: the usual ones."""

    length: str = ""
    root: str = ""


Pair = tuple[object, object]
"""A sample's length, or its tokens, as the file has it; and its root, None where the file names none."""


# Samples -----------------------------------------------------------------------------------------------


def read(path: Path, columns: Columns) -> Corpus:
    """The corpus of a file or a folder.

    Raises:
        LengthsError: It cannot be read, or holds something that is no length.
    """
    try:
        return _corpus(path, list(_reader(path)(path, columns)))
    except LengthsError:
        raise
    except OSError as error:
        raise LengthsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (UnicodeDecodeError, csv.Error, RecursionError, MemoryError) as error:
        raise LengthsError(f"{path}: is not what its name says: {_line(error)}") from None


def lognormal(mu: float, sigma: float, count: float) -> Corpus:
    """A corpus at evenly spaced quantiles of a lognormal distribution: its shape without a draw's noise.

    Raises:
        LengthsError: A parameter makes no lengths.
    """
    whole = 1 <= count <= 10_000_000 and count == int(count)
    if not (math.isfinite(mu) and 0 < sigma < math.inf and whole):
        raise LengthsError("--lognormal: MU is a number, SIGMA one above 0, N a whole one up to 10,000,000")
    normal = NormalDist(mu, sigma)
    logs = [normal.inv_cdf((i + 0.5) / count) for i in range(int(count))]
    if logs[-1] > math.log(LONGEST):
        raise LengthsError(f"--lognormal: the longest sample would have more than {LONGEST:,} tokens")
    return Corpus(tuple(max(1, round(math.exp(log))) for log in logs))


def _corpus(path: Path, pairs: Sequence[Pair]) -> Corpus:
    if not pairs:
        raise LengthsError(f"{path}: holds no samples")
    lengths = tuple(_length(path, number, value) for number, (value, _) in enumerate(pairs, 1))
    named = [root is not None for _, root in pairs]
    if any(named) and not all(named):
        raise LengthsError(f"{path}: sample {named.index(False) + 1} has no root, and others have one")
    return Corpus(lengths, tuple(str(root) for _, root in pairs) if all(named) else ())


def _length(path: Path, number: int, value: object) -> int:
    if isinstance(value, list):
        value = len(value)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 20:
        value = int(value)
    if type(value) is not int or value > LONGEST:
        shown = repr(value)[:40]
        raise LengthsError(f"{path}: sample {number} has the length {shown}, no whole number of tokens")
    if value < 1:
        raise LengthsError(f"{path}: sample {number} has no tokens; leave empty samples out of the file")
    return value


def _chosen(path: Path, there: Iterable[str], columns: Columns) -> tuple[str, str]:
    """The columns of lengths and of roots; the second is empty where there is none."""
    names = list(there)
    wanted = (columns.length,) if columns.length else LENGTH_NAMES
    length = next((name for name in wanted if name in names), "")
    missing = "" if length else " or ".join(wanted)
    if columns.root and columns.root not in names:
        missing = columns.root
    if missing:
        shown = ", ".join(names[:12]) or "none"
        raise LengthsError(f"{path}: has no column {missing}; it has {shown} (see --column and --root)")
    root = columns.root or (ROOT_NAME if ROOT_NAME in names else "")
    return length, root


# Formats -----------------------------------------------------------------------------------------------

Reader = Callable[[Path, Columns], Iterator[Pair]]


def _reader(path: Path) -> Reader:
    if path.is_dir():
        return _saved
    if not path.exists():
        raise LengthsError(f"{path}: no such file; run from the repository's root, or give the whole path")
    if not path.is_file():
        raise LengthsError(f"{path}: is no regular file")
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        known = ", ".join(READERS)
        raise LengthsError(f"{path}: a file of lengths ends in one of {known}, or is a folder of Arrow files")
    return reader


def _delimited(path: Path, columns: Columns) -> Iterator[Pair]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file, delimiter="\t" if path.suffix.lower() == ".tsv" else ",", strict=True)
        length, root = _chosen(path, rows.fieldnames or (), columns)
        for row in rows:
            if root and row[root] is None:
                raise LengthsError(f"{path}: line {rows.line_num} is cut short")
            yield row[length], row[root] if root else None


def _json_lines(path: Path, columns: Columns) -> Iterator[Pair]:
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise LengthsError(f"{path}: line {number} is no JSON: {error}") from None
            if not isinstance(row, dict):
                raise LengthsError(f"{path}: line {number} is no object with a length in it")
            length, root = _chosen(path, row, columns)
            yield row[length], row[root] if root else None


def _arrow() -> Any:
    """The package, which only these formats need."""
    try:
        return import_module("pyarrow")
    except ImportError:
        raise LengthsError(
            "Parquet and Arrow files need pyarrow: install it, or `uv run --with pyarrow`"
        ) from None


def _parquet(path: Path, columns: Columns) -> Iterator[Pair]:
    arrow = _arrow()
    try:
        file = import_module("pyarrow.parquet").ParquetFile(path)
        length, root = _chosen(path, file.schema_arrow.names, columns)
        yield from _pairs(file.iter_batches(columns=[length, *filter(None, [root])]), length, root)
    except (arrow.ArrowException, ValueError) as error:
        raise LengthsError(f"{path}: is no Parquet file that can be read: {_line(error)}") from None


def _saved(path: Path, columns: Columns) -> Iterator[Pair]:
    """The rows of a saved data set, its shards in the order in which its state names them."""
    arrow = _arrow()
    for shard in _shards(path):
        try:
            with arrow.OSFile(str(shard)) as file:
                stream = _opened(arrow, file)
                length, root = _chosen(shard, stream.schema.names, columns)
                yield from _pairs(_batches(stream), length, root)
        except (arrow.ArrowException, ValueError) as error:
            raise LengthsError(f"{shard}: is no Arrow file that can be read: {_line(error)}") from None


def _shards(path: Path) -> list[Path]:
    splits = path / "dataset_dict.json"
    if splits.is_file():
        raise LengthsError(f"{path}: holds several splits; name the folder of one of them")
    state = path / "state.json"
    names = _named(state) if state.is_file() else sorted(p.name for p in path.glob("*.arrow"))
    if not names:
        raise LengthsError(f"{path}: holds no Arrow files; it is no data set as `save_to_disk` leaves it")
    return [path / name for name in names]


def _named(state: Path) -> list[str]:
    """The shards that a data set's state names; it says nothing of folders, so a name is a bare one."""
    try:
        known = json.loads(state.read_text(encoding="utf-8"))
        names = [entry["filename"] for entry in known["_data_files"]]
        chosen = known.get("_indices_data_files")
    except (ValueError, KeyError, TypeError, AttributeError):
        raise LengthsError(f"{state}: does not name the data set's files") from None
    if chosen:
        raise LengthsError(f"{state}: chooses rows by a list of indices; save the data set flattened")
    if not all(isinstance(name, str) and name == Path(name).name for name in names):
        raise LengthsError(f"{state}: names files outside the data set's folder")
    return names


def _opened(arrow: Any, file: Any) -> Any:
    """An Arrow stream, which is what `save_to_disk` writes, or an Arrow file."""
    try:
        return arrow.ipc.open_stream(file)
    except arrow.ArrowInvalid:
        file.seek(0)
        return arrow.ipc.open_file(file)


def _batches(stream: Any) -> Iterator[Any]:
    if hasattr(stream, "num_record_batches"):
        return (stream.get_batch(i) for i in range(stream.num_record_batches))
    return iter(stream)


def _pairs(batches: Iterable[Any], length: str, root: str) -> Iterator[Pair]:
    """The samples of record batches; of lists their lengths alone are taken out of Arrow."""
    compute, types = import_module("pyarrow.compute"), import_module("pyarrow.types")
    for batch in batches:
        values = batch.column(length)
        kind = values.type
        if types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind):
            values = compute.list_value_length(values)
        roots = batch.column(root).to_pylist() if root else [None] * len(values)
        yield from zip(values.to_pylist(), roots, strict=True)


def _line(error: Exception) -> str:
    """The first line of what a library says, which may go on for many."""
    return (str(error).splitlines() or [type(error).__name__])[0][:200]


READERS: dict[str, Reader] = {
    ".csv": _delimited,
    ".tsv": _delimited,
    ".jsonl": _json_lines,
    ".ndjson": _json_lines,
    ".parquet": _parquet,
}
"""The reader of each suffix."""
