"""The numbers on a line of a page or of any other file, each with the words around it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from stilltrue.binding.outcome import Spot
from stilltrue.binding.words import words
from stilltrue.copies import Marks
from stilltrue.errors import InputError
from stilltrue.model import Cell, Place, Table
from stilltrue.pages.any_tables import FORMATS
from stilltrue.pages.passages import Kind, Passage, Passages
from stilltrue.pages.spans import Lines
from stilltrue.pages.tables import read_table
from stilltrue.quantity import BARE, Form, Stated, Units, first_quantity, parse_stated
from stilltrue.quantity.everywhere import Span, cell_quantities, quantities

_SENTENCE_ENDS = re.compile(r"[.!?][)\"'*]*\s+(?=[\"'(*]?[A-Z0-9])")
_SMALL = re.compile(r"(?<![\w.,/:=-])[0-9]+(?![\w.,/:%-]|\.[0-9])")
_ANY = re.compile(r"(?<![\w.,/-])[0-9]+(?:,[0-9]{3})*(?:\.[0-9]+)?(?![\w,/-]|\.[0-9])")
_NUMBER = re.compile(r"(?<![\w.,])[0-9][0-9,]*(?:\.[0-9]+)?(?!\w)")
_PARTS = re.compile(r"[,;](?=\s)|\s(?:and|but|while|whereas|against|versus|vs|instead)\s")
_BETWEEN = re.compile(
    r"[,;:](?=\s)|[(/|—→]|\s[-–]\s"
    r"|\s(?:and|but|while|whereas|against|versus|vs\.?|instead|with|or|than|compared|to|from)\s"
)
_BRACKETS = re.compile(r"\s*\([^()]*\)")
_FAR = 2_000
"""How far from a number its sentence is looked for, in characters: a line may hold thousands of numbers."""
_MARKDOWN = next(each.suffixes for each in FORMATS if each.name == "Markdown")
_TAG = re.compile(r"<[^<>]*>")


def page_spots(path: str, text: str, line: int, units: Units) -> list[Spot]:
    """The numbers on a line of a page.

    Args:
        path: The page, from the root.
        text: Its text, without a byte order mark.
        line: The line, from 1.
        units: The known units.
    """
    passages = Passages(path, text)
    lines = passages.spans.lines
    found: list[Spot] = []
    for passage in passages:
        for span in _quantities(passage, units):
            if lines.of(passage.place(span.start)) + 1 == line:
                spots = _spot(Place(path, line), lines, passage.place, passage.text, span, units)
                found += [_with_heads(passages, passage, spot, piece) for spot, piece in spots]
    return sorted(_marked(text, found), key=lambda spot: spot.start)


def text_spots(path: str, text: str, line: int, units: Units) -> list[Spot]:
    """The numbers on a line of a file that is no page: HTML, a script, a configuration."""
    lines = Lines(text)
    if not 0 < line <= len(lines.starts):
        return []
    written = lines.line(line - 1)
    shown = _TAG.sub(lambda tag: " " * len(tag[0]), written)
    spans = quantities(shown, units) or tuple(Span(*each.span()) for each in _ANY.finditer(shown))
    start = lines.starts[line - 1]
    found = [
        spot
        for span in spans
        for spot, _ in _spot(Place(path, line), lines, lambda at: start + at, shown, span, units)
    ]
    return list(_marked(text, found))


def _marked(text: str, spots: Iterable[Spot]) -> Iterator[Spot]:
    """Each number, and whether it is struck through."""
    for spot in spots:
        marks = Marks(text[max(spot.start - _FAR, 0) : spot.start], text[spot.start : spot.end + _FAR])
        yield replace(spot, struck=marks.struck)


Find = Callable[[str, str, int, Units], list[Spot]]
"""Finds the numbers on a line, from the path, the text, the line and the units."""


def finders(path: str, *, linked: bool) -> tuple[Find, ...]:
    """The ways to find the numbers of a line, the best first: each is tried where those before find none.

    Markdown is read as its readers see it. A number in its code counts too where no link is to bind it, which
    cannot stand there.

    Args:
        path: The file.
        linked: Whether the number is to become a link.
    """
    if linked:
        return (page_spots,)
    return (page_spots, text_spots) if path.lower().endswith(_MARKDOWN) else (text_spots,)


def around(spot: Spot, labels: frozenset[str]) -> frozenset[str]:
    """The words around a number: those of its part of the sentence, and the heads of its cell.

    Its part ends at another number, unless that names a row, and behind the number at a comma or an `and`.
    What stands between two numbers is the first one's up to a comma, a bracket or a word such as `with`; the
    rest is the second one's, and where nothing parts them all of it is both's.

    Args:
        spot: The number.
        labels: The words that name rows of the file.
    """
    others = [each for each in _NUMBER.finditer(spot.before) if not words(each[0]) <= labels]
    start = others[-1].end() if others else 0
    if others and (told := _BRACKETS.match(spot.before, start)):
        start = told.end()
    gap = _BETWEEN.search(spot.before, start) if others else None
    following = (each.start() for each in _NUMBER.finditer(spot.after) if not words(each[0]) <= labels)
    end = next(following, len(spot.after))
    comma = (_PARTS if end == len(spot.after) else _BETWEEN).search(spot.after, 0, end)
    end = comma.start() if comma else end
    part = f"{spot.before[gap.end() if gap else start :]} {spot.after[:end]}"
    noun = spot.stated.unit.symbol if spot.stated.unit.noun else ""
    return words(f"{part} {noun}").union(*(words(head) for head in spot.heads))


def _quantities(passage: Passage, units: Units) -> tuple[Span, ...]:
    if passage.kind is Kind.CELL:
        return cell_quantities(passage.text, units, header=passage.header)
    found = quantities(passage.text, units, heading=passage.kind is Kind.HEADING)
    small = (Span(*each.span()) for each in _SMALL.finditer(passage.text))
    apart = (
        each for each in small if not any(one.start < each.end and each.start < one.end for one in found)
    )
    return tuple(sorted((*found, *apart)))


def _spot(
    place: Place, lines: Lines, written: Callable[[int], int], text: str, span: Span, units: Units
) -> Iterator[tuple[Spot, Span]]:
    """The numbers at `text[span]`, one unless several are written as one: `41 of 50`."""
    for piece in _pieces(text, span, units):
        shown = text[piece.start : piece.end]
        stated = _stated(shown, units)
        if stated is None:
            continue
        start, end = written(piece.start), written(piece.end - 1) + 1
        first, last = max(piece.start - _FAR, 0), piece.end + _FAR
        begin = max((end.end() for end in _SENTENCE_ENDS.finditer(text, first, piece.start)), default=first)
        after = _SENTENCE_ENDS.search(text, piece.end, last)
        yield (
            Spot(
                place,
                start - lines.starts[place.line - 1] + 1,
                start,
                end,
                shown,
                stated,
                text[begin : piece.start],
                text[piece.end : after.start() + 1 if after else last],
            ),
            piece,
        )


def _pieces(text: str, span: Span, units: Units) -> Iterator[Span]:
    if _stated(text[span.start : span.end], units) is not None:
        yield span
        return
    at = span.start
    while (found := first_quantity(text[at : span.end], units)) is not None:
        start = text.find(found.text, at, span.end)
        if start < 0:
            return
        at = start + len(found.text)
        yield Span(start, at)


def _stated(text: str, units: Units) -> Stated | None:
    """What a number means; None where it is none, or several."""
    try:
        stated = parse_stated(text, units)
    except InputError:
        return None
    return stated if stated.numerals else None


def _with_heads(passages: Passages, passage: Passage, spot: Spot, span: Span) -> Spot:
    """The number with the link that binds it, and in a cell with the heads of its column and row."""
    linked = next((link.target for link in passage.links if link.start <= span.start < link.end), "")
    spot = replace(spot, linked=linked)
    if passage.kind is not Kind.CELL:
        return spot
    cells = next(_rows(passages, spot.place), ())
    own = passage.text.strip()
    heads = (cell.text for cell in cells if cell.text and cell.text != own and _is_head(cell))
    return replace(spot, cell=True, heads=(passage.header, *heads))


def _rows(passages: Passages, place: Place) -> Iterator[tuple[Cell, ...]]:
    """The cells of the row of a table that stands on a line."""
    for table in page_tables(passages, place.path):
        yield from (row.cells for row in table.rows if row.line == place.line)


def page_tables(passages: Passages, path: str) -> Iterator[Table]:
    """The tables of a page."""
    scan = passages.spans.scan
    for segment in scan.outline.tables:
        line = scan.rows[segment[0][0]][0] + 1
        table = read_table(segment, scan.outline.references, Place(path, line))
        if table is not None:
            yield table


def _is_head(cell: Cell) -> bool:
    """Whether a cell names its row: a text, or a whole number without a unit."""
    stated = _stated(cell.text, Units.default())
    if stated is None:
        return True
    return stated.form is Form.NUMBER and stated.unit is BARE and stated.numerals[0].whole
