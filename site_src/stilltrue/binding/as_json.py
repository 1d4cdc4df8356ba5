"""What a file holds, and what became of a number, as JSON, format 1."""

from __future__ import annotations

import json
from typing import Any

from stilltrue import __version__
from stilltrue.binding.listing import Group, Listed, Listing
from stilltrue.binding.outcome import Binding, Candidate, Proposal, Spot
from stilltrue.evidence.survey import Held
from stilltrue.quantity import Quantity, decimal_text, show_value
from stilltrue.report import mute_json

FORMAT = 1
"""The version of the JSON; it rises when a key changes its meaning or goes, not when one is added."""


def listing_json(listing: Listing) -> str:
    """What a file holds: one JSON object, in ASCII, ending in a newline."""
    return _text(
        {
            "path": listing.path,
            "parts": [_part(each) for each in listing.parts],
            "repeated": [{"name": name, "places": list(places)} for name, places in listing.repeated],
            "like": listing.like or None,
            "found": [_held(each) for each in listing.found],
            "more": listing.more,
        }
    )


def binding_json(binding: Binding) -> str:
    """What became of a number: one JSON object, in ASCII, ending in a newline."""
    return _text(
        {
            "number": _spot(binding.spot),
            "evidence": binding.evidence,
            "git": binding.standing.value,
            "compared": binding.numbers,
            "chance": decimal_text(binding.chance),
            "candidates": [_candidate(each) for each in binding.candidates],
            "proposal": None if binding.proposal is None else _proposal(binding.proposal),
            "refused": binding.refused or None,
            "written": binding.written,
        }
    )


def _text(data: dict[str, Any]) -> str:
    return mute_json(json.dumps({"format": FORMAT, "stilltrue": __version__, **data}, indent=1)) + "\n"


def _part(each: Listed) -> dict[str, Any]:
    part = each.part
    return {
        "shape": part.shape.value,
        "format": part.format,
        "table": part.number or None,
        "title": part.title or None,
        "line": part.line or None,
        "rows": part.rows if part.number else None,
        "fault": part.fault or None,
        "cut": part.cut,
        "groups": [_group(group) for group in each.groups],
    }


def _group(group: Group) -> dict[str, Any]:
    return {
        "read": dict(group.keys),
        "count": group.count,
        "units": list(group.units),
        "values": list(group.shown),
        "spans": group.spans,
        "line": group.line or None,
    }


def _held(held: Held) -> dict[str, Any]:
    value = held.value
    return {
        "read": dict(held.keys()),
        "line": held.line() or None,
        "text": show_value(value),
        "value": decimal_text(value.number) if isinstance(value, Quantity) else None,
        "unit": (value.unit.symbol or None) if isinstance(value, Quantity) else None,
    }


def _spot(spot: Spot) -> dict[str, Any]:
    return {"path": spot.place.path, "line": spot.place.line, "column": spot.column, "text": spot.text}


def _candidate(each: Candidate) -> dict[str, Any]:
    return {
        "level": each.level.value,
        **_held(each.held),
        "read": dict(each.keys),
        "named": list(each.named),
        "why": each.why or None,
    }


def _proposal(proposal: Proposal) -> dict[str, Any]:
    return {
        "id": proposal.id,
        "block": proposal.block,
        "path": proposal.file,
        "line": proposal.line,
        "link": proposal.link or None,
        "verdict": proposal.verdict.value,
        "candidate": proposal.candidate,
        "claims": proposal.claims,
    }
