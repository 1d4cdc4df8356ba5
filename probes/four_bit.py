#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14", "bitsandbytes>=0.48", "accelerate>=1.0", "peft>=0.21"]
# [tool.stilltrue]
# writes = "claims/evidence/four-bit/four-bit.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "10 min"
# plant = ["modules-for-bytes", "routers-skipped", "no-scales"]
# ///
"""What loading a model in four bits leaves as it was, by a real load on the CPU, and what it saves.

Settles:
    For a `config.json`: of a narrow model with that layout, saved and loaded with `load_in_4bit`, which
    linear layers are packed, whether the routers are among them, what share of the bytes is not touched, and
    how often anything warned. What lists of modules to skip do that look as if they named the routers.
    Whether the fused experts can be packed by hand, whether adapters on such a model get gradients, and
    whether a saved copy of it loads. At the model's full size: the layers that the load would pack, and the
    bytes that this saves, scales included.

Needs:
    torch, transformers, bitsandbytes, accelerate and peft. No accelerator, no weights, no network.

Costs:
    Half a minute on one core, and under 2 GiB of memory, whatever the size of the model.

Cannot settle:
    What four bits do to what a trained model says: the weights are random, and no loss is compared. What a
    step takes on a GPU: experts that are packed by hand are unpacked whole, a layer at a time, when they are
    used. Other quantisers, and other releases of this one: the versions stand in the record.

Shares of bytes are those of the narrow model, in which widths and vocabulary are cut down together and the
number of experts is not. The full size is reckoned on the `meta` device, in the layers that the load's own
function replaces there; the same arithmetic is held against the bytes of the narrow model, which was really
loaded. Standard output is one JSON document, progress goes to standard error.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peft
import torch
from torch import nn

from probe_parts import four_bits, model_config, module_counts
from probe_parts.command_line import parser_of, positive
from probe_parts.heard import heard
from probe_parts.output import as_json, say

TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
NARROW: Mapping[str, int] = {
    "vocab_size": 2400,
    "pad_token_id": 0,
    "hidden_size": 128,
    "intermediate_size": 96,
    "moe_intermediate_size": 32,
    "head_dim": 12,
    "global_head_dim": 24,
}
"""The default model's widths over 22, and a vocabulary that keeps the embedding's share in six layers."""

SKIPS = {
    "router": ("router",),
    "router.proj": ("router.proj",),
    "router.proj, lm_head": ("router.proj", "lm_head"),
}
HEAD = "lm_head"
EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
TOKENS, RANK = 64, 4
PLANTS = {
    "modules-for-bytes": "what is not touched is counted in linear layers, not in bytes",
    "routers-skipped": "the load is told to leave the routers out",
    "no-scales": "the scales of packed weights are not paid for",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is loaded; every field is an argument of the same name.

    Attributes:
        config: The `config.json`.
        layers: Layers of the narrow model, the first ones.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    layers: int
    plant: str

    @property
    def scales(self) -> bool:
        """Whether scales are paid for."""
        return self.plant != "no-scales"


def narrow(raw: Mapping[str, Any], layers: int) -> dict[str, Any]:
    """The language model of a `config.json`, cut down to its first layers and to small widths."""
    text = model_config.first_layers(model_config.text_part(raw), layers)
    known = {*text, *model_config.config_of(text).to_dict()}
    return {**text, **{name: size for name, size in NARROW.items() if name in known}}


def linear_paths(model: nn.Module) -> list[str]:
    """Linear layers, the output head aside."""
    head = model.get_output_embeddings()  # type: ignore[operator]  # transformers adds it to nn.Module
    return [path for path, m in model.named_modules() if isinstance(m, nn.Linear) and m is not head]


def routers_of(paths: Sequence[str]) -> list[str]:
    """Those that send tokens to experts."""
    return [path for path in paths if "router" in path.split(".") or path.endswith("mlp.gate")]


def fused_experts(model: nn.Module) -> dict[str, nn.Parameter]:
    """The language model's parameters that hold all experts of a layer, by their paths in its decoder."""
    decoder = model_config.decoder_of(model)
    found = (getattr(decoder.config, name, None) for name in EXPERTS)
    return module_counts.fused_experts(decoder, next((size for size in found if isinstance(size, int)), None))


# One load ----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Saved:
    """The narrow model on disk.

    Attributes:
        folder: Where.
        bytes: Of its parameters.
        linear: Its linear layers, the head aside.
    """

    folder: str
    bytes: int
    linear: tuple[str, ...]


def written(raw: Mapping[str, Any], settings: Settings, folder: str) -> Saved:
    """A narrow model with random weights, saved as transformers saves one."""
    model = model_config.language_model(narrow(raw, settings.layers), seed=0, dtype=torch.bfloat16)
    model.save_pretrained(folder)  # type: ignore[operator]  # transformers adds it to nn.Module
    return Saved(folder, four_bits.untouched(model), tuple(linear_paths(model)))


def run_once(model: nn.Module) -> dict[str, Any]:
    """Whether a forward pass with its loss comes to a number, what it raises, and how often it warns."""
    vocabulary = int(model.config.vocab_size)  # type: ignore[union-attr, arg-type]  # likewise
    tokens = torch.randint(vocabulary, (1, TOKENS), generator=torch.Generator().manual_seed(0))
    with heard() as said:
        try:
            with torch.no_grad():
                runs, raised = bool(model(input_ids=tokens, labels=tokens).loss.isfinite()), ""
        except (RuntimeError, AssertionError, ValueError, TypeError) as error:
            runs, raised = False, type(error).__name__
    return {"runs": runs, "raises": raised, "warnings_of_the_run": len(said)}


def load(disk: Saved, skipped: Sequence[str] | None) -> tuple[nn.Module, dict[str, Any]]:
    """The model in four bits, and what became of its layers."""
    with heard() as said:
        model = four_bits.loaded(disk.folder, skipped)
    paths = list(four_bits.converted(model))
    return model, {
        "flag": bool(getattr(model, "is_loaded_in_4bit", False)),
        "warnings": len(said),
        "linear": {"packed": len(set(paths) & set(disk.linear)), "of": len(disk.linear)},
        "routers": {"packed": len(routers_of(paths)), "of": len(routers_of(disk.linear))},
        "head": HEAD in paths,
    }


def shares(model: nn.Module, disk: Saved, settings: Settings) -> dict[str, Any]:
    """What was left as it was, and what is stored now, beside what was stored before."""
    left = four_bits.untouched(model)
    share = left / disk.bytes
    if settings.plant == "modules-for-bytes":
        share = 1 - len(four_bits.converted(model)) / len(disk.linear)
    now = four_bits.stored(model)
    return {"before": disk.bytes, "untouched": left, "untouched_share": share, "after": now}


def plain_load(disk: Saved, settings: Settings) -> dict[str, Any]:
    """The load as everybody asks for it."""
    skipped = ("router.proj", HEAD) if settings.plant == "routers-skipped" else None
    model, found = load(disk, skipped)
    sizes = [m.in_features * m.out_features for m in linear_layers(four_bits.converted(model))]
    reckoned = disk.bytes - four_bits.saved(sizes, scales=settings.scales)
    fused = fused_experts(model)
    return {
        **found,
        "experts": {"packed": sum(p.dtype is four_bits.PACKED for p in fused.values()), "of": len(fused)},
        **shares(model, disk, settings),
        "reckoned": reckoned,
        **run_once(model),
    }


def linear_layers(modules: Mapping[str, nn.Module]) -> Iterator[nn.Linear]:
    """The modules, which are linear layers all."""
    for module in modules.values():
        if isinstance(module, nn.Linear):
            yield module


def with_skips(disk: Saved) -> dict[str, Any]:
    """What each list of modules to skip does, and whether the model runs after it."""
    found = {}
    for words, skipped in SKIPS.items():
        model, load_found = load(disk, skipped)
        found[words] = {**load_found, **run_once(model)}
    return found


# Packed by hand ----------------------------------------------------------------------------------------


def by_hand(disk: Saved, settings: Settings) -> dict[str, Any]:
    """The fused experts packed after the load: what is left, and whether it runs, trains and loads again."""
    model = packed_by_hand(disk)
    held = {**shares(model, disk, settings), **run_once(model)}
    say("what is saved of that does not fit a new model; transformers reports it:")
    again = loads_again(model, disk)
    return {
        **held,
        "loads_again": again,
        "adapters": adapters(model, disk),
        "refused_by_name": names_refused(packed_by_hand(disk)),  # a refusal leaves some adapters behind
    }


def packed_by_hand(disk: Saved) -> nn.Module:
    """The model in four bits, its fused experts too."""
    model, _ = load(disk, None)
    four_bits.pack_by_hand(model_config.decoder_of(model), fused_experts(model))
    return model


def loads_again(model: nn.Module, disk: Saved) -> bool:
    """Whether what is saved of it can be loaded."""
    folder = str(Path(disk.folder) / "packed")
    model.save_pretrained(folder)  # type: ignore[operator]  # transformers adds it to nn.Module
    try:
        with heard():
            four_bits.loaded(folder, None)
    except (RuntimeError, ValueError, KeyError):
        return False
    return True


def names_refused(model: nn.Module) -> bool:
    """Whether peft refuses the usual names, which one of the packed parameters has too."""
    try:
        with heard():
            peft.get_peft_model(model, peft.LoraConfig(r=RANK, target_modules=list(TARGETS)))
    except ValueError:
        return True
    return False


def adapters(model: nn.Module, disk: Saved) -> dict[str, int]:
    """Adapters by the whole paths of linear layers; how many of their second matrices get a gradient."""
    paths = [path for path in disk.linear if path.rpartition(".")[2] in TARGETS]
    with heard():
        trained = peft.get_peft_model(model, peft.LoraConfig(r=RANK, target_modules=paths))
        tokens = torch.arange(TOKENS).unsqueeze(0)
        trained(input_ids=tokens, labels=tokens).loss.backward()
    second = [p for name, p in trained.named_parameters() if "lora_B" in name]
    return {
        "modules": len(second),
        "with_gradient": sum(p.grad is not None and bool(p.grad.any()) for p in second),
    }


# At full size ------------------------------------------------------------------------------------------


def at_full_size(raw: Mapping[str, Any], settings: Settings) -> dict[str, Any]:
    """What the load would pack of the model, and the bytes that it saves of bfloat16."""
    model = model_config.on_meta(raw)
    total = module_counts.size(model.parameters())
    fused = [parameter.numel() for parameter in fused_experts(model).values()]
    four_bits.replaced_on_meta(model)
    packed = four_bits.converted(model)
    layers = list(linear_layers(packed))
    routers = list(linear_layers({path: packed[path] for path in routers_of(list(packed))}))
    before = total * module_counts.BYTES
    saved = saving(layers, settings.scales)
    fused_saved = four_bits.saved(fused, scales=settings.scales)
    return {
        "before": before,
        "modules": len(layers),
        "saved_before_scales": saving(layers, scales=False),
        "saved": saved,
        "saved_share": saved / before,
        "after": before - saved,
        "routers": {"modules": len(routers), "saved": saving(routers, settings.scales)},
        "by_hand": {"saved": fused_saved, "after": before - saved - fused_saved},
        "fused": {
            "largest": max(fused, default=0) * module_counts.BYTES,
            "bytes": sum(fused) * module_counts.BYTES,
        },
    }


def saving(layers: Sequence[nn.Linear], scales: bool) -> int:
    """Bytes that packing the weights of these layers saves."""
    return four_bits.saved((m.in_features * m.out_features for m in layers), scales=scales)


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    raw = model_config.read_raw(settings.config)
    full = at_full_size(raw, settings)
    say("reckoned the full size")
    with tempfile.TemporaryDirectory() as folder:
        disk = written(raw, settings, folder)
        found = plain_load(disk, settings)
        say("loaded a narrow model in four bits; now with lists of modules to skip")
        skips = with_skips(disk)
        say("now with its experts packed by hand")
        hand = by_hand(disk, settings)
    return {
        "settings": {"config": settings.config.name, "layers": settings.layers, "plant": settings.plant},
        "versions": {**model_config.versions(peft), "bitsandbytes": four_bits.VERSION},
        "loaded": found,
        "skips": skips,
        "by_hand": hand,
        "full": full,
    }


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    parser.add_argument("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    parser.add_argument("--layers", type=positive, default=6, help="of the narrow model")
    return Settings(**vars(parser.parse_args(argv)))


def main(argv: Sequence[str] | None = None) -> None:
    """Load, reckon and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
