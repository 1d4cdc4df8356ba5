"""The adapters that peft puts on a model of the `meta` device, and what it says about it; no probe itself."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which bring transformers

import peft
import torch

from probe_parts import model_config
from probe_parts.module_counts import size

VERSION: str = peft.__version__


class Kept(logging.Handler):
    """Keeps the messages that are logged."""

    def __init__(self) -> None:
        super().__init__()
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.messages.append(record.getMessage())


def put_on(raw: Mapping[str, Any], targets: Sequence[str], rank: int) -> dict[str, Any]:
    """Adapters on a model of the `config.json` in `raw`, and how many warnings name a target.

    Where peft takes no such targets, what it says instead.
    """
    model, kept = model_config.on_meta(raw), Kept()
    logging.getLogger().addHandler(kept)
    try:
        with warnings.catch_warnings(record=True) as caught, torch.device("meta"):
            warnings.simplefilter("always")
            peft.get_peft_model(model, peft.LoraConfig(r=rank, target_modules=list(targets)))
    except (ValueError, RuntimeError) as error:
        return {"refuses": model_config.first(error)}
    finally:
        logging.getLogger().removeHandler(kept)
    said = [*kept.messages, *(str(warning.message) for warning in caught)]
    return {
        "modules": sum(isinstance(module, peft.tuners.lora.LoraLayer) for module in model.modules()),
        "trainable": size(p for p in model.parameters() if p.requires_grad),
        "warnings_that_name_a_target": sum(any(name in text for name in targets) for text in said),
    }
