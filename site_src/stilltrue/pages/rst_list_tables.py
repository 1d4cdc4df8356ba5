"""The `list-table` of reStructuredText: a bullet list of rows, each a bullet list of cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stilltrue.errors import InputError
from stilltrue.model import Cell, Syntax, Written
from stilltrue.pages.found import Found
from stilltrue.pages.rst_cells import Writing, refused
from stilltrue.pages.rst_directives import TABLE_OPTIONS, Piece, read_directive
from stilltrue.wording import counted, quoted

_BULLET = re.compile(r"([-+*\u2022\u2023\u2043])(?: +|$)")


def list_table(writing: Writing, first: int, last: int) -> Found:
    """The list table whose directive stands on some lines of a file, the first and the last from 0.

    Raises:
        InputError: `no-table-in`: it is none to docutils, which shows an error in its place.
    """
    directive = read_directive(writing.lines, first, last, "list-table", TABLE_OPTIONS)
    if not directive.content:
        raise refused("this `list-table` is empty", "add its rows: `* - cell`", first + 1)
    rows = [
        ([_cell(writing, cell) for cell in _items(row, "cell")], row[0].line + 1)
        for row in _items(directive.content, "row")
    ]
    width = len(rows[0][0])
    for cells, line in rows:
        if len(cells) != width or not cells:
            message = f"this row of a `list-table` has {counted(len(cells), 'cell')}, its first row {width}"
            raise refused(message, "give each row as many cells, `-` alone for an empty one", line)
    directive.refuse_size([cells for cells, _ in rows], width)
    return writing.table((first, last), rows, directive.whole("header-rows"), Syntax.LIST)


def _items(pieces: Sequence[Piece], what: str) -> Iterator[Sequence[Piece]]:
    """The items of a bullet list, which is all that some lines hold, without their bullets and indents.

    Raises:
        InputError: `no-table-in`: something else stands there.
    """
    bullet = ""
    at = 0
    while at < len(pieces):
        piece = pieces[at]
        found = _BULLET.match(piece.text)
        if found is None or found[1] != (bullet or found[1]):
            if piece.text:
                raise _stray(piece, what)
            at += 1
            continue
        bullet = found[1]
        width = found.end() if piece.text[found.end() :] else 1
        end = next((k for k in range(at + 1, len(pieces)) if not _reaches(pieces[k], width)), len(pieces))
        below = pieces[at + 1 : end]
        if not piece.text[found.end() :]:
            width = min((each.indent for each in below if each.text), default=1)
        yield (piece.behind(found.end()), *(each.behind(width) for each in below))
        at = end


def _reaches(piece: Piece, width: int) -> bool:
    """Whether a line below a bullet belongs to its item."""
    return not piece.text or piece.indent >= width


def _stray(piece: Piece, what: str) -> InputError:
    message = f"{quoted(piece.text)} stands where a {what} of a `list-table` is to begin"
    hint = "begin a row by `* -` and each further cell by `-` under that one, all with the same indents"
    return refused(message, hint, piece.line + 1)


def _cell(writing: Writing, pieces: Sequence[Piece]) -> Cell:
    filled = [piece for piece in pieces if piece.text] or pieces[:1]
    first, last = filled[0], filled[-1]
    start = writing.place(first.line, first.column + first.indent)
    end = writing.place(last.line, last.column + len(last.text))
    return writing.cell((piece.text for piece in pieces), Written(start, end, first.line + 1))
