"""A plot as SVG: lines, points or bars between two axes, in the colours of the page around it.

Colours, fonts and dashes are the style sheet's; the drawing gives places and classes. It loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby, pairwise

from stilltrue.model import Chart, ChartKind, Line, Plot
from stilltrue.quantity import Quantity, Unit, show_value
from stilltrue.site.chart_scale import Scale, linear, logarithmic
from stilltrue.site.markup import text

_LETTER = 7.0
"""About the width of a digit, in the units of the drawing."""

_LINE = 18
_INSET = 12
_MARK = 4.5
_MARKED = 60
"""With more points than this on a line, marks hide it."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """The size of a drawing and the name of its class; text keeps its size when the page is narrow."""

    name: str
    width: int
    height: int


WIDE = Sheet("st-wide", 680, 340)
NARROW = Sheet("st-narrow", 350, 320)


def draw(plot: Plot, sheet: Sheet, key: str) -> str:
    """The plot as one SVG element.

    Args:
        plot: What is drawn.
        sheet: How large.
        key: A word that no other chart of the page has, for the ids of title and description.
    """
    name = f"{key}-{sheet.name}"
    inside = "".join(_Drawing(plot, sheet).parts())
    return (
        f'<svg class="st-plot {sheet.name}" viewBox="0 0 {sheet.width} {sheet.height}" role="img" '
        f'aria-labelledby="{name}-t {name}-d" xmlns="http://www.w3.org/2000/svg">'
        f'<title id="{name}-t">{text(plot.chart.title)}</title>'
        f'<desc id="{name}-d">{text(_described(plot))}</desc>{inside}</svg>'
    )


def swatch(number: int, chart: Chart) -> str:
    """What a series looks like, for the list of them."""
    drawn = chart.series[number].drawn
    if drawn is ChartKind.BARS:
        inside = '<rect class="st-bar" x="9" y="2" width="12" height="12"/>'
    else:
        line = '<path class="st-line" d="M0 8H30"/>' if drawn is ChartKind.LINE else ""
        inside = line + (_mark(number, 15, 8) if has_marks(number, chart) else "")
    return (
        f'<svg class="st-swatch st-s{number + 1}" viewBox="0 0 30 16" width="30" height="16" '
        f'aria-hidden="true">{inside}</svg>'
    )


def has_marks(number: int, chart: Chart) -> bool:
    """Whether a series is drawn with marks: points are, and lines where no points stand beside them."""
    kinds = {series.drawn for series in chart.series}
    return chart.series[number].drawn is ChartKind.POINTS or kinds == {ChartKind.LINE}


def limit_swatch() -> str:
    """What a height that is marked looks like, for the list of them."""
    return (
        '<svg class="st-swatch" viewBox="0 0 30 16" width="30" height="16" aria-hidden="true">'
        '<path class="st-limit" d="M0 8H30"/></svg>'
    )


def limit_text(plot: Plot) -> str:
    """The name and the height of what is marked; empty where nothing is."""
    if plot.chart.limit is None or plot.limit is None:
        return ""
    return f"{plot.chart.limit.label}: {number_text(plot.limit)} {plot.y_unit.symbol}".rstrip()


def axis_title(label: str, unit: Unit) -> str:
    """What an axis counts and in which unit, as plain text."""
    return f"{label} ({unit.symbol})" if unit.symbol else label


def _described(plot: Plot) -> str:
    chart = plot.chart
    words = {"line": "Lines", "points": "Points", "bars": "Bars"}
    kinds = " and ".join(dict.fromkeys(words[series.drawn.value] for series in chart.series))
    along = f"{axis_title(chart.x.label, plot.x_unit)}, from {plot.names[0]} to {plot.names[-1]}"
    parts = [_reach(series.label, line) for series, line in zip(chart.series, plot.lines, strict=True)]
    if plot.limit is not None:
        parts.append(f"{limit_text(plot)}, marked from side to side")
    up = axis_title(chart.y.label, plot.y_unit)
    kinds = kinds[0] + kinds[1:].lower()
    return f"{kinds} of {up} over {along}. {'; '.join(parts)}. The numbers stand in the table below."


def _reach(label: str, line: Line) -> str:
    """The least and the greatest height of a series, and the places that have none."""
    gaps = [name for name, height in zip(line.names, line.heights, strict=True) if height is None]
    none = f", none at {', '.join(gaps)}" if gaps else ""
    return f"{label}: {number_text(min(line.known))} to {number_text(max(line.known))}{none}"


def number_text(number: Fraction) -> str:
    """A number to five digits, as people read it."""
    if not number:
        return "0"
    digits = 4 - _exponent(abs(number))
    scale = Fraction(10) ** digits
    rounded = Fraction(round(number * scale)) / scale if digits > 0 else Fraction(round(number))
    return show_value(Quantity(rounded))


def _tick_text(tick: Fraction, scale: Scale) -> str:
    """A tick as it is written: exactly on a scale of equal steps, where ticks may differ far behind."""
    return number_text(tick) if scale.log else show_value(Quantity(tick))


def _exponent(number: Fraction) -> int:
    """The power of ten of the first digit of a number above 0."""
    exponent = len(str(number.numerator)) - len(str(number.denominator))
    return exponent if number >= Fraction(10) ** exponent else exponent - 1


class _Drawing:
    """One plot on one sheet: its scales, its margins, and the parts that come out."""

    def __init__(self, plot: Plot, sheet: Sheet) -> None:
        self.plot = plot
        self.sheet = sheet
        chart = plot.chart
        self.bars = chart.kind is ChartKind.BARS
        flat = [number for line in plot.lines for number in line.known]
        if plot.limit is not None:
            flat.append(plot.limit)
        self.y = logarithmic(flat, own=False) if chart.y.log else linear(flat, zero=chart.y.zero)
        self.x = None if self.bars else self._along()
        self.y_texts = [_tick_text(tick, self.y) for tick in self.y.ticks]
        self.left = 12 + _LETTER * max(map(len, self.y_texts))
        self.right = sheet.width - 16.0
        self.labels = self._labels()
        self.turned = self.bars and self._too_wide()
        self.top = 30.0
        longest = max(len(label) for _, label in self.labels)
        self.bottom = sheet.height - 46.0 - (_LETTER * 0.72 * longest - 4 if self.turned else 0)

    def _along(self) -> Scale:
        """The scale along the bottom: it holds every place of every series, and names the chart's own."""
        places = self.plot.places
        every = [*places, *(place for line in self.plot.lines for place in line.places)]
        if not self.plot.chart.x.log:
            return linear(every, zero=False, most=5 if self.sheet is NARROW else 8)
        return replace(logarithmic(every, own=True), ticks=logarithmic(places, own=True).ticks)

    # Places ------------------------------------------------------------------------------------------------

    def _x(self, place: float) -> float:
        room = 0 if self.bars else _INSET
        return self.left + room + (self.right - self.left - 2 * room) * place

    def _y(self, number: Fraction) -> float:
        return self.bottom - (self.bottom - self.top) * self.y.at(number)

    def _labels(self) -> list[tuple[float, str]]:
        """What is written along the bottom, and where."""
        if self.x is None:
            count = len(self.plot.names)
            return [(self._x((at + 0.5) / count), name) for at, name in enumerate(self.plot.names)]
        return [(self._x(self.x.at(tick)), _tick_text(tick, self.x)) for tick in self.x.ticks]

    def _too_wide(self) -> bool:
        room = (self.right - self.left) / len(self.labels)
        return any(len(label) * _LETTER > room - 4 for _, label in self.labels)

    # Parts -------------------------------------------------------------------------------------------------

    def parts(self) -> Iterator[str]:
        """Everything inside the element, what lies below first."""
        yield from self._sides()
        yield from self._written()
        for number in range(len(self.plot.lines)):
            shapes = self._bars_of(number) if self.bars else self._line_of(number)
            yield f'<g class="st-s{number + 1}">{"".join(shapes)}</g>'
        yield from self._limit()

    def _sides(self) -> Iterator[str]:
        for tick, label in zip(self.y.ticks, self.y_texts, strict=True):
            y = self._y(tick)
            kind = "st-axis" if tick == (0 if self.y.low <= 0 <= self.y.high else self.y.low) else "st-grid"
            yield f'<path class="{kind}" d="M{self.left:.1f} {y:.1f}H{self.right:.1f}"/>'
            yield f'<text x="{self.left - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{text(label)}</text>'
        chart = self.plot.chart
        up = text(axis_title(chart.y.label, self.plot.y_unit))
        along = text(axis_title(chart.x.label, self.plot.x_unit))
        middle = (self.left + self.right) / 2
        yield f'<text class="st-name" x="4" y="14">{up}</text>'
        bottom = self.sheet.height - 6
        yield f'<text class="st-name" x="{middle:.1f}" y="{bottom}" text-anchor="middle">{along}</text>'

    def _written(self) -> Iterator[str]:
        """The labels along the bottom; one that would run into its neighbour is left out."""
        end = float("-inf")
        for x, label in self.labels:
            if not self.turned:
                half = len(label) * _LETTER / 2
                if x - half < end:
                    continue
                end = x + half + 4
            yield f'<path class="st-axis" d="M{x:.1f} {self.bottom:.1f}v4"/>'
            y = self.bottom + _LINE
            turn = f' transform="rotate(-45 {x:.1f} {y - 6:.1f})"' if self.turned else ""
            anchor = "end" if self.turned else "middle"
            yield f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}"{turn}>{text(label)}</text>'

    def _limit(self) -> Iterator[str]:
        """The height that is marked; its name stands with those of the series, where no bar crosses it."""
        if self.plot.limit is not None:
            y, hint = self._y(self.plot.limit), text(limit_text(self.plot))
            way = f"M{self.left:.1f} {y:.1f}H{self.right:.1f}"
            yield f'<path class="st-limit" d="{way}"><title>{hint}</title></path>'

    def _line_of(self, number: int) -> Iterator[str]:
        assert self.x is not None  # noqa: S101  # only bars have none
        chart, line = self.plot.chart, self.plot.lines[number]
        points = [
            None if height is None else (self._x(self.x.at(place)), self._y(height))
            for place, height in zip(line.places, line.heights, strict=True)
        ]
        is_line = chart.series[number].drawn is ChartKind.LINE
        runs = _runs(points)
        way = "".join("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in run) for run in runs if len(run) > 1)
        if is_line and way:
            yield f'<path class="st-line" d="{way}"/>'
        marked = has_marks(number, chart) and not (is_line and len(points) > _MARKED)
        alone = {run[0] for run in runs if len(run) == 1}  # no line shows a point between two gaps
        for point, hint in zip(points, self._hints(number), strict=True):
            if point is not None and (marked or point in alone):
                yield _mark(number, *point, hint)

    def _bars_of(self, number: int) -> Iterator[str]:
        edges = [self._x(at / len(self.plot.names)) for at in range(len(self.plot.names) + 1)]
        zero, series, line = self._y(Fraction(0)), len(self.plot.lines), self.plot.lines[number]
        hints = self._hints(number)
        for (start, end), height, hint in zip(pairwise(edges), line.heights, hints, strict=True):
            width = (end - start) * 0.8 / series
            x = start + (end - start) * 0.1 + width * number
            if height is None:
                yield _no_bar(x + width / 2, zero, hint)
                continue
            y = self._y(height)
            yield (
                f'<rect class="st-bar" x="{x:.1f}" y="{min(y, zero):.1f}" width="{width:.1f}" '
                f'height="{abs(zero - y):.1f}"><title>{hint}</title></rect>'
            )

    def _hints(self, number: int) -> Iterator[str]:
        """What hovering over each shape of a series shows."""
        label, unit, line = (
            self.plot.chart.series[number].label,
            self.plot.y_unit.symbol,
            self.plot.lines[number],
        )
        for name, height in zip(line.names, line.heights, strict=True):
            shown = "no number" if height is None else f"{number_text(height)} {unit}".rstrip()
            yield text(f"{label}: {shown} at {name}")


def _runs(points: Sequence[tuple[float, float] | None]) -> list[list[tuple[float, float]]]:
    """The points of a line, parted where there is none."""
    parted = groupby(points, key=lambda point: point is None)
    return [[point for point in run if point is not None] for none, run in parted if not none]


def _no_bar(x: float, zero: float, hint: str) -> str:
    """What stands where a bar has no height: a dash above the line, which is no bar of height 0."""
    place = f'x="{x:.1f}" y="{zero - 5:.1f}" text-anchor="middle"'
    return f'<text class="st-none" {place}>–<title>{hint}</title></text>'


def _mark(number: int, x: float, y: float, hint: str = "") -> str:
    """The mark of a series, each of another shape."""
    r = _MARK
    shapes = (
        f"M{x - r:.1f} {y:.1f}a{r} {r} 0 1 0 {2 * r} 0a{r} {r} 0 1 0 {-2 * r} 0z",
        f"M{x - r:.1f} {y - r:.1f}h{2 * r}v{2 * r}h{-2 * r}z",
        f"M{x:.1f} {y - r - 1:.1f}l{r + 1} {2 * r}h{-2 * r - 2}z",
        f"M{x:.1f} {y - r - 1:.1f}l{r + 1} {r + 1}l{-r - 1} {r + 1}l{-r - 1} {-r - 1}z",
        f"M{x - r:.1f} {y - r:.1f}l{2 * r} {2 * r}m0 {-2 * r}l{-2 * r} {2 * r}",
        f"M{x - r - 1:.1f} {y:.1f}h{2 * r + 2}m{-r - 1} {-r - 1}v{2 * r + 2}",
    )
    inside = f"<title>{hint}</title>" if hint else ""
    return f'<path class="st-mark" d="{shapes[number]}">{inside}</path>'
