"""Steps that a step profile must not take for what they are not, and what it says it does not know."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused

torch = pytest.importorskip("torch")
step_profile = pytest.importorskip("step_profile")

from probe_parts import step_clock  # noqa: E402  # after torch, which may not be there

pytestmark = pytest.mark.torch


@pytest.fixture
def harness(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> Callable[[str], str]:
    """Writes a harness into the current folder; gives its reference, which no other test has."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    name = f"run_{abs(hash(request.node.nodeid))}"

    def write(body: str) -> str:
        (tmp_path / f"{name}.py").write_text(f"import os, time\n\ndef harness():\n{body}", encoding="utf-8")
        return f"{name}:harness"

    return write


def few(reference: str) -> tuple[str, ...]:
    return ("--harness", reference, "--widths", "1,2,3", "--rounds", "3", "--repeats", "0")


def test_a_call_that_does_nothing_takes_no_time(
    harness: Callable[[str], str], capsys: pytest.CaptureFixture[str]
) -> None:
    reference = harness("    return {'step': lambda width: (lambda: None)}\n")
    assert_refused(step_profile, few(reference), "took no time by the clock", capsys)


WAITS = """\
    os.chdir("elsewhere")

    def step():
        sum(range(50_000))
        time.sleep(0.02)
        return float("nan")

    return {"step": lambda width: step}
"""


def test_a_step_that_waits_or_has_no_loss_is_told_and_files_go_where_they_were_named(
    harness: Callable[[str], str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "elsewhere").mkdir()
    step_profile.main((*few(harness(WAITS)), "--table", "table.txt"))
    said = capsys.readouterr().err
    assert "doubt: at width 3 a step took" in said
    assert "longer by the wall clock: it waited" in said
    assert "`step` at width 2: its first loss is nan" in said
    assert "the profiler saw no operator of torch" in said
    assert (tmp_path / "table.txt").is_file()


def doubts(device: str, cards: Any, others: Any) -> str:
    profiled = step_profile.Profiled((), (), "a table", b"")
    timed = step_profile.Timed(device, {}, (), profiled, others)
    return " ".join(step_profile.device_of(timed, cards)["doubts"])


def test_what_is_not_known_of_cards_and_cores_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "get_device_name", lambda: "a card")
    idle, unknown = (step_profile.Others(1.0, 2, *found) for found in ((0.0, True), (None, None)))
    silent, none = step_profile.Cards((), "nvidia-smi failed"), step_profile.Cards((), "")
    assert doubts("cuda", silent, idle) == "whether the card was idle is not known: nvidia-smi failed"
    assert doubts("cpu", silent, idle) == ""  # the steps need no card
    assert doubts("cpu", none, unknown).startswith("whether other processes were busy is not known")


def test_an_accelerator_whose_work_is_not_timed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("mps"))
    assert step_clock.other_accelerator() == "mps"
    idle = step_profile.Others(1.0, 2, 0.0, True)
    assert "no CUDA card (mps)" in doubts("cpu", step_profile.Cards((), ""), idle)
