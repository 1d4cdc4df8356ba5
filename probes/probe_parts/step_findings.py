"""What the raw points of timed steps come to: fits, what they hide, penalties; no probe itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import log
from statistics import median
from typing import Any

from probe_parts.harness import STEP
from probe_parts.scaling import Fit, allowed_constants, both_fits, fit, predict
from probe_parts.step_clock import Point

PADDED = "padded"
WITHOUT_LOSS = "without_loss"

STORIES = (("linear", "quadratic"), ("constant", "quadratic"), ("constant", "linear"))
"""What two points can be told to mean."""


def fitted(points: Sequence[Point]) -> dict[str, Any]:
    """The raw times, how they grow, fits of the smallest ones, and of the medians for comparison."""
    widths = [p.width for p in points]
    return {
        "points": points,
        "powers": powers(points),
        "fits": both_fits(widths, [p.min_ms for p in points]),
        "median_fits": both_fits(widths, [median(p.times_ms) for p in points]),
    }


def powers(points: Sequence[Point]) -> list[float]:
    """Between each point and the next, the power of the width that the time grows with: 1 where both double.

    It needs no fit, so that it still says something where the terms of one cannot be told apart.
    """
    return [
        log(b.min_ms / a.min_ms) / log(b.width / a.width) if a.min_ms > 0 < b.min_ms else 0.0
        for a, b in pairwise(points)
    ]


CURVE = 32
"""How many places a fit is drawn at."""


def curve(fits: Mapping[str, Fit], widest: int) -> list[dict[str, float]]:
    """The fits between the measured widths and below them, for a chart: evenly spaced, up to the widest."""
    places = sorted({max(1, round(widest * number / CURVE)) for number in range(1, CURVE + 1)})
    return [
        {"width": w, **{f"{name}_ms": predict(f.coefficients, w) for name, f in fits.items()}} for w in places
    ]


def hidden_here(points: Sequence[Point], two_term: Fit) -> dict[str, float]:
    """The constants that fit the points with no residual above that of their two-term fit."""
    residual = two_term.max_residual_ms
    low, high = allowed_constants([p.width for p in points], [p.min_ms for p in points], residual)
    return {"residual_ms": residual, "low_ms": low, "high_ms": high}


def against(coefficients: Mapping[str, float], point: Point) -> dict[str, float]:
    """What a fit says about a width that it may not have seen, beside what was measured."""
    predicted = predict(coefficients, point.width)
    return {
        "width": point.width,
        "measured_ms": point.min_ms,
        "predicted_ms": predicted,
        "error_share": predicted / point.min_ms - 1,
    }


def held_out(fits: Mapping[str, Fit], point: Point | None) -> dict[str, Any] | None:
    """What each fit says about the width that none has seen; None where there is no such width."""
    if point is None:
        return None
    return {"point": point, **{name: against(f.coefficients, point) for name, f in fits.items()}}


def two_points(points: Sequence[Point], beyond: Point | None) -> dict[str, Any]:
    """What the first and the last point alone would say, under each pair of terms, about all other widths."""
    first, last = points[0], points[-1]
    used, times = (first.width, last.width), (first.min_ms, last.min_ms)
    others = (*points[1:-1], *((beyond,) if beyond else ()))
    stories = {"+".join(terms): fit(used, times, terms) for terms in STORIES}
    return {
        "used": used,
        "stories": {
            name: {
                "coefficients": story.coefficients,
                "max_residual_ms": story.max_residual_ms,
                "others": [against(story.coefficients, point) for point in others],
            }
            for name, story in stories.items()
        },
    }


def beside_plain(series: Mapping[str, Sequence[Point]], name: str) -> list[dict[str, float]]:
    """By width, the step `name` over the plain one; empty where the harness does not offer it."""
    return [
        {
            "width": plain.width,
            "plain_ms": plain.min_ms,
            f"{name}_ms": other.min_ms,
            "ratio": other.min_ms / plain.min_ms,
        }
        for plain, other in zip(series[STEP], series.get(name, ()), strict=False)
    ]


def beside(series: Mapping[str, Sequence[Point]]) -> dict[str, list[dict[str, float]]]:
    """By name and width, every other step over the plain one."""
    return {name: beside_plain(series, name) for name in series if name != STEP}


def loss_cost(series: Mapping[str, Sequence[Point]]) -> list[dict[str, float]]:
    """By width, the share of the plain step that goes when its loss does."""
    return [{**row, "share": 1 - row["ratio"]} for row in beside_plain(series, WITHOUT_LOSS)]


LEAST_MS = 0.02
"""Reading clocks and calling a function takes some microseconds: what takes less than this is no step."""


def without_time(series: Mapping[str, Sequence[Point]]) -> str:
    """A series in which a step took next to no time, with its width; empty where there is none."""
    none = (
        f"`{name}` at width {p.width:,}"
        for name, points in series.items()
        for p in points
        if p.min_ms < LEAST_MS
    )
    return next(none, "")


def other_threads(points: Sequence[Point]) -> float:
    """CPU time of the process beyond that of the thread which takes the steps, as a share of that."""
    return sum(sum(p.process_ms) for p in points) / sum(sum(p.times_ms) for p in points) - 1
