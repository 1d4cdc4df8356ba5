#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "transformers>=5.20", "peft>=0.21", "accelerate>=1.1", "bitsandbytes>=0.45"]
# [tool.stilltrue]
# writes = "claims/evidence/integrity/inert-adapter.json"
# needs = []
# cost = "slow"
# timeout = "600 s"
# plant = ["no-guard", "refuse-all", "any-gate", "loaded-gate"]
# ///
"""Adapters that a training run never reaches, and adapters that serve as their base model; a guard for each.

Settles:
    In which ways activation checkpointing on a frozen base keeps the gradient from the adapters: by who turns
    it on, what it is told about `use_reentrant`, whether the hook on the embedding runs, what else trains.
    Which of these runs raise, which train, and which complete with adapters that never moved; what their loss
    does meanwhile. What a gate on `lora_B` sees with other starts than zero, with a learning rate that warms
    up, and with an optimizer made too early. Which ways of loading a trained adapter serve the base model,
    and what is said. Whether the guards stop the traps and let the sound runs through.

Needs:
    torch, transformers with its Trainer, peft and bitsandbytes (one of the models is in four bits). CPU, no
    accelerator, no weights, no data set, no network.

Costs:
    A minute on one core, under 2 GiB of memory.

Cannot settle:
    What other releases do: who adds the hook and what checkpointing defaults to has changed before. Whether
    an adapter that moved learned anything good. How far the outputs of one model differ between two runs of a
    server of yours: here they do not, and the guard takes that difference as its measure.

The models are tiny, random and real: a decoder of two layers with adapters of peft on two modules of each,
and on `lm_head` where that is asked. Counts and yes or no are exact. The faults put broken guards in:
`any-gate` is content with one adapter that moved, `loaded-gate` with an adapter that is there.
"""

from __future__ import annotations

import argparse
import itertools
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import peft
import torch
import transformers
from transformers import get_linear_schedule_with_warmup

from probe_parts import adapter_models as models
from probe_parts import adapter_runs as runs
from probe_parts.adapter_runs import Run, Way, trained
from probe_parts.adapter_serving import SOUND, WAYS, Adapters, Served, served
from probe_parts.adapter_weights import PLANTED, Guards, nonzero, out_matrices, unmoved
from probe_parts.command_line import parser_of, positive, seed_number
from probe_parts.guards import stops
from probe_parts.output import as_json, say

PLANTS = {
    "no-guard": "both guards let everything through",
    "refuse-all": "both guards let nothing through",
    "any-gate": "the guard of training is content with one adapter that moved",
    "loaded-gate": "the guard of serving is content with an adapter that is there",
}
MATRIX_STEPS = 3
SOUND_RUN = Way("transformers, after peft", "use_reentrant=True", "left", runs.ON_HEAD)
TRAP = replace(SOUND_RUN, hook="bypassed")
STARTS: dict[str, bool | str] = {"default": True, "gaussian": "gaussian", "pissa": "pissa", "olora": "olora"}
WARM_UP = 2
"""Steps over which the learning rate rises from zero."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What is tried, as resolved.

    Attributes:
        who: The rows of the matrix, keys of `ENABLERS`.
        steps: Of the runs outside of the matrix.
        seed: Of weights and tokens.
        plant: The fault that is put in; empty for none.
    """

    who: tuple[str, ...]
    steps: int
    seed: int
    plant: str


# The matrix --------------------------------------------------------------------------------------------


def matrix(settings: Settings) -> list[dict[str, Any]]:
    """One short run for each way to set it up."""
    rows = []
    for who in settings.who:
        say(f"checkpointing turned on by: {who}")
        for told, hook, outside in itertools.product(runs.TOLD, runs.HOOKS, runs.OUTSIDE):
            way = Way(who, told, hook, outside)
            rows.append(cell(way, trained(way, steps=MATRIX_STEPS, seed=settings.seed)))
    return rows


def cell(way: Way, run: Run) -> dict[str, Any]:
    """What came of one way."""
    return {
        "who": way.who,
        "told": way.told,
        "hook": way.hook,
        "outside": way.outside,
        "result": run.result,
        "complaint": run.complaint,
        "reentrant": run.reentrant,
        "entered_with_gradient": run.entered_with_gradient,
        "hooks": run.hooks,
        "modules": len(out_matrices(run.end)),
        "nonzero": len(nonzero(run.end)),
        "warned": warned(run),
    }


def warned(run: Run) -> bool:
    """Whether anything said that the inputs of the checkpoint require no gradient."""
    return any("None of the inputs have requires_grad=True" in text for text in run.said)


def counted(rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """How many runs raise, train and are silent, by what else trains; and how many follow the rule.

    The rule: an adapter in the blocks is inert when the reentrant checkpoint ran and what went into the
    first block required no gradient, and never otherwise.
    """
    results = Counter((row["outside"], row["result"]) for row in rows)
    lawful = (
        (row["result"] != "trains") == (row["reentrant"] and not row["entered_with_gradient"]) for row in rows
    )
    return {
        "runs": len(rows),
        "by_the_rule": sum(lawful),
        "by_outside": [
            {
                "outside": outside,
                **{result: results[outside, result] for result in ("trains", "raises", "silent")},
            }
            for outside in runs.OUTSIDE
        ],
    }


# Further ways to be inert, and to be taken for it --------------------------------------------------------


def starts(settings: Settings, guards: Guards) -> list[dict[str, Any]]:
    """The trap with each way that peft can start its matrices: what is not zero, and what never moved."""
    rows = []
    for name, init in STARTS.items():
        run = trained(replace(TRAP, init=init), steps=settings.steps, seed=settings.seed)
        rows.append(
            {
                "start": name,
                **run.counts(),
                "nonzero_at_start": len(nonzero(run.start)),
                "stopped": stopped(guards, run),
            }
        )
    return rows


def warm_up(settings: Settings) -> list[dict[str, Any]]:
    """A sound run whose learning rate rises from zero: how many adapters have moved after each step."""
    with models.heard():
        model = runs.made(SOUND_RUN, runs.base_of(SOUND_RUN, settings.seed), settings.seed)
        start, inputs = models.weights_of(model), runs.batch(model, SOUND_RUN, settings.seed)
        optimizer = runs.optimizer_of(model)
        schedule = get_linear_schedule_with_warmup(optimizer, WARM_UP, 10 * WARM_UP)
        rows = []
        for step in range(1, WARM_UP + 2):
            rate = schedule.get_last_lr()[0]
            loss: Any = runs.loss_of(model, inputs, SOUND_RUN)
            loss.backward()
            optimizer.step()
            schedule.step()
            optimizer.zero_grad()
            now = models.weights_of(model)
            moved = len(out_matrices(now)) - len(unmoved(start, now))
            rows.append({"step": step, "rate": rate, "moved": moved})
    return rows


def stopped(guards: Guards, run: Run) -> bool:
    """Whether the guard of training stops a run."""
    return stops(partial(guards.adapter, run.start), run.end)


# Serving -----------------------------------------------------------------------------------------------


def saved_adapters(settings: Settings, folder: Path) -> Adapters:
    """An adapter that learned and one that never moved, as peft saves them."""
    learned, inert = folder / "learned", folder / "inert"
    for way, place in ((Way(), learned), (replace(TRAP, outside=runs.LOSS), inert)):
        run = trained(way, steps=settings.steps, seed=settings.seed)
        with models.heard():
            run.model.save_pretrained(str(place))
    return Adapters(settings.seed, learned, inert, folder / "broken")


def serving(settings: Settings, guards: Guards) -> dict[str, Any]:
    """Each way to serve, and what the guard says of it."""
    say("serving")
    with tempfile.TemporaryDirectory() as folder:
        adapters = saved_adapters(settings, Path(folder))
        found = {way: served(way, adapters) for way in WAYS}
    rows = [
        {"way": way, **one.row(), "stopped": stops(guards.served, one.serving)} for way, one in found.items()
    ]
    return {"ways": rows, "guard": judged(guards, found)}


def judged(guards: Guards, found: dict[str, Served]) -> dict[str, bool]:
    """Whether the guard of serving stops every trap, and lets the sound way through."""
    traps = [one.serving for way, one in found.items() if way != SOUND]
    return {
        "stops": all(stops(guards.served, trap) for trap in traps),
        "passes": not stops(guards.served, found[SOUND].serving),
    }


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> dict[str, Any]:
    """All that the claims are read from."""
    guards = PLANTED.get(settings.plant, Guards())
    trap, sound, early = (
        trained(way, steps=settings.steps, seed=settings.seed, optimizer_first=first)
        for way, first in ((TRAP, False), (SOUND_RUN, False), (Way(), True))
    )
    rows = matrix(settings)
    return {
        "settings": {"steps": settings.steps, "seed": settings.seed, "matrix_steps": MATRIX_STEPS},
        "versions": {
            "torch": torch.__version__,
            "transformers": transformers.__version__,
            "peft": peft.__version__,
        },
        "trap": {**trap.counts(), "raised": bool(trap.complaint), "warned": warned(trap)},
        "sound": sound.counts(),
        "guard": {"stops": stopped(guards, trap), "passes": not stopped(guards, sound)},
        "optimizer_first": {
            **early.counts(),
            "gradient_norm": early.gradient_norm,
            "raised": bool(early.complaint),
            "stopped": stopped(guards, early),
        },
        "starts": starts(settings, guards),
        "warm_up": warm_up(settings),
        "served": serving(settings, guards),
        "counts": counted(rows),
        "matrix": rows,
    }


def enablers(text: str) -> tuple[str, ...]:
    """Names of `ENABLERS`, each once."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(";")))
    for name in names:
        if name not in runs.ENABLERS:
            known = "; ".join(runs.ENABLERS)
            raise argparse.ArgumentTypeError(f"`{name}` turns nothing on; write one or more of: {known}")
    return names


def parse(argv: Sequence[str] | None) -> Settings:
    """The command line, resolved."""
    parser = parser_of(__doc__, PLANTS)
    everyone = "; ".join(runs.ENABLERS)
    parser.add_argument(
        "--who",
        type=enablers,
        default=everyone,
        help=f"who turns checkpointing on in the matrix, with semicolons: {everyone}",
    )
    parser.add_argument("--steps", type=positive, default=20, help="of the runs outside of the matrix")
    parser.add_argument("--seed", type=seed_number, default=0, help="of weights and tokens")
    return Settings(**vars(parser.parse_args(argv)))


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, and print the document."""
    settings = parse(argv)
    torch.set_num_threads(1)
    print(as_json(measure(settings)))


if __name__ == "__main__":
    main()
