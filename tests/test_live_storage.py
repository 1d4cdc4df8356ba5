from __future__ import annotations

import gc
from contextlib import nullcontext
from typing import Any

import pytest

torch = pytest.importorskip("torch")
live_storage = pytest.importorskip("probe_parts.live_storage")
allocator = pytest.importorskip("probe_parts.allocator")

from torch._subclasses.fake_tensor import FakeTensorMode  # noqa: E402  # behind the skip
from torch.utils.checkpoint import checkpoint  # noqa: E402  # behind the skip

pytestmark = pytest.mark.torch

N = 1000
FLOATS = 4 * N
"""Bytes of a vector of N."""


def vector(*, grad: bool = False) -> Any:
    return torch.zeros(N, requires_grad=grad)


# What is counted ---------------------------------------------------------------------------------------


def test_views_share_one_storage_which_dies_with_the_last_of_them() -> None:
    live = live_storage.LiveStorage()
    with live:
        base = torch.zeros(N)
        views = [base[:10], base.view(10, -1), base.view(10, -1).T, base.detach()]
        assert live.current == FLOATS
        del base
        assert live.current == FLOATS
        del views
        assert live.current == 0
    assert live.peak.bytes == FLOATS


def test_in_place_adds_nothing_and_a_temporary_is_taken_off_again() -> None:
    live = live_storage.LiveStorage()
    with live:
        x = torch.zeros(N)
        x.add_(1).mul_(2)
        assert live.current == FLOATS
        x = x + 1
        assert live.current == FLOATS
    assert live.peak.bytes == 2 * FLOATS
    assert live.peak.operator == "aten.add.Tensor"


def test_what_was_there_before_is_counted_once_it_is_adopted() -> None:
    weight = vector()
    views = [weight[:5]]
    live = live_storage.LiveStorage()
    with live:
        made = weight * 2
        assert live.current == FLOATS
        assert live.adopt([weight, *views, made]) == FLOATS
    assert live.current == 2 * FLOATS
    del weight
    assert live.current == 2 * FLOATS
    views.clear()
    assert live.current == FLOATS


def test_all_outputs_of_an_operator_count() -> None:
    live = live_storage.LiveStorage()
    with live:
        values, places = torch.sort(torch.zeros(N))
    assert live.current == FLOATS + 2 * FLOATS
    assert values.nbytes + places.nbytes == live.current


def test_the_peak_says_what_was_alive_and_where_it_came_from() -> None:
    live = live_storage.LiveStorage()
    live.stage = "weights"
    weight = vector()
    live.adopt([weight])
    with live:
        live.stage = "forward"
        kept = torch.exp(weight)
        live.stage = "backward"
        passing = torch.cat([kept, kept])
        del passing
    peak = live.peak
    assert (peak.bytes, peak.stage, peak.operator) == (4 * FLOATS, "backward", "aten.cat.default")
    assert {(made.stage, made.shape): size for made, size in peak.held.items()} == {
        ("weights", (N,)): FLOATS,
        ("forward", (N,)): FLOATS,
        ("backward", (2 * N,)): 2 * FLOATS,
    }
    assert sum(live.held().values()) == live.current == 2 * FLOATS


# What autograd keeps, against hand counting ------------------------------------------------------------


def chain(x: Any) -> Any:
    """Keeps two vectors for the backward pass: what `exp` gave, for itself and `sin`, and what `sin` gave."""
    return x.exp().sin().cos()


def test_saved_tensors_stay_until_the_backward_pass_has_used_them() -> None:
    x = vector(grad=True)
    live = live_storage.LiveStorage()
    with live:
        y = chain(x)
        assert live.current == 3 * FLOATS  # those two and `y`
        loss = y.sum()
        del y
        assert live.current == 2 * FLOATS + loss.nbytes
        loss.backward()
        del loss
        assert x.grad is not None
        assert live.current == FLOATS  # the gradient


def test_a_checkpoint_keeps_its_input_alone_and_makes_the_rest_again() -> None:
    kept, made_again = (peaks_of_layers(recompute=recompute) for recompute in (False, True))
    assert kept["forward"] == (8 * 2 + 1) * FLOATS  # and the last layer's output
    assert made_again["forward"] == (7 + 1) * FLOATS  # the first layer's input is no layer's output
    assert made_again["peak"] < kept["peak"]


def peaks_of_layers(*, recompute: bool) -> dict[str, int]:
    """Eight layers of `chain`: what is alive after the forward pass, and at most."""
    x = vector(grad=True)
    live = live_storage.LiveStorage()
    with live:
        y = x
        for _ in range(8):
            y = checkpoint(chain, y, use_reentrant=False, preserve_rng_state=False) if recompute else chain(y)
        forward = live.current
        y.sum().backward()
    return {"forward": forward, "peak": live.peak.bytes}


# Against the allocator ---------------------------------------------------------------------------------


def work(width: int, *, recompute: bool) -> None:
    """A step with weights of its own: products, views, a softmax, a loss."""
    weights = [torch.ones(width, width, requires_grad=True) for _ in range(4)]
    x = torch.ones(32, width)

    def layer(weight: Any, x: Any) -> Any:
        heads = (x @ weight).view(32, 4, -1).transpose(0, 1)
        return torch.softmax(heads @ heads.mT, -1).matmul(heads).transpose(0, 1).reshape(32, width) + x

    for weight in weights:
        if recompute:
            x = checkpoint(layer, weight, x, use_reentrant=False, preserve_rng_state=False)
        else:
            x = layer(weight, x)
    x.square().mean().backward()


@pytest.mark.parametrize("recompute", [False, True], ids=["kept", "recomputed"])
def test_fake_and_real_peaks_are_one_and_the_allocator_agrees(recompute: bool) -> None:
    peaks = []
    for fake in (False, True):
        live = live_storage.LiveStorage()
        with FakeTensorMode() if fake else nullcontext(), live:
            work(64, recompute=recompute)
        peaks.append(live.peak.bytes)
    real, guessed = peaks
    assert guessed == real
    gc.collect()
    allocated = allocator.most_allocated(lambda: work(64, recompute=recompute))
    assert allocated == pytest.approx(real, rel=0.02)


def test_the_allocators_account_is_what_was_asked_for() -> None:
    def asks() -> None:
        first = torch.empty(N)
        second = torch.empty(3 * N)
        del first
        third = torch.empty(N)
        del second, third

    assert allocator.most_allocated(asks) == 4 * FLOATS
    assert allocator.most_allocated(lambda: None) == 0
