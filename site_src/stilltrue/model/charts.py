"""What a chart is: what its author asked for, and the numbers that its evidence gave."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from stilltrue.model.claims import Read
from stilltrue.model.places import Place
from stilltrue.quantity import BARE, Quantity, Text, Unit


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
class ClaimsNamed:
    """Heights that claims state: an id for each place, empty where there is none.

    Attributes:
        ids: The ids.
        superseded: Whether claims that are superseded may be shown, at their old values.
    """

    ids: tuple[str, ...]
    superseded: bool = False


@dataclass(frozen=True, slots=True)
class Series:
    """One line, set of points, or set of bars.

    Attributes:
        label: Its name.
        source: What gives its heights: a read of the chart's evidence, or claims.
        drawn: How it is drawn: as the chart is, or for a line or points as its author says.
        along: The read of its own places along the bottom; None: it stands at the chart's.
    """

    label: str
    source: Read | ClaimsNamed
    drawn: ChartKind
    along: Read | None = None


@dataclass(frozen=True, slots=True)
class Limit:
    """A height that is marked from side to side, such as the memory of a card.

    Attributes:
        label: What it is.
        value: The claim's id that states it, or the height itself.
    """

    label: str
    value: str | Quantity


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart as its author wrote it.

    Attributes:
        title: Its title.
        kind: How it is drawn.
        patterns: Paths or globs of its evidence, from the root; none where nothing is read.
        x: The axis along the bottom.
        along: The places along it: the read that gives them, or their names as written.
        y: The axis up the side.
        series: What is drawn, in the author's order.
        block: The line of the opening fence.
        limit: The height that is marked, if one is.
        note: What a reader should know.
        raw: The block's own text.
        lines: The line of each key that the author wrote.
    """

    title: str
    kind: ChartKind
    patterns: tuple[str, ...]
    x: Axis
    along: Read | tuple[Quantity | Text, ...]
    y: Axis
    series: tuple[Series, ...]
    block: Place
    limit: Limit | None = None
    note: str = ""
    raw: str = ""
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def claims(self) -> tuple[str, ...]:
        """The ids of the claims that it is drawn from, each once, in the author's order."""
        named = [
            name for one in self.series if isinstance(one.source, ClaimsNamed) for name in one.source.ids
        ]
        if self.limit and isinstance(self.limit.value, str):
            named.append(self.limit.value)
        return tuple(dict.fromkeys(filter(None, named)))


@dataclass(frozen=True, slots=True)
class Line:
    """What one series is drawn from; it has as many heights as there are places.

    Attributes:
        names: What stands at each place along the bottom, as text: the readings themselves.
        places: The same as numbers in the plot's `x_unit`; empty for bars, which stand side by side.
        heights: The number at each place, in the plot's `y_unit`; None where there is none.
        own: Whether the places are its own, and not the chart's.
    """

    names: tuple[str, ...]
    places: tuple[Fraction, ...]
    heights: tuple[Fraction | None, ...]
    own: bool = False

    @property
    def known(self) -> tuple[Fraction, ...]:
        """The heights that there are; at least one."""
        return tuple(height for height in self.heights if height is not None)


@dataclass(frozen=True, slots=True)
class Plot:
    """A chart with the numbers that it is drawn from.

    Attributes:
        chart: What was asked for.
        names: What stands at each of the chart's places along the bottom.
        places: The same as numbers in `x_unit`; empty for bars.
        lines: For each series, what it is drawn from.
        limit: The height that is marked, in `y_unit`, if one is.
        x_unit: The unit along the bottom.
        y_unit: The unit up the side.
        files: The evidence files that it was read from.
    """

    chart: Chart
    names: tuple[str, ...]
    places: tuple[Fraction, ...]
    lines: tuple[Line, ...]
    limit: Fraction | None = None
    x_unit: Unit = BARE
    y_unit: Unit = BARE
    files: tuple[str, ...] = ()
