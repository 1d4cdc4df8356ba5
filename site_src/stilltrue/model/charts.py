"""What a chart is: what its author asked for, and the numbers that its evidence gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from stilltrue.model.claims import Read
from stilltrue.model.places import Place
from stilltrue.quantity import BARE, Unit


class ChartKind(StrEnum):
    """How the readings are drawn."""

    LINE = "line"
    POINTS = "points"
    BARS = "bars"


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis.

    Attributes:
        label: What it counts, in words.
        unit: The unit that it is drawn in; None: that of its first reading.
        log: Whether equal steps along it are equal ratios.
        zero: Whether it must hold 0 (the side does, unless it is `log` or its author says otherwise).
    """

    label: str
    unit: Unit | None = None
    log: bool = False
    zero: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One line, set of points, or set of bars: its name, and the read that gives its heights."""

    label: str
    read: Read


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as its author wrote it.

    Attributes:
        title: Its title.
        kind: How it is drawn.
        patterns: Paths or globs of its evidence, from the root.
        x: The axis along the bottom.
        along: The read that gives the places along it.
        y: The axis up the side.
        series: What is drawn, in the author's order.
        block: The line of the opening fence.
        note: What a reader should know.
        raw: The block's own text.
        lines: The line of each key that the author wrote.
    """

    title: str
    kind: ChartKind
    patterns: tuple[str, ...]
    x: Axis
    along: Read
    y: Axis
    series: tuple[Series, ...]
    block: Place
    note: str = ""
    raw: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart with the readings that it is drawn from; every series has as many as there are places.

    Attributes:
        chart: What was asked for.
        names: What stands at each place along the bottom, as text: the readings themselves.
        places: The same as numbers in `x_unit`; empty for bars, which stand side by side.
        heights: For each series, the number at each place, in `y_unit`.
        x_unit: The unit along the bottom.
        y_unit: The unit up the side.
        files: The evidence files that it was read from.
    """

    chart: Chart
    names: tuple[str, ...]
    places: tuple[Fraction, ...]
    heights: tuple[tuple[Fraction, ...], ...]
    x_unit: Unit = BARE
    y_unit: Unit = BARE
    files: tuple[str, ...] = ()
