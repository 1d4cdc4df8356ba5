"""What coverage came to, as JSON, format 1."""

from __future__ import annotations

import json
from typing import Any

from stilltrue import __version__
from stilltrue.coverage.outcome import Coverage, PageCoverage, percent
from stilltrue.report import mute_json

FORMAT = 1
"""The version of the JSON; it rises when a key changes its meaning or goes, not when one is added."""


def to_json(coverage: Coverage) -> str:
    """One JSON object, in ASCII, ending in a newline; `ok` says whether the exit code is 0."""
    data = {
        "format": FORMAT,
        "stilltrue": __version__,
        "ok": coverage.ok,
        "share": percent(coverage.share),
        "floor": None if coverage.floor is None else percent(coverage.floor),
        "counts": {
            "bound": coverage.bound,
            "unbound": coverage.unbound,
            "examples": coverage.examples,
            "excepted": coverage.excepted,
        },
        "pages": [_page(page) for page in coverage.pages],
        "problems": [
            {
                "code": each.code,
                "path": each.place.path,
                "line": each.place.line,
                "message": each.message,
                "hint": each.hint,
            }
            for each in coverage.problems
        ],
    }
    return mute_json(json.dumps(data, indent=1)) + "\n"


def _page(page: PageCoverage) -> dict[str, Any]:
    return {
        "path": page.path,
        "bound": page.bound,
        "examples": page.examples,
        "excepted": page.excepted,
        "unbound": [
            {"line": each.place.line, "column": each.column, "text": each.text} for each in page.unbound
        ],
    }
