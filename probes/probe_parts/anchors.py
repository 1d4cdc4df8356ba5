"""Anchors of a draft model's blocks, sampled with and without reading a number; no probe itself.

A draft model that proposes whole blocks is trained on blocks cut from each sample at random positions, its
anchors. A position can be one where a loss is taken and a whole block still fits. At most so many are drawn
for each sample, and a batch of them is padded to one width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Width = Literal["read", "fixed", "counted"]
"""How wide a batch of anchors is: as its widest sample, read from the device; as wide as it may be; or as its
widest sample, as the loader counted it where the mask still lay on the host."""

NEVER = 2.0
"""What a position gets that cannot be drawn; draws are below 1."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Samples as a step gets them.

    Attributes:
        mask: (samples, tokens), true where a loss is taken.
        block: Tokens of a block.
        widest: The most positions in one sample, by the loader's own count: a number of Python's.
    """

    mask: Tensor
    block: int
    widest: int

    @property
    def possible(self) -> Tensor:
        """(samples, positions), true where an anchor can be."""
        return self.mask[:, : self.mask.shape[1] - self.block + 1]


@dataclass(frozen=True, slots=True)
class How:
    """A way to sample.

    Attributes:
        width: Where the width comes from.
        most: Anchors of a sample, at most.
        one_less: The fault: one less than the widest sample has, but never none.
        sent: Whether fillers are made as tensors on the device, instead of going along with a kernel.
    """

    width: Width
    most: int
    one_less: bool = False
    sent: bool = False


@dataclass(frozen=True, slots=True)
class Anchors:
    """What was drawn, both (samples, width).

    Attributes:
        positions: Where blocks begin, ascending; 0 where there is none.
        keep: Whether there is one.
    """

    positions: Tensor
    keep: Tensor


def batch_of(counts: Sequence[int], tokens: int, block: int) -> Batch:
    """Samples of `tokens` tokens with `counts` possible anchors each, at every second position first.

    The count is taken here, from Python's own numbers, as a loader can that puts a batch together.
    """
    positions = tokens - block + 1
    order = [*range(0, positions, 2), *range(1, positions, 2)]
    mask = torch.zeros(len(counts), tokens, dtype=torch.bool)
    for row, count in enumerate(counts):
        mask[row, order[:count]] = True
    return Batch(mask, block, max(counts))


def sampled(batch: Batch, draws: Tensor, how: How) -> Anchors:
    """The anchors with the smallest draws, which are (samples, positions) in [0, 1)."""
    possible = batch.possible
    counts = possible.sum(dim=1)
    width = _width(batch, counts, how)
    limits = counts.clamp(max=width)
    if how.one_less:
        limits = torch.minimum(limits, (counts.max() - 1).clamp(min=1))
    keep = torch.arange(width, device=draws.device) < limits[:, None]
    first = _filled(draws, ~possible, NEVER, how).argsort(dim=1)[:, :width]
    ordered = _filled(first, ~keep, possible.shape[1], how).sort(dim=1).values
    return Anchors(ordered.masked_fill(~keep, 0), keep)


def _width(batch: Batch, counts: Tensor, how: How) -> int:
    """How many columns the anchors of a batch take."""
    most = min(how.most, batch.possible.shape[1])
    if how.width == "fixed":
        return most
    widest = batch.widest if how.width == "counted" else int(counts.max().item())
    return max(1, min(most, widest - how.one_less))


def _filled(values: Tensor, where: Tensor, filler: float, how: How) -> Tensor:
    """`values` with a filler put in, which an accelerator is sent or gets along with the kernel."""
    if how.sent:
        return torch.where(where, torch.tensor(filler, dtype=values.dtype, device=values.device), values)
    return values.masked_fill(where, filler)
