"""The summary of a step profile for a person at a terminal; no probe itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from probe_parts.harness import STEP
from probe_parts.scaling import POWERS, Fit
from probe_parts.step_clock import Point
from probe_parts.step_findings import PADDED, WITHOUT_LOSS, other_threads

LEAKED = 0.05
"""Other threads that take more than this, beside the one that is timed, make its CPU time too small."""

WAITED = 0.25
"""A step that waits for longer than this share of its CPU time takes longer than that says."""

WAITED_MS = 1.0
"""Less than this is the system's own."""


def report(document: Mapping[str, Any]) -> str:
    """Terms with their shares, residuals, the constant that could hide, what other steps cost."""
    section = document["series"][STEP]
    points: Sequence[Point] = section["points"]
    first, last = points[0], points[-1]
    lines = [
        f"{document['settings'].harness} on {document['device']['name']}: {document['device']['clock']}",
        f"step: {first.min_ms:,.1f} ms at width {first.width:,}, {last.min_ms:,.1f} ms at {last.width:,}",
        *_growth(points, section["powers"]),
        *_terms(section["fits"]["three_term"], first, last),
        *_residuals(section["fits"], document["hidden"]["here"]),
        *_repeats(document["repeats"]),
        *_ratios(document["series"], first.width, last.width),
        *doubts_of(document["device"], points),
    ]
    return "\n".join(lines)


def _growth(points: Sequence[Point], powers: Sequence[float]) -> Iterator[str]:
    shown = ", ".join(f"{power:.1f}" for power in powers)
    widths = ", ".join(f"{point.width:,}" for point in points)
    yield f"  grows between {widths} with the width to the power of {shown}"


def _terms(fit: Fit, first: Point, last: Point) -> Iterator[str]:
    for term, coefficient in fit.coefficients.items():
        unit = ("ms", "µs/token", "ns/token²")[POWERS[term]]
        shown = coefficient * (1, 1e3, 1e6)[POWERS[term]]
        shares = [coefficient * p.width ** POWERS[term] / p.min_ms for p in (first, last)]
        yield (
            f"  {term:<9} {shown:>9,.3f} {unit:<9}  {shares[0]:>7.1%} of the step at {first.width:,}, "
            f"{shares[1]:.1%} at {last.width:,}"
        )
    if negative := [term for term, coefficient in fit.coefficients.items() if coefficient < 0]:
        yield (
            f"  negative: {' and '.join(negative)}; no time is, so these widths do not tell its terms apart: "
            "go by the powers above"
        )


def _residuals(fits: Mapping[str, Fit], hidden: Mapping[str, float]) -> Iterator[str]:
    two, three = fits["two_term"], fits["three_term"]
    yield (
        f"  a line and a square miss a point by {two.max_residual_ms:,.2f} ms at most "
        f"({two.max_residual_share:.1%} of the time at its width); a constant of up to "
        f"{max(hidden['high_ms'], 0):,.2f} ms could hide under that"
    )
    if three.spare:
        yield (f"  with a constant: {three.max_residual_ms:,.2f} ms at most ({three.max_residual_share:.1%})")
    else:
        yield "  three terms go through any three points: no residual, so no evidence; time a fourth width"


def _repeats(repeats: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    if repeats:
        constants = [r["fits"]["three_term"].coefficients["constant"] for r in repeats]
        said = ", ".join(f"{c:,.2f}" for c in constants)
        yield f"  timed again, the constant comes out as {said} ms"


def _ratios(series: Mapping[str, Any], first: int, last: int) -> Iterator[str]:
    plain: Sequence[Point] = series[STEP]["points"]
    for name, section in series.items():
        if name == STEP:
            continue
        ends = [section["points"][end].min_ms / plain[end].min_ms for end in (0, -1)]
        if name == WITHOUT_LOSS:
            yield f"loss: {1 - ends[0]:.1%} of the step at width {first:,}, {1 - ends[1]:.1%} at {last:,}"
        else:
            what = f"{ends[0]:.2f} times the step at width {first:,}, {ends[1]:.2f} times at {last:,}"
            yield f"{'padding' if name == PADDED else name}: {what}"


def doubts_of(device: Mapping[str, Any], points: Sequence[Point]) -> Iterator[str]:
    """What speaks against the times: what else the machine did, and threads that the clock did not see."""
    yield from (f"doubt: {sentence}" for sentence in device["doubts"])
    if device["kind"] == "cpu" and other_threads(points) > LEAKED:
        yield (
            f"doubt: other threads took {other_threads(points):.0%} beside the one that was timed; a step's "
            "CPU time leaves them out"
        )
    waits = [p for p in points if p.waited_ms > max(WAITED_MS, WAITED * p.min_ms)]
    if device["kind"] == "cpu" and waits:
        last = waits[-1]
        yield (
            f"doubt: at width {last.width:,} a step took {last.waited_ms:,.1f} ms longer by the wall clock: "
            "it waited, for data, for a lock or for other programs, and its CPU time leaves that out"
        )
