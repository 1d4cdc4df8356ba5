#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "numpy>=2.0"]
# [tool.stilltrue]
# writes = [
#   "claims/evidence/step-profile/points.json",
#   "claims/evidence/step-profile/profile.txt",
#   "claims/evidence/step-profile/trace.json.gz",
# ]
# reads = []
# needs = []
# cost = "slow"
# timeout = "1800 s"
# plant = ["cut-widths", "settings-not-passed", "cut-table"]
# ///
"""Where a training step's time goes: your own step at several widths, fits over them, and a profiler table.

Settles:
    How the time of one training step grows with the number of tokens in its sequence: by a line and a square,
    and by a constant as well, with the residuals of both fits at each width, the width that was held out of
    them, and the constant that could hide under a residual; how far the constant moves when all is timed
    again; what the first and the last width alone would have said; what a padded step costs beside a full
    one, what the loss costs, and what any other step that the harness offers costs; what share of the
    profiler's time each operator has.

Needs:
    torch and numpy, and a harness: `module:function` in the current folder or on PYTHONPATH, as the head of
    harness.py describes. Without one it times a small decoder on one CPU thread: no weights, no data set.
    A step that leaves work on a CUDA card is timed there; that part has not been run on one.

Costs:
    Some six minutes with the defaults, one core, under 2 GiB of memory. A harness of yours: for each of its
    names one step at each width, times the rounds, and the plain step again for every repeat.
    `--widths 64,128,192,256 --rounds 2 --repeats 0` takes seconds.

Cannot settle:
    Anything about another machine: coefficients are this step's here. A fit describes the widths that were
    measured. A CPU's share of attention says nothing about a card's. The profiler's times are wall times and
    include the profiler: `profile` holds what it added. What other processes did while it ran is in
    `device`, and on standard error.

Standard output is one JSON document: settings as resolved, every raw time, the fits. The profiler's table, as
`key_averages()` printed it, and the Chrome trace of the same step go to `--table` and `--trace`. Progress and
a summary go to standard error, and so does what the harness prints.

Each step is timed once a round, and rounds run up and down the steps in turn, so that a disturbance falls on
all alike; a width's time is the smallest of its rounds, because disturbances only add. On a CPU the clock is
the CPU time of the thread that takes the step, because other programs stretch wall time; the time of all
threads is kept beside it. On a card it is wall time, synchronised before and after.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import torch

from probe_parts.command_line import ascending, parser_of, positive, whole
from probe_parts.harness import STEP, Maker, Step, about_of, apart_from_evidence, make, makers_of, offered
from probe_parts.idle import Cards, Others, look_at_cards, mark, others_between, warnings_of
from probe_parts.machine import cpu_name, machine
from probe_parts.output import as_json, say
from probe_parts.result_files import ready, write
from probe_parts.scaling import hidden
from probe_parts.step_clock import (
    CLOCKS,
    Device,
    Kind,
    Point,
    device_in_use,
    first_losses,
    other_accelerator,
    point_of,
    time_all,
)
from probe_parts.step_findings import (
    PADDED,
    beside,
    beside_plain,
    curve,
    fitted,
    held_out,
    hidden_here,
    loss_cost,
    two_points,
    without_time,
)
from probe_parts.step_report import report
from probe_parts.step_trace import Profiled, packed, profiled_steps

PLANTS = {
    "cut-widths": "steps wider than half the widest are cut to that, as by a collator with a cap",
    "settings-not-passed": "every series takes the plain step, as when a setting does not reach it",
    "cut-table": "the profiler's table has its first ten rows only",
}

EVIDENCE = Path("claims/evidence/step-profile")
HARNESS = "probe_parts.small_decoder:harness"
WIDTHS = (256, 512, 1024, 1536, 2048, 3072, 4096)
HELD_OUT = 8192


@dataclass(frozen=True, slots=True)
class Settings:
    """What is measured, as resolved; every field is an argument of the same name.

    Attributes:
        harness: `module:function`.
        widths: Tokens in the sequence of a step, at least three, ascending.
        held_out: A width at which the plain step is timed and which the fits do not see; None for none.
        profile_width: The one of `widths` whose step is profiled.
        rounds: How often each step is timed.
        repeats: How often the plain steps are timed anew, with rounds of their own, and fitted again.
        designs: Further sets of widths, asked for the constant that a residual over them can hide.
        plant: The fault that is put in; empty for none.
    """

    harness: str
    widths: tuple[int, ...]
    held_out: int | None
    profile_width: int
    rounds: int
    repeats: int
    designs: tuple[tuple[int, ...], ...]
    plant: str


Works = Mapping[Kind, Step]


# What is timed -----------------------------------------------------------------------------------------


def with_fault(makers: Mapping[str, Maker], settings: Settings) -> dict[str, Maker]:
    """The makers, or those of the fault that is put in."""
    if settings.plant == "settings-not-passed":
        return dict.fromkeys(makers, makers[STEP])
    if settings.plant == "cut-widths":
        cap = settings.widths[-1] // 2
        return {name: partial(_cut, maker, cap) for name, maker in makers.items()}
    return dict(makers)


def _cut(maker: Maker, cap: int, width: int) -> Step:
    return maker(min(width, cap))


def works_of(makers: Mapping[str, Maker], names: Sequence[str], settings: Settings) -> dict[Kind, Step]:
    """The steps of some series at every width of the fits, those of one width together.

    Series are compared at one width, so that what disturbs one of them there should disturb the others.
    """
    kinds = (Kind(name, width) for width in settings.widths for name in names)
    return {kind: make(settings.harness, kind.name, makers[kind.name], kind.width) for kind in kinds}


def all_works(makers: Mapping[str, Maker], settings: Settings) -> dict[Kind, Step]:
    """Every step of the harness at every width, and the plain one at the width held out."""
    works = works_of(makers, tuple(makers), settings)
    if settings.held_out:
        width = settings.held_out
        works[Kind(STEP, width)] = make(settings.harness, STEP, makers[STEP], width)
    return works


# The whole ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Timed:
    """All that was timed, and what else the machine did meanwhile.

    Attributes:
        device: Where the steps work.
        points: By series and width, the one held out among them.
        again: The plain steps of each repeat.
        profiled: Steps under the profiler.
        others: What other processes did.
    """

    device: Device
    points: Mapping[Kind, Point]
    again: tuple[tuple[Point, ...], ...]
    profiled: Profiled
    others: Others


def time_everything(makers: Mapping[str, Maker], settings: Settings) -> Timed:
    """Every step once untimed, then all in rounds, then the repeats, then the profile."""
    works = all_works(makers, settings)
    losses = first_losses(works)
    device = device_in_use()
    if device == "cpu":
        torch.set_num_threads(1)
    before = mark()
    times = time_all(works, settings.rounds, device, "timed")
    points = {kind: point_of(kind.width, rounds, losses[kind]) for kind, rounds in times.items()}
    again = tuple(timed_again(makers, settings, device, number + 1) for number in range(settings.repeats))
    step = works[Kind(STEP, settings.profile_width)]
    profiled = profiled_steps(step, settings.rounds, device, cut=settings.plant == "cut-table")
    return Timed(device, points, again, profiled, others_between(before, mark()))


def timed_again(
    makers: Mapping[str, Maker], settings: Settings, device: Device, number: int
) -> tuple[Point, ...]:
    """The plain steps, made anew, in rounds of their own."""
    works = works_of(makers, (STEP,), settings)
    losses = first_losses(works)
    times = time_all(works, settings.rounds, device, f"repeat {number}")
    return tuple(point_of(kind.width, rounds, losses[kind]) for kind, rounds in times.items())


def measure(settings: Settings) -> tuple[dict[str, Any], Profiled]:
    """Everything that goes to standard output, and the profile."""
    cards = look_at_cards()
    for sentence in warnings_of(cards):
        say(sentence)
    found = offered(settings.harness)
    makers, about = makers_of(settings.harness, found), about_of(settings.harness, found)
    timed = time_everything(with_fault(makers, settings), settings)
    series = {name: [timed.points[Kind(name, width)] for width in settings.widths] for name in makers}
    if none := without_time(series):
        raise SystemExit(
            f"{settings.harness}: {none} took no time by the clock ({CLOCKS[timed.device]}); let the step do "
            "its work in the thread that calls it, and wait for it"
        )
    document = {
        "settings": settings,
        "about": about,
        "machine": machine(),
        "device": device_of(timed, cards),
        **findings(series, timed, settings),
        "profile": {
            "width": settings.profile_width,
            "plain": point_of(settings.profile_width, timed.profiled.plain),
            "profiled": point_of(settings.profile_width, timed.profiled.profiled),
        },
    }
    return document, timed.profiled


def findings(series: Mapping[str, Sequence[Point]], timed: Timed, settings: Settings) -> dict[str, Any]:
    """What the points come to."""
    sections = {name: fitted(points) for name, points in series.items()}
    fits = sections[STEP]["fits"]
    beyond = timed.points[Kind(STEP, settings.held_out)] if settings.held_out else None
    return {
        "series": sections,
        "curve": curve(fits, settings.widths[-1]),
        "held_out": held_out(fits, beyond),
        "beside_step": beside(series),
        "padding_penalty": beside_plain(series, PADDED),
        "loss_cost": loss_cost(series),
        "two_points": two_points(series[STEP], beyond),
        "hidden": {
            "here": hidden_here(series[STEP], fits["two_term"]),
            "designs": [hidden(widths) for widths in settings.designs],
        },
        "repeats": [fitted(points) for points in timed.again],
    }


def device_of(timed: Timed, cards: Cards) -> dict[str, Any]:
    """Where the steps worked, by which clock, and whether anything else did."""
    doubts = warnings_of(cards)
    if timed.device == "cuda" and cards.unknown:
        doubts.append(f"whether the card was idle is not known: {cards.unknown}")
    if timed.device == "cpu" and (other := other_accelerator()):
        doubts.append(
            f"torch sees an accelerator here that is no CUDA card ({other}): these times leave out what a "
            "step has it do"
        )
    if timed.others.idle is None:
        doubts.append("whether other processes were busy is not known: the system does not tell")
    if timed.others.idle is False:
        doubts.append(
            f"other processes kept {timed.others.others_cores:.1f} of {timed.others.cores} cores busy "
            "while the steps were timed"
        )
    name = torch.cuda.get_device_name() if timed.device == "cuda" else cpu_name()
    idle = {"cards": cards, "others": timed.others}
    if not timed.profiled.table.strip():
        doubts.append("the profiler saw no operator of torch in a step: its table is empty")
    return {"kind": timed.device, "name": name, "clock": CLOCKS[timed.device], "idle": idle, "doubts": doubts}


# The command line --------------------------------------------------------------------------------------


def fit_widths(text: str) -> tuple[int, ...]:
    """Different widths, ascending, at least three: two points decide nothing."""
    numbers = ascending(text)
    if len(numbers) < 3:
        raise argparse.ArgumentTypeError(f"needs at least 3 different widths, not {len(numbers)}")
    return numbers


def designs(text: str) -> tuple[tuple[int, ...], ...]:
    """Sets of widths, `;` between them: a line and a square go through any two points."""
    return tuple(fit_widths(part) for part in text.split(";") if part.strip())


def none_or_more(text: str) -> int:
    """A whole number, 0 for none."""
    return 0 if whole(text) == 0 else positive(text)


@dataclass(frozen=True, slots=True)
class Files:
    """Where the table and the trace go; None: nowhere."""

    table: Path | None
    trace: Path | None


ARGUMENTS: tuple[tuple[str, Callable[[str], object], object, str], ...] = (
    ("--harness", str, None, "`module:function`, your own step; the decoder of the probes if left out"),
    (
        "--widths",
        fit_widths,
        None,
        "tokens in a step's sequence, with commas: three or, better, more; 256 to 4096 if left out",
    ),
    ("--held-out", none_or_more, None, "a width that is timed and left out of the fits; 0 for none"),
    ("--profile-width", positive, None, "the one of the widths that is profiled; nearest half the widest"),
    ("--rounds", positive, 30, "how often each step is timed"),
    ("--repeats", none_or_more, 2, "how often the plain steps are timed anew and fitted again"),
    (
        "--designs",
        designs,
        ((2048, 4096, 16384), (2048, 8192, 16384)),
        "sets of widths, `;` between them, to say how large a constant a residual over them can hide",
    ),
    ("--table", str, None, "where the profiler's table goes"),
    ("--trace", str, None, "where the Chrome trace goes, packed: a name that ends in .gz"),
)
"""Name, reader, default, meaning. None: as recorded, or what a harness of one's own is better served with."""


def parse(argv: Sequence[str] | None = None) -> tuple[Settings, Files]:
    """The settings, and where files go: to the evidence only where neither a harness nor widths are given."""
    parser = parser_of(__doc__, PLANTS)
    for name, reader, default, meaning in ARGUMENTS:
        parser.add_argument(name, type=reader, default=default, help=meaning)
    options = vars(parser.parse_args(argv))
    recorded = options["harness"] is None and options["widths"] is None
    table, trace = options.pop("table"), options.pop("trace")
    if recorded:
        table = str(EVIDENCE / "profile.txt") if table is None else table
        trace = str(EVIDENCE / "trace.json.gz") if trace is None else trace
    files = Files(Path(table) if table else None, Path(trace) if trace else None)
    if files.trace and files.trace.suffix != ".gz":
        parser.error(f"--trace {files.trace} is written packed; end its name in .gz")
    if files.table and files.trace and files.table.absolute() == files.trace.absolute():
        parser.error(f"--table and --trace are both {files.trace}; name two files")
    return resolved(parser, options, recorded=recorded), files


def resolved(parser: argparse.ArgumentParser, options: Mapping[str, Any], *, recorded: bool) -> Settings:
    """The settings, with what was left out filled in."""
    widths = options["widths"] or WIDTHS
    held_out = (HELD_OUT if recorded else 0) if options["held_out"] is None else options["held_out"]
    profile_width = options["profile_width"] or min(widths, key=lambda w: abs(w - widths[-1] / 2))
    if profile_width not in widths:
        parser.error(f"--profile-width {profile_width} is not one of the widths")
    if held_out in widths:
        parser.error(f"--held-out {held_out} is one of the widths of the fit")
    return Settings(
        harness=HARNESS if options["harness"] is None else options["harness"],
        widths=widths,
        held_out=held_out or None,
        profile_width=profile_width,
        **{name: options[name] for name in ("rounds", "repeats", "designs", "plant")},
    )


def main(argv: Sequence[str] | None = None) -> None:
    """Measure, print the document, and write files last, so that a run cut short leaves the old ones."""
    settings, files = parse(argv)
    table, trace = files.table and files.table.absolute(), files.trace and files.trace.absolute()
    ready(files.table, "--table")
    ready(files.trace, "--trace")
    with apart_from_evidence():
        document, profiled = measure(settings)
    print(as_json(document))
    write(table, profiled.table.encode())  # by their whole paths: a harness may have changed the folder
    write(trace, packed(profiled.trace))
    say(report(document))


if __name__ == "__main__":
    main()
