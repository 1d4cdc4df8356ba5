from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
loop = pytest.importorskip("expert_loop")
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "experts" / "loop.json"
LAYERS = 2
SMALL = ("--layers", str(LAYERS), "--tokens", "64")


@cache
def taken(plant: str = "", tokens: str = "64") -> dict[str, Any]:
    arguments = (*SMALL[:2], "--tokens", tokens, *(("--plant", plant) if plant else ()))
    return document_of(loop, arguments)


def ways(document: dict[str, Any]) -> tuple[dict[str, int], dict[str, int]]:
    return document["ways"]["eager"], document["ways"]["grouped_mm"]


def chosen_experts() -> int:
    """How many experts the routers choose, read where the loop itself reads it."""
    model = loop.built(loop.parse(SMALL), "eager")
    visited = []

    def choice(_: Any, args: tuple[Any, ...]) -> None:
        visited.append(len(set(args[1].flatten().tolist())))

    for layer in model_config.layers_of(model):
        layer.experts.register_forward_pre_hook(choice)
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        model(torch.randint(1, 64, (1, 64), generator=generator), use_cache=False)
    return sum(visited)


def test_both_ways_visit_the_experts_that_the_routers_choose() -> None:
    eager, grouped = ways(taken())
    assert eager["layers"] == grouped["layers"] == LAYERS
    assert eager["visits"] == grouped["visits"] == chosen_experts()


def test_the_loop_waits_five_times_for_each_expert_and_the_grouped_product_never() -> None:
    eager, grouped = ways(taken())
    # A visit compares the expert's number, selects three tensors by it, and asks for the tokens; the list of
    # experts that were hit costs a layer one size and two numbers more.
    assert eager["numbers_read"] == 4 * eager["visits"] + 2 * LAYERS
    assert eager["sizes_read"] == eager["visits"] + LAYERS
    assert eager["waits"] == eager["numbers_read"] + eager["sizes_read"]
    assert grouped["waits"] == grouped["numbers_read"] == grouped["sizes_read"] == 0
    assert eager["operators"] > 10 * grouped["operators"] > 0


def test_one_token_visits_the_experts_that_it_is_sent_to() -> None:
    eager, grouped = ways(taken(tokens="1"))
    assert eager["visits"] == grouped["visits"] == 8 * LAYERS


def test_both_ways_come_to_the_same_output() -> None:
    assert taken()["logits_apart"] < 1e-5 < 0.01 < taken()["largest_logit"]


def test_a_grouped_product_under_the_name_of_the_loop_is_seen() -> None:
    eager, grouped = ways(taken("grouped-for-loop"))
    assert eager == grouped
    assert eager["waits"] == 0
    assert taken("grouped-for-loop")["settings"]["plant"] == "grouped-for-loop"


def test_the_recorded_counts_are_of_the_whole_choice_and_agree_with_the_rule() -> None:
    document = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    eager, grouped = ways(document)
    assert document["settings"]["plant"] == ""
    assert eager["visits"] > 100 * eager["layers"]
    assert eager["waits"] == 5 * eager["visits"] + 3 * eager["layers"]
    assert grouped["waits"] == 0


def layer(*, experts: bool) -> Any:
    """A layer with a convolution, whose weight looks like that of experts."""
    made = torch.nn.ModuleDict({"conv1d": torch.nn.Conv1d(2, 2, 3)})
    if experts:
        made["experts"] = torch.nn.Module()
        made["experts"].up = torch.nn.Parameter(torch.ones(4, 2, 2))
    return made


def test_a_convolution_is_no_layer_of_experts() -> None:
    model = torch.nn.Sequential(layer(experts=True), layer(experts=False))
    assert loop.expert_layers(model) == [model[0]["experts"]]


def test_a_model_whose_forward_pass_fails_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loop, "built", lambda *_: layer(experts=True))  # which has no forward pass
    with pytest.raises(SystemExit, match="eager: the forward pass of a small ModuleDict fails: "):
        loop.counted(loop.parse(SMALL), "eager")


def test_a_model_without_fused_experts_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({"model_type": "llama", "vocab_size": 64, "pad_token_id": 0}))
    assert_refused(loop, ("--config", str(config)), "LlamaForCausalLM has no fused experts", capsys)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--tokens", "0"), "must be above 0"),
        (("--layers", "two"), "no whole number"),
        (("--config", "absent.json"), "cannot be read"),
        (("--plant", "other"), "invalid choice"),
    ],
    ids=["tokens", "layers", "config", "plant"],
)
def test_bad_arguments_are_refused(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(loop, arguments, complaint, capsys)
