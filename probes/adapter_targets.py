#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14", "peft>=0.21"]
# [tool.stilltrue]
# writes = "claims/evidence/adapters/targets.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "10 min"
# plant = ["names-for-modules", "own-values"]
# ///
"""What lists of target modules reach, which say so when they reach less, and what an adapter on keys moves.

Settles:
    For a `config.json` and several lists of targets (the usual names, one of them misspelt, one that names
    the fused experts, `all-linear`, …): how many adapters peft makes, on how many routers, how many
    parameters train, and whether peft warns, refuses or says nothing. For a layer of each kind, whether an
    adapter on `k_proj` moves the keys that reach attention, the values, or both.

Needs:
    torch, transformers and peft. No accelerator, no weights, no network.

Costs:
    A quarter of a minute on one core, and about 1 GiB of memory.

Cannot settle:
    Which targets a run should have. What peft does with a model of another kind, or in another release: the
    versions stand in the record. Whether the adapters that are made also train.

Adapters are put on the model at its full size, on the `meta` device. Keys and values are those of a narrow
model with the same layers and random weights, which really runs: they are taken where they enter
`scaled_dot_product_attention`, once with the adapter at its start, where it changes nothing, and once moved.
Standard output is one JSON document, progress goes to standard error.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which bring transformers

import peft
import torch
from torch import Tensor, nn
from torch.nn import functional

from probe_parts import model_config, module_counts
from probe_parts.command_line import parser_of, positive
from probe_parts.heard import heard
from probe_parts.output import as_json, say

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
SEVEN = (*ATTENTION, "gate_proj", "up_proj", "down_proj")
LISTS: Mapping[str, Mapping[str, object]] = {
    "seven names": {"target_modules": SEVEN},
    "attention": {"target_modules": ATTENTION},
    "attention, v_proj misspelt": {"target_modules": ("q_proj", "k_proj", "v_porj", "o_proj")},
    "a misspelt name alone": {"target_modules": ("v_porj",)},
    "seven names and gate_up_proj": {"target_modules": (*SEVEN, "gate_up_proj")},
    "all-linear": {"target_modules": "all-linear"},
    "seven names and the fused experts": {
        "target_modules": SEVEN,
        "target_parameters": ("experts.gate_up_proj", "experts.down_proj"),
    },
}
"""What a configuration of adapters says, by the words that stand for it in the evidence."""

TOKENS = 8
PLANTS = {
    "names-for-modules": "adapters are counted as names times layers, and not in the model",
    "own-values": "every layer of the narrow model has a value projection of its own",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is tried; every field is an argument of the same name.

    Attributes:
        config: The `config.json`.
        rank: Of the adapters.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    rank: int
    plant: str


# Lists of targets --------------------------------------------------------------------------------------


def listed(values: Mapping[str, object]) -> dict[str, Any]:
    """The values as peft takes them: a tuple as a list."""
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}


def reached(text: Mapping[str, Any], values: Mapping[str, object], settings: Settings) -> dict[str, Any]:
    """What one list reaches in the language model, or what peft says instead."""
    model = model_config.on_meta(text)
    with heard() as said, torch.device("meta"):
        try:
            peft.get_peft_model(model, peft.LoraConfig(r=settings.rank, **listed(values)))
        except (ValueError, RuntimeError) as error:
            return {"refuses": model_config.first(error)}
    paths = [path for path, m in model.named_modules() if isinstance(m, peft.tuners.lora.LoraLayer)]
    adapters = len(paths)
    if settings.plant == "names-for-modules":
        adapters = len(named(values)) * len(model_config.layers_of(model))
    return {
        "adapters": adapters,
        "on_routers": sum("router" in path.split(".") for path in paths),
        "trainable": module_counts.size(p for p in model.parameters() if p.requires_grad),
        "warnings": sum(speaks_of_targets(message, values) for message in said),
    }


def named(values: Mapping[str, object]) -> tuple[str, ...]:
    """The names in a list of targets; of a word that stands for others, that word."""
    found = values["target_modules"]
    return tuple(map(str, found)) if isinstance(found, tuple) else (str(found),)


def speaks_of_targets(message: str, values: Mapping[str, object]) -> bool:
    """Whether a warning is about the list."""
    return any(name in message for name in (*named(values), "target"))


# Keys and values ---------------------------------------------------------------------------------------


@contextmanager
def entering() -> Iterator[list[tuple[Tensor, Tensor]]]:
    """Keys and values that enter scaled-dot-product attention while the context lasts, a pair a call."""
    seen: list[tuple[Tensor, Tensor]] = []
    original: Callable[..., Tensor] = functional.scaled_dot_product_attention

    def watch(query: Tensor, key: Tensor, value: Tensor, *rest: object, **named: object) -> Tensor:
        seen.append((key.detach().clone(), value.detach().clone()))
        return original(query, key, value, *rest, **named)

    functional.scaled_dot_product_attention = watch
    try:
        yield seen
    finally:
        functional.scaled_dot_product_attention = original


def pair_of(model: nn.Module, layer: int) -> tuple[Tensor, Tensor]:
    """Keys and values of one layer, for the same few tokens each time."""
    with torch.no_grad(), entering() as seen:
        model(input_ids=torch.arange(1, TOKENS + 1).unsqueeze(0), use_cache=False)
    return seen[layer]


def moved(text: Mapping[str, Any], layer: int) -> dict[str, bool]:
    """Whether an adapter on one layer's `k_proj` moves its keys and its values."""
    model = model_config.language_model(text, seed=0)
    with heard():
        alone = peft.LoraConfig(r=2, target_modules=["k_proj"], layers_to_transform=[layer])
        peft.get_peft_model(model, alone)
    key, value = pair_of(model, layer)
    second = [p for name, p in model.named_parameters() if "lora_B" in name]
    for parameter in second:
        nn.init.ones_(parameter)  # it starts at zero, and the adapter with it
    key_after, value_after = pair_of(model, layer)
    return {"keys": not torch.equal(key, key_after), "values": not torch.equal(value, value_after)}


def by_kind(text: Mapping[str, Any], settings: Settings) -> dict[str, dict[str, Any]]:
    """For the first layer of each kind, what an adapter on its keys moves."""
    small = model_config.shrunk(text)
    if settings.plant == "own-values":
        small["attention_k_eq_v"] = False
    kinds = model_config.layer_kinds(model_config.config_of(small))
    firsts = {kind: kinds.index(kind) for kind in dict.fromkeys(kinds)}
    return {kind: {"layer": layer, **moved(small, layer)} for kind, layer in firsts.items()}


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    text = model_config.text_part(model_config.read_raw(settings.config))
    lists = {words: reached(text, values, settings) for words, values in LISTS.items()}
    say("put adapters on the model by each list; now keys and values")
    return {
        "settings": {"config": settings.config.name, "rank": settings.rank, "plant": settings.plant},
        "versions": model_config.versions(peft),
        "lists": lists,
        "adapter_on_keys": by_kind(text, settings),
    }


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser: argparse.ArgumentParser = parser_of(__doc__, PLANTS)
    parser.add_argument("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    parser.add_argument("--rank", type=positive, default=64, help="of the adapters")
    return Settings(**vars(parser.parse_args(argv)))


def main(argv: Sequence[str] | None = None) -> None:
    """Try the lists and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
