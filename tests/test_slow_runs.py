"""Runs that are slow for one planted reason each: the table of the page "own run" must point to it.

Each run is counted anew. Its times were taken once, on a machine with nothing else to do, because on a
busy one a constant term passes for a linear one: `slow_runs/recorded/<run>.json` is what `step_profile.py
--harness <run>:harness --widths … --rounds 15 --repeats 0 --profile-width <narrowest>` printed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from probe_support import document_of

pytest.importorskip("torch")
step_census = pytest.importorskip("step_census")

pytestmark = pytest.mark.torch

RUNS = Path(__file__).parent / "slow_runs"
PAGE = Path(__file__).parents[1] / "docs" / "throughput" / "own-run.md"
POWERS = {"constant": 0, "linear": 1, "quadratic": 2}


class Slow(NamedTuple):
    """A run, and what must be found in it.

    Attributes:
        run: Its module.
        row: The row of the page's table that must fit it: the bold words that it begins with.
        widths: Those that it trains at.
        attention: Calls of attention by the flag, and by a mask, in one step.
        read_back: Numbers read back in one step, at the narrowest and the widest width.
        doubles: Whether it makes tensors in float64.
    """

    run: str
    row: str
    widths: tuple[int, ...]
    attention: tuple[int, int] = (2, 0)
    read_back: tuple[int, int] = (0, 0)
    doubles: bool = False


NARROW, MIDDLE, WIDE = (16, 32, 64, 128), (64, 128, 256, 512), (128, 256, 512, 1024)
SLOW = (
    Slow("norms_each_step", "a large *constant* term", NARROW, read_back=(9, 9)),  # one for each matrix
    Slow("entropy_by_token", "operators that grow with the width", MIDDLE, read_back=(2 * 64, 2 * 512)),
    Slow("loss_in_double", "a large loss share", MIDDLE, doubles=True),
    Slow("mask_in_each_layer", "mask where you expect is_causal", WIDE, attention=(0, 2)),
    Slow("weights_kept", "no call of attention", WIDE, attention=(0, 0), doubles=True),
    Slow("padded_to_longest", "padding well above 1", MIDDLE),
)
SOUND = Slow("sound_run", "none of it", WIDE)


class Read(NamedTuple):
    """What the two instruments tell of a run.

    Attributes:
        terms: Share of each term of the fit in the step, at the widest width.
        padding: Padded over plain step at the narrowest width.
        loss: Share of the loss at the widest width.
        paths: Calls of attention by path, at the widest width.
        operators: The power with which operators grow.
        read_back: Numbers read back, at the narrowest and the widest width.
        double: Share of float64 in what is made at the widest width.
        squares: Operators that make a tensor of power 2.
    """

    terms: Mapping[str, float]
    padding: float
    loss: float
    paths: Mapping[str, int]
    operators: float
    read_back: tuple[int, int]
    double: float
    squares: frozenset[str]


@pytest.fixture(autouse=True)
def slow_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(RUNS))


def timed(run: Slow) -> dict[str, Any]:
    """What `step_profile` printed for the run."""
    document: dict[str, Any] = json.loads((RUNS / "recorded" / f"{run.run}.json").read_text(encoding="utf-8"))
    settings = document["settings"]
    assert (settings["harness"], tuple(settings["widths"])) == (f"{run.run}:harness", run.widths)
    return document


def read(run: Slow) -> Read:
    """Both instruments, pointed at a run."""
    times = timed(run)
    widths = f"{run.widths[0]},{run.widths[-1]}"
    counted = document_of(step_census, ["--harness", f"{run.run}:harness", "--widths", widths])
    first, last = (row for row in counted["census"] if row["series"] == "step")
    growth = counted["growth"]["step"]
    return Read(
        terms=terms_of(times["series"]["step"]),
        padding=times["padding_penalty"][0]["ratio"],
        loss=times["loss_cost"][-1]["share"],
        paths={path: last["attention"][path] for path in ("is_causal", "mask", "neither")},
        operators=growth["operators"],
        read_back=(first["numbers_read"], last["numbers_read"]),
        double=last["types"].get("float64", 0) / last["made_bytes"],
        squares=frozenset(
            row["operator"] for row in growth["most"] if row["power"] == pytest.approx(2, abs=0.05)
        ),
    )


def terms_of(series: Mapping[str, Any]) -> dict[str, float]:
    """The share of each term in the step at the widest width; the fit's own time counts as the step."""
    width = series["points"][-1]["width"]
    parts = {
        term: max(coefficient, 0.0) * width ** POWERS[term]
        for term, coefficient in series["fits"]["three_term"]["coefficients"].items()
    }
    return {term: part / sum(parts.values()) for term, part in parts.items()}


def rows_that_fit(found: Read) -> set[str]:
    """The rows of the page's table whose left side is seen, in wide bands: a busy machine shifts shares."""
    square = found.terms["quadratic"] > 0.3
    attended = sum(found.paths.values())
    seen = {
        "padding well above 1": found.padding > 1.8,
        "mask where you expect is_causal": square and found.paths["mask"] > 0,
        "no call of attention": square and attended == 0,
        "a large loss share": found.loss > 0.65,
        # Operators are counted; that time grows with them, and not how, is all that a busy machine tells.
        "operators that grow with the width": found.operators > 0.5 and found.terms["constant"] < 0.7,
        "a large *constant* term": found.terms["constant"] > 0.4,
    }
    return {row for row, fits in seen.items() if fits}


@pytest.mark.parametrize("slow", SLOW, ids=lambda slow: slow.run)
def test_the_table_points_to_what_was_planted(slow: Slow) -> None:
    found = read(slow)
    assert slow.row in rows_that_fit(found), found
    assert_counted(slow, found)
    assert ("aten::_softmax" in found.squares) == (slow.run == "weights_kept")


def test_nothing_in_the_table_fits_the_sound_run() -> None:
    found = read(SOUND)
    assert rows_that_fit(found) == set(), found
    assert_counted(SOUND, found)


def assert_counted(run: Slow, found: Read) -> None:
    """What is counted is exact."""
    assert (found.paths["is_causal"], found.paths["mask"], found.paths["neither"]) == (*run.attention, 0)
    assert found.read_back == run.read_back
    assert (found.double > 0) == run.doubles
    assert (found.operators > 0) == (run.run == "entropy_by_token")


def test_each_row_that_is_tried_stands_in_the_table() -> None:
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| **")]
    for tried in (*SLOW, SOUND):
        assert sum(tried.row in row.replace("**", "").split("|")[1] for row in rows) == 1, tried.row
