"""A chart as the site shows it: title, names of its lines, drawing, source, and its numbers in a table."""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.model import Plot
from stilltrue.site.chart_svg import NARROW, WIDE, axis_title, draw, number_text, swatch
from stilltrue.site.markup import text
from stilltrue.site.view import Spot


def chart(plot: Plot, spot: Spot, number: int) -> str:
    """A plot as HTML.

    Args:
        plot: The chart and its readings.
        spot: The page that it is shown on.
        number: Which chart of the page it is.
    """
    asked = plot.chart
    key = f"st-chart-{number}"
    note = f"<p>{text(asked.note)}</p>" if asked.note else ""
    return (
        f'<figure class="st-chart"><figcaption>{text(asked.title)}</figcaption>{_legend(plot)}'
        f"{draw(plot, WIDE, key)}{draw(plot, NARROW, key)}{note}"
        f'<p class="st-source">Drawn from {_files(plot, spot)}</p>'
        f'<details class="st-fold" data-search-exclude><summary>Its numbers</summary>'
        f'<div class="st-table">{_table(plot)}</div></details></figure>'
    )


def _legend(plot: Plot) -> str:
    """What each line means; one alone is what its axis says."""
    series = plot.chart.series
    if len(series) == 1:
        return ""
    items = (
        f"<span>{swatch(number, plot.chart.kind)}{text(one.label)}</span>"
        for number, one in enumerate(series)
    )
    return f'<p class="st-legend" aria-hidden="true">{"".join(items)}</p>'


def _files(plot: Plot, spot: Spot) -> str:
    return ", ".join(_file(path, spot) for path in plot.files)


def _file(path: str, spot: Spot) -> str:
    url = spot.evidence_url(path)
    name = f'<span class="st-path">{text(path)}</span>'
    return f'<a href="{text(url)}">{name}</a>' if url else name


def _table(plot: Plot) -> str:
    chart = plot.chart
    up = axis_title(chart.y.label, plot.y_unit)
    heads = [axis_title(chart.x.label, plot.x_unit), *(_head(one.label, up, plot) for one in chart.series)]
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(_rows(plot))}</tbody></table>"


def _head(label: str, up: str, plot: Plot) -> str:
    unit = f" ({plot.y_unit.symbol})" if plot.y_unit.symbol else ""
    return up if len(plot.chart.series) == 1 else f"{label}{unit}"


def _rows(plot: Plot) -> Iterator[str]:
    for name, *numbers in zip(plot.names, *plot.heights, strict=True):
        cells = "".join(f"<td>{text(number_text(number))}</td>" for number in numbers)
        yield f'<tr><th scope="row">{text(name)}</th>{cells}</tr>'
