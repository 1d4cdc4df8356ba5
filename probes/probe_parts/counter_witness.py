"""What torch's FLOP counter sees of a small real step, and what it passes over; no probe itself.

The same model takes the same step four times. Its work is the same each time; what the counter says is not.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any, Literal

import torch
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils.flop_counter import FlopCounterMode, flop_registry
from transformers import AutoModelForCausalLM

from probe_parts import model_config
from probe_parts.flop_ledger import STAGES, FlopLedger, attended

TOKENS, SEQUENCES = 32, 2
"""Of the small step."""
Kernel = Literal["plain", "fused"]
"""Attention as two plain products and a softmax, or as one operator, which is what SDPA chooses by itself."""
aten = torch.ops.aten


def witness() -> list[dict[str, Any]]:
    """For each way to compute attention and experts, what the counter sees of them and what the ledger does.

    The model is a layer of each kind of the default configuration, made narrow, whatever else is counted:
    this is about the counter.
    """
    text = model_config.text_part(model_config.read_raw(model_config.GEMMA))
    kinds = list(dict.fromkeys(model_config.layer_kinds(model_config.config_of(text))))
    small = model_config.shrunk({**text, "num_hidden_layers": len(kinds), "layer_types": kinds})
    kernels: tuple[Kernel, ...] = ("plain", "fused")
    return [looked_at(small, kernel, experts) for experts in ("eager", "grouped_mm") for kernel in kernels]


def looked_at(text: Mapping[str, Any], kernel: Kernel, experts: str) -> dict[str, Any]:
    """One step under the counter and under the ledger, forward and backward, each weight trained."""
    torch.manual_seed(0)
    config = model_config.config_of(text)
    model = model_config.made(
        config, AutoModelForCausalLM, attn_implementation="sdpa", experts_implementation=experts
    )
    numbers = torch.randint(1, int(config.vocab_size), (SEQUENCES, TOKENS))
    chosen = sdpa_kernel(SDPBackend.MATH) if kernel == "plain" else nullcontext()
    with FlopCounterMode(display=False) as counter, FlopLedger() as ledger, chosen:
        loss = model.train()(input_ids=numbers, labels=numbers, use_cache=False).loss
        forward = seen(counter, model)
        loss.backward()
    return {
        "attention": kernel,
        "experts": experts,
        "counter": {"forward": forward, "whole": seen(counter, model)},
        "ledger": {
            "attention": sum(call.flops(call.queries * call.keys) for call in ledger.attention),
            "experts": sum(ledger.of("experts", stage) for stage in STAGES),
        },
        "blind": dict(ledger.blind),
    }


def seen(counter: FlopCounterMode, model: nn.Module) -> dict[str, int]:
    """What the counter has so far: of attention's products, of the experts, and of everything."""
    found = counter.get_flop_counts()
    inside = type(model).__name__
    experts = [
        flops for path, flops in found.items() if path.startswith(inside) and path.endswith(".experts")
    ]
    return {
        "attention": found["Global"].get(aten.bmm, 0),  # this model has no other batched product
        "experts": sum(sum(by_operator.values()) for by_operator in experts),
        "total": sum(found["Global"].values()),
    }


def accelerator_formula(tokens: int = 8192, heads: int = 16, width: int = 128) -> dict[str, int]:
    """What the counter's formula for fused attention on an accelerator gives, which takes shapes and no mask.

    Beside it the pairs that it does not tell apart, by hand.
    """
    shape = torch.empty(1, heads, tokens, width, device="meta")
    forward = flop_registry[aten._scaled_dot_product_flash_attention]
    backward = flop_registry[aten._scaled_dot_product_flash_attention_backward]
    per_pair = 2 * heads * 2 * width  # scores, and their product with the values
    return {
        "tokens": tokens,
        "forward": int(forward(shape, shape, shape, out_val=shape)),
        "backward": int(backward(shape, shape, shape, shape, out_val=shape)),
        "square_by_hand": per_pair * tokens * tokens,
        "causal_by_hand": per_pair * attended(tokens),
    }
