"""An evidence file as a page: its lines numbered, those that claims were read from marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain

from stilltrue.config import Config
from stilltrue.errors import InputError
from stilltrue.evidence import text_of
from stilltrue.quantity import Value
from stilltrue.site.binary_listing import binary_listing
from stilltrue.site.card import claim_link
from stilltrue.site.emphasis import emphasised
from stilltrue.site.generated import raw_name
from stilltrue.site.history_section import Kept, history_section
from stilltrue.site.line_blocks import line_blocks
from stilltrue.site.markup import clause, sentence, text, verdict_badge
from stilltrue.site.markup import line as line_html
from stilltrue.site.record_section import record_section
from stilltrue.site.view import Readers, Spot

WHOLE = 1_000_000
"""Up to how many characters a file is shown whole; above, the read lines with their surroundings."""

CONTEXT = 5
"""How many lines are shown before and after a read line of a large file."""

MOST_LINES = 5_000
"""How many lines of a large file are shown at most."""

LONGEST = 2_000
"""How many characters of a line are shown."""

MOST_OPEN = 8
"""Up to how many claims are listed above the lines at once; more of them lie under a fold."""

_MOST_NAMES = 3
_MOST_RANGES = 12


def evidence_page(config: Config, path: str, spot: Spot, kept: Sequence[Kept] = ()) -> str:
    """The page's HTML; of a file that is no text its size, its digest and what was read from it.

    Args:
        config: The project.
        path: The evidence file, from the repository's root.
        spot: The page itself.
        kept: What is kept of earlier days, newest first.
    """
    raw_url = spot.raw_url(raw_name(path))
    name = path.rpartition("/")[2]
    readers = spot.view.readers(path)
    head = (
        f"<h1>{text(name)}</h1><p><code>{text(path)}</code> · "
        f'<a href="{text(raw_url)}" download="{text(name)}">Download the file as it is</a></p>'
    )
    table = _claims(readers, spot)
    measured = record_section(spot.view.report.provenance.get(path), spot, path)
    measured += history_section(config, path, kept, spot)
    try:
        content = text_of(config, path)
    except InputError as error:
        if error.code == "not-text" and readers:
            return f"{head}{table}{binary_listing(config, path, readers, spot)}{measured}"
        gone = f'<p class="st-message">It is not shown here. {clause(error.message)}.</p>'
        return f"{head}{table}{gone}{measured}"
    return f"{head}{table}{_listing(content, readers, spot)}{measured}"


# The claims that were read from it ---------------------------------------------------------------------


def _claims(readers: Readers, spot: Spot) -> str:
    by_name: dict[str, list[int]] = {}
    for number in sorted(readers):
        for name in readers[number]:
            by_name.setdefault(name, []).append(number)
    if not by_name:
        return "<p>No value was read from it.</p>"
    rows = "".join(_claim_row(name, numbers, spot) for name, numbers in by_name.items())
    opened = " open" if len(by_name) <= MOST_OPEN else ""
    count = "1 claim" if len(by_name) == 1 else f"{len(by_name):,} claims"
    return (
        f'<h2 id="claims">Read from it</h2><details class="st-fold"{opened}><summary>{count}</summary>'
        '<div class="st-table st-readers"><table><thead><tr>'
        "<th>Verdict</th><th>Claim</th><th>Lines</th></tr></thead>"
        f"<tbody>{rows}</tbody></table></div></details>"
    )


def _claim_row(name: str, numbers: Sequence[int], spot: Spot) -> str:
    judgement = spot.view.judged[name]
    return (
        f"<tr><td>{verdict_badge(judgement)}</td>"
        f"<td>{sentence(judgement)}<br>{claim_link(name, spot)}</td><td>{_where(numbers)}</td></tr>"
    )


def _where(numbers: Sequence[int]) -> str:
    """`17, 23–126`: lines, each run of them leading to its first."""
    runs = list(_runs(n for n in numbers if n))
    links = [
        f'<a class="st-keep" href="#L{first}">{first}{f"–{last}" if last > first else ""}</a>'
        for first, last in runs[:_MOST_RANGES]
    ]
    more = sum(last - first + 1 for first, last in runs[_MOST_RANGES:])
    return (", ".join(links) + (f" and {more:,} more" if more else "")) or "all"


def _runs(numbers: Iterable[int]) -> Iterator[tuple[int, int]]:
    """The first and last of each run of numbers that follow one another, from ascending ones."""
    first = last = 0
    for number in numbers:
        if last and number != last + 1:
            yield first, last
            first = 0
        first, last = first or number, number
    if last:
        yield first, last


# Its lines ---------------------------------------------------------------------------------------------


def _listing(content: str, readers: Readers, spot: Spot) -> str:
    rows = content.removesuffix("\n").split("\n")
    numbers: Iterable[int] = range(1, len(rows) + 1)
    note = ""
    if len(content) > WHOLE:
        chosen = _surroundings(readers, len(rows))
        note = _excerpt_note(len(content), len(rows), len(chosen))
        numbers = chosen
    lines = list(_lines(rows, numbers, readers, spot))
    return f'<h2 id="lines">Lines</h2>{note}{line_blocks(lines)}'


def _surroundings(readers: Readers, last: int) -> list[int]:
    """The read lines of a large file and those around them, the first `MOST_LINES` of them."""
    chosen: dict[int, None] = {}
    for number in sorted(readers) or [1]:
        for near in range(max(1, number - CONTEXT), min(last, number + CONTEXT) + 1):
            chosen[near] = None
        if len(chosen) >= MOST_LINES:
            break
    return list(chosen)


def _excerpt_note(characters: int, lines: int, shown: int) -> str:
    return (
        f"<p>The file holds {characters:,} characters in {lines:,} lines. Shown are {shown:,} lines: "
        f"those that were read, with up to {CONTEXT} lines around them. The rest is in the download.</p>"
    )


def _lines(rows: Sequence[str], numbers: Iterable[int], readers: Readers, spot: Spot) -> Iterator[str]:
    before = 0
    for number in numbers:
        if number != before + 1:
            yield '<span class="st-gap">…\n</span>'
        before = number
        read = readers.get(number)
        if read is None:
            yield f'<span id="L{number}"><a href="#L{number}">{number}</a>{_shown(rows[number - 1])}\n</span>'
        else:
            yield (
                f'<span id="L{number}" class="st-read"><a href="#L{number}">{number}</a>'
                f"{_shown(rows[number - 1], read)}{_back(list(read), spot)}\n</span>"
            )
    if before < len(rows):
        yield '<span class="st-gap">…\n</span>'


def _shown(row: str, read: Mapping[str, Sequence[Value]] | None = None) -> str:
    """A line, cut where it is very long, with the values that were read there emphasised."""
    html = emphasised(row[:LONGEST], list(chain(*read.values()))) if read else line_html(row[:LONGEST])
    cut = len(row) - LONGEST
    if cut <= 0:
        return html
    return f'{html}<em class="st-cut"> … {cut:,} more characters, in the download</em>'


def _back(names: Sequence[str], spot: Spot) -> str:
    """The claims that read this line, leading back to their cards."""
    links = " ".join(claim_link(name, spot, hint=False) for name in names[:_MOST_NAMES])
    more = len(names) - _MOST_NAMES
    rest = f" and {more:,} more" if more > 0 else ""
    return f'<span class="st-back"> ← {links}{rest}</span>'
