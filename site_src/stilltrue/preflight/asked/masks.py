"""Which mask reaches each layer's attention, in the model that is to be trained.

The question: `config`, a file, or `harness`, `module:function`; `lengths`, tokens in a sequence, empty for
one beyond the window; `padding`, of the second of two sequences: `none`, `ones`, `right`, `left`. A harness
returns the model, or a mapping of `model` and `batch`, what one forward is called with.

The answer: `model`, `attention` (the implementation), `window` (of the sliding layers), `chunk` (of chunked
ones), `own_batch` (whether a harness gave one), `layers` (what each attends to, by its configuration) and
`runs`, one a forward, each with `length` and its `calls` of `scaled_dot_product_attention`: `layer`, `path`
(`is_causal`, `mask` or `neither`), `largest` (the most keys that a row may see) and `ahead` (whether a row
sees keys that come after it). Or `fault` and `hint`, where there is no such model.

A model of a configuration keeps its layers, their pattern and its window and is made narrow, with random
weights: masks depend on shapes and on what is passed. Attention itself is not computed, for the same reason.
"""

from __future__ import annotations

import contextlib
import importlib
import json
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

NARROW: Mapping[str, object] = {
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

WITHOUT_WINDOW = 64
"""Tokens in a sequence where no window says which length would show it."""


class FaultError(Exception):
    """There is no model to look at.

    Attributes:
        fault: Why, in one clause.
        hint: What to do next.
    """

    def __init__(self, fault: str, hint: str) -> None:
        super().__init__(fault)
        self.fault = fault
        self.hint = hint


# The model ---------------------------------------------------------------------------------------------


def model_of_config(path: str) -> Any:
    """The language model of a `config.json`, narrow.

    Raises:
        FaultError: The file is none, or the installed transformers makes no model of it.
    """
    from transformers import AutoConfig, AutoModelForCausalLM  # noqa: PLC0415  # may not be installed

    hint = "name the config.json of a decoder, or give the model by a `harness`"
    try:
        raw = json.loads(Path(path).read_text(encoding="utf-8"))
        whole = AutoConfig.for_model(kind_of(raw), **without_kind(raw))
        inner = whole.get_text_config(decoder=True)
        text = raw.get("text_config") or raw
        config = AutoConfig.for_model(inner.model_type, **narrow(text, inner))
        return AutoModelForCausalLM.from_config(config, attn_implementation="sdpa")
    except Exception as error:  # noqa: BLE001  # each model checks its values itself, and raises what it likes
        raise FaultError(f"no model can be made of {path}: {first(error)}", hint) from None


def narrow(text: Mapping[str, Any], known: Any) -> dict[str, Any]:
    """The values of a configuration with small widths; those that it works out from others are left alone."""
    sizes = {*text, *known.to_dict()}
    small = {
        name: size
        for name, size in NARROW.items()
        if name in sizes and not isinstance(getattr(type(known), name, None), property)
    }
    return {**without_kind(text), **small}


def kind_of(raw: Any) -> str:
    """The `model_type` of a `config.json`.

    Raises:
        ValueError: It has none.
    """
    if not isinstance(raw, dict) or "model_type" not in raw:
        raise ValueError("it has no `model_type`")
    return str(raw["model_type"])


def without_kind(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The other values of a `config.json`."""
    return {key: value for key, value in raw.items() if key != "model_type"}


def model_of_harness(reference: str) -> tuple[Any, Mapping[str, Any] | None]:
    """The model, and the batch where there is one, that `module:function` returns.

    Raises:
        FaultError: There is no such function, it raises, or returns something else.
    """
    module, _, function = reference.partition(":")
    hint = "name a function of no arguments that returns the model: `harness: my_run:model`"
    try:
        found = getattr(importlib.import_module(module), function)()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # the user's code may raise anything
        told = f"{type(error).__name__}: {first(error)}"
        raise FaultError(f"{reference} gave no model: {told}", hint) from None
    model, batch = (found.get("model"), found.get("batch")) if isinstance(found, Mapping) else (found, None)
    if not (callable(model) and hasattr(model, "modules")):
        raise FaultError(f"{reference} returned no model: {type(model).__name__}", hint)
    if batch is not None and not isinstance(batch, Mapping):
        raise FaultError(
            f"the batch of {reference} is no mapping: {type(batch).__name__}",
            "let it be what the model is called with",
        )
    return model, batch


def text_config(model: Any) -> Any:
    """The configuration of a model's decoder.

    Raises:
        FaultError: It has none.
    """
    config: Any = getattr(model, "config", None)
    if not (hasattr(config, "get_text_config") or hasattr(config, "num_hidden_layers")):
        what = f"{type(model).__name__} has no configuration that says what its layers attend to"
        raise FaultError(what, "give a model of transformers, or one that has its `config`")
    return config.get_text_config(decoder=True) if hasattr(config, "get_text_config") else config


def kinds_of(config: Any) -> list[str]:
    """What each layer attends to: `sliding_attention`, `full_attention`, …."""
    named = getattr(config, "layer_types", None)
    if named:
        return [str(kind) for kind in named]
    kind = "sliding_attention" if window_of(config) else "full_attention"
    return [kind] * int(config.num_hidden_layers)


def window_of(config: Any) -> int | None:
    """The sliding window, in keys; None where there is none, which some configurations write as 0."""
    return getattr(config, "sliding_window", None) or None


def layers_of(model: Any, count: int) -> list[Any]:
    """The decoder's layers, in their order.

    Raises:
        FaultError: No list of modules is as long as the configuration says that there are layers.
    """
    from torch import nn  # noqa: PLC0415  # takes seconds

    decoder = model.get_decoder() if hasattr(model, "get_decoder") else model
    lists = [module for module in decoder.modules() if isinstance(module, nn.ModuleList)]
    for layers in (getattr(decoder, "layers", None), *lists):
        if isinstance(layers, nn.ModuleList) and len(layers) == count:
            return list(layers)
    what = f"{type(model).__name__} has no list of {count} layers"
    raise FaultError(what, "let its configuration say how many there are")


# A forward ---------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watched(layers: Sequence[Any]) -> Iterator[list[dict[str, Any]]]:
    """What every call of attention in `layers` is given, while the context lasts."""
    functional: Any = importlib.import_module("torch.nn.functional")
    calls: list[dict[str, Any]] = []
    now = [-1]
    seen: dict[int, tuple[Any, int, bool]] = {}
    original = functional.scaled_dot_product_attention

    def enter(layer: int, _module: object, _arguments: object) -> None:
        now[0] = layer

    def attend(
        query: Any,
        key: Any,
        value: Any,
        attn_mask: Any = None,
        dropout_p: float = 0.0,  # noqa: ARG001  # the name is torch's
        is_causal: bool = False,
        **_others: Any,
    ) -> Any:
        if attn_mask is not None and id(attn_mask) not in seen:  # most layers are handed the same one
            seen[id(attn_mask)] = (attn_mask, *reach(attn_mask))
        known = seen[id(attn_mask)][1:] if attn_mask is not None else plain(query, key, causal=is_causal)
        path = "mask" if attn_mask is not None else "is_causal" if is_causal else "neither"
        calls.append({"layer": now[0], "path": path, "largest": known[0], "ahead": known[1]})
        return value.new_zeros((*query.shape[:-1], value.shape[-1]))

    inside = [(number, module) for number, layer in enumerate(layers) for module in layer.modules()]
    hooks = [module.register_forward_pre_hook(partial(enter, number)) for number, module in inside]
    functional.scaled_dot_product_attention = attend
    try:
        yield calls
    finally:
        functional.scaled_dot_product_attention = original
        for hook in hooks:
            hook.remove()


def reach(mask: Any) -> tuple[int, bool]:
    """The most keys that a row of a mask lets through, and whether some row sees keys that come after it."""
    import torch  # noqa: PLC0415  # takes seconds

    # A boolean mask says what is let through; an additive one is very negative elsewhere.
    let = mask if mask.dtype == torch.bool else mask > torch.finfo(mask.dtype).min / 2
    beyond = let.shape[-1] - let.shape[-2] + 1
    return int(let.sum(-1).max()), bool(let.triu(beyond).any())


def plain(query: Any, key: Any, *, causal: bool) -> tuple[int, bool]:
    """The same of attention without a mask."""
    queries, keys = query.shape[-2], key.shape[-2]
    return (min(queries, keys), False) if causal else (keys, queries > 1)


def batch_of(length: int, padding: str, vocabulary: int) -> dict[str, Any]:
    """Two sequences of `length` tokens, the second padded by a quarter, with their mask."""
    import torch  # noqa: PLC0415  # takes seconds

    tokens = torch.randint(1, max(vocabulary, 2), (2, length))
    if padding == "none":
        return {"input_ids": tokens}
    mask = torch.ones(2, length, dtype=torch.long)
    if padding == "right":
        mask[1, length - length // 4 :] = 0
    elif padding == "left":
        mask[1, : length // 4] = 0
    return {"input_ids": tokens, "attention_mask": mask}


def forward(model: Any, layers: Sequence[Any], batch: Mapping[str, Any]) -> dict[str, Any]:
    """One forward, watched.

    Raises:
        FaultError: It fails.
    """
    import torch  # noqa: PLC0415  # takes seconds

    device = next((parameter.device for parameter in model.parameters()), "cpu")
    given = {name: value.to(device) if hasattr(value, "to") else value for name, value in batch.items()}
    ids = given.get("input_ids", given.get("inputs_embeds"))
    length = int(ids.shape[1]) if ids is not None else 0
    try:
        with torch.no_grad(), watched(layers) as calls:
            model(**{"use_cache": False, **given})
    except Exception as error:  # noqa: BLE001  # any model's forward
        told = f"the forward at {length} tokens failed: {type(error).__name__}: {first(error)}"
        raise FaultError(told, "give the model, and a batch of the run, by a `harness`") from None
    return {"length": length, "calls": calls}


# The whole ---------------------------------------------------------------------------------------------


def answer(question: Mapping[str, Any]) -> dict[str, Any]:
    """What is asked.

    Raises:
        FaultError: There is no model to look at.
    """
    harness = question.get("harness")
    model, batch = model_of_harness(harness) if harness else (model_of_config(question["config"]), None)
    config = text_config(model)
    kinds, window = kinds_of(config), window_of(config)
    layers = layers_of(model, len(kinds))
    lengths = question["lengths"] or [window + 1 if window else WITHOUT_WINDOW]
    vocabulary = int(getattr(config, "vocab_size", 2))
    made = [batch_of(length, question["padding"], vocabulary) for length in lengths]
    batches = made if batch is None else [batch]
    return {
        "model": type(model).__name__,
        "attention": getattr(config, "_attn_implementation", None),
        "window": window,
        "chunk": getattr(config, "attention_chunk_size", None),
        "layers": kinds,
        "own_batch": batch is not None,
        "runs": [forward(model, layers, each) for each in batches],
    }


def first(error: BaseException) -> str:
    """The first sentence of what a library says; the next one often lists all that it knows."""
    return " ".join(str(error).split()).partition(". ")[0] or type(error).__name__


def main(question: Mapping[str, Any]) -> dict[str, Any]:
    """The answer, or why there is none.

    Raises:
        SystemExit: A library is not there; its last words say which.
    """
    try:
        return answer(question)
    except FaultError as error:
        return {"fault": error.fault, "hint": error.hint}
    except ImportError as error:
        raise SystemExit(f"this needs torch and transformers: {first(error)}") from None
