"""What five instruments see of the ways in which Python makes a host wait for a device; no probe itself.

Each way is tried under each instrument alone, on a tensor of three numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from unittest.mock import patch

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # each profile would log when it starts and when it ends

import torch
from torch import Tensor
from torch._subclasses import FakeTensorMode
from torch.profiler import ProfilerActivity, profile
from torch.utils._python_dispatch import TorchDispatchMode

from probe_parts.sync_watch import counted

Use = Callable[[Tensor], object]
"""Something done with a tensor of three numbers."""

Seen = bool | str
"""Whether an instrument saw a read; the watch can also say that it is `undecided`."""

READ_INSIDE = ("aten::_local_scalar_dense", "aten::nonzero")
"""What a profile is looked through for."""


@dataclass(frozen=True, slots=True)
class Way:
    """Something that a training step may do.

    Attributes:
        code: As one would write it.
        waits: Whether the host has to wait for what a device computes.
        use: The same.
    """

    code: str
    waits: bool
    use: Use


def three() -> Tensor:
    """Three numbers above 0."""
    return torch.tensor([1.0, 2.0, 3.0])


def decide(x: Tensor) -> int:
    """Go one way or another by a number."""
    return 1 if x.sum() > 0 else 2


def masked(x: Tensor) -> None:
    """Write one number under a mask."""
    x[x > 1] = 0.0


def written(x: Tensor) -> None:
    """Write one number at a place."""
    x[0] = 2.0


def updated(x: Tensor) -> None:
    """A step of AdamW, which counts its steps on the host and reads that count."""
    weight = torch.nn.Parameter(x.clone())
    weight.grad = x.clone()
    torch.optim.AdamW([weight]).step()


WAYS = (
    Way("x.sum().item()", True, lambda x: x.sum().item()),
    Way("float(x.sum())", True, lambda x: float(x.sum())),
    Way("int(x.sum())", True, lambda x: int(x.sum())),
    Way("if x.sum() > 0", True, decide),
    Way("range(x.argmax())", True, lambda x: range(x.argmax())),
    Way("x[x > 1]", True, lambda x: x[x > 1]),
    Way("x.nonzero()", True, lambda x: x.nonzero()),
    Way("torch.equal(x, y)", True, lambda x: torch.equal(x, x + 1)),
    Way("x.tolist()", True, lambda x: x.tolist()),
    Way("x.numpy()", True, lambda x: x.numpy()),
    Way("x.cpu()", True, lambda x: x.cpu()),
    Way("x.to('cpu')", True, lambda x: x.to("cpu")),
    Way("print(x)", True, repr),
    Way("torch.multinomial(x, 1)", True, lambda x: torch.multinomial(x, 1)),
    Way("x[[0, 2]]", False, lambda x: x[[0, 2]]),
    Way("x[x > 1] = 0", False, masked),
    Way("AdamW.step()", False, updated),
)

SENDS = (
    Way("torch.tensor(2.0, device=d)", True, lambda x: torch.tensor(2.0, device=x.device)),
    Way("x.new_tensor(2.0)", True, lambda x: x.new_tensor(2.0)),
    Way("x[[0, 2]]", True, lambda x: x[[0, 2]]),
    Way("torch.tensor(2.0)", False, lambda x: x * torch.tensor(2.0)),
    Way("torch.full((), 2.0, device=d)", False, lambda x: torch.full((), 2.0, device=x.device)),
    Way("x * 2.0", False, lambda x: x * 2.0),
    Way("torch.where(x > 1, x, 0.0)", False, lambda x: torch.where(x > 1, x, 0.0)),
    Way("x[0] = 2.0", False, written),
)
"""What brings a number of Python's to where a tensor is; `waits` says whether a copy has to take it there."""


# Instruments -------------------------------------------------------------------------------------------


def by_patch(use: Use) -> Seen:
    """The test that one writes first: `Tensor.item` replaced, and was it called?"""
    x = three()
    with patch.object(Tensor, "item", autospec=True, return_value=1.0) as item:
        use(x)
    return bool(item.called)


class _Marked(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it unannotated
    """Whether an operator ran that PyTorch marks as one whose output, or its size, depends on numbers."""

    seen = False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        marks = {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape}
        self.seen = self.seen or bool(marks & set(func.tags))
        return func(*args, **(kwargs or {}))


def by_dispatch(use: Use) -> Seen:
    """A dispatch mode that looks at the marks of operators."""
    x = three()
    with _Marked() as mode:  # type: ignore[no-untyped-call]  # as above
        use(x)
    return bool(mode.seen)


def by_fake_tensors(use: Use) -> Seen:
    """Tensors without numbers: what needs one raises."""
    return bool(first_refusal(lambda: use(three())))


def first_refusal(act: Callable[[], object]) -> str:
    """What `act`, on tensors without numbers, raises first; empty where it needs no number.

    Tensors are best made inside of `act`: of real ones some methods still read the numbers.
    """
    with FakeTensorMode(allow_non_fake_inputs=True):
        try:
            act()
        except Exception as error:  # noqa: BLE001  # what is raised differs by operator and by method
            return f"{type(error).__name__}: {str(error).strip().partition(chr(10))[0]}"
    return ""


def by_profiler(use: Use) -> Seen:
    """A profile, looked through for operators that read; it sees inside of others too."""
    x = three()
    with profile(activities=[ProfilerActivity.CPU]) as profiled:
        use(x)
    return any(row.key in READ_INSIDE for row in profiled.key_averages())


def by_watch(use: Use) -> Seen:
    """`sync_watch.counted`."""
    x = three()
    syncs = counted(lambda: use(x))
    return bool(syncs.reads) or ("undecided" if syncs.undecided else False)


INSTRUMENTS: Mapping[str, Callable[[Use], Seen]] = {
    "patch": by_patch,
    "dispatch": by_dispatch,
    "fake": by_fake_tensors,
    "profiler": by_profiler,
    "watch": by_watch,
}


def tried() -> list[dict[str, Any]]:
    """Every way under every instrument, one row for each way."""
    return [
        {"way": way.code, "waits": way.waits, **{name: sees(way.use) for name, sees in INSTRUMENTS.items()}}
        for way in WAYS
    ]


def sent() -> list[dict[str, Any]]:
    """Of each way to bring a number to a device, how many copies the watch sees sent."""
    rows = []
    for way in SENDS:
        x = three()
        rows.append({"way": way.code, "copies": len(counted(partial(way.use, x)).placed)})
    return rows


def score(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Of each instrument: how many waits it saw, which it missed, and where it saw one that is none."""
    return {
        name: {
            "waits": sum(row["waits"] for row in rows),
            "seen": sum(row["waits"] and row[name] is True for row in rows),
            "missed": [row["way"] for row in rows if row["waits"] and row[name] is False],
            "false_alarms": [row["way"] for row in rows if not row["waits"] and row[name] is True],
        }
        for name in INSTRUMENTS
    }
