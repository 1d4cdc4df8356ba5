"""What is fuzzed: one function for each kind of input, given bytes; it may raise nothing and print nothing.

The first line is the name of the file, which decides the formats that are tried, and the rest is the file;
where the fuzzer spoilt the name, the first byte picks one. A reading that is 0 where no zero is written would
be a silent one: it raises.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from stilltrue.check import check
from stilltrue.config import Config, Limits
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError, StilltrueError
from stilltrue.evidence import Library
from stilltrue.evidence.formats import FORMATS, table_format
from stilltrue.evidence.loading import Content, load
from stilltrue.evidence.readers import READERS
from stilltrue.evidence.tables import Tables, parse_tables, select
from stilltrue.model import Read, Shape, Take, Taken
from stilltrue.quantity import Quantity, Value
from trace_support import passing_by

LIMITS = Limits(seconds=5.0, bytes=64 << 20)
"""What one input may cost; what ignores them runs into the limits of the fuzzer, which are twice as wide."""

_MOST_COLUMNS = 24
_PROFILERS = ("torch-profiler", "chrome-trace", "nsys-stats", "ncu", "ncu-csv")
_COUNT = (Take("count"),)
_PATHS = (
    "$",
    "$.*",
    "$..*",
    "$[-1]",
    "$..[?@.loss > 0]",
    "$.log_history[*].loss",
    "$.results[?@.a == 'b'].mean",
)
_PATTERNS = (r"(\d+)", r"loss.{0,9}?([-\d.e+]+)", r"^(?P<value>\S+)", r"\s(\d+\.\d+) ?ms", r"^.*$")


_OF_TRACES = (
    Read(Shape.TABLE, column="line", take=_COUNT, format="chrome-trace"),
    Read(Shape.TABLE, column="dur", where="device", take=(Take("sum"),), format="chrome-trace"),
    Read(
        Shape.TABLE,
        column="line",
        where="name like 'a%' and ts > 1",
        take=(Take("last"),),
        format="chrome-trace",
    ),
    Read(Shape.TABLE, column="arg_external_id", where="ph = 'X'", take=(Take("max"),), format="chrome-trace"),
)


class SilentZeroError(AssertionError):
    """A reading is 0, and the file writes no zero."""


class Kind(NamedTuple):
    """One kind of input.

    Attributes:
        names: The file names that there are.
        target: What is done with a file of that name, in a project's folder.
    """

    names: tuple[str, ...]
    target: Callable[[Path, str], None]

    def __call__(self, data: bytes) -> None:
        """Tries one input."""
        if not data:
            return
        name, content = self._named(data)
        with tempfile.TemporaryDirectory(dir=_scratch()) as folder:
            root = Path(folder).resolve()
            path = root / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(content)
            self.target(root, name)

    def _named(self, data: bytes) -> tuple[str, bytes]:
        first, _, rest = data.partition(b"\n")
        name = first.decode("utf-8", "replace")
        return (name, rest) if name in self.names else (self.names[data[0] % len(self.names)], data[1:])


def _scratch() -> str | None:
    memory = Path("/dev/shm")  # noqa: S108  # a folder in memory, where the system has one
    return str(memory) if memory.is_dir() else None


def trees(root: Path, name: str) -> None:
    """Every path over a tree."""
    library = Library(Config(root, limits=LIMITS))
    for path in _PATHS:
        for take in ((Take("count"),), (Take("last"),)):
            _taken(library, root, name, Read(Shape.TREE, path=path, take=take))


def tables(root: Path, name: str) -> None:
    """Every column of every table that a file holds, as the format that it is, and with other settings."""
    library = Library(Config(root, limits=LIMITS))
    for read in (
        Read(Shape.TABLE, column="line", take=_COUNT),
        Read(Shape.TABLE, column="c1", where="c2 > 0", header=False, take=(Take("max"),)),
        Read(Shape.TABLE, column="name", decimal=",", table="1", take=(Take("same"),)),
        Read(Shape.TABLE, column="dur", where="name = 'gemm' and device", take=(Take("sum"),)),
        Read(Shape.TABLE, column="(select count(*) from evidence)", take=(Take("first"),)),
    ):
        _taken(library, root, name, read)
    for format_ in ("", *_formats_under(name)):
        _every_column(root, name, format_)


def traces(root: Path, name: str) -> None:
    """A trace as a large one is read, while it passes by in small pieces: as it is read whole, or refused."""
    for read in _OF_TRACES:
        with passing_by(chunk=64):
            passing = _answer(root, name, read)
        whole = _answer(root, name, read)
        if passing and whole and passing != whole:
            raise AssertionError((read, passing, whole))


def logs(root: Path, name: str) -> None:
    """Patterns over a text, and every table that it holds."""
    library = Library(Config(root, limits=LIMITS))
    for match in _PATTERNS:
        _taken(library, root, name, Read(Shape.TEXT, match=match, take=(Take("last"),)))
        _taken(library, root, name, Read(Shape.TEXT, match=match, take=(Take("count"),)))
    _taken(library, root, name, Read(Shape.TEXT, match=r"(\d+)", between=("^#", "^#"), take=(Take("first"),)))
    _every_column(root, name, "")


def binary(root: Path, name: str) -> None:
    """Both, in files that are no text."""
    tables(root, name)
    trees(root, name)


def pages(root: Path, _name: str) -> None:
    """A check of a project that has this page, or this claims file."""
    (root / "a.csv").write_text("name,ms\nx,1.5\ny,2\n", encoding="utf-8")
    (root / "a.json").write_text('{"a": [1, 2.5, {"b": "3 ms"}]}', encoding="utf-8")
    try:
        check(Config(root, limits=LIMITS))
    except StilltrueError:
        return


def _formats_under(name: str) -> Iterator[str]:
    """The format that a file's name tells the fuzzer to insist on: `as-hyperfine.json`."""
    stem = name.partition(".")[0].removeprefix("as-")
    if stem in READERS or stem in FORMATS:
        yield stem


def _every_column(root: Path, name: str, format_: str) -> None:
    config = Config(root, limits=LIMITS)
    try:
        content = load(config, name, Deadline(LIMITS.seconds))
        found = _tables_of(content, format_ or table_format(content), config)
    except InputError:
        return
    for number, frame in enumerate(found.frames, 1):
        for column in frame.columns[:_MOST_COLUMNS]:
            read = Read(Shape.TABLE, column=f'"{column.name}"', table=str(number))
            for each in (read, replace(read, take=_COUNT), replace(read, where='"line" > 1')):
                try:
                    cells, _ = select(found, each, config)
                except InputError:
                    continue
                if not each.take:
                    _refuse_silent_zeros((cell.value for cell in cells), content.data)


def _tables_of(content: Content, format_: str, config: Config) -> Tables:
    deadline = Deadline(LIMITS.seconds)
    if format_ in READERS:
        read = READERS[format_].read
        if read is None:
            raise InputError("unknown-format", "this is a tree", "")
        return Tables(read(content, deadline, config.units), config.units)
    return parse_tables(content.shown_text, format_, ".", True, config.units, deadline)


def _answer(root: Path, name: str, read: Read) -> tuple[Value, ...]:
    """What a read comes to; nothing where it is refused."""
    try:
        return (Library(Config(root, limits=LIMITS)).take((name,), read).value,)
    except InputError:
        return ()


def _taken(library: Library, root: Path, name: str, read: Read) -> None:
    try:
        taken: Taken = library.take((name,), read)
    except InputError:
        return
    if read.take != _COUNT:
        _refuse_silent_zeros([taken.value], (root / name).read_bytes())


def _refuse_silent_zeros(values: Iterable[Value], data: bytes) -> None:
    if b"0" in data or b"\0" in data or data.startswith((b"\x1f\x8b", b"\x28\xb5")):
        return
    for value in values:
        if isinstance(value, Quantity) and not value.number:
            raise SilentZeroError(value)


KINDS: dict[str, Kind] = {
    "trees": Kind(
        ("a.json", "a.jsonl", "a.yml", "a.toml", "a.txt", "a.json.gz"),
        trees,
    ),
    "tables": Kind(("a.csv", "a.tsv", "a.txt", "a", "a.csv.gz"), tables),
    "profiles": Kind(
        (
            "profile.txt",
            *(f"as-{name}.txt" for name in _PROFILERS if name in FORMATS or name in READERS),
        ),
        tables,
    ),
    "traces": Kind(("as-chrome-trace.json", "as-chrome-trace.json.gz"), traces),
    "logs": Kind(
        (
            "run.log",
            "run.json",
            "run.csv",
            "run",
            *(f"as-{name}.txt" for name, reader in READERS.items() if not reader.binary),
        ),
        logs,
    ),
    "binary": Kind(
        ("run.bin", *(f"as-{name}.bin" for name, reader in READERS.items() if reader.binary)),
        binary,
    ),
    "pages": Kind(("README.md", "docs/a.md", "claims/a.yml"), pages),
}
"""Every kind by its name."""
