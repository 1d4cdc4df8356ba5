from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

np = pytest.importorskip("numpy")
scaling = pytest.importorskip("scaling")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
PROBE = ROOT / "probes" / "step_time.py"
EVIDENCE = ROOT / "claims" / "evidence" / "step-time"
WIDTHS = (256, 512, 1024, 2048, 4096)
NOISE = (0.3, -0.2, 0.5, -0.7, 0.4)
POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
BOTH = {"two_term": ("linear", "quadratic"), "three_term": ("constant", "linear", "quadratic")}


class Run(NamedTuple):
    """A tiny run of the probe: its document and its table."""

    document: dict[str, Any]
    table: str


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Run:
    table = tmp_path_factory.mktemp("probe") / "profile.txt"
    widths = ("--widths", "32,64,96,128", "--held-out", "160", "--profile-width", "64", "--rounds", "2")
    shape = ("--layers", "1", "--dim", "32", "--vocab", "64")
    command = [sys.executable, str(PROBE), *widths, *shape, "--designs", "1,2,4", "--table", str(table)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return Run(json.loads(done.stdout), table.read_text(encoding="utf-8"))


def times(constant: float, linear: float, quadratic: float) -> list[float]:
    return [constant + linear * w + quadratic * w * w + e for w, e in zip(WIDTHS, NOISE, strict=True)]


def least_squares(widths: list[int], measured: list[float], terms: tuple[str, ...]) -> dict[str, float]:
    """By the normal equations, on widths in thousands: another way than the probe's."""
    columns = np.array([[(w / 1000) ** POWERS[t] for t in terms] for w in widths])
    solution = np.linalg.solve(columns.T @ columns, columns.T @ np.array(measured))
    return {t: c / 1000 ** POWERS[t] for t, c in zip(terms, solution, strict=True)}


def assert_fits(section: dict[str, Any]) -> None:
    """The section's fits are those of the smallest of its own raw times."""
    widths = [p["width"] for p in section["points"]]
    smallest = [min(p["thread_ms"]) for p in section["points"]]
    assert [p["min_ms"] for p in section["points"]] == smallest
    for name, terms in BOTH.items():
        coefficients = section["fits"][name]["coefficients"]
        expected = least_squares(widths, smallest, terms)
        assert coefficients == pytest.approx(expected, rel=1e-6, abs=1e-12)
        fitted = [sum(c * w ** POWERS[t] for t, c in expected.items()) for w in widths]
        residuals = [m - f for m, f in zip(smallest, fitted, strict=True)]
        assert section["fits"][name]["residuals_ms"] == pytest.approx(residuals, abs=1e-6)
        assert section["fits"][name]["max_residual_ms"] == pytest.approx(max(map(abs, residuals)), abs=1e-6)


# The fits ----------------------------------------------------------------------------------------------


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


# The decoder -------------------------------------------------------------------------------------------


@pytest.fixture
def trainer() -> Any:
    torch = pytest.importorskip("torch")
    small_decoder = pytest.importorskip("small_decoder")
    torch.set_num_threads(1)
    return small_decoder.Trainer(small_decoder.Shape(layers=2, dim=32, heads=2, vocab=50), seed=3)


def test_the_decoder_sees_no_later_token(trainer: Any) -> None:
    tokens, _ = trainer.batch(24)
    changed = tokens.clone()
    changed[0, 12] = (changed[0, 12] + 1) % 50
    before, after = trainer.model(tokens, None), trainer.model(changed, None)
    moved = (before - after).detach().abs().amax(-1)[0]
    assert float(moved[:12].max()) < 1e-6
    assert float(moved[12:].min()) > 1e-6
    assert float(moved[12]) > 1e-3


def test_an_explicit_causal_mask_changes_no_loss_and_another_mask_does(trainer: Any) -> None:
    assert trainer.mask_changes_loss(24) < 1e-5
    tokens, mask = trainer.batch(24, masked=True)
    blind = mask & (mask.cumsum(1) > 3)
    blind.fill_diagonal_(True)
    assert abs(trainer.loss((tokens, blind)).item() - trainer.loss((tokens, None)).item()) > 1e-5


def test_a_step_trains(trainer: Any) -> None:
    batch = trainer.batch(24)
    first = trainer.loss(batch).item()
    for _ in range(30):
        trainer.step(batch)
    assert trainer.loss(batch).item() < first - 0.01


# The probe ---------------------------------------------------------------------------------------------


def test_every_raw_time_is_kept_and_fitted(tiny: Run) -> None:
    document = tiny.document
    assert document["settings"]["widths"] == [32, 64, 96, 128]
    assert document["machine"]["threads"] == 1
    for kind in ("plain", "masked", "attention"):
        assert [p["width"] for p in document[kind]["points"]] == [32, 64, 96, 128]
        for point in document[kind]["points"]:
            assert len(point["thread_ms"]) == len(point["process_ms"]) == 2
            assert 0 < point["min_ms"] <= min(point["process_ms"]) * 1.05
        assert_fits(document[kind])
    assert document["masked"]["loss_moved"] < 1e-5


def test_two_points_suit_every_story_and_the_stories_disagree(tiny: Run) -> None:
    two = tiny.document["two_points"]
    assert two["used"] == [32, 128]
    assert len(two["stories"]) == 3
    said = []
    for story in two["stories"].values():
        assert story["max_residual_ms"] < 1e-9
        assert [o["width"] for o in story["others"]] == [64, 96, 160]
        said.append(story["others"][-1]["predicted_ms"])
    assert max(said) - min(said) > 1e-3


def test_the_width_held_out_is_predicted_and_not_fitted(tiny: Run) -> None:
    held = tiny.document["held_out"]
    assert held["point"]["width"] == 160
    for name in BOTH:
        coefficients = tiny.document["plain"]["fits"][name]["coefficients"]
        predicted = sum(c * 160 ** POWERS[t] for t, c in coefficients.items())
        assert held[name]["predicted_ms"] == pytest.approx(predicted)
        assert held[name]["error_share"] == pytest.approx(predicted / held["point"]["min_ms"] - 1)


def test_the_table_is_the_profilers_own(tiny: Run) -> None:
    lines = tiny.table.splitlines()
    assert lines[-1].startswith("Self CPU time total: ")
    names = [line.split("  ")[0] or line.strip().split("  ")[0] for line in lines[3:-2]]
    assert "aten::mm" in names
    assert any("scaled_dot_product" in name for name in names)


@pytest.mark.parametrize("name", ["points.json", "repeat-1.json", "repeat-2.json"])
def test_the_recorded_evidence_agrees_with_itself(name: str) -> None:
    document = json.loads((EVIDENCE / name).read_text(encoding="utf-8"))
    for section in (document["plain"], document["masked"], document["attention"]):
        assert_fits(section)
    widths = document["settings"]["widths"]
    assert len(widths) >= 5
    assert widths[-1] >= 8 * widths[0]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--widths", "1,2,3"), "at least 4 different widths"),
        (("--widths", "256,512,x,4096"), "`x` is no whole number"),
        (("--rounds", "0"), "must be above 0"),
        (("--designs", "2,4"), "at least 3 different widths"),
        (("--dim", "30", "--heads", "4"), "is not an even number"),
        (("--held-out", "512"), "is one of the widths"),
        (("--profile-width", "300"), "is not one of the widths"),
        (("--table", "nowhere/at/all.txt"), "no such folder"),
    ],
)
def test_a_bad_argument_is_said_and_nothing_is_measured(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    step_time = pytest.importorskip("step_time")
    with pytest.raises(SystemExit) as stopped:
        step_time.main(arguments)
    out, err = capsys.readouterr()
    assert complaint in err + str(stopped.value)
    assert out == ""
