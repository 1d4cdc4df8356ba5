"""TFRecord: the frames that TensorBoard's event files are made of, each with its checksums.

A record is its length (8 bytes, little-endian), the masked CRC-32C of those 8 bytes, its data, and the masked
CRC-32C of the data; see `tensorflow/core/lib/io/record_writer.h` and `tensorflow/core/lib/hash/crc32c.h`.
"""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.readers.libraries import library

LENGTH = 8
"""How many bytes say the length of a record's data."""

HEAD = LENGTH + 4
"""How many bytes stand before a record's data."""

_FOOT = 4
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
        if masked_crc(body, deadline) != _unsigned(whole[end : end + _FOOT]):
            raise _damaged(number, "its checksum is another")
        yield number, body
        at = end + _FOOT


def first_length(data: bytes) -> int | None:
    """The length of the first record of a file that begins with one; None for other files."""
    head = data[:HEAD]
    if len(head) < HEAD or masked_crc(head[:LENGTH]) != _unsigned(head[LENGTH:]):
        return None
    return _unsigned(head[:LENGTH])


def masked_crc(data: bytes | memoryview, deadline: Deadline | None = None) -> int:
    """The checksum of a record: CRC-32C, turned by 15 bits, plus a constant.

    Raises:
        InputError: `missing-library`; `too-slow`.
    """
    extend, crc = library("google_crc32c", "google-crc32c").extend, 0
    for start in range(0, len(data), _PIECE):
        if deadline is not None:
            deadline.check()
        crc = extend(crc, bytes(data[start : start + _PIECE]))
    return (((crc >> 15) | (crc << 17)) + _MASK) & 0xFFFFFFFF


def _length(head: memoryview, number: int) -> int:
    if len(head) < HEAD:
        raise _cut(number, len(head), HEAD)
    if masked_crc(head[:LENGTH]) != _unsigned(head[LENGTH:]):
        raise _damaged(number, "the checksum of its length is another")
    return _unsigned(head[:LENGTH])


def _unsigned(data: bytes | memoryview) -> int:
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
