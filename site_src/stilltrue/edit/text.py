"""An update as text: a line for each number, those that were left with what to do, and the counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby

from stilltrue.edit.outcome import Changed, Left, Outcome
from stilltrue.report import escape, message_lines
from stilltrue.report.escape import mute
from stilltrue.wording import counted

_LONGEST = 160
_AROUND = 60


def to_text(outcome: Outcome) -> str:
    """What became of each number; where nothing was written, also the lines before and after.

    Returns:
        Lines that each end in a newline; all text from files is escaped.
    """
    lines: list[str] = []
    for _, together in groupby(outcome.changed, key=lambda each: (each.place.path, each.before, each.after)):
        places = list(together)
        lines += map(_place, places)
        if not outcome.written:
            lines += _lines(places[0])
    if outcome.changed and outcome.left:
        lines.append("")
    for left in outcome.left:
        lines += _left(left)
    if outcome.left:
        lines.append("")
    return mute("\n".join([*lines, _summary(outcome)])) + "\n"


def _place(changed: Changed) -> str:
    old, new = escape(changed.old), escape(changed.new)
    return f"{escape(str(changed.place))}: {escape(changed.claim)}: {old} -> {new}"


def _lines(changed: Changed) -> Iterator[str]:
    """The line before and after, around what differs where it is long."""
    before, after = _clipped(changed.before, changed.after)
    yield f"  - {escape(before)}"
    yield f"  + {escape(after)}"


def _clipped(one: str, other: str) -> tuple[str, str]:
    """Two lines without most of what they share, where they are too long to be looked at."""
    if max(len(one), len(other)) <= _LONGEST:
        return one, other
    start = next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), 0)
    backward = zip(reversed(one[start:]), reversed(other[start:]), strict=False)
    end = next((at for at, (a, b) in enumerate(backward) if a != b), 0)
    return _window(one, start, end), _window(other, start, end)


def _window(line: str, start: int, end: int) -> str:
    """A line from a little before `start` to a little behind the `end` signs that are left of it."""
    first, last = max(0, start - _AROUND), min(len(line), len(line) - end + _AROUND)
    return ("…" if first else "") + line[first:last] + ("…" if last < len(line) else "")


def _left(left: Left) -> list[str]:
    return message_lines(escape(str(left.place)), escape(left.message), escape(left.hint), left.code)


def _summary(outcome: Outcome) -> str:
    changed, left = len(outcome.changed), len(outcome.left)
    if not changed and not left:
        doubt = f"; it is in doubt for {counted(outcome.doubted, 'claim')}: see `stilltrue check`"
        return f"nothing to update: no number disagrees with what was found{doubt if outcome.doubted else ''}"
    would = "" if outcome.written or not changed else "would be "
    files = f" in {counted(len(outcome.files), 'file')}" if changed else ""
    parts = [f"{counted(changed, 'number')} {would}updated{files}"]
    if left:
        parts.append(f"{left:,} left")
    if would:
        parts.append("nothing was written")
    return ", ".join(parts)
