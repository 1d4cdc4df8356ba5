"""The door into pytest: it collects what a check told, and holds no rule of its own."""

from __future__ import annotations

import os
import warnings
from collections.abc import Generator, Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from stilltrue.pytest_plugin.told import Outcome, Told

_SENT = "stilltrue"
"""Where a worker of xdist finds what the check told."""


class ClaimFailedError(Exception):
    """A claim, or a problem, that fails: the report's text."""


class ClaimItem(pytest.Item):
    """A claim, or a problem, as a test."""

    def __init__(self, *, outcome: Outcome, **given: Any) -> None:
        super().__init__(**given)
        self.outcome = outcome
        self.add_marker("stilltrue")

    def runtest(self) -> None:
        """Fail where it fails."""
        if self.outcome.fails:
            raise ClaimFailedError(self.outcome.text)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The report's text alone: where in pytest or here it was raised tells nobody anything."""
        if isinstance(excinfo.value, ClaimFailedError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The line that it is written on, from 0."""
        return self.path, max(self.outcome.line - 1, 0), self.outcome.name


class ClaimsFile(pytest.File):
    """A page or a claims file, with the tests that stand in it."""

    def __init__(self, *, outcomes: Iterable[Outcome], **given: Any) -> None:
        super().__init__(**given)
        self.outcomes = tuple(outcomes)

    def collect(self) -> Iterator[ClaimItem]:
        """Its tests."""
        for outcome in self.outcomes:
            yield ClaimItem.from_parent(self, name=outcome.name, outcome=outcome)


class Door:
    """What `--stilltrue` registers: the hooks of one run.

    Args:
        config: pytest's configuration. The project is looked for from the current folder upwards, as every
            command does.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @cached_property
    def told(self) -> Told:
        """What the check told: in this process, or in the one that started this worker."""
        sent = getattr(self._config, "workerinput", {}).get(_SENT)
        if sent is None:
            return _checked(self._config.invocation_params.dir)
        outcomes, said = sent
        return Told(tuple(Outcome(*each) for each in outcomes), said)

    @cached_property
    def _by_path(self) -> dict[Path, list[Outcome]]:
        found: dict[Path, list[Outcome]] = {}
        for outcome in self.told.outcomes:
            found.setdefault(Path(outcome.path), []).append(outcome)
        return found

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Check once, and send every worker of xdist what was told."""
        outcomes, said = self.told
        node.workerinput[_SENT] = (tuple(tuple(each) for each in outcomes), said)

    def pytest_collect_file(self, file_path: Path, parent: pytest.Collector) -> ClaimsFile | None:
        """The tests of a file that was named on the command line, or by a test's id."""
        if not parent.session.isinitpath(file_path):
            return None
        outcomes = self._by_path.get(file_path.resolve())
        return ClaimsFile.from_parent(parent, path=file_path, outcomes=outcomes) if outcomes else None

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(
        self, collector: pytest.Collector
    ) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
        """Add every claim, whatever folders were named, unless a page or one of its tests was."""
        report = yield
        if isinstance(collector, pytest.Session) and report.passed:
            named = any(isinstance(node, ClaimsFile | ClaimItem) for node in report.result)
            report.result.extend(() if named else self._files(collector))
        return report

    def _files(self, session: pytest.Session) -> Iterator[ClaimsFile]:
        for path, outcomes in self._by_path.items():
            # Outside pytest's root folder pytest itself would name the file without its folder.
            name = None if path.is_relative_to(self._config.rootpath) else self._relative(path)
            yield ClaimsFile.from_parent(session, path=path, name=name, outcomes=outcomes)

    def _relative(self, path: Path) -> str:
        return Path(os.path.relpath(path, self._config.rootpath)).as_posix()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Skip what is no test of anything, and what follows from a claim that is tested itself."""
        items = [item for item in session.items if isinstance(item, ClaimItem)]
        keys = {item.outcome.key for item in items}
        for item in items:
            outcome = item.outcome
            if outcome.skips and (not outcome.fails or outcome.under in keys):
                item.add_marker(pytest.mark.skip(reason=outcome.skips))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Show what warns: it fails nothing, so no test shows it."""
        if self.told.warnings:
            terminalreporter.section("stilltrue: warnings")
            terminalreporter.line("\n\n".join(self.told.warnings))


def _checked(start: Path) -> Told:
    """What the check told; one that could not be done is a test that fails, and all others still run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the filters of the project are for its own code
            from stilltrue.pytest_plugin.judged import judged  # noqa: PLC0415  # it imports all of a check

            return judged(start)
    except Exception as error:  # noqa: BLE001  # the boundary: this run is about more than claims
        code = "system" if isinstance(error, OSError | MemoryError) else "bug"
        said = repr(str(error)).replace("##", r"#\x23")  # mute to a CI runner; `report` may be what is broken
        what = f"the check did not end: {type(error).__name__}: {said}"
        text = f"stilltrue: {what}\n  run `stilltrue check`, which says more [{code}]"
        return Told((Outcome(str(start / "stilltrue"), 0, code, fails=True, text=text),))
