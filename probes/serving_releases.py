#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["packaging>=23.2"]
# ///
"""Which releases of vLLM refuse a LoRA adapter on a model with experts: read from wheels, never imported.

Settles:
    For releases given as wheels: whether the code that prepares adapters raises for a model with experts that
    lacks `get_expert_mapping`, in which words, and under which conditions; how far that method is looked for,
    and what happens where no module has it; how often the files of Gemma 4, of the models reported to have
    the method, and of the layer of routed experts name it; whether the classes of Gemma 4 say that they
    support adapters; on which day the wheel was built. Between which two releases each of these changed, and,
    where the list of published versions is given too, whether these two are neighbours.

Needs:
    Wheels of vllm in a folder, and the package `packaging`. Nothing is installed, imported or run, and
    nothing is fetched: `pip download --no-deps vllm==VERSION -d FOLDER` does that, some 300 MB for each.

Costs:
    A second for each wheel.

Cannot settle:
    What a release does with an adapter: that it is not refused does not say that it is applied. Only two
    outputs, of the base and of the adapter, say that. What a tag of an image named on some day.

Standard output is one JSON document in which every wheel stands with version, file name and SHA-256. What a
wheel does not hold is said under `missing`, with the reason. This file writes no evidence by itself: the
wheels are not kept beside it, so its output is adopted, with them as its source.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from packaging.version import Version

from probe_parts import serving_facts, wheels
from probe_parts.command_line import parser_of
from probe_parts.output import as_json, say
from probe_parts.published import Published, named, published
from probe_parts.wheels import MissingError, Wheel

PROJECT = "vllm"
CHANGES = {
    "refuses": ("refusal", "refuses"),
    "through": ("lookup", "through"),
    "without": ("lookup", "without"),
}
"""Facts whose change is dated: what they are called, and where they stand."""


@dataclass(frozen=True, slots=True)
class Release:
    """What one wheel says.

    Attributes:
        version: The release.
        facts: What was found, by the names of `serving_facts.FACTS`; None for what it does not hold.
        missing: Why, for each of those.
    """

    version: Version
    facts: dict[str, Any]
    missing: dict[str, str]

    def fact(self, name: str) -> Any:
        """One of the facts whose change is dated; None where it was not found."""
        group, key = CHANGES[name]
        return (self.facts[group] or {}).get(key)


def release(wheel: Wheel) -> Release:
    """Everything that is looked for in one wheel."""
    facts: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, find in serving_facts.FACTS.items():
        try:
            facts[name] = find(wheel)
        except MissingError as error:
            facts[name] = None
            missing[name] = str(error)
    say(f"{wheel.path.name}: {len(missing)} of {len(facts)} not there")
    return Release(wheel.version, facts, missing)


def changes(releases: Sequence[Release], known: Published) -> list[dict[str, Any]]:
    """Facts that changed: the last release with the old one, the first with the new one."""
    return [
        {
            "what": name,
            "before": old.fact(name),
            "after": new.fact(name),
            "last": str(old.version),
            "first": str(new.version),
            **known.between(old.version, new.version),
        }
        for name in CHANGES
        for old, new in pairwise(releases)
        if old.fact(name) != new.fact(name)
    ]


def document(found: Sequence[Wheel], known: Published) -> dict[str, Any]:
    """Everything that goes to standard output.

    Raises:
        SystemExit: A wheel is not of a published version, or no wheel holds what is looked for.
    """
    releases = [release(wheel) for wheel in found]
    known.refuse_unknown(one.version for one in releases)
    if all(one.facts["refusal"] is None for one in releases):
        raise SystemExit(f"no wheel holds {serving_facts.LORA} with what is looked for")
    return {
        "project": PROJECT,
        "wheels": [named(wheel) for wheel in found],
        "published": known.listed(releases[0].version, releases[-1].version),
        "releases": [{"version": str(one.version), **one.facts, "missing": one.missing} for one in releases],
        "changes": changes(releases, known),
    }


def parse(argv: Sequence[str] | None = None) -> argparse.Namespace:
    """The folder of wheels, and the list of published versions where there is one."""
    parser = parser_of(__doc__, {})
    add = parser.add_argument
    add("--wheels", type=Path, required=True, help="the folder that the wheels lie in")
    add("--published", type=Path, help=f"what `pip index versions {PROJECT}` printed, in a file")
    return parser.parse_args(argv)


def main(argv: Sequence[str] | None = None) -> None:
    """Read the wheels and print the document."""
    options = parse(argv)
    found = wheels.all_in(options.wheels, PROJECT)
    print(as_json(document(found, published(options.published, PROJECT))))


if __name__ == "__main__":
    main()
