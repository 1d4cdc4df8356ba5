"""Compressed evidence, by its first bytes: gzip and zstd are read as what they hold."""

from __future__ import annotations

import importlib
import io
import zlib
from collections.abc import Iterator
from typing import Any

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError

SUFFIXES = (".gz", ".zst")
"""What compression adds to a file's name."""

_GZIP = b"\x1f\x8b"
_ZSTD = b"\x28\xb5\x2f\xfd"
_PIECE = 1 << 20


def unpack(data: bytes, limit: int, deadline: Deadline) -> bytes:
    """What a file holds: itself, or what it was compressed from.

    Raises:
        InputError: The stream is cut or damaged, holds more than `limit` bytes, takes too long, or is zstd
            and nothing here can undo that.
    """
    if not is_packed(data):
        return data
    kept = io.BytesIO()  # gives its bytes away without a second copy
    for piece in unpacked(data, limit, deadline):
        kept.write(piece)
    return kept.getvalue()


def is_packed(start: bytes) -> bool:
    """Whether a file that starts so is compressed."""
    return start.startswith((_GZIP, _ZSTD))


def unpacked(data: bytes, limit: int, deadline: Deadline) -> Iterator[bytes]:
    """What a compressed file holds, in pieces, the limit held while they come: a bomb is stopped.

    Raises:
        InputError: As `unpack`.
    """
    size = 0
    for piece in _gunzip(data) if data.startswith(_GZIP) else _unzstd(data):
        size += len(piece)
        if size > limit:
            raise InputError(
                "too-large",
                f"this unpacks to more than {limit:,} bytes",
                "raise `limits.bytes` in the configuration if it should be read",
            )
        yield piece
        deadline.check()


def _gunzip(data: bytes) -> Iterator[bytes]:
    """The pieces of all gzip members; zero padding after them is allowed, as gzip itself does."""
    try:
        position = 0
        while position < len(data):
            stream = zlib.decompressobj(wbits=31)
            while not stream.eof:
                part = data[position : position + _PIECE]
                yield stream.decompress(part, 16 * _PIECE) if part else stream.flush()
                position += len(part) - len(stream.unconsumed_tail) - len(stream.unused_data)
                if not part and not stream.eof:
                    raise _damaged("gzip", "the stream ends in the middle")
            if data.startswith(b"\0", position):
                position = len(data) - len(data[position:].lstrip(b"\0"))
    except zlib.error as error:
        raise _damaged("gzip", str(error)) from None


def _unzstd(data: bytes) -> Iterator[bytes]:
    """The pieces of a zstd stream, by the standard library or the `zstandard` package."""
    for name in ("compression.zstd", "backports.zstd"):
        try:
            zstd: Any = importlib.import_module(name)
        except ImportError:
            continue
        return _standard_zstd(zstd, data)
    try:
        package: Any = importlib.import_module("zstandard")
    except ImportError:
        raise InputError(
            "bad-compression",
            "this is compressed with zstd, which this Python cannot undo",
            "install the package `zstandard`, or keep the evidence as gzip or plain",
        ) from None
    return _package_zstd(package, data)


def _standard_zstd(zstd: Any, data: bytes) -> Iterator[bytes]:
    try:
        while data:
            stream = zstd.ZstdDecompressor()
            piece = stream.decompress(data, max_length=_PIECE)
            yield piece
            while not stream.eof:
                if stream.needs_input:
                    raise _damaged("zstd", "the stream ends in the middle")
                yield stream.decompress(b"", max_length=_PIECE)
            data = stream.unused_data
    except zstd.ZstdError as error:
        raise _damaged("zstd", str(error)) from None


def _package_zstd(package: Any, data: bytes) -> Iterator[bytes]:
    """By small pieces of input, as the package does not bound what they give: 1 KiB gives 32 MiB at most."""
    try:
        position = 0
        while position < len(data):
            stream = package.ZstdDecompressor().decompressobj()
            while not stream.eof:
                part = data[position : position + 1024]
                if not part:
                    raise _damaged("zstd", "the stream ends in the middle")
                yield stream.decompress(part)
                position += len(part) - len(stream.unused_data)
    except package.ZstdError as error:
        raise _damaged("zstd", str(error)) from None


def _damaged(kind: str, why: str) -> InputError:
    return InputError("bad-compression", f"this is no whole {kind} file: {why}", "take the evidence again")
