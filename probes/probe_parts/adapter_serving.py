"""A trained adapter, served in ways of which most serve the base model; no probe itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import peft
import torch
from safetensors.torch import save_file
from torch import Tensor
from transformers import CLIPVisionConfig, LlamaConfig, LlavaConfig, LlavaForConditionalGeneration

from probe_parts import adapter_models as models
from probe_parts.adapter_weights import Serving, apart

WEIGHTS = "adapter_model.safetensors"
IMAGES = {
    "hidden_size": 16,
    "intermediate_size": 16,
    "num_hidden_layers": 1,
    "num_attention_heads": 2,
    "image_size": 8,
    "patch_size": 4,
}


@dataclass(frozen=True, slots=True)
class Adapters:
    """Two adapters of one base model, as peft saved them.

    Attributes:
        seed: Of the base model, and of the prompts.
        learned: The folder of one that was trained.
        inert: The folder of one whose training never reached it.
        broken: An empty folder.
    """

    seed: int
    learned: Path
    inert: Path
    broken: Path


@dataclass(frozen=True, slots=True)
class Served:
    """An adapter that was served in one way.

    Attributes:
        serving: The model, its outputs and those of its base.
        said: Warnings and log messages of loading it.
    """

    serving: Serving
    said: tuple[str, ...]

    def row(self) -> dict[str, Any]:
        """How far the outputs are from the base's, and how many messages said that keys are missing."""
        return {
            "difference": apart(self.serving.outputs, self.serving.base),
            "missing_keys_warned": sum("missing adapter keys" in text for text in self.said),
        }


# Bases -------------------------------------------------------------------------------------------------


def text_base(seed: int) -> Any:
    """The model that the adapters were trained on."""
    return models.base(seed)


def image_base(seed: int) -> Any:
    """The same language model with the same weights, inside of one that sees images."""
    made = models.base(seed)
    sizes = LlavaConfig(
        vision_config=CLIPVisionConfig(**IMAGES),
        text_config=LlamaConfig(**models.SHAPE),
        image_token_index=0,  # no prompt has it
    )
    both = LlavaForConditionalGeneration(sizes)
    both.model.language_model.load_state_dict(made.model.state_dict())
    both.lm_head.load_state_dict(made.lm_head.state_dict())
    return both


# Ways --------------------------------------------------------------------------------------------------


def loaded(base: Any, adapters: Adapters) -> Any:
    """As it should be."""
    return peft.PeftModel.from_pretrained(base, str(adapters.learned))


def saved_while_compiled(base: Any, adapters: Adapters) -> Any:
    """Saved by a loop of one's own while `torch.compile` wraps the model: each name has a prefix more."""
    wrapped: Any = torch.compile(loaded(models.base(adapters.seed), adapters))
    weights = {name: tensor for name, tensor in wrapped.state_dict().items() if "lora_" in name}
    wrapped._orig_mod.save_pretrained(str(adapters.broken))  # the adapter's settings, and its weights
    save_file(weights, adapters.broken / WEIGHTS)
    return peft.PeftModel.from_pretrained(base, str(adapters.broken))


def not_chosen(base: Any, adapters: Adapters) -> Any:
    """Loaded beside the empty adapter that `get_peft_model` made, which stays the active one."""
    model = peft.get_peft_model(base, models.settings(on_head=False))
    model.load_adapter(str(adapters.learned), "tuned")
    return model


def left_off(base: Any, adapters: Adapters) -> Any:
    """Switched off, to compare with the base, and never on again."""
    model = loaded(base, adapters)
    model.base_model.disable_adapter_layers()
    return model


def inert(base: Any, adapters: Adapters) -> Any:
    """Loaded as it should be, and never trained."""
    return peft.PeftModel.from_pretrained(base, str(adapters.inert))


Base = Callable[[int], Any]
SOUND = "loaded"
WAYS: dict[str, tuple[Base, Callable[[Any, Adapters], Any]]] = {
    SOUND: (text_base, loaded),
    "onto the class with images": (image_base, loaded),
    "saved while compiled": (text_base, saved_while_compiled),
    "loaded, not chosen": (text_base, not_chosen),
    "left switched off": (text_base, left_off),
    "never trained": (text_base, inert),
}
"""By name: the base model, and how the adapter comes onto it."""


def served(way: str, adapters: Adapters) -> Served:
    """What an adapter's outputs are when it is served in one of `WAYS`."""
    base, put_on = WAYS[way]
    with models.heard() as said:
        plain = base(adapters.seed)
        before, again = (outputs(plain, adapters.seed) for _ in range(2))
        model = put_on(plain, adapters)
        found = outputs(model, adapters.seed)
    return Served(Serving(model, found, before, again), tuple(said))


def outputs(model: Any, seed: int) -> Tensor:
    """Logits for the prompts, (prompts, tokens, vocabulary)."""
    with torch.no_grad():
        logits: Tensor = model.eval()(input_ids=models.tokens(seed)).logits
    return logits
