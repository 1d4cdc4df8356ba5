"""A report as a SARIF 2.1.0 log, for code scanning: rules are codes, results are what is wrong.

Made to be the same for the same report: no time, no machine, paths from the repository's top.
See https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html for what each property means.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from urllib.parse import quote

from stilltrue import __version__
from stilltrue.codes import CODES
from stilltrue.model import Judgement, Place, ProbeRun, Report, RunState
from stilltrue.quantity import show_value
from stilltrue.report.escape import escape, mute_json
from stilltrue.report.groups import Entry, Group, grouped, place_of
from stilltrue.report.paint import Paint
from stilltrue.report.text import group_lines, probe_line, title

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

FINGERPRINT = "stilltrue/v1"
"""The name of our fingerprint: of what is wrong with which claim, wherever its lines have moved."""

_PLAIN = Paint(on=False)
_MOST_RELATED = 20
_MOST_NOTIFICATIONS = 100


def to_sarif(report: Report, *, below: str = "") -> str:
    """The report as one JSON object, in ASCII, a result a line, ending in a newline.

    Args:
        report: The check's result.
        below: Where the project lies in its repository, ending in `/`: paths are from the repository's top.
    """
    groups = grouped(report)
    levels = [("error", group) for group in (*groups.failing, *groups.problems)]
    levels += [("warning", group) for group in groups.warnings]
    rules = sorted({_rule_id(group.head) for _, group in levels})
    results = _Results(rules, below)
    driver = {"name": "stilltrue", "version": __version__, "rules": [_rule(rule) for rule in rules]}
    parts = {
        "tool": _dump({"driver": driver}),
        "invocations": _dump(_invocations(report, below)),
        "results": _lines(results.of(level, group) for level, group in levels),
    }
    run = ",\n  ".join(f'"{name}": {value}' for name, value in parts.items())
    return mute_json(f'{{"$schema": "{SCHEMA}",\n "version": "2.1.0",\n "runs": [{{\n  {run}}}]}}\n')


def _lines(items: Iterable[dict[str, Any]]) -> str:
    rows = ",\n   ".join(map(_dump, items))
    return f"[\n   {rows}]" if rows else "[]"


def _dump(item: object) -> str:
    return json.dumps(item)


# Rules -------------------------------------------------------------------------------------------------


def _rule_id(entry: Entry) -> str:
    """The code; of a claim without one, its verdict."""
    return entry.code or (entry.verdict.value if isinstance(entry, Judgement) else "problem")


def _rule(name: str) -> dict[str, Any]:
    rule: dict[str, Any] = {"id": name}
    code = CODES.get(name)
    if code is not None:
        first = code.means.partition(". ")[0].rstrip(".")
        rule["shortDescription"] = {"text": f"{first}."}
        rule["fullDescription"] = {"text": code.means}
        rule["help"] = {"text": code.cure}
    return rule


# Results -----------------------------------------------------------------------------------------------


class _Results:
    """Makes the results of one run.

    Args:
        rules: The ids of the rules, in the order in which the run lists them.
        below: As for `to_sarif`.
    """

    def __init__(self, rules: list[str], below: str) -> None:
        self._at = {name: at for at, name in enumerate(rules)}
        self._below = below
        self._seen: Counter[str] = Counter()

    def of(self, level: str, group: Group) -> dict[str, Any]:
        """One thing that is wrong, with what follows from it."""
        head = group.head
        rule = _rule_id(head)
        result: dict[str, Any] = {
            "ruleId": rule,
            "ruleIndex": self._at[rule],
            "level": level,
            "message": {"text": message_text(_told(group))},
        }
        if place_of(head).path:
            result["locations"] = [location(place_of(head), self._below)]
        related = list(self._related(group))
        if related:
            result["relatedLocations"] = related
        result["partialFingerprints"] = {FINGERPRINT: self._fingerprint(head, rule)}
        if isinstance(head, Judgement):
            result["properties"] = {"claim": head.claim.id, "verdict": head.verdict.value}
        return result

    def _related(self, group: Group) -> Iterator[dict[str, Any]]:
        """Where the claim was read, and where what follows from it stands; of many the first."""
        places: dict[Place, str] = {}
        if isinstance(group.head, Judgement):
            for reading in group.head.readings[:_MOST_RELATED]:
                place = Place(reading.path, reading.line)
                places.setdefault(place, f"read here: {show_value(reading.value)}")
        for entry in group.under[:_MOST_RELATED]:
            places.setdefault(place_of(entry), f"and so: {title(entry)}")
        for place, text in places.items():
            if place.path:
                yield {**location(place, self._below), "message": {"text": message_text(escape(text))}}

    def _fingerprint(self, entry: Entry, rule: str) -> str:
        """Of the claim and the code; where no claim is meant, of the file and the message without its lines.

        Several of one kind are counted, in the order of their places.
        """
        if isinstance(entry, Judgement):
            parts: tuple[str, ...] = (rule, entry.claim.id)
        elif entry.about:
            parts = (rule, entry.place.path, *sorted(entry.about))
        else:
            parts = (rule, entry.place.path, _LINE.sub(":", entry.message))
        digest = hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]
        self._seen[digest] += 1
        return f"{digest}:{self._seen[digest]}"


_LINE = re.compile(r":\d+\b")


def _told(group: Group) -> str:
    """What the text report says, but for the place: viewers show that themselves."""
    return "\n".join(group_lines(group, _PLAIN)).removeprefix(f"{escape(str(place_of(group.head)))}: ")


def location(place: Place, below: str) -> dict[str, Any]:
    """A line of a file, or a whole file, as a SARIF `location`: a URI from the repository's top."""
    uri = quote(below + place.path, errors="surrogateescape")
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if place.line:
        physical["region"] = {"startLine": place.line}
    return {"physicalLocation": physical}


def message_text(text: str) -> str:
    """Text as a SARIF message shows it: braces are doubled (3.11.5), and nothing is a link (3.11.6)."""
    return text.replace("{", "{{").replace("}", "}}").replace("](", "] (")


# Probes ------------------------------------------------------------------------------------------------


def _invocations(report: Report, below: str) -> list[dict[str, Any]]:
    """That the check ran, and what became of the probes that were to run again."""
    invocation: dict[str, Any] = {"executionSuccessful": True}
    notes = [_notification(run, below) for run in report.probes[:_MOST_NOTIFICATIONS]]
    if notes:
        invocation["toolExecutionNotifications"] = notes
    return [invocation]


def _notification(run: ProbeRun, below: str) -> dict[str, Any]:
    return {
        "level": "error" if run.state is RunState.FAILED else "note",
        "message": {"text": message_text(probe_line(run, _PLAIN))},
        "locations": [location(Place(run.path), below)],
    }
