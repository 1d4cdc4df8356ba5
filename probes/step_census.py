#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6"]
# [tool.stilltrue]
# writes = "claims/evidence/step-census/census.json"
# reads = []
# needs = []
# cost = "slow"
# timeout = "600 s"
# plant = ["mask-for-flag", "log-each-step"]
# ///
"""What a training step does, counted and not timed: the path of attention, what grows, what is read back.

Settles:
    Of each kind of step that a harness offers, at two widths or more: how many operators it calls, and
    whether that number grows with the width; how many bytes of new tensors they make, by operator and by
    data type, and with which power of the width; how often attention is called with the flag `is_causal`,
    with an explicit mask, with neither, or not at all; how many numbers and tensors are read back, each of
    which an accelerator has to wait for.

Needs:
    torch, and a harness: `--harness module:function` (see `harness.py`). CPU or CUDA.

Costs:
    Two steps of each kind at each width, the second of them several times slower than usual.

Cannot settle:
    What anything costs: `step_profile.py` measures that. What happens inside of compiled code, which is one
    call or none here, or inside of another library's kernels, which hide what they make. What attention is
    called by another name than `torch.nn.functional.scaled_dot_product_attention`. Work of other processes,
    such as a data loader's.

A power of 0 says that something is done once per step, 1 once per token, 2 once per pair of tokens; it is
taken between the smallest and the largest width. Standard output is one JSON document, a summary for people
goes to standard error. Counts are exact; they are those of the installed versions.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from probe_parts import attention_watch
from probe_parts.command_line import ascending, parser_of, positive
from probe_parts.harness import Maker, about_of, apart_from_evidence, make, makers_of, offered
from probe_parts.output import as_json, say
from probe_parts.step_watch import Seen, watch

PLANTS = {
    "mask-for-flag": "attention is handed the causal mask that its flag stands for",
    "log-each-step": "one number is read back in every step, as for a log",
}


@dataclass(frozen=True, slots=True)
class Settings:
    """What is counted, as resolved; each an argument of the same name."""

    harness: str
    widths: tuple[int, ...]
    top: int
    plant: str


@dataclass(frozen=True, slots=True)
class Series:
    """One kind of step at every width."""

    name: str
    widths: tuple[int, ...]
    seen: tuple[Seen, ...]


# Counting ----------------------------------------------------------------------------------------------


def count(name: str, maker: Maker, settings: Settings) -> Series:
    """One kind of step, once untouched (a first step makes what later ones have) and once watched."""
    seen = []
    for width in settings.widths:
        step = make(settings.harness, name, maker, width)
        step()
        seen.append(watch(faulty(step, settings.plant)))
    say(f"counted {name}")
    return Series(name, settings.widths, tuple(seen))


def faulty(step: Callable[[], object], plant: str) -> Callable[[], object]:
    """The step with the fault that is asked for."""

    def logged() -> None:
        step()
        torch.zeros(()).item()

    def masked() -> None:
        with masks_for_flags():
            step()

    return {"log-each-step": logged, "mask-for-flag": masked}.get(plant, step)


@contextlib.contextmanager
def masks_for_flags() -> Iterator[None]:
    """Attention is called with a mask wherever a model uses the flag."""
    original = functional.scaled_dot_product_attention

    def attend(query: Tensor, key: Tensor, value: Tensor, *rest: Any, **named: Any) -> Tensor:
        if named.pop("is_causal", False):
            shape = (query.shape[-2], key.shape[-2])
            named["attn_mask"] = torch.ones(shape, dtype=torch.bool, device=query.device).tril()
        return original(query, key, value, *rest, **named)

    attention_watch.put(attend)
    try:
        yield
    finally:
        attention_watch.put(original)


# The document ------------------------------------------------------------------------------------------


def power(widths: Sequence[int], counts: Sequence[int]) -> float | None:
    """With which power of the width a count grows from the first to the last; None where one of them is 0."""
    first, last = counts[0], counts[-1]
    if not first or not last:
        return None
    return math.log(last / first) / math.log(widths[-1] / widths[0])


def rows(series: Series) -> list[dict[str, Any]]:
    """What the steps of a series did, one row for each width."""
    return [
        {
            "series": series.name,
            "width": width,
            "operators": sum(seen.calls.values()),
            "made_bytes": sum(seen.made.values()),
            "types": dict(sorted({"float64": 0, **seen.types}.items())),  # 0: what is mended can be said
            "numbers_read": seen.numbers_read,
            "tensors_read": seen.tensors_read,
            "attention": {**seen.attention, "mask_bytes": seen.mask_bytes},
        }
        for width, seen in zip(series.widths, series.seen, strict=True)
    ]


def growth(series: Series, top: int) -> dict[str, Any]:
    """How the counts of a series grow, and the operators that make most at the largest width."""
    names = sorted(series.seen[-1].made, key=lambda name: (-series.seen[-1].made[name], name))
    return {
        "operators": power(series.widths, [sum(seen.calls.values()) for seen in series.seen]),
        "made_bytes": power(series.widths, [sum(seen.made.values()) for seen in series.seen]),
        "numbers_read": power(series.widths, [seen.numbers_read for seen in series.seen]),
        "most": [made_by(series, name) for name in names[:top]],
        "more_often": [called(series, name) for name in sorted(series.seen[-1].calls) if grows(series, name)][
            :top
        ],
    }


def made_by(series: Series, operator: str) -> dict[str, Any]:
    """What one operator makes, by width."""
    sizes = [seen.made.get(operator, 0) for seen in series.seen]
    return {"operator": operator, "bytes": sizes, "power": power(series.widths, sizes)}


def called(series: Series, operator: str) -> dict[str, Any]:
    """How often one operator is called, by width."""
    counts = [seen.calls.get(operator, 0) for seen in series.seen]
    return {"operator": operator, "calls": counts, "power": power(series.widths, counts)}


def grows(series: Series, operator: str) -> bool:
    """Whether an operator is called more often where the step is wider."""
    return series.seen[-1].calls[operator] > series.seen[0].calls.get(operator, 0)


def measure(settings: Settings) -> dict[str, Any]:
    """Everything that goes to standard output."""
    found = offered(settings.harness)
    makers = makers_of(settings.harness, found)
    about = about_of(settings.harness, found)
    counted = [count(name, maker, settings) for name, maker in makers.items()]
    document = {
        "settings": settings,
        "about": about,
        "torch": torch.__version__,
        "census": [row for series in counted for row in rows(series)],
        "growth": {series.name: growth(series, settings.top) for series in counted},
    }
    for series in counted:
        for line in summary(series):
            say(line)
    return document


# For people --------------------------------------------------------------------------------------------


def summary(series: Series) -> Iterator[str]:
    """A few lines about a series: first and last width, and what grows."""
    first, last = series.seen[0], series.seen[-1]
    wide = f"widths {series.widths[0]} and {series.widths[-1]}"
    paths = ", ".join(f"{number} {path}" for path, number in last.attention.items())
    paths += f"; masks of {_mib(last.mask_bytes)}" if last.mask_bytes else ""
    found = growth(series, 4)
    yield f"{series.name}, {wide}:"
    yield f"  operators    {sum(first.calls.values())} and {sum(last.calls.values())}"
    yield f"  attention    {paths}"
    yield f"  read back    {first.numbers_read} and {last.numbers_read} numbers"
    if last.tensors_read:
        yield f"  read back    {first.tensors_read} and {last.tensors_read} whole tensors"
    if double := last.types.get("float64"):
        yield f"  float64      {_mib(double)} of {_mib(sum(last.types.values()))}"
    for row in found["most"]:
        grown = "" if row["power"] is None else f", power {row['power']:.1f}"
        yield f"  makes        {_mib(row['bytes'][-1])} by {row['operator']}{grown}"


def _mib(size: int) -> str:
    return f"{size / (1 << 20):.2f} MiB"


# The command line --------------------------------------------------------------------------------------


def main(argv: Sequence[str] | None = None) -> None:
    """Count and print the document."""
    parser = parser_of(__doc__, PLANTS)
    add = parser.add_argument
    add("--harness", default="probe_parts.small_decoder:harness", help="module:function of your own steps")
    add("--widths", type=ascending, default=(64, 256), help="tokens in a step, at least two, with commas")
    add("--top", type=positive, default=8, help="how many operators to list")
    options = parser.parse_args(argv)
    if len(options.widths) < 2:
        parser.error("--widths: at least two are needed to see what grows")
    settings = Settings(options.harness, options.widths, options.top, options.plant)
    with apart_from_evidence():
        document = measure(settings)
    print(as_json(document))


if __name__ == "__main__":
    main()
