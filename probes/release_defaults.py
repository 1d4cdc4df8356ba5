#!/usr/bin/env python3
# /// script
# requires-python = ">=3.11"
# dependencies = ["packaging>=23.2"]
# ///
"""Since which release a default of transformers is what it is: read from wheels, never imported.

Settles:
    For releases given as wheels: what attention, experts, gradient checkpointing, the data type of weights
    and warm-up resolve to when nothing is asked for, as the source of each release says it; which parameters
    `TrainingArguments` takes; and between which two releases each of them changed. Whether these two are
    neighbours, where the list of published versions is given too.

Needs:
    Wheels of transformers in a folder, and the package `packaging`. Nothing is installed, imported or run,
    and nothing is fetched: `pip download --no-deps transformers==VERSION -d FOLDER` does that before.

Costs:
    A second for each wheel.

Cannot settle:
    What a release does: its source says what the default is, and a model can still refuse it (the installed
    one is asked by `library_defaults.py`). The order of publication: versions are compared, and a fix can
    come out for an old line later. Versions that were withdrawn are not in the list that pip shows.

Standard output is one JSON document in which every wheel stands with version, file name and SHA-256. What a
wheel does not hold is said under `missing`, with the reason. This file writes no evidence by itself: the
wheels are not kept beside it, so its output is adopted, with them as its source.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from packaging.version import Version

from probe_parts import release_facts, wheels
from probe_parts.command_line import parser_of
from probe_parts.output import as_json, say
from probe_parts.published import Published, named, published
from probe_parts.release_facts import FACTS, Default
from probe_parts.wheels import MissingError, Wheel

PROJECT = "transformers"


@dataclass(frozen=True, slots=True)
class Release:
    """What one wheel says.

    Attributes:
        version: The release.
        facts: Its defaults; None for what it does not hold.
        missing: Why, for each of those.
        parameters: Of `TrainingArguments`, in their order; empty where they were not found.
    """

    version: Version
    facts: Mapping[str, Default]
    missing: Mapping[str, str]
    parameters: tuple[str, ...]


# Reading -----------------------------------------------------------------------------------------------


def release(wheel: Wheel) -> Release:
    """Everything that is looked for in one wheel."""
    facts: dict[str, Default] = {}
    missing: dict[str, str] = {}
    for fact in FACTS:
        try:
            facts[fact.name] = fact.of(wheel)
        except MissingError as error:
            facts[fact.name] = None
            missing[fact.name] = f"{fact.member}: {error}"
    try:
        parameters = tuple(release_facts.arguments(wheel.module(release_facts.ARGUMENTS)))
    except MissingError as error:
        parameters = ()
        missing["parameters"] = f"{release_facts.ARGUMENTS}: {error}"
    say(f"{wheel.path.name}: {len(parameters)} parameters, {len(missing)} of {len(FACTS) + 1} not there")
    return Release(wheel.version, facts, missing, parameters)


# Comparing ---------------------------------------------------------------------------------------------


def pairs(releases: Sequence[Release], known: Published) -> Iterator[tuple[Release, Release, dict[str, Any]]]:
    """Each two releases that follow each other here, with what is said of any change between them."""
    for old, new in pairwise(releases):
        between = known.between(old.version, new.version)
        yield old, new, {"last": str(old.version), "first": str(new.version), **between}


def changes(releases: Sequence[Release], known: Published) -> list[dict[str, Any]]:
    """Defaults that changed: the last release with the old one, the first with the new one."""
    return [
        change(fact.name, old, new, where)
        for fact in FACTS
        for old, new, where in pairs(releases, known)
        if old.facts[fact.name] != new.facts[fact.name]
    ]


def change(name: str, old: Release, new: Release, where: Mapping[str, Any]) -> dict[str, Any]:
    """One change; where a side has no such default, what was not found there: it may only have moved."""
    reason = old.missing.get(name) or new.missing.get(name) or ""
    return {"what": name, "before": old.facts[name], "after": new.facts[name], **where, "not_found": reason}


def held(releases: Sequence[Release]) -> list[dict[str, Any]]:
    """Defaults that are the same in every release there is a wheel of."""
    return [
        {"what": fact.name, "value": releases[0].facts[fact.name], "releases": len(releases)}
        for fact in FACTS
        if len({one.facts[fact.name] for one in releases}) == 1
    ]


def training_arguments(releases: Sequence[Release], known: Published) -> dict[str, Any]:
    """The first release's parameters, then those that a release no longer has, or is the first to have.

    A release whose parameters were not found is passed over; it then lies between the two that are compared.
    """
    with_names = [one for one in releases if one.parameters]
    removed, added = [], []
    for old, new, where in pairs(with_names, known):
        removed += [{"name": name, **where} for name in old.parameters if name not in set(new.parameters)]
        added += [{"name": name, **where} for name in new.parameters if name not in set(old.parameters)]
    return {"first": with_names[0].parameters if with_names else (), "removed": removed, "added": added}


# The whole ---------------------------------------------------------------------------------------------


def document(found: Sequence[Wheel], known: Published) -> dict[str, Any]:
    """Everything that goes to standard output.

    Raises:
        SystemExit: A wheel is not of a published version, or no wheel holds anything that is looked for.
    """
    releases = [release(wheel) for wheel in found]
    known.refuse_unknown(one.version for one in releases)
    if all(len(one.missing) == len(FACTS) + 1 for one in releases):
        raise SystemExit(f"no wheel holds anything that is looked for; are they of {PROJECT}?")
    return {
        "project": PROJECT,
        "wheels": [named(wheel) for wheel in found],
        "published": known.listed(releases[0].version, releases[-1].version),
        "releases": [line(one) for one in releases],
        "changes": changes(releases, known),
        "held": held(releases),
        "training_arguments": training_arguments(releases, known),
    }


def line(one: Release) -> dict[str, Any]:
    """One release as it is printed; the names of its parameters follow from what was added and removed."""
    return {
        "version": str(one.version),
        "facts": one.facts,
        "parameters": len(one.parameters),
        "missing": one.missing,
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
    print(as_json(document(wheels.all_in(options.wheels, PROJECT), published(options.published, PROJECT))))


if __name__ == "__main__":
    main()
