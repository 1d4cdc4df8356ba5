from __future__ import annotations

import argparse
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
probe = pytest.importorskip("step_memory")
fake_step = pytest.importorskip("probe_parts.fake_step")
live_storage = pytest.importorskip("probe_parts.live_storage")
model_config = pytest.importorskip("probe_parts.model_config")
module_counts = pytest.importorskip("probe_parts.module_counts")
rows = pytest.importorskip("probe_parts.step_rows")
sizes = pytest.importorskip("probe_parts.sizes")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "memory" / "step.json"
GIB = 2**30
ROWS, CHUNK = "64x4:naive,64x4:chunked,64x4:chunked:all-kept", 64
KNOWN = {
    "8192x1:naive": 77.87,
    "8192x1:chunked": 54.4,
    "8192x4:chunked": 73.0,
    "8192x8:chunked": 97.7,
    "8192x1:chunked:all-kept": 116.0,
    "16384x1:naive": 107.8,
    "16384x1:chunked": 61.13,
    "16384x2:chunked": 73.98,
    "16384x4:chunked": 99.7,
}
"""Peaks in GiB by a sketch of the same method, written apart, for the 26B-A4B configuration."""


def small_text() -> dict[str, Any]:
    """The default configuration's language model: two layers, one of each kind, narrow."""
    text = model_config.shrunk(model_config.text_part(model_config.read_raw(model_config.GEMMA)))
    kinds = ["sliding_attention", "full_attention"]
    cut = {**text, "num_hidden_layers": len(kinds), "layer_types": kinds, "sliding_window": 32}
    return {**cut, "vocab_size": 2048}


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("config") / "config.json"
    path.write_text(json.dumps(small_text()))
    return path


@pytest.fixture(scope="module", autouse=True)
def no_check_of_the_method() -> Any:
    """The small model that really runs takes seconds, and has a test of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(probe, "checked", lambda *_: [])
        yield


@cache
def predicted(config: Path, plant: str = "") -> dict[str, Any]:
    """All rows soundly, or one row under a plant."""
    asked = ("--rows", "64x4:chunked", "--plant", plant) if plant else ("--rows", ROWS)
    return document_of(probe, ("--config", str(config), "--card", "5MiB", "--chunk", str(CHUNK), *asked))


def peaks(document: dict[str, Any]) -> dict[str, int]:
    return {name(row): row["peak"] for row in document["rows"]}


def name(row: dict[str, Any]) -> str:
    return str(rows.Row(row["tokens"], row["sequences"], row["loss"], row["checkpointing"]))


# The evidence ------------------------------------------------------------------------------------------


def test_the_recorded_rows_are_those_that_another_program_found() -> None:
    recorded = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    found = peaks(recorded)
    for row, known in KNOWN.items():
        assert found[row] / GIB == pytest.approx(known, rel=0.02), row
    card = 95.6 * GIB
    assert recorded["card"]["bytes"] == round(card)
    for row in recorded["rows"]:
        assert row["fits"] == (row["peak"] <= card), name(row)
        assert row["fits"] == (KNOWN.get(name(row), 0) <= 95.6), name(row)


def test_the_recorded_weights_are_those_that_the_configuration_counts() -> None:
    recorded = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    counted = json.loads((EVIDENCE.parents[1] / "counts" / "gemma-4-26b-a4b.json").read_text("utf-8"))
    sizes, weights = counted["sizes"], recorded["weights"]
    assert weights["language"] == sizes["language model"]["bytes"]
    assert weights["vision"] == sizes["whole model"]["bytes"] - sizes["language model"]["bytes"]
    assert weights["adapters"] == 2 * counted["lora"]["trainable"]
    assert recorded["optimizer"]["parameters"] == counted["lora"]["trainable"]
    assert {row["weights"] for row in recorded["rows"]} == {weights["total"]}


def test_the_recorded_method_agrees_with_the_allocator() -> None:
    method = json.loads(EVIDENCE.read_text(encoding="utf-8"))["checked"]
    assert len(method) == 4
    for row in method:
        assert row["predicted"] == row["followed"]
        assert row["off"] == pytest.approx(0, abs=0.01)


# A prediction ------------------------------------------------------------------------------------------


def test_a_row_adds_up(config: Path) -> None:
    document = predicted(config)
    assert [name(row) for row in document["rows"]] == ROWS.split(",")
    for row in document["rows"]:
        assert sum(row["held"].values()) == row["peak"]
        assert row["held"]["weights"] == row["weights"] == document["weights"]["total"]
        assert row["weights"] < row["after_forward"] <= row["peak"]
        assert row["room"] == document["card"]["bytes"] - row["peak"]
        assert row["fits"] == (row["room"] >= 0)
        assert row["stage"] in {"loss", "backward"}
        assert all(origin["stage"] != "weights" for origin in row["largest"])


def test_a_prediction_is_what_the_real_step_holds(config: Path) -> None:
    """The same step on real tensors: not one byte apart."""
    text = small_text()
    torch.manual_seed(0)
    model = fake_step.lora_model(text, fake_step.Adapters())
    for row in predicted(config)["rows"]:
        batch = fake_step.batch_of(text, tokens=row["tokens"], sequences=row["sequences"])
        way = "naive" if row["loss"] == "naive" else "recomputed"
        found = probe.follow(model, batch, fake_step.Step(way, CHUNK, row["checkpointing"]))
        assert (found.weights, found.after_forward, found.peak.bytes, found.peak.operator) == (
            row["weights"],
            row["after_forward"],
            row["peak"],
            row["at"],
        ), name(row)


def test_weights_and_the_optimizers_state_are_counted_in_the_model(config: Path) -> None:
    document, text = predicted(config), small_text()
    model = model_config.language_model(text, seed=0, dtype=torch.bfloat16)
    targets = module_counts.find_targets(model_config.layers_of(model), fake_step.TARGETS)
    trained = sum(target.adapter(64) for target in targets)
    assert document["weights"]["language"] == sum(p.nbytes for p in model.parameters())
    assert document["weights"]["adapters"] == 2 * trained
    assert document["weights"]["vision"] == 0
    assert document["optimizer"] == {
        "parameters": trained,
        "moments in bfloat16": 4 * trained,
        "moments in float32": 8 * trained,
        "moments and a copy in float32": 12 * trained,
    }


def test_a_vision_tower_is_counted_and_in_every_figure() -> None:
    raw = model_config.read_raw(model_config.GEMMA)
    tower = probe.vision_bytes(raw, model_config.text_part(raw))
    assert round(tower / GIB, 2) == 1.07
    held = {live_storage.Made("weights", "adopted", (1,), "bfloat16"): 100}
    assert probe.by_stage(held, tower)["weights"] == tower + 100


def test_attention_without_a_fused_kernel_is_no_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sizes = {"vocab_size": 64, "hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1}
    shape = {"model_type": "llama", **sizes, "num_attention_heads": 4}
    path = tmp_path / "config.json"
    found = {}
    for dropout in (0.0, 0.1):
        path.write_text(json.dumps({**shape, "attention_dropout": dropout}))
        probe.main(("--config", str(path), "--rows", "512x1:naive", "--card", "2MiB", "--rank", "1"))
        out, err = capsys.readouterr()
        (found[dropout],) = json.loads(out)["rows"]
        assert (probe.ON_SQUARE in err) == bool(dropout)
    assert (found[0.0]["attention"], found[0.0]["verdict"]) == ("fused", "fits")
    assert (found[0.1]["attention"], found[0.1]["verdict"]) == ("square", "not known")


def test_chunks_and_checkpoints_each_take_memory_off(config: Path) -> None:
    found = peaks(predicted(config))
    assert found["64x4:chunked"] < found["64x4:naive"]
    assert found["64x4:chunked"] < found["64x4:chunked:all-kept"]


@pytest.mark.parametrize(
    ("peak", "said"),
    [(1080, "out of memory"), (1001, "out of memory"), (1000, "too close to say"), (925, "fits")],
)
def test_the_margin_parts_what_fits_from_what_is_too_close(peak: int, said: str) -> None:
    settings = probe.parse(["--card", "1000MB", "--margin", "8%"])
    assert probe.verdict(peak * 10**6, settings) == said


def test_the_method_is_checked_on_a_model_that_really_runs() -> None:
    text = {**small_text(), "hidden_size": 32}
    row = rows.row_of("96x2:chunked")
    found = probe.compared(text, fake_step.Adapters(rank=2), row, "")
    assert found["predicted"] == found["followed"]
    assert found["allocated"] == pytest.approx(found["predicted"], rel=0.05)
    assert found["off"] == found["predicted"] / found["allocated"] - 1


# Each plant is seen ------------------------------------------------------------------------------------


def test_without_recomputation_a_step_is_the_one_that_keeps_everything(config: Path) -> None:
    planted, sound = (peaks(predicted(config, plant)) for plant in ("no-recompute", ""))
    assert planted["64x4:chunked"] == sound["64x4:chunked:all-kept"] > sound["64x4:chunked"]


def test_a_peak_of_the_forward_pass_alone_is_too_low(config: Path) -> None:
    (planted,) = predicted(config, "forward-only")["rows"]
    assert planted["held"]["backward"] == 0
    assert planted["peak"] < peaks(predicted(config))["64x4:chunked"]


def test_leaving_out_the_vision_tower_takes_its_weights_off_every_figure(
    monkeypatch: pytest.MonkeyPatch, config: Path
) -> None:
    monkeypatch.setattr(probe, "vision_bytes", lambda *_: 1000)
    arguments = ("--config", str(config), "--rows", "64x1:naive")
    sound, planted = (document_of(probe, (*arguments, *plant)) for plant in ((), ("--plant", "text-alone")))
    assert (sound["weights"]["vision"], planted["weights"]["vision"]) == (1000, 0)
    for figure in ("weights", "after_forward", "peak"):
        assert sound["rows"][0][figure] - planted["rows"][0][figure] == 1000


# The step ----------------------------------------------------------------------------------------------


def test_adapters_alone_are_trained_and_all_of_them_are_reached() -> None:
    torch.manual_seed(0)
    text = small_text()
    model = fake_step.lora_model(text, fake_step.Adapters(rank=2), dtype="float32")
    batch = fake_step.batch_of(text, tokens=40, sequences=2)
    loss = fake_step.take_step(model, batch, fake_step.Step("recomputed", 16))
    assert torch.isfinite(loss)
    for path, parameter in model.named_parameters():
        trained = "lora_" in path
        assert parameter.requires_grad == trained, path
        assert (parameter.grad is not None and bool(parameter.grad.any())) == trained, path


def test_what_one_step_does_leaves_no_trace_in_the_next() -> None:
    """transformers leaves a hook behind when checkpointing ends, and adds one each time that it begins."""
    text, kept = small_text(), fake_step.Step("naive", checkpointing=False)
    with fake_step.fake_tensors():
        model = fake_step.lora_model(text, fake_step.Adapters())
        batch = fake_step.batch_of(text, tokens=40, sequences=2)
        fresh = probe.follow(model, batch, kept)
        for _ in range(2):
            probe.follow(model, batch, fake_step.Step("naive"))
        assert probe.follow(model, batch, kept).peak == fresh.peak


def test_a_step_is_the_models_own_loss() -> None:
    """What is taken by parts here is what transformers computes in one call."""
    torch.manual_seed(0)
    text = small_text()
    model = fake_step.lora_model(text, fake_step.Adapters(rank=2), dtype="float32")
    batch = fake_step.batch_of(text, tokens=40, sequences=2)
    labels = torch.where(batch.mask.bool(), batch.numbers, -100)
    theirs = model(input_ids=batch.numbers, attention_mask=batch.mask, labels=labels).loss
    for way in ("naive", "recomputed"):
        ours = fake_step.take_step(model, batch, fake_step.Step(way, 16, checkpointing=False))
        torch.testing.assert_close(ours, theirs)


# The command line --------------------------------------------------------------------------------------


def test_a_row_is_read_back_as_it_is_written() -> None:
    for text in KNOWN:
        assert str(rows.row_of(text)) == text
    assert rows.rows_of("8x1:naive, 8x1:naive,9x2:chunked") == (
        rows.Row(8, 1, "naive", True),
        rows.Row(9, 2, "chunked", True),
    )


@pytest.mark.parametrize(
    ("text", "size"),
    [("95.6GiB", 102649718374), ("81559 MiB", 85520809984), ("80GB", 80 * 10**9), ("1.5MB", 1500000)],
)
def test_a_size_is_read_with_its_unit(text: str, size: int) -> None:
    assert sizes.size_of(text) == size


@pytest.mark.parametrize(
    "text", ["95.6", "GiB", "-1GiB", "0GiB", "95,6GiB", "1e3GiB", "90000GiB", "9" * 400 + "GB"]
)
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError):
        sizes.size_of(text)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--rows", "8192:naive"), "is no row"),
        (("--rows", "8192x1:liger"), "is no row"),
        (("--rows", "0x1:naive"), "must be above 0"),
        (("--rows", "1x1:naive"), "has none after it"),
        (("--card", "95.6"), "is no size"),
        (("--margin", "eight"), "is no percentage"),
        (("--margin", "-1"), "from 0 to 100"),
        (("--targets", ","), "names no module"),
        (("--config", "nowhere.json"), "cannot be read"),
    ],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--targets", "absent"), "has no linear module called absent"),
        (("--experts", "absent"), "AutoModelForCausalLM makes no gemma4_text"),
        (("--experts", "eager"), "cannot be taken without numbers"),
        (("--rows", "1099511627776x1099511627776:naive"), "Storage size calculation overflowed"),
    ],
)
def test_what_cannot_be_built_or_taken_is_said(
    arguments: tuple[str, ...], complaint: str, config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, ("--config", str(config), "--rows", "32x1:naive", *arguments), complaint, capsys)
