"""How a time grows with a width: least-squares fits of a constant, a line and a square, and what they hide.

Shared by the probes that time a step; no probe itself.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
"""The terms that can be fitted, each with its power of the width."""

TWO = ("linear", "quadratic")
THREE = ("constant", "linear", "quadratic")


@dataclass(frozen=True, slots=True)
class Fit:
    """A least-squares fit of times over widths.

    Attributes:
        terms: Which of `POWERS` were fitted.
        coefficients: By term: ms, ms/token and ms/token^2.
        spare: How many points there are beyond the terms. With 0 the residuals are 0 whatever was measured,
            and show nothing.
        fitted_ms: What the fit gives, by width.
        residuals_ms: Measured minus fitted, by width.
        residual_shares: The same over the time measured at that width.
        max_residual_ms: The largest of them without its sign.
        max_residual_share: The largest residual over the time measured at its own width.
        quadratic_share: By width, the quadratic term over the fitted time.
    """

    terms: tuple[str, ...]
    coefficients: Mapping[str, float]
    spare: int
    fitted_ms: tuple[float, ...]
    residuals_ms: tuple[float, ...]
    residual_shares: tuple[float, ...]
    max_residual_ms: float
    max_residual_share: float
    quadratic_share: Mapping[str, float]


def fit(widths: Sequence[int], times: Sequence[float], terms: Sequence[str]) -> Fit:
    """Least squares of `times` (ms) over `terms` of `widths`, every width with the same weight."""
    measured = np.asarray(times)
    scale = float(max(widths))  # columns of like size: a square of thousands beside a 1 is ill-conditioned
    columns = _columns(widths, terms, scale)
    solution = np.linalg.lstsq(columns, measured, rcond=None)[0]
    fitted = columns @ solution
    residuals = measured - fitted
    coefficients = {t: float(c / scale ** POWERS[t]) for t, c in zip(terms, solution, strict=True)}
    square = coefficients.get("quadratic", 0.0)
    shares = {str(w): float(square * w * w / f) for w, f in zip(widths, fitted, strict=True)}
    return Fit(
        tuple(terms),
        coefficients,
        len(widths) - len(terms),
        tuple(float(f) for f in fitted),
        tuple(float(r) for r in residuals),
        tuple(float(r) for r in residuals / measured),
        float(np.abs(residuals).max()),
        float(np.abs(residuals / measured).max()),
        shares,
    )


def _columns(
    widths: Sequence[int], terms: Sequence[str], scale: float
) -> np.ndarray[Any, np.dtype[np.float64]]:
    scaled = np.asarray(widths, dtype=float) / scale
    return np.stack([scaled ** POWERS[term] for term in terms], axis=1)


def predict(coefficients: Mapping[str, float], width: int) -> float:
    """The time in ms that `coefficients` give at `width`."""
    return sum(value * float(width) ** POWERS[term] for term, value in coefficients.items())


def allowed_constants(
    widths: Sequence[int], times: Sequence[float], residual_ms: float
) -> tuple[float, float]:
    """The least and the largest constant with which some line and square miss no point by more than that.

    A line and a square fit three points best when they miss all of them equally, with signs + - +, and fit
    more points no better than the worst three (de la Vallee Poussin). What they miss is linear in the
    constant that is taken off first, so that each three allows an interval.
    """
    low, high = -math.inf, math.inf
    signs = np.array([[1.0], [-1.0], [1.0]])
    for three in itertools.combinations(zip(widths, times, strict=True), 3):
        columns = _columns([w for w, _ in three], TWO, float(max(widths)))
        sides = np.array([[t, 1.0] for _, t in three])
        missed, each = np.linalg.solve(np.hstack([columns, signs]), sides)[2]
        ends = sorted(((missed - residual_ms) / each, (missed + residual_ms) / each))
        low, high = max(low, float(ends[0])), min(high, float(ends[1]))
    return low, high


def hidden(widths: Sequence[int]) -> dict[str, Any]:
    """How many ms of constant a two-term fit over `widths` turns into 1 ms of residual, were there no noise.

    A constant alone, fitted by a line and a square, leaves residuals in proportion to it.
    """
    alone = fit(widths, [1.0] * len(widths), TWO)
    return {"widths": tuple(widths), "ms_per_ms": 1 / alone.max_residual_ms}


def both_fits(widths: Sequence[int], times: Sequence[float]) -> dict[str, Fit]:
    """The two-term and the three-term fit of `times` (ms)."""
    return {"two_term": fit(widths, times, TWO), "three_term": fit(widths, times, THREE)}
