"""`record`: run a probe, and keep what it printed with a record of how it came about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from stilltrue import git
from stilltrue.config import Config
from stilltrue.days import today
from stilltrue.errors import InputError, UsageError
from stilltrue.model import Code, Probe, Provenance
from stilltrue.probes import (
    Run,
    code_of,
    inputs_of,
    missing,
    run,
)
from stilltrue.provenance import name_of, read, to_json
from stilltrue.record.choosing import choose
from stilltrue.record.earlier import set_aside
from stilltrue.record.tree import Standing, merged, standing_of
from stilltrue.runs import Watch, silently
from stilltrue.runs.provenance import provenance_of
from stilltrue.transaction import held, recover, refuse_unwritable, write_all
from stilltrue.wording import named


class State(StrEnum):
    """What became of one probe: written, or why not.

    `failed` is one that ran, or was to be started; `passed over` is a file that is no probe, beside others.
    """

    RECORDED = "recorded"
    NOT_RUN = "not run"
    REFUSED = "refused"
    FAILED = "failed"
    PASSED_OVER = "passed over"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one probe.

    Attributes:
        probe: The script.
        state: What became of it.
        files: The evidence files that were written.
        seconds: How long it ran.
        message: Why nothing was written, in one clause; empty where it was.
        hint: What to do next.
        code: The message's code, a key of `codes.CODES`.
        notes: What should be known of what was written.
        arguments: What the probe was given.
    """

    probe: str
    state: State
    files: tuple[str, ...] = ()
    seconds: float = 0.0
    message: str = ""
    hint: str = ""
    code: str = ""
    notes: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()


def record(
    config: Config,
    paths: Sequence[str],
    *,
    arguments: Sequence[str] | None = None,
    allow_dirty: bool = False,
    watch: Watch = silently,
    ends: Callable[[Outcome], None] | None = None,
) -> tuple[Outcome, ...]:
    """Run probes, one after the other, and keep their evidence and its records.

    The headers of all are read before the first is run; of several files those without one are passed over,
    as a glob names modules too. A probe that fails leaves its evidence as it was, and the next is run.

    Args:
        config: The project.
        paths: The scripts, from the root.
        arguments: The arguments of the one probe that is named; where None, each probe is given those of the
            record that it replaces.
        allow_dirty: Whether to run what differs from HEAD; the record says so.
        watch: Entered while a probe runs.
        ends: Told what became of each.

    Raises:
        UsageError: There is no such probe, arguments are given for several, or git tracks `.stilltrue/`.
        InputError: A header is wrong, two probes write the same file, or an earlier run that was cut short
            cannot be finished.
    """
    probes, passed_over = choose(config, tuple(dict.fromkeys(paths)))
    if arguments and len(probes) > 1:
        raise UsageError("arguments are for one probe, and several are named", "record them one by one")
    git.refuse_tracked_workspace(config.root)
    recover(config.root)
    outcomes = []
    for path in passed_over:
        outcomes.append(Outcome(path, State.PASSED_OVER))
        _tell(ends, outcomes[-1])
    for probe in probes:
        outcomes.append(_Recording(config, probe, arguments, allow_dirty, watch).outcome())
        _tell(ends, outcomes[-1])
    return tuple(outcomes)


def _tell(ends: Callable[[Outcome], None] | None, outcome: Outcome) -> None:
    if ends:
        ends(outcome)


# One probe ---------------------------------------------------------------------------------------------


class _Recording:
    """One run of one probe, to its evidence and its record."""

    def __init__(
        self,
        config: Config,
        probe: Probe,
        arguments: Sequence[str] | None,
        allow_dirty: bool,
        watch: Watch,
    ) -> None:
        self._config = config
        self._root = config.root
        self._probe = probe
        self._arguments = arguments
        self._allow_dirty = allow_dirty
        self._watch = watch
        self._ran = False

    def outcome(self) -> Outcome:
        if why := missing(self._probe):
            hint = "run it where that is not so; its evidence is as it was"
            return self._not_recorded(
                State.NOT_RUN, InputError("not-run", f"it cannot be run here: {why}", hint)
            )
        try:
            with held(self._root, self._probe.writes):
                return self._measured()
        except _DirtyError as error:
            return self._not_recorded(State.REFUSED, error)
        except InputError as error:
            return self._not_recorded(State.FAILED if self._ran else State.REFUSED, error)

    def _not_recorded(self, state: State, error: InputError) -> Outcome:
        where = f" ({error.path})" if error.path not in ("", self._probe.path) else ""
        return Outcome(
            self._probe.path, state, message=f"{error.message}{where}", hint=error.hint, code=error.code
        )

    def _measured(self) -> Outcome:
        """Look at everything that can be known before, run, look at the rest, and write."""
        for path in self._targets(set_aside(self._root, self._probe.writes, today())):
            refuse_unwritable(self._root, path)
        commit = git.head(self._root)
        old = self._last()
        inputs = inputs_of(self._root, self._probe)
        before = standing_of(self._root, (self._probe.path, *_paths(old.code if old else ())), inputs)
        self._refuse(before)
        self._ran = True
        arguments = _arguments(self._arguments, old)
        with (
            self._watch(self._probe.path) as say,
            run(
                self._root,
                self._probe,
                arguments,
                files=git.known_files(self._root),
                say=say,
                evidence=self._config.evidence,
                most_bytes=self._config.limits.bytes,
            ) as done,
        ):
            standing = merged(
                (standing_of(self._root, _paths(done.code), done.inputs), self._edited_since(done.code))
            )
            self._refuse(standing)
            self._write(done, arguments, commit, standing.changed)
        return Outcome(
            self._probe.path,
            State.RECORDED,
            self._probe.writes,
            done.seconds,
            notes=tuple(_notes(commit, standing)),
            arguments=arguments,
        )

    def _write(self, done: Run, arguments: tuple[str, ...], commit: str, changed: tuple[str, ...]) -> None:
        day = done.started[: len("YYYY-MM-DD")]
        writes = set_aside(self._root, self._probe.writes, day)
        record = provenance_of(done, arguments, commit=commit, changed=changed)
        text = to_json(record).encode()
        for path, file in done.files.items():
            writes[path] = file
            writes[name_of(path)] = text
        write_all(self._root, writes)

    def _targets(self, aside: dict[str, bytes | Path]) -> tuple[str, ...]:
        own = (name for path in self._probe.writes for name in (path, name_of(path)))
        return (*aside, *own)

    def _last(self) -> Provenance | None:
        """The record of this probe's last run.

        It tells what the run imported: a change there is better refused now than after an hour.
        """
        old = read(self._root, self._probe.writes[0])
        return old if old is not None and old.probe == self._probe.path else None

    def _edited_since(self, code: tuple[Code, ...]) -> Standing:
        """The code that was edited while it ran: what ran may be what HEAD holds, but nobody knows."""
        paths = tuple(each.path for each in code if not _is_still(self._root, each))
        return Standing(paths, git.committed(self._root, paths)) if git.head(self._root) else Standing()

    def _refuse(self, standing: Standing) -> None:
        if standing.edited and not self._allow_dirty:
            raise _DirtyError(standing.edited)


def _notes(commit: str, standing: Standing) -> Iterator[str]:
    """What should be known of what was recorded."""
    new = tuple(path for path in standing.changed if path not in standing.edited)
    if standing.edited:
        yield f"git does not hold what was run of {named(standing.edited)}: suspect until it does"
    if new:
        yield f"{named(new)} {'is' if len(new) == 1 else 'are'} new to git: commit together with the evidence"
    if not standing.changed and not commit:
        yield "no commit is recorded: git cannot tell which one this is"


def _arguments(given: Sequence[str] | None, old: Provenance | None) -> tuple[str, ...]:
    """The arguments of a run: those that were given, else those of the last one."""
    return tuple(given) if given is not None else old.argv if old is not None else ()


class _DirtyError(InputError):
    """What was to be run differs from HEAD."""

    def __init__(self, edited: Sequence[str]) -> None:
        differs = "differs" if len(edited) == 1 else "differ"
        super().__init__(
            "dirty",
            f"{named(edited)} {differs} from HEAD, so that no commit would hold what was run",
            "commit first, or record it so: `--allow-dirty`",
        )


def _paths(code: Sequence[Code]) -> tuple[str, ...]:
    return tuple(each.path for each in code)


def _is_still(root: Path, code: Code) -> bool:
    try:
        return code_of(root, code.path).sha256 == code.sha256
    except InputError:
        return False
