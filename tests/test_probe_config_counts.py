from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import LLAMA, assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")
probe = pytest.importorskip("config_counts")
counts = pytest.importorskip("probe_parts.module_counts")
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "counts" / "gemma-4-26b-a4b.json"
GIB = 2**30


@cache
def counted(plant: str = "") -> dict[str, Any]:
    """The counts of the default configuration, at its full size."""
    return document_of(probe, ("--plant", plant) if plant else ())


def by_hand() -> dict[str, int]:
    """The language model's parameters from its configuration's numbers: another way than counting modules."""
    c = model_config.text_part(model_config.read_raw(model_config.GEMMA))
    hidden, heads, layers = c["hidden_size"], c["num_attention_heads"], c["num_hidden_layers"]
    full = c["layer_types"].count("full_attention")
    sliding_attention = hidden * c["head_dim"] * (2 * heads + 2 * c["num_key_value_heads"])
    full_attention = hidden * c["global_head_dim"] * (2 * heads + c["num_global_key_value_heads"])
    norms = 7 * hidden * layers + hidden + 2 * (c["head_dim"] * (layers - full) + c["global_head_dim"] * full)
    router = layers * (hidden * c["num_experts"] + hidden + c["num_experts"])
    experts = layers * c["num_experts"] * 3 * hidden * c["moe_intermediate_size"]
    rest = c["vocab_size"] * hidden + layers * 3 * hidden * c["intermediate_size"] + norms + router
    attention = (layers - full) * sliding_attention + full * full_attention
    return {"experts": experts, "language": experts + rest + attention}


def test_the_counts_are_those_that_the_configuration_implies() -> None:
    document, hand = counted(), by_hand()
    sizes = document["sizes"]
    assert sizes["fused experts"]["parameters"] == hand["experts"]
    assert sizes["language model"]["parameters"] == hand["language"]
    assert all(size["bytes"] == 2 * size["parameters"] for size in sizes.values())
    assert document["experts"]["tensors"] == 2 * 30
    assert document["experts"]["shapes"] == {
        "experts.gate_up_proj": [128, 1408, 2816],
        "experts.down_proj": [128, 2816, 704],
    }
    assert document["active"]["parameters"] == hand["language"] - hand["experts"] * 120 // 128


def test_the_known_figures_come_out() -> None:
    document = counted()
    experts, whole = document["experts"], document["sizes"]["whole model"]
    assert document["lora"]["modules"] == 205
    assert document["lora"]["trainable"] == 74_342_400
    assert document["lora"]["attention"]["trainable"] == 45_957_120
    assert document["lora"]["layers_without"] == {"v_proj": [5, 11, 17, 23, 29]}
    assert round(experts["parameters"] / 1e9, 3) == 22.838
    assert round(experts["bytes"] / GIB, 3) == 42.539
    assert round(whole["bytes"] / GIB, 3) == 48.067
    assert round(experts["of_whole"], 3) == 0.885
    assert round(experts["of_language"], 3) == 0.905


def test_peft_adapts_the_same_modules_and_does_not_mention_those_that_are_missing() -> None:
    document = counted()
    for ours, theirs in (
        (document["lora"], document["peft"]["language_model"]),
        (document["lora"]["attention"], document["peft"]["attention"]),
    ):
        assert theirs == {
            "modules": ours["modules"],
            "trainable": ours["trainable"],
            "warnings_that_name_a_target": 0,
        }
    assert "Gemma4ClippableLinear" in document["peft"]["whole_model"]["refuses"]


def test_the_recorded_counts_are_what_is_counted_now() -> None:
    recorded = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    now = counted()
    for key in ("settings", "sizes", "experts", "active", "lora"):
        assert recorded[key] == now[key], key


# Each plant is seen ------------------------------------------------------------------------------------


def test_counting_linear_layers_alone_misses_the_experts() -> None:
    planted = counted("linear-only")
    whole, sound = (document["sizes"]["whole model"]["parameters"] for document in (planted, counted()))
    assert planted["experts"]["parameters"] == 0
    assert whole < 0.15 * sound
    assert planted["active"]["parameters"] != counted()["active"]["parameters"]


def test_taking_the_first_layer_for_all_invents_targets() -> None:
    planted = counted("first-layer-for-all")["lora"]
    assert planted["modules"] == 210
    assert planted["layers_without"] == {}
    assert planted["trainable"] != counted()["lora"]["trainable"]
    assert planted["attention"]["trainable"] != counted()["lora"]["attention"]["trainable"]


def test_matching_substrings_finds_the_vision_tower_too() -> None:
    planted = counted("substring")["lora"]
    assert planted["modules"] == 205 + 27 * 7
    assert planted["trainable"] > counted()["lora"]["trainable"]


# Small models ------------------------------------------------------------------------------------------


def test_another_configuration_is_counted_by_its_own_modules(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA))
    document = document_of(
        probe, ("--config", str(config), "--rank", "4", "--targets", "q_proj,v_proj,absent")
    )
    real = model_config.language_model(LLAMA, seed=0)
    assert document["sizes"]["whole model"]["parameters"] == sum(p.numel() for p in real.parameters())
    assert document["experts"]["parameters"] == 0
    assert document["active"]["parameters"] == document["sizes"]["language model"]["parameters"]
    assert document["lora"]["by_name"] == {"q_proj": 3, "v_proj": 3, "absent": 0}
    assert document["lora"]["trainable"] == 3 * 4 * ((32 + 32) + (32 + 16))
    assert document["lora"]["layers_without"] == {"absent": [0, 1, 2]}
    assert document["peft"]["language_model"]["modules"] == 6


def test_adapters_take_no_memory_however_wide(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA))
    rank = 1 << 39  # two hundred TiB for one adapter, were it not on the `meta` device
    document = document_of(probe, ("--config", str(config), "--rank", str(rank), "--targets", "q_proj"))
    assert document["lora"]["trainable"] == document["peft"]["language_model"]["trainable"] == 3 * rank * 64


def test_three_dimensions_alone_make_no_experts() -> None:
    model = torch.nn.Module()
    model.table = torch.nn.Parameter(torch.empty(2, 10, 4))
    model.experts = torch.nn.Parameter(torch.empty(8, 10, 4))
    model.flat = torch.nn.Parameter(torch.empty(8, 10))
    assert list(counts.fused_experts(model, 8)) == ["experts"]
    assert counts.fused_experts(model, None) == {}


def test_shapes_that_differ_between_layers_are_an_error() -> None:
    parameters = {f"layers.{i}.experts.up": torch.empty(2, 3, 4 + i) for i in range(2)}
    with pytest.raises(SystemExit, match=r"experts\.up has not the same shape"):
        counts.shapes(parameters)


def test_tied_weights_are_counted_once() -> None:
    model = torch.nn.Module()
    model.embed, model.head = torch.nn.Embedding(10, 4), torch.nn.Linear(4, 10, bias=False)
    assert counts.size(counts.linear_parameters(model)) == 80
    model.head.weight = model.embed.weight
    assert counts.size(counts.linear_parameters(model)) == counts.size(model.parameters()) == 40


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--targets", " , "), "names no module"),
        (("--rank", "0"), "must be above 0"),
        (("--config", "nowhere.json"), "cannot be read"),
    ],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)
