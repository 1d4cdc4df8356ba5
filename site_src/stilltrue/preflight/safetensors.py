"""Tensors out of a safetensors file, without torch: is one all zero, is it finite, do two differ?

The format: eight bytes with the length of a JSON header, little-endian; the header, which gives each tensor's
`dtype`, `shape` and `data_offsets` (from the header's end); the data.
"""

from __future__ import annotations

import json
import math
import mmap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from stilltrue.errors import InputError

SIXTEEN_BITS = {"F16": 0x7C00, "BF16": 0x7F80}
"""Formats of two bytes, and the exponent's bits: all of them set mean infinite, or not a number."""

WIDTHS = {"F16": 2, "BF16": 2, "F32": 4, "F64": 8}
"""How many bytes a number has, of the formats that are read."""

MOST_HEADER = 100_000_000
"""How long a header may be, as the format says."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of an open file.

    Attributes:
        name: Its name.
        dtype: `F32`, `BF16`, ….
        data: Its bytes.
    """

    name: str
    dtype: str
    data: bytes

    @property
    def zero(self) -> bool:
        """Whether every number of it is 0, which -0.0 is too; also where it has none."""
        if self.dtype in SIXTEEN_BITS:
            return self._halves() <= {0, 0x8000}
        return not any(self._numbers())

    @property
    def finite(self) -> bool:
        """Whether no number of it is infinite or none at all."""
        if exponent := SIXTEEN_BITS.get(self.dtype):
            return not any(half & exponent == exponent for half in self._halves())
        numbers = self._numbers()
        return math.isfinite(sum(numbers)) or all(map(math.isfinite, numbers))

    def _numbers(self) -> memoryview[float]:
        return memoryview(self.data).cast("d" if self.dtype == "F64" else "f")

    def _halves(self) -> set[int]:
        """Its different numbers, as their bits: 65,536 of them at most, however large it is."""
        return set(memoryview(self.data).cast("H"))


@contextmanager
def opened(path: Path, shown: str) -> Iterator[Iterator[Tensor]]:
    """The tensors of a file, one after the other, in the order of their names.

    Args:
        path: The file.
        shown: It, as messages name it.

    Raises:
        InputError: `not-safetensors`: it is none, or is cut short; `unreadable`.
    """
    try:
        with path.open("rb") as file:
            if not path.stat().st_size:
                raise _broken(shown, "it is empty")
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as whole:
                yield _tensors(whole, shown)
    except OSError as error:
        raise InputError(
            "unreadable", f"`{shown}` cannot be read: {error.strerror}", "check its permissions", path=shown
        ) from None


def _tensors(whole: mmap.mmap, shown: str) -> Iterator[Tensor]:
    header, start = _header(whole, shown)
    entries = {name: _entry(header[name], shown, name) for name in sorted(header) if name != "__metadata__"}
    _refuse_gaps(entries, len(whole) - start, shown)
    for name, (dtype, begin, end) in entries.items():
        yield Tensor(name, dtype, whole[start + begin : start + end])


def _refuse_gaps(entries: Mapping[str, _Entry], size: int, shown: str) -> None:
    """Holds that the tensors fill the file, one after the other, as the format says.

    Raises:
        InputError: `not-safetensors`: two share numbers, some belong to none, or the file is too short.
    """
    at = 0
    for name, entry in sorted(entries.items(), key=lambda each: each[1][1:]):
        if entry.begin != at:
            raise _broken(shown, f"`{name}` does not begin where the one before it ends")
        at = entry.end
        if at > size:
            raise _broken(shown, f"it ends before `{name}` does")
    if at != size:
        raise _broken(shown, f"{size - at:,} bytes at its end belong to none")


def _header(whole: mmap.mmap, shown: str) -> tuple[dict[str, Any], int]:
    """The header, and where the data begin."""
    length = int.from_bytes(whole[:8], "little")
    if len(whole) < 8 or length > min(MOST_HEADER, len(whole) - 8):
        raise _broken(shown, "its header is longer than the file")
    try:
        header = json.loads(whole[8 : 8 + length], object_pairs_hook=_once)
    except (ValueError, RecursionError):
        raise _broken(shown, "its header is no JSON, or names a tensor twice") from None
    if not isinstance(header, dict):
        raise _broken(shown, "its header is no mapping")
    return header, 8 + length


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError
    return found


class _Entry(NamedTuple):
    """What a header says of one tensor: its format, and where its data lie."""

    dtype: str
    begin: int
    end: int


def _entry(entry: Any, shown: str, name: str) -> _Entry:
    """What the header says of one tensor, where that can be so."""
    match entry:
        case {"dtype": str(dtype), "shape": [*shape], "data_offsets": [int(begin), int(end)]}:
            if dtype not in WIDTHS:
                raise _broken(shown, f"`{name}` holds {dtype}, which is not read here")
            if not all(isinstance(size, int) and size >= 0 for size in shape):
                raise _broken(shown, f"`{name}` has no shape")
            if end - begin != math.prod(shape) * WIDTHS[dtype]:
                raise _broken(shown, f"`{name}` has not as many numbers as its shape says")
            return _Entry(dtype, begin, end)
        case _:
            raise _broken(shown, f"its header says nothing of where `{name}` lies")


def _broken(shown: str, why: str) -> InputError:
    hint = "save the adapter again, as peft's `save_pretrained` does"
    return InputError("not-safetensors", f"`{shown}` is no whole safetensors file: {why}", hint, path=shown)
