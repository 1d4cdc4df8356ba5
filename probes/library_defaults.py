#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["accelerate>=1.1", "torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/defaults/installed.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "300 s"
# plant = ["echo-request", "trust-the-name"]
# ///
"""What the installed torch and transformers resolve to when nothing is asked for, and when something is.

Settles:
    For a model from a configuration, each as asked and as resolved, read from the objects that were built and
    from the operators that a profile shows: the attention implementation, the experts implementation, whether
    gradient checkpointing re-enters (through the model, through a `Trainer`, and in torch itself), and what a
    fraction of warm-up steps comes to. What torch says on CPU tensors about its attention backends, what it
    then runs, and what raises when only one backend is allowed. What the names of torch's memory-efficient
    attention kernels say: the architecture in the name, the compute capabilities on which that kernel is
    picked, and how wide a head may be.

Needs:
    torch with its headers, transformers, and accelerate for the `Trainer`. CPU, no accelerator, no weights,
    no network.

Costs:
    Ten seconds on one core, most of them imports; under 1 GiB of memory.

Cannot settle:
    Which attention kernel runs on an accelerator: that is chosen there, by architecture, type, head size and
    mask. That a kernel is slow or fast. What a checkpoint's own configuration asks for. What other releases
    resolve to: `release_defaults.py` reads them.

Models are tiny and their weights random: what a library resolves to depends on the model's class and on what
is asked. Standard output is one JSON document, progress goes to standard error.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import ProfilerActivity, profile
from torch.utils.checkpoint import checkpoint
from transformers import AutoModelForCausalLM, Trainer, TrainingArguments

from probe_parts import kernel_names, model_config
from probe_parts.command_line import parser_of
from probe_parts.output import as_json, say

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # each profile would log when it starts and when it ends

NOTHING = "nothing"
"""Stands for what was not asked for."""

PLANTS = {
    "echo-request": "what was asked for is written down as what was resolved",
    "trust-the-name": "a kernel is taken to be picked on the architecture in its name alone",
}
TOLD = ("attention", "grouped_mm", "bmm", "softmax")
"""Parts of the names of operators that tell which attention and which experts ran."""

COUNTED = ("aten::scaled_dot_product_attention", "aten::_grouped_mm")
"""Operators of which it is said also that none ran."""

TOKENS = 16
STEPS = (444, 888)
LLAMA: Mapping[str, object] = {
    "model_type": "llama",
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
"""A dense model that has no experts."""

GPT_OSS: Mapping[str, object] = {
    **LLAMA,
    "model_type": "gpt_oss",
    "head_dim": 8,
    "num_local_experts": 4,
    "num_experts_per_tok": 2,
    "pad_token_id": 0,
}
"""A model whose attention cannot go through torch's SDPA: it has a sink in its softmax."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is asked, as resolved.

    Attributes:
        config: The `config.json`.
        text: Its language model, narrow and cut to six layers.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    text: Mapping[str, Any]
    plant: str


def noted(asked: object, real: object, plant: str) -> object:
    """What is written down as resolved: what the object says, but for the plant that repeats the request."""
    return asked if plant == "echo-request" else real


# Implementations of transformers -----------------------------------------------------------------------


def ran(act: Callable[[], object]) -> dict[str, int]:
    """Operators that tell what ran while `act` did, each with its number of calls."""
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        act()
    return {row.key: row.count for row in seen.key_averages() if any(word in row.key for word in TOLD)}


def forward(model: nn.Module) -> None:
    """One forward without a mask."""
    with torch.no_grad():
        model(torch.arange(TOKENS)[None] % 60 + 1, use_cache=False)


def implementation(text: Mapping[str, Any], kind: str, asked: str, plant: str) -> dict[str, Any]:
    """What a model of `text` resolves `kind` to when `asked`, and the operators of one forward.

    Args:
        text: The language model's configuration.
        kind: `attn` or `experts`.
        asked: An implementation, or `nothing`.
        plant: The fault that is put in; empty for none.
    """
    how = {} if asked == NOTHING else {f"{kind}_implementation": asked}
    line = {"model": text["model_type"], "asked": asked}
    config = model_config.config_of(text)  # a fresh one: a model writes what it resolved to into it
    try:
        model = AutoModelForCausalLM.from_config(config, **how)
    except (ImportError, ValueError) as error:
        return {**line, "resolved": "refused", "says": model_config.first(error), "ran": {}}
    real = getattr(model.config, f"_{kind}_implementation")
    try:
        operators = {**dict.fromkeys(COUNTED, 0), **ran(partial(forward, model))}
    except Exception as error:  # noqa: BLE001  # a model's code may raise anything
        raise SystemExit(
            f"{text['model_type']} with {kind} {asked}: a forward pass fails: {model_config.first(error)}"
        ) from None
    return {**line, "resolved": noted(asked, real, plant), "ran": operators}


def implementations(settings: Settings) -> dict[str, list[dict[str, Any]]]:
    """Attention and experts of three models, each asked for nothing first."""
    say("attention and experts of three tiny models")
    own = settings.text
    texts = (own, *(text for text in (LLAMA, GPT_OSS) if text["model_type"] != own["model_type"]))
    asked = {"attn": (NOTHING, "sdpa", "eager"), "experts": (NOTHING, "eager", "batched_mm")}
    return {
        kind: [implementation(text, kind, one, settings.plant) for text in texts for one in asked[kind]]
        for kind in asked
    }


# Checkpointing and warm-up -----------------------------------------------------------------------------


def reenters(loss: Tensor) -> bool:
    """Whether checkpointing in what led to `loss` re-enters autograd: only that leaves a node of its own."""
    seen: set[Any] = set()
    todo: list[Any] = [loss.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo.extend(parent for parent, _ in node.next_functions)
    return any("CheckpointFunction" in type(node).__name__ for node in seen)


def trained(model: nn.Module) -> bool:
    """Whether the checkpointing of `model`, as it stands, re-enters autograd."""
    model.train()
    return reenters(model(torch.arange(TOKENS)[None], use_cache=False).logits.sum())


def tiny() -> nn.Module:
    """A dense model, new."""
    return model_config.language_model(LLAMA, seed=0)


def by_model(asked: bool | None) -> bool:
    """Through the model's own method, which has a new name in newer releases."""
    model = tiny()
    enable: Any = (
        getattr(model, "activation_checkpointing_enable", None) or model.gradient_checkpointing_enable
    )
    enable(None if asked is None else {"use_reentrant": asked})
    return trained(model)


def by_trainer(asked: bool | None) -> bool:
    """Through the arguments of a `Trainer` that takes one step."""
    names = inspect.signature(TrainingArguments).parameters
    name = next(n for n in ("activation_checkpointing", "gradient_checkpointing") if n in names)
    how = {} if asked is None else {f"{name}_kwargs": {"use_reentrant": asked}}
    model = tiny()
    sample = {"input_ids": list(range(TOKENS)), "labels": list(range(TOKENS))}
    with tempfile.TemporaryDirectory() as folder:
        arguments = quiet_arguments(folder, max_steps=1, save_strategy="no", **{name: True}, **how)
        with contextlib.redirect_stdout(sys.stderr):  # it prints a summary where the evidence goes
            Trainer(model=model, args=arguments, train_dataset=[sample]).train()
    return trained(model)


def by_torch(asked: bool | None) -> bool:
    """Through torch's own function, which warns when it is asked for nothing."""
    how: Any = {} if asked is None else {"use_reentrant": asked}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        kept = checkpoint(torch.sin, torch.ones(2, requires_grad=True), **how)
    return reenters(kept)


def quiet_arguments(folder: str, **others: Any) -> Any:
    """Training arguments of a run on the CPU that reports to nobody."""
    quiet = {"disable_tqdm": True, "logging_strategy": "no", "report_to": [], "use_cpu": True}
    return TrainingArguments(output_dir=folder, **quiet, **others)


def checkpointing(plant: str) -> list[dict[str, Any]]:
    """Whether checkpointing re-enters, by who enables it and by what was asked of it."""
    say("checkpointing through a model, a Trainer and torch")
    ways = {"model": by_model, "Trainer": by_trainer, "torch": by_torch}
    return [
        {"through": through, "asked": words, "reenters": noted(words, way(asked), plant)}
        for through, way in ways.items()
        for words, asked in ((NOTHING, None), ("use_reentrant=False", False), ("use_reentrant=True", True))
    ]


def warmup(plant: str) -> list[dict[str, Any]]:
    """What `warmup_steps` comes to over a number of steps: below 1 it is a share of them."""
    found = []
    for asked in (0.03, 14):
        arguments = quiet_arguments("unused", warmup_steps=asked)
        for steps in STEPS:
            real = arguments.get_warmup_steps(steps)
            found.append({"asked": asked, "steps": steps, "resolved": noted(asked, real, plant)})
    return found


# The attention backends of torch -----------------------------------------------------------------------


def calls() -> dict[str, dict[str, Any]]:
    """Ways of calling attention on CPU tensors: (2 heads, 16 tokens, 8 wide)."""
    query = torch.ones(1, 2, TOKENS, 8)
    mask = torch.ones(TOKENS, TOKENS, dtype=torch.bool).tril()
    plain = {"query": query, "key": query, "value": query}
    return {
        "flag": {**plain, "is_causal": True},
        "mask": {**plain, "attn_mask": mask},
        "dropout": {**plain, "is_causal": True, "dropout_p": 0.1},
        "narrow values": {**plain, "value": query[..., :6], "is_causal": True},
    }


def backend(name: str, call: Mapping[str, Any]) -> dict[str, Any]:
    """What torch says of one call before it runs, and the operator that then runs."""
    given = (call["query"], call["key"], call["value"], call.get("attn_mask"))
    how = (call.get("dropout_p", 0.0), call.get("is_causal", False))
    asked = torch.backends.cuda.SDPAParams(*given, *how, False)
    return {
        "call": name,
        "chosen": SDPBackend(torch._fused_sdp_choice(*given, *how)).name,
        "can_use_flash": torch.backends.cuda.can_use_flash_attention(asked),
        "can_use_efficient": torch.backends.cuda.can_use_efficient_attention(asked),
        "can_use_cudnn": torch.backends.cuda.can_use_cudnn_attention(asked),
        "ran": attention_operator(call),
    }


def attention_operator(call: Mapping[str, Any]) -> str:
    """The operator below `scaled_dot_product_attention` that ran."""
    names = ran(partial(functional.scaled_dot_product_attention, **call))
    return " ".join(sorted(name for name in names if "::_scaled_dot_product" in name))


def alone(name: str, call: Mapping[str, Any]) -> dict[str, Any]:
    """What happens when one backend alone is allowed."""
    with sdpa_kernel([SDPBackend.__members__[name]]):
        try:
            return {"allowed": name, "raised": False, "ran": attention_operator(call)}
        except RuntimeError as error:
            return {"allowed": name, "raised": True, "says": model_config.first(error), "ran": ""}


def backends() -> dict[str, Any]:
    """Selection among torch's attention backends, on CPU tensors."""
    say("attention backends on CPU tensors")
    names = ("MATH", "FLASH_ATTENTION", "EFFICIENT_ATTENTION", "CUDNN_ATTENTION")
    return {
        "calls": [backend(name, call) for name, call in calls().items()],
        "alone": [alone(name, calls()["flag"]) for name in names],
    }


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    torch.set_num_threads(1)
    families = kernel_names.installed(Path(torch.__file__).parent)
    found = implementations(settings)
    return {
        "settings": {"config": settings.config.name, "plant": settings.plant},
        "versions": model_config.versions(),
        "attention": found["attn"],
        "experts": found["experts"],
        "checkpointing": checkpointing(settings.plant),
        "warmup": warmup(settings.plant),
        "backends": backends(),
        "kernel_names": kernel_names.said(families, by_name=settings.plant == "trust-the-name"),
    }


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    parser.add_argument("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    options = parser.parse_args(argv)
    text = model_config.text_part(model_config.read_raw(options.config))
    text = model_config.first_layers(model_config.shrunk(text), 6)
    return Settings(options.config, text, options.plant)


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
