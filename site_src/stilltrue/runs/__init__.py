"""Running a project's probes beside its evidence: each in a stage of its own, an unchanged one not twice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from stilltrue import git
from stilltrue.config import Config
from stilltrue.model import Probe
from stilltrue.probes import run
from stilltrue.runs.memory import Memory

__all__ = ["Ran", "Runs", "Watch", "silently"]

Watch = Callable[[str], AbstractContextManager[Callable[[str], None]]]
"""From what is run to what is open meanwhile, and told each line of its standard error."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A run that gave evidence.

    Attributes:
        files: Its files by the path of the evidence; they are there as long as the run is open.
        remembered: Whether they are of a run before this one, which nothing has changed since.
        seconds: How long it took; 0 where it is remembered.
    """

    files: Mapping[str, Path]
    remembered: bool = False
    seconds: float = 0.0


@contextlib.contextmanager
def silently(name: str) -> Iterator[Callable[[str], None]]:
    """A watch that shows nothing."""
    del name
    yield lambda _line: None


class Runs:
    """The probes of a project, run in stages; what has not changed since is remembered.

    Args:
        config: The project.
        watch: Opened while a probe runs.
    """

    def __init__(self, config: Config, watch: Watch = silently) -> None:
        self._config = config
        self._watch = watch
        self._memory: Memory | None = None  # made for the first probe: it has a folder

    @contextlib.contextmanager
    def once(self, probe: Probe, arguments: Sequence[str] = (), *, plant: str = "") -> Iterator[Ran]:
        """Run a probe, or take what it gave before where nothing has changed since.

        Args:
            probe: From `read_header`.
            arguments: Its arguments.
            plant: A fault to ask for.

        Raises:
            InputError: As `probes.run`.
        """
        asked = (*arguments, "--plant", plant) if plant else tuple(arguments)
        memory = self._memory = self._memory or Memory(self._config.root)
        remembered = memory.find(probe, asked)
        if remembered is not None:
            yield Ran(remembered, remembered=True)
            return
        with ExitStack() as stage:
            with self._watch(f"{probe.path} --plant {plant}" if plant else probe.path) as say:
                done = stage.enter_context(
                    run(
                        self._config.root,
                        probe,
                        arguments,
                        files=self._project_files,
                        plant=plant,
                        say=say,
                        evidence=self._config.evidence,
                        most_bytes=self._config.limits.bytes,
                    )
                )
                kept = memory.keep(probe, asked, done)
                if kept is not None:
                    stage.close()
            yield Ran(done.files if kept is None else kept, seconds=done.seconds)

    @cached_property
    def _project_files(self) -> Sequence[str] | None:
        """What git knows is asked once for all runs."""
        return git.known_files(self._config.root)
