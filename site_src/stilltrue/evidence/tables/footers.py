"""Whether the kernels of a profiler table add up to the total that stands below it."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple, Protocol


class Rounded(NamedTuple):
    """A printed number: its value in seconds, and by how much its last digit leaves it open."""

    value: Fraction
    slack: Fraction


class Vouching(Protocol):
    """What a table says of its own rows, by which a take over several can tell that some are missing."""

    def complaint(self) -> str:
        """Why the rows cannot be trusted to be all there are; empty when they can."""
        ...

    def cure(self) -> str:
        """What to do about a complaint."""
        ...


@dataclass(frozen=True, slots=True)
class Footer:
    """What a profiler table says of its device time, and what its device rows come to.

    Attributes:
        device: The word of its headings: `CUDA`, `XPU`, `Device`.
        rows: What the device rows add up to.
        total: The total below the table, None where there is none.
    """

    device: str
    rows: Rounded
    total: Rounded | None

    def complaint(self) -> str:
        """Why the device rows cannot be trusted to be all kernels; empty when they add up."""
        if self.total is None:
            return f"no `Self {self.device} time total` stands below it"
        if abs(self.rows.value - self.total.value) <= self.rows.slack + self.total.slack:
            return ""
        return (
            f"its device rows add up to {_seconds(self.rows.value)}, the total below it says "
            f"{_seconds(self.total.value)}"
        )

    def cure(self) -> str:
        """What to do about a complaint."""
        if self.total is None or self.rows.value < self.total.value:
            return "print it whole, with `row_limit=-1` and its last lines, so that `take` sees every kernel"
        return "a row that is no kernel passes for one: name the rows that you mean, one by one"


def _seconds(time: Fraction) -> str:
    """A time as torch prints it: us, ms or s with three decimals."""
    for word, scale in (("s", 1), ("ms", 1000)):
        if time * scale >= 1:
            return f"{float(time * scale):.3f} {word}"
    return f"{float(time * 1_000_000):.3f} us"
