"""Would a run that is resumed go on where it stopped, with the same samples in the same order?"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from typing import Any

from stilltrue import files
from stilltrue.errors import InputError
from stilltrue.model import Place
from stilltrue.preflight.asking import TIMEOUT_S, ask
from stilltrue.preflight.documents import Item, item, shown
from stilltrue.preflight.finding import Finding, Launch, failed, passed
from stilltrue.preflight.keys import SOURCE, Key, Kind, table
from stilltrue.preflight.progress import progress
from stilltrue.preflight.settings import Settings
from stilltrue.preflight.values import whole_at
from stilltrue.wording import counted, listed, quoted

SUMMARY = (
    "Step, optimizer and scheduler of a checkpoint agree, the order of the samples is intact, and the report "
    "of what was cut adds up."
)

KEYS = table(
    Key(
        "checkpoint",
        Kind.FOLDER,
        "The folder of a checkpoint, as the Trainer of transformers writes it.",
        "checkpoint: runs/out/checkpoint-100",
    ),
    Key("optimizer", Kind.SWITCH, "Whether its optimizer counts steps; the default is yes.", "optimizer: no"),
    Key("scheduler", Kind.SWITCH, "Whether it has a scheduler; the default is yes.", "scheduler: no"),
    Key(
        "order",
        Kind.PATH,
        "The order of the samples, of the whole run: `{order: […], sha256: …}`.",
        "order: runs/out/order.json",
    ),
    Key(
        "batch",
        Kind.VALUE,
        "How many samples one optimizer step takes, of all processes; needed where both are given.",
        "batch: 16",
        inner=SOURCE,
    ),
    Key(
        "truncation",
        Kind.PATH,
        "What the length limit did: `{total, kept, truncated, dropped, cap}`.",
        "truncation: runs/out/truncation.json",
    ),
    Key("cap", Kind.VALUE, "The run's length limit; needed for `truncation`.", "cap: 8192", inner=SOURCE),
    Key(
        "timeout",
        Kind.TIME,
        "How long reading the optimizer may take; the default is 120 s.",
        "timeout: 5 min",
    ),
)

_NUMBERED = re.compile(r"checkpoint-(\d+)$")
_COUNTS = ("total", "kept", "truncated", "dropped", "cap")


def run(launch: Launch, settings: Settings) -> Iterator[Finding]:
    """The findings."""
    step = None
    if "checkpoint" in settings:
        folder = settings.path("checkpoint")
        step = _step(launch, folder)
        yield _numbered(folder, step)
        yield from _states(launch, settings, folder, step)
    report = _Truncation.read(launch, settings) if "truncation" in settings else None
    if report is not None:
        yield report.adds_up()
        yield report.has_cap(whole_at(launch, settings, "cap"))
    if "order" in settings:
        yield from _order(launch, settings, step, report)
    elif step is not None and "batch" in settings:
        yield from _batch(launch, settings, step.value, 0)


def fits(settings: Settings) -> None:
    """Says which settings are none.

    Raises:
        UsageError: `preflight-settings`.
    """
    if not any(key in settings for key in ("checkpoint", "order", "truncation")):
        settings.refuse("this names nothing to resume from", f"add `{KEYS['checkpoint'].example}`")
    if "checkpoint" in settings and "order" in settings and "batch" not in settings:
        settings.refuse("`batch` is missing in `resume`", f"add `{KEYS['batch'].example}`", "order")
    if "truncation" in settings and "cap" not in settings:
        settings.refuse("`cap` is missing in `resume`", f"add `{KEYS['cap'].example}`", "truncation")


def _step(launch: Launch, folder: str) -> Item:
    """The step that the Trainer says the checkpoint is of.

    Raises:
        InputError: It says none.
    """
    found = item(launch, f"{folder}/trainer_state.json", "$.global_step")
    _whole(found, "global_step")
    return found


def _whole(found: Item, name: str) -> int:
    """A count in a file.

    Raises:
        InputError: `not-a-value`: it is none.
    """
    if isinstance(found.value, bool) or not isinstance(found.value, int) or found.value < 0:
        raise InputError(
            "not-a-value",
            f"`{name}` is no count: {shown(found.value)}",
            "let the run write a whole number",
            path=found.place.path,
            line=found.place.line,
        )
    return found.value


def _numbered(folder: str, step: Item) -> Finding:
    """Whether the folder is named after the step."""
    name = _NUMBERED.search(folder)
    if name is not None and not agrees([int(name[1])], step.value):
        saw = f"global_step is {step.value:,} in `{folder}`"
        return failed("checkpoint", saw, "resume from a checkpoint that nobody renamed", step.place)
    return passed("checkpoint", f"global_step is {step.value:,}", step.place)


def _states(launch: Launch, settings: Settings, folder: str, step: Item) -> Iterator[Finding]:
    """Whether optimizer and scheduler are at that step."""
    root = launch.config.root
    asked = {
        name: str(files.resolve(root, f"{folder}/{name}.pt"))
        for name in ("optimizer", "scheduler")
        if settings.switch(name, default=True)
    }
    if not asked:
        return
    told = ask(launch, "checkpoint", asked, timeout_s=settings.seconds("timeout", TIMEOUT_S))
    for name in asked:
        yield _at_step(name, told[name], step.value, Place(f"{folder}/{name}.pt"))


def agrees(steps: Sequence[float], step: int) -> bool:
    """Whether all that counts steps is at one, and that is this one."""
    return list(steps) == [step]


def _at_step(name: str, steps: list[float] | str, step: int, place: Place) -> Finding:
    """Whether a state is at the step, all of it; a text says why it could not be read."""
    if isinstance(steps, str):
        return failed(name, f"it cannot be read: {steps}", "resume from a checkpoint that is whole", place)
    if not steps:
        return failed(name, "its state counts no steps", f"where it never does: `{name}: no`", place)
    if not agrees(steps, step):
        shown_steps = listed(f"{each:,g}" for each in steps)
        saw = f"its state is at step {shown_steps}, and global_step is {step:,}"
        return failed(name, saw, "resume from a checkpoint that was written whole", place)
    return passed(name, f"its state is at step {step:,}", place)


class _Truncation:
    """The report of what the length limit did."""

    def __init__(self, found: Item, counts: dict[str, int]) -> None:
        self.found = found
        self.counts = counts

    @classmethod
    def read(cls, launch: Launch, settings: Settings) -> _Truncation:
        """The report in a file.

        Raises:
            InputError: One of its counts is missing or none.
        """
        path = settings.path("truncation")
        found = {name: item(launch, path, f"$.{name}") for name in _COUNTS}
        return cls(found["total"], {name: _whole(each, name) for name, each in found.items()})

    @property
    def trained(self) -> int:
        """How many samples there are to train on: kept whole, and cut."""
        return self.counts["kept"] + self.counts["truncated"]

    def adds_up(self) -> Finding:
        """Whether every sample became one of the three."""
        parts = {name: self.counts[name] for name in ("kept", "truncated", "dropped")}
        said = " + ".join(f"{count:,} {name}" for name, count in parts.items())
        total = self.counts["total"]
        if sum(parts.values()) != total:
            saw = f"{said} are {sum(parts.values()):,}, and the total is {total:,}"
            return failed("truncation", saw, "count again: each sample is one of the three", self.found.place)
        if not self.trained:
            return failed(
                "truncation", f"{said}: nothing is left", "raise the length limit", self.found.place
            )
        return passed("truncation", f"{said} are all {total:,}", self.found.place)

    def has_cap(self, cap: int) -> Finding:
        """Whether it was made with the length limit of the run."""
        if self.counts["cap"] != cap:
            saw = f"the report is of {self.counts['cap']:,}, and the run has {cap:,}"
            return failed("length limit", saw, "make the report again with the run's limit", self.found.place)
        return passed("length limit", f"{cap:,} in the report and in the run", self.found.place)


def _order(
    launch: Launch, settings: Settings, step: Item | None, report: _Truncation | None
) -> Iterator[Finding]:
    """Whether the order is the one that was written, holds what was kept, and reaches beyond the step."""
    path = settings.path("order")
    order = item(launch, path, "$.order")
    names = _names(order)
    yield _intact(names, item(launch, path, "$.sha256"))
    if step is not None:
        yield from _batch(launch, settings, step.value, len(names))
        yield _inside(names, whole_at(launch, settings, "batch"), step, order.place)
    if report is not None:
        yield _holds(len(set(names)), report.trained, order.place)


def _names(order: Item) -> list[str]:
    """The samples of an order, as their digest has them.

    Raises:
        InputError: `not-a-value`: it is no list of whole numbers or texts.
    """
    value = order.value
    if not isinstance(value, list) or not value or not all(_is_name(each) for each in value):
        raise InputError(
            "not-a-value",
            f"`order` is no list of samples: {quoted(shown(value))}",
            "list their numbers or names in the order in which they are trained on",
            path=order.place.path,
            line=order.place.line,
        )
    return [str(each) for each in value]


def _is_name(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def digest_of(names: list[str]) -> str:
    """The digest of an order: SHA-256 over its samples, each with a line feed after it, as UTF-8."""
    return hashlib.sha256("".join(f"{name}\n" for name in names).encode("utf-8", "surrogatepass")).hexdigest()


def is_digest(written: Any, digest: str) -> bool:
    """Whether what a file says its digest is, is it."""
    return bool(written == digest)


def _intact(names: list[str], written: Item) -> Finding:
    digest = digest_of(names)
    if not is_digest(written.value, digest):
        many = counted(len(names), "sample")
        saw = f"the digest of its {many} is {digest[:12]}…, and it says {quoted(shown(written.value))}"
        return failed("order", saw, "take the order that the run was started with", written.place)
    return passed("order", f"{counted(len(names), 'sample')}, sha256 {digest[:12]}…", written.place)


def _batch(launch: Launch, settings: Settings, step: int, samples: int) -> Iterator[Finding]:
    """Whether a step takes as many samples as it did, where the Trainer's state tells that."""
    noted = progress(launch, settings.path("checkpoint"), step)
    judged = noted.of(whole_at(launch, settings, "batch"), samples)
    if judged is not None:
        right, saw = judged
        yield Finding(right, "batch", saw, "" if right else _BATCH, settings.place("batch"))


_BATCH = (
    "state what one optimizer step takes: the batch of a process, times accumulation, times processes; a "
    "resumed run with another product goes on at another sample"
)


def _inside(names: list[str], batch: int, step: Item, place: Place) -> Finding:
    """Whether there is a sample to go on with."""
    at = step.value * batch
    if at >= len(names):
        saw = f"{step.value:,} steps of {batch:,} are {at:,}, and the order ends at {len(names):,}"
        return failed(
            "position", saw, "count the samples of a step, and give the order of the whole run", place
        )
    saw = f"goes on at sample {at + 1:,} of {len(names):,}, which is {quoted(names[at])}"
    return passed("position", saw, place)


def _holds(different: int, trained: int, place: Place) -> Finding:
    """Whether the order holds each sample that was not dropped."""
    if different != trained:
        saw = f"it holds {counted(different, 'different sample')}, and {trained:,} were not dropped"
        return failed("samples of the order", saw, "make the order of the samples that are there", place)
    return passed(
        "samples of the order",
        f"{counted(different, 'different sample')}, as many as were not dropped",
        place,
    )
