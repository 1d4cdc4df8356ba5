"""A stranger's SQLite file, opened in memory, from which the rows of its tables can be read and nothing else.

Views, triggers, virtual tables, generated columns and indexes are not looked at: they may run what the file
says.
The format: https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.readers.grids import MOST_BYTES, MOST_CELLS, refuse_long
from stilltrue.wording import counted

MAGIC = b"SQLite format 3\0"
"""What every such file begins with."""

_HEADER = 100
_STEPS = 20_000
_PACE = 4096
_LARGEST_PAGE = 65_536
_WRITE_AHEAD = 2
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (sqlite3.SQLITE_LIMIT_LENGTH, MOST_BYTES),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 1_000_000),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)
_SCHEMA = frozenset({"sqlite_master", "sqlite_schema"})
_PRAGMAS = frozenset({"table_xinfo"})


class Database:
    """The tables of one file.

    Attributes:
        tables: Their names and columns, in the order in which they were made.

    Args:
        data: The file's bytes.
        deadline: When it must be opened.

    Raises:
        InputError: `malformed-evidence`: it is none, is cut, or is damaged; `too-slow`.
    """

    def __init__(self, data: bytes, deadline: Deadline) -> None:
        self._deadline = deadline
        self._readable: frozenset[str] = _SCHEMA
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        _refuse_cut(data)
        if not hasattr(self._connection, "deserialize"):
            raise InputError(
                "missing-library",
                "the SQLite of this Python opens no files in memory",
                "use a Python whose `sqlite3` has `Connection.deserialize`",
            )
        with self._explained():
            self._connection.deserialize(_alone(data))
            self._shut()
            self.tables: dict[str, tuple[str, ...]] = {name: self._columns(name) for name in self._names()}
        self._readable = frozenset(self.tables)

    def __del__(self) -> None:
        self._connection.close()

    def height(self, table: str, deadline: Deadline) -> int:
        """How many rows a table has, up to one more than `MOST_CELLS`."""
        inner = f"SELECT 1 FROM {quoted(table)} NOT INDEXED LIMIT {MOST_CELLS + 1}"  # noqa: S608  # a quoted name
        # A plain count is one step of SQLite's, in which nothing watches the time.
        (row,) = self._rows(f"SELECT count(*) FROM ({inner})", deadline)  # noqa: S608  # as above
        return int(str(row[0]))

    def texts(self, table: str, columns: Sequence[str], deadline: Deadline) -> list[list[str]]:
        """The cells of some columns as text: numbers exact, NULL empty, of a blob how long it is.

        Raises:
            InputError: As the class; also when a text is not UTF-8.
        """
        names = ", ".join(map(quoted, columns))
        texts: list[list[str]] = [[] for _ in columns]
        size = 0
        for row in self._rows(f"SELECT {names} FROM {quoted(table)} NOT INDEXED", deadline):  # noqa: S608  # as above
            for cells, value in zip(texts, row, strict=True):
                text = _text(value)
                size += len(text)
                cells.append(text)
            refuse_long(size)
        return texts

    def _rows(self, statement: str, deadline: Deadline) -> Iterator[tuple[object, ...]]:
        """The rows that a statement gives, one at a time: many may hold one long text."""
        self._deadline = deadline
        with self._explained():
            for number, row in enumerate(self._connection.execute(statement)):
                if not number % _PACE:
                    deadline.check()
                yield row

    def _names(self) -> list[str]:
        """The tables that hold rows of their own; a virtual one has no page."""
        found = self._rows(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND rootpage > 0 ORDER BY rowid",
            self._deadline,
        )
        return [str(name) for (name,) in found if not str(name).startswith("sqlite_")]

    def _columns(self, table: str) -> tuple[str, ...]:
        """The columns of a table that are stored: those hidden or generated are left out."""
        found = self._rows(f"PRAGMA table_xinfo({quoted(table)})", self._deadline)
        return tuple(str(row[1]) for row in found if row[6] == 0)

    def _shut(self) -> None:
        connection = self._connection
        for statement in ("trusted_schema = OFF", "query_only = ON", "cell_size_check = ON"):
            connection.execute(f"PRAGMA {statement}")
        for category, limit in _LIMITS:
            connection.setlimit(category, limit)
        connection.text_factory = _decoded
        connection.set_progress_handler(self._exhausted, _STEPS)
        connection.set_authorizer(self._authorize)

    def _exhausted(self) -> bool:
        return not self._deadline.left

    def _authorize(self, action: int, first: str | None, second: str | None, *_: str | None) -> int:
        """What SQLite asks before each statement: reading the tables that were listed."""
        if action == sqlite3.SQLITE_READ:
            allowed = first in self._readable or first == ""
        elif action == sqlite3.SQLITE_PRAGMA:
            allowed = first in _PRAGMAS
        elif action == sqlite3.SQLITE_FUNCTION:
            allowed = second == "count"
        else:
            allowed = action == sqlite3.SQLITE_SELECT
        return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """What SQLite says of a damaged file, as an error of this reader."""
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning, OverflowError, ValueError) as error:
            if str(error) == "interrupted":
                raise self._deadline.passed() from None
            raise _damaged(str(error)) from None


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def _refuse_cut(data: bytes) -> None:
    """Holds the file's size against its header's.

    Raises:
        InputError: `malformed-evidence`.
    """
    if not data.startswith(MAGIC) or len(data) < _HEADER:
        raise _damaged("it does not begin as one")
    page = int.from_bytes(data[16:18], "big")
    page = _LARGEST_PAGE if page == 1 else page
    pages = int.from_bytes(data[28:32], "big")
    current = data[24:28] == data[92:96]  # else an old SQLite wrote it, and the number of pages is another's
    if page < 512 or page & (page - 1):
        raise _damaged("its header gives no size of a page")
    if len(data) % page or (current and pages and len(data) < page * pages):
        raise _damaged(f"it is cut: {len(data):,} bytes are no {pages:,} pages of {page:,}")


def _alone(data: bytes) -> bytes:
    """The file without its mode of write-ahead logging, which a copy in memory cannot have."""
    if _WRITE_AHEAD not in (data[18], data[19]):
        return data
    return data[:18] + b"\x01\x01" + data[20:]


def _text(value: object) -> str:
    if type(value) is str:
        return value
    if type(value) is bytes:
        return f"blob of {counted(len(value), 'byte')}"
    return "" if value is None else repr(value)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "malformed-evidence",
            "a text in this SQLite file is not UTF-8",
            "read other columns, or export the table as CSV",
        ) from None


def _damaged(why: str) -> InputError:
    return InputError(
        "malformed-evidence",
        f"this is no whole SQLite file: {why}",
        "copy it again once its writer has closed it",
    )
