#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/experts/loop.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "300 s"
# plant = ["grouped-for-loop"]
# ///
"""How often a layer of experts has the host wait: a loop over experts beside a grouped matrix product.

Settles:
    For a mixture of experts as transformers builds it, by the implementation of its experts, in one forward
    pass: how many experts are visited; how many operators the experts' layers call; how often the host needs
    an answer before it can go on, a number that it reads or a size that depends on data; and whether both
    implementations come to the same output.

Needs:
    torch and transformers. CPU, no accelerator, no weights, no data set, no network.

Costs:
    Half a minute on one core, most of it imports; under 1 GiB of memory.

Cannot settle:
    What a wait costs: on an accelerator each lets the queue run empty, here none costs anything. Which
    implementation is faster. What another release of transformers does, or a harness with experts of its own.
    What happens inside of kernels, and in the backward pass.

The model is that of a `config.json`, with its number of experts and how many of them a token is sent to, but
with tiny widths, random weights and the first layers only: what is counted is counted for each visit. A wait
is a call of `aten::_local_scalar_dense` or `aten::nonzero` inside of a layer of experts. Standard output is
one JSON document, progress goes to standard error. Counts are exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils._python_dispatch import TorchDispatchMode
from transformers import AutoModelForCausalLM

from probe_parts import model_config
from probe_parts.command_line import parser_of, positive, seed_number
from probe_parts.output import as_json, say

LOOP, GROUPED = "eager", "grouped_mm"
PLANTS = {"grouped-for-loop": "the loop is asked for and the grouped product is built"}
ROUTING = ("num_experts", "num_local_experts", "top_k_experts", "num_experts_per_tok")
"""The sizes that decide what is visited: they stay when a model is made small."""

READS_A_NUMBER, READS_A_SIZE = "aten::_local_scalar_dense", "aten::nonzero"


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured, as resolved.

    Attributes:
        config: The `config.json`.
        text: Its language model as it is built: few layers, tiny widths, all experts.
        tokens: Tokens in the one sequence.
        seed: Of weights and tokens.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    text: Mapping[str, Any]
    tokens: int
    seed: int
    plant: str


class ExpertWatch(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it unannotated
    """Counts the operators that run inside of layers of experts, and the experts that these are asked for."""

    def __init__(self, layers: Sequence[nn.Module]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.calls: Counter[str] = Counter()
        self.visits = 0
        self._inside = False
        for layer in layers:
            layer.register_forward_pre_hook(self._enter, with_kwargs=True)
            layer.register_forward_hook(self._leave)

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if self._inside:
            self.calls[str(func._schema.name)] += 1
        return func(*args, **(kwargs or {}))

    def _enter(self, _: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        chosen = [each for each in (*args, *kwargs.values()) if is_choice(each)]
        if len(chosen) != 1:
            raise SystemExit("a layer of experts is not told which experts each token goes to")
        self.visits += int(chosen[0].unique().numel())
        self._inside = True  # after the line above, whose reading is not the layer's

    def _leave(self, *_: object) -> None:
        self._inside = False


def is_choice(given: object) -> bool:
    """Whether this is the tensor of whole numbers that says which experts each token is sent to."""
    return isinstance(given, Tensor) and not given.is_floating_point() and given.ndim > 1


def expert_layers(model: nn.Module) -> list[nn.Module]:
    """The layers called `experts` that share one parameter of three dimensions; a convolution has one too.

    Raises:
        SystemExit: The model has none.
    """
    found = [
        module
        for path, module in model.named_modules()
        if "experts" in path.split(".")
        and any(parameter.ndim == 3 for parameter in module.parameters(recurse=False))
    ]
    if not found:
        raise SystemExit(f"{type(model).__name__} has no fused experts; name the config of a model that has")
    return found


def built(settings: Settings, way: str) -> nn.Module:
    """The model with its experts implemented in this way; the same weights each time."""
    torch.manual_seed(settings.seed)
    asked = GROUPED if settings.plant == "grouped-for-loop" else way
    config = model_config.config_of(settings.text)
    how = {"attn_implementation": "sdpa", "experts_implementation": asked}
    return model_config.made(config, AutoModelForCausalLM, **how)


def counted(settings: Settings, way: str) -> tuple[dict[str, Any], Tensor]:
    """One forward pass: what its layers of experts did, and its logits (1, tokens, vocabulary)."""
    model = built(settings, way)
    layers = expert_layers(model)
    generator = torch.Generator().manual_seed(settings.seed)
    vocabulary = int(model_config.config_of(settings.text).vocab_size)
    tokens = torch.randint(1, vocabulary, (1, settings.tokens), generator=generator)
    watch = ExpertWatch(layers)
    try:
        with torch.no_grad(), watch:
            logits: Tensor = model(tokens, use_cache=False).logits
    except Exception as error:  # noqa: BLE001  # a model's code may raise anything
        raise SystemExit(
            f"{way}: the forward pass of a small {type(model).__name__} fails: {model_config.first(error)}"
        ) from None
    numbers, sizes = watch.calls[READS_A_NUMBER], watch.calls[READS_A_SIZE]
    say(f"{way}: {watch.visits} experts visited in {len(layers)} layers, {numbers + sizes} waits")
    found = {
        "layers": len(layers),
        "visits": watch.visits,
        "operators": watch.calls.total(),
        "numbers_read": numbers,
        "sizes_read": sizes,
        "waits": numbers + sizes,
    }
    return found, logits


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    torch.set_num_threads(1)  # thousands of tiny operators: more threads only wait for one another
    loop, by_loop = counted(settings, LOOP)
    grouped, by_group = counted(settings, GROUPED)
    return {
        "settings": {
            "config": settings.config.name,
            "tokens": settings.tokens,
            "seed": settings.seed,
            "plant": settings.plant,
        },
        "versions": model_config.versions(),
        "ways": {LOOP: loop, GROUPED: grouped},
        "largest_logit": by_loop.abs().max().item(),
        "logits_apart": (by_loop - by_group).abs().max().item(),
    }


def routed_small(text: Mapping[str, Any], layers: int) -> dict[str, Any]:
    """The same language model, narrow and with its first layers only; experts and choice stay."""
    kept = {name: text[name] for name in ROUTING if name in text}
    return model_config.first_layers({**model_config.shrunk(text), **kept}, layers)


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    add("--layers", type=positive, default=6, help="only the first so many layers")
    add("--tokens", type=positive, default=2048, help="tokens in the sequence")
    add("--seed", type=seed_number, default=0, help="of weights and tokens")
    options = parser.parse_args(argv)
    text = model_config.text_part(model_config.read_raw(options.config))
    small = routed_small(text, options.layers)
    return Settings(options.config, small, options.tokens, options.seed, options.plant)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
