"""A test that lets a fault pass, or that nobody runs: seen, stopped, let through, broken guards noticed."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
probe = pytest.importorskip("silent_test")

pytestmark = pytest.mark.torch


@cache
def measured(plant: str = "") -> dict[str, Any]:
    return document_of(probe, ("--plant", plant) if plant else ())


# The trap ----------------------------------------------------------------------------------------------


def test_the_test_that_replaces_item_passes_on_the_step_and_catches_one_fault_of_eight() -> None:
    trap = measured()["trap"]
    assert trap["passes_on_the_step"]
    assert (trap["caught"], trap["mutants"]) == (1, 8)
    assert set(trap["let_pass"]) == set(probe.MUTANTS) - {"x.item()"}


@pytest.mark.parametrize("name", probe.MUTANTS)
def test_each_fault_reads_something_and_changes_no_result(name: str) -> None:
    losses = torch.tensor([0.25, 0.0, 0.75, 2.0])
    assert float(probe.MUTANTS[name](losses)) == pytest.approx(1.0)
    assert float(probe.step(losses)) == pytest.approx(1.0)
    (row,) = (row for row in measured()["mutants"] if row["mutant"] == name)
    assert row["reads"] == 1


def test_a_failing_test_in_a_file_of_another_name_is_not_collected_and_the_run_is_green() -> None:
    assert measured()["trap"]["run"] == {"collected": 0, "others": 1, "status": 0}
    assert measured()["sound"]["run"] == {"collected": 1, "others": 1, "status": 1}
    assert measured()["alone"] == {"collected": 0, "others": 0, "status": 5}


# The sound version and the guard -----------------------------------------------------------------------


def test_the_test_that_counts_reads_catches_every_fault_and_passes_on_the_step() -> None:
    sound = measured()["sound"]
    assert (sound["passes_on_the_step"], sound["caught"], sound["let_pass"]) == (True, 8, [])


def test_the_guard_stops_the_trap_in_each_of_its_forms_and_lets_the_sound_version_through() -> None:
    assert set(measured()["guard"]) == {"stops", "stops_operators", "stops_uncollected", "passes"}
    assert all(measured()["guard"].values())


@pytest.mark.parametrize(
    ("test", "collected", "said"),
    [
        (probe.test_by_patch, 1, r"passes with these put in: float\(x\), int\(x\), if x"),
        (probe.test_by_watch, 0, "nobody runs it"),
        (lambda _: probe.test_by_watch(probe.by_item), 1, "fails on the step as it should be"),
    ],
    ids=["lets faults pass", "not collected", "fails on the step"],
)
def test_the_guard_says_why_it_stops_a_test(test: Any, collected: int, said: str) -> None:
    with pytest.raises(probe.RefusedError, match=said):
        probe.guard(probe.Instrument(test, collected))


# The plants --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plant", "moved"),
    [
        ("no-guard", {"stops": False, "stops_operators": False, "stops_uncollected": False, "passes": True}),
        ("refuse-all", {"stops": True, "stops_operators": True, "stops_uncollected": True, "passes": False}),
        ("own-mutant", {"stops": False, "stops_operators": False, "stops_uncollected": True, "passes": True}),
    ],
)
def test_a_broken_guard_is_noticed(plant: str, moved: dict[str, bool]) -> None:
    assert measured(plant)["guard"] == moved


def test_an_unknown_plant_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(probe, ["--plant", "nothing"], "invalid choice", capsys)
