"""Whether adapters learned and whether they are served: two guards, and broken ones; no probe itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from probe_parts.guards import NO_GUARD, REFUSE_ALL, RefusedError

Weights = Mapping[str, Tensor]
"""The weights of an adapter by name, as peft saves them."""

OUT = ".lora_B."
"""In the name of the matrix that LoRA begins with at zero (Hu et al., arXiv 2106.09685, section 4.1)."""


def out_matrices(weights: Weights) -> dict[str, Tensor]:
    """The `lora_B` of each module that has one, by the module's name."""
    return {name.partition(OUT)[0]: tensor for name, tensor in weights.items() if OUT in name}


def nonzero(weights: Weights) -> list[str]:
    """The modules whose `lora_B` is not zero everywhere."""
    return [module for module, tensor in out_matrices(weights).items() if bool(tensor.any())]


def unmoved(start: Weights, now: Weights) -> list[str]:
    """The modules whose `lora_B` is still what it was at the start."""
    before = out_matrices(start)
    return [module for module, tensor in out_matrices(now).items() if torch.equal(tensor, before[module])]


# The guard of training ---------------------------------------------------------------------------------

AdapterGuard = Callable[[Weights, Weights], None]


def refuse_inert(start: Weights, now: Weights) -> None:
    """Stop a run whose adapters do not all learn.

    Raises:
        RefusedError: There are no adapters, or the `lora_B` of a module has not moved.
    """
    modules = out_matrices(now)
    if not modules:
        raise RefusedError("no module has a lora_B: there are no adapters")
    still = unmoved(start, now)
    if still:
        raise RefusedError(f"{len(still)} of {len(modules)} adapters have not moved, {still[0]} among them")


def any_gate(start: Weights, now: Weights) -> None:
    """A broken guard: one adapter that moved is enough for it."""
    if len(unmoved(start, now)) == len(out_matrices(now)):
        raise RefusedError("no adapter has moved")


# The guard of serving ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Serving:
    """What is known of a model that is served with an adapter.

    Attributes:
        model: As it is served.
        outputs: Its logits for some prompts, (prompts, tokens, vocabulary).
        base: The base model's for the same prompts.
        again: The base model's once more: how far two runs of one model differ.
    """

    model: nn.Module
    outputs: Tensor
    base: Tensor
    again: Tensor


ServedGuard = Callable[[Serving], None]


def apart(one: Tensor, other: Tensor) -> float:
    """The greatest difference of two outputs."""
    return float((one - other).abs().max())


def refuse_base(serving: Serving) -> None:
    """Stop a base model that goes by the adapter's name.

    Raises:
        RefusedError: The served model differs from its base no more than the base does from itself, or an
            output is not a number.
    """
    if not apart(serving.outputs, serving.base) > apart(serving.again, serving.base):  # NaN is above nothing
        raise RefusedError("every prompt has the outputs of the base model: the adapter is not served")


def loaded_gate(serving: Serving) -> None:
    """A broken guard: an adapter that was loaded is taken for one that works."""
    if not any(OUT in f"{name}." for name, _ in serving.model.named_modules()):
        raise RefusedError("no module of the model has an adapter")


# The guards together -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Guards:
    """The two guards, or what stands in for them."""

    adapter: AdapterGuard = refuse_inert
    served: ServedGuard = refuse_base


def no_guard(*_: object) -> None:
    """Lets everything through."""


def refuse_all(*_: object) -> None:
    """Lets nothing through."""
    raise RefusedError("nothing is let through")


PLANTED = {
    NO_GUARD: Guards(no_guard, no_guard),
    REFUSE_ALL: Guards(refuse_all, refuse_all),
    "any-gate": Guards(adapter=any_gate),
    "loaded-gate": Guards(served=loaded_gate),
}
"""Broken guards, by the name of their plant."""
