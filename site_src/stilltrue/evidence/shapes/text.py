"""Text: what a pattern matches, within the bounds of two others."""

from __future__ import annotations

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.searched import Searched
from stilltrue.evidence.selection import MOST_READINGS, Selection, too_many
from stilltrue.evidence.values import from_text
from stilltrue.model import Read
from stilltrue.patterns import Pattern, compiled
from stilltrue.quantity import Text, Units, Value
from stilltrue.wording import counted, listed, quoted

_GROUP = "value"


def select(searched: Searched, read: Read, units: Units, deadline: Deadline) -> Selection:
    """The readings that `match` gives, in the order of the text.

    Raises:
        InputError: `bad-pattern`, `bad-between`, `too-slow`; `no-reading` for a group that took no part.
    """
    pattern = compiled(read.match)
    group = _group(pattern)
    bounds = _bounds(searched, read, deadline) if read.between else (0, len(searched.text))
    spans = _spans(pattern, group, searched, bounds, deadline)
    return _Matched(searched, read, units, spans)


class _Matched(Selection):
    """The matches of one pattern in one file."""

    def __init__(self, searched: Searched, read: Read, units: Units, spans: list[tuple[int, int]]) -> None:
        super().__init__(searched.path, len(spans))
        self._searched = searched
        self.notes = searched.notes
        self._read = read
        self._units = units
        self._spans = spans

    def line(self, index: int) -> int:
        """The line on which one match begins."""
        return self._searched.line_at(self._spans[index][0])

    def describe(self, index: int) -> Value:
        """What one match holds, as text."""
        return Text(self._token(index)[:200])

    def nothing(self) -> InputError:
        """Why there is no match."""
        where = " between its bounds" if self._read.between else ""
        hint = "mend the pattern or name another file; `^` and `$` stand at lines, `.` matches no line end"
        if self._searched.elsewhere:
            hint = f"{hint}; {self._searched.elsewhere}"
        return InputError(
            "no-reading", f"{quoted(self._read.match)} matches nothing{where} in `{self.path}`", hint
        )

    def _token(self, index: int) -> str:
        start, end = self._spans[index]
        return self._searched.text[start:end].decode("utf-8", "replace")

    def _parse(self, index: int) -> Value:
        token = self._token(index).strip()
        if not token:
            raise InputError(
                "no-reading",
                f"{quoted(self._read.match)} matches, and its reading is empty",
                "let the group hold at least one sign: `\\S+` instead of `\\S*`",
            )
        return from_text(token, self._read, self._units)


def _group(pattern: Pattern) -> int:
    """The group that is the reading: `value`, else the only one, else the whole match."""
    if _GROUP in pattern.names:
        return pattern.names[_GROUP]
    if pattern.groups > 1:
        raise InputError(
            "bad-pattern",
            f"{quoted(pattern.source)} has {pattern.groups} groups, and none is named `value`",
            "name the one that is the reading `(?P<value>…)`, or write the others `(?:…)`",
        )
    return pattern.groups


def _spans(
    pattern: Pattern, group: int, searched: Searched, bounds: tuple[int, int], deadline: Deadline
) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for part in searched.within(*bounds):
        for match in pattern.matches(searched.text, *part, deadline):
            span = match.span(group)
            if span[0] < 0:
                raise InputError(
                    "no-reading",
                    f"{quoted(pattern.source)} matches, and its group took no part",
                    "let every alternative of the pattern hold the group",
                    line=searched.line_at(match.start()),
                )
            spans.append(span)
            if len(spans) > MOST_READINGS:
                raise too_many()
    return spans


def _bounds(searched: Searched, read: Read, deadline: Deadline) -> tuple[int, int]:
    """From the end of the first bound's one match to the second's next match, or to the end of the text."""
    first, second = read.between or ("", "")
    data = searched.text
    matches = compiled(first).matches(data, 0, len(data), deadline)
    starts = [match.span() for _, match in zip(range(1000), matches, strict=False)]
    if len(starts) != 1:
        raise _no_bound(searched, first, [span[0] for span in starts])
    start = starts[0][1]
    end = next(compiled(second).matches(data, start, len(data), deadline), None)
    return start, end.start() if end else len(data)


def _no_bound(searched: Searched, pattern: str, starts: list[int]) -> InputError:
    if not starts:
        return InputError(
            "bad-between",
            f"the first pattern of `between`, {quoted(pattern)}, matches nothing",
            "let it match the one line at which the part begins",
        )
    lines = [searched.line_at(start) for start in starts]
    return InputError(
        "bad-between",
        f"the first pattern of `between`, {quoted(pattern)}, matches {counted(len(lines), 'time')}: "
        f"lines {listed(str(line) for line in lines)}",
        "let it match the one line at which the part begins",
        line=lines[0],
    )
