"""A model from a `config.json`: read, made small without touching its layer pattern, built; no probe itself.

Nothing is downloaded: weights are random or, on the `meta` device, not there at all.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # before the import below, which reads it

import torch
import transformers
from torch import nn
from transformers import AutoConfig, AutoModelForCausalLM, AutoModelForImageTextToText

GEMMA = Path(__file__).parents[1] / "configs" / "gemma-4-26b-a4b.json"
"""The configuration that probes use by default; where its values come from stands beside it."""

SMALL: Mapping[str, object] = {
    "vocab_size": 64,
    "pad_token_id": 0,  # must lie inside the vocabulary
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "num_global_key_value_heads": 1,
    "head_dim": 8,
    "global_head_dim": 8,
    "num_experts": 4,
    "num_local_experts": 4,
    "top_k_experts": 2,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 8,
}
"""Widths that decide no mask, and what they become; a model's other sizes stay as they are."""


def read_raw(path: Path) -> dict[str, Any]:
    """The object in a `config.json`.

    Raises:
        SystemExit: There is no such file, or it holds no JSON object with a `model_type`.
    """
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SystemExit(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise SystemExit(f"{path}: is no JSON: {error}") from None
    if not isinstance(raw, dict) or "model_type" not in raw:
        raise SystemExit(f"{path}: has no `model_type`; name a transformers config.json")
    return raw


def text_part(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The part of a `config.json` that describes the language model: `text_config`, or all of it."""
    inner = getattr(config_of(raw), "text_config", None)
    if inner is None:
        return dict(raw)
    part = raw.get("text_config") or raw  # older files have the language model's values at the top
    return {**part, "model_type": inner.model_type}  # a part need not name its own


def config_of(raw: Mapping[str, Any]) -> Any:
    """The configuration object for a `config.json`.

    Raises:
        SystemExit: The installed transformers does not know it, or does not take its values.
    """
    values = {key: value for key, value in raw.items() if key != "model_type"}
    try:
        return AutoConfig.for_model(str(raw["model_type"]), **values)
    except Exception as error:  # noqa: BLE001  # each model checks its own values, and raises what it likes
        raise SystemExit(
            f"transformers {transformers.__version__} takes no such config: {first(error)}"
        ) from None


def shrunk(text: Mapping[str, Any]) -> dict[str, Any]:
    """The same language model, narrow: layers, their pattern and the window stay."""
    known = config_of(text)
    sizes = {*text, *known.to_dict()} - {name for name in SMALL if reckoned(known, name)}
    return {**text, **{name: size for name, size in SMALL.items() if name in sizes}}


def reckoned(config: Any, name: str) -> bool:
    """Whether a configuration works a size out from others, and takes none."""
    return isinstance(getattr(type(config), name, None), property)


def first_layers(text: Mapping[str, Any], count: int) -> dict[str, Any]:
    """The same language model cut down to its first layers; one that has fewer stays as it is."""
    count = min(count, int(config_of(text).num_hidden_layers))
    cut = {**text, "num_hidden_layers": count}
    if text.get("layer_types"):
        cut["layer_types"] = list(text["layer_types"])[:count]
    return cut


def layer_kinds(config: Any) -> tuple[str, ...]:
    """What each layer attends to, as its configuration names it: `sliding_attention`, `full_attention`, …."""
    named = getattr(config, "layer_types", None)
    if named:
        return tuple(map(str, named))
    kind = "sliding_attention" if window_of(config) else "full_attention"
    return (kind,) * int(config.num_hidden_layers)


def window_of(config: Any) -> int | None:
    """The sliding window, in keys; None where there is none, which some configurations write as 0.

    Raises:
        SystemExit: It is negative.
    """
    window = getattr(config, "sliding_window", None) or None
    if window is not None and int(window) < 0:
        raise SystemExit(f"{config.model_type}: a window of {window} keys is none; leave it out")
    return window


def language_model(text: Mapping[str, Any], *, seed: int, dtype: torch.dtype = torch.float32) -> nn.Module:
    """The language model with random weights, attending through torch's SDPA."""
    torch.manual_seed(seed)
    return made(config_of(text), AutoModelForCausalLM, attn_implementation="sdpa").to(dtype)


def on_meta(raw: Mapping[str, Any]) -> nn.Module:
    """The model of a `config.json` at its full size on the `meta` device: shapes, no numbers."""
    config = config_of(raw)
    with torch.device("meta"):
        return made(
            config, AutoModelForImageTextToText if hasattr(config, "vision_config") else AutoModelForCausalLM
        )


def made(config: Any, maker: Any, **how: str) -> nn.Module:
    """The model that `maker` makes of `config`.

    Raises:
        SystemExit: It makes no model of this kind.
    """
    try:
        model: nn.Module = maker.from_config(config, **how)
    except Exception as error:  # noqa: BLE001  # values that transformers did not check: anything may come
        raise SystemExit(f"{maker.__name__} makes no {config.model_type}: {first(error)}") from None
    return model


def first(error: Exception) -> str:
    """The first sentence of what a library says; the next one often lists every model it knows."""
    return " ".join(str(error).split()).partition(". ")[0] or type(error).__name__


def decoder_of(model: nn.Module) -> nn.Module:
    """The language model's decoder inside `model`: embeddings and layers, without the output head."""
    decoder: nn.Module = model.get_decoder()  # type: ignore[operator]  # transformers adds it to nn.Module
    return decoder


def layers_of(model: nn.Module) -> tuple[nn.Module, ...]:
    """The decoder's layers, in their order.

    Raises:
        SystemExit: It keeps them elsewhere than in a list called `layers`.
    """
    layers = getattr(decoder_of(model), "layers", None)
    if not isinstance(layers, nn.ModuleList):
        raise SystemExit(f"{type(model).__name__} has no list of decoder layers called `layers`")
    return tuple(layers)


def versions(*packages: Any) -> dict[str, str]:
    """Name and version of what the counts depend on."""
    return {package.__name__: str(package.__version__) for package in (torch, transformers, *packages)}
