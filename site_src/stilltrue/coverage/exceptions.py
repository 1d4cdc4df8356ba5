"""Quantities that the configuration excepts, and exceptions that except nothing."""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING

from stilltrue.config import Config, Except
from stilltrue.deadline import Deadline
from stilltrue.errors import InputError, UsageError
from stilltrue.globs import Glob, plain
from stilltrue.model import Place, Problem
from stilltrue.wording import listed, quoted

if TYPE_CHECKING:
    from stilltrue.patterns import Pattern


class Exceptions:
    """The exceptions of a project, counting what each is good for.

    Args:
        config: The project.

    Raises:
        UsageError: `config`: a pattern is wrong.
    """

    def __init__(self, config: Config) -> None:
        self._config = config
        self._all = [PageException(each, config) for each in config.coverage.excepted]

    def on(self, path: str) -> list[PageException]:
        """Those that are for a page."""
        return [each for each in self._all if each.is_for(path)]

    def idle(self) -> list[Problem]:
        """A problem for each that excepted nothing."""
        place = Place(self._config.source)
        return [
            Problem(
                "idle-exception",
                place,
                f"the exception {each.name} excepts nothing",
                "take it out: what it was for is bound, or gone",
            )
            for each in self._all
            if not each.used
        ]


class PageException:
    """One exception, and whether it was good for anything."""

    def __init__(self, written: Except, config: Config) -> None:
        self.used = False
        self.written = written
        self._globs = [Glob(plain(pattern)) for pattern in written.pages]
        self._seconds = config.limits.seconds
        self._pattern = _compiled(written, config) if written.match else None
        self._line, self._spans = "", list[tuple[int, int]]()

    @property
    def name(self) -> str:
        """What messages call it."""
        what = f" and `match = {quoted(self.written.match)[1:-1]}`" if self.written.match else ""
        return f"for {listed((f'`{page}`' for page in self.written.pages), 3)}{what}"

    def is_for(self, path: str) -> bool:
        """Whether it is for a page."""
        return any(glob.matches(path) for glob in self._globs)

    def excepts(self, line: str, start: int, end: int) -> bool:
        """Whether it excepts what stands at `line[start:end]`."""
        if self._pattern is None:
            self.used = True
            return True
        if line != self._line:
            self._line, self._spans = line, self._found(line, self._pattern)
        # The last match that begins before the end: those before it end earlier still.
        at = bisect_left(self._spans, (end, 0)) - 1
        touched = at >= 0 and start < self._spans[at][1]
        self.used |= touched
        return touched

    def _found(self, line: str, pattern: Pattern) -> list[tuple[int, int]]:
        """Where the pattern matches in a line, in code points, in order."""
        data = line.encode("utf-8")
        found: list[tuple[int, int]] = []
        at = points = 0
        try:
            for each in pattern.matches(data, 0, len(data), Deadline(self._seconds)):
                start, end = each.span(0)
                points += len(data[at:start].decode("utf-8"))
                at = start
                found.append((points, points + len(data[start:end].decode("utf-8"))))
        except InputError as error:  # too slow
            raise UsageError(error.message, error.hint, code=error.code) from None
        return found


def _compiled(written: Except, config: Config) -> Pattern:
    from stilltrue.patterns import compiled  # noqa: PLC0415  # RE2 is loaded where an exception needs it alone

    try:
        return compiled(written.match)
    except InputError as error:
        message = f"`match` of `coverage.except`: {error.message}"
        raise UsageError(message, error.hint, code="config", place=config.source) from None
