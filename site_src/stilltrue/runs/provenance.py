"""What is written down of a run: the record that goes beside its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stilltrue.model import Digested, Provenance
from stilltrue.probes import Run, accelerator, environment, machine
from stilltrue.probes.digest import digested


def provenance_of(
    done: Run, arguments: Sequence[str] = (), *, commit: str, changed: tuple[str, ...]
) -> Provenance:
    """The record of a run, on this machine, whose files are still there.

    Args:
        done: The run.
        arguments: What the probe was given.
        commit: HEAD; empty without git.
        changed: What of its code and inputs that commit does not hold so.
    """
    return Provenance(
        subjects=tuple(_subject(path, file) for path, file in done.files.items()),
        on=done.started[: len("YYYY-MM-DD")],
        code=done.code,
        argv=tuple(arguments),
        commit=commit,
        changed=changed,
        started=done.started,
        ended=done.ended,
        machine=machine(),
        accelerator=accelerator(),
        interpreter=done.interpreter,
        packages=done.packages,
        inputs=done.inputs,
        environment=environment(),
    )


def _subject(path: str, file: Path) -> Digested:
    """A file of the stage, as the evidence that it becomes."""
    return Digested(path, digested(file.parent.resolve(), file.name).sha256)
