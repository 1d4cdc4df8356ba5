"""A report as JSON, format 1: one claim a line, keys in a fixed order, every value an exact decimal."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from stilltrue import __version__
from stilltrue.model import BoundCopy, Claim, Judgement, ProbeRun, Problem, Provenance, Reading, Report
from stilltrue.quantity import Form, Quantity, Stated, Value, decimal_text, same_dimension
from stilltrue.report.escape import mute_json
from stilltrue.report.text import COUNTED

FORMAT = 1
"""The version of the JSON; it rises when a key changes its meaning or goes, not when one is added."""

_NO_NUMBER = frozenset({Form.RANGE, Form.SPREAD, Form.FLAG, Form.LIST, Form.TEXT})


def to_json(report: Report) -> str:
    """The report as one JSON object, in ASCII, ending in a newline.

    A quantity is `{"text", "value", "unit"}`: as the docs write it, its exact decimal (12 digits where
    that has no end), its unit. `value` is null where there is not one number: text, lists, yes and no,
    ranges and intervals; `unit` is null for a bare number.
    """
    head: dict[str, Any] = {
        "format": FORMAT,
        "stilltrue": __version__,
        "ok": report.ok,
        "counts": _counts(report),
    }
    if report.since is not None:
        head["since"] = {"revision": report.since.revision, "base": report.since.base}
    copies: dict[str, list[BoundCopy]] = {}
    for copy in report.copies:
        copies.setdefault(copy.claim, []).append(copy)
    lists = {
        "claims": (_claim(report, each, copies.get(each.claim.id, ())) for each in report.judgements),
        "problems": map(_problem, report.problems),
        "warnings": map(_problem, report.warnings),
        "probes": map(_run, report.probes),
    }
    parts = [f'"{name}": {_lines(items)}' for name, items in lists.items()]
    return ",\n ".join([_dump(head)[:-1], *parts]) + "}\n"


def _lines(items: Iterable[dict[str, Any]]) -> str:
    rows = ",\n  ".join(map(_dump, items))
    return f"[\n  {rows}]" if rows else "[]"


def _dump(item: dict[str, Any]) -> str:
    return mute_json(json.dumps(item))


def _counts(report: Report) -> dict[str, int]:
    counts = Counter(judgement.verdict for judgement in report.judgements)
    return {verdict.value: counts[verdict] for verdict in COUNTED}


def _claim(report: Report, judgement: Judgement, copies: Iterable[BoundCopy]) -> dict[str, Any]:
    claim = judgement.claim
    return {
        "id": claim.id,
        "verdict": judgement.verdict.value,
        "also": [verdict.value for verdict in judgement.also],
        "says": claim.says,
        "path": claim.place.path,
        "line": claim.place.line,
        **_block(claim),
        "stated": _stated(claim.stated),
        "found": _found(judgement),
        "readings": [_reading(reading) for reading in judgement.readings],
        "probe": report.probe(judgement) or None,
        "provenance": [_record(path, record) for path, record in report.records(judgement)] or None,
        "tags": list(claim.tags),
        **_copied(copies),
        "code": judgement.code,
        "message": judgement.message,
        "hint": judgement.hint,
        "reasons": list(judgement.reasons),
    }


def _record(path: str, record: Provenance) -> dict[str, Any]:
    """The record beside an evidence file, in short."""
    return {
        "path": path,
        "on": record.on,
        "probe": record.probe or None,
        "commit": record.commit or None,
        "source": record.source or None,
    }


def _copied(copies: Iterable[BoundCopy]) -> dict[str, Any]:
    """The places of a claim that names copies."""
    shown = [_copy(copy) for copy in copies]
    return {"copies": shown} if shown else {}


def _copy(copy: BoundCopy) -> dict[str, Any]:
    """A place that the claim's `copies` name."""
    return {"path": copy.place.path, "line": copy.place.line, "text": copy.text, "agrees": copy.agrees}


def _run(run: ProbeRun) -> dict[str, Any]:
    return {"path": run.path, "state": run.state, "why": run.why, "seconds": round(run.seconds, 3)}


def _block(claim: Claim) -> dict[str, Any]:
    """Where the claim is written, when its value is stated outside its block."""
    inside = claim.place.path == claim.block.path and claim.block.line <= claim.place.line <= claim.end
    return {} if inside else {"block": {"path": claim.block.path, "line": claim.block.line}}


def _stated(stated: Stated) -> dict[str, str | None]:
    number = None if stated.form in _NO_NUMBER or not stated.numerals else stated.numerals[0].number
    return {
        "text": stated.text,
        "value": None if number is None else decimal_text(number),
        "unit": stated.unit.symbol or None,
    }


def _found(judgement: Judgement) -> dict[str, str | None] | None:
    found = judgement.found
    if found is None:
        return None
    value, unit = _number(_in_unit_of(judgement.claim.stated, found.low))
    one = found.low == found.high and judgement.claim.stated.form not in _NO_NUMBER
    return {"text": judgement.found_text, "value": value if one else None, "unit": unit}


def _reading(reading: Reading) -> dict[str, Any]:
    value, unit = _number(reading.value)
    return {"path": reading.path, "line": reading.line, "value": value, "unit": unit}


def _in_unit_of(stated: Stated, value: Value) -> Value:
    """Found in the unit of the stated value, where they measure the same thing."""
    if not isinstance(value, Quantity) or not stated.numerals or value.unit == stated.unit:
        return value
    if not same_dimension(value.unit, stated.unit):
        return value
    return Quantity(value.to(stated.unit), stated.unit)


def _number(value: Value) -> tuple[str | None, str | None]:
    if isinstance(value, Quantity):
        return decimal_text(value.number), value.unit.symbol or None
    return None, None


def _problem(problem: Problem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "path": problem.place.path,
        "line": problem.place.line,
        "message": problem.message,
        "hint": problem.hint,
    }
