"""What was seen before a launch, as text: a line for each thing, what to do below what fails, then counts."""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.preflight.finding import Finding, Preflight, Result
from stilltrue.report import Paint, escape
from stilltrue.wording import counted, listed

_OK, _FAIL = "ok  ", "FAIL"
_LONGEST = 2000
"""How much of a line is shown; the JSON has all of it."""


def to_text(preflight: Preflight, *, colour: bool = False) -> str:
    """Lines that each end in a newline; all text from files and programs is escaped.

    Args:
        preflight: What was seen.
        colour: Whether to write terminal colours.
    """
    results = (result_text(each, colour=colour) for each in preflight.results)
    return "".join(results) + counts_text(preflight)


def result_text(result: Result, *, colour: bool = False) -> str:
    """The lines of one check, as `to_text` has them."""
    paint = Paint(on=colour)
    return "".join(
        f"{line}\n"
        for finding in result.findings
        for line in _lines(result, finding, paint.good(_OK) if finding.ok else paint.bad(_FAIL))
    )


def counts_text(preflight: Preflight) -> str:
    """The last lines, as `to_text` has them: an empty one, and the summary."""
    return f"\n{summary(preflight)}\n"


def _lines(result: Result, finding: Finding, mark: str) -> Iterator[str]:
    # What kept a check from looking is about the check itself.
    what = "" if finding.what == result.name else f"{finding.what}: "
    yield f"{mark}  {escape(_cut(f'{result.name}: {what}{finding.saw}'))}{_place(finding)}"
    if finding.hint:
        yield f"      {escape(_cut(finding.hint))}"


def _cut(text: str) -> str:
    """A value or a program's last words may be of any length."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _place(finding: Finding) -> str:
    """` (runs/arguments.yml:7)` behind what fails: what passed needs no looking up."""
    shown = str(finding.place) if finding.place is not None and not finding.ok else ""
    return f" ({escape(shown)})" if shown and shown != finding.what else ""


def summary(preflight: Preflight) -> str:
    """`5 checks: 4 passed, 1 failed (arguments)`."""
    wrong = [result.name for result in preflight.results if not result.ok]
    total = counted(len(preflight.results), "check")
    if not wrong:
        return f"{total}: all passed" if len(preflight.results) > 1 else f"{total}: passed"
    right = len(preflight.results) - len(wrong)
    return f"{total}: {right:,} passed, {len(wrong):,} failed ({escape(listed(wrong, len(wrong)))})"
