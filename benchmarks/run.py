"""Measures the tool against named floors, in one run on one machine, and prints what it found as JSON.

    python benchmarks/run.py > claims/evidence/benchmarks/run-N.json

Progress goes to standard error. `--only NAME` measures one of them, `--rounds` how often; the sizes stand
below as constants. The floors: `pytest` with as many empty tests as there are claims, a process that imports
click, `rg` for what is searched, `orjson.loads` for a trace, and the same site built without the plugin.
"""

from __future__ import annotations

import argparse
import dataclasses
import datetime
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import copies as copies_text
import traces
from measure import Comparison, compare
from project import Size, drift, make_project, retire
from stilltrue.edit.ci import VARIABLES

CLAIMS = 10_000
LARGE = Size(pages=500, claims=CLAIMS // 500, files=1_000)
DRIFTED = 500
RETIRED = 500
SETTLING_S = 3.0
"""A check is remembered only when its files are older than the tick of their clock."""

PYTHON = sys.executable
PACKAGES = (
    *("click", "google-re2", "markdown-it-py", "mkdocs", "mkdocs-material", "msgspec", "orjson", "pytest"),
    "pyyaml",
)


@contextmanager
def outside_ci() -> Iterator[None]:
    """Hide what says that a continuous integration runs this: `update` refuses to work there."""
    hidden = {name: os.environ.pop(name) for name in VARIABLES if name in os.environ}
    try:
        yield
    finally:
        os.environ.update(hidden)


_EMPTY_TESTS = f"""import pytest


@pytest.mark.parametrize("n", range({CLAIMS}))
def test_nothing(n):
    assert True
"""

_MKDOCS = """site_name: benchmark
theme: {{name: material, font: false}}
markdown_extensions: [pymdownx.superfences]
plugins: [{plugins}]
hooks: [hooks.py]
"""

_NO_GENERATED_PAGES = """from mkdocs.plugins import event_priority


@event_priority(-100)
def on_files(files, config):
    for file in list(files.documentation_pages()):
        if file.generated_by == "stilltrue":
            files.remove(file)
"""
"""The target is for the author's pages: the generated ones are taken out before they are rendered."""


def check_cold(folder: Path, rounds: int) -> Comparison:
    """`check` with nothing cached, beside pytest with as many empty tests."""
    make_project(folder / "project", LARGE)
    tests = folder / "tests"
    tests.mkdir()
    (tests / "test_empty.py").write_text(_EMPTY_TESTS, encoding="utf-8")
    check = [PYTHON, "-m", "stilltrue", "check", "--no-cache"]
    floor = [PYTHON, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_empty.py"]
    return compare("check-cold", (check, folder / "project"), (floor, tests), rounds)


def check_unchanged(folder: Path, rounds: int) -> Comparison:
    """`check` when nothing has changed since the last one, beside a process that imports click."""
    make_project(folder / "project", LARGE)
    time.sleep(SETTLING_S)
    check = [PYTHON, "-m", "stilltrue", "check"]
    return compare(
        "check-unchanged", (check, folder / "project"), ([PYTHON, "-c", "import click"], folder), rounds
    )


def check_unchanged_searched(folder: Path, rounds: int) -> Comparison:
    """The same where 500 values are superseded, and searched for in 500 scripts beside all pages."""
    make_project(folder / "project", LARGE)
    retire(folder / "project", RETIRED, RETIRED)
    time.sleep(SETTLING_S)
    check = [PYTHON, "-m", "stilltrue", "check"]
    floor = [PYTHON, "-c", "import click"]
    return compare("check-unchanged-searched", (check, folder / "project"), (floor, folder), rounds)


def update(folder: Path, rounds: int) -> Comparison:
    """`update` of 500 stated values, one on each page, beside `check` of the same drifted project."""
    project = folder / "project"
    make_project(project, LARGE)
    drifted = drift(project, DRIFTED)

    def reset() -> None:
        for path, text in drifted.items():
            path.write_text(text, encoding="utf-8")

    command = [PYTHON, "-m", "stilltrue", "update"]
    floor = [PYTHON, "-m", "stilltrue", "check", "--no-cache"]
    with outside_ci():
        return compare("update", (command, project), (floor, project), rounds, reset=reset, statuses=(0, 1))


def _copies(patterns: str) -> Callable[[Path, int], Comparison]:
    def copies(folder: Path, rounds: int) -> Comparison:
        copies_text.make(folder)
        command = [PYTHON, copies_text.__file__, "search", str(folder)]
        listed = str(folder / copies_text.PATTERNS[patterns])
        floor = ["rg", "-F", "-c", "--no-ignore", "-f", listed, str(folder / "text")]
        name = "copies" if patterns == "stated" else f"copies-{patterns}"
        return compare(name, (command, folder), (floor, folder), rounds)

    return copies


def _trace(packed: str) -> Callable[[Path, int], Comparison]:
    def trace(folder: Path, rounds: int) -> Comparison:
        file = traces.make(folder / "project", packed)
        command = [PYTHON, "-m", "stilltrue", "check", "--no-cache"]
        floor = [PYTHON, traces.__file__, "load", str(file)]
        return compare(f"trace-{packed}", (command, folder / "project"), (floor, folder), rounds)

    return trace


def show_help(folder: Path, rounds: int) -> Comparison:
    """`stilltrue --help` beside a process that imports click."""
    command = [PYTHON, "-m", "stilltrue", "--help"]
    return compare("help", (command, folder), ([PYTHON, "-c", "import click"], folder), rounds)


def _build(pages: int) -> Callable[[Path, int], Comparison]:
    def build(folder: Path, rounds: int) -> Comparison:
        size = Size(pages=pages, claims=10, files=pages // 2)
        for name, plugins in (("with", "search, stilltrue"), ("without", "search")):
            make_project(folder / name, size)
            (folder / name / "hooks.py").write_text(_NO_GENERATED_PAGES, encoding="utf-8")
            config = _MKDOCS.format(plugins=plugins)
            (folder / name / "mkdocs.yml").write_text(config, encoding="utf-8")
        command = [PYTHON, "-m", "mkdocs", "build", "--quiet"]
        return compare(f"build-{pages}", (command, folder / "with"), (command, folder / "without"), rounds)

    return build


BENCHMARKS: dict[str, Callable[[Path, int], Comparison]] = {
    "help": show_help,
    "check-cold": check_cold,
    "check-unchanged": check_unchanged,
    "check-unchanged-searched": check_unchanged_searched,
    "update": update,
    "copies": _copies("stated"),
    "copies-numbers": _copies("numbers"),
    "copies-spelled": _copies("spelled"),
    "trace-plain": _trace("plain"),
    "trace-gzip": _trace("gzip"),
    "trace-zstd": _trace("zstd"),
    "build-200": _build(200),
    "build-1000": _build(1_000),
}


def main() -> None:
    """Measure what was asked for and print it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="measure this one (repeatable)")
    parser.add_argument("--rounds", type=int, default=5, help="counted pairs of runs (default 5)")
    arguments = parser.parse_args()
    results: list[Comparison] = []
    for name in arguments.only or BENCHMARKS:
        with tempfile.TemporaryDirectory() as folder:
            print(f"{name} …", file=sys.stderr, flush=True)
            results.append(BENCHMARKS[name](Path(folder), arguments.rounds))
            print(f"{name}: {results[-1].ratio:.3f}", file=sys.stderr, flush=True)
    json.dump(_document(results, arguments.rounds), sys.stdout, indent=1)
    print()


def _document(results: list[Comparison], rounds: int) -> dict[str, object]:
    return {
        "on": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "python": platform.python_version(),
        "system": platform.system(),
        "machine": platform.machine(),
        "rounds": rounds,
        "claims": CLAIMS,
        "packages": {name: version(name) for name in PACKAGES},
        "results": [dataclasses.asdict(result) for result in results],
    }


if __name__ == "__main__":
    main()
