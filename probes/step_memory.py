#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/memory/step.json"
# reads = ["probes/configs/gemma-4-26b-a4b.json"]
# needs = []
# cost = "slow"
# timeout = "30 min"
# plant = ["no-recompute", "forward-only", "text-alone"]
# ///
"""How much memory a LoRA step of a model takes, predicted without the model's weights and without a GPU.

Settles:
    For a `config.json` and a list of steps (tokens, sequences, loss, checkpointing): the bytes of all tensors
    that are alive at the worst moment of the step, which operator that moment is, what is alive then, and
    whether that fits a card of a given size. The whole step is taken at full size on tensors that have
    shapes and no memory: forward, loss, backward with its recomputation. Beside it, the same instrument on a
    small model that really runs, against what the CPU's allocator handed out.

Needs:
    torch and transformers. No accelerator, no weights, no network.

Costs:
    A quarter to half a minute a row on one core, and about 1 GiB of memory, whatever the size of the model.

Cannot settle:
    What no tensor of the step holds: the CUDA context, what the allocator cannot use of what it reserved, the
    workspace of a kernel, another copy that a GPU's attention makes of its mask. So a prediction is a lower
    bound. What does not fit will not fit; what fits narrowly may not, and `--margin` says what is narrow.
    Where attention is `square` and not `fused`, the CPU had no fused kernel for it and a GPU may: there the
    bytes are no bound, and what is beyond the card is `not known`.
    The optimizer's state is not in the rows; it is reckoned apart, from the number of parameters.

Attention is torch's SDPA with a mask, as in a batch that is right-padded; the frozen weights and the adapters
are in bfloat16. The vision tower's weights, where there is one, are counted from the configuration, and no
image goes through it. Standard output is one JSON document, progress goes to standard error.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import torch
from torch import nn

from probe_parts import fake_step, model_config, module_counts
from probe_parts.allocator import most_allocated
from probe_parts.command_line import parser_of, positive
from probe_parts.live_storage import LiveStorage, Made, Peak
from probe_parts.output import as_json, say
from probe_parts.sizes import in_words, size_of
from probe_parts.step_rows import Row, rows_of

CARD = "95.6GiB"
MARGIN = 8.0
ROWS = (
    "4096x1:naive,4096x1:chunked,8192x1:naive,8192x1:chunked,8192x4:chunked,8192x8:chunked,"
    "8192x1:chunked:all-kept,"
    "16384x1:naive,16384x1:chunked,16384x2:chunked,16384x3:chunked,16384x4:chunked"
)
PLANTS = {
    "no-recompute": "layers keep everything, though checkpointing was asked for",
    "forward-only": "the peak is taken before the backward pass",
    "text-alone": "the vision tower's weights are left out",
}
OPTIMIZER = {"moments in bfloat16": 4, "moments in float32": 8, "moments and a copy in float32": 12}
"""Bytes for each trained parameter: AdamW's two moments, and the copy that mixed precision may train."""

SCORES = "aten._safe_softmax.default"
"""What SDPA calls where it is made of plain operators, because no fused kernel takes what it is given."""

ON_SQUARE = (
    "no fused attention of the CPU takes this model (dropout in attention, or values of another width than "
    "keys), so the scores of all pairs of tokens are in these bytes; a GPU that has one holds far less"
)

SMALL_ROWS = "256x2:naive,256x2:chunked,256x2:naive:all-kept,256x2:chunked:all-kept"
SMALL_SIZES = {"vocab_size": 4096, "hidden_size": 64, "intermediate_size": 64, "moe_intermediate_size": 32}
SMALL_LAYERS, SMALL_CHUNK, SMALL_RANK = 6, 64, 4
LARGEST = 6
"""How many origins are named of what is alive at the peak."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is predicted; every field is an argument of the same name.

    Attributes:
        config: The `config.json`.
        card: Bytes of the card's memory.
        margin: What a prediction is taken to be too low by at most, in percent.
        rows: The steps.
        rank: Of the adapters.
        targets: Names of the modules that get one.
        chunk: Tokens of a chunk, for a chunked loss.
        experts: transformers' `experts_implementation`; empty for what it resolves to.
        plant: The fault that is put in; empty for none.
    """

    config: Path
    card: int
    margin: float
    rows: tuple[Row, ...]
    rank: int
    targets: tuple[str, ...]
    chunk: int
    experts: str
    plant: str

    @property
    def adapters(self) -> fake_step.Adapters:
        """What is trained."""
        return fake_step.Adapters(self.rank, self.targets)


@dataclass(frozen=True, slots=True)
class Followed:
    """A step that was followed.

    Attributes:
        weights: Bytes of the language model's parameters and buffers, the adapters among them.
        after_forward: Bytes alive when the forward pass has ended, before the loss.
        peak: The worst moment.
        square: Whether attention kept its scores, of every token with every other, as no fused kernel does.
    """

    weights: int
    after_forward: int
    peak: Peak
    square: bool


# A step ------------------------------------------------------------------------------------------------


def follow(model: nn.Module, batch: fake_step.Batch, step: fake_step.Step, *, whole: bool = True) -> Followed:
    """Take a step and follow its storages, to its end or, if not `whole`, up to the backward pass."""
    live, peaks, after = LiveStorage(), dict[str, Peak](), dict[str, int]()

    def stage(name: str) -> None:
        live.stage, peaks[name], after[name] = name, live.peak, live.current

    live.stage = "weights"
    weights = live.adopt((*model.parameters(), *model.buffers()))
    live.stage = "batch"
    live.adopt(batch)
    with live:
        fake_step.take_step(model, batch, step, stage)
    model.zero_grad()  # gradients of one step are not alive in the next one's forward pass
    peak = peaks["done" if whole else "backward"]
    return Followed(weights, after["loss"], peak, SCORES in live.operators)


def step_of(row: Row, chunk: int) -> fake_step.Step:
    """How a row's step is taken; a chunked loss drops the logits of its chunks and makes them again."""
    return fake_step.Step("naive" if row.loss == "naive" else "recomputed", chunk, row.checkpointing)


# A row -------------------------------------------------------------------------------------------------


def predicted(model: nn.Module, text: Mapping[str, Any], vision: int, settings: Settings) -> Iterator[Any]:
    """Each row's prediction, as evidence."""
    for row in settings.rows:
        step = step_of(row, settings.chunk)
        if settings.plant == "no-recompute":
            step = replace(step, checkpointing=False)
        with without_numbers(row):
            batch = fake_step.batch_of(text, tokens=row.tokens, sequences=row.sequences)
            found = follow(model, batch, step, whole=settings.plant != "forward-only")
        entry = entry_of(row, found, vision, settings)
        say(f"{row}: {in_words(entry['peak'])}, {entry['verdict']}")
        if found.square:
            say(f"  {ON_SQUARE}")
        yield entry


@contextmanager
def without_numbers(row: Row) -> Iterator[None]:
    """Say it where a step fails.

    Raises:
        SystemExit: It needs numbers, as experts that loop over what the router chose do, or fails otherwise.
    """
    try:
        yield
    except Exception as error:  # noqa: BLE001  # a model's code may raise anything
        raise SystemExit(
            f"{row}: this step cannot be taken without numbers: {model_config.first(error)}; "
            "where it is the experts that fail, give another --experts"
        ) from None


def entry_of(row: Row, found: Followed, vision: int, settings: Settings) -> dict[str, Any]:
    """One row as evidence; the vision tower's weights are in all of its bytes."""
    peak = found.peak.bytes + vision
    return {
        "tokens": row.tokens,
        "sequences": row.sequences,
        "loss": row.loss,
        "checkpointing": row.checkpointing,
        "weights": found.weights + vision,
        "after_forward": found.after_forward + vision,
        "peak": peak,
        "room": settings.card - peak,
        "fits": peak <= settings.card,
        "verdict": "not known" if found.square and peak > settings.card else verdict(peak, settings),
        "attention": "square" if found.square else "fused",
        "at": found.peak.operator,
        "stage": found.peak.stage,
        "held": by_stage(found.peak.held, vision),
        "largest": largest(found.peak.held),
    }


def verdict(peak: int, settings: Settings) -> str:
    """In words: whether a prediction fits the card, with the margin and without."""
    if peak > settings.card:
        return "out of memory"
    return "fits" if peak * (1 + settings.margin / 100) <= settings.card else "too close to say"


def by_stage(held: Mapping[Made, int], vision: int) -> dict[str, int]:
    """What is alive, by the part of the step that made it."""
    found = Counter({"weights": vision, "batch": 0, "forward": 0, "loss": 0, "backward": 0})
    for made, size in held.items():
        found[made.stage] += size
    return dict(found)


def largest(held: Mapping[Made, int]) -> list[dict[str, Any]]:
    """The most that is alive of one shape from one operator, weights aside."""
    rest = Counter({made: size for made, size in held.items() if made.stage != "weights"})
    return [{**made._asdict(), "bytes": size} for made, size in rest.most_common(LARGEST)]


# What is reckoned beside it ----------------------------------------------------------------------------


def vision_bytes(raw: Mapping[str, Any], text: Mapping[str, Any]) -> int:
    """Of the parameters that the whole model has above its language model: the vision tower, in bfloat16."""
    whole, language = (
        module_counts.size(model_config.on_meta(config).parameters()) for config in (raw, text)
    )
    return (whole - language) * torch.bfloat16.itemsize


def weights_of(model: nn.Module, vision: int) -> dict[str, int]:
    """Bytes of what is there before a step."""
    trained = [p for p in model.parameters() if p.requires_grad]
    frozen = [p for p in model.parameters() if not p.requires_grad]
    sizes = {
        "language": sum(p.nbytes for p in frozen),
        "adapters": sum(p.nbytes for p in trained),
        "buffers": sum(b.nbytes for b in model.buffers()),
        "vision": vision,
    }
    return {**sizes, "total": sum(sizes.values())}


def optimizer_of(model: nn.Module) -> dict[str, int]:
    """Parameters that are trained, and the bytes of AdamW's state for them, which the rows do not hold."""
    trained = module_counts.size(p for p in model.parameters() if p.requires_grad)
    return {"parameters": trained, **{name: each * trained for name, each in OPTIMIZER.items()}}


# The method, on a model that really runs ---------------------------------------------------------------


def checked(text: Mapping[str, Any], settings: Settings) -> list[dict[str, Any]]:
    """The prediction for a small model, beside what its real step holds by two accounts."""
    small = {**model_config.first_layers(model_config.shrunk(text), SMALL_LAYERS), **SMALL_SIZES}
    adapters = replace(settings.adapters, rank=SMALL_RANK)
    return [compared(small, adapters, row, settings.experts) for row in rows_of(SMALL_ROWS)]


def compared(
    small: Mapping[str, Any], adapters: fake_step.Adapters, row: Row, experts: str
) -> dict[str, Any]:
    """One step of the small model: bytes above those of the weights and the batch.

    `predicted` on fake tensors, `followed` by the same instrument on real ones, and `allocated` by torch's
    allocator.
    """
    step = step_of(row, SMALL_CHUNK)

    def made() -> tuple[nn.Module, fake_step.Batch]:
        batch = fake_step.batch_of(small, tokens=row.tokens, sequences=row.sequences)
        return fake_step.lora_model(small, adapters, experts=experts), batch

    with fake_step.fake_tensors(), without_numbers(row):
        guess = above(*made(), step)
    torch.manual_seed(0)
    model, batch = made()
    found = above(model, batch, step)
    allocated = most_allocated(lambda: fake_step.take_step(model, batch, step))
    say(f"small model, {row}: predicted {guess:,} bytes, allocated {allocated:,}")
    return {
        "loss": row.loss,
        "checkpointing": row.checkpointing,
        "predicted": guess,
        "followed": found,
        "allocated": allocated,
        "off": guess / allocated - 1,
    }


def above(model: nn.Module, batch: fake_step.Batch, step: fake_step.Step) -> int:
    """The peak of a step above what was there before it."""
    found = follow(model, batch, step)
    return found.peak.bytes - found.weights - sum(tensor.nbytes for tensor in batch)


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    raw = model_config.read_raw(settings.config)
    text = model_config.text_part(raw)
    vision = 0 if settings.plant == "text-alone" else vision_bytes(raw, text)
    say("first, small models: what is predicted of them beside what they really take; a minute or so")
    method = checked(text, settings)
    with fake_step.fake_tensors():
        model = fake_step.lora_model(text, settings.adapters, experts=settings.experts)
        say("built the model")
        rows = list(predicted(model, text, vision, settings))
        return {
            "settings": {
                "config": settings.config.name,
                "rank": settings.rank,
                "targets": settings.targets,
                "chunk": settings.chunk,
                "experts": getattr(model.config, "_experts_implementation", None),
                "margin": settings.margin / 100,
                "plant": settings.plant,
            },
            "versions": model_config.versions(),
            "card": {"bytes": settings.card},
            "weights": weights_of(model, vision),
            "optimizer": optimizer_of(model),
            "rows": rows,
            "checked": method,
        }


# The command line --------------------------------------------------------------------------------------


def names(text: str) -> tuple[str, ...]:
    """Different names, in their order."""
    found = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    if not found:
        raise argparse.ArgumentTypeError("names no module")
    return found


def percent(text: str) -> float:
    """A percentage from 0 to 100."""
    try:
        share = float(text.removesuffix("%"))
    except ValueError:
        raise argparse.ArgumentTypeError(f"`{text}` is no percentage") from None
    if not 0 <= share <= 100:
        raise argparse.ArgumentTypeError(f"must be from 0 to 100 percent, not {text}")
    return share


def parse(argv: Sequence[str] | None = None) -> Settings:
    """The settings."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--config", type=Path, default=model_config.GEMMA, help="a transformers config.json")
    add("--card", type=size_of, default=CARD, help="the memory of your card: 95.6GiB, 81559MiB")
    add("--margin", type=percent, default=MARGIN, help="by how many percent predictions may be too low")
    add(
        "--rows",
        type=rows_of,
        default=ROWS,
        help="steps, with commas: TOKENSxSEQUENCES:naive or :chunked, then :all-kept without checkpointing",
    )
    add("--rank", type=positive, default=64, help="of the adapters")
    add("--targets", type=names, default=fake_step.TARGETS, help="names of modules that get one, with commas")
    add("--chunk", type=positive, default=512, help="tokens of a chunk, for a chunked loss")
    add("--experts", default="", help="transformers' experts_implementation; left out, what it resolves to")
    return Settings(**vars(parser.parse_args(argv)))


def main(argv: Sequence[str] | None = None) -> None:
    """Predict and print the document."""
    print(as_json(measure(parse(argv))))


if __name__ == "__main__":
    main()
