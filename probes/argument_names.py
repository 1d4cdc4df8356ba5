#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["accelerate>=1.1", "bitsandbytes>=0.45", "peft>=0.21", "torch>=2.6", "transformers>=5.14"]
# [tool.stilltrue]
# writes = "claims/evidence/integrity/argument-names.json"
# reads = ["claims/evidence/defaults/releases.json"]
# needs = []
# cost = "slow"
# timeout = "120 s"
# plant = ["no-guard", "refuse-all", "values-only", "open-takes-all"]
# ///
"""What becomes of an argument that nothing takes by that name, and a guard that compares the names.

Settles:
    For arguments that a launcher holds as data, one of them by a name that the installed class does not have:
    whether handing them over raises, warns or says nothing, whether the name is kept on the object, and what
    the setting that was meant comes to; the same with the right name. Whether the signature shows that a
    class takes any name. Which of the names that releases removed from `TrainingArguments` the installed one
    still takes. What `warmup_steps` comes to below, at and above 1. Whether a guard that compares names with
    the signature stops each of the wrong ones, and lets the right ones through.

Needs:
    torch, transformers, accelerate, peft and bitsandbytes (its version is looked at by a configuration). CPU,
    no weights, no network. The removed names come from `release_defaults.py`, as a declared input.

Costs:
    Ten seconds on one core, most of them imports.

Cannot settle:
    Whether a value is a good one, or has the meaning that it had in another release. What other releases do.

The faults put broken guards in: `no-guard` lets everything through, `refuse-all` nothing, `values-only` looks
at values and not at names, and `open-takes-all` believes a signature that ends in `**kwargs`.
"""

from __future__ import annotations

import difflib
import inspect
import json
import math
import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

os.environ["HF_HUB_OFFLINE"] = "1"  # before the imports below, which read it

from peft import LoraConfig
from transformers import (
    BitsAndBytesConfig,
    GenerationConfig,
    HfArgumentParser,
    LlamaConfig,
    TrainingArguments,
)

from probe_parts import model_config
from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.output import as_json, say

RELEASES = Path(__file__).parents[1] / "claims" / "evidence" / "defaults" / "releases.json"
STEPS = (444, 888)
WARMUPS = (0.03, 0.999, 1, 1.5)

Arguments = Mapping[str, Any]
Taker = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of handing arguments over.

    Attributes:
        name: What it is called in the document.
        target: The class that is meant to take them.
        hand_over: Makes the object of the arguments, as a launcher does.
        right: One argument by its right name.
        wrong: The same argument by a name that the class does not have.
        effect: What the setting that was meant comes to on the object.
        meant: What it must come to.
    """

    name: str
    target: type
    hand_over: Taker
    right: Arguments
    wrong: Arguments
    effect: Callable[[Any], Any]
    meant: object


def parsed(**given: Any) -> Any:
    """Through the parser of transformers, told to tolerate keys that are for others."""
    made: Any = HfArgumentParser(TrainingArguments)
    return made.parse_dict({"output_dir": "unused", **given}, allow_extra_keys=True)[0]


def of_kind(**given: Any) -> Any:
    """Through the maker that peft has for arguments from elsewhere."""
    return LoraConfig.from_peft_type(peft_type="LORA", **given)


def warmup(arguments: Any) -> int:
    """Steps of warm-up in a run of the first length."""
    return int(arguments.get_warmup_steps(STEPS[0]))


def field(name: str) -> Callable[[Any], Any]:
    """The setting of that name, as the object has it."""
    return lambda made: getattr(made, name)


def renamed(name: str, target: type, hand_over: Taker, right: str, wrong: str, value: object) -> Way:
    """A way of setting one field, whose value stays as it is given."""
    return Way(name, target, hand_over, {right: value}, {wrong: value}, field(right), value)


TRAINING = partial(TrainingArguments, output_dir="unused")
RATIO = ({"warmup_steps": 0.03}, {"warmup_ratio": 0.03}, warmup, math.ceil(0.03 * STEPS[0]))
IN_4_BITS = partial(BitsAndBytesConfig, load_in_4bit=True)

WAYS = (
    Way("TrainingArguments", TrainingArguments, TRAINING, *RATIO),
    Way("HfArgumentParser", TrainingArguments, parsed, *RATIO),
    renamed("LlamaConfig", LlamaConfig, LlamaConfig, "num_hidden_layers", "num_hidden_layer", 2),
    renamed("GenerationConfig", GenerationConfig, GenerationConfig, "max_new_tokens", "max_new_token", 64),
    renamed(
        "BitsAndBytesConfig",
        BitsAndBytesConfig,
        IN_4_BITS,
        "bnb_4bit_quant_type",
        "bnb_4bit_quant_typ",
        "nf4",
    ),
    renamed("LoraConfig", LoraConfig, LoraConfig, "lora_alpha", "alpha", 64),
    renamed("LoraConfig.from_peft_type", LoraConfig, of_kind, "lora_alpha", "alpha", 64),
)
"""Each argument is one that a sizing decides, and each wrong name one that people write."""


# The guard ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Launch:
    """Arguments as data: what a launcher is about to hand to `target`."""

    target: type
    given: Arguments


Guard = Callable[[Launch], None]


def named(target: type) -> set[str]:
    """The names that a class takes: its explicit parameters, and aliases that a configuration lists.

    A class whose signature names none, `**kwargs` alone, is asked by its default object.
    """
    loose = (inspect.Parameter.VAR_KEYWORD, inspect.Parameter.VAR_POSITIONAL)
    explicit = {name for name, one in inspect.signature(target).parameters.items() if one.kind not in loose}
    return (explicit or set(vars(target()))) | set(getattr(target, "attribute_map", {}))


def guard(launch: Launch) -> None:
    """Stop a name that the installed signature does not have, before anything is made.

    Raises:
        RefusedError: There is one; the message says which, and what comes near it.
    """
    names = named(launch.target)
    for name in launch.given:
        if name not in names:
            near = difflib.get_close_matches(name, names, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else ""
            raise RefusedError(f"{launch.target.__name__} takes no `{name}`{hint}")


def values_only(launch: Launch) -> None:
    """A broken guard: each value is there and, where it is a number, not below 0."""
    for name, value in launch.given.items():
        if value is None or (isinstance(value, int | float) and value < 0):
            raise RefusedError(f"{name} is {value}")


def open_takes_all(launch: Launch) -> None:
    """A broken guard: it takes a signature with `**kwargs` at its word."""
    if not is_open(launch.target):
        guard(launch)


GUARDS: dict[str, Guard] = {"values-only": values_only, "open-takes-all": open_takes_all}
PLANTS = {
    **BROKEN,
    "values-only": "a guard that looks at values and not at names",
    "open-takes-all": "a guard that believes a signature that ends in `**kwargs`",
}


# What becomes of a name --------------------------------------------------------------------------------


def is_open(target: type) -> bool:
    """Whether a signature shows that any name is taken."""
    kinds = {one.kind for one in inspect.signature(target).parameters.values()}
    return inspect.Parameter.VAR_KEYWORD in kinds


def handed(way: Way, given: Arguments) -> dict[str, Any]:
    """What is said when `given` is handed over, and what the setting that was meant then comes to."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            made = way.hand_over(**given)
        except TypeError as error:
            return {"said": type(error).__name__, "kept": False, "effect": None}
    (name,) = given
    aloud = any(name in str(one.message) for one in said)
    return {
        "said": "a warning" if aloud else "nothing",
        "kept": hasattr(made, name),
        "effect": way.effect(made),
    }


def report(way: Way, guarded: Guard) -> dict[str, Any]:
    """One way with the wrong name and with the right one, and what the guard says to each."""
    say(f"{way.name}: {', '.join(way.wrong)} for {', '.join(way.right)}")
    return {
        "way": way.name,
        "wrong_name": next(iter(way.wrong)),
        "right_name": next(iter(way.right)),
        "open": is_open(way.target),
        "meant": way.meant,
        "wrong": handed(way, way.wrong),
        "right": handed(way, way.right),
        "stopped": stops(guarded, Launch(way.target, way.wrong)),
        "passed": not stops(guarded, Launch(way.target, way.right)),
    }


def silent(handed_over: Mapping[str, Any], meant: object) -> bool:
    """Whether nothing was said and the setting is another one than was meant."""
    return bool(handed_over["said"] == "nothing" and handed_over["effect"] != meant)


# Names that releases removed, and warm-up --------------------------------------------------------------


def removed_names(path: Path) -> tuple[str, ...]:
    """Names that a release of transformers removed from `TrainingArguments`.

    Raises:
        SystemExit: The file cannot be read, or is not what `release_defaults.py` prints.
    """
    try:
        names = [one["name"] for one in json.loads(path.read_bytes())["training_arguments"]["removed"]]
    except OSError as error:
        raise SystemExit(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise SystemExit(f"{path}: is not what release_defaults.py prints: {error!r}") from None
    if not names:
        raise SystemExit(f"{path}: names no removed argument")
    return tuple(map(str, names))


def removed(names: Sequence[str]) -> dict[str, int]:
    """How many of `names` the installed `TrainingArguments` take, and how many raise when they are given."""
    taken = named(TrainingArguments)
    raising = [name for name in names if handed(WAYS[0], {name: None})["said"] == "TypeError"]
    return {"names": len(names), "taken": sum(name in taken for name in names), "raise": len(raising)}


def warmups() -> list[dict[str, Any]]:
    """What `warmup_steps` comes to over runs of two lengths."""
    return [
        {"asked": asked, "steps": steps, "resolved": made.get_warmup_steps(steps)}
        for asked in WARMUPS
        for made in [TrainingArguments(output_dir="unused", warmup_steps=asked)]
        for steps in STEPS
    ]


# The whole ---------------------------------------------------------------------------------------------


def measure(guarded: Guard, names: Sequence[str]) -> dict[str, Any]:
    """Everything that goes to standard output."""
    ways = [report(way, guarded) for way in WAYS]
    return {
        "versions": model_config.versions(),
        "ways": ways,
        "trap": sum(silent(one["wrong"], one["meant"]) for one in ways),
        "sound": sum(silent(one["right"], one["meant"]) for one in ways),
        "removed": removed(names),
        "warmup": warmups(),
        "guard": {
            "stops": all(one["stopped"] for one in ways),
            "passes": all(one["passed"] for one in ways),
        },
    }


def parse(argv: Sequence[str] | None = None) -> tuple[Guard, Path]:
    """The guard, and the file that names what was removed."""
    parser = parser_of(__doc__, PLANTS)
    parser.add_argument("--releases", type=Path, default=RELEASES, help="what release_defaults.py printed")
    options = parser.parse_args(argv)
    return broken(GUARDS.get(options.plant, guard), options.plant), options.releases


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the document."""
    guarded, releases = parse(argv)
    print(as_json(measure(guarded, removed_names(releases))))


if __name__ == "__main__":
    main()
