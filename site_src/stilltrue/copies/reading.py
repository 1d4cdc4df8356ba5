"""Searched files in pieces of bounded size, each with some of what stands before and behind it."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from stilltrue.copies.chosen import is_text
from stilltrue.errors import InputError

_PIECE = 32 << 20
_AROUND = 64 << 10
_FLAGS = (
    os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
)


class Piece(NamedTuple):
    """A part of a file.

    Attributes:
        data: Its bytes, with what stands around it.
        start: Where the part itself begins in `data`.
        end: Where it ends there.
        offset: Where `data` begins in the file.
    """

    data: bytes
    start: int
    end: int
    offset: int


def whole(data: bytes) -> Piece:
    """A file that is in memory already."""
    return _piece(data, 0, len(data), 0)


def _piece(data: bytes, start: int, end: int, offset: int) -> Piece:
    """A piece in which lines end in line feeds, also where the file ends them in carriage returns alone."""
    if b"\r" in data and b"\n" not in data:
        data = data.replace(b"\r", b"\n")
    return Piece(data, start, end, offset)


def pieces(root: Path, path: str, limit: int) -> Iterator[Piece]:
    """The pieces of a file; none of one that is binary, generated, a link, or not there.

    Args:
        root: The project's root.
        path: The file, from the root.
        limit: How many bytes a file may have.

    Raises:
        InputError: `too-large`, `unreadable`.
    """
    try:
        handle = os.open(root / path, _FLAGS)
    except (FileNotFoundError, ValueError):  # ValueError: no system has such a name
        return
    except OSError as error:
        if (root / path).is_symlink() or (root / path).is_dir():
            return
        raise _unreadable(path, error) from None
    status = os.fstat(handle)
    if not stat.S_ISREG(status.st_mode):  # a folder too: git lists a submodule as if it were a file
        os.close(handle)
        return
    with os.fdopen(handle, "rb", buffering=0) as file:
        try:
            yield from _read(path, file.fileno(), status.st_size, limit)
        except OSError as error:
            raise _unreadable(path, error) from None


def _read(path: str, handle: int, size: int, limit: int) -> Iterator[Piece]:
    data = os.read(handle, min(size, _PIECE + _AROUND))
    if not is_text(data):
        return
    if size > limit:
        message = f"`{path}` is larger than {limit:,} bytes and was not searched for stale copies"
        raise InputError("too-large", message, "leave it out with `search.ignore`, or raise `limits.bytes`")
    start = offset = 0
    while data:
        end = min(len(data), start + _PIECE)
        yield _piece(data, start, end, offset)
        if end == len(data):
            more = os.read(handle, _PIECE)
            if not more:
                return
            data += more
            start = end
            continue
        cut = max(0, end - _AROUND)
        data = data[cut:] + os.read(handle, _PIECE)
        start, offset = end - cut, offset + cut


def _unreadable(path: str, error: Exception) -> InputError:
    reason = getattr(error, "strerror", None) or str(error)
    message = f"`{path}` cannot be read ({reason}) and was not searched for stale copies"
    return InputError(
        "unreadable", message, "check the file's permissions, or leave it out with `search.ignore`"
    )
