"""Slow: every layer builds the causal mask, as numbers to be added, for every head, and hands it on."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from sound_run import Block, Maker, Run, offered
from torch import Tensor
from torch.nn import functional


class MaskedBlock(Block):
    """A block that does not trust the flag."""

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Causal attention by a mask."""
        tokens = query.shape[-2]
        mask = torch.full((tokens, tokens), float("-inf")).triu(1).repeat(query.shape[1], 1, 1)
        return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


class Masked(Run):
    """A run with masks."""

    block = MaskedBlock


def harness() -> Mapping[str, Maker]:
    """The masked run."""
    return offered(Masked())
