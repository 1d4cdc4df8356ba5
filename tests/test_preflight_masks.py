"""Masks before a launch: models of transformers whose masks are known, some of them wrong in one way."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from launch_support import asked_here
from preflight_found import assert_refused, said
from preflight_support import launch_of
from recording_support import write
from stilltrue.preflight.checks import masks
from stilltrue.preflight.finding import passed

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")

pytestmark = pytest.mark.torch

MODEL: dict[str, Any] = {
    "model_type": "gemma3_text",
    "num_hidden_layers": 3,
    "num_attention_heads": 64,
    "head_dim": 256,
    "hidden_size": 4096,
    "intermediate_size": 16384,
    "vocab_size": 262144,
    "sliding_window": 16,
    "layer_types": ["sliding_attention", "full_attention", "sliding_attention"],
}
"""Far too large for a test, were its widths kept."""

SMALL = """\
import torch
from transformers import AutoConfig, AutoModelForCausalLM

def model(**more):
    torch.manual_seed(0)
    sizes = dict(vocab_size=64, hidden_size=16, intermediate_size=16, num_hidden_layers=2, head_dim=8)
    heads = dict(num_attention_heads=2, num_key_value_heads=1, pad_token_id=0)
    config = AutoConfig.for_model("mistral", **{**sizes, **heads, "sliding_window": 8, **more})
    return AutoModelForCausalLM.from_config(config, attn_implementation=more.get("attention", "sdpa"))
"""


def of_config(root: Path, settings: str, **more: Any) -> dict[str, str]:
    """What is said of the model of a configuration."""
    text = f"masks: {{config: runs/config.json, {settings}}}\n"
    with asked_here():
        return said(launch_of(root, text, {"runs/config.json": json.dumps({**MODEL, **more})}))


def of_harness(
    root: Path, body: str, settings: str = "fast: 0, padding: none", reference: str = "my_run:launch"
) -> dict[str, str]:
    """What is said of the model that a function returns."""
    text = f"masks: {{harness: {reference}, {settings}}}\n"
    with asked_here():
        return said(launch_of(root, text, {"my_run.py": f"{SMALL}\ndef launch():\n{body}\n"}))


def failed(found: dict[str, str]) -> dict[str, str]:
    return {what: text.removeprefix("FAIL ") for what, text in found.items() if text.startswith("FAIL ")}


def test_each_kind_of_layer_is_told_with_the_keys_that_a_token_sees(tmp_path: Path) -> None:
    assert of_config(tmp_path, "fast: 1, padding: none, window: 16") == {
        "sliding_attention at 17 tokens": "ok 2 layers, where a token sees 16 keys at most",
        "full_attention at 17 tokens": "ok 1 layer, where a token sees 17 keys at most",
        "causality at 17 tokens": "ok no token of 3 layers sees a later one",
        "fast path at 17 tokens": "ok 1 layer of 3 with `is_causal` and no mask",
    }


PADDED = {"none": 1, "ones": 1, "right": 0, "left": 0}
"""How many of the three layers are on the fast path: transformers drops a mask of ones, and no other."""


@pytest.mark.parametrize("padding", PADDED)
def test_padding_decides_who_takes_the_fast_path(padding: str, tmp_path: Path) -> None:
    found = of_config(tmp_path, f"fast: 1, padding: {padding}")
    wrong = failed(found)
    assert list(wrong) == ([] if PADDED[padding] else ["fast path at 17 tokens"])
    assert all("0 layers of 3 with `is_causal` and no mask; 1 were stated" in text for text in wrong.values())


def test_the_window_is_held_to_the_one_that_is_relied_on(tmp_path: Path) -> None:
    found = of_config(tmp_path, "fast: 1, padding: none, window: 1024")
    assert failed(found) == {"window": "stated as 1,024 tokens; the model has 16 tokens"}


def test_sequences_no_longer_than_the_window_show_nothing(tmp_path: Path) -> None:
    found = of_config(tmp_path, "fast: 1, padding: none, lengths: [8, 16]")
    shown = {"sliding_attention": "no sequence was longer than 16 tokens, so that none could show the band"}
    assert failed(found) == shown


def test_layers_with_other_rules_are_told_and_not_judged() -> None:
    told = {
        "model": "M", "attention": "sdpa", "window": None, "chunk": 4, "own_batch": False,
        "layers": ["chunked_attention", "linear_attention"],
        "runs": [],
    }  # fmt: skip
    model = masks.Model.of(told)
    assert (model.judged, model.limits["chunked_attention"]) == ((0,), 4)


UNBANDED = """\
    mask = torch.ones(1, 1, 12, 12, dtype=torch.bool).tril()
    tokens = torch.ones(1, 12, dtype=torch.long)
    return {"model": model(), "batch": {"input_ids": tokens, "attention_mask": mask}}"""
"""A causal mask of the run's own: transformers hands one of four dimensions to sliding layers as it is."""

AHEAD = """\
    made = model(sliding_window=None)
    for layer in made.model.layers:
        layer.self_attn.is_causal = False
    return made"""

EAGER = """\
    return model(attention="eager")"""


def test_a_mask_that_takes_the_window_away_is_seen(tmp_path: Path) -> None:
    wrong = failed(of_harness(tmp_path, UNBANDED))
    assert wrong == {"sliding_attention at 12 tokens": "layers 0, 1: a token sees up to 12 keys, not 8"}


def test_a_model_that_looks_ahead_is_seen(tmp_path: Path) -> None:
    wrong = failed(of_harness(tmp_path, AHEAD))
    assert wrong["causality at 64 tokens"] == "layers 0, 1 see tokens that come after their own"


def test_attention_that_is_not_seen_has_not_passed(tmp_path: Path) -> None:
    wrong = failed(of_harness(tmp_path, EAGER))
    text = "layers 0, 1 of 2 made no call of scaled_dot_product_attention (attention is `eager`)"
    assert wrong["attention at 9 tokens"] == text


def test_the_batch_of_the_run_is_used_where_it_is_given(tmp_path: Path) -> None:
    body = """\
    tokens = torch.ones(2, 12, dtype=torch.long)
    mask = torch.ones_like(tokens)
    mask[:, 10:] = 0
    return {"model": model(), "batch": {"input_ids": tokens, "attention_mask": mask, "labels": tokens}}"""
    found = of_harness(tmp_path, body)
    assert failed(found) == {}
    assert found["sliding_attention at 12 tokens"] == "ok 2 layers, where a token sees 8 keys at most"


def test_a_batch_whose_samples_are_shorter_than_the_window_shows_no_band(tmp_path: Path) -> None:
    """Two samples of six tokens packed into twelve, and a window of eight."""
    body = """\
    tokens = torch.ones(1, 12, dtype=torch.long)
    places = torch.arange(12).remainder(6)[None]
    return {"model": model(), "batch": {"input_ids": tokens, "position_ids": places}}"""
    saw = "no token saw more than 6 keys of 8, so that none could show the band"
    assert failed(of_harness(tmp_path, body)) == {"sliding_attention at 12 tokens": saw}


FAULTS = {
    "no-module": ("    return None", "no_run:launch", "ModuleNotFoundError: No module named 'no_run'"),
    "no-function": ("    return None", "my_run:other", "has no attribute 'other'"),
    "no-model": ("    return 3", "my_run:launch", "returned no model: int"),
    "raises": (
        "    raise RuntimeError('no weights here. Look.')",
        "my_run:launch",
        "RuntimeError: no weights",
    ),
    "ends": ("    raise SystemExit(3)", "my_run:launch", "SystemExit: 3"),
    "no-configuration": ("    return torch.nn.Linear(1, 1)", "my_run:launch", "Linear has no configuration"),
    "no-batch": (
        "    return {'model': model(), 'batch': 3}",
        "my_run:launch",
        "the batch of my_run:launch is no mapping: int",
    ),
    "no-forward": (
        "    return {'model': model(), 'batch': {'x': 3}}",
        "my_run:launch",
        "the forward at 0 tokens",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_harness_that_gives_no_model_says_why(name: str, tmp_path: Path) -> None:
    body, reference, why = FAULTS[name]
    found = of_harness(tmp_path, body, reference=reference)
    assert list(found) == ["model"]
    assert why in failed(found)["model"]


CONFIGS = {
    "unknown-kind": ('{"model_type": "no-such"}', "no model can be made of runs/config.json"),
    "no-json": ("{", "no model can be made of runs/config.json"),
    "no-kind": ("{}", "it has no `model_type`"),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_a_configuration_of_no_model_says_so(name: str, tmp_path: Path) -> None:
    text, why = CONFIGS[name]
    root = launch_of(tmp_path, "masks: {config: runs/config.json, fast: 0}\n", {"runs/config.json": text})
    with asked_here():
        assert why in failed(said(root))["model"]


def test_a_configuration_is_a_file_of_the_project(tmp_path: Path) -> None:
    """A pipe would be waited for, and what lies outside is not the run's."""
    root = launch_of(tmp_path / "root", "masks: {config: config.json, fast: 0}\n")
    os.mkfifo(root / "config.json")
    assert failed(said(root)) == {"masks": "`config.json` is not a regular file"}
    (root / "config.json").unlink()
    write(tmp_path, {"outside.json": json.dumps(MODEL)})
    (root / "config.json").symlink_to(tmp_path / "outside.json")
    assert "leads out of the repository through a link" in failed(said(root))["masks"]


def test_a_library_that_is_not_there_fails(tmp_path: Path) -> None:
    """In a process of its own, under an interpreter that has the standard library alone."""
    root = launch_of(
        tmp_path,
        "python: ./bare.sh\nmasks: {config: runs/config.json, fast: 0}\n",
        {
            "runs/config.json": json.dumps(MODEL),
            "bare.sh": f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n',
        },
    )
    (root / "bare.sh").chmod(0o755)
    assert "this needs torch and transformers: No module named 'transformers'" in failed(said(root))["masks"]


REFUSED = {
    "neither": ("fast: 0", "this needs one of `config` and `harness`"),
    "both": ("config: a.json, harness: 'a:b', fast: 0", "this needs one of `config` and `harness`"),
    "no-fast": ("config: a.json", "`fast` is missing"),
    "no-function": ("harness: my_run, fast: 0", "`my_run` is no module and function"),
    "padding": ("config: a.json, fast: 0, padding: rigth", "`rigth` is no padding"),
    "length": ("config: a.json, fast: 0, lengths: [1]", "`1` is no length"),
    "endless": (f"config: a.json, fast: 0, lengths: [{'9' * 5000}]", "is no length"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_settings_that_make_no_sense_are_refused(name: str, tmp_path: Path) -> None:
    settings, why = REFUSED[name]
    assert_refused(tmp_path, f"masks: {{{settings}}}\n", 1, why)


def test_the_check_can_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the asked program saw decides: were it blind, a window that is gone would pass."""
    assert failed(of_harness(tmp_path / "seen", UNBANDED))
    monkeypatch.setattr(masks, "_band", lambda _model, what, *_: passed(what, "not looked at"))
    assert not failed(of_harness(tmp_path / "unseen", UNBANDED))
