"""A model loaded in four bits by bitsandbytes: what is packed, what it takes; no probe itself.

bitsandbytes packs two weights into a byte and keeps one scale in float32 for each block of 64 of them
(Dettmers et al., QLoRA, arXiv 2305.14314, section 3; its double quantisation is off by default).
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which bring transformers

import bitsandbytes
import torch
import transformers
from bitsandbytes.nn.parametrize import Bnb4bitParametrization, replace_parameter_4bit
from torch import nn
from transformers.integrations.bitsandbytes import replace_with_bnb_linear
from transformers.quantizers.base import HfQuantizer

VERSION: str = bitsandbytes.__version__
BLOCK, SCALE = 64, torch.float32.itemsize
PACKED = torch.uint8
"""The type in which packed weights are stored by default."""


def loaded(folder: str, skipped: Sequence[str] | None) -> nn.Module:
    """The saved model of `folder` as `load_in_4bit` gives it; `skipped` is `llm_int8_skip_modules`."""
    how = transformers.BitsAndBytesConfig(
        load_in_4bit=True,
        bnb_4bit_quant_type="nf4",
        bnb_4bit_compute_dtype=torch.bfloat16,
        llm_int8_skip_modules=None if skipped is None else list(skipped),
    )
    model: nn.Module = transformers.AutoModelForCausalLM.from_pretrained(
        folder, quantization_config=how, dtype=torch.bfloat16
    )
    return model


def replaced_on_meta(model: nn.Module) -> None:
    """Put four-bit layers where the load would, by its own function, in a model of the `meta` device."""
    kept: list[str] = HfQuantizer.get_modules_to_not_convert(model, None, model._keep_in_fp32_modules)
    replace_with_bnb_linear(model, kept, transformers.BitsAndBytesConfig(load_in_4bit=True))


def converted(model: nn.Module) -> dict[str, nn.Module]:
    """The linear layers that are four-bit ones now, by their paths."""
    return {path: m for path, m in model.named_modules() if isinstance(m, bitsandbytes.nn.Linear4bit)}


def pack_by_hand(model: nn.Module, paths: Iterable[str]) -> None:
    """Pack the parameters at these paths, which no load takes because they belong to no linear layer."""
    for path in paths:
        owner, _, name = path.rpartition(".")
        replace_parameter_4bit(model.get_submodule(owner), name, quant_type="nf4")


def untouched(model: nn.Module) -> int:
    """Bytes of the parameters that are stored as they were."""
    return sum(p.numel() * p.element_size() for p in model.parameters() if p.dtype is not PACKED)


def stored(model: nn.Module) -> int:
    """Bytes of all parameters, packed or not, and of the scales of the packed ones."""
    scales: list[torch.Tensor] = [state.absmax for state in states(model)]
    return sum(tensor.numel() * tensor.element_size() for tensor in (*model.parameters(), *scales))


def states(model: nn.Module) -> Iterator[Any]:
    """What unpacks each packed parameter: bitsandbytes' `QuantState`."""
    for module in model.modules():
        state = getattr(getattr(module, "weight", None), "quant_state", None)
        if state is not None:
            yield state
        if isinstance(module, Bnb4bitParametrization):
            yield module.quant_state


def saved(sizes: Iterable[int], *, scales: bool = True) -> int:
    """Bytes that packing saves of weights of so many elements in bfloat16, the `scales` paid for or not."""
    return sum(size * 2 - -(-size // 2) - scales * -(-size // BLOCK) * SCALE for size in sizes)
