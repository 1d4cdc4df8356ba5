"""A chart to the numbers it is drawn from: all of them there, finite and of one kind, or a problem."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from stilltrue.check.chart_claims import ChartClaims, Height, undrawn
from stilltrue.errors import InputError
from stilltrue.evidence import Library
from stilltrue.evidence.picks import Pick
from stilltrue.model import Axis, Chart, ChartKind, Line, Place, Plot, Problem, Read, Series
from stilltrue.quantity import BARE, Items, NonFinite, Quantity, Unit, Value, same_dimension, show_value

MOST_PLACES = 2000
"""More than this along the bottom cannot be seen, and make a heavy page."""

MOST_BARS = 60
"""As many places as bars can stand at side by side."""


@dataclass(frozen=True, slots=True)
class _Written:
    """A value that stands in the chart's own block."""

    value: Value
    place: Place


_Given = Pick | Height | _Written
"""A value that is to be drawn, and where it stands."""


def plot_charts(
    charts: Iterable[Chart], library: Library, claims: ChartClaims
) -> tuple[tuple[Plot, ...], list[Problem]]:
    """Every chart that can be drawn, and what is wrong with the others.

    Args:
        charts: The charts.
        library: Reads their evidence.
        claims: The project's claims.
    """
    plots: list[Plot] = []
    problems: list[Problem] = []
    for chart in charts:
        if claims.hide(chart):
            continue
        fault = claims.fault(chart)
        if fault is not None:
            problems.append(fault)
            continue
        try:
            plots.append(_Plotting(chart, library, claims).plot())
        except InputError as error:
            problems.append(_problem(chart, error))
    return tuple(plots), problems


def _problem(chart: Chart, error: InputError) -> Problem:
    """A chart is wrong where it is written; a place in evidence stands in the message."""
    message = error.message
    if error.path and error.path not in message:
        message = f"{message} ({Place(error.path, error.line)})"
    hint = error.hint or "mend the read, or take the chart out"
    return undrawn(chart, error.code, message, hint, about=chart.claims)


class _Plotting:
    """Takes together what one chart is drawn from; raises `InputError` where it cannot be drawn."""

    def __init__(self, chart: Chart, library: Library, claims: ChartClaims) -> None:
        self._chart = chart
        self._library = library
        self._claims = claims

    def plot(self) -> Plot:
        chart = self._chart
        along = self._along()
        heights = [self._heights(one, along) for one in chart.series]
        x_unit = chart.x.unit or _unit_of(along)
        y_unit = chart.y.unit or _unit_of(heights[0])
        shared = Line(*self._places("x", along, x_unit), ())
        return Plot(
            chart,
            shared.names,
            shared.places,
            lines=tuple(
                self._line(one, given, shared, x_unit, y_unit)
                for one, given in zip(chart.series, heights, strict=True)
            ),
            limit=self._limit(y_unit),
            x_unit=x_unit,
            y_unit=y_unit,
            files=self._library.files_of(chart.patterns),
        )

    def _along(self) -> Sequence[_Given]:
        """What stands at the chart's places along the bottom."""
        source = self._chart.along
        if not isinstance(source, Read):
            return self._few("x", [_Written(value, self._chart.block) for value in source])
        return self._few("x", self._picks(source))

    def _few(self, label: str, along: Sequence[_Given]) -> Sequence[_Given]:
        most = MOST_BARS if self._chart.kind is ChartKind.BARS else MOST_PLACES
        if len(along) > most:
            message = f"`{label}` has {len(along):,} readings, and {most:,} can be drawn"
            raise _bad(message, "narrow the reads")
        return along

    def _heights(self, series: Series, along: Sequence[_Given]) -> Sequence[_Given | None]:
        """One height for each place, None where there is none."""
        source = series.source
        heights: Sequence[_Given | None]
        if isinstance(source, Read):
            heights = self._picks(source)
        else:
            heights = [self._claims.height(name) if name else None for name in source.ids]
        if series.along is None:
            self._as_many("x", along, series, heights)
        if all(each is None for each in heights):
            raise _bad(f"`{series.label}` has no height at all", "name a claim that states one")
        return heights

    def _as_many(self, name: str, along: Sequence[_Given], series: Series, heights: Sequence[object]) -> None:
        """Hold a series to a height for each place."""
        if len(heights) == len(along):
            return
        what = "readings" if isinstance(series.source, Read) else "claims"
        names = "readings" if isinstance(series.along or self._chart.along, Read) else "names"
        message = f"`{name}` has {len(along):,} {names} and `{series.label}` has {len(heights):,} {what}"
        hint = "let every read of a chart give as many readings, in the same order"
        if what == "claims":
            hint = "name a claim for each place, in their order, or `-` where there is none"
        raise _bad(message, hint)

    def _picks(self, read: Read) -> list[Pick]:
        """All readings of one read, as a mean would see them: evidence that lacks some must refuse."""
        groups = self._library.groups(self._chart.patterns, read, spread=True)
        return [pick for group in groups for pick in group]

    def _line(
        self, series: Series, given: Sequence[_Given | None], shared: Line, x_unit: Unit, y_unit: Unit
    ) -> Line:
        """What a series is drawn from, at the shared places or at its own."""
        heights = tuple(
            None if each is None else _number(series.label, each, self._chart.y, y_unit) for each in given
        )
        if series.along is None:
            return replace(shared, heights=heights)
        label = f"{series.label}.x"
        along = self._few(label, self._picks(series.along))
        self._as_many(label, along, series, given)
        return Line(*self._places(label, along, x_unit), heights, own=True)

    def _places(
        self, label: str, along: Sequence[_Given], unit: Unit
    ) -> tuple[tuple[str, ...], tuple[Fraction, ...]]:
        """What is written at some places along the bottom, and where they are; bars stand side by side."""
        names = tuple(_name(given, unit) for given in along)
        if self._chart.kind is ChartKind.BARS:
            return names, ()
        return names, tuple(_number(label, given, self._chart.x, unit) for given in along)

    def _limit(self, unit: Unit) -> Fraction | None:
        limit, axis = self._chart.limit, self._chart.y
        if limit is None:
            return None
        if isinstance(limit.value, str):
            return _number("limit", self._claims.height(limit.value), axis, unit)
        return _number("limit", _Written(limit.value, self._chart.block), axis, unit)


def _unit_of(given: Sequence[_Given | None]) -> Unit:
    """The unit of the first value that there is; of a word, none."""
    value = next(each.value for each in given if each is not None)
    return value.unit if isinstance(value, Quantity) else BARE


def _name(given: _Given, unit: Unit) -> str:
    value = given.value
    if isinstance(value, Quantity) and same_dimension(value.unit, unit):
        value = Quantity(value.to(unit))
    elif isinstance(value, Items | NonFinite):
        raise _wrong(given, "x")
    return show_value(value)


def _number(label: str, given: _Given, axis: Axis, unit: Unit) -> Fraction:
    """A value as a number in a unit, which the axis can show."""
    value = given.value
    if not isinstance(value, Quantity):
        raise _wrong(given, label)
    if not same_dimension(value.unit, unit):
        message = f"a reading of `{label}` is `{show_value(value)}`, which has no place on an axis in "
        hint = "give reads and axis units that fit"
        raise _bad(message + f"`{unit.symbol or 'bare numbers'}`", hint, given)
    number = value.to(unit)
    if axis.log and number <= 0:
        message = f"a reading of `{label}` is `{show_value(value)}`, and the scale is `log`"
        raise _bad(message, "a scale of ratios has no place for 0 and below: leave `scale` out", given)
    if abs(number) > _LARGEST or 0 < abs(number) < 1 / _LARGEST:
        raise _bad(f"a reading of `{label}` is `{show_value(value)}`", "draw in a unit that fits", given)
    if max(number.numerator.bit_length(), number.denominator.bit_length()) > _MOST_BITS:
        message = f"a reading of `{label}` has more digits than can be drawn"
        raise _bad(message, "narrow the read to what was measured", given)
    return number


_LARGEST = Fraction(10) ** 100
"""Beyond this, floating point may overflow on the way to the page."""


_MOST_BITS = 512
"""With more, floating point may take two numbers that differ for one: 150 digits, and those of `_LARGEST`."""


def _wrong(given: _Given, label: str) -> InputError:
    message = f"a reading of `{label}` is `{show_value(given.value)[:60]}`, which is no number"
    return _bad(message, "narrow the read to what holds numbers", given)


def _bad(message: str, hint: str, given: _Given | None = None) -> InputError:
    path, line = given.place if given else Place("")
    return InputError("bad-chart", message, hint, path=path, line=line)
