"""Slow: a monitor takes the largest singular value of every weight matrix, after every step."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from sound_run import Maker, Run, offered
from torch import Tensor


class Monitored(Run):
    """A run with a dashboard."""

    def after_step(self, *_: Tensor) -> None:
        """The numbers that the dashboard shows."""
        matrices = [each.detach() for each in self.model.parameters() if each.ndim == 2]
        self.shown = [torch.linalg.svdvals(matrix)[0].item() for matrix in matrices]


def harness() -> Mapping[str, Maker]:
    """The monitored run."""
    return offered(Monitored())
