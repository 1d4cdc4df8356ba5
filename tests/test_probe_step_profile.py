"""Where a step's time goes: an outside step burned to the millisecond, the decoder, and every fault seen."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from probe_support import assert_refused, document_of, said_by, two_threads

torch = pytest.importorskip("torch")
step_profile = pytest.importorskip("step_profile")
small_decoder = pytest.importorskip("probe_parts.small_decoder")

from probe_parts.idle import Others  # noqa: E402  # after torch, which may not be there
from probe_parts.step_clock import Point, Times, loss_of  # noqa: E402  # likewise
from probe_parts.step_findings import other_threads  # noqa: E402  # likewise
from probe_parts.step_report import doubts_of  # noqa: E402  # likewise
from probe_parts.step_trace import profiled_steps  # noqa: E402  # likewise

pytestmark = pytest.mark.torch

ROOT = Path(__file__).resolve().parent.parent
PROBE = ROOT / "probes" / "step_profile.py"
EVIDENCE = ROOT / "claims" / "evidence" / "step-profile"
POWERS = {"constant": 0, "linear": 1, "quadratic": 2}
BOTH = {"two_term": ("linear", "quadratic"), "three_term": ("constant", "linear", "quadratic")}
WIDTHS = (100, 200, 300, 400)
BASE = {"constant": 1.0, "linear": 0.006, "quadratic": 1.5e-5}
"""Of the step that is burned: ms, ms/token, ms/token^2; 5.8 ms at the widest."""

BURNER = """
import threading
import time
from functools import partial

BASE = {base}
MORE = {more}

def burn(ms, helped={helped}):
    if helped:
        other = threading.Thread(target=burn, args=(ms, False))
        other.start()
        burn(ms, False)
        other.join()
        return 0.5
    end = time.thread_time_ns() + round(ms * 1e6)
    while time.thread_time_ns() < end:
        pass
    return 0.5

def ms(width, more, factor):
    terms = ((more.get(t, 0) + c) * width ** p for (t, c), p in zip(BASE.items(), (0, 1, 2)))
    return factor * sum(terms)

def harness():
    def maker(more, factor):
        return lambda width: partial(burn, ms(width, more, factor))
    return {{
        "step": maker(MORE, 1), "padded": maker({{}}, 1.5), "without_loss": maker({{}}, 0.75),
        "about": {{"kernel": "burn"}},
    }}
"""


@pytest.fixture
def burned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Any:
    """Writes a module outside the project that burns so much CPU time a step, and profiles it."""
    monkeypatch.chdir(tmp_path)

    def run(more: dict[str, float], *arguments: str, helped: bool = False) -> dict[str, Any]:
        name = f"burner_{len(list(tmp_path.iterdir()))}_{abs(hash(request.node.nodeid))}"
        (tmp_path / f"{name}.py").write_text(
            BURNER.format(base=BASE, more=more, helped=helped), encoding="utf-8"
        )
        monkeypatch.syspath_prepend(tmp_path)
        widths = ",".join(map(str, WIDTHS))
        return document_of(
            step_profile,
            [
                "--harness",
                f"{name}:harness",
                "--widths",
                widths,
                "--rounds",
                "5",
                "--repeats",
                "0",
                *arguments,
            ],
        )

    return run


def assert_fits(section: dict[str, Any]) -> None:
    """The section's fits are those of the smallest of its own raw times."""
    widths = [p["width"] for p in section["points"]]
    smallest = [min(p["times_ms"]) for p in section["points"]]
    assert [p["min_ms"] for p in section["points"]] == smallest
    for name, terms in BOTH.items():
        coefficients = section["fits"][name]["coefficients"]
        assert list(coefficients) == list(terms)
        fitted = [sum(c * w ** POWERS[t] for t, c in coefficients.items()) for w in widths]
        assert section["fits"][name]["fitted_ms"] == pytest.approx(fitted, abs=1e-6)
        residuals = [m - f for m, f in zip(smallest, fitted, strict=True)]
        assert section["fits"][name]["residuals_ms"] == pytest.approx(residuals, abs=1e-6)
        for term in terms:  # least squares: what is left is at right angles to every column
            left = zip(residuals, widths, strict=True)
            across = sum(r * (w / widths[-1]) ** POWERS[term] for r, w in left)
            assert abs(across) < 1e-6 * max(smallest)
        assert section["fits"][name]["max_residual_ms"] == pytest.approx(max(map(abs, residuals)), abs=1e-6)


# An outside step that is slowed ------------------------------------------------------------------------


def coefficients(document: dict[str, Any]) -> dict[str, float]:
    found: dict[str, float] = document["series"]["step"]["fits"]["three_term"]["coefficients"]
    return found


@pytest.mark.parametrize(
    ("term", "more"), [("constant", 3.0), ("linear", 0.008), ("quadratic", 2e-5)], ids=POWERS
)
def test_an_outside_step_slowed_by_one_term_moves_that_term_alone(
    burned: Any, term: str, more: float
) -> None:
    before, after = coefficients(burned({})), coefficients(burned({term: more}))
    for name, power in POWERS.items():
        wide = WIDTHS[-1] ** power
        assert before[name] * wide == pytest.approx(BASE[name] * wide, abs=0.25)
        expected = BASE[name] + (more if name == term else 0)
        assert after[name] * wide == pytest.approx(expected * wide, abs=0.25)


def test_padding_and_loss_are_told_as_they_were_burned(burned: Any) -> None:
    with two_threads():
        document = burned({})
    assert document["machine"]["threads"] == 1
    assert [row["width"] for row in document["padding_penalty"]] == list(WIDTHS)
    for row in document["padding_penalty"]:
        assert row["ratio"] == pytest.approx(1.5, abs=0.05)
        assert row["padded_ms"] / row["plain_ms"] == row["ratio"]
    for row in document["loss_cost"]:
        assert row["share"] == pytest.approx(0.25, abs=0.05)
    assert document["about"] == {"kernel": "burn"}
    assert {p["first_loss"] for p in document["series"]["step"]["points"]} == {0.5}
    assert document["held_out"] is None
    assert document["device"]["kind"] == "cpu"


def test_a_width_held_out_is_predicted_and_not_fitted(burned: Any) -> None:
    held = burned({}, "--held-out", "500")["held_out"]
    true = sum(c * 500 ** POWERS[t] for t, c in BASE.items())
    assert held["point"]["min_ms"] == pytest.approx(true, abs=0.1)
    assert held["three_term"]["predicted_ms"] == pytest.approx(true, abs=0.6)


# The probe on its own decoder --------------------------------------------------------------------------


class Run(NamedTuple):
    """A short run of the probe on its own decoder: the document, what it told, and where its files went."""

    document: dict[str, Any]
    told: str
    table: Path
    trace: Path


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder = tmp_path_factory.mktemp("profile")
    table, trace = folder / "profile.txt", folder / "trace.json.gz"
    short = ("--rounds", "2", "--repeats", "1", "--designs", "1,2,4")
    files = ("--table", str(table), "--trace", str(trace))
    run = said_by(step_profile, ["--widths", "32,64,96,128", "--held-out", "160", *short, *files])
    return Run(*run, table, trace)


def test_every_raw_time_is_kept_and_fitted(tiny: Run) -> None:
    document = tiny.document
    assert document["settings"]["harness"] == "probe_parts.small_decoder:harness"
    assert document["settings"]["widths"] == [32, 64, 96, 128]
    assert document["settings"]["profile_width"] == 64
    assert list(document["series"]) == ["step", "padded", "without_loss", "masked", "attention"]
    assert len(document["repeats"]) == 1
    for section in (*document["series"].values(), *document["repeats"]):
        assert [p["width"] for p in section["points"]] == [32, 64, 96, 128]
        assert {len(p[times]) for p in section["points"] for times in ("times_ms", "process_ms")} == {2}
        assert_fits(section)
    curve = document["curve"]
    assert (curve[0]["width"], curve[-1]["width"]) == (4, 128)
    for name in BOTH:
        assert curve[-1][f"{name}_ms"] == pytest.approx(
            document["series"]["step"]["fits"][name]["fitted_ms"][-1]
        )
    assert document["profile"]["width"] == 64
    assert len(document["profile"]["plain"]["times_ms"]) == len(document["profile"]["profiled"]["times_ms"])


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


def test_first_losses_tell_that_a_mask_changes_nothing_and_padding_does(tiny: Run) -> None:
    series = tiny.document["series"]
    for plain, masked, padded in zip(
        *(series[n]["points"] for n in ("step", "masked", "padded")), strict=True
    ):
        assert plain["first_loss"] == pytest.approx(masked["first_loss"], abs=1e-5)
        assert abs(plain["first_loss"] - padded["first_loss"]) > 1e-4
    assert {p["first_loss"] for p in series["attention"]["points"]} == {None}


def test_the_table_is_the_profilers_own(tiny: Run) -> None:
    lines = tiny.table.read_text(encoding="utf-8").splitlines()
    assert lines[-1].startswith("Self CPU time total: ")
    names = [line.strip().split("  ")[0] for line in lines[3:-2]]
    assert "aten::mm" in names
    assert any("scaled_dot_product" in name for name in names)


def test_the_trace_is_of_the_same_step_and_names_no_machine(tiny: Run) -> None:
    raw = gzip.decompress(tiny.trace.read_bytes())
    trace = json.loads(raw)
    assert (trace["traceName"], trace["host_name"]) == ("trace.json", "")
    assert str(Path.home()).encode() not in raw
    assert str(tiny.trace.parent).encode() not in raw
    counted = sum(1 for event in trace["traceEvents"] if event.get("name") == "aten::mm")
    (row,) = (
        line
        for line in tiny.table.read_text(encoding="utf-8").splitlines()
        if line.strip().startswith("aten::mm ")
    )
    assert counted == int(row.split()[-1]) > 0


def test_the_recorded_evidence_agrees_with_itself() -> None:
    document = json.loads((EVIDENCE / "points.json").read_text(encoding="utf-8"))
    for section in (*document["series"].values(), *document["repeats"]):
        assert_fits(section)
    widths = document["settings"]["widths"]
    assert len(widths) >= 5
    assert widths[-1] >= 8 * widths[0]
    packed_trace = (EVIDENCE / "trace.json.gz").read_bytes()
    assert len(packed_trace) < 200_000
    raw = gzip.decompress(packed_trace)
    assert json.loads(raw)["host_name"] == ""
    assert set(re.findall(rb'"(/[^"]*)"', raw)) == set(), "paths of a machine"


# Faults that must be seen ------------------------------------------------------------------------------


def test_widths_that_are_cut_are_seen(burned: Any) -> None:
    sound, cut = (
        [p["min_ms"] for p in burned({}, *plant)["series"]["step"]["points"]]
        for plant in ((), ("--plant", "cut-widths"))
    )
    assert sound[-1] / sound[1] == pytest.approx(5.8 / 2.8, abs=0.2)
    assert cut[-1] / cut[1] == pytest.approx(1, abs=0.1)


def test_settings_that_do_not_reach_the_step_are_seen(burned: Any) -> None:
    document = burned({}, "--plant", "settings-not-passed")
    for row in document["padding_penalty"]:
        assert row["ratio"] == pytest.approx(1, abs=0.1)
    for row in document["loss_cost"]:
        assert row["share"] == pytest.approx(0, abs=0.1)


def test_a_table_that_is_cut_is_seen() -> None:
    step = small_decoder.harness()["step"](32)
    whole, cut = (profiled_steps(step, 1, "cpu", cut=cut).table for cut in (False, True))
    assert len(whole.splitlines()) > 40
    assert len(cut.splitlines()) < 20


# What it says ------------------------------------------------------------------------------------------


def test_the_summary_names_terms_penalties_and_what_could_hide(tiny: Run) -> None:
    for part in (
        "probe_parts.small_decoder:harness on ",
        "CPU time of the thread",
        "constant ",
        "µs/token",
        "ns/token²",
        "of the step at 32",
        "could hide under that",
        "with a constant: ",
        "timed again, the constant comes out as ",
        "padding: ",
        "loss: ",
        "masked: ",
    ):
        assert part in tiny.told


def test_three_widths_leave_three_terms_without_residuals_and_that_is_said() -> None:
    _, said = said_by(step_profile, ["--widths", "32,64,96", "--rounds", "1", "--repeats", "0"])
    assert "three terms go through any three points: no residual, so no evidence; time a fourth width" in said


def test_work_that_other_threads_did_is_told(burned: Any) -> None:
    helped, alone = (
        [
            replace(Point(**point), waited_ms=0.0)  # how long it waits is this machine's
            for point in burned({}, helped=helped)["series"]["step"]["points"]
        ]
        for helped in (True, False)
    )
    assert other_threads(helped) == pytest.approx(1, abs=0.1)
    assert abs(other_threads(alone)) < 0.05
    device = {"kind": "cpu", "doubts": []}
    (doubt,) = doubts_of(device, helped)
    assert re.match(r"doubt: other threads took (9|10)\d% beside the one that was timed", doubt)
    assert list(doubts_of(device, alone)) == []


def test_a_busy_machine_is_told(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    busy = Others(wall_s=10.0, cores=2, others_cores=1.25, idle=False)
    monkeypatch.setattr(step_profile, "others_between", lambda _before, _after: busy)
    step_profile.main(("--widths", "32,64,96", "--rounds", "1", "--repeats", "0"))
    out, err = capsys.readouterr()
    told = "other processes kept 1.2 of 2 cores busy while the steps were timed"
    assert json.loads(out)["device"]["doubts"] == [told]
    assert f"doubt: {told}" in err


def test_from_a_shell_with_a_busy_card_and_a_harness_that_prints(tmp_path: Path) -> None:
    (tmp_path / "nvidia-smi").write_text("#!/bin/sh\necho '0, NVIDIA Test 1, 87, 40960, 97887'\n")
    (tmp_path / "nvidia-smi").chmod(0o755)
    text = BURNER.format(base=BASE, more={}, helped=False) + "\nprint('loading')\n"
    (tmp_path / "my_run.py").write_text(text.replace("end = time", "print('a step')\n    end = time", 1))
    done = subprocess.run(
        [sys.executable, PROBE, "--harness", "my_run:harness", "--widths", "100,200,300", "--rounds", "1",
         "--repeats", "0"],
        capture_output=True, text=True, check=False, cwd=tmp_path,
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = "card 0 (NVIDIA Test 1) is not idle: 87 % busy, 40,960 MiB in use before the first step"
    assert told in json.loads(done.stdout)["device"]["doubts"][0]
    assert json.loads(done.stdout)["device"]["idle"]["cards"]["cards"][0]["busy_percent"] == 87
    assert done.stderr.startswith(told)
    assert "loading\n" in done.stderr
    assert "a step\n" in done.stderr


# What is refused ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--widths", "1,2"), "at least 3 different widths"),
        (("--widths", "256,512,x,4096"), "`x` is no whole number"),
        (("--rounds", "0"), "must be above 0"),
        (("--repeats", "-1"), "must be above 0"),
        (("--designs", "2,4"), "at least 3 different widths"),
        (("--held-out", "512"), "is one of the widths"),
        (("--profile-width", "300"), "is not one of the widths"),
        (("--table", "nowhere/at/all.txt"), "no such folder for --table"),
        (("--table", "probes"), "probes: is a folder"),
        (("--table", "", "--trace", "nowhere/at/all.gz"), "no such folder for --trace"),
        (("--trace", "trace.json"), "end its name in .gz"),
        (("--table", "one.gz", "--trace", "./one.gz"), "--table and --trace are both one.gz"),
        (("--plant", "none"), "invalid choice"),
        (("--harness", "no_such_run:harness", "--widths", "1,2,3"), "there is no module `no_such_run`"),
    ],
)
def test_a_bad_argument_is_said_and_nothing_is_measured(
    arguments: tuple[str, ...],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    assert_refused(step_profile, arguments, complaint, capsys)


def test_a_harness_of_ones_own_leaves_the_recorded_evidence_alone() -> None:
    recorded = step_profile.parse([])[1]
    assert (recorded.table, recorded.trace) == (
        Path("claims/evidence/step-profile/profile.txt"),
        Path("claims/evidence/step-profile/trace.json.gz"),
    )
    for own in (["--harness", "my_run:harness"], ["--widths", "1,2,3"]):
        settings, files = step_profile.parse(own)
        assert (files.table, files.trace, settings.held_out) == (None, None, None)


def test_a_step_that_takes_no_time_on_the_clock_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "does_nothing_here.py").write_text(
        "def harness():\n    return {'step': lambda width: (lambda: None)}\n", encoding="utf-8"
    )
    monkeypatch.setattr("probe_parts.step_clock.timed", lambda _work, _device: Times(0.0, 0.0, 0.0))
    arguments = ("--harness", "does_nothing_here:harness", "--widths", "1,2,3", "--rounds", "1")
    assert_refused(step_profile, arguments, "`step` at width 1 took no time by the clock", capsys)


@pytest.mark.parametrize(
    ("returned", "loss"),
    [
        (0.5, 0.5),
        (2, 2.0),
        (None, None),
        (True, None),
        ("0.5", None),
        (float("nan"), None),
        (10**400, None),
    ],
    ids=["half", "two", "none", "yes", "text", "nan", "beyond-floats"],
)
def test_a_loss_is_one_finite_number(returned: object, loss: float | None) -> None:
    assert loss_of(returned) == loss


def test_a_loss_may_be_a_tensor_of_one_number() -> None:
    assert loss_of(torch.tensor([0.25])) == 0.25
    assert loss_of(torch.zeros(2)) is None
    assert loss_of(torch.ones((), device="meta")) is None


# The decoder -------------------------------------------------------------------------------------------


@pytest.fixture
def trainer() -> Any:
    return small_decoder.Trainer(small_decoder.Shape(layers=2, dim=32, heads=2, vocab=50), seed=3)


def logits(trainer: Any, tokens: Any, mask: Any) -> Any:
    return trainer.model.logits(trainer.model(tokens, mask)).detach()


def test_the_decoder_sees_no_later_token(trainer: Any) -> None:
    tokens = trainer.batch(24).tokens
    changed = tokens.clone()
    changed[0, 12] = (changed[0, 12] + 1) % 50
    moved = (logits(trainer, tokens, None) - logits(trainer, changed, None)).abs().amax(-1)[0]
    assert float(moved[:12].max()) < 1e-6
    assert float(moved[12:].min()) > 1e-6
    assert float(moved[12]) > 1e-3


def test_an_explicit_causal_mask_changes_no_loss_and_another_mask_does(trainer: Any) -> None:
    batch = trainer.batch(24, masked=True)
    plain = trainer.loss(replace(batch, mask=None)).item()
    assert abs(trainer.loss(batch).item() - plain) < 1e-5
    blind = batch.mask & (batch.mask.cumsum(1) > 3)
    blind.fill_diagonal_(True)
    assert abs(trainer.loss(replace(batch, mask=blind)).item() - plain) > 1e-5


def test_padding_is_no_label_and_what_it_holds_changes_no_loss(trainer: Any) -> None:
    batch = trainer.batch(24, padding=0.25)
    assert (
        batch.labels[0].tolist().count(small_decoder.NO_LABEL) == 24 - 17
    )  # of 18 real tokens one has no next
    before = trainer.loss(batch).item()
    batch.tokens[0, 18:] = 7
    assert trainer.loss(batch).item() == before
    batch.tokens[0, 16] = (batch.tokens[0, 16] + 1) % 50
    assert trainer.loss(batch).item() != before


def test_a_step_trains_and_a_step_without_the_loss_leaves_the_labels_out(trainer: Any) -> None:
    batch = trainer.batch(24)
    first = trainer.step(batch).item()
    for _ in range(30):
        trainer.step(batch)
    assert trainer.loss(batch).item() < first - 0.01
    other = replace(batch, labels=(batch.labels + 1) % 50)
    again = small_decoder.Trainer(small_decoder.Shape(layers=2, dim=32, heads=2, vocab=50), seed=3)
    same = small_decoder.Trainer(small_decoder.Shape(layers=2, dim=32, heads=2, vocab=50), seed=3)
    assert again.step_without_loss(batch).item() == same.step_without_loss(other).item()
