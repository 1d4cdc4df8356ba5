"""Which part of a training step is at work, in any callable; no probe itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, Literal

import torch
from torch import nn
from torch.nn.modules import module as module_hooks
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_post_hook, register_optimizer_step_pre_hook

Stage = Literal["forward", "backward", "optimizer", "around"]
"""Inside of a module's forward; inside of the backward pass, what it recomputes included; inside of an
optimizer's step; anywhere else: the loss, clipping, metrics, logging."""

STAGES: tuple[Stage, ...] = ("forward", "backward", "optimizer", "around")


class Stages:
    """Knows the stage while `watched` lasts."""

    def __init__(self) -> None:
        self._entered: list[Stage] = []

    @property
    def now(self) -> Stage:
        """The stage that is at work."""
        return self._entered[-1] if self._entered else "around"

    @contextmanager
    def watched(self, updated: Callable[[Optimizer], object]) -> Iterator[None]:
        """Follow modules, the backward pass and optimizers; `updated` is told of each optimizer's step."""

        def after(optimizer: Optimizer, *_: object) -> None:
            updated(optimizer)
            self._leave()

        hooks = [
            module_hooks.register_module_forward_pre_hook(partial(self._enter, "forward")),
            module_hooks.register_module_forward_hook(self._leave, always_call=True),
            register_optimizer_step_pre_hook(partial(self._enter, "optimizer")),
            register_optimizer_step_post_hook(after),
        ]
        kept = torch.autograd.backward, torch.autograd.grad
        torch.autograd.backward, torch.autograd.grad = (partial(self._backward, each) for each in kept)
        try:
            yield
        finally:
            torch.autograd.backward, torch.autograd.grad = kept
            for hook in hooks:
                hook.remove()

    def _enter(self, stage: Stage, *_: nn.Module | Optimizer | object) -> None:
        """A forward inside of the backward pass recomputes, and belongs to it."""
        self._entered.append("backward" if self.now == "backward" else stage)

    def _leave(self, *_: object) -> None:
        self._entered.pop()

    def _backward(self, original: Callable[..., Any], *args: Any, **given: Any) -> Any:
        self._enter("backward")
        try:
            return original(*args, **given)
        finally:
            self._leave()
