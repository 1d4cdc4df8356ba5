"""Readers from outside: objects of installed packages that the configuration names."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from types import MappingProxyType, NoneType

from stilltrue import installed
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError, UsageError
from stilltrue.evidence.calling import CODE, called
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.reading import TEXT, File, Reader, Scalar, Table
from stilltrue.reading import Row as GivenRow
from stilltrue.wording import named

_HEAD = 1 << 16
_MOST_TABLES = 10_000
_CELL_BYTES = 64
"""About what a cell takes beside its text."""


class Outside:
    """The readers from outside of one check, each imported when it is first needed.

    Args:
        config: The project; its `readers`.
        known: The names of formats that no reader from outside may have.
        given: Readers that are here already, as a test has them; they need no configuration.

    Raises:
        UsageError: The configuration gives one a name that is taken.
    """

    def __init__(
        self, config: Config, known: Iterable[str], given: Mapping[str, Reader] = MappingProxyType({})
    ) -> None:
        self._config = config
        self._written = dict(config.readers)
        self._readers = dict(given)
        self.names = (*self._written, *given)
        taken = set(known).intersection(self._written)
        if taken:
            message = f"there is a format `{min(taken)}` already"
            raise UsageError(message, "give your reader another name", code="config", place=config.source)

    def files(self) -> tuple[str, ...]:
        """The files that those which were needed are made of: absolute paths."""
        written = [self._written[name] for name in self._readers if name in self._written]
        return tuple(sorted({path for one in written for path in installed.files_of(one)}))

    def recognised(self, content: Content, deadline: Deadline) -> str:
        """The format of a file by its first bytes; empty for none.

        Raises:
            InputError: `unknown-format`: there are several; `outside-reader`: one cannot be imported.
        """
        head = content.data[:_HEAD]
        found = [name for name in self.names if self._recognises(name, head, deadline)]
        if len(found) > 1:
            message = f"`{content.path}` is of several formats: {named(found, len(found))}"
            raise InputError("unknown-format", message, "say with `format` which of them the read is of")
        return found[0] if found else ""

    def read(self, name: str, content: Content, deadline: Deadline) -> tuple[Frame, ...]:
        """The tables of a file.

        Raises:
            InputError: As `calling.called`; also when what the reader gives is no table.
        """
        reader = self._reader(name)
        lines = content.data.count(b"\n") + 1
        file = File(content.path, content.data, lambda: content.shown_text)

        def work() -> tuple[Frame, ...]:
            taking = _Taking(self._config, lines, deadline)
            return tuple(taking.frame(table) for table in _tables(reader.read(file)))

        frames = called(name, work, self._config.root, deadline)
        if not frames:
            raise InputError("bad-table", f"the reader `{name}` found no table in it", _NO_TABLE)
        return frames

    def _recognises(self, name: str, head: bytes, deadline: Deadline) -> bool:
        reader = self._reader(name)

        def work() -> bool:
            said: object = reader.recognises(head)
            if not isinstance(said, bool):
                raise TypeError(f"`recognises` gave {type(said).__name__}, no bool")
            return said

        return called(name, work, self._config.root, deadline)

    def _reader(self, name: str) -> Reader:
        """One reader, imported where it is installed.

        Raises:
            InputError: `outside-reader`.
        """
        known = self._readers.get(name)
        if known is not None:
            return known
        try:
            found = installed.imported(self._config.root, name, self._written[name], CODE)
            if not isinstance(found, Reader):
                what = f"`{name}` is no `stilltrue.reading.Reader`: `{self._written[name]}`"
                raise InputError(CODE, what)  # noqa: TRY301  # gets its hint and place as the others
        except InputError as error:
            error.hint = error.hint or f"install what holds it, or mend `readers` in `{self._config.source}`"
            raise
        self._readers[name] = found
        return found


_NO_TABLE = "name another `format`, or read the file with `match`"


def _tables(given: object) -> Iterator[Table]:
    """Each table that a reader gives; raises TypeError or ValueError where it is none, or there is no end."""
    if isinstance(given, Table) or not isinstance(given, Iterable):
        raise TypeError(f"it gave {type(given).__name__}, no tables to go through")
    for number, table in enumerate(given):
        if not isinstance(table, Table):
            raise TypeError(f"it gave {type(table).__name__}, no `stilltrue.reading.Table`")
        if number >= _MOST_TABLES:
            raise ValueError(f"it gave more than {_MOST_TABLES:,} tables")
        yield table


class _Taking:
    """Takes tables in, held to what they should be: `TypeError` and `ValueError` say what is not."""

    def __init__(self, config: Config, lines: int, deadline: Deadline) -> None:
        self._config = config
        self._lines = lines
        self._deadline = deadline
        self._room = config.limits.bytes

    def frame(self, table: Table) -> Frame:
        _hold(table.line, int, "line of a table")
        _hold(table.title, str, "title of a table")
        columns = {_text(heading): self._known(unit) for heading, unit in table.columns.items()}
        met: dict[str, bool] = {}
        rows = [self._row(given, table.line, met) for given in table.rows]
        columns |= {
            heading: Kind.BOOL if flags else "" for heading, flags in met.items() if heading not in columns
        }
        return build(rows, columns, self._config.units, line=max(table.line, 0), title=_text(table.title))

    def _known(self, unit: object) -> str | Kind:
        """What is known of a column."""
        _hold(unit, str, "unit of a column")
        assert isinstance(unit, str)  # noqa: S101  # held above
        if unit == TEXT:
            return Kind.TEXT
        try:
            if unit:
                self._config.units.parse(unit)
        except InputError as error:
            raise ValueError(f"`{unit}` is no unit: {error.message}") from None
        return unit

    def _row(self, given: object, beginning: int, met: dict[str, bool]) -> Row:
        """One row; `met` gets its headings, and whether all cells below one are bools."""
        if not isinstance(given, GivenRow) or not isinstance(given.cells, Mapping):
            raise TypeError(f"it gave {type(given).__name__}, no `stilltrue.reading.Row`")
        _hold(given.line, int, "line of a row")
        if given.line < 1 or (beginning > 0 and given.line > self._lines):
            raise ValueError(f"it gave a row of line {given.line}, and the file has {self._lines:,}")
        self._deadline.check()
        cells = {}
        for heading, value in given.cells.items():
            cells[_text(heading)] = text = _cell(heading, value)
            self._room -= len(text) + _CELL_BYTES
            met[heading] = met.get(heading, True) and isinstance(value, bool | None)
        if self._room < 0:
            raise InputError("too-large", "what the reader gives is larger than `limits.bytes`", _LARGE)
        return Row(cells, given.line)


_LARGE = "let it give less, or raise `limits.bytes` in the configuration"


def _cell(heading: str, value: Scalar) -> str:
    """The text of a cell; a float at its shortest decimal, also where it is of a kind of its own."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int():
            return int.__repr__(value)
        case float():
            return float.__repr__(value)
        case Decimal():
            return Decimal.__str__(value)
    _hold(value, NoneType, f"cell `{heading}`")
    return ""


def _text(value: str) -> str:
    """Text that can be written as UTF-8."""
    _hold(value, str, "text")
    value.encode("utf-8")
    return str(value)


def _hold(value: object, kind: type, what: str) -> None:
    if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
        raise TypeError(f"the {what} is {type(value).__name__}")
