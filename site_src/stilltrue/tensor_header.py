"""The header of a safetensors file: what it says of each tensor, and whether that can be so.

The format: eight bytes with the length of a JSON header, little-endian; the header, which gives each tensor's
`dtype`, `shape` and `data_offsets` (from the header's end); the data, one tensor after the other.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MOST_HEADER = 100_000_000
"""How long a header may be, as the format says."""

BITS = {
    **dict.fromkeys(("F4",), 4),
    **dict.fromkeys(("F6_E2M3", "F6_E3M2"), 6),
    **dict.fromkeys(("BOOL", "U8", "I8", "F8_E5M2", "F8_E4M3", "F8_E8M0", "F8_E4M3FNUZ", "F8_E5M2FNUZ"), 8),
    **dict.fromkeys(("I16", "U16", "F16", "BF16"), 16),
    **dict.fromkeys(("I32", "U32", "F32"), 32),
    **dict.fromkeys(("I64", "U64", "F64", "C64"), 64),
}
"""How many bits a number has, of the formats that the format knows."""

_LENGTH = 8
_MOST_DIMENSIONS = 64
_LARGEST = 1 << 64


class HeaderError(ValueError):
    """Why a file is no whole safetensors file, as a clause: `its header is longer than the file`."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What a header says of one tensor.

    Attributes:
        dtype: `F32`, `BF16`, ….
        shape: Its sizes, outermost first; empty for a single number.
        begin: Where its data begin, in bytes from the header's end.
        end: Where they end.
    """

    dtype: str
    shape: tuple[int, ...]
    begin: int
    end: int

    @property
    def count(self) -> int:
        """How many numbers it has."""
        return math.prod(self.shape)


@dataclass(frozen=True, slots=True)
class Header:
    """A header.

    Attributes:
        entries: Each tensor by its name, in the order of their data.
        metadata: What else it says, text by text; empty where it says nothing.
        start: Where the data begin, in bytes from the start of the file.
    """

    entries: Mapping[str, Entry]
    metadata: Mapping[str, str]
    start: int

    @property
    def size(self) -> int:
        """How many bytes of data there should be."""
        return max((entry.end for entry in self.entries.values()), default=0)


def read_header(data: Any, size: int) -> Header:
    """The header of a file.

    Args:
        data: The file: bytes, or a map of it.
        size: How many bytes it has.

    Raises:
        HeaderError: It is no such file, or says of a tensor what cannot be so.
    """
    length = int.from_bytes(data[:_LENGTH], "little")
    if size < _LENGTH or length > min(MOST_HEADER, size - _LENGTH):
        raise HeaderError("its header is longer than the file")
    try:
        header = json.loads(data[_LENGTH : _LENGTH + length], object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise HeaderError("its header is no JSON, or names a tensor twice") from None
    if not isinstance(header, dict):
        raise HeaderError("its header is no mapping")
    metadata = _metadata(header.pop("__metadata__", {}))
    entries = {name: _entry(entry, name) for name, entry in header.items()}
    ordered = dict(sorted(entries.items(), key=lambda each: (each[1].begin, each[1].end, each[0])))
    _refuse_gaps(ordered)
    return Header(ordered, metadata, _LENGTH + length)


def refuse_other_size(header: Header, size: int) -> None:
    """Holds that the tensors fill the file.

    Raises:
        HeaderError: It is too short, or some bytes belong to no tensor.
    """
    there = size - header.start
    for name, entry in header.entries.items():
        if entry.end > there:
            raise HeaderError(f"it ends before `{name}` does")
    if there != header.size:
        raise HeaderError(f"{there - header.size:,} bytes at its end belong to none")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


def _metadata(said: Any) -> dict[str, str]:
    if isinstance(said, dict) and all(isinstance(value, str) for value in said.values()):
        return said
    raise HeaderError("`__metadata__` does not map names to texts")


def _entry(said: Any, name: str) -> Entry:
    """What the header says of one tensor, where that can be so."""
    match said:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
            if not all(type(size) is int and 0 <= size < _LARGEST for size in shape):
                raise HeaderError(f"`{name}` has no shape")
            if len(shape) > _MOST_DIMENSIONS or not 0 <= begin <= end <= _LARGEST:
                raise HeaderError(f"its header says nothing of where `{name}` lies")
            entry = Entry(dtype, tuple(shape), begin, end)
            if dtype in BITS and (end - begin) * 8 != entry.count * BITS[dtype]:
                raise HeaderError(f"`{name}` has not as many numbers as its shape says")
            return entry
        case _:
            raise HeaderError(f"its header says nothing of where `{name}` lies")


def _refuse_gaps(entries: Mapping[str, Entry]) -> None:
    """Holds that each tensor begins where the one before it ends, as the format says."""
    at = 0
    for name, entry in entries.items():
        if entry.begin != at:
            raise HeaderError(f"`{name}` does not begin where the one before it ends")
        at = entry.end
