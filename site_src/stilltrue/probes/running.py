"""One run of one probe, in a stage, from its start to files that may become evidence."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from stilltrue.errors import InputError
from stilltrue.model import Code, Digested, Probe
from stilltrue.probes import runner
from stilltrue.probes.digest import code_of, digested, input_paths, is_python
from stilltrue.probes.host import interpreter
from stilltrue.probes.loaded import Packages, own_modules, packages
from stilltrue.probes.outcome import evidence_files, refuse_failure, unseen
from stilltrue.probes.process import Command, Kept, kept, refuse_here
from stilltrue.probes.stage import Stage, fill, no_stage

MOST_BYTES = 1 << 30
"""How large an evidence file may become, where the caller does not say."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run that went well.

    Attributes:
        files: The file of each path in `writes`, in that order. They lie in the stage and go with it.
        code: The script, then the repository's modules that it loaded, by path.
        inputs: The files that its `reads` name, as the run saw them.
        packages: Name and version of every installed package that it loaded.
        interpreter: `CPython 3.11.7`; empty for other languages.
        started: When it began, ISO 8601 in UTC.
        ended: When it ended.
        seconds: How long it took.
    """

    files: Mapping[str, Path]
    code: tuple[Code, ...]
    inputs: tuple[Digested, ...]
    packages: Packages
    interpreter: str
    started: str
    ended: str
    seconds: float


@contextlib.contextmanager
def run(
    root: Path,
    probe: Probe,
    arguments: Sequence[str] = (),
    *,
    files: Sequence[str] | None = None,
    plant: str = "",
    say: Callable[[str], None] | None = None,
    evidence: str = "claims/evidence",
    most_bytes: int = MOST_BYTES,
) -> Iterator[Run]:
    """Runs a probe in a copy of the project; the project itself is only read.

    Whatever ends the `with` block, an error, a signal, or the death of this process, ends all that the probe
    started and removes the copy.

    Args:
        root: The project's root, resolved.
        probe: From `read_header`.
        arguments: The probe's arguments.
        files: The project's files to copy, from the root; None: all but hidden folders and other people's.
        plant: A fault to ask for: `--plant NAME` is added to the arguments.
        say: What each line of the probe's standard error is passed to, control characters included.
        evidence: The evidence folder, from the root.
        most_bytes: How large each evidence file may become.

    Raises:
        InputError: With the probe's path: the copy cannot be made (`no-stage`, `unreadable`, `no-file`), or
            the run gave no evidence (the codes that begin with `probe-`).
    """
    words = [*arguments, *(("--plant", plant) if plant else ())]
    with contextlib.ExitStack() as stack:
        with _about(probe):
            refuse_here()
            keeper = stack.enter_context(kept(_environment()))
            tree = _new_folder(keeper.folder / "project")
            stage = fill(tree, root, probe, files)
            done = _Staged(root, probe, stage, keeper, evidence, most_bytes).run(words, say)
        yield done


@dataclass(frozen=True, slots=True)
class _Staged:
    """A probe on its stage, about to be run; the fields are the arguments of `run`."""

    root: Path
    probe: Probe
    stage: Stage
    keeper: Kept
    evidence: str
    most_bytes: int

    def run(self, arguments: Sequence[str], say: Callable[[str], None] | None) -> Run:
        """Runs it, and holds what it left against what it may leave."""
        probe, tree, folder = self.probe, self.stage.tree, self.keeper.folder
        printed, report = folder / "printed", folder / "loaded"
        python = is_python(probe.path, (tree / probe.path).read_bytes())
        start = (
            [sys.executable, runner.__file__, str(report), probe.path] if python else [str(tree / probe.path)]
        )
        started = _now()
        command = Command([*start, *arguments], tree, printed, probe.timeout_s, self.most_bytes)
        ended = self.keeper.run(command, say)
        finished = _now()
        refuse_failure(probe, ended, printed, self.most_bytes)
        files = evidence_files(probe, self.stage, printed, self.evidence, self.most_bytes)
        loaded = _loaded(report) if python else {}
        own = own_modules(loaded, (tree, self.root), self.stage.before)
        return Run(
            files=files,
            code=self._code(sorted(set(own.values()) - {probe.path})),
            inputs=tuple(digested(tree, path) for path in input_paths(tree, probe)),
            packages=packages({name: path for name, path in loaded.items() if name not in own}),
            interpreter=interpreter() if python else "",
            started=started,
            ended=finished,
            seconds=ended.seconds,
        )

    def _code(self, modules: Sequence[str]) -> tuple[Code, ...]:
        script = code_of(self.stage.tree, self.probe.path, script=True)
        return (script, *(code_of(self.stage.tree, path) for path in modules))


@contextlib.contextmanager
def _about(probe: Probe) -> Iterator[None]:
    """Gives an error of a run the probe's path, where it has none."""
    try:
        yield
    except InputError as error:
        error.path = error.path or probe.path
        raise


def _environment() -> dict[str, str]:
    """The caller's own, and no compiled files beside the copied modules."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}


def _new_folder(path: Path) -> Path:
    try:
        path.mkdir()
    except OSError as error:
        raise no_stage(error) from None
    return path


def _loaded(report: Path) -> dict[str, str]:
    """The modules that the runner wrote down.

    Raises:
        InputError: `probe-unseen`: it wrote nothing.
    """
    try:
        words = os.fsdecode(report.read_bytes()).split("\0")
    except OSError:
        raise unseen() from None
    return dict(zip(words[:-1:2], words[1::2], strict=True))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
