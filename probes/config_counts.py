#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14", "peft>=0.21"]
# [tool.stilltrue]
# writes = "claims/evidence/counts/gemma-4-26b-a4b.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "cheap"
# timeout = "300 s"
# plant = ["linear-only", "first-layer-for-all", "substring"]
# ///
"""What a configuration holds, counted in the model built from it: parameters, experts, adapters' targets.

Settles:
    For a `config.json`: parameters and bytes of the whole model and of its language model; how much of them
    stands in fused expert tensors, which are no `nn.Linear`; what a tool that walks `nn.Linear` reaches; how
    many modules LoRA targets by name, which layers lack one of them, and how many parameters train at a rank;
    how many parameters one token uses. Whether peft puts adapters on the same modules (it may reach into
    fused experts, which no name of a module does), and what it says about layers that lack one.

Needs:
    torch, transformers and peft. No accelerator, no weights, no network: parameters live on the `meta`
    device, which keeps shapes and no numbers.

Costs:
    Ten seconds on one core, under 1 GiB of memory, whatever the size of the model.

Cannot settle:
    Whether a checkpoint on disk fits the configuration. How much memory a run needs: activations, gradients
    and the optimizer come on top. Counts are those of the model as the installed transformers builds it;
    another release may build it otherwise.

The default configuration's vision tower is partly assumed (see `configs/README.md`), so figures of the whole
model are too; those of the language model are not. Standard output is one JSON document, progress goes to
standard error.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from torch import nn

from probe_parts import model_config, peft_adapters
from probe_parts import module_counts as counts
from probe_parts.command_line import parser_of, positive
from probe_parts.output import as_json, say

ATTENTION = ("q_proj", "k_proj", "v_proj", "o_proj")
TARGETS = (*ATTENTION, "gate_proj", "up_proj", "down_proj")
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
ACTIVE = ("top_k_experts", "num_experts_per_tok")
PLANTS = {
    "linear-only": "parameters are counted in linear layers and embeddings alone",
    "first-layer-for-all": "every layer is taken to hold what the first one holds",
    "substring": "targets are matched anywhere in a path, in the whole model",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is counted; every field is an argument of the same name.

    Attributes:
        config: The `config.json`.
        rank: Of the adapters.
        targets: Names of the modules that get one.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    rank: int
    targets: tuple[str, ...]
    plant: str


def setting(config: Any, names: Sequence[str]) -> int | None:
    """The first of `names` that the configuration gives a number."""
    found = (getattr(config, name, None) for name in names)
    return next((value for value in found if isinstance(value, int)), None)


# Parameters --------------------------------------------------------------------------------------------


def parameters_of(model: nn.Module, plant: str) -> int:
    """Of all its modules, shared ones once."""
    return counts.size(counts.linear_parameters(model) if plant == "linear-only" else model.parameters())


def experts_of(decoder: nn.Module, config: Any, plant: str) -> dict[str, Any]:
    """The fused expert tensors: how much they hold, their shapes, and in how many layers they stand."""
    fused = counts.fused_experts(decoder, setting(config, EXPERTS))
    if plant == "linear-only":
        reached = {id(parameter) for parameter in counts.linear_parameters(decoder)}
        fused = {name: parameter for name, parameter in fused.items() if id(parameter) in reached}
    return {
        **counts.weighed(counts.size(fused.values())),
        "tensors": len(fused),
        "shapes": counts.shapes(fused),
    }


def linear_layers(model: nn.Module) -> dict[str, int]:
    """What a tool reaches that walks `nn.Linear`, the output head aside."""
    head = model.get_output_embeddings()  # type: ignore[operator]  # transformers adds it to nn.Module
    found = [m for m in model.modules() if isinstance(m, nn.Linear) and m is not head]
    return {"modules": len(found), **counts.weighed(sum(m.weight.numel() for m in found))}


def active(text: int, experts: int, config: Any) -> dict[str, Any]:
    """Parameters of the language model that one token uses: all, but of the experts those it is sent to."""
    total, chosen = setting(config, EXPERTS), setting(config, ACTIVE)
    if not (total and chosen):
        return {"experts": None, "chosen": None, "parameters": text}
    return {"experts": total, "chosen": chosen, "parameters": text - experts + experts * chosen // total}


# Targets -----------------------------------------------------------------------------------------------


def targets_of(model: nn.Module, settings: Settings) -> list[counts.Target]:
    """The modules that the adapters are put on."""
    if settings.plant == "substring":
        return counts.find_anywhere(model, settings.targets)
    layers = model_config.layers_of(model)
    found = counts.find_targets(layers, settings.targets)
    if settings.plant == "first-layer-for-all":
        first = [target for target in found if target.layer == 0]
        found = [replace(target, layer=number) for number in range(len(layers)) for target in first]
    return found


def lora(model: nn.Module, settings: Settings) -> dict[str, Any]:
    """Targets and trainable parameters: of all names, and of those of attention alone."""
    found = targets_of(model, settings)
    attention = [name for name in settings.targets if name in ATTENTION]
    of_attention = [target for target in found if target.name in attention]
    layers = len(model_config.layers_of(model))
    return {
        **counts.adapters(found, settings.targets, settings.rank),
        "attention": counts.adapters(of_attention, attention, settings.rank),
        "layers_without": counts.layers_without(found, settings.targets, layers),
        "matched_anywhere": len(counts.find_anywhere(model, settings.targets)),
    }


def with_peft(raw: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What peft does with the language model, with attention's names alone, and with the whole model."""
    text, names = model_config.text_part(raw), settings.targets
    attention = [name for name in names if name in ATTENTION]
    return {
        "language_model": peft_adapters.put_on(text, names, settings.rank),
        "attention": peft_adapters.put_on(text, attention, settings.rank) if attention else None,
        "whole_model": peft_adapters.put_on(raw, names, settings.rank),
    }


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    raw = model_config.read_raw(settings.config)
    whole = model_config.on_meta(raw)
    language = model_config.on_meta(model_config.text_part(raw))
    config = model_config.config_of(model_config.text_part(raw))
    say("built the model")
    experts = experts_of(model_config.decoder_of(language), config, settings.plant)
    total, text = (parameters_of(model, settings.plant) for model in (whole, language))
    found = lora(whole, settings)
    say("counted; now what peft does")
    return {
        "settings": {
            "config": settings.config.name,
            "rank": settings.rank,
            "targets": settings.targets,
            "plant": settings.plant,
        },
        "versions": {**model_config.versions(), "peft": peft_adapters.VERSION},
        "sizes": {
            "whole model": counts.weighed(total),
            "language model": counts.weighed(text),
            "fused experts": counts.weighed(experts["parameters"]),
            "linear layers": linear_layers(whole),
        },
        "experts": {
            **experts,
            "of_whole": experts["parameters"] / total,
            "of_language": experts["parameters"] / text,
        },
        "active": active(text, experts["parameters"], config),
        "lora": found,
        "peft": with_peft(raw, settings),
    }


# The command line --------------------------------------------------------------------------------------


def comma_names(text: str) -> tuple[str, ...]:
    """Different names, in their order."""
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise argparse.ArgumentTypeError("names no module")
    return found


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    add("--rank", type=positive, default=64, help="of the adapters")
    add(
        "--targets",
        type=comma_names,
        default=TARGETS,
        help="names of modules that get an adapter, with commas",
    )
    return Settings(**vars(parser.parse_args(argv)))


def main(argv: Sequence[str] | None = None) -> None:
    """Count and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
