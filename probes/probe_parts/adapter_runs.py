"""Short trainings of adapters under activation checkpointing, set up in every way; no probe itself."""

from __future__ import annotations

import math
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from unittest import mock

import peft
import torch
from torch import Tensor
from torch.nn import functional
from torch.nn.utils import clip_grad_norm_
from torch.utils import checkpoint
from transformers import Trainer, TrainingArguments

from probe_parts import adapter_models as models
from probe_parts.adapter_weights import Weights, nonzero, out_matrices, unmoved

RATE = 1e-2
TOLD: dict[str, dict[str, bool] | None] = {
    "nothing": None,
    "use_reentrant=False": {"use_reentrant": False},
    "use_reentrant=True": {"use_reentrant": True},
    "something else": {"preserve_rng_state": True},
}
"""What the one who turns checkpointing on is told about it."""

HOOKS = ("left", "removed", "bypassed")
"""The hook on the embedding: as whoever enables checkpointing leaves it; taken off; not run, since the batch
holds embeddings in place of token ids."""

NOTHING, ON_HEAD, HEAD, LOSS = "nothing", "adapter on lm_head", "lm_head", "loss.requires_grad_()"
OUTSIDE = (NOTHING, ON_HEAD, HEAD, LOSS)
"""What requires a gradient outside of the checkpointed blocks."""


@dataclass(frozen=True, slots=True)
class Way:
    """How a run is set up.

    Attributes:
        who: Who turns checkpointing on, a key of `ENABLERS`.
        told: What it is told, a key of `TOLD`.
        hook: One of `HOOKS`.
        outside: One of `OUTSIDE`.
        init: How peft starts its matrices.
    """

    who: str = "nobody"
    told: str = "nothing"
    hook: str = "left"
    outside: str = NOTHING
    init: bool | str = models.INIT


@dataclass(slots=True)
class Run:
    """What came of a run.

    Attributes:
        model: As it was trained.
        start: The adapter's weights before the first step.
        end: Those after the last.
        losses: One a step.
        gradient_norm: Over all that trains, in the last step, as a log shows it.
        complaint: What was raised; empty for a run that completed.
        hooks: On the embedding, as checkpointing left it.
        reentrant: Whether the reentrant checkpoint ran.
        entered_with_gradient: Whether what went into the first block required a gradient.
        said: Warnings and log messages.
    """

    model: Any
    start: Weights
    end: Weights
    losses: list[float] = field(default_factory=list)
    gradient_norm: float = 0.0
    complaint: str = ""
    hooks: int = 0
    reentrant: bool = False
    entered_with_gradient: bool = False
    said: list[str] = field(default_factory=list)

    @property
    def result(self) -> str:
        """`raises`, `silent` where a run completed with an adapter that never moved, or `trains`."""
        if self.complaint:
            return "raises"
        return "silent" if unmoved(self.start, self.end) else "trains"

    def counts(self) -> dict[str, Any]:
        """How many adapters there are, how many are not zero, how many never moved, and what the loss did."""
        return {
            "modules": len(out_matrices(self.end)),
            "nonzero": len(nonzero(self.end)),
            "unmoved": len(unmoved(self.start, self.end)),
            "first_loss": self.losses[0] if self.losses else None,
            "last_loss": self.losses[-1] if self.losses else None,
        }


# Who turns checkpointing on ----------------------------------------------------------------------------

How = dict[str, bool] | None
Enabler = Callable[[Any, How, peft.LoraConfig], Any]


def nobody(base: Any, how: How, adapters: peft.LoraConfig) -> Any:
    """No checkpointing."""
    del how
    return peft.get_peft_model(base, adapters)


def before(base: Any, how: How, adapters: peft.LoraConfig) -> Any:
    """The model's own method, before peft puts its adapters on; peft adds a hook of its own then."""
    base.activation_checkpointing_enable(how)
    return peft.get_peft_model(base, adapters)


def after(base: Any, how: How, adapters: peft.LoraConfig) -> Any:
    """The model's own method, through peft's wrapper."""
    model = peft.get_peft_model(base, adapters)
    model.activation_checkpointing_enable(how)
    return model


def by_peft(base: Any, how: How, adapters: peft.LoraConfig) -> Any:
    """The preparation of peft for a quantised model, the way of QLoRA."""
    return peft.get_peft_model(
        peft.prepare_model_for_kbit_training(base, gradient_checkpointing_kwargs=how), adapters
    )


def by_harness(base: Any, how: How, adapters: peft.LoraConfig) -> Any:
    """A training loop that wraps each block itself, and knows of no hook."""
    for block in base.model.layers:
        block.forward = partial(_recomputed, block.forward, how or {})
    return peft.get_peft_model(base, adapters)


def _recomputed(forward: Callable[..., Any], how: dict[str, Any], hidden: Tensor, **more: Any) -> Any:
    """A block, checkpointed with what the reentrant one needs: its hidden states by position, alone."""
    return checkpoint.checkpoint(partial(forward, **more), hidden, **how)


TRAINER = "Trainer"
PEFT = "peft, 4 bits"
ENABLERS: Mapping[str, Enabler] = {
    "transformers, before peft": before,
    "transformers, after peft": after,
    PEFT: by_peft,
    TRAINER: nobody,  # it turns checkpointing on itself, when training begins
    "harness": by_harness,
}


# A run -------------------------------------------------------------------------------------------------


def base_of(way: Way, seed: int) -> Any:
    """The model that a way puts its adapters on."""
    return models.base(seed, four_bit=way.who == PEFT)


def made(way: Way, base: Any, seed: int) -> Any:
    """The model that a way trains, its adapters the same for a seed."""
    torch.manual_seed(seed)
    adapters = models.settings(on_head=way.outside == ON_HEAD, init=way.init)
    model = {"nobody": nobody, **ENABLERS}[way.who](base, TOLD[way.told], adapters)
    if way.outside == HEAD:
        model.get_output_embeddings().weight.requires_grad_()
    return model.train()


def embedding_of(model: Any) -> Any:
    """The layer of a model that looks tokens up."""
    return model.get_input_embeddings()


def batch(model: Any, way: Way, seed: int) -> dict[str, Tensor]:
    """Token ids and labels, or embeddings looked up without the layer, so that no hook of it runs."""
    ids = models.tokens(seed)
    if way.hook == "bypassed":
        return {
            "inputs_embeds": functional.embedding(ids, embedding_of(model).weight).detach(),
            "labels": ids,
        }
    return {"input_ids": ids, "labels": ids}


def loss_of(model: Any, inputs: Mapping[str, Tensor], way: Way) -> Tensor:
    """The loss of one step, made to require a gradient where the way says so."""
    loss: Tensor = model(**inputs).loss
    return loss.requires_grad_() if way.outside == LOSS else loss


def trained(way: Way, *, steps: int, seed: int, optimizer_first: bool = False) -> Run:
    """One training run; what it raises is kept.

    Args:
        way: How it is set up.
        steps: How many there are.
        seed: Of weights and tokens.
        optimizer_first: The optimizer is made before the adapters are, of what trains then.
    """
    with models.heard() as said:
        base = base_of(way, seed)
        early = torch.optim.AdamW(base.parameters(), lr=RATE) if optimizer_first else None
        given = made(way, base, seed)
        run = Run(given, start := models.weights_of(given), start, said=said)
        with _watched(run):
            try:
                if way.who == TRAINER:
                    _by_trainer(run, way, steps, seed)
                else:
                    _by_loop(run, way, steps, seed, early or optimizer_of(given))
            except RuntimeError as error:
                run.complaint = str(error).partition("\n")[0]
        run.end = models.weights_of(given)
    return run


def _watched(run: Run) -> Any:
    """Notes on `run` what goes into its first block, and whether the reentrant checkpoint runs."""
    function: Any = checkpoint.CheckpointFunction
    forward = function.forward

    def noted(*args: Any) -> Any:
        run.reentrant = True
        return forward(*args)

    def entered(_: Any, args: tuple[Any, ...]) -> None:
        run.entered_with_gradient = args[0].requires_grad

    run.model.get_base_model().model.layers[0].register_forward_pre_hook(entered)
    return mock.patch.object(function, "forward", staticmethod(noted))


def unhook(run: Run, way: Way) -> None:
    """Count the hooks on the embedding, and take them off where the way says so."""
    hooks = embedding_of(run.model)._forward_hooks  # there is no public way to see them
    run.hooks = len(hooks)
    if way.hook == "removed":
        hooks.clear()


def optimizer_of(model: Any) -> torch.optim.AdamW:
    """An optimizer of all that trains."""
    return torch.optim.AdamW([one for one in model.parameters() if one.requires_grad], lr=RATE)


def _by_loop(run: Run, way: Way, steps: int, seed: int, optimizer: torch.optim.Optimizer) -> None:
    unhook(run, way)
    inputs = batch(run.model, way, seed)
    for _ in range(steps):
        loss = loss_of(run.model, inputs, way)
        loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated
        run.gradient_norm = float(clip_grad_norm_(run.model.parameters(), math.inf))
        optimizer.step()
        optimizer.zero_grad()
        run.losses.append(loss.item())


def _by_trainer(run: Run, way: Way, steps: int, seed: int) -> None:
    class Watched(Trainer):  # type: ignore[misc]  # transformers is not type-checked here
        def compute_loss(self, model: Any, inputs: Any, *_: object, **__: object) -> Tensor:
            if not run.losses:
                unhook(run, way)  # only now has it turned checkpointing on
            loss = loss_of(model, inputs, way)
            run.losses.append(loss.item())
            return loss

    inputs = batch(run.model, way, seed)
    rows = [{name: tensor[i] for name, tensor in inputs.items()} for i in range(len(inputs["labels"]))]
    with tempfile.TemporaryDirectory() as folder:
        arguments = TrainingArguments(
            output_dir=folder,
            max_steps=steps,
            learning_rate=RATE,
            lr_scheduler_type="constant",
            per_device_train_batch_size=len(rows),
            activation_checkpointing=True,
            activation_checkpointing_kwargs=TOLD[way.told],
            logging_strategy="no",
            save_strategy="no",
            report_to="none",
            disable_tqdm=True,
            use_cpu=True,
            seed=seed,
        )
        Watched(model=run.model, args=arguments, train_dataset=rows).train()
