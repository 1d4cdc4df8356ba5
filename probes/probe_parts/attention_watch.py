"""Which mask really reaches each layer's attention: a watch over one forward; no probe itself.

The watch stands where models call `torch.nn.functional.scaled_dot_product_attention`, the last place before a
kernel is chosen, so that it sees what a model passes and not what its configuration promises. Hooks before
the modules of each decoder layer tell whose call it is. The model runs as always.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class Call:
    """One call of scaled-dot-product attention.

    Attributes:
        layer: The decoder layer that made it, from 0.
        mask: The mask that was passed; None where there was none.
        causal: The flag `is_causal`.
        queries: Tokens that attend.
        keys: Tokens that can be attended to.
    """

    layer: int
    mask: Tensor | None
    causal: bool
    queries: int
    keys: int

    @property
    def path(self) -> str:
        """`is_causal` (the fast path: a flag and no mask), `mask`, or `neither`: every key is allowed."""
        if self.mask is not None:
            return "mask"
        return "is_causal" if self.causal else "neither"


@contextmanager
def watched(layers: Sequence[nn.Module]) -> Iterator[list[Call]]:
    """Calls of attention made by `layers` while the context lasts, in their order."""
    calls: list[Call] = []
    now = [-1]
    original = functional.scaled_dot_product_attention

    def enter(layer: int, _module: nn.Module, _arguments: tuple[Any, ...]) -> None:
        now[0] = layer

    def attend(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        attn_mask: Tensor | None = None,
        dropout_p: float = 0.0,
        is_causal: bool = False,
        **others: Any,
    ) -> Tensor:
        calls.append(Call(now[0], attn_mask, is_causal, query.shape[-2], key.shape[-2]))
        return original(query, key, value, attn_mask, dropout_p, is_causal, **others)

    hooks = [
        module.register_forward_pre_hook(partial(enter, number))
        for number, layer in enumerate(layers)
        for module in layer.modules()  # those inside too: recomputation may pass by the layer's own hook
    ]
    put(attend)
    try:
        yield calls
    finally:
        put(original)
        for hook in hooks:
            hook.remove()


def put(attend: Callable[..., Tensor]) -> None:
    """Make `attend` the attention that models look up."""
    functional.scaled_dot_product_attention = attend


def allowed(call: Call) -> tuple[int, int]:
    """The largest and the smallest number of keys that a row of `call` may see, over heads and batch."""
    if call.mask is not None:
        counts = open_keys(call.mask).sum(-1)
        return int(counts.max()), int(counts.min())
    if not call.causal:
        return call.keys, call.keys
    return min(call.queries, call.keys), 1  # row i sees keys 0 to i


def open_keys(mask: Tensor) -> Tensor:
    """True where a mask lets a key through: a boolean one says so, an additive one is not very negative."""
    return mask if mask.dtype == torch.bool else mask > torch.finfo(mask.dtype).min / 2
