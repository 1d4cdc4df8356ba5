"""A file as a stream: what is too large to be held whole is read while it passes by."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from stilltrue import files
from stilltrue.config import Config
from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.unpack import is_packed, unpacked

HEAD = 1 << 16
"""How many bytes a format is told by."""

_PIECE = 1 << 20
_LARGE = 8 << 20
_LARGE_PACKED = 1 << 20


class Stream:
    """One evidence file, whose bytes are read anew each time that they are asked for.

    Attributes:
        path: The file, from the root.
        head: Its first bytes, unpacked; none of a file that is better read whole.
    """

    def __init__(self, path: str, pieces: Callable[[Deadline], Iterator[bytes]], head: bytes) -> None:
        self.path = path
        self.head = head
        self._pieces = pieces

    @classmethod
    def of(cls, content: Content) -> Stream:
        """A file that is in memory."""
        data = content.data
        return cls(content.path, lambda _: iter((data,)), data[:HEAD])

    def pieces(self, deadline: Deadline) -> Iterator[bytes]:
        """Its bytes, unpacked, from the first to the last.

        Raises:
            InputError: As `load`, but not for a file that is empty.
        """
        return self._pieces(deadline)


def open_stream(config: Config, path: str, deadline: Deadline, instead: Path | None = None) -> Stream:
    """A file as a stream; without a head where it is small.

    Args:
        config: The root that `path` starts at, and the limits.
        path: The file, from the root.
        deadline: When unpacking its first bytes takes too long.
        instead: The file to read in its place.

    Raises:
        InputError: As `load`, but not for a file that is empty.
    """
    root, name = (config.root, path) if instead is None else (instead.parent.resolve(), instead.name)
    size, limit = files.size_of(root, name), config.limits.bytes
    start = next(files.read_pieces(root, name, limit, HEAD), b"") if size >= _LARGE_PACKED else b""
    if not is_packed(start):
        pieces = partial(files.read_pieces, root, name, limit, _PIECE)
        return Stream(path, lambda _: pieces(), start if size >= _LARGE else b"")

    def parts(until: Deadline) -> Iterator[bytes]:
        return unpacked(files.read_bytes(root, name, limit), limit, until)

    return Stream(path, parts, _head(parts(deadline)))


def _head(pieces: Iterator[bytes]) -> bytes:
    head = b""
    for piece in pieces:
        head += piece
        if len(head) >= HEAD:
            break
    return head[:HEAD]
