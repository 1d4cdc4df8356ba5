"""Tensors out of a safetensors file, without torch: is one all zero, is it finite, do two differ?"""

from __future__ import annotations

import math
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.tensor_header import BITS, HeaderError, read_header, refuse_other_size

SIXTEEN_BITS = {"F16": 0x7C00, "BF16": 0x7F80}
"""Formats of two bytes, and the exponent's bits: all of them set mean infinite, or not a number."""

WIDTHS = {dtype: BITS[dtype] // 8 for dtype in ("F16", "BF16", "F32", "F64")}
"""How many bytes a number has, of the formats that are read."""


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
    try:
        header = read_header(whole, len(whole))
        refuse_other_size(header, len(whole))
    except HeaderError as error:
        raise _broken(shown, str(error)) from None
    for name, entry in header.entries.items():
        if entry.dtype not in WIDTHS:
            raise _broken(shown, f"`{name}` holds {entry.dtype}, which is not read here")
    for name, entry in sorted(header.entries.items()):
        yield Tensor(name, entry.dtype, whole[header.start + entry.begin : header.start + entry.end])


def _broken(shown: str, why: str) -> InputError:
    hint = "save the adapter again, as peft's `save_pretrained` does"
    return InputError("not-safetensors", f"`{shown}` is no whole safetensors file: {why}", hint, path=shown)
