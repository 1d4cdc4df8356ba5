"""Parquet files: one table, whose columns are read when a claim asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.arrow_cells import Leaf, leaves, texts_of
from stilltrue.evidence.readers.grids import ColumnGrid, refuse_long
from stilltrue.evidence.readers.libraries import library
from stilltrue.evidence.readers.memory_bound import bounded
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.tables.frames import Column, Frame, Kind
from stilltrue.evidence.tables.headings import column_names, heading_unit
from stilltrue.quantity import Units

_MAGIC = b"PAR1"
_ENCRYPTED = b"PARE"
_LEAST = 12
_BATCH = 2_048
_MOST_COLUMNS = 10_000
_MOST_MEMORY = 1 << 30
_MOST_FOOTER = 64 << 20


def _recognises(data: bytes) -> bool:
    return data.startswith((_MAGIC, _ENCRYPTED))


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    source = _Rows(content.data)
    columns = _columns(source.leaves, units)
    return (Frame(columns, ColumnGrid(source, deadline.seconds), 0),)


def _columns(found: Sequence[Leaf], units: Units) -> tuple[Column, ...]:
    names = column_names([leaf.name for leaf in found])
    return tuple(
        Column(name, leaf.name, _unit(leaf, units), leaf.kind)
        for name, leaf in zip(names, found, strict=True)
    )


def _unit(leaf: Leaf, units: Units) -> Any:
    if leaf.unit:
        return units.parse(leaf.unit)
    return heading_unit(leaf.name, units) if leaf.kind is Kind.ANY else None


class _Rows:
    """The rows of a file as a source of columns.

    Raises:
        InputError: `malformed-evidence`: it is none, is cut, damaged or encrypted; `too-large`.
    """

    def __init__(self, data: bytes) -> None:
        _refuse_cut(data)
        self._data = data
        parquet = library("pyarrow.parquet", "pyarrow")
        with _reading():
            self._metadata = parquet.read_metadata(_source(data))
            if self._metadata.num_columns > _MOST_COLUMNS:
                raise _too_large(f"it has {self._metadata.num_columns:,} columns")
            self.leaves = tuple(leaves(self._file().schema_arrow))

    def height(self, _deadline: Deadline) -> int:
        return int(self._metadata.num_rows)

    def texts(self, columns: Sequence[int], deadline: Deadline) -> list[list[str]]:
        chosen = [self.leaves[at] for at in columns]
        tops = list(dict.fromkeys(leaf.path[0] for leaf in chosen))
        texts: list[list[str]] = [[] for _ in chosen]
        size = 0
        with _reading():
            for batch in self._batches(tops):
                deadline.check()
                batch.validate(full=True)
                size += batch.nbytes
                refuse_long(size)
                for cells, leaf in zip(texts, chosen, strict=True):
                    cells.extend(texts_of(leaf, batch))
        if any(len(cells) != self._metadata.num_rows for cells in texts):
            raise _damaged(f"its footer says {self._metadata.num_rows:,} rows, and it holds others")
        return texts

    def _batches(self, tops: Sequence[str]) -> Iterator[Any]:
        """The rows in pieces, of the columns at the root that are asked for."""
        file = self._file()
        for top in tops:
            if file.schema_arrow.names.count(top) != 1:
                raise _damaged(f"several of its columns are called `{top}`")
        for group in range(file.num_row_groups):  # a batch over two of them cannot hold nested texts
            yield from file.iter_batches(_BATCH, [group], columns=list(tops), use_threads=False)

    def _file(self) -> Any:
        """The open file.

        What it says of its pieces is not asked for: of a damaged file, that ends the process.
        """
        parquet = library("pyarrow.parquet", "pyarrow")
        return parquet.ParquetFile(
            _source(self._data),
            page_checksum_verification=True,
            thrift_string_size_limit=_MOST_FOOTER,
            thrift_container_size_limit=1_000_000,
        )


@contextmanager
def _reading() -> Iterator[None]:
    """Bounds the library's memory, and gives what it says of a damaged file as an error of this reader."""
    arrow = library("pyarrow", "pyarrow")
    try:
        arrow.allocate_buffer(1)  # with its first byte the library sets a GiB of addresses aside
        with bounded(_MOST_MEMORY):
            yield
    except MemoryError:
        raise _too_large(f"its columns need more than {_MOST_MEMORY >> 30} GiB of memory") from None
    except arrow.ArrowNotImplementedError as error:
        raise InputError(
            "bad-table",
            f"`pyarrow` cannot read this column: {_first_line(error)}",
            "read others, or export it as CSV",
        ) from None
    except (arrow.ArrowException, OSError, ValueError, KeyError, OverflowError) as error:
        raise _damaged(_first_line(error)) from None


def _first_line(error: BaseException) -> str:
    return str(error).partition("\n")[0].rstrip(".")


def _source(data: bytes) -> Any:
    return library("pyarrow", "pyarrow").BufferReader(data)


def _refuse_cut(data: bytes) -> None:
    if _ENCRYPTED in (data[:4], data[-4:]):
        raise _damaged("it is encrypted")
    if not data.startswith(_MAGIC):
        raise _damaged("it does not begin as one")
    if len(data) < _LEAST or not data.endswith(_MAGIC):
        raise _damaged("it is cut: its footer is missing")
    if int.from_bytes(data[-8:-4], "little") > min(_MOST_FOOTER, len(data) - _LEAST):
        raise _damaged("its footer is longer than the file")


def _damaged(why: str) -> InputError:
    return InputError(
        "malformed-evidence",
        f"this is no whole Parquet file: {why}",
        "copy it again once its writer has closed it, or export it as CSV",
    )


def _too_large(why: str) -> InputError:
    return InputError("too-large", f"this Parquet file is too large: {why}", "keep what is needed of it")


PARQUET = Reader(
    means="a Parquet file, with nested columns",
    content="begins with `PAR1`",
    rows="a row of the file, `line` its number; the members of a struct are columns `outer_inner`",
    columns={},
    traps=(
        (
            "Whole numbers and decimals are exact, floats are read at the shortest decimal that "
            "is the same float."
        ),
        ("Null is an empty cell; NaN is read, and never agrees. `where: loss is not null` leaves both out."),
        (
            "Moments and days are text, `2026-08-24T10:00:00.000Z`, with as many digits as the "
            "file keeps; a moment with a time zone is in UTC. Spans of time have their unit."
        ),
        "Lists and maps are text as JSON writes it. Bytes that are no text are `blob of 16 bytes`.",
        (
            "The footer's statistics (smallest, largest, count of nulls) are not used: writers "
            "have got them wrong, and cut long texts in them. Readings come from the rows."
        ),
        "A dataset in several files has a part of the rows in each: name them with a glob.",
        "Checksums of pages are verified where the writer put them; most writers do not.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    binary=True,
)
