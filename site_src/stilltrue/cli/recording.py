"""What `record`, `adopt` and `accept` do: evidence and its records, and how the claims moved."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from stilltrue.cli.exits import FAILED, OK
from stilltrue.cli.interrupts import interruptible
from stilltrue.cli.paths import from_root
from stilltrue.cli.streams import emit, say
from stilltrue.cli.usage import message
from stilltrue.config import Config, load
from stilltrue.errors import UsageError
from stilltrue.report import escape
from stilltrue.wording import counted

if TYPE_CHECKING:
    from stilltrue.model import Report
    from stilltrue.provenance import Change
    from stilltrue.record import Move, Outcome

_SHOWN_MOVES = 40
_LONG_S = 100
"""Of a run of so many seconds nobody wants hundredths."""


def record_probes(
    project: str, probes: Sequence[str], arguments: Sequence[str] | None, *, allow_dirty: bool
) -> int:
    """`stilltrue record`: 0 when every probe was recorded, else 1; verdicts do not matter.

    Args:
        project: A folder in the project.
        probes: The scripts, from the current folder or from the root.
        arguments: What stood behind `--`; None without it.
        allow_dirty: Whether to run what differs from HEAD.

    Raises:
        UsageError: The configuration cannot be used, or there is no such probe.
        InputError: A probe's header is wrong.
    """
    from stilltrue.cli.running import watch  # noqa: PLC0415  # it takes what only a run needs
    from stilltrue.record import State, moves, record  # noqa: PLC0415  # as above

    config = load(Path(project))
    paths = tuple(from_root(config.root, path) for path in probes)
    before = _checked(config)
    with interruptible():
        outcomes = record(
            config,
            paths,
            arguments=arguments,
            allow_dirty=allow_dirty,
            watch=watch,
            ends=_told,
        )
    files = [path for each in outcomes for path in each.files]
    after = _checked(config) if files else None
    if after is not None:
        emit("".join(f"{line}\n" for line in _moved(moves(before, after, files))))
    return OK if all(each.state in (State.RECORDED, State.PASSED_OVER) for each in outcomes) else FAILED


def adopt_files(project: str, files: Sequence[str], source: str, on: str, *, again: bool) -> int:
    """`stilltrue adopt`: writes the record of evidence from elsewhere.

    Raises:
        UsageError: The configuration, the source or the day cannot be used.
        InputError: A file cannot be adopted.
    """
    from stilltrue.record import adopt  # noqa: PLC0415  # as in `record_probes`

    config = load(Path(project))
    paths = tuple(from_root(config.root, path) for path in files)
    written = adopt(config, paths, source=source, on=on, again=again)
    emit("".join(f"{escape(path)}: written\n" for path in written))
    return OK


def accept_change(project: str, claim: str, because: str) -> int:
    """`stilltrue accept`: notes that a change does not matter for a claim, and says which.

    Raises:
        UsageError: The configuration cannot be used, there is no such claim, or nothing to accept.
        InputError: A record cannot be read or written.
    """
    from stilltrue.record import accept  # noqa: PLC0415  # as in `record_probes`

    done = accept(load(Path(project)), claim, because=because)
    lines = [
        f"{escape(path)}: accepted for `{escape(claim)}`: {escape(_change(change))}"
        for path, changes in done.changes.items()
        for change in changes
    ]
    lines.append(f"{escape(claim)}: {_from_to(done.before.verdict, done.after.verdict)}")
    emit("".join(f"{line}\n" for line in lines))
    return OK


def mention_unfinished(root: Path) -> None:
    """Says, beside a check that failed, that files were being replaced when something was killed."""
    from stilltrue.transaction import unfinished  # noqa: PLC0415  # only a failing check asks

    journal = unfinished(root)
    if journal:
        what = "files that belong together are being replaced, or were when that was cut short"
        hint = "the next command that writes here, such as `record` or `update`, finishes it"
        say(message(journal, what, hint, "unfinished"))


# Paths and checks --------------------------------------------------------------------------------------


def _checked(config: Config) -> Report | None:
    """The check of a project; None where there is nothing to check yet."""
    from stilltrue.check import check  # noqa: PLC0415  # as in `record_probes`

    try:
        return check(config)
    except UsageError as error:
        if error.code != "nothing-to-check":
            raise
        return None


# Words -------------------------------------------------------------------------------------------------


def _told(outcome: Outcome) -> None:
    """Says what became of a probe: on standard output what was recorded, on the other why not."""
    from stilltrue.record import State  # noqa: PLC0415  # as in `record_probes`

    if outcome.state is State.PASSED_OVER:
        say(f"{escape(outcome.probe)}: passed over, it has no header")
        return
    if outcome.code:
        say(message(outcome.probe, f"{outcome.state}: {outcome.message}", outcome.hint, outcome.code))
        return
    given = f" with `{escape(shlex.join(outcome.arguments))}`" if outcome.arguments else ""
    lines = [f"{escape(outcome.probe)}: recorded{given} in {_seconds(outcome.seconds)}"]
    lines += [f"  {escape(path)}" for path in outcome.files]
    lines += [f"  note: {escape(note)}" for note in outcome.notes]
    emit("".join(f"{line}\n" for line in lines))


def _seconds(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds < _LONG_S else f"{seconds:,.0f} s"


def _moved(moves: Sequence[Move]) -> Iterator[str]:
    """The claims that moved, and how many did not."""
    moved = [move for move in moves if move.is_one]
    for move in moved[:_SHOWN_MOVES]:
        found = _from_to(move.before or "nothing", move.after or "nothing")
        yield f"{escape(move.claim)}: {escape(found)}; {_from_to(move.was or 'unknown', move.now)}"
    if len(moved) > _SHOWN_MOVES:
        yield f"and {len(moved) - _SHOWN_MOVES:,} more moved"
    if still := len(moves) - len(moved):
        yield f"{counted(still, 'claim')} as before"


def _from_to(before: str, after: str) -> str:
    return f"{after}, as before" if before == after else f"{before} -> {after}"


def _change(change: Change) -> str:
    """One change in words."""
    return f"`{change.path}` {_CHANGES[change.kind] if change.after else 'is gone'}"


_CHANGES = {
    "evidence": "was edited",
    "code": "does something else",
    "input": "holds something else",
    "uncommitted": "is not committed as it was run",
}
