#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["stilltrue"]
# [tool.stilltrue]
# writes = "claims/evidence/integrity/stale-figure.json"
# needs = ["linux"]
# cost = "cheap"
# timeout = "120 s"
# plant = ["no-guard", "refuse-all", "pages-alone"]
# ///
"""What a launcher does that was copied together with a stale figure, and whether a search finds the copies.

Settles:
    In a small project whose measured figure replaced an old one: what a launcher decides that still states
    the old one, and with which exit code; whether `stilltrue check` stops that project, and whether it does
    when the page was edited in place, so that nobody knows the old figure any more. Which spellings of the
    figure a search for its text finds, one for its number, and the check's.

Needs:
    bash, and stilltrue in the Python that runs this. Everything happens in temporary folders.

Costs:
    Two seconds: four checks of a project of three files.

Cannot settle:
    Copies that say the figure in other words, in another unit, or in another project.

The faults: `no-guard` lets every project through, `refuse-all` none, and `pages-alone` looks for copies on
the pages, and not where launchers are.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from probe_parts.command_line import parser_of
from probe_parts.guards import PLANTS as BROKEN
from probe_parts.guards import RefusedError, broken, stops
from probe_parts.output import as_json
from probe_parts.programs import require

# The project -------------------------------------------------------------------------------------------

# stilltrue: keep because it is the stale figure whose copies are looked for here
OLD_HOURS = "4.3"
NEW_SECONDS = "145.5"
"""What a private engineering log reports of itself (commit dae6ede8e2): believed, and measured."""

GUESSED = """\
- id: encode-guess
  says: "Rebuilding the cache takes {value}."
  value: OLD h
  reported: {by: a colleague}
  superseded: {by: encode-time, on: 2026-08-26, because: "measured"}
"""
MEASURED = """\
- id: encode-time
  says: "Rebuilding the cache takes {value}."
  value: NEW s
  evidence: encode.json
  read: {path: $.seconds, unit: s}
"""
PAGE = "# The encode cache\n\nRebuilding it takes [NEW s](claim:encode-time).\n"

COPIED = """\
# Rebuilding the encode cache takes ~OLD HOURS.
ENCODE_HOURS=OLD
if [ "${ENCODE_HOURS%.*}" -ge 1 ]; then echo keep; else echo rebuild; fi
"""
RIGHT = """\
# Rebuilding the encode cache takes NEW s.
ENCODE_SECONDS=NEW
if [ "${ENCODE_SECONDS%.*}" -ge 3600 ]; then echo keep; else echo rebuild; fi
"""
LAUNCHER = "runs/launch.sh"
PAGES_ALONE = '[search]\nfiles = ["docs/**"]\n'


@dataclass(frozen=True, slots=True)
class Project:
    """A small project with one figure.

    Attributes:
        launcher: The text of its launcher.
        superseded: Whether the old figure is kept as superseded; else the page was edited in place.
    """

    launcher: str
    superseded: bool = True


TRAP, SOUND = Project(COPIED), Project(RIGHT)
EDITED_IN_PLACE = Project(COPIED, superseded=False)


def filled(text: str) -> str:
    """A text with the two figures in it."""
    return text.replace("OLD", OLD_HOURS).replace("NEW", NEW_SECONDS)


@contextmanager
def written(project: Project, settings: str = "") -> Iterator[Path]:
    """A project in a folder of its own."""
    files = {
        "stilltrue.toml": settings,
        "encode.json": f'{{"seconds": {NEW_SECONDS}}}\n',
        "docs/encode.md": PAGE,
        "claims/encode.yml": (GUESSED if project.superseded else "") + MEASURED,
        LAUNCHER: project.launcher,
    }
    with tempfile.TemporaryDirectory() as name:
        for path, text in files.items():
            file = Path(name, path)
            file.parent.mkdir(exist_ok=True)
            file.write_text(filled(text), encoding="utf-8")
        yield Path(name)


def launched(project: Project) -> dict[str, Any]:
    """What the launcher decides about the old cache, and its exit code."""
    with written(project) as folder:
        line = ["bash", LAUNCHER]
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  # own words
    return {"decides": done.stdout.strip(), "exit_code": done.returncode}


# The guard ---------------------------------------------------------------------------------------------


def copies(project: Project, settings: str = "") -> list[tuple[str, int]]:
    """Where the check of a project finds copies of a figure that fell: files and lines.

    Raises:
        RuntimeError: It ended without a report.
    """
    line = [sys.executable, "-m", "stilltrue", "check", "--format", "json"]
    with written(project, settings) as folder:
        done = subprocess.run(line, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  # own words
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the check ended with {done.returncode}: {done.stderr}")
    problems = json.loads(done.stdout)["problems"]
    others = [problem["message"] for problem in problems if problem["code"] != "stale-copy"]
    if others:
        raise RuntimeError(f"the check found something else: {others}")
    return [(problem["path"], problem["line"]) for problem in problems]


def guard(project: Project, settings: str = "") -> None:
    """Search the project's text for figures that fell.

    Raises:
        RefusedError: Some place still states one.
    """
    if found := copies(project, settings):
        places = ", ".join(f"{path}:{line}" for path, line in found)
        raise RefusedError(f"a figure that fell is still stated: {places}")


GUARDS: dict[str, Callable[[Project], None]] = {"pages-alone": partial(guard, settings=PAGES_ALONE)}
PLANTS = {**BROKEN, "pages-alone": "a guard that searches the pages, and not the launchers"}

# Spellings ---------------------------------------------------------------------------------------------

COPIES = (
    "takes OLD h to rebuild",
    "takes ~OLD HOURS to rebuild",
    "a OLD-hour wait",
    "ENCODE_HOURS=OLD",
    "--encode-hours OLD",
    '"encode_h": OLD',
)
OTHERS = ("needs 1OLD hours", "TIMEOUT_S=OLD", "version: OLD", "encoder v4.3.1")
"""Lines that mean the figure, and lines that mean something else."""

SEARCHES = {"by_text": "its text", "by_number": "its digits", "by_check": "stilltrue check"}
"""For the figure as its claim writes it, for its digits alone, and what the check finds."""


def spellings() -> list[dict[str, Any]]:
    """Which lines each of the searches finds."""
    lines = (*COPIES, *OTHERS)
    found = {line for _, line in copies(Project("".join(f"{text}\n" for text in lines)))}
    return [
        {
            "line": filled(text),
            "means_it": text in COPIES,
            "by_text": f"{OLD_HOURS} h" in filled(text),
            "by_number": OLD_HOURS in filled(text),
            "by_check": number in found,
        }
        for number, text in enumerate(lines, start=1)
    ]


def counted(rows: Sequence[dict[str, Any]], search: str) -> dict[str, int]:
    """How many lines a search finds that mean the figure, and how many that do not."""
    hits = [row["means_it"] for row in rows if row[search]]
    return {"copies": hits.count(True), "others": hits.count(False)}


# The measurement ---------------------------------------------------------------------------------------


def measure(guarded: Callable[[Project], None]) -> dict[str, Any]:
    """All that the claims are read from."""
    rows = spellings()
    return {
        "trap": launched(TRAP),
        "sound": launched(SOUND),
        "edited_in_place_passes": not stops(guarded, EDITED_IN_PLACE),
        "lines": {"copies": len(COPIES), "others": len(OTHERS)},
        "found": [{"search": name, **counted(rows, key)} for key, name in SEARCHES.items()],
        "spellings": rows,
        "guard": {"stops": stops(guarded, TRAP), "passes": not stops(guarded, SOUND)},
    }


def main(argv: Sequence[str] | None = None) -> None:
    """Measure and print the evidence."""
    plant = parser_of(__doc__, PLANTS).parse_args(argv).plant
    require("bash")
    print(as_json(measure(broken(GUARDS.get(plant, guard), plant))))


if __name__ == "__main__":
    main()
