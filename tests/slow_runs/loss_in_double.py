"""Slow: a vocabulary of many tokens, and a loss that is taken in float64 to be on the safe side."""

from __future__ import annotations

from collections.abc import Mapping

from sound_run import Maker, Run, offered
from torch import Tensor
from torch.nn import functional


class Careful(Run):
    """A run with a precise loss."""

    vocab = 4096

    def loss(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Mean cross-entropy, in twice the precision."""
        return functional.cross_entropy(logits.double(), labels)


def harness() -> Mapping[str, Maker]:
    """The careful run."""
    return offered(Careful())
