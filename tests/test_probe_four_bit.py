from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import LLAMA, assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("bitsandbytes")
pytest.importorskip("peft")
probe = pytest.importorskip("four_bit")
four_bits = pytest.importorskip("probe_parts.four_bits")
heard = pytest.importorskip("probe_parts.heard").heard
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

EVIDENCE = Path(__file__).parents[1] / "claims" / "evidence" / "four-bit" / "four-bit.json"
GIB = 2**30
ROUTER, HEAD = "router.proj", "lm_head"


@cache
def sound() -> dict[str, Any]:
    return document_of(probe, ())


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The narrow model, saved once for all that is tried with a fault put in."""
    raw = model_config.read_raw(model_config.GEMMA)
    with heard():
        return probe.written(raw, settings(), str(tmp_path_factory.mktemp("narrow")))


def settings(plant: str = "") -> Any:
    return probe.Settings(config=model_config.GEMMA, layers=6, plant=plant)


def full(plant: str = "") -> dict[str, Any]:
    raw = model_config.read_raw(model_config.GEMMA)
    document: dict[str, Any] = probe.at_full_size(raw, settings(plant))
    return document


def test_the_load_says_that_it_worked_and_leaves_nine_tenths_as_they_were() -> None:
    loaded = sound()["loaded"]
    assert loaded["flag"] is True
    assert loaded["warnings"] == 0
    assert loaded["linear"] == {"packed": 47, "of": 47}
    assert loaded["experts"] == {"packed": 0, "of": 12}
    assert loaded["untouched_share"] > 0.9
    assert loaded["runs"] is True


def test_the_untouched_bytes_are_those_of_what_is_no_linear_layer(disk: Any) -> None:
    with heard():
        model = model_config.language_model(
            probe.narrow(model_config.read_raw(model_config.GEMMA), 6), seed=0, dtype=torch.bfloat16
        )
    linear = sum(
        m.weight.numel() for path, m in model.named_modules() if type(m) is torch.nn.Linear and path != HEAD
    )
    total = sum(p.numel() for p in model.parameters())
    assert disk.bytes == 2 * total
    assert sound()["loaded"]["untouched"] == 2 * (total - linear)
    # two weights a byte, and a scale of four bytes for each 64 of them
    assert sound()["loaded"]["after"] == 2 * (total - linear) + linear // 2 + linear // 16


def test_the_routers_are_packed_and_the_list_that_names_them_does_not_help() -> None:
    document = sound()
    assert document["loaded"]["routers"] == {"packed": 6, "of": 6}
    skips = document["skips"]
    assert [skips[words]["routers"]["packed"] for words in probe.SKIPS] == [6, 0, 0]
    assert [skips[words]["head"] for words in probe.SKIPS] == [True, True, False]
    assert [skips[words]["runs"] for words in probe.SKIPS] == [False, False, True]
    assert [skips[words]["warnings"] for words in probe.SKIPS] == [0, 0, 0]


def test_the_ear_that_hears_no_warning_at_the_load_hears_the_one_of_the_run() -> None:
    assert sound()["skips"]["router"]["warnings_of_the_run"] == 1
    assert sound()["skips"]["router"]["raises"] == "AssertionError"


def test_packed_by_hand_the_experts_go_too_and_adapters_get_gradients() -> None:
    hand = sound()["by_hand"]
    assert hand["untouched_share"] < 0.05
    assert hand["runs"] is True
    assert hand["adapters"] == {"modules": 41, "with_gradient": 41}
    assert hand["refused_by_name"] is True
    assert hand["loads_again"] is False


def test_at_full_size_little_is_saved() -> None:
    found = sound()["full"]
    assert round(found["saved_before_scales"] / GIB, 1) == 3.1
    assert round(found["saved"] / GIB, 2) == 2.95
    assert found["saved_before_scales"] - found["saved"] == found["saved_before_scales"] // 24  # 1/16 of 3/2
    assert found["routers"]["modules"] == 30
    assert found["after"] == found["before"] - found["saved"]
    experts = 30 * 128 * 3 * 2816 * 704
    assert (
        found["by_hand"]["saved"] == experts * 3 // 2 - experts // 16
    )  # and no other tensor of three dimensions
    assert found["fused"] == {"largest": 2 * 128 * 1408 * 2816, "bytes": 2 * experts}


def test_what_is_recorded_is_what_is_found_now() -> None:
    recorded = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    for key in ("settings", "loaded", "skips", "by_hand", "full"):
        assert recorded[key] == sound()[key], key


# Each plant is seen ------------------------------------------------------------------------------------


def test_counting_layers_for_bytes_finds_nothing_untouched(disk: Any) -> None:
    found = probe.plain_load(disk, settings("modules-for-bytes"))
    assert found["untouched_share"] == 0
    assert probe.plain_load(disk, settings())["untouched_share"] == sound()["loaded"]["untouched_share"]


def test_routers_that_are_left_out_are_seen(disk: Any) -> None:
    found = probe.plain_load(disk, settings("routers-skipped"))
    assert found["routers"] == {"packed": 0, "of": 6}
    assert found["linear"] == {"packed": 41, "of": 47}


def test_scales_that_are_not_paid_for_are_seen(disk: Any) -> None:
    planted = full("no-scales")
    assert planted["saved"] == planted["saved_before_scales"] > sound()["full"]["saved"]
    found = probe.plain_load(disk, settings("no-scales"))
    assert found["reckoned"] < found["after"] == sound()["loaded"]["reckoned"]


# Other models, and bad input ---------------------------------------------------------------------------


def test_a_dense_model_is_packed_but_for_its_embeddings_head_and_norms(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**LLAMA, "tie_word_embeddings": False}))
    document = document_of(probe, ("--config", str(config), "--layers", "2"))
    assert document["loaded"]["linear"] == {"packed": 14, "of": 14}
    assert document["loaded"]["routers"] == {"packed": 0, "of": 0}
    assert document["loaded"]["experts"] == {"packed": 0, "of": 0}
    assert document["by_hand"]["untouched"] == document["loaded"]["untouched"]
    assert document["full"]["by_hand"]["saved"] == document["full"]["fused"]["largest"] == 0
    assert document["loaded"]["after"] == document["loaded"]["reckoned"]
    # a list of modules to skip drops the default one: a head of its own is packed, and nothing is said
    listed = document["skips"]["router"]
    assert (listed["head"], listed["runs"], listed["warnings"]) == (True, True, 0)


def test_odd_sizes_are_rounded_up_as_they_are_stored() -> None:
    assert four_bits.saved([128]) == 256 - 64 - 8
    assert four_bits.saved([129]) == 258 - 65 - 12
    assert four_bits.saved([129], scales=False) == 258 - 65
    assert four_bits.saved([]) == 0


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [(("--layers", "0"), "must be above 0"), (("--config", "nowhere.json"), "cannot be read")],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)
