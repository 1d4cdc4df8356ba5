"""Files that claims name beside their evidence: those that state a value, and those that repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from stilltrue.check.trail import Trail
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.files import expand, read_bytes
from stilltrue.globs import is_glob
from stilltrue.matches import Source

if TYPE_CHECKING:
    from stilltrue.pages.found import Found


class Texts:
    """Reads each file once, whether or not it can be read.

    Args:
        config: The project.
        trail: Told which files and globs were looked at.
        given: What stands in place of some files, by path: texts that are not on the disk yet.
    """

    def __init__(
        self, config: Config, trail: Trail, given: Mapping[str, bytes] = MappingProxyType({})
    ) -> None:
        self.config = config
        self.given = given
        self._trail = trail
        self._known: dict[str, Source | InputError] = {}
        self._tables: dict[str, tuple[Found, ...] | InputError] = {}

    def source(self, path: str) -> Source:
        """The text of a file.

        Raises:
            InputError: It is not there, cannot be read, is too large, or is not UTF-8.
        """
        known = self._known.get(path)
        if known is None:
            self._trail.files.add(path)
            try:
                known = Source(decode(self.data(path)))
            except InputError as error:
                known = error
            self._known[path] = known
        if isinstance(known, InputError):
            raise known
        return known

    def tables(self, path: str) -> tuple[Found, ...]:
        """The tables of a file, in order.

        Raises:
            InputError: As `source`; tables are not looked for in such a file, or it takes too long.
        """
        from stilltrue.pages.any_tables import format_of  # noqa: PLC0415  # few projects name tables of files

        known = self._tables.get(path)
        if known is None:
            try:
                text = self.source(path).text
                known = tuple(format_of(path).tables(path, text, Deadline(self.config.limits.seconds)))
            except InputError as error:
                known = error
            self._tables[path] = known
        if isinstance(known, InputError):
            raise known
        return known

    def files(self, pattern: str) -> tuple[str, ...]:
        """The files that a path or a glob names, sorted; none where a glob matches nothing.

        Raises:
            InputError: As `files.expand`.
        """
        if not is_glob(pattern):
            return (pattern,)
        names = expand(self.config.root, pattern)
        self._trail.globs[pattern] = names
        return names

    def data(self, path: str) -> bytes:
        """The bytes of a file.

        Raises:
            InputError: As `files.read_bytes`.
        """
        given = self.given.get(path)
        return read_bytes(self.config.root, path, self.config.limits.bytes) if given is None else given


def decode(data: bytes) -> str:
    """A text file's text, without a byte order mark.

    Raises:
        InputError: `not-utf8`, with the line of the first byte that is not.
    """
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "not-utf8",
            f"the file is not UTF-8 (byte 0x{data[error.start]:02x})",
            "save it as UTF-8",
            line=line,
        ) from None
