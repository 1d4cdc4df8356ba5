"""What was seen before a launch, as JSON, format 1."""

from __future__ import annotations

import json
from typing import Any

from stilltrue import __version__
from stilltrue.preflight.finding import Finding, Preflight
from stilltrue.report import mute_json

FORMAT = 1
"""The version of the JSON; it rises when a key changes its meaning or goes, not when one is added."""


def to_json(preflight: Preflight) -> str:
    """One JSON object, in ASCII, ending in a newline; `ok` says whether the exit code is 0."""
    wrong = sum(not result.ok for result in preflight.results)
    data = {
        "format": FORMAT,
        "stilltrue": __version__,
        "ok": preflight.ok,
        "file": preflight.file,
        "counts": {"passed": len(preflight.results) - wrong, "failed": wrong},
        "checks": [
            {
                "name": result.name,
                "ok": result.ok,
                "findings": [_finding(finding) for finding in result.findings],
            }
            for result in preflight.results
        ],
    }
    return mute_json(json.dumps(data, indent=1)) + "\n"


def _finding(finding: Finding) -> dict[str, Any]:
    place = finding.place
    return {
        "ok": finding.ok,
        "what": finding.what,
        "saw": finding.saw,
        "hint": finding.hint,
        "path": place.path if place else None,
        "line": place.line or None if place else None,
    }
