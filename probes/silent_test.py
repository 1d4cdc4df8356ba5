#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["torch>=2.6", "pytest>=8"]
# [tool.stilltrue]
# writes = "claims/evidence/integrity/silent-test.json"
# reads = []
# needs = []
# cost = "slow"
# timeout = "120 s"
# plant = ["no-guard", "refuse-all", "own-mutant"]
# ///
"""A test of what shows in no result: which faults it lets pass, whether pytest runs it, and a guard.

Settles:
    Of a step that is to read no number back, and of eight ways to put a read into it that change nothing
    else: which of them three tests catch (one replaces `Tensor.item`, one looks at operators, one counts with
    `sync_watch.py`); whether the step comes to the same result each time; which test files of a folder a real
    run of pytest collects, and with which exit code it ends. Whether the guard, which puts every fault in
    and wants the test to fail, stops a test that lets one pass or that pytest does not collect.

Needs:
    torch and pytest. CPU, no accelerator, no network.

Costs:
    Ten seconds on one core.

Cannot settle:
    Whether these are all the ways: a guard knows only the faults that somebody wrote down. What a read costs:
    see `host_syncs.py`. How a continuous integration of yours calls pytest.

The faults put broken guards in: `no-guard` lets every test through, `refuse-all` none, and `own-mutant` tries
a test with the one fault that it was written for.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.output import as_json
from probe_parts.sync_watch import counted

# What is tested: a step that reads nothing back --------------------------------------------------------

Step = Callable[[Tensor], Tensor]


def step(losses: Tensor) -> Tensor:
    """The mean loss over the tokens that count, of (tokens,), on the device."""
    counts = losses > 0
    return torch.where(counts, losses, 0.0).sum() / counts.sum()


def by_item(losses: Tensor) -> Tensor:
    """The number of tokens is read by `item()`."""
    return losses.clamp(min=0).sum() / (losses > 0).sum().item()


def by_float(losses: Tensor) -> Tensor:
    """The same by `float(x)`."""
    return losses.clamp(min=0).sum() / float((losses > 0).sum())


def by_int(losses: Tensor) -> Tensor:
    """The same by `int(x)`."""
    return losses.clamp(min=0).sum() / int((losses > 0).sum())


def by_if(losses: Tensor) -> Tensor:
    """A branch asks whether any token counts."""
    return step(losses) if (losses > 0).any() else losses.new_zeros(())


def by_index(losses: Tensor) -> Tensor:
    """A slice ends where a tensor says."""
    ordered: Tensor = losses.sort(descending=True).values
    return ordered[: (losses > 0).sum()].mean()


def by_mask(losses: Tensor) -> Tensor:
    """The tokens that count are picked out."""
    return losses[losses > 0].mean()


def by_tolist(losses: Tensor) -> Tensor:
    """Python counts the tokens."""
    counts: int = sum(loss > 0 for loss in losses.tolist())
    return losses.clamp(min=0).sum() / counts


def by_numpy(losses: Tensor) -> Tensor:
    """NumPy counts the tokens."""
    return losses.clamp(min=0).sum() / int((losses.numpy() > 0).sum())


MUTANTS: Mapping[str, Step] = {
    "x.item()": by_item,
    "float(x)": by_float,
    "int(x)": by_int,
    "if x": by_if,
    "x[:n]": by_index,
    "x[mask]": by_mask,
    "x.tolist()": by_tolist,
    "x.numpy()": by_numpy,
}
"""Ways to put a read back into the step, each as one writes it without a thought."""

OWN = "x.item()"
"""The fault that the first test below was written for."""


def batch() -> Tensor:
    """What the tests hand to a step: losses of eight tokens, three of which do not count."""
    return torch.tensor([0.5, 0.0, 1.5, 2.0, 0.0, 1.0, 0.0, 3.0])


# Tests of it -------------------------------------------------------------------------------------------

Test = Callable[[Step], None]
"""Raises `AssertionError` where the step reads a number."""


def test_by_patch(tested: Step) -> None:
    """The one that comes to mind: with `Tensor.item` broken the step still works."""
    losses = batch()
    with patch.object(Tensor, "item", side_effect=AssertionError("a number was read")):
        tested(losses)


class _Reads(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch leaves it unannotated
    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        if {torch.Tag.data_dependent_output, torch.Tag.dynamic_output_shape} & set(func.tags):
            raise AssertionError(f"{func} reads a number")
        return func(*args, **(kwargs or {}))


def test_by_operators(tested: Step) -> None:
    """One step nearer: no operator runs that PyTorch marks as one that depends on numbers."""
    losses = batch()
    with _Reads():  # type: ignore[no-untyped-call]  # as above
        tested(losses)


def test_by_watch(tested: Step) -> None:
    """Nothing is read, in any of the ways that the watch knows."""
    losses = batch()
    read = counted(lambda: tested(losses)).reads
    if read:
        raise AssertionError(f"a number was read: {read}")


def catches(test: Test, tested: Step) -> bool:
    """Whether a test fails on a step."""
    try:
        test(tested)
    except AssertionError:
        return True
    return False


# Whether pytest runs it --------------------------------------------------------------------------------

CHECK = "def test_it_fails_when_it_is_run():\n    raise AssertionError\n"
OTHER = "def test_something_else():\n    pass\n"
UNSEEN, SEEN = "silent_checks.py", "test_silent.py"
"""Two names for one file: by pytest's own rules it runs what is called `test_*.py` or `*_test.py`."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A real run of pytest over a folder.

    Attributes:
        collected: Tests that it collected from the file in question.
        others: From the others.
        status: Its exit code: 0 where all that ran passed, 1 where one failed, 5 where there was none.
    """

    collected: int
    others: int
    status: int


@cache
def ran(name: str, *, beside: bool) -> Ran:
    """Run pytest over a failing test in a file of this name, with a passing one `beside` it or not."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        (folder / name).write_text(CHECK, encoding="utf-8")
        if beside:
            (folder / "test_other.py").write_text(OTHER, encoding="utf-8")
        done = pytest_over(folder)
    files = re.findall(r"^(\S+)::\S+ (?:PASSED|FAILED)", done.stdout, re.MULTILINE)
    return Ran(files.count(name), len(files) - files.count(name), done.returncode)


def pytest_over(folder: Path) -> subprocess.CompletedProcess[str]:
    """A real run, as in a project that configures nothing."""
    alone = {**os.environ, "PYTEST_ADDOPTS": "", "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    words = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "--rootdir", str(folder), "."]
    return subprocess.run(  # noqa: S603  # fixed words, and a folder of our own
        words, cwd=folder, env=alone, capture_output=True, text=True, check=False, timeout=60
    )


# The guard ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Instrument:
    """A test, and how many tests pytest collects from the file that it is in."""

    test: Test
    collected: int


def guard(instrument: Instrument) -> None:
    """A test is believed once it has passed on the step and failed on every fault, and pytest runs it.

    Raises:
        RefusedError: One of the three is not so.
    """
    tried(instrument, MUTANTS)


def own_mutant(instrument: Instrument) -> None:
    """A broken guard: the one fault that the first test was written for."""
    tried(instrument, {OWN: MUTANTS[OWN]})


def tried(instrument: Instrument, mutants: Mapping[str, Step]) -> None:
    """Try a test with faults."""
    if not instrument.collected:
        raise RefusedError("pytest collects no test from this file: nobody runs it")
    if catches(instrument.test, step):
        raise RefusedError("the test fails on the step as it should be")
    survivors = [name for name, mutant in mutants.items() if not catches(instrument.test, mutant)]
    if survivors:
        raise RefusedError(f"the test passes with these put in: {', '.join(survivors)}")


GUARDS: dict[str, Callable[[Instrument], None]] = {"own-mutant": own_mutant}
PLANTS = {**BROKEN, "own-mutant": "a guard that tries a test with the one fault that it was written for"}


# The measurement ---------------------------------------------------------------------------------------


def looked_at(test: Test) -> dict[str, Any]:
    """Which faults a test catches."""
    caught = [name for name, mutant in MUTANTS.items() if catches(test, mutant)]
    return {
        "passes_on_the_step": not catches(test, step),
        "mutants": len(MUTANTS),
        "caught": len(caught),
        "let_pass": [name for name in MUTANTS if name not in caught],
    }


def reads() -> list[dict[str, Any]]:
    """Of each fault: how many reads it puts in, how far its result is off, which tests catch it."""
    losses, right = batch(), step(batch())
    return [
        {
            "mutant": name,
            "reads": len(counted(lambda mutant=mutant: mutant(losses)).reads),  # type: ignore[misc]  # bound now
            "apart": abs(float(mutant(losses) - right)),
            "patch": catches(test_by_patch, mutant),
            "operators": catches(test_by_operators, mutant),
            "watch": catches(test_by_watch, mutant),
        }
        for name, mutant in MUTANTS.items()
    ]


def measure(guarded: Callable[[Instrument], None]) -> dict[str, Any]:
    """All that the claims are read from."""
    unseen, seen = ran(UNSEEN, beside=True), ran(SEEN, beside=True)
    return {
        "torch": torch.__version__,
        "trap": {**looked_at(test_by_patch), "file": UNSEEN, "run": unseen},
        "operators": looked_at(test_by_operators),
        "sound": {**looked_at(test_by_watch), "file": SEEN, "run": seen},
        "alone": ran(UNSEEN, beside=False),
        "mutants": reads(),
        "guard": {
            "stops": stops(guarded, Instrument(test_by_patch, seen.collected)),
            "stops_operators": stops(guarded, Instrument(test_by_operators, seen.collected)),
            "stops_uncollected": stops(guarded, Instrument(test_by_watch, unseen.collected)),
            "passes": not stops(guarded, Instrument(test_by_watch, seen.collected)),
        },
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the evidence."""
    plant = parser_of(__doc__, PLANTS).parse_args(argv).plant
    print(as_json(measure(broken(GUARDS.get(plant, guard), plant))))


if __name__ == "__main__":
    main()
