"""Tiny random models with real adapters of peft, and everything that is said meanwhile; no probe itself."""

from __future__ import annotations

import copy
import io
import logging
import os
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from functools import cache
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which bring transformers

import peft
import torch
from torch import Tensor
from transformers import AutoModelForCausalLM, BitsAndBytesConfig, LlamaConfig, LlamaForCausalLM
from transformers.utils import logging as transformers_logging

from probe_parts.peft_adapters import Kept

VOCABULARY = 64
SHAPE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
"""A dense decoder of the llama family, in float32."""

transformers_logging.disable_progress_bar()

IN_BLOCKS = ("q_proj", "v_proj")
RANK = 4
INIT = True
"""What peft calls its own default start: `lora_B` zero."""


@contextmanager
def heard() -> Iterator[list[str]]:
    """What is warned of and logged meanwhile, kept from people and from being an error."""
    kept = Kept()
    logger = transformers_logging.get_logger("transformers")
    shown = logger.handlers[:]
    logger.handlers[:] = [kept]
    logging.getLogger("peft").addHandler(kept)
    try:
        with warnings.catch_warnings(record=True) as caught, redirect_stdout(io.StringIO()):
            warnings.simplefilter("always")
            yield kept.messages
            kept.messages.extend(str(warning.message) for warning in caught)
    finally:
        logger.handlers[:] = shown
        logging.getLogger("peft").removeHandler(kept)


@cache
def _base(seed: int) -> Any:
    torch.manual_seed(seed)
    return LlamaForCausalLM(LlamaConfig(**SHAPE))


@cache
def _base_in_four_bits(seed: int) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        _base(seed).save_pretrained(folder)
        how = BitsAndBytesConfig(load_in_4bit=True)
        return AutoModelForCausalLM.from_pretrained(folder, quantization_config=how)


def base(seed: int, *, four_bit: bool = False) -> Any:
    """The base model, the same whenever it is asked for; or the same with linear layers in four bits."""
    return copy.deepcopy(_base_in_four_bits(seed) if four_bit else _base(seed))


def settings(*, on_head: bool, init: bool | str = INIT) -> peft.LoraConfig:
    """Adapters in every block, and on `lm_head` too where that is asked."""
    targets = [*IN_BLOCKS, *(["lm_head"] if on_head else [])]
    return peft.LoraConfig(r=RANK, target_modules=targets, init_lora_weights=init)


def weights_of(model: Any) -> dict[str, Tensor]:
    """A copy of the adapter's weights, as peft saves them."""
    return {name: tensor.detach().clone() for name, tensor in peft.get_peft_model_state_dict(model).items()}


def tokens(seed: int) -> Tensor:
    """Two sequences of 16 token ids, (2, 16), the same for a seed."""
    return torch.randint(1, VOCABULARY, (2, 16), generator=torch.Generator().manual_seed(seed))
