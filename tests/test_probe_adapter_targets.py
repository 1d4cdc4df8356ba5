from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import LLAMA, assert_refused, document_of

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("peft")
probe = pytest.importorskip("adapter_targets")
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

EVIDENCE = Path(__file__).parents[1] / "claims" / "evidence" / "adapters" / "targets.json"


@cache
def sound() -> dict[str, Any]:
    return document_of(probe, ())


def settings(plant: str) -> Any:
    return probe.Settings(config=model_config.GEMMA, rank=64, plant=plant)


def text() -> dict[str, Any]:
    found: dict[str, Any] = model_config.text_part(model_config.read_raw(model_config.GEMMA))
    return found


def test_a_misspelt_name_among_right_ones_is_taken_in_silence() -> None:
    lists = sound()["lists"]
    assert lists["attention"] == {
        "adapters": 115,
        "on_routers": 0,
        "trainable": 45_957_120,
        "warnings": 0,
    }
    assert lists["attention, v_proj misspelt"]["adapters"] == 115 - 25
    assert lists["attention, v_proj misspelt"]["warnings"] == 0
    # a value projection of the 25 layers that have one, at rank 64: 2816 in, eight heads of 256 out
    lost = lists["attention"]["trainable"] - lists["attention, v_proj misspelt"]["trainable"]
    assert lost == 25 * 64 * (2816 + 8 * 256)


def test_a_misspelt_name_alone_is_refused() -> None:
    assert "v_porj" in sound()["lists"]["a misspelt name alone"]["refuses"]


def test_naming_the_fused_experts_as_a_module_adds_nothing_and_as_parameters_much() -> None:
    lists = sound()["lists"]
    assert lists["seven names and gate_up_proj"] == lists["seven names"]
    # rank 64 on each of 128 experts, in 30 layers: 2816 in, 1408 out, and 704 in, 2816 out
    experts = 30 * 128 * 64 * ((2816 + 1408) + (704 + 2816))
    both = lists["seven names and the fused experts"]
    assert both["trainable"] == lists["seven names"]["trainable"] + experts
    assert both["adapters"] == lists["seven names"]["adapters"] + 2 * 30


def test_all_linear_takes_the_routers_too() -> None:
    found = sound()["lists"]["all-linear"]
    assert (found["adapters"], found["on_routers"]) == (235, 30)
    assert found["trainable"] == sound()["lists"]["seven names"]["trainable"] + 30 * 64 * (2816 + 128)


def test_an_adapter_on_keys_moves_values_where_they_are_one() -> None:
    assert sound()["adapter_on_keys"] == {
        "sliding_attention": {"layer": 0, "keys": True, "values": False},
        "full_attention": {"layer": 5, "keys": True, "values": True},
    }


def test_what_is_recorded_is_what_is_found_now() -> None:
    recorded = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    for key in ("settings", "lists", "adapter_on_keys"):
        assert recorded[key] == sound()[key], key


def test_layers_with_values_of_their_own_are_seen() -> None:
    found = probe.by_kind(text(), settings("own-values"))
    assert {kind: row["values"] for kind, row in found.items()} == {
        "sliding_attention": False,
        "full_attention": False,
    }


def test_counting_names_for_modules_is_seen() -> None:
    values = probe.LISTS["attention, v_proj misspelt"]
    assert probe.reached(text(), values, settings("names-for-modules"))["adapters"] == 4 * 30


def test_another_model_is_counted_by_its_own_modules(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps(LLAMA))
    document = document_of(probe, ("--config", str(config), "--rank", "2"))
    assert document["lists"]["seven names"]["adapters"] == 7 * 3
    assert document["lists"]["all-linear"]["on_routers"] == 0
    assert document["adapter_on_keys"] == {
        "full_attention": {"layer": 0, "keys": True, "values": False},
    }


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("--rank", "0"), "must be above 0"), (("--config", "nowhere.json"), "cannot be read")],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)
