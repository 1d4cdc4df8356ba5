from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from probe_support import assert_refused, document_of, said_by

torch = pytest.importorskip("torch")
step_census = pytest.importorskip("step_census")
step_watch = pytest.importorskip("probe_parts.step_watch")

pytestmark = pytest.mark.torch

RUNS = Path(__file__).parent / "slow_runs"
WIDTHS = (16, 64)


@pytest.fixture(autouse=True)
def slow_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(RUNS))


def census(run: str, *more: str) -> dict[str, Any]:
    widths = ",".join(str(width) for width in WIDTHS)
    return document_of(step_census, ["--harness", f"{run}:harness", "--widths", widths, *more])


def row(document: dict[str, Any], series: str = "step", width: int = WIDTHS[-1]) -> dict[str, Any]:
    (found,) = (r for r in document["census"] if (r["series"], r["width"]) == (series, width))
    return dict(found)


# The watch ---------------------------------------------------------------------------------------------


def test_bytes_count_for_new_tensors_and_not_for_views_or_changes_in_place() -> None:
    x = torch.ones(4, 8)

    def step() -> None:
        (x + 1).t().view(2, 4, 4).mul_(2)  # 4 * 8 floats, then a view of a view, changed in place
        x.double()  # 4 * 8 doubles

    seen = step_watch.watch(step)
    assert seen.types == {"float32": 4 * 8 * 4, "float64": 4 * 8 * 8}
    assert sum(seen.made.values()) == 4 * 8 * (4 + 8)
    assert seen.calls["aten::mul_"] == 1
    assert seen.made["aten::mul_"] == 0


def test_numbers_and_tensors_that_are_read_count_each() -> None:
    x = torch.ones(3)

    def step() -> None:
        x.sum().item()
        if x.sum() > 2:
            float(x.max())
        x.tolist()
        x.numpy()
        x.cpu()

    seen = step_watch.watch(step)
    assert (seen.numbers_read, seen.tensors_read) == (3, 3)


def test_an_optimizers_own_counters_do_not_count_and_what_is_read_after_it_does() -> None:
    weight = torch.nn.Parameter(torch.ones(3))
    optimizer = torch.optim.AdamW([weight])

    def step() -> None:
        weight.sum().backward()
        optimizer.step()
        weight.detach().sum().item()

    step()
    assert step_watch.watch(step).numbers_read == 1


def test_the_backward_and_what_it_recomputes_are_seen() -> None:
    from torch.utils.checkpoint import checkpoint  # noqa: PLC0415  # torch may be missing

    weight = torch.ones(3, 3, requires_grad=True)

    def step() -> None:
        checkpoint(lambda w: (w @ w).exp(), weight, use_reentrant=False).sum().backward()

    seen = step_watch.watch(step)
    assert seen.calls["aten::mm"] == 2 + 2
    assert seen.calls["aten::exp"] == 2


def test_a_mask_that_layers_share_counts_once() -> None:
    query = torch.ones(1, 1, 4, 8)
    mask = torch.ones(4, 4, dtype=torch.bool)

    def step() -> None:
        for given in (mask, mask, None):
            torch.nn.functional.scaled_dot_product_attention(query, query, query, attn_mask=given)

    seen = step_watch.watch(step)
    assert seen.attention == {"is_causal": 0, "mask": 2, "neither": 1}
    assert seen.mask_bytes == 16


def test_everything_is_put_back_also_where_the_step_fails() -> None:
    attention = torch.nn.functional.scaled_dot_product_attention

    def step() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        step_watch.watch(step)
    assert torch.nn.functional.scaled_dot_product_attention is attention
    assert step_watch.watch(lambda: None).calls == {}


# The document ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("counts", "power"), [((5, 5), 0.0), ((5, 20), 1.0), ((5, 80), 2.0), ((0, 7), None), ((7, 0), None)]
)
def test_a_power_is_that_of_the_width(counts: tuple[int, int], power: float | None) -> None:
    found = step_census.power(WIDTHS, counts)
    assert found == (power if power is None else pytest.approx(power))


def test_a_sound_step_reads_nothing_back_and_uses_the_flag() -> None:
    document = census("sound_run")
    assert row(document)["attention"] == {"is_causal": 2, "mask": 0, "neither": 0, "mask_bytes": 0}
    assert (row(document)["numbers_read"], row(document)["tensors_read"]) == (0, 0)
    assert row(document)["types"]["float64"] == 0
    assert document["growth"]["step"]["operators"] == 0
    assert document["growth"]["step"]["more_often"] == []
    assert [r["series"] for r in document["census"]] == [n for n in document["growth"] for _ in WIDTHS]


def test_what_is_made_is_listed_from_the_most_down() -> None:
    most = census("weights_kept", "--top", "3")["growth"]["step"]["most"]
    assert len(most) == 3
    assert [each["bytes"][-1] for each in most] == sorted((each["bytes"][-1] for each in most), reverse=True)


# The plants --------------------------------------------------------------------------------------------


def test_the_plant_masks_shows_as_masks() -> None:
    planted = census("sound_run", "--plant", "mask-for-flag")
    assert row(planted)["attention"] == {"is_causal": 0, "mask": 2, "neither": 0, "mask_bytes": 2 * 64 * 64}
    assert row(census("sound_run"))["attention"]["mask"] == 0


def test_the_plant_log_shows_as_one_number_read() -> None:
    planted = census("sound_run", "--plant", "log-each-step")
    assert {r["numbers_read"] for r in planted["census"]} == {1}


# The command line --------------------------------------------------------------------------------------


def test_one_width_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(step_census, ["--widths", "64"], "at least two are needed", capsys)


def test_a_harness_that_is_not_there_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(step_census, ["--harness", "nowhere:harness"], "there is no module `nowhere`", capsys)


def test_without_a_harness_it_counts_the_decoder_beside_it() -> None:
    document, told = said_by(step_census, ["--widths", "8,16", "--top", "1"])
    assert document["settings"]["widths"] == [8, 16]
    assert {r["series"] for r in document["census"]} >= {"step", "padded", "without_loss"}
    assert "attention    2 is_causal, 0 mask, 0 neither" in told
