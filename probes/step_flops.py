#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/flops/flops.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "1800 s"
# plant = ["trust-counter", "count-frozen", "square-as-causal"]
# ///
"""FLOPs of a training step of a `config.json`, counted at full size without its memory, on every basis.

Settles:
    For a step of the language model with LoRA adapters, or with every weight trained: FLOPs of products with
    weights, of experts and of attention, in the forward pass, in what checkpointing runs again, and in the
    gradients, where a frozen weight gets none. Attention by the pairs that are counted: the whole square,
    what causality leaves, what windows leave, what a kernel computes under a mask. Beside them
    `6 x parameters x tokens`. What torch's own counter sees of the same step and what it passes over, on a
    small real model too. With `--peak` and `--seconds`: the share of a peak on each of six bases, each said
    in words.

Needs:
    torch and transformers. No accelerator, no weights, no network: tensors are fake.

Costs:
    By default a minute or two on one core and 1 GiB of memory, for four steps; half a minute for one.

Cannot settle:
    How long anything takes, which is `--seconds` and yours to measure. What a kernel on an accelerator really
    computes: one that skips a mask's empty blocks does less than `run`, one that pads does more. Work that is
    no product: norms, the softmax, routing, the optimizer. A vision tower. Several cards: give the tokens,
    the seconds and the peak of one.

No utilisation is printed where attention or experts were counted as nothing. Standard output is one JSON
document, progress goes to standard error.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from torch import nn
from transformers import AutoModelForCausalLM

from probe_parts import counter_witness, fake_step, model_config
from probe_parts import module_counts as counts
from probe_parts.command_line import parser_of, positive
from probe_parts.flop_ledger import STAGES, FlopLedger
from probe_parts.losses import Way
from probe_parts.output import as_json, say
from probe_parts.utilisation import (
    MEANINGS,
    Work,
    attention_work,
    bases,
    covered,
    duration,
    missing,
    rate,
    summed,
    utilisation,
)

EXPERTS = ("num_experts", "num_local_experts", "n_routed_experts")
CHOSEN = ("top_k_experts", "num_experts_per_tok")
NO_PAIRS = ("linear_attention", "mamba", "conv", "recurrent", "moe", "mlp")
"""Kinds of layers, as configurations name them, that look at no pairs of tokens."""
PLANTS = {
    "trust-counter": "what torch's counter passes over is taken as no work",
    "count-frozen": "frozen weights get their gradients too",
    "square-as-causal": "causal and windowed attention are counted over the whole square",
}


@dataclass(frozen=True, slots=True)
class Plan:
    """A step that is counted.

    Attributes:
        tokens: Of one sequence.
        sequences: In the step.
        loss: How it is computed.
        checkpointing: Whether layers are run again in the backward pass.
        trained: Adapters on frozen weights, or every weight.
    """

    tokens: int
    sequences: int
    loss: Way = "naive"
    checkpointing: bool = True
    trained: Literal["adapters", "everything"] = "adapters"


PLANS = (
    Plan(8192, 1),
    Plan(8192, 1, checkpointing=False),
    Plan(8192, 1, checkpointing=False, trained="everything"),
    Plan(16384, 2),
)
"""What is counted where no step is asked for."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is counted.

    Attributes:
        config: The `config.json`.
        rank: Of the adapters.
        plans: The steps.
        peak: Of one card, FLOP/s; None where no utilisation is asked for.
        seconds: Of the step.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    rank: int
    plans: tuple[Plan, ...]
    peak: float | None
    seconds: float | None
    plant: str


# The model ---------------------------------------------------------------------------------------------


def setting(config: Any, names: Sequence[str]) -> int | None:
    """The first of `names` that the configuration gives a number above 0."""
    found = (getattr(config, name, None) for name in names)
    return next((value for value in found if isinstance(value, int) and value > 0), None)


def active_parameters(text: Mapping[str, Any]) -> dict[str, int]:
    """Parameters that multiply one token: of the experts those it is sent to, no table that is looked up.

    With the head and without it: a head that shares its matrix with the embedding is work once.
    """
    model, config = model_config.on_meta(text), model_config.config_of(text)
    head = fake_step.head_of(model)
    looked_up = {
        id(module.weight): module.weight.numel()
        for module in model.modules()
        if isinstance(module, nn.Embedding) and module.weight is not head
    }
    total, chosen = setting(config, EXPERTS), setting(config, CHOSEN)
    decoder = model_config.decoder_of(model)
    found = counts.fused_experts(decoder, total)
    refuse_experts_unknown(decoder, found, chosen)
    fused = counts.size(found.values())
    idle = fused - fused * (chosen or 0) // (total or 1)
    with_head = counts.size(model.parameters()) - sum(looked_up.values()) - idle
    return {"with_head": with_head, "without_head": with_head - head.numel(), "experts": fused - idle}


def refuse_experts_unknown(decoder: nn.Module, found: Mapping[str, nn.Parameter], chosen: int | None) -> None:
    """Experts of which it is not known how many a token is sent to would count as all of them, or as none.

    Raises:
        SystemExit: There are such.
    """
    strange = [
        name
        for name, parameter in decoder.named_parameters()
        if parameter.ndim == 3 and "experts" in name.split(".") and (name not in found or chosen is None)
    ]
    if strange:
        raise SystemExit(
            f"{strange[0]}: to how many of these experts a token is sent is not known here: the config gives "
            f"none of {', '.join(EXPERTS)}, which fits their number, with one of {', '.join(CHOSEN)}"
        )


def attention_windows(config: Any) -> tuple[int | None, ...]:
    """The window of each layer that looks at pairs of tokens, None where it sees everything before.

    Raises:
        SystemExit: A layer is of a kind whose pairs are not known here.
    """
    kinds = [kind for kind in model_config.layer_kinds(config) if kind not in NO_PAIRS]
    if strange := sorted({*kinds} - {"full_attention", "sliding_attention"}):
        raise SystemExit(f"layers of kind {', '.join(strange)}: which pairs they count is not known here")
    window = model_config.window_of(config)
    return tuple(window if kind == "sliding_attention" else None for kind in kinds)


def built(text: Mapping[str, Any], plan: Plan, rank: int, plant: str) -> nn.Module:
    """The model of a plan; under `fake_tensors`."""
    if plan.trained == "everything":
        how = {"dtype": "bfloat16", "attn_implementation": "sdpa"}
        return model_config.made(model_config.config_of(text), AutoModelForCausalLM, **how).train()
    model = fake_step.lora_model(text, fake_step.Adapters(rank=rank))
    return model.requires_grad_(True) if plant == "count-frozen" else model


# The step ----------------------------------------------------------------------------------------------


def counted(text: Mapping[str, Any], plan: Plan, rank: int, plant: str) -> FlopLedger:
    """The operators of a step of a plan."""
    with fake_step.fake_tensors():
        model = built(text, plan, rank, plant)
        batch = fake_step.batch_of(text, tokens=plan.tokens, sequences=plan.sequences)
        step = fake_step.Step(way=plan.loss, checkpointing=plan.checkpointing)
        ledger = FlopLedger()
        with ledger:
            fake_step.take_step(model, batch, step)
    return ledger


def work_of(
    ledger: FlopLedger, plan: Plan, text: Mapping[str, Any], active: Mapping[str, int], plant: str
) -> Work:
    """The work of the step that `ledger` followed."""
    attention = attention_work(ledger, attention_windows(model_config.config_of(text)))
    experts = summed({stage: ledger.of("experts", stage) for stage in STAGES})
    if plant == "trust-counter":
        attention = {way: dict.fromkeys(stages, 0) for way, stages in attention.items()}
        experts = dict.fromkeys(experts, 0)
    if plant == "square-as-causal":
        attention |= {"causal": attention["square"], "windowed": attention["square"]}
    return Work(
        tokens=plan.tokens * plan.sequences,
        active=active["with_head"],
        expects_experts=bool(active["experts"]),
        products=summed({stage: ledger.of("products", stage) for stage in STAGES}),
        experts=experts,
        attention=attention,
        unknown=ledger.unknown,
    )


def row(plan: Plan, work: Work, ledger: FlopLedger) -> dict[str, Any]:
    """What is printed of one step."""
    return {
        **asdict(plan),
        "products": work.products,
        "experts": work.experts,
        "attention": work.attention,
        "bases": bases(work),
        "forward_over_2nd": covered(work),
        "missing": missing(work),
        "counter": work.products["total"],  # it has formulas for these and for no others
        "counter_passes_over": dict(ledger.blind),
        "no_formula": dict(ledger.unknown),
    }


def steps(
    settings: Settings, text: Mapping[str, Any], active: Mapping[str, int]
) -> Iterator[tuple[Work, Any]]:
    """Each plan's work, and what is printed of it."""
    for plan in settings.plans:
        ledger = counted(text, plan, settings.rank, settings.plant)
        work = work_of(ledger, plan, text, active, settings.plant)
        warn(plan, ledger, work)
        yield work, row(plan, work, ledger)


def warn(plan: Plan, ledger: FlopLedger, work: Work) -> None:
    """Say what torch's counter passed over, and what was counted as nothing here."""
    over = ", ".join(f"{operator} ({calls} calls)" for operator, calls in ledger.blind.items())
    say(
        f"{plan.sequences} x {plan.tokens}: torch's counter sees 0 FLOPs in {over or 'nothing that is known'}"
    )
    for operator, calls in ledger.unknown.items():
        say(f"  {operator} ({calls} calls) looks like work and has no formula here either: it is NOT counted")
    for part in missing(work):
        say(f"  every basis of this step is too small: {part}")


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    text = model_config.text_part(model_config.read_raw(settings.config))
    active = active_parameters(text)
    say("counted the parameters; now the steps")
    found = list(steps(settings, text, active))
    return {
        "settings": {"config": settings.config.name, "rank": settings.rank, "plant": settings.plant},
        "versions": model_config.versions(),
        "active": active,
        "bases": MEANINGS,
        "steps": [row for _, row in found],
        "small_step": planted(counter_witness.witness(), settings.plant),
        "accelerator_formula": counter_witness.accelerator_formula(),
        "utilisation": None
        if settings.peak is None or settings.seconds is None
        else utilisation(found[0][0], settings.peak, settings.seconds),
    }


def planted(rows: list[dict[str, Any]], plant: str) -> list[dict[str, Any]]:
    """The small steps; where the counter is trusted, with what it says in place of the ledger's."""
    if plant != "trust-counter":
        return rows
    return [row | {"ledger": {part: row["counter"]["whole"][part] for part in row["ledger"]}} for row in rows]


# The command line --------------------------------------------------------------------------------------


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    add("--tokens", type=positive, help="of one sequence; without it some steps are counted that differ")
    add("--sequences", type=positive, help="in the step")
    add("--rank", type=positive, default=64, help="of the adapters")
    add("--trained", choices=("adapters", "everything"), help="what gets gradients")
    add("--loss", choices=("naive", "chunked", "recomputed"), help="recomputed: in chunks, run again")
    add("--no-checkpointing", action="store_true", help="layers keep what backward needs")
    add("--peak", type=rate, help="of one card, with its unit: 304TFLOPS")
    add("--seconds", type=duration, help="that the step took")
    given = parser.parse_args(argv)
    shape = (given.sequences, given.trained, given.loss, given.no_checkpointing or None)
    if given.tokens is None and any(value is not None for value in (*shape, given.peak, given.seconds)):
        parser.error("say which step is meant: --tokens, and --sequences where it is not 1")
    if (given.peak is None) != (given.seconds is None):
        parser.error("a utilisation needs both --peak and --seconds")
    return Settings(given.config, given.rank, plans_of(given), given.peak, given.seconds, given.plant)


def plans_of(given: argparse.Namespace) -> tuple[Plan, ...]:
    """The step that is asked for, or the default ones."""
    if given.tokens is None:
        return PLANS
    step = Plan(
        given.tokens,
        given.sequences or 1,
        loss=given.loss or "naive",
        checkpointing=not given.no_checkpointing,
        trained=given.trained or "adapters",
    )
    return (step,)


def main(argv: Sequence[str] | None = None) -> None:
    """Count and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
