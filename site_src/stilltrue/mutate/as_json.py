"""What mutating came to, as JSON, format 1."""

from __future__ import annotations

import json
from typing import Any

from stilltrue import __version__
from stilltrue.mutate.outcome import Mutated, PlantRun, Survivor
from stilltrue.mutate.text import fault_of
from stilltrue.report import mute_json

FORMAT = 1
"""The version of the JSON; it rises when a key changes its meaning or goes, not when one is added."""


def to_json(mutated: Mutated) -> str:
    """One JSON object, in ASCII, ending in a newline; `ok` says whether the exit code is 0."""
    data = {
        "format": FORMAT,
        "stilltrue": __version__,
        "ok": mutated.ok,
        "counts": {
            "claims": mutated.claims,
            "mutations": mutated.mutations,
            "survivors": len(mutated.survivors),
            "reported": mutated.reported,
            "superseded": mutated.superseded,
            "failing": mutated.failing,
            "problems": mutated.problems,
        },
        "survivors": [_survivor(each) for each in mutated.survivors],
        "plants": [_plant(each) for each in mutated.plants],
    }
    return mute_json(json.dumps(data, indent=1)) + "\n"


def _survivor(survivor: Survivor) -> dict[str, Any]:
    return {
        "id": survivor.claim,
        "kind": survivor.kind.value,
        "path": survivor.place.path,
        "line": survivor.place.line,
        "was": survivor.was,
        "to": survivor.to or None,
        "code": survivor.code,
        "message": survivor.message,
        "hint": survivor.hint,
    }


def _plant(plant: PlantRun) -> dict[str, Any]:
    message, hint, code = ("", "", "") if plant.passed else fault_of(plant)
    return {
        "probe": plant.probe,
        "plant": plant.plant or None,
        "state": plant.state.value,
        "passed": plant.passed,
        "seconds": round(plant.seconds, 3),
        "moved": list(plant.moved),
        "unmoved": list(plant.unmoved),
        "unsteady": list(plant.unsteady),
        "code": code,
        "message": message or plant.why,
        "hint": hint,
    }
