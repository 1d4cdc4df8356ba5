"""Adapters that no gradient reaches, and some that are not served: seen, stopped, a broken guard noticed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from integrity_support import pasted
from probe_parts.guards import RefusedError
from probe_support import assert_refused, document_of

torch = pytest.importorskip("torch")
pytest.importorskip("accelerate")
pytest.importorskip("bitsandbytes")
probe = pytest.importorskip("inert_adapter")
models = pytest.importorskip("probe_parts.adapter_models")
runs = pytest.importorskip("probe_parts.adapter_runs")
weights = pytest.importorskip("probe_parts.adapter_weights")

pytestmark = pytest.mark.torch

STEPS = 3
STARTS_AT = {True: 0, "pissa": 5}


@cache
def run(way: Any) -> Any:
    return probe.trained(way, steps=STEPS, seed=0)


@cache
def measured() -> dict[str, Any]:
    """What the probe prints, with a matrix of one who turns checkpointing on."""
    return document_of(probe, ("--who", "harness", "--steps", str(STEPS)))


# The trap ------------------------------------------------------------------------------------------------


def test_the_trap_completes_with_four_adapters_as_they_began() -> None:
    trap = run(probe.TRAP)
    assert (trap.complaint, len(trap.losses)) == ("", STEPS)
    assert trap.losses[-1] < trap.losses[0]
    moved = [
        name
        for name, parameter in trap.model.named_parameters()
        if "lora_B" in name and torch.count_nonzero(parameter)
    ]
    assert moved == ["base_model.model.lm_head.lora_B.default.weight"]
    assert sum("lora_B" in name for name, _ in trap.model.named_parameters()) == 5


def test_nothing_in_the_blocks_of_the_trap_was_ever_updated() -> None:
    began, ended = run(probe.TRAP).start, run(probe.TRAP).end
    assert sum(".lora_" in name for name in began) == 2 * 5
    assert {name for name in began if not torch.equal(began[name], ended[name])} == {
        "base_model.model.lm_head.lora_A.weight",
        "base_model.model.lm_head.lora_B.weight",
    }


def test_the_same_run_with_token_ids_moves_every_adapter() -> None:
    sound = run(probe.SOUND_RUN)
    assert (sound.result, sound.counts()["nonzero"], sound.counts()["unmoved"]) == ("trains", 5, 0)


@pytest.mark.parametrize("who", [who for who in runs.ENABLERS if who != "Trainer"])
def test_a_hook_or_the_other_way_reaches_the_adapters_and_neither_raises(who: str) -> None:
    bare = runs.Way(who, "use_reentrant=True", "removed")
    assert run(bare).result == "raises"
    assert "does not require grad" in run(bare).complaint
    assert run(replace(bare, told="use_reentrant=False")).result == "trains"
    hooked = run(replace(bare, hook="left"))
    assert hooked.result == ("raises" if who == "harness" else "trains")
    assert (hooked.hooks == 0) == (who == "harness")


def test_the_trainer_falls_into_it_too() -> None:
    trap = runs.Way("Trainer", "use_reentrant=True", "bypassed", runs.LOSS)
    assert (run(trap).result, run(trap).counts()["nonzero"]) == ("silent", 0)
    assert len(set(run(trap).losses)) == 1
    assert run(replace(trap, told="nothing")).result == "trains"


def test_peft_turns_the_reentrant_way_on_where_transformers_would_not() -> None:
    assert run(runs.Way(runs.PEFT)).reentrant
    assert not run(runs.Way("transformers, after peft")).reentrant


def test_an_optimizer_made_first_moves_nothing_and_has_gradients() -> None:
    early = probe.trained(runs.Way(), steps=STEPS, seed=0, optimizer_first=True)
    assert (early.result, early.counts()["unmoved"]) == ("silent", 4)
    assert early.gradient_norm > 0
    assert early.losses[0] == early.losses[-1]


def test_the_matrix_of_a_harness_follows_the_rule_and_counts_add_up() -> None:
    found = measured()
    assert found["counts"]["runs"] == found["counts"]["by_the_rule"] == len(found["matrix"]) == 4 * 3 * 4
    # Three of four ways to ask are reentrant, no hook is ever there.
    assert found["counts"]["by_outside"][0] == {"outside": "nothing", "trains": 3, "raises": 9, "silent": 0}
    assert {row["silent"] for row in found["counts"]["by_outside"][1:]} == {9}


# The guard of training -----------------------------------------------------------------------------------


@pytest.mark.parametrize("init", STARTS_AT, ids=["zero", "pissa"])
def test_the_guard_looks_at_what_moved_whatever_it_began_with(init: bool | str) -> None:
    trap, sound = (run(replace(way, init=init)) for way in (probe.TRAP, probe.SOUND_RUN))
    assert len(weights.nonzero(trap.start)) == STARTS_AT[init]
    with pytest.raises(RefusedError, match="4 of 5 adapters have not moved"):
        weights.refuse_inert(trap.start, trap.end)
    weights.refuse_inert(sound.start, sound.end)


def test_a_model_without_adapters_is_stopped() -> None:
    with pytest.raises(RefusedError, match="there are no adapters"):
        weights.refuse_inert({}, {})


def test_an_accident_inside_the_guard_is_no_refusal() -> None:
    def stumbles(start: object, now: object) -> None:
        raise ValueError(f"{start} and {now} cannot be compared")

    with pytest.raises(ValueError, match="cannot be compared"):
        probe.stopped(weights.Guards(adapter=stumbles), run(probe.SOUND_RUN))


def test_nothing_has_moved_while_the_rate_is_zero() -> None:
    first, second, third = measured()["warm_up"]
    assert (first["rate"], first["moved"]) == (0, 0)
    assert (second["moved"], third["moved"]) == (5, 5)


# Serving -------------------------------------------------------------------------------------------------


def test_all_ways_but_one_serve_the_base_model() -> None:
    ways = {row["way"]: row for row in measured()["served"]["ways"]}
    assert ways.pop("loaded")["difference"] > 0
    assert {row["difference"] for row in ways.values()} == {0}
    assert [way for way, row in ways.items() if row["missing_keys_warned"]] == [
        "onto the class with images",
        "saved while compiled",
    ]


def test_a_base_that_differs_from_itself_is_the_measure() -> None:
    base = torch.zeros(2, 3)
    serving = weights.Serving(torch.nn.Linear(1, 1), base + 0.5, base, base + 0.25)
    weights.refuse_base(serving)
    with pytest.raises(RefusedError, match="outputs of the base model"):
        weights.refuse_base(replace(serving, again=base + 0.5))


@pytest.mark.parametrize("part", ["outputs", "base", "again"])
def test_outputs_that_are_no_numbers_show_no_difference(part: str) -> None:
    base = torch.zeros(2, 3)
    one_is_none = torch.tensor([[0.5, float("nan"), 0.5], [0.5, 0.5, 0.5]])
    serving = weights.Serving(torch.nn.Linear(1, 1), base + 0.5, base, base)
    weights.refuse_base(serving)
    with pytest.raises(RefusedError, match="outputs of the base model"):
        weights.refuse_base(replace(serving, **{part: one_is_none}))


# The claims and the broken guards -------------------------------------------------------------------------


def guards(plant: str) -> tuple[bool, bool, bool, bool]:
    """What the probe says of the guards; no guard looks at the matrix."""
    found = probe.measure(probe.Settings((), STEPS, 0, plant)) if plant else measured()
    training, serving = found["guard"], found["served"]["guard"]
    return training["stops"], training["passes"], serving["stops"], serving["passes"]


@pytest.mark.parametrize(
    ("plant", "said"),
    [
        ("", (True, True, True, True)),
        ("no-guard", (False, True, False, True)),
        ("refuse-all", (True, False, True, False)),
        ("any-gate", (False, True, True, True)),
        ("loaded-gate", (True, True, False, True)),
    ],
)
def test_the_guards_stop_the_traps_alone_and_a_broken_one_is_noticed(
    plant: str, said: tuple[bool, bool, bool, bool]
) -> None:
    assert guards(plant) == said


@pytest.mark.filterwarnings("ignore:Setting `save_embedding_layers`")  # lm_head has an adapter
def test_the_guard_that_the_page_prints_stops_the_trap_and_passes_the_sound_run() -> None:
    learned, refuse_inert = (pasted("inert-adapter.md", name) for name in ("learned", "refuse_inert"))
    trap, sound = run(probe.TRAP), run(probe.SOUND_RUN)
    with pytest.raises(ValueError, match="4 of 5 adapters have not moved"):
        refuse_inert(trap.start, learned(trap.model))
    refuse_inert(sound.start, learned(sound.model))
    kept = {value.data_ptr() for value in learned(sound.model).values()}
    assert kept.isdisjoint(parameter.data_ptr() for parameter in sound.model.parameters())


@pytest.mark.parametrize(
    ("served", "again"), [(0.0, 0.0), (0.1, 0.1), (float("nan"), 0.0), (1.0, float("nan"))]
)
def test_the_guard_of_serving_that_the_page_prints_stops_what_shows_no_difference(
    served: float, again: float
) -> None:
    refuse_base, base = pasted("inert-adapter.md", "refuse_base"), torch.zeros(2, 3)
    refuse_base(base + 1, base, base + 0.1)
    with pytest.raises(ValueError, match="the adapter is not served"):
        refuse_base(base + served, base, base + again)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (("--who", "nobody"), "`nobody` turns nothing on"),
        (("--steps", "0"), "must be above 0"),
        (("--plant", "none"), "invalid choice"),
    ],
    ids=["unknown enabler", "no step", "unknown plant"],
)
def test_a_wrong_argument_is_refused(
    arguments: tuple[str, ...], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert_refused(probe, arguments, complaint, capsys)


def test_two_runs_of_one_seed_are_the_same() -> None:
    again = probe.trained(probe.TRAP, steps=STEPS, seed=0)
    assert again.losses == run(probe.TRAP).losses
