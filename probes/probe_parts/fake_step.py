"""A LoRA step of a model at its full size without its memory, taken on fake tensors; no probe itself.

Under `FakeTensorMode` every tensor has its shape, its type and no numbers. So the model of any `config.json`
can be built and stepped on a laptop, and whatever watches operators (`live_storage`, a FLOP counter) sees all
of them:

    with fake_tensors():
        model = lora_model(text, Adapters(rank=64, targets=(...)))
        batch = batch_of(text, tokens=8192, sequences=1)
        with LiveStorage() as live:
            live.adopt((*model.parameters(), *model.buffers()))
            take_step(model, batch, Step(way="naive"))

The operators are those of the CPU: attention is the CPU's SDPA, which keeps what a fused GPU kernel keeps.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which bring transformers

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode
from transformers import AutoModelForCausalLM

from probe_parts import losses, model_config

TARGETS = ("q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj")
"""The names of linear modules that adapters go on where nothing else is asked for."""


@dataclass(frozen=True, slots=True)
class Adapters:
    """The LoRA adapters of a model.

    Attributes:
        rank: Of each.
        targets: Last parts of the paths of the linear modules that get one.
        dtype: Of their parameters.
    """

    rank: int = 64
    targets: tuple[str, ...] = TARGETS
    dtype: torch.dtype = torch.bfloat16


@dataclass(frozen=True, slots=True)
class Step:
    """How a step is taken.

    Attributes:
        way: How the loss is computed.
        chunk: Tokens of a chunk, for a loss in chunks.
        checkpointing: Whether decoder layers keep their inputs alone and are run again in the backward pass.
    """

    way: losses.Way = "naive"
    chunk: int = 512
    checkpointing: bool = True


class Batch(NamedTuple):
    """What a step is taken on, right-padded: fake numbers could not show that there is no padding to mask.

    So every layer gets a mask of (sequences, 1, tokens, tokens), as in any batch of unequal samples.

    Attributes:
        numbers: Of tokens, (sequences, tokens).
        mask: 1 for text and 0 for padding, (sequences, tokens).
        labels: What each token should be followed by, `losses.IGNORED` for none, (sequences, tokens).
    """

    numbers: Tensor
    mask: Tensor
    labels: Tensor


class WithAdapter(nn.Module):
    """A frozen linear module with a LoRA pair beside it: `x W + x A B` (arXiv 2106.09685, section 4.1).

    No scale and no dropout: neither adds to what the LoRA of peft keeps where dropout is 0.
    """

    def __init__(self, base: nn.Linear, adapters: Adapters) -> None:
        super().__init__()
        where = {"dtype": adapters.dtype, "device": base.weight.device}
        self.base = base
        self.lora_a = nn.Linear(base.in_features, adapters.rank, bias=False, **where)
        self.lora_b = nn.Linear(adapters.rank, base.out_features, bias=False, **where)

    def forward(self, x: Tensor) -> Tensor:
        """The base's output with the adapter's added, in the base's type."""
        plain: Tensor = self.base(x)
        adapted: Tensor = self.lora_b(self.lora_a(x.to(self.lora_a.weight.dtype)))
        return plain + adapted.to(plain.dtype)


@contextmanager
def fake_tensors() -> Iterator[FakeTensorMode]:
    """Every tensor made inside is fake; warnings, which are about numbers, are not shown."""
    with warnings.catch_warnings(), FakeTensorMode(allow_non_fake_inputs=True) as mode:
        warnings.simplefilter("ignore")
        yield mode


def lora_model(
    text: Mapping[str, Any],
    adapters: Adapters,
    *,
    dtype: str = "bfloat16",
    experts: str = "",
) -> nn.Module:
    """The language model of `text` with adapters, all else frozen; attention through torch's SDPA.

    Args:
        text: The language model's part of a `config.json`, as `model_config.text_part` gives it.
        adapters: What is trained.
        dtype: Of the frozen parameters, by its name in torch.
        experts: transformers' `experts_implementation`; empty for what it resolves to by itself.

    Raises:
        SystemExit: transformers makes no such model, or no module has a name among the targets.
    """
    chosen = {"experts_implementation": experts} if experts else {}
    model = model_config.made(
        model_config.config_of(text), AutoModelForCausalLM, dtype=dtype, attn_implementation="sdpa", **chosen
    )
    model.requires_grad_(False)
    if not put_on(model, adapters):
        raise SystemExit(
            f"{type(model).__name__} has no linear module called {' or '.join(adapters.targets)}"
        )
    return model.train()


def put_on(model: nn.Module, adapters: Adapters) -> int:
    """Put adapters on the linear modules of the decoder's layers that are targets; how many there are."""
    found = [
        (layer, path, module)
        for layer in model_config.layers_of(model)
        for path, module in layer.named_modules()
        if isinstance(module, nn.Linear) and path.rpartition(".")[2] in adapters.targets
    ]
    for layer, path, module in found:
        layer.set_submodule(path, WithAdapter(module, adapters))
    return len(found)


# The step ----------------------------------------------------------------------------------------------


def batch_of(text: Mapping[str, Any], *, tokens: int, sequences: int) -> Batch:
    """Sequences whose last token is padding: the same numbers each time."""
    vocabulary = int(model_config.config_of(text).vocab_size)
    numbers = torch.randint(vocabulary, (sequences, tokens), generator=torch.Generator().manual_seed(0))
    mask = torch.ones_like(numbers)
    mask[:, -1] = 0
    labels = numbers.roll(-1, 1)
    labels[:, -2:] = losses.IGNORED
    return Batch(numbers, mask, labels)


def take_step(
    model: nn.Module, batch: Batch, step: Step, stage: Callable[[str], None] = lambda _: None
) -> Tensor:
    """Forward, loss and backward, as a trainer does between two optimizer steps; the loss.

    Args:
        model: As `lora_model` makes it.
        batch: As `batch_of` makes it.
        step: How it is taken.
        stage: Told `forward`, `loss` and `backward` before each begins, and `done`.
    """
    set_checkpointing(model, wanted=step.checkpointing)
    stage("forward")
    decoder = model_config.decoder_of(model)
    hidden = decoder(batch.numbers, attention_mask=batch.mask, use_cache=False).last_hidden_state
    stage("loss")
    loss = losses.head_loss(
        hidden, head_of(model), batch.labels, way=step.way, chunk=step.chunk, softcap=softcap_of(model)
    )
    del hidden  # a trainer holds it no longer either
    stage("backward")
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it without types
    stage("done")
    return loss


def set_checkpointing(model: Any, *, wanted: bool) -> None:
    """Have decoder layers run again in the backward pass (without re-entrance), or not, whatever was before.

    With checkpointing, transformers has the embeddings' output require a gradient, and leaves that in place
    without: the first layer would then keep more than in a step that never had checkpointing.

    Raises:
        SystemExit: It is wanted, and the model has none.
    """
    newer = hasattr(model, "activation_checkpointing_enable")
    (model.activation_checkpointing_disable if newer else model.gradient_checkpointing_disable)()
    model.disable_input_require_grads()
    if not wanted:
        return
    enable = model.activation_checkpointing_enable if newer else model.gradient_checkpointing_enable
    try:
        enable({"use_reentrant": False})
    except ValueError as error:
        raise SystemExit(f"{type(model).__name__}: {model_config.first(error)}") from None


def head_of(model: nn.Module) -> Tensor:
    """The matrix that makes logits of hidden states, (vocab, dim)."""
    weight: Tensor = model.get_output_embeddings().weight  # type: ignore[operator]  # transformers adds it
    return weight


def softcap_of(model: nn.Module) -> float | None:
    """What the model squeezes its logits to; None where it leaves them."""
    cap = getattr(model.config, "final_logit_softcapping", None)
    return None if cap is None else float(cap)
