"""`pytest --stilltrue`, run as users run it: in a process of its own, on projects in a temporary folder."""

from __future__ import annotations

import importlib
import json
import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

import pytest

from probes_support import write
from recording_support import SOURCE, environment
from test_projects import HERE, copied

ROOT = HERE.parent
ALONE = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
"""Most runs load the plugin by its name and no other: quicker, and the same whatever is installed."""

PAGE = """\
# Speed

```claim
id: step-time
says: "One step takes {value}."
value: 1,381 ms
evidence: claims/evidence/bench.json
read: {path: $.seconds, unit: s}
```

```claim
id: an-hour
says: "An hour has {value} steps."
value: 2,606
derive: 1 h / {step-time}
```
"""
FILES = {
    "stilltrue.toml": "",
    "pytest.ini": "[pytest]\naddopts = --strict-markers\nfilterwarnings = error\n",
    "docs/speed.md": PAGE,
    "claims/evidence/bench.json": '{"seconds": 1.3812}\n',
    "tests/test_own.py": "def test_own() -> None:\n    assert True\n",
}
DRIFTED = {"claims/evidence/bench.json": '{"seconds": 1.402}\n'}
MISSING = {"docs/speed.md": PAGE.replace("bench.json", "none.json")}


class Ran(NamedTuple):
    """What a run of pytest came to: each test with why it failed or was skipped, empty where it passed."""

    code: int
    out: str
    passed: set[str]
    failed: Mapping[str, str]
    skipped: Mapping[str, str]


def run(root: Path, *arguments: str, **more: str) -> Ran:
    """pytest with the plugin in a project; `more` are variables of the environment."""
    return pytest_in(root, "-p", "stilltrue.pytest_plugin", *arguments, **ALONE, **more)


def pytest_in(root: Path, *arguments: str, **more: str) -> Ran:
    results = root / "results.xml"
    results.unlink(missing_ok=True)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", f"--junitxml={results}", *arguments],
        cwd=root,
        env=environment(**more),
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert "INTERNALERROR" not in done.stdout + done.stderr, done.stdout + done.stderr
    cases = list(ElementTree.parse(results).iter("testcase")) if results.exists() else []  # noqa: S314  # ours
    failed = {case.attrib["name"]: node.text or "" for case in cases for node in case.findall("failure")}
    skipped = {
        case.attrib["name"]: node.attrib["message"] for case in cases for node in case.findall("skipped")
    }
    names = [case.attrib["name"] for case in cases]
    assert len(names) == len(set(names))
    passed = set(names) - failed.keys() - skipped.keys()
    return Ran(done.returncode, done.stdout + done.stderr, passed, failed, skipped)


def blocks(text: str) -> tuple[set[str], list[str]]:
    """What a report in text tells: what fails, and what warns."""
    *told, _ = text.removesuffix("\n").split("\n\n")
    warnings = [block for block in told if re.match(r"\S+ warning: ", block)]
    return set(told) - set(warnings), [block.replace("warning: ", "", 1) for block in warnings]


@pytest.mark.parametrize(
    ("name", "arguments"),
    [("verdicts", ()), ("verdicts", ("-p", "xdist", "-n", "2")), ("malformed", ())],
    ids=["verdicts", "verdicts on two workers", "problems"],
)
def test_each_thing_that_a_check_tells_is_one_test_in_its_words(
    name: str, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    expected = HERE / "projects" / name
    failing, warnings = blocks((expected / "expected.txt").read_text(encoding="utf-8"))
    claims = json.loads((expected / "expected.json").read_text(encoding="utf-8"))["claims"]
    ran = run(copied(name, tmp_path), "--stilltrue", *arguments)
    assert ran.code == 1
    assert set(ran.failed.values()) == failing
    assert len(ran.failed) == len(failing)
    assert {each["id"] for each in claims} <= {*ran.passed, *ran.failed, *ran.skipped}
    assert ran.passed >= {each["id"] for each in claims if each["verdict"] == "holds"}
    for verdict in ("reported", "superseded"):
        named = {each["id"] for each in claims if each["verdict"] == verdict}
        assert {n for n, why in ran.skipped.items() if why.startswith(f"{verdict}: ")} == named
    for block in warnings:
        assert block in ran.out
    assert "Traceback" not in ran.out


def test_a_claim_that_holds_passes_beside_the_own_tests(tmp_path: Path) -> None:
    ran = run(write(tmp_path, FILES), "--stilltrue")
    assert ran.code == 0
    assert ran.passed == {"test_own", "step-time", "an-hour"}
    assert "collected 3 items" in ran.out


def test_without_the_option_nothing_of_ours_is_imported(tmp_path: Path) -> None:
    own = (
        "import sys\n\n\ndef test_own() -> None:\n"
        "    ours = {name for name in sys.modules if name.split('.')[0] == 'stilltrue'}\n"
        "    assert ours == {'stilltrue', 'stilltrue.pytest_plugin'}\n"
        "    assert not {'yaml', 're2', 'click'} & sys.modules.keys()\n"
    )
    ran = run(write(tmp_path, {**FILES, "tests/test_own.py": own}))
    assert (ran.code, ran.passed) == (0, {"test_own"}), ran.out


def test_a_consequence_is_skipped_beside_its_cause_and_fails_without_it(tmp_path: Path) -> None:
    root = write(tmp_path, {**FILES, **MISSING})
    together = run(root, "--stilltrue")
    assert together.failed.keys() == {"step-time"}
    assert together.skipped == {"an-hour": "counted under `step-time`"}
    alone = run(root, "--stilltrue", "-k", "an-hour")
    assert alone.code == 1
    assert alone.failed.keys() == {"an-hour"}
    assert "its operand `step-time` is broken" in alone.failed["an-hour"]


def test_a_test_is_run_again_by_the_id_that_pytest_shows(tmp_path: Path) -> None:
    root = write(tmp_path, {**FILES, **DRIFTED})
    shown = run(root, "--stilltrue", "-q")
    assert re.search(r"^FAILED docs/speed\.md::step-time", shown.out, re.MULTILINE)
    again = run(root, "--stilltrue", "docs/speed.md::step-time")
    assert (set(again.failed), again.passed) == ({"step-time"}, set())
    last = run(root, "--stilltrue", "--lf")
    assert (last.failed, last.passed) == (shown.failed, set())


def test_every_claim_is_collected_whatever_folder_is_named(tmp_path: Path) -> None:
    root = write(tmp_path, FILES)
    assert run(root, "--stilltrue", "tests").passed == {"test_own", "step-time", "an-hour"}
    assert run(root / "tests", "--stilltrue", "-m", "stilltrue").passed == {"step-time", "an-hour"}


@pytest.mark.parametrize(
    ("files", "name"),
    [
        ({**FILES, "stilltrue.toml": "pagse = []\n"}, "config"),
        ({**FILES, "docs/speed.md": "# Nothing\n"}, "nothing-to-check"),
    ],
    ids=["an unknown key", "no claims"],
)
def test_a_project_that_cannot_be_checked_fails_one_test(
    files: Mapping[str, str], name: str, tmp_path: Path
) -> None:
    ran = run(write(tmp_path, files), "--stilltrue")
    assert (ran.code, ran.passed, set(ran.failed)) == (1, {"test_own"}, {name})
    assert ran.failed[name].endswith(f" [{name}]")
    assert "Traceback" not in ran.out


def test_a_check_that_cannot_even_be_imported_takes_nothing_else_down(tmp_path: Path) -> None:
    write(tmp_path / "broken", {"re2/__init__.py": 'raise ImportError("wrong ABI")\n'})
    paths = os.pathsep.join((str(tmp_path / "broken"), SOURCE))
    root = write(tmp_path / "project", {**FILES, "docs/speed.md": PAGE.replace("path: $.", "match: ")})
    ran = run(root, "--stilltrue", PYTHONPATH=paths)
    assert (ran.code, ran.passed, set(ran.failed)) == (1, {"test_own"}, {"bug"})
    assert "ImportError: 'wrong ABI'" in ran.failed["bug"]
    assert "Traceback" not in ran.out


def test_the_entry_point_is_what_pytest_finds(tmp_path: Path) -> None:
    """As after an installation: by the metadata that is made from pyproject.toml."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        points = tomllib.load(file)["project"]["entry-points"]["pytest11"]
    listed = "".join(f"{name} = {module}\n" for name, module in points.items())
    assert all(hasattr(importlib.import_module(module), "pytest_addoption") for module in points.values())
    installed = {"METADATA": "Metadata-Version: 2.1\nName: installed\nVersion: 1\n"}
    installed["entry_points.txt"] = f"[pytest11]\n{listed}"
    write(tmp_path / "site" / "installed-1.dist-info", installed)
    paths = os.pathsep.join((str(tmp_path / "site"), SOURCE))
    ran = pytest_in(write(tmp_path / "project", FILES), "--stilltrue", PYTHONPATH=paths)
    assert ran.passed == {"test_own", "step-time", "an-hour"}, ran.out
