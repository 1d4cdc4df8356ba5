"""What coverage came to, as text: each quantity that no claim stands behind, problems, then the shares."""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.coverage.outcome import Coverage, PageCoverage, Unbound, percent
from stilltrue.pages.visible import CODE
from stilltrue.report import escape, message_lines
from stilltrue.wording import counted

_BELOW = "below-floor"
_LONGEST = 80
_HINT = "bind it: `[65.2 %](claim:the-id)`; a worked example is marked, an exception is configured"


def to_text(coverage: Coverage) -> str:
    """Lines that each end in a newline; all text from files is escaped."""
    blocks = ["\n".join(_page(page)) for page in coverage.pages if page.unbound]
    for problem in coverage.problems:
        place, message, hint = escape(str(problem.place)), escape(problem.message), escape(problem.hint)
        blocks.append("\n".join(message_lines(place, message, hint, problem.code)))
    return "\n\n".join([*blocks, "\n".join(_summary(coverage))]) + "\n"


def _page(page: PageCoverage) -> Iterator[str]:
    total = page.bound + len(page.unbound)
    yield f"{escape(page.path)}: {len(page.unbound):,} of {counted_quantities(total)} not bound"
    for each in page.unbound:
        place = f"{escape(str(each.place))}:{each.column}"
        yield f"  {place}: `{escape(_clipped(each.text))}`  {escape(_context(each))}"


def _clipped(text: str) -> str:
    """A quantity of endless digits, cut: its place tells where the rest is."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _context(each: Unbound) -> str:
    """The quantity among its neighbours, on one line."""
    words = " ".join(f"{each.before}{_clipped(each.text)}{each.after}".replace(CODE, "…").split())
    return f"{'…' if each.cut_before else ''}{words}{'…' if each.cut_after else ''}"


def counted_quantities(number: int) -> str:
    """`1 quantity`, `2 quantities`."""
    return "1 quantity" if number == 1 else f"{number:,} quantities"


def _summary(coverage: Coverage) -> Iterator[str]:
    total = coverage.bound + coverage.unbound
    pages = counted(len(coverage.pages), "page")
    line = f"{counted_quantities(total)} on {pages}, {coverage.bound:,} bound: {percent(coverage.share)}"
    aside = [(coverage.examples, "in examples"), (coverage.excepted, "excepted")]
    left = [f"{number:,} {word}" for number, word in aside if number]
    if left:
        line += f"; left out: {', '.join(left)}"
    if coverage.floor is None:
        yield line
    elif coverage.below:
        yield f"{line}; that is below the floor of {percent(coverage.floor)}"
        yield f"  {_HINT} [{_BELOW}]"
    else:
        yield f"{line}; the floor is {percent(coverage.floor)}"
