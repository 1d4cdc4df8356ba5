from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
functional = torch.nn.functional
census = pytest.importorskip("mask_census")
watch = pytest.importorskip("probe_parts.attention_watch")
model_config = pytest.importorskip("probe_parts.model_config")

pytestmark = pytest.mark.torch

ROOT = Path(__file__).parents[1]
EVIDENCE = ROOT / "claims" / "evidence" / "masks" / "census.json"
WINDOW = 32
SMALL = ("--layers", "6", "--window", str(WINDOW), "--lengths", "31,32,33,64")
SLIDING, FULL = "sliding_attention", "full_attention"


@cache
def taken(plant: str = "") -> dict[str, Any]:
    """The census of six layers, five of them with a window of 32."""
    return document_of(census, (*SMALL, *(("--plant", plant) if plant else ())))


def case(document: dict[str, Any], length: int, padding: str) -> dict[str, Any]:
    (found,) = [c for c in document["census"] if (c["length"], c["padding"]) == (length, padding)]
    return dict(found)


def masked(document: dict[str, Any], length: int, padding: str) -> tuple[int, int]:
    found = case(document, length, padding)
    for kind in (SLIDING, FULL):
        assert found[kind]["is_causal"] + found[kind]["mask"] == found[kind]["layers"]
    return found[SLIDING]["mask"], found[FULL]["mask"]


# Real forwards -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("padding", ["no mask", "all ones"])
@pytest.mark.parametrize(("length", "sliding"), [(31, 0), (32, 5), (33, 5), (64, 5)])
def test_only_layers_with_a_window_get_a_mask_and_only_from_its_length_on(
    padding: str, length: int, sliding: int
) -> None:
    assert masked(taken(), length, padding) == (sliding, 0)


@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("length", [31, 64])
def test_padding_takes_every_layer_off_the_fast_path(padding: str, length: int) -> None:
    assert masked(taken(), length, padding) == (5, 1)
    assert masked(taken("drop-padding"), length, padding) == masked(taken(), length, "no mask")


@pytest.mark.parametrize(("length", "widest"), [(31, 31), (32, 32), (33, 32), (64, 32)])
def test_no_row_of_a_sliding_layer_sees_more_keys_than_the_window(length: int, widest: int) -> None:
    for padding in census.PADDINGS:
        assert case(taken(), length, padding)[SLIDING]["largest_row"] == widest
    assert case(taken(), length, "no mask")[FULL]["largest_row"] == length


def test_a_window_that_is_one_key_wider_is_seen() -> None:
    wide = taken("window-off-by-one")
    assert case(wide, 64, "no mask")[SLIDING]["largest_row"] == WINDOW + 1
    assert case(wide, 33, "right")[SLIDING]["largest_row"] == WINDOW + 1
    assert masked(wide, 32, "no mask") == (0, 0)
    assert wide["settings"]["window"] == WINDOW


def test_left_padding_leaves_rows_without_a_key_and_right_padding_does_not() -> None:
    assert case(taken(), 31, "left")[FULL]["smallest_row"] == 0
    assert case(taken(), 31, "right")[FULL]["smallest_row"] == 1


@pytest.mark.parametrize("model", ["this_model", "llama_float64"])
def test_a_right_padding_mask_moves_neither_loss_nor_gradients(model: str) -> None:
    sound = taken()["padding_mask"][model]["right"]
    assert sound["loss_difference"] < 1e-6
    assert sound["largest_gradient"] > 1e-3
    assert sound["gradient_share"] == sound["gradient_difference"] / sound["largest_gradient"] < 1e-5
    counted = taken("count-padding")["padding_mask"][model]["right"]
    assert counted["loss_difference"] > 1e-5
    assert counted["gradient_share"] > 1e-3


@pytest.mark.parametrize("model", ["this_model", "llama_float64"])
def test_a_left_padding_mask_moves_the_loss(model: str) -> None:
    assert taken()["padding_mask"][model]["left"]["loss_difference"] > 1e-5
    assert taken("drop-padding")["padding_mask"][model]["left"]["loss_difference"] == 0


def test_a_model_without_windows_has_one_kind_of_layer(tmp_path: Path) -> None:
    config = tmp_path / "config.json"
    config.write_text(json.dumps({**census.LLAMA, "vocab_size": 9999, "pad_token_id": 9000}))
    document = document_of(census, ("--config", str(config), "--lengths", "16,24"))
    assert document["layers"] == {FULL: [0, 1]}
    assert [c[FULL]["mask"] for c in document["census"]] == [0, 0, 2, 2] * 2


def test_the_recorded_census_is_of_the_whole_pattern_and_agrees_with_itself() -> None:
    document = json.loads(EVIDENCE.read_text(encoding="utf-8"))
    assert document["settings"]["plant"] == ""
    assert {kind: len(layers) for kind, layers in document["layers"].items()} == {SLIDING: 25, FULL: 5}
    for found in document["census"]:
        for kind, layers in document["layers"].items():
            assert sum(found["paths"][i] == "mask" for i in layers) == found[kind]["mask"]
            assert max(found["largest_rows"][i] for i in layers) == found[kind]["largest_row"]


# The watch ---------------------------------------------------------------------------------------------


class Attends(torch.nn.Module):  # type: ignore[misc, name-defined]  # importorskip gives Any
    """A layer that attends as it is told."""

    def __init__(self, **how: Any) -> None:
        super().__init__()
        self.how = how

    def forward(self, x: Any) -> Any:
        return functional.scaled_dot_product_attention(x, x, x, **self.how)


def test_the_watch_sees_what_is_passed_and_by_which_layer() -> None:
    mask = torch.ones(6, 6, dtype=torch.bool).tril()
    layers = [Attends(is_causal=True), Attends(attn_mask=mask), Attends()]
    x = torch.randn(1, 2, 6, 4)
    alone = [layer(x) for layer in layers]
    with watch.watched(layers) as calls:
        seen = [layers[i](x) for i in (2, 0, 1)]
    assert [(call.layer, call.path) for call in calls] == [(2, "neither"), (0, "is_causal"), (1, "mask")]
    assert [watch.allowed(call) for call in calls] == [(6, 6), (6, 1), (6, 1)]
    assert all(torch.equal(seen[n], alone[i]) for n, i in enumerate((2, 0, 1)))


def test_the_watch_ends_with_its_context_even_after_an_error() -> None:
    before, layer = functional.scaled_dot_product_attention, Attends(is_causal=True)
    with pytest.raises(ValueError, match="stop"), watch.watched([layer]) as calls:
        raise ValueError("stop")
    assert functional.scaled_dot_product_attention is before
    layer(torch.randn(1, 1, 4, 4))
    assert calls == []


@pytest.mark.filterwarnings("ignore::FutureWarning")  # transformers is renaming the call
def test_a_step_with_checkpointing_is_seen_forward_and_again_in_its_backward() -> None:
    model = model_config.language_model(census.LLAMA, seed=0).train()
    model.gradient_checkpointing_enable()
    tokens = torch.randint(1, 64, (1, 12))
    with watch.watched(model_config.layers_of(model)) as calls:
        model(tokens, labels=tokens, use_cache=False).loss.backward()
    assert [call.layer for call in calls] == [0, 1, 1, 0]
    assert {(call.path, watch.allowed(call)) for call in calls} == {("is_causal", (12, 1))}


def test_additive_masks_are_counted_like_boolean_ones() -> None:
    band = torch.ones(8, 8, dtype=torch.bool).tril().triu(-2)
    for closed in (float("-inf"), torch.finfo(torch.float32).min):
        additive = torch.zeros(8, 8).masked_fill(~band, closed)
        assert watch.allowed(watch.Call(0, additive, False, 8, 8)) == (3, 1)
    assert watch.allowed(watch.Call(0, band, False, 8, 8)) == (3, 1)


def test_attention_that_the_watch_cannot_see_is_an_error() -> None:
    call = watch.Call(0, None, True, 8, 8)
    with pytest.raises(SystemExit, match="1 calls of scaled_dot_product_attention in 2 layers"):
        census.summary([call], (SLIDING, FULL))


# The configuration -------------------------------------------------------------------------------------


def test_a_shrunk_model_keeps_its_layers_their_pattern_and_its_window() -> None:
    raw = model_config.text_part(model_config.read_raw(model_config.GEMMA))
    small = model_config.shrunk(raw)
    assert {name for name in raw if raw[name] != small[name]} <= set(model_config.SMALL)
    kinds = model_config.layer_kinds(model_config.config_of(small))
    assert kinds == tuple(raw["layer_types"])
    assert [i for i, kind in enumerate(kinds) if kind == FULL] == [5, 11, 17, 23, 29]
    assert small["sliding_window"] == 1024


def test_more_layers_than_there_are_are_not_invented() -> None:
    raw = {"model_type": "llama", "num_hidden_layers": 2}
    assert model_config.first_layers(raw, 99)["num_hidden_layers"] == 2
    assert model_config.first_layers(raw, 1)["num_hidden_layers"] == 1


def test_a_window_of_0_is_none() -> None:
    config = model_config.config_of({"model_type": "qwen2_moe", "num_hidden_layers": 1})
    assert config.sliding_window == 0
    assert model_config.window_of(config) is None


@pytest.mark.parametrize("flat", [False, True], ids=["in a part of its own", "at the top"])
def test_the_language_model_of_a_model_with_vision_is_found(flat: bool) -> None:
    values = {"num_hidden_layers": 3}
    part = model_config.text_part({"model_type": "gemma3", **(values if flat else {"text_config": values})})
    assert part["model_type"] == "gemma3_text"
    assert model_config.config_of(model_config.shrunk(part)).num_hidden_layers == 3


def test_a_parameter_that_is_not_trained_has_no_gradient_to_compare() -> None:
    model = torch.nn.Linear(2, 1)
    model.bias.requires_grad_(False)
    assert [g.shape for g in census.gradients(model, model(torch.ones(1, 2)).sum())] == [(1, 2)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        (None, "cannot be read"),
        ("{", "is no JSON"),
        ("[1]", "has no `model_type`"),
        ('{"hidden_size": 3}', "has no `model_type`"),
        ('{"model_type": "no-such-model"}', "takes no such config"),
        ('{"model_type": "t5"}', "makes no t5"),
        ('{"model_type": "llama", "hidden_size": "wide"}', "expected int, got str"),
        ('{"model_type": "llama", "num_attention_heads": 0}', "takes no such config"),
        ('{"model_type": "gpt2", "n_layer": 1}', "no list of decoder layers"),
        ('{"model_type": "mistral", "sliding_window": -1}', "a window of -1 keys is none"),
        ('{"model_type": "deepseek_v3", "num_hidden_layers": 1}', "cannot be run at its small widths"),
    ],
)
def test_a_bad_configuration_is_said_in_a_sentence(
    text: str | None, complaint: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "config.json"
    if text is not None:
        config.write_text(text)
    assert_refused(census, ("--config", str(config), "--lengths", "16"), complaint, capsys)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--lengths", "4"), "must be at least 8"),
        (("--lengths", "16,x"), "`x` is no whole number"),
        (("--seed", "-1"), "must be at least 0"),
        (("--seed", str(2**63)), "below 2^63"),
        (("--layers", "0"), "must be above 0"),
        (("--plant", "nothing"), "invalid choice"),
    ],
)
def test_a_bad_argument_is_said(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(census, arguments, complaint, capsys)
