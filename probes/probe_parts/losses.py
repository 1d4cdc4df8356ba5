"""The loss of a language model's head in three ways that say the same number; no probe itself.

A head multiplies hidden states by the vocabulary's matrix. The logits that come out are the largest tensor
of many training steps, and what is kept of them for backward is larger still. The three ways differ in what
they keep and in nothing else.
"""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

Way = Literal["naive", "chunked", "recomputed"]
"""All logits at once; in chunks of tokens; in chunks whose logits are dropped, and made again in backward."""

IGNORED = -100
"""The label of a token that counts in no loss, as in torch and transformers."""


def head_loss(
    hidden: Tensor, weight: Tensor, labels: Tensor, *, way: Way, chunk: int, softcap: float | None
) -> Tensor:
    """The mean cross-entropy over the tokens that have a label.

    Logits are in the data type of `hidden`, the cross-entropy is in float32, as in transformers.

    Args:
        hidden: Hidden states before the head, (batch, tokens, dim).
        weight: The head, (vocab, dim), in the data type of `hidden`.
        labels: What each hidden state should predict, already shifted, (batch, tokens); `IGNORED` for none.
        way: How it is computed.
        chunk: Tokens in a chunk, over the flattened batch; `naive` does not look at it.
        softcap: Logits are squeezed to `softcap * tanh(logits / softcap)`; None leaves them.

    Returns:
        A scalar in float32. As in torch, it is NaN where no token has a label.

    Raises:
        ValueError: `chunk` is below 1, or `way` is none of the three.
    """
    states, targets = hidden.flatten(0, 1), labels.flatten()
    size = _chunk_size(way, chunk, len(targets))
    parts = zip(torch.split(states, size), torch.split(targets, size), strict=True)
    if way == "recomputed":
        losses = [_recomputed_sum(part, weight, target, softcap) for part, target in parts]
    else:
        losses = [_loss_sum(part, weight, target, softcap) for part, target in parts]
    return torch.stack(losses).sum() / (targets != IGNORED).sum()


def _chunk_size(way: Way, chunk: int, tokens: int) -> int:
    if way == "naive":
        return max(tokens, 1)
    if way not in ("chunked", "recomputed"):
        raise ValueError(f"`{way}` is no way to compute the loss: it is naive, chunked or recomputed")
    if chunk < 1:
        raise ValueError(f"a chunk has at least 1 token, not {chunk}")
    return chunk


def _loss_sum(states: Tensor, weight: Tensor, targets: Tensor, softcap: float | None) -> Tensor:
    """The summed loss of `states`, (tokens, dim). No name is left on a tensor of logits that is done with."""
    logits = functional.linear(states, weight)
    if softcap is not None:
        logits = torch.tanh(logits / softcap) * softcap
    return functional.cross_entropy(logits.float(), targets, ignore_index=IGNORED, reduction="sum")


def _recomputed_sum(states: Tensor, weight: Tensor, targets: Tensor, softcap: float | None) -> Tensor:
    loss: Tensor = checkpoint(
        _loss_sum,
        states,
        weight,
        targets,
        softcap,
        use_reentrant=False,
        preserve_rng_state=False,  # nothing is drawn here
    )
    return loss
