"""What a model holds, counted module by module: parameters, fused experts, LoRA targets; no probe itself.

Works on the `meta` device, where parameters have shapes and no numbers. Nothing is worked out from a
configuration: what a module does not have is not counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import nn

BYTES = torch.bfloat16.itemsize
"""Of one parameter in bf16."""


@dataclass(frozen=True, slots=True)
class Target:
    """A linear module that an adapter is put on.

    Attributes:
        layer: Its decoder layer.
        name: The last part of its path: `q_proj`.
        inputs: Features that go in.
        outputs: Features that come out.
    """

    layer: int
    name: str
    inputs: int
    outputs: int

    def adapter(self, rank: int) -> int:
        """Parameters of a LoRA pair on it: (rank, inputs) and (outputs, rank), no biases.

        The two matrices A and B of Hu et al., LoRA, arXiv 2106.09685, section 4.1.
        """
        return rank * (self.inputs + self.outputs)


def size(parameters: Iterable[nn.Parameter]) -> int:
    """How many numbers they hold."""
    return sum(parameter.numel() for parameter in parameters)


def weighed(parameters: int) -> dict[str, int]:
    """A number of parameters, and its bytes in bf16."""
    return {"parameters": parameters, "bytes": parameters * BYTES}


def linear_parameters(model: nn.Module) -> Iterator[nn.Parameter]:
    """Parameters of linear layers and embeddings, each once: nearly all there is without fused experts."""
    found = {
        id(p): p for m in model.modules() if isinstance(m, nn.Linear | nn.Embedding) for p in m.parameters()
    }
    yield from found.values()


def fused_experts(decoder: nn.Module, experts: int | None) -> dict[str, nn.Parameter]:
    """Parameters that hold all experts of a layer at once: three dimensions, the first one the experts."""
    return {
        name: parameter
        for name, parameter in decoder.named_parameters()
        if experts and parameter.ndim == 3 and parameter.shape[0] == experts
    }


def shapes(parameters: Mapping[str, nn.Parameter]) -> dict[str, tuple[int, ...]]:
    """The shape that each name has in every layer, the layer's number left out.

    Raises:
        SystemExit: One name has different shapes in different layers.
    """
    found: dict[str, tuple[int, ...]] = {}
    for path, parameter in parameters.items():
        name = ".".join(part for part in path.split(".") if part != "layers" and not part.isdigit())
        if found.setdefault(name, tuple(parameter.shape)) != tuple(parameter.shape):
            raise SystemExit(f"{name} has not the same shape in every layer")
    return found


def find_targets(layers: Sequence[nn.Module], names: Iterable[str]) -> list[Target]:
    """Linear modules of the decoder's layers whose path ends in one of `names`."""
    wanted = set(names)
    return [
        Target(number, path.rpartition(".")[2], module.in_features, module.out_features)
        for number, layer in enumerate(layers)
        for path, module in layer.named_modules()
        if isinstance(module, nn.Linear) and path.rpartition(".")[2] in wanted
    ]


def find_anywhere(model: nn.Module, names: Iterable[str]) -> list[Target]:
    """Linear modules of the whole model with one of `names` anywhere in their path."""
    wanted = tuple(names)
    return [
        Target(-1, next(name for name in wanted if name in path), module.in_features, module.out_features)
        for path, module in model.named_modules()
        if isinstance(module, nn.Linear) and any(name in path for name in wanted)
    ]


def adapters(targets: Sequence[Target], names: Sequence[str], rank: int) -> dict[str, object]:
    """How many targets there are, by name too, and the trainable parameters on them at `rank`."""
    counted = Counter(target.name for target in targets)
    return {
        "modules": len(targets),
        "trainable": sum(target.adapter(rank) for target in targets),
        "by_name": {name: counted[name] for name in names},
    }


def layers_without(targets: Sequence[Target], names: Sequence[str], layers: int) -> dict[str, list[int]]:
    """By name, the layers that have no such module; names that every layer has are left out."""
    there = {(target.layer, target.name) for target in targets}
    missing = {name: [n for n in range(layers) if (n, name) not in there] for name in names}
    return {name: numbers for name, numbers in missing.items() if numbers}
