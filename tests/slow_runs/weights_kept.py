"""Slow: attention is written out, because somebody once wanted to look at its weights, and keeps them."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from sound_run import Block, Maker, Run, offered
from torch import Tensor


class OpenBlock(Block):
    """A block whose attention weights can be looked at."""

    kept: Tensor

    def attend(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Causal attention, weights first."""
        tokens = query.shape[-2]
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(1)
        scores = (query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5).masked_fill(later, float("-inf"))
        weights: Tensor = scores.softmax(-1)
        self.kept = weights.detach().double()
        return weights @ value


class Open(Run):
    """A run that can be looked into."""

    block = OpenBlock


def harness() -> Mapping[str, Maker]:
    """The open run."""
    return offered(Open())
