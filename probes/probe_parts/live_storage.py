"""Bytes of tensor storage that are alive: now, at most, and what made them; no probe itself.

A tensor is a view of a storage, and memory belongs to storages: ten views of one are counted once, and one is
freed when its last view is. Works on real tensors, and on those of `FakeTensorMode`, which have sizes and no
memory: there a step that needs a hundred GiB is followed on any machine.

What this does not see: what a kernel takes for itself and gives back before it returns, how an allocator
rounds and splits blocks, and whatever no tensor holds, such as a CUDA context.
"""

from __future__ import annotations

import weakref
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

ADOPTED = "adopted"
"""The operator of storages that were there before they were followed."""


class Made(NamedTuple):
    """Where a storage comes from.

    Attributes:
        stage: What `LiveStorage.stage` was.
        operator: What returned it first, such as `aten.mm.default`.
        shape: Of the tensor that it was returned in.
        dtype: Of that tensor, without `torch.`.
    """

    stage: str
    operator: str
    shape: tuple[int, ...]
    dtype: str


@dataclass(frozen=True, slots=True)
class Peak:
    """The moment at which most was alive.

    Attributes:
        bytes: Alive then.
        stage: What `LiveStorage.stage` was.
        operator: What had just returned; empty before anything has.
        held: By origin, the bytes that were alive then.
    """

    bytes: int
    stage: str
    operator: str
    held: Mapping[Made, int]


class LiveStorage(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch gives it no types
    """Follows the storages of all tensors that operators return while this is entered.

    One operator at a time: what another thread runs is not seen, save for autograd's, which runs a backward
    pass on the CPU in the thread that asked for it.

    Attributes:
        stage: A word for the part of the step that is running, set by whoever takes it.
        operators: Every operator that ran, such as `aten.mm.default`.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.stage = ""
        self.operators: set[str] = set()
        self._sizes: dict[int, int] = {}
        self._held: Counter[Made] = Counter()
        self._current = 0
        self._peak = Peak(0, "", "", {})

    @property
    def current(self) -> int:
        """Bytes that are alive now."""
        return self._current

    @property
    def peak(self) -> Peak:
        """The moment at which most was alive."""
        return self._peak

    def held(self) -> dict[Made, int]:
        """The bytes that are alive now, by origin."""
        return {made: size for made, size in self._held.items() if size}

    def adopt(self, tensors: Iterable[torch.Tensor]) -> int:
        """Count tensors that were there before, as what stage `stage` made; the bytes that they add."""
        before = self._current
        for tensor in tensors:
            self._see(tensor, ADOPTED)
        self._note_peak(ADOPTED)
        return self._current - before

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run one operator, and see what it returns."""
        result = func(*args, **(kwargs or {}))
        self.operators.add(str(func))
        for leaf in tree_leaves(result):
            if isinstance(leaf, torch.Tensor):
                self._see(leaf, str(func))
        self._note_peak(str(func))
        return result

    def _see(self, tensor: torch.Tensor, operator: str) -> None:
        storage = tensor.untyped_storage()
        key = id(storage)  # torch keeps one Python object for as long as the storage lives
        if key in self._sizes:
            return
        made = Made(self.stage, operator, tuple(tensor.shape), str(tensor.dtype).removeprefix("torch."))
        self._sizes[key] = storage.nbytes()
        self._held[made] += storage.nbytes()
        self._current += storage.nbytes()
        weakref.finalize(storage, self._free, key, made).atexit = False

    def _free(self, key: int, made: Made) -> None:
        size = self._sizes.pop(key)
        self._held[made] -= size
        self._current -= size

    def _note_peak(self, operator: str) -> None:
        if self._current > self._peak.bytes:
            self._peak = Peak(self._current, self.stage, operator, self.held())
