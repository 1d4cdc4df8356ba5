"""Slow: the entropy of each prediction goes into a log, in a Python loop over the tokens of the step."""

from __future__ import annotations

from collections.abc import Mapping

from sound_run import Maker, Run, offered
from torch import Tensor


class Logged(Run):
    """A run that keeps a log of every token."""

    def after_step(self, logits: Tensor, labels: Tensor) -> None:
        """What the log holds of a step: how sure the model was, and whether it was right."""
        self.log = [
            (-(row.softmax(-1) * row.log_softmax(-1)).sum().item(), bool(row.argmax() == label))
            for row, label in zip(logits, labels, strict=True)
        ]


def harness() -> Mapping[str, Maker]:
    """The logged run."""
    return offered(Logged())
