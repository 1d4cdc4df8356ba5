"""Where the host waits for numbers that a device has to compute first, in any callable; no probe itself.

    syncs = counted(lambda: trainer.training_step(model, batch))
    for read in syncs.reads:
        print(read.stage, read.kind, read.operator, read.caller)

Three watches stand together, since each misses some: one below Python, where PyTorch hands operators to the
backend; one on the methods that read a whole tensor, of which no operator tells on a CPU; one on the
functions that make tensors, which knows whether a device was asked for. On a CPU no read waits for anything,
and each is counted all the same. None of them sees what compiled code reads, or a kernel on its inside.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import torch
from torch import Tensor
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from probe_parts.step_stages import Stage, Stages

Kind = Literal["number", "size", "tensor"]
"""What is read: one number (`item()`, `float(x)`, `if x:`), a size that depends on numbers (`nonzero()`,
`x[x > 0]`), or a whole tensor (`tolist()`, `numpy()`, `cpu()`)."""

UNMARKED = frozenset({"_linalg_check_errors"})
"""Operators that read a number and are not marked as such by PyTorch."""
INDEXED = frozenset({"index", "index_put", "index_put_"})
"""With a mask as an index these look up how many of it are true."""
TENSORS = ("tolist", "numpy", "cpu", "__array__", "__dlpack__", "__repr__", "__reduce_ex__")
"""Methods that read a whole tensor; the last one is how it is pickled."""

_HOSTED = "lift_fresh"
"""The operator under which a tensor made of Python's numbers, or NumPy's, first appears."""
_WITH_DEVICE = frozenset({"tensor", "as_tensor", "asarray"})
_TORCH = str(Path(torch.__file__).parent) + "/"
_OURS = (__file__, f"{_TORCH}_compile.py", f"{_TORCH}_dynamo/")
"""Frames of the watch itself; PyTorch calls a watch through two of its own."""


@dataclass(frozen=True, slots=True)
class Read:
    """One time that the host needs what a tensor holds.

    Attributes:
        kind: What is read.
        operator: The operator that tells, such as `_local_scalar_dense`, or the method: `tolist`.
        caller: `file:line` of the innermost code that is not PyTorch's own.
        stage: In which part of a training step.
        device: Where the tensor was.
    """

    kind: Kind
    operator: str
    caller: str
    stage: Stage
    device: str


@dataclass(frozen=True, slots=True)
class Copy:
    """One tensor made of numbers that the host has.

    Attributes:
        function: What made it: `tensor`, `new_tensor`, `__getitem__` with a list, ….
        placed: Whether it is put on a device, which takes a copy on an accelerator; not where it stays on the
            host, as `torch.tensor(2.0)` does, or a number that is written into a tensor.
        caller: As in `Read`.
        stage: As in `Read`.
    """

    function: str
    placed: bool
    caller: str
    stage: Stage


@dataclass(frozen=True, slots=True)
class Syncs:
    """What a callable made the host wait for, in its order.

    Attributes:
        reads: From a device to the host. Left out is what an optimizer reads from the counters of its steps,
            which it keeps on the host.
        copies: From the host to a device.
        undecided: Calls of `to()` by which a tensor on the CPU stays on the CPU: a read where the target is
            the CPU by name, nothing where the target is the run's device.
    """

    reads: tuple[Read, ...]
    copies: tuple[Copy, ...]
    undecided: tuple[Read, ...]

    @property
    def placed(self) -> tuple[Copy, ...]:
        """The copies that an accelerator is sent."""
        return tuple(copy for copy in self.copies if copy.placed)

    def at(self, stage: Stage) -> tuple[Read, ...]:
        """The reads of one stage."""
        return tuple(read for read in self.reads if read.stage == stage)


def counted(act: Callable[[], object]) -> Syncs:
    """Call `act` and tell what it read and what it sent; what it raises comes through."""
    log = _Log()
    with ExitStack() as stack:
        stack.enter_context(log.stages.watched(log.forget_counters))
        stack.enter_context(_whole_tensors(log))
        stack.enter_context(_Makers(log))
        stack.enter_context(_Operators(log))
        act()
    return log.syncs()


# What is kept ------------------------------------------------------------------------------------------


class _Log:
    """What the watches write into while they stand."""

    def __init__(self) -> None:
        self.reads: list[tuple[Read, Tensor | None]] = []
        self.copies: list[Copy] = []
        self.undecided: list[Read] = []
        self.devices: set[str] = set()
        self.stages = Stages()
        self.whole = 0
        """How many methods that read a whole tensor are at work, one within another."""
        self.sending = False
        """Whether a call of `to()` is at work."""
        self.maker = ""
        """The function at work that makes tensors, and whether it was given a device."""
        self.placing = False

    @property
    def stage(self) -> Stage:
        return self.stages.now

    def read(self, kind: Kind, operator: str, tensor: Tensor) -> None:
        found = Read(kind, operator, _caller(), self.stage, tensor.device.type)
        self.reads.append((found, tensor))

    def stays(self) -> None:
        """A tensor on the CPU was sent to the CPU; PyTorch itself only sends to a run's device."""
        if not _called_by(""):
            self.undecided.append(Read("tensor", "to", _caller(), self.stage, "cpu"))

    def made(self, tensor: Tensor) -> None:
        """A tensor came from the host, where the counters of PyTorch's own optimizers stay."""
        if tensor.numel() and not (self.stage == "optimizer" and _called_by("optim/")):
            self.copies.append(Copy(self.maker or "unknown", self.placing, _caller(), self.stage))

    def forget_counters(self, optimizer: torch.optim.Optimizer) -> None:
        """Take out the reads of the counters that an optimizer keeps, one for each parameter."""
        own = {id(state.get("step")) for state in optimizer.state.values() if isinstance(state, Mapping)}
        self.reads = [
            (read, tensor)
            for read, tensor in self.reads
            if not (read.stage == "optimizer" and read.device == "cpu" and id(tensor) in own)
        ]

    def syncs(self) -> Syncs:
        """With an accelerator at work, what is read of the CPU's own tensors waits for nothing."""
        elsewhere = self.devices - {"cpu", "meta"}
        reads = (read for read, _ in self.reads if not elsewhere or read.device in elsewhere)
        return Syncs(tuple(reads), tuple(self.copies), tuple(self.undecided))


def _caller() -> str:
    """`file:line` of the innermost frame that is neither PyTorch's nor ours."""
    frame = _frame((*_OURS, _TORCH, "<"))
    return f"{_named(frame.f_code.co_filename)}:{frame.f_lineno}" if frame else "unknown"


def _called_by(folder: str) -> bool:
    """Whether the innermost frame that is not ours lies in this folder of PyTorch's."""
    frame = _frame(_OURS)
    return frame is not None and frame.f_code.co_filename.startswith(_TORCH + folder)


def _frame(passed_over: tuple[str, ...]) -> FrameType | None:
    """The innermost frame whose file begins with none of these."""
    frame: FrameType | None = sys._getframe(1)  # the public way makes a list of every frame
    while frame is not None and frame.f_code.co_filename.startswith(passed_over):
        frame = frame.f_back
    return frame


def _named(file: str) -> str:
    """A file from its package or from the current folder on: no path of a machine."""
    path = Path(file)
    if "site-packages" in path.parts:
        return "/".join(path.parts[path.parts.index("site-packages") + 1 :])
    here = Path.cwd()
    return path.relative_to(here).as_posix() if path.is_relative_to(here) else path.name


# The watches -------------------------------------------------------------------------------------------


class _Operators(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it unannotated
    """Sees operators as they reach the backend, whoever calls them."""

    def __init__(self, log: _Log) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self._log = log

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given = kwargs or {}
        name = str(func._schema.name).partition("::")[2]  # without its overload
        if not self._log.whole:
            self._look(func, name, args, given)
        out = func(*args, **given)
        self._log.devices |= {leaf.device.type for leaf in tree_leaves(out) if isinstance(leaf, Tensor)}
        return out

    def _look(self, func: Any, name: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> None:
        log = self._log
        if name == _HOSTED:
            log.made(args[0])
        elif name in UNMARKED or torch.Tag.data_dependent_output in func.tags:
            log.read("number", name, args[0])
        elif _sizes(func, name, args, given):
            log.read("size", name, args[0])
        elif name in ("_to_copy", "copy_") and _leaves_device(name, args, given):
            log.read("tensor", name, args[name == "copy_"])


def _sizes(func: Any, name: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> bool:
    """Whether the size of what an operator gives depends on numbers, and the caller has not said it."""
    if name in INDEXED:
        return _by_mask(args)
    return torch.Tag.dynamic_output_shape in func.tags and given.get("output_size") is None


def _by_mask(args: tuple[Any, ...]) -> bool:
    """Whether an index is a mask; one number written under a mask needs no count."""
    masks = [index for index in args[1] if index is not None and index.dtype in (torch.bool, torch.uint8)]
    return bool(masks) and not (len(args) > 2 and args[2].numel() == 1)


def _leaves_device(name: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> bool:
    """Whether a copy goes from an accelerator to the CPU, at once or as soon as somebody looks."""
    if name == "copy_":
        return bool(args[0].device.type == "cpu" and args[1].device.type != "cpu")
    target = given.get("device")
    return target is not None and torch.device(target).type == "cpu" and args[0].device.type != "cpu"


class _Makers(TorchFunctionMode):
    """Knows, of a tensor made of numbers, which function made it and whether it was given a device."""

    def __init__(self, log: _Log) -> None:
        super().__init__()
        self._log = log

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        given, log = kwargs or {}, self._log
        name = str(getattr(func, "__name__", ""))
        before = log.maker, log.placing
        log.maker, log.placing = name, _is_placed(name, args, given)
        try:
            return func(*args, **given)
        finally:
            log.maker, log.placing = before


def _is_placed(name: str, args: tuple[Any, ...], given: Mapping[str, Any]) -> bool:
    """Whether what a function makes of numbers goes to a device."""
    if name in _WITH_DEVICE:
        return given.get("device") is not None
    if name in ("__getitem__", "__setitem__"):
        indices = args[1] if isinstance(args[1], tuple) else args[1:2]
        return any(isinstance(index, list) for index in indices)
    return name == "new_tensor"


@contextmanager
def _whole_tensors(log: _Log) -> Iterator[None]:
    """Sees the methods that read a whole tensor, on any thread."""

    def watched(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(original)
        def method(self: Tensor, *args: Any, **given: Any) -> Any:
            if not log.whole:
                log.read("tensor", name.strip("_"), self)
            log.whole += 1
            try:
                return original(self, *args, **given)
            finally:
                log.whole -= 1

        return method

    original = Tensor.to

    def to(self: Tensor, *args: Any, **given: Any) -> Tensor:
        inner, log.sending = log.sending, True  # PyTorch calls what it finds under this name again
        try:
            out = original(self, *args, **given)
        finally:
            log.sending = inner
        if (
            not (inner or log.whole)
            and self.device.type == out.device.type == "cpu"
            and _names_a_device(args, given)
        ):
            log.stays()
        return out

    with ExitStack() as stack:
        for name in TENSORS:
            stack.enter_context(_method(name, watched(name, getattr(Tensor, name))))
        stack.enter_context(_method("to", to))
        yield


def _names_a_device(args: tuple[Any, ...], given: Mapping[str, Any]) -> bool:
    return "device" in given or any(isinstance(each, str | torch.device | Tensor) for each in args[:1])


@contextmanager
def _method(name: str, put: Callable[..., Any]) -> Iterator[None]:
    """Another method in the place of a tensor's own, which may be inherited, and back again."""
    own = vars(Tensor).get(name)
    setattr(Tensor, name, put)
    try:
        yield
    finally:
        if own is None:
            delattr(Tensor, name)
        else:
            setattr(Tensor, name, own)
