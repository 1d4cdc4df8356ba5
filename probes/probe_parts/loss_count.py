"""The loss of a head, counted rather than run: bytes that are alive, operations, and how far ways differ.

Counting needs no memory: tensors have sizes and no contents, so a head of any size is counted anywhere. This
is no probe itself.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode

from probe_parts.live_storage import LiveStorage
from probe_parts.loss_arithmetic import Head
from probe_parts.loss_child import SOFTCAP, forward_and_backward
from probe_parts.losses import IGNORED, Way, head_loss

DTYPES = {2: torch.bfloat16, 4: torch.float32}


def counted(head: Head, way: Way, chunk: int, plant: str = "") -> int:
    """Bytes of storage alive at the peak of forward and backward, beyond hidden states, matrix and labels."""
    with FakeTensorMode():
        inputs = _inputs(head)
        with LiveStorage() as live:
            before = live.adopt(inputs)
            forward_and_backward(head, inputs, way, chunk, plant)
    return int(live.peak.bytes - before)


def multiplications(head: Head, way: Way, chunk: int, plant: str = "") -> int:
    """Floating-point operations of all matrix products, forward and backward; a multiply-add is two."""
    with FakeTensorMode():
        inputs = _inputs(head)
        with FlopCounterMode(display=False) as operations:
            forward_and_backward(head, inputs, way, chunk, plant)
    return int(operations.get_total_flops())


def _inputs(head: Head) -> tuple[Tensor, Tensor, Tensor]:
    dtype = DTYPES[head.element]
    states = torch.empty(1, head.tokens, head.hidden, dtype=dtype, requires_grad=True)
    weight = torch.empty(head.vocab, head.hidden, dtype=dtype, requires_grad=head.trained)
    return states, weight, torch.empty(1, head.tokens, dtype=torch.int64)


# Whether the ways say the same -------------------------------------------------------------------------


def apart(dtype: str, tokens: int = 512, vocab: int = 4096, hidden: int = 64) -> dict[str, Any]:
    """How far each way is from all logits at once, with the head trained, in chunks of 16 tokens.

    Differences of gradients are shares of their length (Frobenius). `head_error` is what the head's gradient
    lacks of the one computed in float32 from the same numbers.
    """
    torch.manual_seed(0)
    states = torch.randn(1, tokens, hidden).to(getattr(torch, dtype))
    weight = (torch.randn(vocab, hidden) * hidden**-0.5).to(states.dtype)
    labels = torch.randint(vocab, (1, tokens))
    labels[:, : tokens // 8] = IGNORED
    exact = _results(states.float(), weight.float(), labels, "naive")
    naive = _results(states, weight, labels, "naive")
    ways: tuple[Way, ...] = ("chunked", "recomputed")
    found: dict[str, Any] = {"naive": {"head_error": _share(naive[2], exact[2])}}
    for way in ways:
        loss, of_states, of_head = _results(states, weight, labels, way)
        found[way] = {
            "loss": (loss - naive[0]).abs().item(),
            "states": _share(of_states, naive[1]),
            "head": _share(of_head, naive[2]),
            "head_error": _share(of_head, exact[2]),
        }
    return found


def _results(states: Tensor, weight: Tensor, labels: Tensor, way: Way) -> tuple[Tensor, Tensor, Tensor]:
    """Loss, gradient of the states, gradient of the head."""
    states, weight = states.clone().requires_grad_(), weight.clone().requires_grad_()
    loss = head_loss(states, weight, labels, way=way, chunk=16, softcap=SOFTCAP)
    of_states, of_head = torch.autograd.grad(loss, (states, weight))
    return loss.detach(), of_states, of_head


def _share(found: Tensor, wanted: Tensor) -> float:
    wanted = wanted.float()
    return float((found.float() - wanted).norm() / wanted.norm())
