"""TFRecord: the frames that TensorBoard's event files are made of, each with its checksums.

A record is its length (8 bytes, little-endian), the masked CRC-32C of those 8 bytes, its data, and the masked
CRC-32C of the data; see `tensorflow/core/lib/io/record_writer.h` and `tensorflow/core/lib/hash/crc32c.h`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError

HEAD = 12
"""How many bytes stand before a record's data."""

_FOOT = 4
_POLYNOMIAL = 0x82F63B78
_MASK = 0xA282EAD8
_PIECE = 1 << 20


def records(data: bytes, deadline: Deadline) -> Iterator[tuple[int, memoryview]]:
    """The records of a file: the number of each, from 1, and its data.

    Raises:
        InputError: `malformed-evidence` at the record that is cut, or whose checksum is another; `too-slow`.
    """
    whole, at, number = memoryview(data), 0, 0
    while at < len(whole):
        number += 1
        length = _length(whole[at : at + HEAD], number)
        end = at + HEAD + length
        if end + _FOOT > len(whole):
            raise _cut(number, len(whole) - at, HEAD + length + _FOOT)
        body = whole[at + HEAD : end]
        if masked_crc(body, deadline) != _u32(whole[end : end + _FOOT]):
            raise _damaged(number, "its checksum is another")
        yield number, body
        at = end + _FOOT


def first_length(data: bytes) -> int | None:
    """The length of the first record of a file that begins with one; None for other files."""
    head = data[:HEAD]
    if len(head) < HEAD or masked_crc(head[:8]) != _u32(head[8:]):
        return None
    return int.from_bytes(head[:8], "little")


def masked_crc(data: bytes | memoryview, deadline: Deadline | None = None) -> int:
    """The checksum of a record: CRC-32C, turned by 15 bits, plus a constant."""
    crc = _crc(data, deadline)
    return (((crc >> 15) | (crc << 17)) + _MASK) & 0xFFFFFFFF


def _crc(data: bytes | memoryview, deadline: Deadline | None) -> int:
    """CRC-32C, four bytes a step."""
    low, high = _tables()
    crc = 0xFFFFFFFF
    for start in range(0, len(data), _PIECE):
        if deadline is not None:
            deadline.check()
        piece = data[start : start + _PIECE]
        whole = len(piece) & ~3
        for word in struct.unpack(f"<{whole // 4}I", piece[:whole]):
            crc ^= word
            crc = high[crc & 0xFFFF] ^ low[crc >> 16]
        for byte in piece[whole:]:
            crc = (crc >> 8) ^ _table()[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    """What each byte does to the checksum."""
    made = []
    for value in range(256):
        crc = value
        for _ in range(8):
            crc = (crc >> 1) ^ (_POLYNOMIAL if crc & 1 else 0)
        made.append(crc)
    return tuple(made)


@cache
def _tables() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What two bytes do to the checksum when none follow them, and when two do."""
    one = _table()
    low = []
    for pair in range(1 << 16):
        crc = (pair >> 8) ^ one[pair & 0xFF]
        low.append((crc >> 8) ^ one[crc & 0xFF])
    high = tuple((low[pair & 0xFFFF]) ^ (pair >> 16) for pair in low)
    return tuple(low), high


def _length(head: memoryview, number: int) -> int:
    if len(head) < HEAD:
        raise _cut(number, len(head), HEAD)
    if masked_crc(head[:8]) != _u32(head[8:]):
        raise _damaged(number, "the checksum of its length is another")
    return int.from_bytes(head[:8], "little")


def _u32(data: bytes | memoryview) -> int:
    return int.from_bytes(data, "little")


def _cut(number: int, there: int, wanted: int) -> InputError:
    return InputError(
        "malformed-evidence",
        f"record {number:,} is cut off: {there:,} of its {wanted:,} bytes are there",
        "copy the file again once its writer has closed it",
    )


def _damaged(number: int, why: str) -> InputError:
    return InputError(
        "malformed-evidence",
        f"record {number:,} is damaged: {why}",
        "restore the file as its writer left it, or take the evidence again",
    )
