"""What one training step does, counted: operators, what they make, what is read back; no probe itself.

The watch stands below Python, where PyTorch hands each operator to the backend, so that forward, backward and
optimizer are all seen, whoever wrote them. Calls of attention are seen where models make them. Two kinds of
reading back are counted: of one number (`item()`, `float(…)`, `if tensor:`) and of a whole tensor
(`tolist()`, `numpy()`, `cpu()`): on an accelerator each waits until everything before it is done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from torch import Tensor
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from probe_parts.attention_watch import Call, watched

PATHS = ("is_causal", "mask", "neither")
_ONE_NUMBER = "aten::_local_scalar_dense"
_WHOLE_TENSOR = frozenset({"tolist", "numpy", "cpu"})


@dataclass(frozen=True, slots=True)
class Seen:
    """What a step did.

    Attributes:
        calls: Calls of each operator, by its name.
        made: Bytes of new tensors that each operator gave; views and changes in place make none.
        types: The same bytes by data type.
        numbers_read: Numbers that were read out of a tensor; not those that an optimizer reads out of the
            counters that it keeps on the CPU, one for each parameter.
        tensors_read: Whole tensors that were read.
        attention: Calls of scaled-dot-product attention by `Call.path`; recomputed ones count again.
        mask_bytes: Of the masks that those calls were given, each mask once.
    """

    calls: Mapping[str, int]
    made: Mapping[str, int]
    types: Mapping[str, int]
    numbers_read: int
    tensors_read: int
    attention: Mapping[str, int]
    mask_bytes: int


def watch(step: Callable[[], object]) -> Seen:
    """Take a step, and tell what it did."""
    operators, readings = _Operators(), _Readings()
    with ExitStack() as stack:
        stack.enter_context(operators.optimizer_steps())
        attended: list[Call] = stack.enter_context(watched(()))
        stack.enter_context(operators)
        stack.enter_context(readings)
        step()
    masks = {id(call.mask): call.mask for call in attended if call.mask is not None}
    paths = Counter(call.path for call in attended)
    return Seen(
        calls=operators.calls,
        made=operators.made,
        types=operators.types,
        numbers_read=operators.numbers_read,
        tensors_read=readings.count,
        attention={path: paths[path] for path in PATHS},
        mask_bytes=sum(mask.numel() * mask.element_size() for mask in masks.values()),
    )


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it unannotated
    """Counts operators as they reach the backend."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.calls: Counter[str] = Counter()
        self.made: Counter[str] = Counter()
        self.types: Counter[str] = Counter()
        self.numbers_read = 0
        self._updating = False

    @contextmanager
    def optimizer_steps(self) -> Iterator[None]:
        """Knows, while the context lasts, whether an optimizer is at work."""

        def update(begun: bool, *_: object) -> None:
            self._updating = begun

        before = register_optimizer_step_pre_hook(partial(update, True))
        after = register_optimizer_step_post_hook(partial(update, False))
        try:
            yield
        finally:
            before.remove()
            after.remove()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        name = str(func._schema.name)  # without its overload
        given = kwargs or {}
        out = func(*args, **given)
        self.calls[name] += 1
        self.numbers_read += name == _ONE_NUMBER and not (self._updating and args[0].device.type == "cpu")
        old = {_place(tensor) for tensor in _tensors((args, given))}
        for tensor in _tensors(out):
            if _place(tensor) not in old:
                size = tensor.numel() * tensor.element_size()
                self.made[name] += size
                self.types[str(tensor.dtype).removeprefix("torch.")] += size
        return out


class _Readings(TorchFunctionMode):
    """Counts whole tensors that are read: on their way to the backend nothing tells that from a view."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.count += getattr(func, "__name__", "") in _WHOLE_TENSOR
        return func(*args, **(kwargs or {}))


def _tensors(tree: object) -> Iterable[Tensor]:
    return (leaf for leaf in tree_leaves(tree) if isinstance(leaf, Tensor))


def _place(tensor: Tensor) -> int:
    """Where a tensor's numbers lie; one that has no such place (a sparse one) counts as new."""
    try:
        return tensor.untyped_storage().data_ptr()
    except (NotImplementedError, RuntimeError):
        return -1 - id(tensor)
