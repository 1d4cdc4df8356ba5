"""A report as text: place first, what is wrong, what to do next on its own line, the code last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from stilltrue.model import Judgement, Place, ProbeRun, Reading, Report, RunState, Verdict
from stilltrue.report.escape import escape, mute
from stilltrue.report.groups import Entry, Group, Groups, grouped, place_of
from stilltrue.report.paint import Paint
from stilltrue.wording import counted

COUNTED = (
    Verdict.HOLDS,
    Verdict.DRIFTED,
    Verdict.REFUTED,
    Verdict.BROKEN,
    Verdict.SUSPECT,
    Verdict.STALE,
    Verdict.REPORTED,
    Verdict.SUPERSEDED,
)
"""The order in which verdicts are counted, in text and in JSON."""

_SHOWN_PLACES = 3
_MOST_REASONS = 20


def to_text(report: Report, *, colour: bool = False) -> str:
    """What a check found: failing claims, problems, warnings, probes that were to run again, then counts.

    Args:
        report: The check's result.
        colour: Whether to write terminal colours.

    Returns:
        Lines that each end in a newline; all text from files is escaped.
    """
    paint = Paint(on=colour)
    groups = grouped(report)
    blocks = ["\n".join(group_lines(group, paint)) for group in (*groups.failing, *groups.problems)]
    blocks += ["\n".join(group_lines(group, paint, paint.warn("warning: "))) for group in groups.warnings]
    if report.probes:
        blocks.append("\n".join(probe_line(run, paint) for run in report.probes))
    return mute("\n\n".join([*blocks, summary(report, groups, paint)])) + "\n"


def message_lines(place: str, message: str, hint: str, code: str) -> list[str]:
    """One message in the form that all of them have; `place` ends up first, `[code]` last."""
    first = f"{place}: {message}"
    tail = f" [{code}]" if code else ""
    return [first, f"  {hint}{tail}"] if hint else [first + tail]


def evidence_places(readings: Sequence[Reading]) -> str:
    """`a.txt:17, :23 and 4 more`: where readings stand, each place and a file's name once."""
    places = list(dict.fromkeys(Place(reading.path, reading.line) for reading in readings))
    shown: list[str] = []
    last = ""
    for place in places[:_SHOWN_PLACES]:
        again = place.path == last and place.line
        shown.append(f":{place.line}" if again else escape(str(place)))
        last = place.path
    more = len(places) - _SHOWN_PLACES
    return ", ".join(shown) + (f" and {more:,} more" if more > 0 else "")


def group_lines(group: Group, paint: Paint, word: str = "") -> Iterator[str]:
    """What is wrong, the details, what follows from it and what to do; all text from files is escaped."""
    head = group.head
    details = _details(head) if isinstance(head, Judgement) else ()
    yield from _entry(head, paint, word=word, details=details, hint=head.hint)
    if group.under:
        yield "  and so:"
        for entry in group.under:
            yield from (f"    {line}" for line in _entry(entry, paint))


def _entry(
    entry: Entry, paint: Paint, *, word: str = "", details: Iterable[str] = (), hint: str = ""
) -> list[str]:
    place = paint.strong(escape(str(place_of(entry))))
    what = escape(entry.message)
    if isinstance(entry, Judgement):
        what = _verdict(entry, paint) + (f": {what}" if what else "")
    first, *last = message_lines(place, word + what, escape(hint), entry.code)
    return [first, *(f"  {detail}" for detail in details), *last]


def _verdict(judgement: Judgement, paint: Paint) -> str:
    """`attention-time drifted (also stale)`."""
    words = paint.verdict(judgement.verdict, judgement.verdict)
    if judgement.also:
        words += f" (also {', '.join(judgement.also)})"
    return f"{escape(judgement.claim.id)} {words}"


def title(entry: Entry) -> str:
    """What an entry is, in a few words: a claim with its verdict, or a problem's code."""
    return _verdict(entry, Paint(on=False)) if isinstance(entry, Judgement) else entry.code


def _details(judgement: Judgement) -> Iterator[str]:
    """What the message had no room for: all the readings, further reasons, the reader's notes."""
    if len({(reading.path, reading.line) for reading in judgement.readings}) > 1:
        yield f"read at {evidence_places(judgement.readings)}"
    for reason in judgement.reasons[:_MOST_REASONS]:
        yield f"also {escape(reason)}"
    if (more := len(judgement.reasons) - _MOST_REASONS) > 0:
        yield f"and for {more:,} further reasons: `stilltrue show {escape(judgement.claim.id)}` lists them"
    for note in judgement.notes:
        yield f"note: {escape(note)}"


def probe_line(run: ProbeRun, paint: Paint) -> str:
    """`probes/padding.py: ran in 3.2 s`: what became of a probe that was to run again."""
    what = f"{run.state} in {run.seconds:,.1f} s" if run.state is RunState.RAN else run.state
    if run.why and run.state is not RunState.FAILED:  # how it failed is told as a problem
        what += f": {escape(run.why)}"
    return f"{paint.strong(escape(run.path))}: {what}"


def summary(report: Report, groups: Groups, paint: Paint) -> str:
    """The last line: how many claims have which verdict, how many problems and warnings there are."""
    counts = Counter(j.verdict for j in report.judgements)
    claims = ", ".join(_count(verdict, counts[verdict], paint) for verdict in COUNTED if counts[verdict])
    since = escape(report.since.revision) if report.since else ""
    if since and not (claims or groups.problems or groups.warnings):
        return f"nothing that a claim rests on has changed since {since}"
    what = counted(len(report.judgements), "claim") + (f" changed since {since}" if since else "")
    parts = [f"{what}: {claims}" if claims else what]
    if groups.problems:
        parts.append(paint.bad(counted(len(groups.problems), "problem")))
    if groups.warnings:
        parts.append(paint.warn(counted(len(groups.warnings), "warning")))
    return "; ".join(parts)


def _count(verdict: Verdict, number: int, paint: Paint) -> str:
    word = "hold" if verdict is Verdict.HOLDS and number != 1 else verdict
    return paint.verdict(verdict, f"{number:,} {word}")
