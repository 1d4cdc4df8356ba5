"""The tables of keys: complete, and each example works as it stands."""

from __future__ import annotations

import pytest

from stilltrue.claims import (
    COPY_KEYS,
    KEYS,
    READ_KEYS,
    REPORTED_KEYS,
    SEARCH_KEYS,
    SEVERITY_KEYS,
    STATED_IN_KEYS,
    SUPERSEDED_KEYS,
    VALID_KEYS,
    Key,
    read_block,
)
from stilltrue.claims.reads import TAKES
from stilltrue.deadline import Deadline
from stilltrue.matches import Source
from stilltrue.model import Block, Claim, Embed, EvidenceSource, Place, Take
from stilltrue.quantity import Units

TABLES = (
    KEYS, READ_KEYS, REPORTED_KEYS, STATED_IN_KEYS, COPY_KEYS, SEARCH_KEYS, SUPERSEDED_KEYS, SEVERITY_KEYS,
    VALID_KEYS,
)  # fmt: skip
FILE = "It takes 5 ms a step.\n"


def read(lines: list[str]) -> Claim:
    body = "\n".join(lines)
    claim = read_block(Block("claim", body, Place("p.md"), 99), Units.default(), "")
    assert not isinstance(claim, Embed)
    return claim if isinstance(claim, Claim) else claim.read(Source(FILE), Deadline(60)).claims[0]


def around(key: Key, table: dict[str, Key]) -> list[str]:
    """A claim in which the key's example stands."""
    needed = {"id": "id: x", "says": 'says: "It is {value}."', "value": "value: 5 ms"}
    if key.name == "stated_in" or table is STATED_IN_KEYS:
        del needed["value"]
    if table is KEYS:
        lines = [line for name, line in needed.items() if name != key.name]
        source = {
            "evidence": ["read: {path: $.a}"],
            "read": ["evidence: a.txt"],
            "derive": [],
            "reproduces": ["evidence: a.txt", "read: {path: $.a}"],
            "reported": [],
        }.get(key.name, ["reported: {by: a}"])
        return [*lines, *source, key.example]
    if table is READ_KEYS:
        shape = {"where": "column: a", "table": "column: a", "header": "column: a", "between": "match: a"}
        shapes = () if key.name in ("path", "column", "match") else (shape.get(key.name, "path: $.a"),)
        return [
            *needed.values(),
            "evidence: a.txt",
            "read:",
            *(f"  {line}" for line in (*shapes, key.example)),
        ]
    owners = {
        "reported": REPORTED_KEYS,
        "stated_in": STATED_IN_KEYS,
        "copies": COPY_KEYS,
        "search": SEARCH_KEYS,
        "superseded": SUPERSEDED_KEYS,
        "severity": SEVERITY_KEYS,
        "valid": VALID_KEYS,
    }
    owner = next(name for name, keys in owners.items() if keys is table)
    if table is COPY_KEYS:
        others = [other.example for other in table.values() if other.required and other is not key]
        return [*needed.values(), "reported: {by: a}", f"copies: [{{{', '.join((*others, key.example))}}}]"]
    others = [f"  {other.example}" for other in table.values() if other.required and other is not key]
    source = [] if owner == "reported" else ["reported: {by: a}"]
    return [*needed.values(), *source, f"{owner}:", *others, f"  {key.example}"]


@pytest.mark.parametrize(
    ("table", "key"),
    [(table, key) for table in TABLES for key in table.values()],
    ids=lambda part: getattr(part, "name", ""),
)
def test_each_example_works_as_it_stands(table: dict[str, Key], key: Key) -> None:
    claim = read(around(key, table))
    assert bool(claim.copies) if table is COPY_KEYS else any(name.endswith(key.name) for name in claim.lines)
    assert key.meaning.endswith(".")
    assert key.example.startswith(f"{key.name}: ")


@pytest.mark.parametrize("take", TAKES)
def test_every_take_is_read(take: str) -> None:
    claim = read(
        ["id: x", 'says: "{value}"', "value: 5", "evidence: a", f"read: {{path: $.a, take: {take} of 3}}"]
    )
    assert isinstance(claim.source, EvidenceSource)
    assert claim.source.reads[0][1].take == (Take(take, 3),)
