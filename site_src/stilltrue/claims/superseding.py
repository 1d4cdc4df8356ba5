"""Where in a claim's own text the key `superseded` goes, and what is written there.

Only `supersede` needs it, so it takes the plain YAML parser, whose marks count characters.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from stilltrue.claims.compose import ODD
from stilltrue.claims.quoting import quoted
from stilltrue.errors import InputError


class Mark(NamedTuple):
    """A place in a text: its line and the column on it, both from 0, in code points."""

    line: int
    column: int


class Change(NamedTuple):
    """What takes the place of a part of a claim's text.

    Attributes:
        start: Where the part begins.
        end: Where it ends; equal to `start` where something is put in.
        text: What stands there then.
        line: Whether it is a line of its own, below the line of `end`, at the margin of `start`'s line.
    """

    start: Mark
    end: Mark
    text: str
    line: bool = False


class _Entry(NamedTuple):
    """A key of the claim's mapping: its name, where it begins, and where its value ends."""

    name: str
    start: Mark
    end: Mark


def superseding(text: str, entry: str, stated: str) -> tuple[Change, ...]:
    """What must change in a claim's text for it to be superseded.

    Args:
        text: The claim's own text, one mapping; its lines end in a line feed.
        entry: The key with its value, on one line, as `superseded_entry` writes it.
        stated: What stands in the place of `stated_in`, where the claim has that: its value as text. The
            file may state the successor's value by then.

    Raises:
        InputError: `unplaced`: the text is no mapping that a key can be added to.
    """
    entries, flow = _entries(text)
    if not entries:
        raise InputError("unplaced", "its text is no mapping of keys")
    changes = [
        Change(each.start, each.end, f"value: {quoted(stated)}")
        for each in entries
        if each.name == "stated_in"
    ]
    if flow:
        end = entries[-1].end
        return (*changes, Change(end, end, f", {entry}"))
    lines = text.split("\n")
    last = max(at for at, line in enumerate(lines) if line.strip())
    return (*changes, Change(entries[0].start, Mark(last, len(lines[last])), entry, line=True))


def superseded_entry(by: str, on: str, because: str) -> str:
    """`superseded: {by: …, on: …, because: "…"}`; `by` is left out where it is empty.

    Raises:
        InputError: `bad-yaml`: the reason holds a character that no text may hold.
    """
    if ODD.search(because):
        raise InputError("bad-yaml", "the reason holds a character that no editor shows", "write it plainly")
    named = f"by: {by}, " if by else ""
    return f"superseded: {{{named}on: {on}, because: {quoted(because)}}}"


def _entries(text: str) -> tuple[list[_Entry], bool]:
    """The keys of the outermost mapping in order, and whether it stands in braces."""
    import yaml  # noqa: PLC0415  # only `supersede` needs it

    try:
        events: list[Any] = list(yaml.parse(text, Loader=yaml.BaseLoader))
    except yaml.YAMLError:
        return [], False
    walk = _Walk(text)
    for event in events:
        walk.see(event)
    return walk.found, walk.flow


class _Walk:
    """Goes through the events of a mapping, and notes each of its own keys."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: list[_Entry] = []
        self.flow = False
        self._depth = 0
        self._key: tuple[str, Mark] | None = None
        self._end = Mark(0, 0)

    def see(self, event: Any) -> None:
        """The next event."""
        kind = type(event).__name__.removesuffix("Event")
        if kind in ("MappingStart", "SequenceStart"):
            self.flow = bool(event.flow_style) if self._depth == 0 else self.flow
            self._depth += 1
            return
        if kind == "Scalar":
            self._end = _end_of_scalar(event, self.text)
            if self._depth == 1 and self._key is None:
                self._key = (event.value, _mark(event.start_mark))
                return
        elif kind in ("MappingEnd", "SequenceEnd"):
            self._depth -= 1
            if event.end_mark.index > event.start_mark.index:  # a bracket; a block has no sign at its end
                self._end = _mark(event.end_mark)
        if self._depth == 1 and self._key is not None:
            self.found.append(_Entry(*self._key, self._end))
            self._key = None


def _end_of_scalar(event: Any, text: str) -> Mark:
    """Where a scalar's last character is; a block scalar's mark lies on the line after it."""
    if event.style not in ("|", ">"):
        return _mark(event.end_mark)
    kept = text[: event.end_mark.index].rstrip()
    return Mark(kept.count("\n"), len(kept) - kept.rfind("\n") - 1)


def _mark(mark: Any) -> Mark:
    return Mark(mark.line, mark.column)
