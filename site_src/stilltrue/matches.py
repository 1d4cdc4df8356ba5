"""Values that a pattern finds in a text: where each stands, and what the pattern's other groups hold.

A text is searched with every line end as a line feed, so that `$` stands at the end of a line however the
file was saved; places are given in the text as it is.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.patterns import Pattern, compiled
from stilltrue.wording import quoted

VALUE = "value"
"""The name of the group that is the value."""

MOST_MATCHES = 20_000
"""How many matches of one pattern in one file are looked at."""

_CRLF = re.compile("\r\n")
_BLANKS = re.compile(r"(?P<kept>\\.|\[\^?\]?(?:\\.|[^\]\\])*\])| ++(?![*+?{])", re.DOTALL)
_BLANK_HINT = "where the pattern has a blank the text has a line break, or several: write `\\s+` there"


class Source:
    """A file's text, as patterns see it.

    Attributes:
        text: The text as it is, a byte order mark left out.
        data: The same in UTF-8, every line end a line feed.
    """

    __slots__ = ("_ascii", "_joined", "data", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        # Where a line end of two signs became one: how far each place behind it moved.
        self._joined: list[int] = []
        plain = text
        if "\r" in text:
            self._joined = [found.start() - at for at, found in enumerate(_CRLF.finditer(text))]
            plain = text.replace("\r\n", "\n").replace("\r", "\n")
        self.data = plain.encode("utf-8")
        self._ascii = len(self.data) == len(plain)

    def moved(self, point: int) -> int:
        """The place in `text` of a code point of `data`."""
        return point + bisect_left(self._joined, point)

    def points(self, start: int, end: int) -> int:
        """How many code points the bytes from `start` to `end` of `data` are."""
        return end - start if self._ascii else len(self.data[start:end].decode("utf-8"))


class Groups(NamedTuple):
    """What the groups of a pattern are for.

    Attributes:
        value: The number of the group that is the value.
        others: The numbers of the other groups that have a name, by it.
    """

    value: int
    others: dict[str, int]


class Match(NamedTuple):
    """One match.

    Attributes:
        text: The value, every line end in it a line feed; empty where its group took no part.
        start: Where the value begins in the text as it is, in code points.
        end: Where it ends.
        line: The line on which it begins.
        groups: What the other groups hold that have a name.
        missing: A group that took no part; empty where all did.
    """

    text: str
    start: int
    end: int
    line: int
    groups: dict[str, str]
    missing: str = ""


def groups_of(source: str) -> Groups:
    """What the groups of a pattern are for.

    The value is the group `value`, else the only group, else the only one without a name.

    Raises:
        InputError: `bad-pattern`, `bad-match`: none is the value, or several could be.
    """
    pattern = compiled(source)
    names = pattern.names
    if VALUE in names:
        return Groups(names[VALUE], {name: number for name, number in names.items() if name != VALUE})
    if pattern.groups == 1:
        return Groups(1, {})
    nameless = set(range(1, pattern.groups + 1)) - set(names.values())
    if len(nameless) == 1:
        return Groups(nameless.pop(), dict(names))
    if not pattern.groups:
        message = f"the pattern {quoted(source)} has no group, so that nothing in it is the value"
        raise InputError("bad-match", message, "put the value in brackets: `seconds=(\\S+)`")
    message = f"the pattern {quoted(source)} has {pattern.groups} groups, and none is named `value`"
    hint = "name the one that is the value `(?P<value>…)`, or write the others `(?:…)`"
    raise InputError("bad-match", message, hint)


def find(source: Source, match: str, deadline: Deadline) -> Iterator[Match]:
    """The matches of a pattern in a text, in order.

    An empty match is none: `(.*)` finds one at the end of every line.

    Args:
        source: The text.
        match: The pattern, which `groups_of` accepts.
        deadline: How long it may take.

    Raises:
        InputError: `too-slow`, `too-many-matches`.
    """
    pattern = compiled(match)
    groups = groups_of(match)
    reader = _Reader(source, pattern, groups)
    matches = pattern.matches(source.data, 0, len(source.data), deadline)
    full = (found for found in matches if found.start() < found.end())
    for count, found in enumerate(full):
        if count == MOST_MATCHES:
            message = f"the pattern {quoted(match)} matches more than {MOST_MATCHES:,} times"
            raise InputError("too-many-matches", message, "let it match the places that are meant alone")
        yield reader.read(found)


def missed_blank(source: Source, match: str, deadline: Deadline) -> str:
    """What to do about a pattern that matches nothing because a line of the text ends at one of its blanks.

    Empty where blanks are not what keeps it from matching, or where that takes too long to find out.
    """
    wider = _BLANKS.sub(lambda found: found["kept"] or r"\s+", match)
    try:
        fits = wider != match and next(find(source, wider, deadline), None) is not None
    except InputError:
        return ""
    return _BLANK_HINT if fits else ""


class _Reader:
    """Turns matches into places, each counted on from the one before."""

    def __init__(self, source: Source, pattern: Pattern, groups: Groups) -> None:
        self.source = source
        self.groups = groups
        self.names = {number: name for name, number in pattern.names.items()}
        self.at = self.point = 0
        self.line = 1

    def read(self, found: object) -> Match:
        """One match of RE2."""
        span = _span(found, self.groups.value)
        others = {name: _span(found, number) for name, number in self.groups.others.items()}
        absent = next((name for name, (start, _) in others.items() if start < 0), "")
        if span[0] < 0:
            absent = self.names.get(self.groups.value, VALUE)
            span = (_span(found, 0)[0],) * 2
        self._go_to(span[0])
        text = self._text(span)
        end = self.point + len(text)
        groups = {name: self._text(place) if place[0] >= 0 else "" for name, place in others.items()}
        moved = self.source.moved
        return Match(text, moved(self.point), moved(end), self.line, groups, absent)

    def _go_to(self, byte: int) -> None:
        """Count lines and code points on to a byte."""
        self.line += self.source.data.count(b"\n", self.at, byte)
        self.point += self.source.points(self.at, byte)
        self.at = byte

    def _text(self, span: tuple[int, int]) -> str:
        return self.source.data[span[0] : span[1]].decode("utf-8")


def _span(found: object, group: int) -> tuple[int, int]:
    span: tuple[int, int] = found.span(group)  # type: ignore[attr-defined]  # RE2 has no types
    return span
