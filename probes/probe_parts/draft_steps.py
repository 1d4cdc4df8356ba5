"""Training steps of a small draft model that are alike but for what they read and send; no probe itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from probe_parts.anchors import Anchors, Batch, How, batch_of, sampled

VOCABULARY, HIDDEN, BLOCK, TOKENS = 64, 16, 4, 96
MOST = 64
COUNTS = (9, 40, 3)
"""Possible anchors of each sample of the batch; fewer than `MOST`, as in a batch of short answers."""
STEPS = INTERVAL = 10
SEED = 0


@dataclass(frozen=True, slots=True)
class Way:
    """One way to write the step.

    Attributes:
        how: To sample anchors.
        metrics_each_step: Whether metrics are read in every step, not when the log is written.
        weight_sent: Whether the weight that is logged is made on the host and sent.
    """

    how: How
    metrics_each_step: bool
    weight_sent: bool


class Draft(nn.Module):
    """Proposes a block of tokens from its first one; the loss is the mean over the anchors kept."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens = nn.Embedding(VOCABULARY, HIDDEN)
        self.places = nn.Embedding(BLOCK, HIDDEN)
        self.head = nn.Linear(HIDDEN, VOCABULARY)

    def forward(self, tokens: Tensor, batch: Batch, draws: Tensor, how: How) -> tuple[Tensor, Anchors]:
        """The loss on `tokens` (samples, tokens), and the anchors drawn for it."""
        anchors = sampled(batch, draws, how)
        found = self.at_anchors(tokens, anchors) * anchors.keep
        return found.sum() / anchors.keep.sum().clamp(min=1), anchors

    def at_anchors(self, tokens: Tensor, anchors: Anchors) -> Tensor:
        """The loss of each block, kept or not: (samples, width)."""
        places = torch.arange(BLOCK, device=tokens.device)
        inside = anchors.positions[:, :, None] + places  # (samples, width, block)
        targets = tokens.gather(1, inside.flatten(1)).view_as(inside)
        hidden = self.tokens(targets[:, :, :1]) + self.places(places)
        logits = self.head(hidden)
        each = functional.cross_entropy(logits.flatten(0, 2), targets.flatten(), reduction="none")
        return each.view_as(inside).mean(dim=2)


class Training:
    """A draft model, its optimizer and one batch, alike each time."""

    def __init__(self, counts: Sequence[int] = COUNTS) -> None:
        torch.manual_seed(SEED)
        self.model = Draft()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.1)
        self.batch = batch_of(counts, TOKENS, BLOCK)
        self.tokens = torch.randint(VOCABULARY, self.batch.mask.shape)
        self.draws = [torch.rand(self.batch.possible.shape) for _ in range(STEPS)]

    def run(self, way: Way) -> list[list[float]]:
        """Take the steps; the log has a line for each interval, of the means of its metrics."""
        log: list[list[float]] = []
        read: list[list[float]] = []
        kept: list[Tensor] = []
        for number, draws in enumerate(self.draws, 1):
            metrics = self._step(draws, way, number)
            if way.metrics_each_step:
                read.append([float(metric) for metric in metrics])
            else:
                kept.append(torch.stack(metrics))
            if number % INTERVAL == 0:
                log.append(torch.stack(kept).mean(dim=0).tolist() if kept else _means(read))
                read, kept = [], []
        return log

    def _step(self, draws: Tensor, way: Way, number: int) -> list[Tensor]:
        """One step, and its metrics on the device: loss, anchors kept, and a weight that Python reckons."""
        loss, anchors = self.model(self.tokens, self.batch, draws, way.how)
        loss.backward()
        self.optimizer.step()
        self.optimizer.zero_grad()
        weight, shown = 1 / number, loss.detach()
        made = (
            torch.tensor(weight, device=draws.device) if way.weight_sent else torch.full_like(shown, weight)
        )
        return [shown, anchors.keep.sum().to(shown.dtype), made]


def _means(rows: Sequence[Sequence[float]]) -> list[float]:
    """The mean of each column."""
    return [sum(column) / len(rows) for column in zip(*rows, strict=True)]
