"""Results of tests as JUnit's XML, which pytest and many others write: a table of tests, one of suites."""

from __future__ import annotations

import re
from collections.abc import Mapping

from stilltrue.deadline import Deadline
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.building import Row, build
from stilltrue.evidence.readers.reader import Reader
from stilltrue.evidence.readers.refusals import other_format
from stilltrue.evidence.readers.xml_events import walk
from stilltrue.evidence.tables.frames import Frame, Kind
from stilltrue.quantity import Units

_KIND = "results of tests in JUnit's XML"
_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(("suite", "classname", "name", "status"), Kind.TEXT),
    "time": "s",
    **dict.fromkeys(("message", "type", "file"), Kind.TEXT),
    "reruns": "",
}
_SUITE_COLUMNS: dict[str, str | Kind] = {
    **dict.fromkeys(("name", "inside"), Kind.TEXT),
    **dict.fromkeys(("tests", "failures", "errors", "skipped", "assertions"), ""),
    "time": "s",
    **dict.fromkeys(("timestamp", "hostname"), Kind.TEXT),
}
_ROOT = re.compile(
    rb"\s*+(?:<\?xml[^>]*+>\s*+)?(?:<!--(?:[^-]|-(?!->))*+-->\s*+)*+<testsuites?[\s>/]", re.DOTALL
)
_ENDS = {"failure": "failed", "error": "error", "skipped": "skipped"}
_RERUNS = {"rerunFailure", "rerunError", "flakyFailure", "flakyError", "rerun"}
_SEVERITY = {"error": 0, "failed": 1, "skipped": 2}
_SAID = {
    **dict.fromkeys(("", "run", "passed", "pass", "success", "successful", "ok", "completed"), "passed"),
    **dict.fromkeys(("fail", "failure"), "failed"),
    **dict.fromkeys(("notrun", "disabled", "skip", "suppressed", "ignored", "pending"), "skipped"),
}
"""What the attribute `status` says, with gtest, CTest and others; another word stands as it is."""


class _Tests:
    """The rows of both tables, as the elements come."""

    def __init__(self) -> None:
        self.suites: list[Row] = []
        self.cases: list[Row] = []
        self._open: list[dict[str, str]] = []
        self._case: dict[str, str] | None = None
        self._root = True

    def opened(self, name: str, attributes: Mapping[str, str], line: int) -> None:
        """One element begins."""
        if self._root and name not in {"testsuites", "testsuite"}:
            raise other_format(_KIND, f"its root is `{name[:80]}`, not `testsuites` or `testsuite`", line)
        self._root = False
        if name == "testsuite":
            self._suite(attributes, line)
        elif name == "testcase":
            self._begin(attributes, line)
        elif name == "property":
            self._property(attributes)
        elif self._case is not None:
            self._inside(self._case, name, attributes)

    def closed(self, name: str) -> None:
        """One element ends."""
        if name == "testsuite":
            self._open.pop()
        elif name == "testcase":
            self._case = None

    def _suite(self, attributes: Mapping[str, str], line: int) -> None:
        cells = {key: value for key, value in attributes.items() if key != "line"} | {
            "inside": self._within()
        }
        if "skips" in cells:  # as nose and early pytest called them
            cells.setdefault("skipped", cells.pop("skips"))
        self.suites.append(Row(cells, line))
        self._open.append(cells)

    def _within(self) -> str:
        """The name of the suite that is open."""
        return self._open[-1].get("name", "") if self._open else ""

    def _begin(self, attributes: Mapping[str, str], line: int) -> None:
        if self._case is not None:
            raise other_format(_KIND, "a `testcase` stands within another", line)
        said = attributes.get("status", "").lower()
        cells = {key: value for key, value in attributes.items() if key != "line"}
        cells |= {"suite": self._within(), "status": _SAID.get(said, said)}
        self._case = cells
        self.cases.append(Row(cells, line))

    @staticmethod
    def _inside(case: dict[str, str], name: str, attributes: Mapping[str, str]) -> None:
        """What stands within a test: how it ended, how often it was run again."""
        if name in _ENDS:
            worst = len(_SEVERITY)
            case["status"] = min(_ENDS[name], case["status"], key=lambda word: _SEVERITY.get(word, worst))
            case.update({key: attributes[key] for key in ("message", "type") if key in attributes})
        elif name in _RERUNS:
            case["reruns"] = str(int(case.get("reruns", "0")) + 1)

    def _property(self, attributes: Mapping[str, str]) -> None:
        """What a test recorded, or its suite where no test is open."""
        cells = self._case if self._case is not None else next(iter(self._open[-1:]), None)
        if cells is not None and "name" in attributes:
            cells[f"property {attributes['name']}"] = attributes.get("value", "")


def _recognises(head: bytes) -> bool:
    return _ROOT.match(head) is not None


def _read(content: Content, deadline: Deadline, units: Units) -> tuple[Frame, ...]:
    tests = _Tests()
    walk(content.text, tests.opened, tests.closed, deadline)
    return (
        build(tests.cases, _COLUMNS, units, title="tests"),
        build(tests.suites, _SUITE_COLUMNS, units, title="suites"),
    )


JUNIT = Reader(
    means="results of tests in JUnit's XML, as `pytest --junit-xml`, Maven, Jest, gtest and others write it",
    content="has the root `testsuites` or `testsuite`",
    rows=(
        "one test in `table: tests`; in `table: suites` one suite, with the totals that it states (`tests`, "
        "`failures`, `errors`, `skipped`, `time`); properties of either are columns `property_…`"
    ),
    columns=_COLUMNS,
    traps=(
        (
            "`status` is `passed`, `failed` (an assertion), `error` (anything else) or `skipped`; pytest's "
            "`xfail` is `skipped` too. What was deselected is not in the file."
        ),
        (
            "`tests` of a suite counts what its tool counts: skipped tests always, those run again "
            "sometimes, those of suites inside it in some. `take: count` over `table: tests` counts them."
        ),
        "`time` is seconds. That of a suite is the time it took, not the sum: tests may run in parallel.",
        "Names can come again, with other parameters or another `classname`: `take: only` refuses.",
        "`reruns` counts attempts that failed before the last; a test that passed then is `passed`.",
        "A file with a document type is refused: entities are never expanded, nothing else is loaded.",
    ),
    recognises=_recognises,
    read=_read,
    whole=True,
    suffixes=(".xml",),
)
