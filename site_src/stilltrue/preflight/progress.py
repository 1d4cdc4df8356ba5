"""How far a run of the Trainer was, by its own state, and what that says of the samples that a step takes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from stilltrue.preflight.documents import item
from stilltrue.preflight.finding import Launch
from stilltrue.preflight.values import as_number

FILE = "trainer_state.json"


class _Told(NamedTuple):
    """What one pair of numbers says: how many samples a step took, about, and whether a count may be that."""

    fits: bool
    about: Fraction
    by: str


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a run was when it was saved; 0 for what its state does not tell.

    Attributes:
        step: The optimizer steps by then.
        micro: The samples that one process took at once: `train_batch_size`.
        epoch: The epochs by then, a part of one included: what was taken of the samples, whatever took them.
        epochs: The epochs of the whole run.
        steps: The optimizer steps of the whole run.
    """

    step: int
    micro: Fraction
    epoch: Fraction
    epochs: Fraction
    steps: Fraction

    def of(self, batch: int, samples: int) -> tuple[bool, str] | None:
        """Whether a step of the run took so many samples, and what says so; None where nothing does.

        Args:
            batch: How many one optimizer step takes, of all processes.
            samples: How many the whole run takes, all epochs; 0 where that is not known.
        """
        given = f"{batch:,} a step"
        if self.micro and batch % self.micro:
            return False, f"{given}, and each process took {shown(self.micro)} at once"
        told = [each for each in (self._by_epoch(batch, samples), self._by_steps(batch, samples)) if each]
        for each in told:
            if each.fits:
                return True, f"{given}, as {each.by}"
        if told:
            return False, f"{given}, and {told[0].by}, which is {shown(told[0].about)}"
        return (True, f"{given}, a multiple of the {shown(self.micro)} of a process") if self.micro else None

    def _by_epoch(self, batch: int, samples: int) -> _Told | None:
        """By the share of the samples that was taken.

        An epoch is counted in the batches of the processes, of which the last may be cut, and the last step
        of an epoch may take fewer samples: so much the count may be off.
        """
        taken = self.epoch / self._epochs * samples
        if not taken or not self.step:
            return None
        counted = self.step * batch
        whole = samples / self._epochs - batch
        slack = batch * math.floor(self.epoch) + (counted * batch / whole if whole > 0 else samples)
        by = f"the state is at epoch {shown(self.epoch)} of {shown(self._epochs)} after {self.step:,} steps"
        return _Told(abs(counted - taken) <= slack, taken / self.step, f"{by} with {samples:,} samples")

    def _by_steps(self, batch: int, samples: int) -> _Told | None:
        """By the steps that the whole run takes; the last of each epoch may take fewer samples."""
        if not self.steps or not samples:
            return None
        fits = abs(self.steps * batch - samples) <= batch * self._epochs
        return _Told(
            fits, samples / self.steps, f"the run has {shown(self.steps)} steps for {samples:,} samples"
        )

    @property
    def _epochs(self) -> Fraction:
        """The epochs; 1 where the Trainer cannot count them, and writes the largest number there is."""
        return self.epochs if 0 < self.epochs <= (self.steps or self.epochs) else Fraction(1)


def shown(number: Fraction) -> str:
    """A number in a few digits: `16`, `0.2252`, `7,104`."""
    return f"{int(number):,}" if number.denominator == 1 else f"{float(number):,.4g}"


def progress(launch: Launch, folder: str, step: int) -> Progress:
    """What the state of a checkpoint tells.

    Raises:
        InputError: It cannot be read.
    """
    state = item(launch, f"{folder}/{FILE}").value

    def noted(name: str) -> Fraction:
        number = as_number(state.get(name))
        return number if number is not None and number > 0 else Fraction(0)

    return Progress(
        step, noted("train_batch_size"), noted("epoch"), noted("num_train_epochs"), noted("max_steps")
    )
