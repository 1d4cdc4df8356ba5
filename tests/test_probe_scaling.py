"""Fits over widths: against the normal equations, and against trying."""

from __future__ import annotations

import pytest

np = pytest.importorskip("numpy")
scaling = pytest.importorskip("probe_parts.scaling")

WIDTHS = (256, 512, 1024, 2048, 4096)
NOISE = (0.3, -0.2, 0.5, -0.7, 0.4)
POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
BOTH = {"two_term": ("linear", "quadratic"), "three_term": ("constant", "linear", "quadratic")}


def times(constant: float, linear: float, quadratic: float) -> list[float]:
    return [constant + linear * w + quadratic * w * w + e for w, e in zip(WIDTHS, NOISE, strict=True)]


def least_squares(widths: list[int], measured: list[float], terms: tuple[str, ...]) -> dict[str, float]:
    """By the normal equations, on widths in thousands: another way than the probe's."""
    columns = np.array([[(w / 1000) ** POWERS[t] for t in terms] for w in widths])
    solution = np.linalg.solve(columns.T @ columns, columns.T @ np.array(measured))
    return {t: c / 1000 ** POWERS[t] for t, c in zip(terms, solution, strict=True)}


@pytest.mark.parametrize("terms", BOTH.values())
def test_a_fit_is_the_least_squares_solution(terms: tuple[str, ...]) -> None:
    measured = times(2.0, 0.02, 9e-6)
    fit = scaling.fit(WIDTHS, measured, terms)
    assert fit.coefficients == pytest.approx(least_squares(list(WIDTHS), measured, terms), rel=1e-9)
    if len(terms) == 3:
        square, line, constant = np.polyfit(WIDTHS, measured, 2)
        assert fit.coefficients == pytest.approx(
            {"constant": constant, "linear": line, "quadratic": square}, rel=1e-6
        )


@pytest.mark.parametrize(("term", "planted"), [("constant", 5.0), ("linear", 3e-3), ("quadratic", 4e-6)])
def test_a_planted_term_moves_its_own_coefficient_and_no_other(term: str, planted: float) -> None:
    before = times(2.0, 0.02, 9e-6)
    after = [t + planted * w ** POWERS[term] for t, w in zip(before, WIDTHS, strict=True)]
    was, now = (scaling.fit(WIDTHS, t, BOTH["three_term"]).coefficients for t in (before, after))
    for name, power in POWERS.items():
        moved = (now[name] - was[name]) * 4096**power
        assert moved == pytest.approx(planted * 4096**power if name == term else 0, abs=1e-8)


def test_two_terms_leave_a_planted_constant_in_the_residuals() -> None:
    clean = [0.02 * w + 9e-6 * w * w for w in WIDTHS]
    assert scaling.fit(WIDTHS, clean, BOTH["two_term"]).max_residual_ms < 1e-9
    shifted = [t + 5 for t in clean]
    assert scaling.fit(WIDTHS, shifted, BOTH["two_term"]).max_residual_ms > 1
    assert scaling.fit(WIDTHS, shifted, BOTH["three_term"]).max_residual_ms < 1e-9


def test_the_quadratic_share_is_that_of_the_fitted_time() -> None:
    fit = scaling.fit(WIDTHS, [0.02 * w + 1e-5 * w * w for w in WIDTHS], BOTH["two_term"])
    assert fit.quadratic_share["2048"] == pytest.approx(0.02048 / (0.02 + 0.02048))


@pytest.mark.parametrize(
    ("widths", "under_3_ms"), [((2048, 4096, 16384), 9.19), ((2048, 8192, 16384), 5.49), (WIDTHS, None)]
)
def test_the_hidden_constant_leaves_just_the_residual_it_is_said_to(
    widths: tuple[int, ...], under_3_ms: float | None
) -> None:
    per_ms = scaling.hidden(widths)["ms_per_ms"]
    with_it = [7e-4 * w + 9e-8 * w * w + per_ms for w in widths]
    assert scaling.fit(widths, with_it, BOTH["two_term"]).max_residual_ms == pytest.approx(1.0)
    if under_3_ms is not None:
        assert 3 * per_ms == pytest.approx(under_3_ms, abs=0.005)


def smallest_worst(constant: float, measured: list[float]) -> float:
    """The least largest residual of a line and a square beside `constant`, by trying: another way again."""
    lines, squares = np.meshgrid(np.linspace(0.01, 0.03, 801), np.linspace(8e-6, 11e-6, 801))
    off = [abs(t - constant - lines * w - squares * w * w) for w, t in zip(WIDTHS, measured, strict=True)]
    return float(np.max(off, axis=0).min())


def test_the_allowed_constants_are_those_that_some_line_and_square_suit() -> None:
    measured = times(2.0, 0.02, 9e-6)
    residual = scaling.fit(WIDTHS, measured, BOTH["two_term"]).max_residual_ms
    low, high = scaling.allowed_constants(WIDTHS, measured, residual)
    found = scaling.fit(WIDTHS, measured, BOTH["three_term"]).coefficients["constant"]
    assert low <= 0 < found < high
    assert smallest_worst(high - 0.3, measured) < residual
    assert smallest_worst(high + 0.1, measured) > residual
    assert smallest_worst(low - 0.1, measured) > residual


def test_fitted_times_and_residuals_come_to_what_was_measured() -> None:
    measured = times(2.0, 0.02, 9e-6)
    fit = scaling.fit(WIDTHS, measured, BOTH["two_term"])
    shares = [r / m for r, m in zip(fit.residuals_ms, measured, strict=True)]
    assert fit.residual_shares == pytest.approx(shares)
    assert fit.fitted_ms == pytest.approx([scaling.predict(fit.coefficients, w) for w in WIDTHS])
    assert [f + r for f, r in zip(fit.fitted_ms, fit.residuals_ms, strict=True)] == pytest.approx(measured)


def test_a_fit_with_as_many_terms_as_points_says_that_its_residuals_show_nothing() -> None:
    fits = scaling.both_fits(WIDTHS[:3], times(2.0, 0.02, 9e-6)[:3])
    assert (fits["two_term"].spare, fits["three_term"].spare) == (1, 0)
    assert fits["two_term"].max_residual_ms > 0.1
    assert fits["three_term"].max_residual_ms < 1e-9
