"""A file opened in every shape that it has: its tables, its tree, its text."""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.formats import FORMATS, NOTEBOOK
from stilltrue.evidence.library import Library
from stilltrue.evidence.survey.held import Part, Survey
from stilltrue.evidence.uncollected import uncollected
from stilltrue.model import Shape
from stilltrue.quantity import Quantity

LARGEST = 64 << 20
"""The most bytes of a file, unpacked, that is looked at as a whole."""

_TREES = tuple(suffix for known in FORMATS.values() if known.shape is Shape.TREE for suffix in known.suffixes)


def survey(config: Config, path: str) -> Survey:
    """What a file holds.

    Args:
        config: The root that `path` starts at, the limits, and the units.
        path: The file, from the root.

    Raises:
        InputError: It cannot be read: as a read of it would fail; its path is filled in. It is larger than
            `LARGEST`.
    """
    try:
        with uncollected():
            return Survey(path, tuple(_Opened(config, path).parts()))
    except InputError as error:
        error.path = error.path or path
        raise
    except RecursionError:
        what = "values are nested too deeply in it to be read"
        raise InputError("malformed-evidence", what, "keep evidence flatter", path=path) from None


class _Opened:
    """One file."""

    def __init__(self, config: Config, path: str) -> None:
        self.units = config.units
        self.path = path
        self.library = Library(config)
        self.content = self.library.content(path)
        self.deadline = Deadline(config.limits.seconds)
        if self.content.size > LARGEST:
            message = f"`{path}` holds {self.content.size >> 20:,} MiB, too much to list all of it"
            raise InputError("too-large", message, "write its read by hand; `check` reads files of this size")

    def parts(self) -> Iterator[Part]:
        """Its parts: tables, then the tree, then the text that is neither; of a notebook what it printed."""
        if self.content.name.endswith(NOTEBOOK):
            from stilltrue.evidence.survey.of_notebook import notebook_part  # noqa: PLC0415  # as for texts

            yield notebook_part(self.content, self.units, self.deadline)
            return
        tree = self._tree()
        tables = self._tables(in_tree=tree is not None)
        yield from tables
        if tree is not None:
            yield tree
        elif self._is_text() and (not tables or _stands_among_text(tables[0].format)):
            from stilltrue.evidence.survey.of_text import text_part  # noqa: PLC0415  # only for texts

            rows = {each.line() for part in tables for each in part.held}
            yield text_part(self.content.shown_text, self.units, self.deadline, rows)

    def _tree(self) -> Part | None:
        from stilltrue.evidence.survey.of_tree import tree_part  # noqa: PLC0415  # as for texts

        by_name = self.content.name.endswith(_TREES)
        try:
            name, tree = self.library.tree(self.path)
        except InputError as error:
            # A file that only begins like one is none: a table between rules.
            if error.code in _UNKNOWN or (error.code == "malformed-evidence" and not by_name):
                return None
            raise
        return tree_part(name, tree, self.units, self.deadline)

    def _tables(self, *, in_tree: bool) -> list[Part]:
        """The tables of a file; of a document only those that the reader of a tool finds in it."""
        from stilltrue.evidence.survey.of_table import table_parts  # noqa: PLC0415  # as for texts
        from stilltrue.evidence.tables import PROFILER, suffix_format  # noqa: PLC0415  # as for texts

        by_name = suffix_format(self.content.name) is not None
        try:
            name, tables = self.library.tables(self.path)
        except InputError as error:
            if error.code in _UNKNOWN or (
                error.code == "bad-table" and not by_name and not self._is_of_tool()
            ):
                return []
            raise
        guessed = name in FORMATS and name != PROFILER and not by_name
        if guessed and in_tree:
            return []  # commas in a document make no table of it
        parts = list(table_parts(name, tables, self.deadline))
        return [] if guessed and not any(_has_number(part) for part in parts) else parts

    def _is_of_tool(self) -> bool:
        """Whether the reader of a tool knows the file, which then has to be as that says."""
        return self.library.format_of(self.content, Shape.TABLE) not in FORMATS

    def _is_text(self) -> bool:
        try:
            return bool(self.content.shown_text)
        except InputError as error:
            if error.code != "not-text":
                raise
            return False


_UNKNOWN = frozenset({"unknown-format", "not-text"})


def _stands_among_text(name: str) -> bool:
    """Whether tables of a format stand among other text, which may hold numbers too."""
    from stilltrue.evidence.readers import READERS  # noqa: PLC0415  # only files with tables need them
    from stilltrue.evidence.tables import PROFILER  # noqa: PLC0415  # as above

    return name == PROFILER or (name in READERS and not READERS[name].whole)


def _has_number(part: Part) -> bool:
    return any(isinstance(each.value, Quantity) for each in part.held)
