"""Training steps whose reads are worth counting, as a harness; no probe itself.

A small language model with the layer pattern of Gemma 4 26B-A4B and eight experts, as transformers builds it,
with random weights and AdamW. Each step but the first differs from it in one thing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
import transformers
from torch import Tensor, nn
from transformers import AutoModelForCausalLM

from probe_parts import model_config

LAYERS = 6
EXPERTS = 8
SEQUENCES = 2
SEED = 0
NO_LABEL = -100
VOCABULARY = int(str(model_config.SMALL["vocab_size"]))


@dataclass(frozen=True, slots=True)
class Batch:
    """Two sequences, (2, width) each.

    Attributes:
        tokens: Token ids.
        labels: The same, and `NO_LABEL` where they are padding.
        mask: 1 for a token and 0 for padding; None where none is handed over.
    """

    tokens: Tensor
    labels: Tensor
    mask: Tensor | None


def batch_of(width: int, padding: str) -> Batch:
    """A batch: with no mask, one of ones, or its second sequence padded by a quarter on the right."""
    generator = torch.Generator().manual_seed(SEED)
    tokens = torch.randint(1, VOCABULARY, (SEQUENCES, width), generator=generator)
    mask = torch.ones_like(tokens)
    if padding == "right":
        mask[1, width - width // 4 :] = 0
    labels = tokens.masked_fill(mask == 0, NO_LABEL)
    return Batch(tokens, labels, None if padding == "no mask" else mask)


def text_of() -> dict[str, Any]:
    """The language model's configuration: narrow, its first layers, eight experts."""
    text = model_config.text_part(model_config.read_raw(model_config.GEMMA))
    small = model_config.first_layers(model_config.shrunk(text), LAYERS)
    return {**small, "num_experts": EXPERTS}


class Run:
    """A model and its optimizer."""

    def __init__(self, experts: str, *, cache: bool, checkpointing: bool) -> None:
        torch.manual_seed(SEED)
        config = model_config.config_of(text_of())
        how = {"attn_implementation": "sdpa", "experts_implementation": experts}
        self.model: nn.Module = model_config.made(config, AutoModelForCausalLM, **how).train()
        if checkpointing:
            self.model.gradient_checkpointing_enable()  # type: ignore[operator]  # transformers adds it to nn.Module
        self.cache = cache
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=1e-4)

    def learn(self, batch: Batch, before_update: Callable[[nn.Module], object]) -> Tensor:
        """Forward, loss, backward, what comes before the update, and the update; the loss, on the device."""
        out = self.model(
            input_ids=batch.tokens, attention_mask=batch.mask, labels=batch.labels, use_cache=self.cache
        )
        out.loss.backward()
        before_update(self.model)
        self.optimizer.step()
        self.optimizer.zero_grad()
        return out.loss.detach()  # type: ignore[no-any-return]  # a model's output is Any


def nothing(_: nn.Module) -> None:
    """Before an update."""


def clipped(model: nn.Module, *, checked: bool) -> None:
    """Gradients clipped to a norm of 1; checked, it is an error if the norm is no finite number."""
    nn.utils.clip_grad_norm_(model.parameters(), 1.0, error_if_nonfinite=checked)


def step_of(
    width: int,
    *,
    padding: str = "no mask",
    experts: str = "grouped_mm",
    cache: bool = True,
    checkpointing: bool = False,
    before_update: Callable[[nn.Module], object] = nothing,
) -> Callable[[], Tensor]:
    """One training step of a run of its own; unless told otherwise the model fills a cache, its default."""
    run = Run(experts, cache=cache, checkpointing=checkpointing)
    return partial(run.learn, batch_of(width, padding), before_update)


def harness() -> Mapping[str, object]:
    """The steps, by name."""
    torch.set_num_threads(1)  # thousands of tiny operators: more threads only wait for one another
    return {
        "step": step_of,
        "ones": partial(step_of, padding="all ones"),
        "right_padded": partial(step_of, padding="right"),
        "without_cache": partial(step_of, cache=False),
        "looped_experts": partial(step_of, experts="eager"),
        "checkpointed": partial(step_of, checkpointing=True),
        "looped_checkpointed": partial(step_of, experts="eager", checkpointing=True),
        "clipped": partial(step_of, before_update=partial(clipped, checked=False)),
        "clipped_checked": partial(step_of, before_update=partial(clipped, checked=True)),
        "about": {
            "model": "the layer pattern of Gemma 4 26B-A4B, narrow",
            "layers": LAYERS,
            "experts": EXPERTS,
            "sequences": SEQUENCES,
            "optimizer": "AdamW",
            "transformers": transformers.__version__,
        },
    }
