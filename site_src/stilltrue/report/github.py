"""A report as workflow commands, which GitHub shows beside the lines of a pull request.

A command is `::error file=…,line=…,title=…::message`. The runner obeys a line that begins with `::` and a
name that it knows, splits properties at `,`, and undoes the escapes below; see `ActionCommand.TryParseV2` of
actions/runner, and `escapeData` and `escapeProperty` of actions/toolkit.
"""

from __future__ import annotations

from collections.abc import Iterable

from stilltrue.model import Place, ProbeRun, Report
from stilltrue.report.escape import escape, mute
from stilltrue.report.groups import Group, grouped, place_of
from stilltrue.report.paint import Paint
from stilltrue.report.text import group_lines, probe_line, summary, title

_PLAIN = Paint(on=False)


def to_github(report: Report, *, below: str = "") -> str:
    """One command for each failing claim, problem and warning, then the counts.

    What follows from a cause is listed in its command and has none of its own.

    Args:
        report: The check's result.
        below: Where the project lies in its repository, ending in `/`: GitHub counts paths from there.

    Returns:
        Lines that each end in a newline; none but ours begins a command, whatever files hold.
    """
    groups = grouped(report)
    lines = [_of_group("error", group, below) for group in (*groups.failing, *groups.problems)]
    lines += [_of_group("warning", group, below) for group in groups.warnings]
    lines += [_of_run(run, below) for run in report.probes]
    return "\n".join([*lines, mute(summary(report, groups, _PLAIN))]) + "\n"


def _of_group(level: str, group: Group, below: str) -> str:
    return _command(level, place_of(group.head), below, title(group.head), group_lines(group, _PLAIN))


def _of_run(run: ProbeRun, below: str) -> str:
    """What became of a probe that was to run again; why it failed is told as a problem."""
    return _command("notice", Place(run.path), below, f"probe {run.state}", (probe_line(run, _PLAIN),))


def _command(level: str, place: Place, below: str, name: str, lines: Iterable[str]) -> str:
    properties = {
        "file": escape(below + place.path) if place.path else "",
        "line": str(place.line) if place.line else "",
        "title": name,
    }
    listed = ",".join(f"{key}={_property(value)}" for key, value in properties.items() if value)
    return f"::{level} {listed}::{_data(mute(_NEWLINE.join(lines)))}"


_NEWLINE = "\n"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
