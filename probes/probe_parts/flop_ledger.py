"""FLOPs of a training step, operator by operator and stage by stage, the unseen ones named; no probe itself.

torch's own counter (`torch.utils.flop_counter`) looks operators up in a table of formulas, and passes over
what is not in it without a word: attention on a CPU, grouped products of experts. Here the same table is
used, formulas for those two are added, and an operator that looks like work and has none anywhere is kept by
its name.

A multiplication and an addition are two FLOPs. Products with matrices are counted and nothing else: norms,
activations, the softmax, rotations and the optimizer are left out, as is usual, for they are bound by memory.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import flop_registry

Stage = Literal["forward", "recompute", "backward"]
STAGES: tuple[Stage, ...] = ("forward", "recompute", "backward")
"""The forward pass; what checkpointing runs again of it during backward; gradients."""

ATTENTION = "_scaled_dot_product_flash_attention_for_cpu"
GROUPED = ("_grouped_mm", "grouped_mm_fallback")
OF_TORCH = ("aten", "prim", "prims", "profiler", "rngprims")
"""Namespaces whose operators do no work but those that `LOOKS_LIKE_WORK` finds; in any other all may."""
LOOKS_LIKE_WORK = re.compile(
    r"(?:^|_)(?:mm|bmm|addmm|baddbmm|addbmm|matmul|grouped|mv|addmv|dot|vdot|addr|attention|flash|flex"
    r"|linear|bilinear|einsum|conv|convolution|conv[123]d)(?:_|$)"
)


class Entry(NamedTuple):
    """Where FLOPs are written down.

    Attributes:
        kind: `experts` for grouped products, `products` for all others.
        stage: Of the step.
        operator: Such as `aten::mm`.
    """

    kind: Literal["products", "experts"]
    stage: Stage
    operator: str


@dataclass(frozen=True, slots=True)
class Attention:
    """One call of attention.

    Attributes:
        stage: Of the step.
        heads: Of the queries, of all sequences of the batch.
        queries: Tokens that look, in one sequence.
        keys: Tokens that are looked at.
        width: Of a query and a key of one head.
        value_width: Of a value of one head.
    """

    stage: Stage
    heads: int
    queries: int
    keys: int
    width: int
    value_width: int

    def flops(self, pairs: int) -> int:
        """For so many pairs of a query and a key in each head: two products forward, four backward.

        Forward multiplies queries with keys, and weights with values; backward makes a gradient for each of
        the two factors of both. A fused kernel makes the scores anew in backward besides: `scores`.
        """
        forward = 2 * self.heads * pairs * (self.width + self.value_width)
        return 2 * forward if self.stage == "backward" else forward

    def scores(self, pairs: int) -> int:
        """The product of queries with keys that a fused kernel computes once more in its backward pass."""
        return 2 * self.heads * pairs * self.width if self.stage == "backward" else 0


class FlopLedger(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it unannotated
    """Writes down every product with its FLOPs while it is entered.

    Attributes:
        flops: Of products with matrices, attention aside.
        attention: Its calls, in their order.
        blind: Calls of operators that torch's counter has no formula for and this one has.
        unknown: Calls of operators that look like work and have no formula at all.
    """

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.flops: Counter[Entry] = Counter()
        self.attention: list[Attention] = []
        self.blind: Counter[str] = Counter()
        self.unknown: Counter[str] = Counter()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        """Run one operator and write it down."""
        result = func(*args, **(kwargs or {}))
        self._write(func, named(func, args, kwargs or {}), result, args, kwargs or {})
        return result

    def _write(
        self, func: Any, by_name: Mapping[str, Any], result: Any, args: Any, kwargs: Mapping[str, Any]
    ) -> None:
        operator, stage = f"{func.namespace}::{func._opname}", stage_now()  # there is no public name
        bare = func._opname.removesuffix("_backward")  # as above
        formula = flop_registry.get(func.overloadpacket)
        if formula is not None:
            self.flops[Entry("products", stage, operator)] += int(formula(*args, **kwargs, out_val=result))
        elif bare == ATTENTION:
            self.blind[operator] += 1
            self.attention.append(attention_of(by_name, stage))
        elif bare in GROUPED:
            self.blind[operator] += 1
            twice = 2 if operator.endswith("_backward") else 1  # one for each factor's gradient
            self.flops[Entry("experts", stage, operator)] += twice * grouped_flops(by_name)
        elif func.namespace not in OF_TORCH or LOOKS_LIKE_WORK.search(bare):
            self.unknown[operator] += 1

    def of(self, kind: str, stage: Stage) -> int:
        """FLOPs of one kind in one stage."""
        return sum(flops for entry, flops in self.flops.items() if (entry.kind, entry.stage) == (kind, stage))

    def calls(self, stage: Stage) -> list[Attention]:
        """The calls of attention in one stage, in the order of the layers; backward begins at the last."""
        found = [call for call in self.attention if call.stage == stage]
        return found if stage == "forward" else found[::-1]


def named(func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call by the names of the operator's schema."""
    names = [argument.name for argument in func._schema.arguments]  # there is no public one
    return {**dict(zip(names, args, strict=False)), **kwargs}  # those with defaults may be missing


def stage_now() -> Stage:
    """The stage that the running operator belongs to.

    Inside a backward pass autograd has a graph task. Gradients are computed there with recording switched
    off; what checkpointing runs again is recorded.
    """
    if torch._C._current_graph_task_id() < 0:  # as torch.utils.checkpoint asks it
        return "forward"
    return "recompute" if torch.is_grad_enabled() else "backward"


def attention_of(call: Mapping[str, Any], stage: Stage) -> Attention:
    """A call of the CPU's attention: query, key and value are (batch, heads, tokens, width)."""
    query, key, value = (call[name].shape for name in ("query", "key", "value"))
    return Attention(
        stage=stage,
        heads=query[0] * query[1],
        queries=query[2],
        keys=key[2],
        width=query[3],
        value_width=value[3],
    )


def grouped_flops(call: Mapping[str, Any]) -> int:
    """FLOPs of a grouped product in which every row belongs to one group.

    A group takes its rows of one factor and its own slice of the other, so the groups' sizes add up to the
    rows whatever the routing is. The factors are (rows, k) and (groups, k, n); (groups, m, k) and (k, rows);
    (m, rows) and (rows, n), a sum over rows; or (groups, m, k) and (groups, k, n).
    """
    tensors = [value for value in call.values() if isinstance(value, torch.Tensor)]
    left, right = tensors[0], tensors[1]
    if left.ndim == 3 and right.ndim == 2:
        return 2 * left.shape[1] * left.shape[2] * right.shape[1]
    return 2 * left.numel() * right.shape[-1]


# Pairs of tokens ---------------------------------------------------------------------------------------


def attended(queries: int, window: int | None = None) -> int:
    """Pairs of a query and a key that a causal mask allows in one sequence, of `window` keys at most."""
    reach = queries if window is None else min(window, queries)
    return reach * (reach + 1) // 2 + (queries - reach) * reach


def under_mask(queries: int, window: int | None) -> int:
    """Pairs of a kernel that skips what the causal flag forbids, and nothing of what a mask forbids.

    Without padding a layer with a window is given a mask as soon as a sequence is as long as the window, any
    other layer the flag (`mask_census.py`).
    """
    return attended(queries) if window is None or queries < window else queries * queries


def with_windows(ledger: FlopLedger, windows: Sequence[int | None]) -> Iterator[tuple[Attention, int | None]]:
    """Each call of attention with the window of its layer.

    Raises:
        SystemExit: A stage has another number of calls than there are layers that attend, so that none can be
            told which window is its own.
    """
    for stage in STAGES:
        calls = ledger.calls(stage)
        if calls and len(calls) != len(windows):
            raise SystemExit(
                f"{len(calls)} calls of attention in {stage}, and {len(windows)} layers that attend: "
                "which layer is whose cannot be told"
            )
        yield from zip(calls, windows, strict=False)  # a stage without calls has none
