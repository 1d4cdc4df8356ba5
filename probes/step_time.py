#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "numpy>=2.0"]
# [tool.stilltrue]
# writes = ["claims/evidence/step-time/points.json", "claims/evidence/step-time/profile.txt"]
# reads = []
# needs = []
# cost = "slow"
# timeout = "600 s"
# ///
"""Where a training step's time goes: points at several widths, fits over them, and a profiler table.

Settles:
    How the CPU time of one training step (forward, loss, backward, optimizer) of a small decoder grows with
    the number of tokens in its sequence; whether a line and a square through the origin describe it or a
    constant is needed as well, by residuals and by a width held out of the fit; which constant could hide
    under a residual; what two of the points alone would have said; what an explicit causal mask adds; how
    attention alone grows; what share of the profiler's time each kind of operator has, and what comes out
    when a column that contains its callees is summed.

Needs:
    torch and numpy. One CPU thread; no accelerator, no weights, no data set.

Costs:
    About two minutes with the defaults, one core, under 2 GiB of memory.
    `--widths 64,128,192,256 --held-out 512 --profile-width 128 --rounds 2 --table ''` takes seconds.

Cannot settle:
    Anything about another machine or a real run: shares and coefficients are this model's on this CPU. It
    builds its own step, so it says nothing about a harness that it does not import. A fit describes the
    widths that were measured. The profiler's times are wall times and include the profiler: `profile` holds
    what it added.

Standard output is one JSON document: settings as resolved, every raw time, the fits. The profiler's table
goes to the file named by `--table`, as `key_averages()` printed it. Progress goes to standard error.

Each width is timed once per round, and rounds run up and down the widths in turn, so that a disturbance falls
on all widths alike; a width's time is the smallest of its rounds. The clock is the CPU time of the thread
that takes the step, because other programs stretch wall time; the time of all threads is kept beside it, to
show that no other thread worked.
"""

from __future__ import annotations

import argparse
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

import numpy as np
import torch
from torch.profiler import ProfilerActivity, profile

from command_line import ascending, parser_of, positive, seed_number
from output import as_json, say
from scaling import allowed_constants, both_fits, fit, hidden, predict
from small_decoder import Batch, Shape, Trainer, attention_alone

TABLE = Path("claims/evidence/step-time/profile.txt")
STORIES = (("linear", "quadratic"), ("constant", "quadratic"), ("constant", "linear"))


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured, as resolved; every field but `shape` is an argument of the same name.

    Attributes:
        widths: Tokens in the one sequence of a step, at least four, ascending.
        held_out: A width that is timed with the others and left out of the fits.
        profile_width: The one of `widths` whose table is kept.
        rounds: How often each width is timed.
        seed: Of weights and tokens.
        shape: The decoder's; its fields are arguments too.
        designs: Further sets of widths, asked for the constant that a residual over them can hide.
    """

    widths: tuple[int, ...]
    held_out: int
    profile_width: int
    rounds: int
    seed: int
    shape: Shape
    designs: tuple[tuple[int, ...], ...]


# The clock ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Series:
    """The raw times of one kind of step at one width, in ms of CPU time, in the order of the rounds.

    Attributes:
        width: Tokens in the step.
        min_ms: The smallest of `thread_ms`.
        thread_ms: Of the thread that takes the step.
        process_ms: Of all threads together.
    """

    width: int
    min_ms: float
    thread_ms: tuple[float, ...]
    process_ms: tuple[float, ...]


def series_of(width: int, rounds: Sequence[tuple[float, float]]) -> Series:
    """A series from (thread, process) times in ms, kept to the microsecond."""
    thread, process = zip(*((round(t, 3), round(p, 3)) for t, p in rounds), strict=True)
    return Series(width, min(thread), thread, process)


def cpu_ms(work: Callable[[], object]) -> tuple[float, float]:
    """CPU time of `work` in ms: of the calling thread, and of the whole process."""
    thread, process = time.thread_time_ns(), time.process_time_ns()
    work()
    return (time.thread_time_ns() - thread) / 1e6, (time.process_time_ns() - process) / 1e6


class Kind(NamedTuple):
    """One thing that is timed: what, and at which width."""

    name: str
    width: int


def kinds_of_work(trainer: Trainer, settings: Settings) -> dict[Kind, Callable[[], object]]:
    """A plain step, a masked one and attention alone at every width, and a plain step at the one held out."""
    works: dict[Kind, Callable[[], object]] = {}
    for width in settings.widths:
        works[Kind("plain", width)] = partial(trainer.step, trainer.batch(width))
        works[Kind("masked", width)] = partial(trainer.step, trainer.batch(width, masked=True))
        works[Kind("attention", width)] = attention_alone(settings.shape, width)
    works[Kind("plain", settings.held_out)] = partial(trainer.step, trainer.batch(settings.held_out))
    return works


def time_all(works: Mapping[Kind, Callable[[], object]], rounds: int) -> dict[Kind, Series]:
    """All works, interleaved; each is done once untimed before."""
    times: dict[Kind, list[tuple[float, float]]] = {kind: [] for kind in works}
    for work in works.values():
        work()
    for number in range(rounds):
        for kind in works if number % 2 == 0 else reversed(tuple(works)):
            times[kind].append(cpu_ms(works[kind]))
        say(f"timed round {number + 1} of {rounds}")
    return {kind: series_of(kind.width, measured) for kind, measured in times.items()}


# The fits -----------------------------------------------------------------------------------------------


def fitted(series: Sequence[Series]) -> dict[str, Any]:
    """The raw times of `series`, both fits of the smallest ones, and both of the medians for comparison."""
    widths = [s.width for s in series]
    return {
        "points": series,
        "fits": both_fits(widths, [s.min_ms for s in series]),
        "median_fits": both_fits(widths, [median(s.thread_ms) for s in series]),
    }


def hidden_here(section: Mapping[str, Any]) -> dict[str, float]:
    """The constants that fit the section's points with no residual above that of the two-term fit."""
    points, residual = section["points"], section["fits"]["two_term"].max_residual_ms
    low, high = allowed_constants([p.width for p in points], [p.min_ms for p in points], residual)
    return {"residual_ms": residual, "low_ms": low, "high_ms": high}


def against(coefficients: Mapping[str, float], series: Series) -> dict[str, float]:
    """What a fit says about a width that it may not have seen, beside what was measured."""
    predicted = predict(coefficients, series.width)
    return {
        "width": series.width,
        "measured_ms": series.min_ms,
        "predicted_ms": predicted,
        "error_share": predicted / series.min_ms - 1,
    }


def two_points(series: Sequence[Series], held_out: Series) -> dict[str, Any]:
    """What the first and the last point alone would say, under each pair of terms, about all other widths."""
    first, last = series[0], series[-1]
    used, times = (first.width, last.width), (first.min_ms, last.min_ms)
    stories = {"+".join(terms): fit(used, times, terms) for terms in STORIES}
    return {
        "used": used,
        "stories": {
            name: {
                "coefficients": story.coefficients,
                "max_residual_ms": story.max_residual_ms,
                "others": [against(story.coefficients, s) for s in (*series[1:-1], held_out)],
            }
            for name, story in stories.items()
        },
    }


# The profile -------------------------------------------------------------------------------------------


def profiled_step(trainer: Trainer, batch: Batch) -> tuple[tuple[float, float], Any]:
    """One step under the profiler: its CPU time, and the profiler's rows."""
    with profile(activities=[ProfilerActivity.CPU]) as run:
        spent = cpu_ms(partial(trainer.step, batch))
    return spent, run.key_averages()


def profile_steps(trainer: Trainer, settings: Settings) -> tuple[dict[str, Any], str]:
    """Steps with and without the profiler, and the table of the profiled one that came to the least time.

    The profiler's clock is wall time: the least disturbed table is the one with the smallest total.
    """
    batch = trainer.batch(settings.profile_width)
    plain: list[tuple[float, float]] = []
    profiled: list[tuple[float, float]] = []
    tables: list[tuple[float, str]] = []
    for _ in range(settings.rounds):
        plain.append(cpu_ms(partial(trainer.step, batch)))
        spent, rows = profiled_step(trainer, batch)
        profiled.append(spent)
        total = sum(float(row.self_cpu_time_total) for row in rows)
        tables.append((total, rows.table(sort_by="self_cpu_time_total", row_limit=-1)))
    say(f"profiled {settings.rounds} steps")
    width = settings.profile_width
    return {"plain": series_of(width, plain), "profiled": series_of(width, profiled)}, min(tables)[1]


# The whole ---------------------------------------------------------------------------------------------


def measure(settings: Settings) -> tuple[dict[str, Any], str]:
    """Everything that goes to standard output, and the profiler's table."""
    torch.set_num_threads(1)
    trainer = Trainer(settings.shape, settings.seed)
    moved = trainer.mask_changes_loss(settings.widths[-1])
    times = time_all(kinds_of_work(trainer, settings), settings.rounds)
    plain, masked, attention = (
        fitted([times[Kind(name, width)] for width in settings.widths])
        for name in ("plain", "masked", "attention")
    )
    held_out = times[Kind("plain", settings.held_out)]
    profiled, table = profile_steps(trainer, settings)
    return {
        "settings": asdict(settings),
        "parameters": sum(p.numel() for p in trainer.model.parameters()),
        "machine": machine(),
        "plain": plain,
        "held_out": {
            "point": held_out,
            **{name: against(f.coefficients, held_out) for name, f in plain["fits"].items()},
        },
        "masked": {"loss_moved": moved, **masked},
        "attention": attention,
        "two_points": two_points(plain["points"], held_out),
        "hidden": {"here": hidden_here(plain), "designs": [hidden(widths) for widths in settings.designs]},
        "profile": profiled,
    }, table


def machine() -> dict[str, Any]:
    """What the times depend on: processor, threads, versions."""
    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "threads": torch.get_num_threads(),
        "instructions": torch.backends.cpu.get_cpu_capability(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": np.__version__,
    }


def cpu_name() -> str:
    """The processor's model name, as far as the system tells."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.is_file() else []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


# The command line --------------------------------------------------------------------------------------


def widths(text: str, least: int) -> tuple[int, ...]:
    """Different widths, ascending, at least `least` of them."""
    numbers = ascending(text)
    if len(numbers) < least:
        raise argparse.ArgumentTypeError(f"needs at least {least} different widths, not {len(numbers)}")
    return numbers


def fit_widths(text: str) -> tuple[int, ...]:
    """Widths of a fit: three terms go through any three points, so that a residual needs a fourth."""
    return widths(text, 4)


def designs(text: str) -> tuple[tuple[int, ...], ...]:
    """Sets of widths, `;` between them: a line and a square go through any two points."""
    return tuple(widths(part, 3) for part in text.split(";") if part.strip())


ARGUMENTS: tuple[tuple[str, Callable[[str], object], object, str], ...] = (
    (
        "--widths",
        fit_widths,
        (256, 512, 1024, 1536, 2048, 3072, 4096),
        "tokens in a step's sequence, with commas; the fits are over these",
    ),
    ("--held-out", positive, 8192, "a width that is timed and left out of the fits"),
    ("--profile-width", positive, 2048, "the one of the widths whose profiler table is kept"),
    ("--rounds", positive, 30, "how often each width is timed"),
    ("--layers", positive, 2, "decoder layers"),
    ("--dim", positive, 64, "width of the residual stream"),
    ("--heads", positive, 2, "attention heads; dim / heads must be even"),
    ("--vocab", positive, 256, "tokens in the vocabulary"),
    ("--seed", seed_number, 0, "of weights and tokens"),
    (
        "--designs",
        designs,
        ((2048, 4096, 16384), (2048, 8192, 16384)),
        "sets of widths, `;` between them, to say how large a constant a residual over them can hide",
    ),
    ("--table", str, str(TABLE), "where the profiler's table goes; '' for nowhere"),
)
"""Name, reader, default, meaning."""


def parse(argv: Sequence[str] | None = None) -> tuple[Settings, Path | None]:
    """The settings, and where the table goes (None: nowhere)."""
    parser = parser_of(__doc__, {})
    for name, reader, default, meaning in ARGUMENTS:
        parser.add_argument(name, type=reader, default=default, help=meaning)
    options = vars(parser.parse_args(argv))
    table = options.pop("table")
    shape = Shape(**{name: options.pop(name) for name in ("layers", "dim", "heads", "vocab")})
    settings = Settings(shape=shape, **options)
    if shape.dim % (2 * shape.heads):
        parser.error(f"--dim {shape.dim} over --heads {shape.heads} is not an even number")
    if settings.profile_width not in settings.widths:
        parser.error(f"--profile-width {settings.profile_width} is not one of the widths")
    if settings.held_out in settings.widths:
        parser.error(f"--held-out {settings.held_out} is one of the widths of the fit")
    return settings, Path(table) if table else None


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print the document, and write the table last, so that a run cut short leaves the old one."""
    settings, path = parse(argv)
    if path is not None and not path.parent.is_dir():
        raise SystemExit(
            f"{path.parent}: no such folder for --table; run from the repository's root, or name another"
        )
    document, table = measure(settings)
    print(as_json(document))
    if path is not None:
        try:
            path.write_text(table, encoding="utf-8")
        except OSError as error:
            raise SystemExit(f"{path}: cannot be written: {error.strerror}") from None


if __name__ == "__main__":
    main()
