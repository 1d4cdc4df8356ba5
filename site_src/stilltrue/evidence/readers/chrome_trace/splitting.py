"""From the bytes of a trace, as they come, to some thousand whole events at a time, each with its line.

A cut is guessed by how the first events are set apart, and proved: where what lies before it, closed with
`]`, is an array in JSON, it lies between two events. Where it is not, the brackets are counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.readers.libraries import library
from stilltrue.evidence.readers.refusals import cut, other_format
from stilltrue.evidence.trees.json_tree import read_json
from stilltrue.evidence.trees.tree import malformed

KIND = "a Chrome trace"
KEY = b'"traceEvents"'

_BOM = b"\xef\xbb\xbf"
_CHUNK = 256 << 10
_LONGEST_HEAD = 16 << 20
_LONGEST_EVENT = 64 << 20
_LONGEST_TAIL = 256 << 20
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["{}\[\]]', re.DOTALL)
_WHITE = b" \t\r\n"
_BETWEEN = re.compile(rb'\}[ \t\r\n]*,[ \t\r\n]*\{[ \t\r\n]*"[^"\\]*"')
_ESCAPED = re.compile(rb"\\u00[2-7]")
"""A letter that is written in another way than it reads: `traceEvents` may be."""

_COMMA = re.compile(rb"[ \t\r\n]*,")
_VALUE = re.compile(rb"[ \t\r\n]*:[ \t\r\n]*([^ \t\r\n])")


class Chunk(NamedTuple):
    """Some whole events.

    Attributes:
        text: An array of them, in JSON.
        events: Each event's own text, as `msgspec.Raw`; None where only a kinder reader takes the array.
        line: The line on which the array begins.
    """

    text: bytes
    events: list[Any] | None
    line: int


class Splitter:
    """Splits one trace.

    Args:
        pieces: Its bytes, in pieces of any size.
        deadline: When it must be done.
    """

    def __init__(self, pieces: Iterator[bytes], deadline: Deadline) -> None:
        msgspec = library("msgspec", "msgspec")
        raw = msgspec.Raw
        self._decode = msgspec.json.Decoder(list[raw]).decode  # type: ignore[valid-type]  # known at run time
        self._skip = msgspec.json.Decoder(raw).decode
        self._error = msgspec.MsgspecError
        self._pieces = _small(pieces)
        self._deadline = deadline
        self._buffer = b""
        self._mark = b""
        self._line = 1
        self._comma = False

    def chunks(self) -> Iterator[Chunk]:
        """All events, in their order.

        Raises:
            InputError: `bad-table`: it is no trace, or cut off; `malformed-evidence`; `too-large`: an event
                is, or what stands before or after the events; `too-slow`.
        """
        head = self._head()
        ended = False
        while not ended:
            self._deadline.check()
            more = self._more(max(_CHUNK, len(self._buffer)))
            chunk, ended = self._next()
            if chunk is not None:
                yield chunk
            elif not ended and not more:
                raise cut("the list of events", head.count(b"\n") + 1, "its `]` is missing")
            if len(self._buffer) > _LONGEST_EVENT:
                raise _too_large("an event", _LONGEST_EVENT, self._line)
        self._finish(head)

    def _more(self, size: int) -> bool:
        """Whether more could be read: some bytes, `size` of them where there are as many."""
        parts, got = [self._buffer], 0
        for piece in self._pieces:
            parts.append(piece)
            got += len(piece)
            if got >= size:
                break
        self._buffer = b"".join(parts)
        return got > 0

    def _head(self) -> bytes:
        """What stands before the events, their `[` included."""
        self._more(len(_BOM))
        self._buffer = self._buffer.removeprefix(_BOM)
        while True:
            start = _start(self._buffer)
            if start:
                head, self._buffer = self._buffer[:start], self._buffer[start:]
                self._line += head.count(b"\n")
                return head
            if len(self._buffer) > _LONGEST_HEAD or not self._more(max(_CHUNK, len(self._buffer))):
                raise other_format(KIND, "it has no array `traceEvents` at its root")

    def _next(self) -> tuple[Chunk | None, bool]:
        """The next whole events, taken off the buffer, and whether they are the last."""
        guess = self._buffer.rfind(self._mark) + 1 if self._mark else 0
        if guess:
            chunk = Chunk(*self._decoded(guess), self._line)
            if chunk.events is not None:
                return self._take(guess, chunk), False
        end, ended = self._counted()
        if not end and not ended:
            return None, False
        if ended and not self._buffer[:end].strip(_WHITE):
            self._line += self._buffer.count(b"\n", 0, end)
            self._buffer = self._buffer[end:]
            return None, True
        return self._take(end, Chunk(*self._decoded(end), self._line)), ended

    def _decoded(self, end: int) -> tuple[bytes, list[Any] | None]:
        text = b"".join((b"[", memoryview(self._buffer)[:end], b"]"))
        try:
            return text, self._decode(text)
        except self._error:
            return text, None

    def _take(self, end: int, chunk: Chunk) -> Chunk:
        """The same chunk, taken off the buffer."""
        comma = _COMMA.match(self._buffer, end)
        self._comma = comma is not None
        after = comma.end() if comma else end
        self._line += self._buffer.count(b"\n", 0, after)
        self._buffer = self._buffer[after:]
        return chunk

    def _counted(self) -> tuple[int, bool]:
        """Where the last event ends that is whole, by its brackets; and whether the list ends there."""
        depth = end = 0
        for token in _TOKEN.finditer(self._buffer):
            sign = token[0]
            if sign in b"{[":
                depth += 1
            elif sign in b"}]":
                depth -= 1
                if depth < 0:
                    return self._closed(sign, token.start())
                if not depth and _COMMA.match(self._buffer, token.end()):
                    end = token.end()
                    if self._learns(token.start()):
                        break  # from here on it can be guessed
            elif sign == b'"':
                break  # a text that ends beyond the buffer
        return end, False

    def _closed(self, sign: bytes, at: int) -> tuple[int, bool]:
        line = self._line + self._buffer.count(b"\n", 0, at)
        if sign != b"]":
            raise malformed("JSON", "a brace closes that was not opened", line)
        before = self._buffer[:at].rstrip(_WHITE)
        if before.endswith(b",") or (self._comma and not before):
            raise malformed("JSON", "the list of events ends in a comma", line)
        return at, True

    def _learns(self, at: int) -> bool:
        """Keeps how two events are set apart, the key of the second too; whether it is the first time."""
        found = _BETWEEN.match(self._buffer, at)
        first = found is not None and not self._mark
        self._mark = found[0] if found else self._mark
        return first

    def _finish(self, head: bytes) -> None:
        """Holds what stands around the events to be JSON too."""
        while self._more(max(_CHUNK, len(self._buffer))):
            self._deadline.check()
            if len(self._buffer) > _LONGEST_TAIL:
                raise _too_large("what follows the events", _LONGEST_TAIL, self._line)
        rest = head + self._buffer
        try:
            self._skip(rest)
        except self._error:
            self._explain(head)
        if KEY in self._buffer or _ESCAPED.search(rest):
            self._explain(head)

    def _explain(self, head: bytes) -> None:
        """Raises what is wrong around the events, unless a kinder reader takes it."""
        before = head.count(b"\n") + 1
        try:
            tree = read_json((head + self._buffer).decode("utf-8"), self._deadline)
        except UnicodeDecodeError as error:
            raise malformed("JSON", f"it is not UTF-8: {error.reason}", self._line) from None
        except InputError as error:
            if error.line > before:
                error.line += self._line - before
            raise
        whole = tree.value == [] if head.lstrip().startswith(b"[") else isinstance(tree.value, dict)
        if not whole:
            raise malformed("JSON", "more follows after the end of the value", self._line)


def _start(data: bytes) -> int:
    """Where the first event begins: behind the `[` of the events; 0 where that has not come yet.

    Raises:
        InputError: The file begins with something else.
    """
    start = data.lstrip(_WHITE)
    if not start:
        return 0
    if start.startswith(b"["):
        return len(data) - len(start) + 1
    if not start.startswith(b"{"):
        raise other_format(KIND, "it is no JSON object and no array")
    if KEY not in data:
        return 0
    depth = 0
    for token in _TOKEN.finditer(data):
        sign = token[0]
        if sign in b"{[":
            depth += 1
        elif sign in b"}]":
            depth -= 1
        elif sign == b'"':
            break
        elif sign == KEY and depth == 1 and (value := _VALUE.match(data, token.end())):
            if value[1] != b"[":
                raise other_format(
                    KIND, "its `traceEvents` is no array", data.count(b"\n", 0, value.end()) + 1
                )
            return value.end()
    return 0


def _small(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """The same bytes, never many at a time."""
    for piece in pieces:
        if len(piece) <= _CHUNK:
            yield piece
        else:
            for at in range(0, len(piece), _CHUNK):
                yield piece[at : at + _CHUNK]


def _too_large(what: str, limit: int, line: int) -> InputError:
    return InputError(
        "too-large",
        f"{what} takes more than {limit >> 20} MiB",
        "keep what is needed of the trace in a smaller file",
        line=line,
    )
