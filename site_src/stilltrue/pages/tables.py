"""Markdown tables, as the site's renderer reads them: rows cut into cells, cells as a reader sees them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

from stilltrue.model import Cell, Place, Row, Table
from stilltrue.pages.links import Prose
from stilltrue.pages.marks import ATTRIBUTES, plain
from stilltrue.pages.outline import Segment
from stilltrue.pages.rows import QUOTE
from stilltrue.pages.superscripts import without_raised

_SIGNS = re.compile(r"\\\\|(?P<escaped>\\)(?P<after>`+)|(?P<ticks>`+)|\\\||(?P<pipe>\|)")
_LAST_PIPE = re.compile(r"(?<!\\)(?:\\\\)*\|$")
_SEPARATOR = frozenset("|:- ")

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_NOTE = re.compile(r"\[\^[^\[\]\s]+\]")
_LEADS = re.compile(  # a link in HTML that nothing but marks and other tags stands before
    r"""(?:[\s*_~]|<(?!a\b)[a-z][^<>]*>)*+<a\s(?:[^<>]*?\s)?href\s*=\s*
        (?:"(?P<double>[^"<>]*)"|'(?P<single>[^'<>]*)'|(?P<bare>[^\s"'<>]+))""",
    re.IGNORECASE | re.VERBOSE,
)


def read_table(segment: Segment, references: dict[str, str], place: Place) -> Table | None:
    """The table that the rows of a paragraph are, None where the renderer takes them for text.

    Args:
        segment: The rows, each with the index of its line.
        references: The targets of all link references of the page, by label.
        place: The line of the first row; the others count on from it as their indices do.
    """
    texts = [text.strip(" ") for _, text in segment]
    if not _is_table(texts):
        end = _interrupted([text for _, text in segment])
        return read_table(segment[:end], references, place) if end else None
    header = _cells(texts[0], borders=has_border(texts[0]))
    rows = [
        Row(tuple(_row(text, len(header), texts[0], references)), place.line + index - segment[0][0])
        for (index, _), text in zip(segment[2:], texts[2:], strict=True)
    ]
    names = tuple(read_cell(name, references).text for name in header)
    return Table(names, tuple(rows), place)


def read_cell(text: str, references: dict[str, str]) -> Cell:
    """A cell as a reader sees it: without marks, footnotes, attributes; a line break is a blank."""
    bare, target = Prose([(0, text)], references).without_links()
    target = target or _html_target(text)
    bare = without_raised(bare)
    for pattern, instead in ((_BREAK, " "), (_NOTE, ""), (ATTRIBUTES, "")):
        bare = pattern.sub(instead, bare)
    return Cell(plain(bare).text, target)


def _html_target(text: str) -> str:
    """Where the link leads that a cell begins with, written as HTML."""
    found = _LEADS.match(text) if "<" in text else None
    return html.unescape(found["double"] or found["single"] or found["bare"] or "").strip() if found else ""


def _row(text: str, width: int, header: str, references: dict[str, str]) -> list[Cell]:
    """As many cells as the header has: missing ones are empty, those beyond are not shown."""
    cells = [read_cell(cell, references) for cell in _cells(text, borders=has_border(header))[:width]]
    return cells + [Cell("")] * (width - len(cells))


def _is_table(rows: list[str]) -> bool:
    """Whether rows are a table to the renderer: by header, separator and pipes."""
    if len(rows) < 2:
        return False
    borders = has_border(rows[0])
    width = len(_cells(rows[0], borders=borders))
    if width == 1 and not (borders and all(map(has_border, rows[1:]))):
        return False
    separator = _cells(rows[1], borders=borders)
    return len(separator) == width and "-" in rows[1] and _SEPARATOR.issuperset("".join(separator))


def _interrupted(rows: list[str]) -> int:
    """Where a heading or a quote ends rows that are no table with it; 0 where none does.

    Of one column, with a row without pipes, they are none to the renderer, which then looks for these.
    """
    return next((at for at, text in enumerate(rows) if at > 1 and (text[:1] == "#" or QUOTE.match(text))), 0)


def has_border(row: str) -> bool:
    """Whether a pipe stands at either end."""
    return row.startswith("|") or _LAST_PIPE.search(row) is not None


def table_cells(texts: list[str]) -> Iterator[tuple[int, list[tuple[int, int]]]]:
    """The rows of a table, header and separator first, each with where its cells stand between the pipes.

    Args:
        texts: The rows of what may be a table, as the outline gives them.

    Yields:
        Which row it is, and of each cell that the header has room for the start and the end, blanks included.
    """
    stripped = [text.strip(" ") for text in texts]
    if not _is_table(stripped):
        stripped = stripped[: _interrupted(texts)]
        if not _is_table(stripped):
            return
    borders = has_border(stripped[0])
    width = len(_cells(stripped[0], borders=borders))
    for at, row in enumerate(stripped):
        lead = len(texts[at]) - len(texts[at].lstrip(" "))
        cells = cut_row(row, borders=borders)[:width]
        yield at, [(lead + start, lead + end) for start, end in cells]


def _cells(row: str, *, borders: bool) -> list[str]:
    """The cells of a row, without the blanks around them."""
    return [row[start:end].strip(" ") for start, end in cut_row(row, borders=borders)]


def cut_row(row: str, *, borders: bool) -> list[tuple[int, int]]:
    """Where a row is cut at its pipes; escaped ones and those in code are text."""
    first = 0
    if borders:
        first = int(row.startswith("|"))
        row = _LAST_PIPE.sub("", row[first:])
    signs = [sign for sign in _SIGNS.finditer(row) if sign.lastgroup]
    code = _code(signs)
    cuts = [
        sign.start()
        for sign in signs
        if sign["pipe"] and not any(start <= sign.start() <= end for start, end in code)
    ]
    ends = [*cuts, len(row)]
    starts = [0, *(cut + 1 for cut in cuts)]
    return [(first + start, first + end) for start, end in zip(starts, ends, strict=True)]


def _code(signs: list[re.Match[str]]) -> list[tuple[int, int]]:
    """Where code spans begin and end: runs of ticks paired by their length, as the renderer's tables do it.

    A backslash before a run takes its first tick away where it opens a span, but not where it closes one.
    """
    runs = [(len(sign["ticks"] or sign["after"]), sign) for sign in signs if not sign["pipe"]]
    spans: list[tuple[int, int]] = []
    at = 0
    while at < len(runs):
        length, sign = runs[at]
        opening = length - bool(sign["escaped"])
        close = next((k for k in range(at + 1, len(runs)) if opening and runs[k][0] == opening), None)
        if close is None:
            at += 1
            continue
        spans.append((sign.start(), runs[close][1].end() - 1))
        at = close + 1
    return spans
