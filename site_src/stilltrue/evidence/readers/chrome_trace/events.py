"""The events of a chunk as cells: quickly from plain JSON, kindly from NaN or odd types."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import attrgetter
from typing import Any, NamedTuple, Protocol

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.readers.building import cell
from stilltrue.evidence.readers.chrome_trace.splitting import KIND, Chunk
from stilltrue.evidence.readers.libraries import library
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.tables.headings import column_name
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.evidence.trees.tree import malformed

ARGUMENT = "arg_"
"""What the columns of `args` begin with."""

_ARGUMENTS = "args"
_ESCAPED_KEY = re.compile(rb'\\u00[2-7][0-9A-Fa-f][^"\\]*+(?:\\.[^"\\]*+)*+"[ \t\r\n]*+:', re.DOTALL)
"""A key that is written in another way than it reads: it may stand there twice."""

_REMEMBERED = 100_000
_SHAPES = 1_000


class Rows(NamedTuple):
    """Some events: their fields and their arguments column by column, and the line of each.

    Attributes:
        fields: A column for each field that was asked for, in that order.
        arguments: Each event's arguments by column; empty where none were asked for.
        lines: The line that each begins on.
    """

    fields: Sequence[Sequence[str]]
    arguments: Sequence[Mapping[str, str]]
    lines: Sequence[int]


class Events(Protocol):
    """The events of one chunk."""

    count: int

    def column(self, field: str, rows: Sequence[int]) -> list[str]:
        """One field of some of them."""
        ...

    def pick(self, rows: Sequence[int]) -> Rows:
        """Some of them, in ascending order."""
        ...

    def meet(self) -> None:
        """Lets the decoder know the names of all arguments."""
        ...


class Decoder:
    """What decodes the events of one trace.

    Args:
        fields: The fields that events are asked for.
        sieved: The fields that columns are asked for; those of text go a short way.
        texts: The fields of text.
        sought: The columns of arguments that are asked for; None for all.
        deadline: When it must be done.

    Attributes:
        errors: What `Quick` raises for what `Careful` may read.
        doubled: What it raises where a key stands twice, or may: the library takes the last in silence.
        names: The columns of arguments.
    """

    def __init__(
        self,
        fields: Sequence[str],
        sieved: Iterable[str],
        texts: Container[str],
        sought: Container[str] | None,
        deadline: Deadline,
    ) -> None:
        msgspec = library("msgspec", "msgspec")
        raw, decoder, struct = msgspec.Raw, msgspec.json.Decoder, msgspec.defstruct
        arguments = (_ARGUMENTS, dict[str, raw] | None, None)  # type: ignore[valid-type]  # known at run time
        self.arguments = sought is None or bool(sought)
        wanted = [*((field, raw, raw(b"")) for field in fields), *((arguments,) if self.arguments else ())]
        self.fields = tuple(fields)
        self.deadline = deadline
        self.names = Names(sought)
        self.errors: tuple[type[Exception], ...] = (msgspec.MsgspecError, UnicodeDecodeError)
        self.values = msgspec.structs.astuple
        self.event = decoder(struct("Event", wanted, gc=False)).decode
        self.texts = texts
        sieve = [(field, str | None, None) if field in texts else (field, raw, raw(b"")) for field in sieved]
        self.sieve = decoder(list[struct("Sieved", sieve, gc=False)]).decode  # type: ignore[misc]  # as above
        self.argued = decoder(list[struct("Argued", [arguments], gc=False)]).decode  # type: ignore[misc]  # as above
        self.key = msgspec.json.encode
        self.doubled = msgspec.ValidationError("a key stands twice")
        self._string = decoder(str).decode
        self._strings: dict[bytes, str] = {}

    def text(self, raw: Any) -> str:
        """The cell of a value, given as its own text."""
        data = bytes(raw)
        if data.startswith(b'"'):
            known = self._strings.get(data)
            if known is None:
                if len(self._strings) > _REMEMBERED:
                    self._strings.clear()
                known = self._strings[data] = self._string(data)
            return known
        if data.startswith((b"[", b"{")):
            return cell(read_json(data.decode("utf-8"), self.deadline).value)
        return "" if data == b"null" else data.decode("ascii")


class Quick:
    """Events of plain JSON; whatever is asked of them may raise the decoder's `errors`."""

    def __init__(self, decoder: Decoder, chunk: Chunk, events: Sequence[Any]) -> None:
        self._decoder = decoder
        self._chunk = chunk
        self._events = events
        self._sieved: list[Any] | None = None
        self.count = len(events)
        if b"\\u00" in chunk.text and _ESCAPED_KEY.search(chunk.text):
            raise decoder.doubled

    def column(self, field: str, rows: Sequence[int]) -> list[str]:
        """One field of some of them."""
        if self._sieved is None:
            self._sieved = self._decoder.sieve(self._chunk.text)
        events = self._sieved if len(rows) == self.count else [self._sieved[row] for row in rows]
        values = list(map(attrgetter(field), events))
        if field not in self._decoder.texts:
            self._hold_once({field: sum(map(bool, values))}, rows)
            return list(map(self._decoder.text, values))
        self._hold_once({field: len(values) - values.count(None)}, rows)
        return [text or "" for text in values] if None in values else values

    def pick(self, rows: Sequence[int]) -> Rows:
        """Some of them, in ascending order."""
        decoder, width = self._decoder, len(self._decoder.fields)
        values = [decoder.values(decoder.event(self._events[row])) for row in rows]
        columns = list(zip(*values, strict=True)) or [()] * (width + 1)
        fields = [list(map(decoder.text, column)) for column in columns[:width]]
        there = {name: sum(map(bool, column)) for name, column in zip(decoder.fields, columns, strict=False)}
        arguments: Sequence[Mapping[str, str]] = ()
        if decoder.arguments:
            arguments = [self._named(given or {}) for given in columns[width]]
            there[_ARGUMENTS] = sum(given is not None for given in columns[width])
            for given in columns[width]:
                for key, _ in decoder.names.of(given or ()):
                    there[key] = there.get(key, 0) + 1
        self._hold_once(there, rows)
        return Rows(fields, arguments, list(self._lines(rows)))

    def meet(self) -> None:
        """Lets the decoder know the names of all arguments."""
        for event in self._decoder.argued(self._chunk.text):
            self._decoder.names.of(event.args or ())

    def _hold_once(self, there: Mapping[str, int], rows: Sequence[int]) -> None:
        """Holds that no key stands twice in an event, of keys that so many of some events have.

        One that is met more often than that may stand in a text or further inside, so it is looked for.
        """
        everything = len(rows) == self.count
        data = self._chunk.text if everything else b"".join(map(self._events.__getitem__, rows))
        for key, number in there.items():
            quoted = self._decoder.key(key)
            if data.count(quoted) > number:
                for row in rows:
                    event = bytes(self._events[row])
                    if event.count(quoted) > 1 and not _is_plain(event):
                        raise self._decoder.doubled

    def _named(self, given: Mapping[str, Any]) -> dict[str, str]:
        text = self._decoder.text
        return {name: text(given[key]) for key, name in self._decoder.names.of(given)}

    def _lines(self, rows: Sequence[int]) -> Iterator[int]:
        """The lines that some events begin on."""
        text, line = self._chunk.text, self._chunk.line
        starts = self._starts() if rows and b"\n" in text else [0] * self.count
        counted = 0
        for row in rows:
            line += text.count(b"\n", counted, starts[row])
            counted = starts[row]
            yield line

    def _starts(self) -> list[int]:
        """Where each event begins in the text: between them stand white space and commas alone."""
        text, events = self._chunk.text, self._events
        first = text.find(b"{")
        lengths = list(map(len, events))
        if self.count > 1:
            between = text[first + lengths[0] : text.find(b"{", first + lengths[0])]
            if text.startswith(between.join(events), first):  # set apart alike, as most programs do
                return list(accumulate(map(len(between).__add__, lengths[:-1]), initial=first))
        starts, end = [], 0
        for length in lengths:
            starts.append(text.find(b"{", end))
            end = starts[-1] + length
        return starts


def _is_plain(event: bytes) -> bool:
    """Whether no key stands twice in it, nor anything that only `Careful` can tell of."""
    try:
        json.loads(event, object_pairs_hook=_once, parse_int=str)
    except (ValueError, RecursionError):
        return False
    return True


def _once(pairs: list[tuple[str, Any]]) -> None:
    if len(dict(pairs)) < len(pairs):
        raise ValueError


class Careful:
    """Events as the reader of JSON for trees has them.

    Raises:
        InputError: `malformed-evidence`; `bad-table`: one of them is no object; `too-slow`.
    """

    def __init__(self, decoder: Decoder, chunk: Chunk) -> None:
        before = chunk.line - 1
        try:
            tree = read_json(chunk.text.decode("utf-8"), decoder.deadline)
        except UnicodeDecodeError as error:
            line = before + chunk.text.count(b"\n", 0, error.start) + 1
            raise malformed("JSON", f"it is not UTF-8: {error.reason}", line) from None
        except InputError as error:
            error.line += before
            raise
        self._decoder = decoder
        self._events: list[dict[str, Any]] = tree.value
        self._lines = [before + tree.line_of((row,)) for row in range(len(tree.value))]
        self.count = len(tree.value)
        for event, line in zip(self._events, self._lines, strict=True):
            if not isinstance(event, dict):
                raise other_format(KIND, "an event is no object", line)

    def column(self, field: str, rows: Sequence[int]) -> list[str]:
        """One field of some of them."""
        return [cell(self._events[row].get(field)) for row in rows]

    def pick(self, rows: Sequence[int]) -> Rows:
        """Some of them, in ascending order."""
        decoder = self._decoder
        events = [self._events[row] for row in rows]
        fields = [[cell(event.get(field)) for event in events] for field in decoder.fields]
        arguments = [self._named(event.get(_ARGUMENTS)) for event in events] if decoder.arguments else ()
        return Rows(fields, arguments, [self._lines[row] for row in rows])

    def meet(self) -> None:
        """Lets the decoder know the names of all arguments."""
        for event in self._events:
            self._named(event.get(_ARGUMENTS))

    def _named(self, given: Any) -> dict[str, str]:
        if not isinstance(given, dict):
            return {}
        return {name: cell(given[key]) for key, name in self._decoder.names.of(given)}


class Names:
    """The columns of arguments, by their keys.

    Args:
        sought: The columns that are asked for; None for all.

    Attributes:
        met: All columns so far.
    """

    def __init__(self, sought: Container[str] | None) -> None:
        self.met: dict[str, None] = {}
        self._sought = sought
        self._known: dict[tuple[str, ...], Sequence[tuple[str, str]]] = {}

    def of(self, keys: Iterable[str]) -> Sequence[tuple[str, str]]:
        """Those keys of one event that are asked for, each with its column.

        Keys that come to one name are told apart by a number.
        """
        together = tuple(keys)
        known = self._known.get(together)
        if known is None:
            if len(self._known) > _SHAPES:
                self._known.clear()
            names = _names(together)
            self.met.update(dict.fromkeys(names))
            pairs = zip(together, names, strict=True)
            wanted = [(key, name) for key, name in pairs if self._sought is None or name in self._sought]
            known = self._known[together] = wanted
        return known


def _names(keys: Iterable[str]) -> list[str]:
    names: dict[str, None] = {}
    for key in keys:
        stem = name = ARGUMENT + (column_name(key) or "value")
        number = 1
        while name in names:
            number += 1
            name = f"{stem}_{number}"
        names[name] = None
    return list(names)
