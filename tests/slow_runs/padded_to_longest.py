"""Slow: the collator fills every sample up to the longest that the run may ever see."""

from __future__ import annotations

from collections.abc import Mapping

from sound_run import Maker, Run, offered
from torch import Tensor
from torch.nn import functional

LONGEST = 1024


class Filled(Run):
    """A run whose steps are all of one width."""

    def collate(self, samples: list[Tensor]) -> Tensor:
        """Samples as one batch, zeros behind each."""
        return super().collate([functional.pad(each, (0, LONGEST + 1 - len(each))) for each in samples])


def harness() -> Mapping[str, Maker]:
    """The filled run."""
    return offered(Filled())
