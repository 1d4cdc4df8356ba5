"""What `init` does: looks, writes what is missing, and says what to do next."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue.cli.exits import OK
from stilltrue.cli.streams import emit
from stilltrue.git import refuse_tracked_workspace
from stilltrue.report import escape
from stilltrue.start import next_steps, planned, survey
from stilltrue.transaction import refuse_unwritable, write_all

if TYPE_CHECKING:
    from stilltrue.start import Step


def start_project(project: str, *, here: bool, hook: bool, workflow: bool, dry: bool) -> int:
    """`stilltrue init`: writes the first files, all or none, and overwrites nothing.

    Args:
        project: The folder to start in.
        here: Whether it is to be a project of its own, wherever it lies.
        hook: Whether to add the hook of pre-commit.
        workflow: Whether to add the workflow.
        dry: Whether to show what would be written instead.

    Raises:
        UsageError: The project was started before, another folder may be meant, or git tracks what is kept
            between runs.
        InputError: A file cannot be read or written; then none is.
    """
    found = survey(Path(project), here=here)
    plan = planned(found, hook=hook, workflow=workflow)
    root = found.config.root
    lines = [f"{escape(step.path)}: {_said(step, dry=dry)}" for step in plan.steps]
    if dry:
        for path in plan.writes:
            refuse_unwritable(root, path)
        lines += [line for step in plan.steps for line in _shown(root, step)]
    elif plan.writes:
        refuse_tracked_workspace(root)
        write_all(root, plan.writes)
    if not plan.writes:
        lines.append("nothing was written")
    lines += ["", *(escape(line) for line in next_steps(found, plan))]
    emit("".join(f"{line}\n" for line in lines).rstrip("\n") + "\n")
    return OK


def _said(step: Step, *, dry: bool) -> str:
    would = "would be " if dry and step.content is not None else ""
    return escape(f"{would}{step.said}")


def _shown(root: Path, step: Step) -> list[str]:
    """What would be written to a file, each line marked; of one that is there, what is new."""
    if step.content is None:
        return []
    old = (root / step.path).read_bytes() if (root / step.path).is_file() else b""
    new = step.content[len(old) :].decode("utf-8", "replace")
    return ["", f"{escape(step.path)}:", *(f"+ {escape(line)}" for line in new.splitlines())]
