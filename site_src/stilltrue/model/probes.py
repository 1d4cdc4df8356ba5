"""What a probe says of itself in its header."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Probe:
    """A script that measures something and prints evidence; its PEP 723 header, validated.

    Attributes:
        path: The script, from the repository's root.
        writes: The evidence files, from the root; standard output goes to the first.
        reads: The declared inputs, from the root.
        needs: What the machine must have: `cuda`, `linux`, `git`, ….
        cost: `cheap` (seconds on a laptop's CPU) or `slow`.
        timeout_s: How many seconds a run may take.
        plants: The faults that it can put in itself.
        dependencies: The packages that it needs, as PEP 508 requirements.
        requires_python: A version specifier; empty for any.
    """

    path: str
    writes: tuple[str, ...]
    reads: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    cost: str = "slow"
    timeout_s: float = 600.0
    plants: tuple[str, ...] = ()
    dependencies: tuple[str, ...] = ()
    requires_python: str = ""


class RunState(StrEnum):
    """What became of a probe that was to run beside its evidence; an unchanged one is not run twice."""

    RAN = "ran"
    REMEMBERED = "remembered"
    NOT_RUN = "not run"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class ProbeRun:
    """What became of one probe in a check that runs probes again.

    Attributes:
        path: The script.
        state: What became of it.
        why: Why it was not run, or how it failed; else empty.
        seconds: How long it took; 0 where it was not run.
        code: Where it failed, the code of that.
        hint: Where it failed, what to do next.
    """

    path: str
    state: RunState
    why: str = ""
    seconds: float = 0.0
    code: str = ""
    hint: str = ""
