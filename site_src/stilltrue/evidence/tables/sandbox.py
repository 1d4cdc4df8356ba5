"""SQLite shut in: one table in memory, and statements that can read it and do nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.cells import CellReader, SqlValue
from stilltrue.evidence.tables.expressions import Expression
from stilltrue.evidence.tables.frames import Frame
from stilltrue.evidence.tables.headings import LINE
from stilltrue.evidence.tables.memory import peak_memory

TABLE = "evidence"
"""What every table is called."""

AGGREGATES = frozenset({"avg", "count", "group_concat", "sum", "total"})
"""Functions over several rows: `take` does that, so that duplicate rows show. Subqueries may use them."""

FUNCTIONS = AGGREGATES | {
    *(
        "abs",
        "ceil",
        "ceiling",
        "exp",
        "floor",
        "ln",
        "log",
        "log10",
        "log2",
        "max",
        "min",
        "mod",
        "pi",
        "pow",
    ),
    *("power", "round", "sign", "sqrt", "trunc"),
    *("glob", "instr", "length", "like", "lower", "ltrim", "replace", "rtrim", "substr", "substring", "trim"),
    *("typeof", "upper"),
    *("coalesce", "ifnull", "iif", "nullif"),
    *("dense_rank", "first_value", "lag", "last_value", "lead", "nth_value", "rank", "row_number"),
}
"""What an expression may call: nothing that reads files, the clock or chance, or makes long text of short."""

_STEPS = 2_000
_MEMORY = 512 << 20
_LONGEST_TEXT = 100_000
_CHUNK = 50_000
_LIMITS = (
    (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
    (sqlite3.SQLITE_LIMIT_COMPOUND_SELECT, 10),
    (sqlite3.SQLITE_LIMIT_EXPR_DEPTH, 100),
    (sqlite3.SQLITE_LIMIT_FUNCTION_ARG, 20),
    (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 500),
    (sqlite3.SQLITE_LIMIT_SQL_LENGTH, 100_000),
    (sqlite3.SQLITE_LIMIT_TRIGGER_DEPTH, 0),
    (sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, 0),
    (sqlite3.SQLITE_LIMIT_VDBE_OP, 25_000),
    (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
)


class Sandbox:
    """Some columns of one table in a database of their own, in memory, that can only be read."""

    def __init__(self, frame: Frame, columns: Sequence[int], reader: CellReader, deadline: Deadline) -> None:
        self.frame = frame
        self.columns = columns
        self._deadline = deadline
        self._memory = 0
        self._connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        try:
            self._fill(reader)
        except (sqlite3.Error, ValueError, OverflowError) as error:
            raise InputError(
                "bad-table",
                f"SQLite cannot hold {frame.called}: {error}",
                "read it with `match`",
            ) from None
        self._shut()

    def __del__(self) -> None:
        self._connection.close()

    def rows(self, where: Expression | None, deadline: Deadline) -> list[int]:
        """The rows, from 0, for which `where` is true.

        Raises:
            InputError: SQLite refuses it, or it takes too long.
        """
        found = [row for row, _ in self._read(where, "0", "where", deadline)]
        if where is not None:
            self._refuse_several(where, None, "where", deadline)
        return found

    def values(
        self, where: Expression | None, column: Expression, deadline: Deadline
    ) -> list[tuple[int, SqlValue | bytes]]:
        """The rows, from 0, for which `where` is true, each with what `column` comes to; raises as `rows`."""
        if not (AGGREGATES | {"min", "max", "over"}).isdisjoint(column.words):
            # Where SQL allows no aggregate, one that would fold all rows into one is refused.
            self._run(f"SELECT 1, 1 FROM {TABLE} WHERE ({column.sql}) LIMIT 0", "column", deadline)  # noqa: S608  # as in `_read`
        try:
            found = self._read(where, column.sql, "column", deadline)
            self._refuse_several(column, where, "column", deadline)
        except InputError as error:
            if error.code == "bad-sql":
                self.rows(where, deadline)  # the fault may be that of `where`: then this says so
            raise
        if where is not None:
            self._refuse_several(where, None, "where", deadline)
        return found

    def _refuse_several(
        self, expression: Expression, where: Expression | None, key: str, deadline: Deadline
    ) -> None:
        """Raises InputError when a subquery finds several rows: SQL would take the first without a word."""
        if not expression.subqueries:
            return
        several = " OR ".join(f"(SELECT count(*) FROM ({query})) > 1" for query in expression.subqueries)  # noqa: S608  # as in `_read`
        condition = f"({where.sql}) AND ({several})" if where else several
        if self._run(f"SELECT 1, 1 FROM {TABLE} WHERE {condition} LIMIT 1", key, deadline):  # noqa: S608  # as in `_read`
            raise InputError(
                "bad-sql",
                f"a subquery in `{key}` finds several rows, of which SQL would take the first",
                "narrow it until it finds one, or fold it: `(select max(x) from evidence)`",
            )

    def _read(
        self, where: Expression | None, sql: str, key: str, deadline: Deadline
    ) -> list[tuple[int, SqlValue | bytes]]:
        # An `Expression` cannot leave its parentheses, and the authorizer refuses all but reading.
        condition = f" WHERE ({where.sql})" if where else ""
        statement = f"SELECT _rowid_, ({sql}) FROM {TABLE}{condition}"  # noqa: S608  # see above
        return [(row - 1, value) for row, value in self._run(statement, key, deadline)]

    def _fill(self, reader: CellReader) -> None:
        names = [LINE, *(self.frame.columns[at].name for at in self.columns)]
        grid, height = self.frame.grid, self.frame.grid.height
        self._connection.execute(f"CREATE TABLE {TABLE}({', '.join(map(_quoted, names))})")
        statement = f"INSERT INTO {TABLE} VALUES({', '.join('?' * len(names))})"  # marks only
        texts = grid.texts(self.columns, self._deadline)
        self._connection.execute("BEGIN")
        for start in range(0, height, _CHUNK):
            self._deadline.check()
            end = min(start + _CHUNK, height)
            cells = [
                reader.sql(self.frame.columns[at], column[start:end])
                for at, column in zip(self.columns, texts, strict=True)
            ]
            lines = [grid.line(row) for row in range(start, end)]
            self._connection.executemany(statement, zip(lines, *cells, strict=True))
        self._connection.execute("COMMIT")
        self._longest = max((len(text) for column in texts for text in column), default=0)

    def _shut(self) -> None:
        connection = self._connection
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA temp_store = MEMORY")  # no files: the progress handler watches memory
        for category, limit in _LIMITS:
            connection.setlimit(category, limit)
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(_LONGEST_TEXT, 4 * self._longest))
        connection.set_progress_handler(self._exhausted, _STEPS)
        connection.set_authorizer(_authorize)

    def _run(self, statement: str, key: str, deadline: Deadline) -> list[tuple[int, SqlValue | bytes]]:
        self._deadline = deadline
        self._memory = peak_memory()
        try:
            return self._connection.execute(statement).fetchall()
        except (sqlite3.Error, sqlite3.Warning, ValueError, OverflowError, MemoryError) as error:
            raise self._explained(str(error), key) from None

    def _exhausted(self) -> bool:
        """Whether the statement must stop: SQLite asks every few thousand steps."""
        return not self._deadline.left or peak_memory() - self._memory > _MEMORY

    def _explained(self, error: str, key: str) -> InputError:
        """What SQLite's refusal means to the author of the expression.

        Raises:
            KeyboardInterrupt: It was raised in `_exhausted`, where SQLite drops it.
        """
        if error == "interrupted":
            if not self._exhausted():
                raise KeyboardInterrupt
            if not self._deadline.left:
                return self._deadline.passed()
            return InputError(
                "bad-sql", f"`{key}` needs more than {_MEMORY >> 20} MiB of memory", "simplify it"
            )
        if error.startswith("no such column: "):
            name = error.partition(": ")[2].rpartition(".")[2]
            return self.frame.missing(name, compared=key == "where")
        if "misuse of" in error:
            return InputError(
                "bad-sql",
                f"`{key}` folds several rows into one: {error}",
                "leave that to `take`, or put it into a subquery: `(select max(x) from evidence)`",
            )
        if "not authorized" in error or "prohibited" in error or "no such table" in error:
            return InputError(
                "bad-sql",
                f"`{key}` reaches beyond the table: {error}",
                f"only `{TABLE}`, its columns and functions of numbers and text can be used",
            )
        return InputError(
            "bad-sql",
            f"SQLite refuses `{key}`: {error}",
            'text goes in single quotes, a name that is an SQL word in double ones: "index"; '
            f"the columns are {self.frame.listing()}",
        )


def _authorize(action: int, first: str | None, second: str | None, *_: str | None) -> int:
    """What SQLite asks before each statement: reading the one table, and harmless functions."""
    if action == sqlite3.SQLITE_READ:
        allowed = first == TABLE
    elif action == sqlite3.SQLITE_FUNCTION:
        allowed = (second or "").lower() in FUNCTIONS
    else:
        allowed = action == sqlite3.SQLITE_SELECT
    return sqlite3.SQLITE_OK if allowed else sqlite3.SQLITE_DENY


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
