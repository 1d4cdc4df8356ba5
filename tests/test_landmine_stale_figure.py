"""A launcher with a stale figure: what it decides, which searches find it, and a guard that can fail."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import stale_figure
from probe_support import assert_refused, document_of
from stale_figure import COPIED, COPIES, LAUNCHER, OTHERS, Project, copies, filled, launched


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return document_of(stale_figure, [])


# The trap, and the sound version -----------------------------------------------------------------------


def test_the_launchers_decide_differently_and_neither_fails(found: dict[str, Any]) -> None:
    assert found["trap"] == {"decides": "keep", "exit_code": 0}
    assert found["sound"] == {"decides": "rebuild", "exit_code": 0}


def test_the_figures_are_on_the_two_sides_of_what_the_launchers_ask() -> None:
    assert float(stale_figure.OLD_HOURS) * 3600 > 3600 > float(stale_figure.NEW_SECONDS)


def test_a_launcher_that_fails_is_told_by_its_exit_code() -> None:
    assert launched(Project("exit 3\n")) == {"decides": "", "exit_code": 3}


def test_each_search_finds_what_a_reader_finds_with_it(found: dict[str, Any]) -> None:
    lines = [filled(text) for text in (*COPIES, *OTHERS)]
    by_hand = {
        "its text": [bool(re.search(r"4\.3 h", line)) for line in lines],
        "its digits": [bool(re.search(r"4\.3", line)) for line in lines],
        "stilltrue check": [True] * len(COPIES) + [False] * len(OTHERS),
    }
    for row in found["found"]:
        hits = by_hand[row["search"]]
        assert (row["copies"], row["others"]) == (sum(hits[: len(COPIES)]), sum(hits[len(COPIES) :]))
    assert [row["search"] for row in found["found"]] == list(by_hand)


def test_a_page_edited_in_place_leaves_nothing_to_search_for(found: dict[str, Any]) -> None:
    assert found["edited_in_place_passes"] is True


# The guard ---------------------------------------------------------------------------------------------


def test_the_guard_stops_and_passes(found: dict[str, Any]) -> None:
    assert found["guard"] == {"stops": True, "passes": True}


def test_the_check_names_each_line_of_the_launcher_that_repeats_the_figure() -> None:
    assert copies(Project(COPIED)) == [(LAUNCHER, 1), (LAUNCHER, 2)]


def test_a_check_that_did_not_look_is_no_answer() -> None:
    with pytest.raises(RuntimeError, match="the check ended with 2"):
        copies(Project(COPIED), settings="[nonsense\n")


def test_a_check_that_finds_another_fault_is_no_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stale_figure, "PAGE", "It takes [1 s](claim:none-such).\n")
    with pytest.raises(RuntimeError, match="the check found something else"):
        copies(Project(COPIED))


@pytest.mark.parametrize(
    ("plant", "said"), [("no-guard", "stops"), ("refuse-all", "passes"), ("pages-alone", "stops")]
)
def test_a_broken_guard_is_noticed(plant: str, said: str) -> None:
    assert document_of(stale_figure, ["--plant", plant])["guard"][said] is False


def test_an_unknown_fault_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(stale_figure, ["--plant", "none-such"], "invalid choice: 'none-such'", capsys)


def test_a_program_that_is_not_there_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert_refused(stale_figure, [], "needs `bash`", capsys)
