"""A chart to the numbers it is drawn from: all of them there, finite and of one kind, or a problem."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.evidence.picks import Pick
from stilltrue.model import Axis, Chart, ChartKind, Place, Plot, Problem, Read
from stilltrue.quantity import BARE, Items, NonFinite, Quantity, Unit, same_dimension, show_value

MOST_PLACES = 2000
"""More than this along the bottom cannot be seen, and make a heavy page."""

MOST_BARS = 60
"""As many places as bars can stand at side by side."""


def plot_charts(charts: Iterable[Chart], library: Library) -> tuple[tuple[Plot, ...], list[Problem]]:
    """Every chart that can be drawn, and what is wrong with the others."""
    plots: list[Plot] = []
    problems: list[Problem] = []
    for chart in charts:
        try:
            plots.append(_plot(chart, library))
        except InputError as error:
            problems.append(_problem(chart, error))
    return tuple(plots), problems


def _problem(chart: Chart, error: InputError) -> Problem:
    """A chart is wrong where it is written; a place in evidence stands in the message."""
    message = error.message
    if error.path and error.path not in message:
        message = f"{message} ({Place(error.path, error.line)})"
    hint = error.hint or "mend the read, or take the chart out"
    what = f"this chart cannot be drawn: {message}"
    return Problem(error.code, chart.block, what, hint, files=chart.patterns)


def _plot(chart: Chart, library: Library) -> Plot:
    along = _picks(chart, chart.along, library)
    most = MOST_BARS if chart.kind is ChartKind.BARS else MOST_PLACES
    if len(along) > most:
        raise _bad(f"`x` has {len(along):,} readings, and {most:,} can be drawn", "narrow the reads")
    series = [(s.label, _picks(chart, s.read, library)) for s in chart.series]
    for label, picks in series:
        if len(picks) != len(along):
            message = f"`x` has {len(along):,} readings and `{label}` has {len(picks):,}"
            raise _bad(message, "let every read of a chart give as many readings, in the same order")
    y_unit = chart.y.unit or _unit_of(series[0][1])
    x_unit = chart.x.unit or _unit_of(along)
    bars = chart.kind is ChartKind.BARS
    return Plot(
        chart,
        names=tuple(_name(pick, x_unit) for pick in along),
        places=() if bars else _numbers("x", along, chart.x, x_unit),
        heights=tuple(_numbers(label, picks, chart.y, y_unit) for label, picks in series),
        x_unit=x_unit,
        y_unit=y_unit,
        files=library.files_of(chart.patterns),
    )


def _picks(chart: Chart, read: Read, library: Library) -> list[Pick]:
    """All readings of one read, as a mean would see them: evidence that lacks some must refuse."""
    return [pick for group in library.groups(chart.patterns, read, spread=True) for pick in group]


def _unit_of(picks: list[Pick]) -> Unit:
    """The unit of the first reading; of a word, none."""
    value = picks[0].value
    return value.unit if isinstance(value, Quantity) else BARE


def _name(pick: Pick, unit: Unit) -> str:
    value = pick.value
    if isinstance(value, Quantity) and same_dimension(value.unit, unit):
        value = Quantity(value.to(unit))
    elif isinstance(value, Items | NonFinite):
        raise _wrong(pick, "x")
    return show_value(value)


def _numbers(label: str, picks: list[Pick], axis: Axis, unit: Unit) -> tuple[Fraction, ...]:
    """The readings as numbers in a unit, each of which the axis can show."""
    numbers = []
    for pick in picks:
        value = pick.value
        if not isinstance(value, Quantity):
            raise _wrong(pick, label)
        if not same_dimension(value.unit, unit):
            message = f"a reading of `{label}` is `{show_value(value)}`, which has no place on an axis in "
            raise _bad(
                message + f"`{unit.symbol or 'bare numbers'}`", "give reads and axis units that fit", pick
            )
        number = value.to(unit)
        if axis.log and number <= 0:
            message = f"a reading of `{label}` is `{show_value(value)}`, and the scale is `log`"
            raise _bad(message, "a scale of ratios has no place for 0 and below: leave `scale` out", pick)
        if abs(number) > _LARGEST or 0 < abs(number) < 1 / _LARGEST:
            raise _bad(f"a reading of `{label}` is `{show_value(value)}`", "draw in a unit that fits", pick)
        if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
            message = f"a reading of `{label}` has more digits than can be drawn"
            raise _bad(message, "narrow the read to what was measured", pick)
        numbers.append(number)
    return tuple(numbers)


_LARGEST = Fraction(10) ** 100
"""Beyond this, floating point may overflow on the way to the page."""


_MOST_BITS = 512
"""With more, floating point may take two numbers that differ for one: 150 digits, and those of `_LARGEST`."""


def _wrong(pick: Pick, label: str) -> InputError:
    message = f"a reading of `{label}` is `{show_value(pick.value)[:60]}`, which is no number"
    return _bad(message, "narrow the read to what holds numbers", pick)


def _bad(message: str, hint: str, pick: Pick | None = None) -> InputError:
    path, line = pick.place if pick else Place("")
    return InputError("bad-chart", message, hint, path=path, line=line)
