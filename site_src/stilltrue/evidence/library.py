"""The evidence of one check: every file is read once, and every failure is remembered like a result."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from stilltrue import files
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.formats import known_formats, named, table_format, text_format, tree_format
from stilltrue.evidence.loading import Content, load
from stilltrue.evidence.picks import Pick, picks
from stilltrue.evidence.searched import Searched, whole
from stilltrue.evidence.selection import Selection
from stilltrue.evidence.streams import Stream, open_stream
from stilltrue.evidence.takes import combine, spread
from stilltrue.evidence.trees import Tree
from stilltrue.globs import is_glob
from stilltrue.model import Read, Shape, Spread, Take, Taken

if TYPE_CHECKING:
    from stilltrue.evidence.outside import Outside
    from stilltrue.evidence.tables import Tables

_Made = TypeVar("_Made")


class Inputs(NamedTuple):
    """What a check read, for its cache.

    Attributes:
        files: Every evidence file that a read named, whether or not it is there; sorted.
        globs: Every glob with the files it named.
        readers: The files that the readers from outside are made of, those that were needed: absolute paths.
    """

    files: tuple[str, ...]
    globs: tuple[tuple[str, tuple[str, ...]], ...]
    readers: tuple[str, ...] = ()


class Library:
    """The evidence of one check.

    Args:
        config: The root that paths start at, the limits, and the units.
        instead: Files to read in place of others: what a fresh run gave, by the path of the evidence.

    Raises:
        UsageError: A reader from outside has the name of a format that is read here.
    """

    def __init__(self, config: Config, instead: Mapping[str, Path] = MappingProxyType({})) -> None:
        self._config = config
        self._instead = instead
        self._named: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._globs: dict[str, tuple[str, ...]] = {}
        self._streams = _Shelf[Stream]()
        self._contents = _Shelf[Content]()
        self._formats = _Shelf[str]()
        self._trees = _Shelf[Tree]()
        self._tables: _Shelf[Tables] = _Shelf()
        self._searched = _Shelf[Searched]()
        self._outside = _outside(config)

    def take(self, patterns: tuple[str, ...], read: Read) -> Taken:
        """What a read comes to.

        Args:
            patterns: Paths or globs from the root.
            read: The read; its `take` says how several readings become one.

        Raises:
            InputError: A file cannot be read, a read gives nothing or several, or as the take says; path and
                line are filled in where they are known.
        """
        return combine(self.groups(patterns, read), read.take)

    def spread(self, patterns: tuple[str, ...], read: Read) -> Spread:
        """All readings, for a stated range or `±`.

        Raises:
            InputError: As `take`; also when there is one reading.
        """
        return spread(self.groups(patterns, read, spread=True))

    def groups(self, patterns: tuple[str, ...], read: Read, *, spread: bool = False) -> list[list[Pick]]:
        """The readings of each file, before they become one.

        Args:
            patterns: Paths or globs from the root.
            read: The read.
            spread: Whether they are for a stated range or `±`, which takes none but looks at all.

        Raises:
            InputError: A file cannot be read, or a read gives nothing where its take is no `count`.
        """
        if spread:
            # Readers are asked as for a mean: all readings count, so evidence that lacks some must refuse.
            read = replace(read, take=(Take("mean"),))
        counts = bool(read.take) and read.take[0].name == "count"
        return self._groups(patterns, read, may_be_empty=counts)

    def files_of(self, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """The files that patterns name, whether or not they are there; none where a glob is at fault."""
        try:
            return self._paths(patterns)
        except InputError:
            return ()

    def content(self, path: str) -> Content:
        """One file; raises as a read of it would."""
        deadline = Deadline(self._config.limits.seconds)
        return self._contents.get(path, lambda: self._loaded(path, deadline))

    def tree(self, path: str) -> tuple[str, Tree]:
        """The format and the tree of a file; raises as a read of it would."""
        content, deadline = self.content(path), Deadline(self._config.limits.seconds)
        name = self._format(content, Read(Shape.TREE))
        return name, self._grown(content, name, deadline)

    def tables(self, path: str) -> tuple[str, Tables]:
        """The format and the tables of a file, read as a whole; raises as a read of it would."""
        content, deadline = self.content(path), Deadline(self._config.limits.seconds)
        name = self._format(content, Read(Shape.TABLE))
        return name, self._parsed(content, name, ".", True, deadline)

    def inputs(self) -> Inputs:
        """What was read so far."""
        paths = {path for named in self._named.values() for path in named}
        readers = self._outside.files() if self._outside else ()
        return Inputs(tuple(sorted(paths)), tuple(sorted(self._globs.items())), readers)

    def _groups(self, patterns: tuple[str, ...], read: Read, *, may_be_empty: bool) -> list[list[Pick]]:
        groups = []
        for path in self._paths(patterns):
            try:
                selection = self._selection(path, read)
                if not selection.count and not may_be_empty:
                    raise selection.nothing()
            except InputError as error:
                error.path = error.path or path
                raise
            except RecursionError:
                raise InputError("malformed-evidence", *_TOO_DEEP, path=path) from None
            except MemoryError:
                raise InputError("too-large", *_TOO_LARGE, path=path) from None
            groups.append(picks(selection))
        return groups

    def _paths(self, patterns: tuple[str, ...]) -> tuple[str, ...]:
        """The files that patterns name, each once, in the order of the patterns."""
        known = self._named.get(patterns)
        if known is None:
            known = tuple(dict.fromkeys(path for pattern in patterns for path in self._expanded(pattern)))
            self._named[patterns] = known
        return known

    def _expanded(self, pattern: str) -> tuple[str, ...]:
        if not is_glob(pattern):
            return files.expand(self._config.root, pattern)
        found = self._globs.get(pattern)
        if found is None:
            found = self._globs[pattern] = files.expand(self._config.root, pattern)
        if not found:
            raise InputError(
                "no-file",
                f"no file matches `{pattern}`",
                "check the glob; it starts at the repository's root, and `**` crosses folders",
            )
        return found

    def _selection(self, path: str, read: Read) -> Selection:
        deadline = Deadline(self._config.limits.seconds)
        if read.shape is Shape.TABLE:
            selection = self._passing_selection(path, read, deadline)
            if selection is not None:
                return selection
        content = self._contents.get(path, lambda: self._loaded(path, deadline))
        if read.shape is Shape.TREE:
            return self._tree_selection(content, read, deadline)
        if read.shape is Shape.TABLE:
            return self._table_selection(content, read, deadline)
        return self._text_selection(content, read, deadline)

    def _loaded(self, path: str, deadline: Deadline) -> tuple[Content, int]:
        content = load(self._config, path, deadline, self._instead.get(path))
        return content, content.size

    def _format(self, content: Content, read: Read) -> str:
        """The format of a file for a tree or a table; what its content looks like is looked at once."""
        if read.format:
            return named(read, self._others())
        return self._formats.get((content.path, read.shape), lambda: (self.format_of(content, read.shape), 0))

    def format_of(self, content: Content, shape: Shape) -> str:
        """The format of a file that is to be read as a tree or a table, by its name and its content.

        Raises:
            InputError: `unknown-format`; a reader from outside cannot be asked.
        """
        if shape is Shape.TREE:
            return tree_format(content)
        if self._outside is None:
            return table_format(content)
        outside, deadline = self._outside, Deadline(self._config.limits.seconds)
        return table_format(content, lambda unknown: outside.recognised(unknown, deadline))

    def _others(self) -> tuple[str, ...]:
        """The formats of readers from outside."""
        return self._outside.names if self._outside else ()

    def _tree_selection(self, content: Content, read: Read, deadline: Deadline) -> Selection:
        from stilltrue.evidence.shapes import tree  # noqa: PLC0415  # only a check that reads trees needs it

        name = self._format(content, read)
        parsed = self._trees.get(
            (content.path, name), lambda: (self._grown(content, name, deadline), content.size)
        )
        return tree.select(content.path, parsed, read, self._config.units, deadline)

    def _grown(self, content: Content, name: str, deadline: Deadline) -> Tree:
        """The tree of a file in one format."""
        from stilltrue.evidence.shapes import tree  # noqa: PLC0415  # as for the selection

        if name in tree.READERS:
            return tree.READERS[name](content.text, deadline)
        from stilltrue.evidence.readers import READERS  # noqa: PLC0415  # as above

        grow = READERS[name].tree
        assert grow is not None, name  # noqa: S101  # `named` and `tree_format` give formats of trees alone
        return grow(content, deadline)

    def _table_selection(self, content: Content, read: Read, deadline: Deadline) -> Selection:
        from stilltrue.evidence import tables  # noqa: PLC0415  # only a check that reads tables needs SQLite
        from stilltrue.evidence.shapes.table import Cells  # noqa: PLC0415  # as above

        how = (self._format(content, read), read.decimal, read.header)
        parsed = self._tables.get(
            (content.path, *how), lambda: (self._parsed(content, *how, deadline), content.size)
        )
        cells, notes = tables.select(parsed, read, self._config)
        return Cells(content.path, cells, notes)

    def _passing_selection(self, path: str, read: Read, deadline: Deadline) -> Selection | None:
        """What a read takes from a large file while it passes by; None where the file is to be read whole."""
        stream = self._streams.get(path, lambda: (self._opened(path, deadline), 0))
        if not stream.head:
            return None
        from stilltrue.evidence import tables  # noqa: PLC0415  # as for other tables
        from stilltrue.evidence.readers import READERS, passing  # noqa: PLC0415  # as above
        from stilltrue.evidence.shapes.table import Cells  # noqa: PLC0415  # as above

        name = passing(stream, read.format)
        scan = READERS[name].scan if name and not tables.suffix_format(path) else None
        if scan is None:
            return None
        wanted, units = tables.wanted(read), self._config.units
        parsed = self._tables.get(
            (path, name, wanted),
            lambda: (tables.Tables(scan(stream, wanted, deadline, units), units), _LARGE),
        )
        cells, notes = tables.select(parsed, read, self._config)
        return Cells(path, cells, notes)

    def _opened(self, path: str, deadline: Deadline) -> Stream:
        return open_stream(self._config, path, deadline, self._instead.get(path))

    def _parsed(self, content: Content, name: str, decimal: str, header: bool, deadline: Deadline) -> Tables:
        """The tables of a file in one format; that of a tool settles its own headings and decimal mark."""
        from stilltrue.evidence import tables  # noqa: PLC0415  # as for the selection
        from stilltrue.evidence.readers import READERS  # noqa: PLC0415  # as above

        units = self._config.units
        if self._outside is not None and name in self._outside.names:
            return tables.Tables(self._outside.read(name, content, deadline), units)
        read = READERS[name].read if name in READERS else None
        if read is not None:
            return tables.Tables(read(content, deadline, units), units)
        return tables.parse_tables(content.shown_text, name, decimal, header, units, deadline)

    def _text_selection(self, content: Content, read: Read, deadline: Deadline) -> Selection:
        from stilltrue.evidence.shapes import text  # noqa: PLC0415  # only a check that matches text needs RE2

        name = named(read, self._others()) if read.format else text_format(content)
        searched = self._searched.get(
            (content.path, name == "notebook"), lambda: (_searched(content, name, deadline), content.size)
        )
        return text.select(searched, read, self._config.units, deadline)


def _outside(config: Config) -> Outside | None:
    """The readers from outside; None where the configuration names none.

    Raises:
        UsageError: One has the name of a format that is read here.
    """
    if not config.readers:
        return None
    from stilltrue.evidence.outside import Outside  # noqa: PLC0415  # few projects have any

    return Outside(config, known_formats())


def _searched(content: Content, name: str, deadline: Deadline) -> Searched:
    """The text that patterns are matched in, in one format."""
    if name != "notebook":
        return whole(content)
    from stilltrue.evidence.notebooks import printed  # noqa: PLC0415  # only notebooks need it

    return printed(content, deadline)


class _Failure(NamedTuple):
    """An error as it is remembered: raising one exception many times would grow its traceback."""

    code: str
    message: str
    hint: str
    path: str
    line: int

    def again(self) -> InputError:
        return InputError(self.code, self.message, self.hint, path=self.path, line=self.line)


class _Shelf(Generic[_Made]):
    """What was made of each file, or why nothing was; of very large files only the latest are kept."""

    def __init__(self) -> None:
        self._made: dict[Hashable, _Made | _Failure] = {}
        self._large: list[Hashable] = []

    def get(self, key: Hashable, make: Callable[[], tuple[_Made, int]]) -> _Made:
        """What was made before, or what `make` gives now; a failure is raised again, a new error each time.

        Args:
            key: The file, and what else it depends on.
            make: Makes it, and says how large the file is in bytes; or raises an `InputError`.
        """
        known = self._made.get(key)
        if known is None:
            try:
                known, size = make()
                self._keep(key, size)
            except InputError as error:
                known = _Failure(error.code, error.message, error.hint, error.path, error.line)
            self._made[key] = known
        if isinstance(known, _Failure):
            raise known.again()
        return known

    def _keep(self, key: Hashable, size: int) -> None:
        if size < _LARGE:
            return
        self._large.append(key)
        if len(self._large) > _LARGE_KEPT:
            self._made.pop(self._large.pop(0), None)


_LARGE = 32 << 20
_LARGE_KEPT = 2
_TOO_DEEP = ("values are nested too deeply in it to be read", "keep evidence flatter, or read it as text")
_TOO_LARGE = ("there is not enough memory to read it", "keep what is needed of it in a smaller file")
