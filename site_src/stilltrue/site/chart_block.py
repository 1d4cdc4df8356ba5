"""A chart as the site shows it: title, names of its lines, drawing, source, and its numbers in a table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stilltrue.model import ClaimsNamed, Line, Plot, Series
from stilltrue.site.chart_svg import (
    NARROW,
    WIDE,
    axis_title,
    draw,
    limit_swatch,
    limit_text,
    number_text,
    swatch,
)
from stilltrue.site.markup import text
from stilltrue.site.view import Spot

MOST_NAMED = 3
"""How many claims are named below a drawing; more of them are too much to read."""


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
        f'<p class="st-source">Drawn from {_sources(plot, spot)}</p>'
        f'<details class="st-fold" data-search-exclude><summary>Its numbers</summary>'
        f"{''.join(_tables(plot, spot))}</details></figure>"
    )


def _legend(plot: Plot) -> str:
    """What each line means; one alone is what its axis says."""
    chart = plot.chart
    items = [
        f"<span>{swatch(number, chart)}{text(one.label)}</span>" for number, one in enumerate(chart.series)
    ]
    if plot.limit is not None:
        items.append(f"<span>{limit_swatch()}{text(limit_text(plot))}</span>")
    return f'<p class="st-legend" aria-hidden="true">{"".join(items)}</p>' if len(items) > 1 else ""


def _sources(plot: Plot, spot: Spot) -> str:
    """The evidence and the claims that a chart is drawn from; many claims are linked in its table alone."""
    files = ", ".join(_file(path, spot) for path in plot.files)
    names = plot.chart.claims
    claims = ", ".join(_claim(name, f'<span class="st-path">{text(name)}</span>', spot) for name in names)
    if len(names) > MOST_NAMED:
        claims = f"{len(names)} claims, to which its numbers lead"
    elif names:
        claims = f"the claim{'' if len(names) == 1 else 's'} {claims}"
    return " and ".join(filter(None, (files, claims))) or "what its block says"


def _claim(name: str, shown: str, spot: Spot) -> str:
    """Some HTML as a link to a claim's card."""
    url = spot.claim_url(name)
    return f'<a href="{text(url)}">{shown}</a>' if url else shown


def _file(path: str, spot: Spot) -> str:
    url = spot.evidence_url(path)
    name = f'<span class="st-path">{text(path)}</span>'
    return f'<a href="{text(url)}">{name}</a>' if url else name


def _tables(plot: Plot, spot: Spot) -> Iterator[str]:
    """The numbers: in one table those at the chart's places, in one each those of a series at its own."""
    numbers = range(len(plot.lines))
    shared = [number for number in numbers if not plot.lines[number].own]
    for group in (shared, *([number] for number in numbers if plot.lines[number].own)):
        if group:
            yield f'<div class="st-table">{_table(plot, group, spot)}</div>'
    limit = plot.chart.limit
    if limit is not None:
        shown = text(limit_text(plot))
        yield f"<p>{_claim(limit.value, shown, spot) if isinstance(limit.value, str) else shown}</p>"


def _table(plot: Plot, numbers: Sequence[int], spot: Spot) -> str:
    along = axis_title(plot.chart.x.label, plot.x_unit)
    heads = [along, *(_head(plot.chart.series[number].label, plot) for number in numbers)]
    head = "".join(f'<th scope="col">{text(name)}</th>' for name in heads)
    columns = [_cells(plot.chart.series[number], plot.lines[number], spot) for number in numbers]
    rows = zip(plot.lines[numbers[0]].names, *columns, strict=True)
    body = "".join(f'<tr><th scope="row">{text(name)}</th>{"".join(cells)}</tr>' for name, *cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _head(label: str, plot: Plot) -> str:
    if len(plot.lines) == 1:
        return axis_title(plot.chart.y.label, plot.y_unit)
    return axis_title(label, plot.y_unit)


def _cells(series: Series, line: Line, spot: Spot) -> Iterator[str]:
    """A series' heights, each that a claim gives with a link to it."""
    ids = series.source.ids if isinstance(series.source, ClaimsNamed) else ("",) * len(line.heights)
    for name, height in zip(ids, line.heights, strict=True):
        shown = "–" if height is None else text(number_text(height))
        yield f"<td>{_claim(name, shown, spot) if name else shown}</td>"
