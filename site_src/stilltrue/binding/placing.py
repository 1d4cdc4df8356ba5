"""Where the block of a number goes on its page, and the number as the text of a link."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from stilltrue.binding.outcome import Spot
from stilltrue.pages.passages import Passages

_GOES_ON = re.compile(r"\s|[-*+>]|[0-9]+[.)]|:\s")
_MARKS = "*_~"


def block_line(path: str, text: str, line: int) -> int:
    """The line, from 1, before which a block about a number goes: behind its paragraph, list, box or table.

    Args:
        path: The page.
        text: Its text, without a byte order mark.
        line: The line of the number.

    Returns:
        One more than the page has lines where that is its end.
    """
    passages = Passages(path, text)
    scan, lines = passages.spans.scan, passages.spans.lines
    height = len(lines.starts)
    last = line
    for segment in scan.outline.segments:
        rows = [scan.rows[row][0] + 1 for row, _ in segment]
        if rows[0] <= line <= rows[-1]:
            last = rows[-1]
    at = last + 1
    while at <= height:
        if not lines.line(at - 1).strip() and not _GOES_ON.match(_next_text(lines.line, at, height)):
            return at
        at += 1
    return height + 1


def _next_text(line_of: Callable[[int], str], at: int, height: int) -> str:
    """The next line that is not blank; empty at the end."""
    return next((text for number in range(at, height) if (text := line_of(number)).strip()), "")


def with_block(text: str, line: int, block: str) -> str:
    """The text with a block before a line, a blank line around it, its line ends like the text's.

    Args:
        text: The page.
        line: The line, from 1; one more than there are: at the end.
        block: The block, its lines ending in a line feed.
    """
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    head = "\n".join(lines[: line - 1])
    tail = "\n".join(lines[line - 1 :])
    before = f"{head.rstrip()}{ending}{ending}" if head.strip() else ""
    after = ending + tail.lstrip("\r\n") if tail.strip() else ""
    return f"{before}{block.replace(chr(10), ending)}{after}"


def links(text: str, spot: Spot, name: str) -> Iterator[tuple[int, int, str]]:
    """The ways to make a number the text of a link: where, and what stands there then.

    Marks that stand right around it are taken in where they would be cut otherwise.
    """
    start, end = spot.start, spot.end
    while True:
        yield start, end, f"[{text[start:end]}](claim:{name})"
        before, after = text[start - 1 : start], text[end : end + 1]
        if not (before and before in _MARKS) and not (after and after in _MARKS):
            return
        start -= bool(before and before in _MARKS)
        end += bool(after and after in _MARKS)
