"""Marks of worked examples: `<!-- stilltrue: example -->` above a block, `examples` under a heading.

A mark stands on a line of its own. `example` covers the paragraph, list, table, quote or box below it,
`examples` the section that it opens; either may say `because …`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from stilltrue.pages.rows import ITEM, NOTE, TERM
from stilltrue.pages.scanner import Scan

EXAMPLE, EXAMPLES = "example", "examples"

_MARK = re.compile(r"[> ]*<!--\s*stilltrue:\s*(?P<word>[\w-]+)(?:\s+(?P<more>\S.*?))?\s*-->\s*")
_BECAUSE = re.compile(r"because\s+(\S.*)")
_BEGUN = re.compile(r"<!--\s*stilltrue:\s*(?P<word>examples?)\b")
_HASHES = re.compile(r"#+")
_INDENT = re.compile(r"[ >]*")


class Mark(NamedTuple):
    """A mark of worked examples.

    Attributes:
        word: `example` or `examples`; any other word that was written is none of these.
        line: Its line, from 1.
        first: The first line that it covers.
        last: The last; before `first` where it covers nothing.
        because: Why, where that is said.
        wrong: What keeps it from being understood; empty where nothing does.
    """

    word: str
    line: int
    first: int
    last: int
    because: str = ""
    wrong: str = ""


def find_marks(scan: Scan) -> tuple[Mark, ...]:
    """The marks of one page, in order."""
    marks: list[Mark] = []
    for number, (index, text) in enumerate(scan.rows):
        if "stilltrue:" in text and number not in scan.outline.code:
            mark = _mark(scan, number, index + 1, text)
            if mark is not None:
                marks.append(mark)
    return tuple(marks)


def _mark(scan: Scan, number: int, line: int, text: str) -> Mark | None:
    found = _MARK.fullmatch(text)
    if found is None or found["word"] not in {EXAMPLE, EXAMPLES}:
        begun = _BEGUN.search(text)
        if begun is None or _in_code(text, begun.start()):
            return None
        return Mark(begun["word"], line, line, 0, wrong="it does not stand on a line of its own")
    because = _BECAUSE.fullmatch(found["more"] or "")
    if found["more"] and not because:
        return Mark(
            found["word"], line, line, 0, wrong=f"nothing but `because …` may follow `{found['word']}`"
        )
    first, last = _section(scan, number) if found["word"] == EXAMPLES else _block(scan, number)
    wrong = "" if first else "it does not stand right under a heading"
    return Mark(found["word"], line, first, last, because[1] if because else "", wrong)


def _in_code(text: str, at: int) -> bool:
    return text.count("`", 0, at) % 2 == 1


# What a mark covers --------------------------------------------------------------------------------------


def _section(scan: Scan, number: int) -> tuple[int, int]:
    """The lines of the section whose heading stands right above a mark; 0 where none does."""
    headings = scan.outline.headings
    at = bisect_right(headings, number) - 1
    if at < 0 or any(text.strip("> ") for _, text in scan.rows[headings[at] + 1 : number]):
        return 0, 0
    depth = _depth(scan, headings[at])
    end = next((row for row in headings[at + 1 :] if _depth(scan, row) <= depth), None)
    last = len(scan.rows) if end is None else _first_row(scan, end)
    return scan.rows[_first_row(scan, headings[at])][0] + 1, _line_before(scan, last)


def _first_row(scan: Scan, heading: int) -> int:
    """The row of a heading's text, which stands above the row that underlines it."""
    text = scan.rows[heading][1].strip("> ")
    return heading if text.strip("=-") else heading - 1


def _depth(scan: Scan, row: int) -> int:
    text = scan.rows[row][1].lstrip("> ")
    hashes = _HASHES.match(text)
    return len(hashes[0]) if hashes else 1 + text.startswith("-")


def _block(scan: Scan, number: int) -> tuple[int, int]:
    """The lines of the block below a mark: to the first blank row behind which it does not go on."""
    rows = scan.rows
    first = next((at for at in range(number + 1, len(rows)) if rows[at][1].strip("> ")), 0)
    if not first or first in scan.outline.headings or _MARK.fullmatch(rows[first][1]):
        return number + 1, 0
    text = rows[first][1]
    blank = " " if _quotes(text) > _quotes(rows[number][1]) else "> "  # a quote holds its own blank rows
    depth, listed = _column(text), _is_item(text)
    for at in range(first + 1, len(rows)):
        following = rows[at + 1][1] if at + 1 < len(rows) else ""
        if rows[at][1].strip(blank) or not (following.strip(blank) or at + 1 == len(rows)):
            continue
        column = _column(following)
        if column <= depth and not (listed and column == depth and _is_item(following)):
            return rows[first][0] + 1, _line_before(scan, at)
    return rows[first][0] + 1, _line_before(scan, len(rows))


def _quotes(text: str) -> int:
    return text.count(">", 0, _column(text))


def _line_before(scan: Scan, row: int) -> int:
    """The line before a row, that of a fence which was cut out included."""
    return scan.rows[row][0] if row < len(scan.rows) else len(scan.source.raw)


def _column(text: str) -> int:
    found = _INDENT.match(text)
    return found.end() if found else 0


def _is_item(text: str) -> bool:
    at = _column(text)
    return bool(ITEM.match(text, at) or NOTE.match(text, at) or TERM.match(text, at))
