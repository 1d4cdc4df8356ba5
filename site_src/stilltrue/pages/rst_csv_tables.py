"""The `csv-table` of reStructuredText, cut into cells as Python's `csv` cuts it for docutils."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from stilltrue.model import Cell, Syntax, Written
from stilltrue.pages.found import MOST_CELLS, Found
from stilltrue.pages.rst_cells import Writing, refused, shown_in_rst
from stilltrue.pages.rst_directives import TABLE_OPTIONS, Option, Piece, read_directive
from stilltrue.wording import quoted

_OPTIONS = TABLE_OPTIONS | {
    *("header", "delim", "quote", "escape", "keepspace", "encoding"),
    *("file", "url"),
}
_CODE = re.compile(r"(?:0x|x|\\x|U\+?|\\u)([0-9a-f]{1,8})|&#x([0-9a-f]{1,8});", re.IGNORECASE)
_DIGITS = re.compile("[0-9]{1,8}")
_WORDS = {"tab": "\t", "space": " "}


def csv_table(writing: Writing, first: int, last: int) -> Found:
    """The CSV table whose directive stands on some lines of a file, the first and the last from 0.

    Rows with fewer cells than the longest have empty ones at their end, as docutils shows them.

    Raises:
        InputError: `no-table-in`: its text stands elsewhere, or it is none to docutils, which shows an error
            in its place.
    """
    directive = read_directive(writing.lines, first, last, "csv-table", _OPTIONS)
    for name in ("file", "url"):
        if name in directive.options:
            message = f"the text of this `csv-table` stands elsewhere, as `:{name}:` says"
            hint = "write its rows here, or take the CSV itself as `evidence`"
            raise refused(message, hint, directive.options[name].line)
    if not directive.content:
        raise refused("this `csv-table` is empty", "add its rows", first + 1)
    dialect = _dialect(directive.options)
    header = directive.options["header"].pieces if "header" in directive.options else ()
    above = list(_Text(writing, [piece for piece in header if piece.text]).rows(dialect))
    below = list(_Text(writing, directive.content).rows(dialect))
    width = max(len(cells) for cells, _ in above + below)
    if width * (len(above) + len(below)) > MOST_CELLS:
        message = f"this `csv-table` is larger than {MOST_CELLS:,} cells"
        raise refused(message, "keep whole results in a file of evidence", first + 1)
    directive.refuse_size([cells for cells, _ in below], width)
    rows = [((*cells, *[Cell("")] * (width - len(cells))), line) for cells, line in above + below]
    return writing.table((first, last), rows, len(above) + directive.whole("header-rows"), Syntax.CSV)


def shown_in_csv(raw: str, references: Mapping[str, str]) -> str:
    """What a reader sees of a cell as it is written between its quotes."""
    return shown_in_rst(raw.replace('""', '"'), references)


# The dialect -------------------------------------------------------------------------------------------


class _Dialect:
    """How a CSV text is cut: without an escape, a doubled quote in quotes is one quote.

    Args:
        delimiter: The sign between two cells.
        quote: The sign around a cell.
        escape: The sign that makes text of the next one; may be empty.
        keep: Whether blanks in front of a cell are its own.
    """

    def __init__(self, delimiter: str, quote: str, escape: str, *, keep: bool) -> None:
        self.delimiter = delimiter
        self._quote = quote
        self._escape = escape
        sign, own = re.escape(delimiter), re.escape(quote)
        if escape:
            other = re.escape(escape)
            inner = rf"(?:{other}.|[^{other}{own}])*+"
            bare = rf"(?:{own}(?P<head>{inner}){own}|(?!{own}))(?P<tail>(?:{other}.|[^{other}{sign}\n])*+)"
        else:
            inner = rf"(?:[^{own}]|{own}{own})*+"
            bare = rf"(?!{own})[^{sign}\n]*+"
        ends = rf"(?={sign}|\n)"
        lead = "" if keep else " *+"
        self.cell = re.compile(
            rf"{lead}(?:{own}(?P<quoted>{inner}){own}{ends}|(?P<bare>{bare}){ends})", re.DOTALL
        )

    def shown(self, found: re.Match[str]) -> str:
        """The text of a cell that `cell` found."""
        if self._escape:
            text = (found["head"] or "") + found["tail"] if found["quoted"] is None else found["quoted"]
            return re.sub(rf"{re.escape(self._escape)}(.)", r"\1", text, flags=re.DOTALL)
        return (
            found["bare"]
            if found["quoted"] is None
            else found["quoted"].replace(self._quote * 2, self._quote)
        )


def _dialect(options: Mapping[str, Option]) -> _Dialect:
    """The dialect that the options of a directive give.

    Raises:
        InputError: `no-table-in`: a sign is several, or one sign is to mean two things.
    """
    signs = [_sign(options, name, usual) for name, usual in (("delim", ","), ("quote", '"'), ("escape", ""))]
    line = max((options[name].line for name in ("delim", "quote", "escape") if name in options), default=0)
    if signs[0] == "\t":
        message = "`:delim:` is a tab, and a tab on a page is blanks to docutils"
        raise refused(message, "write another sign between the cells", line)
    if len(set(signs)) < len(signs):
        raise refused("`:delim:`, `:quote:` and `:escape:` are not all different", "make them so", line)
    return _Dialect(*signs, keep="keepspace" in options)


def _sign(options: Mapping[str, Option], name: str, usual: str) -> str:
    """The one sign that an option gives, as itself or by its code."""
    if name not in options:
        return usual
    value = options[name].value
    if name == "delim" and value in _WORDS:
        return _WORDS[value]
    found = _CODE.fullmatch(value)
    code = int(found[1] or found[2], 16) if found else int(value) if _DIGITS.fullmatch(value) else -1
    sign = chr(code) if 0 <= code <= sys.maxunicode else value
    if len(sign) != 1 or sign in "\r\n":
        message = f"{quoted(f':{name}: {value}')} gives no single sign"
        raise refused(message, "write one sign, or its code: `U+003B`", options[name].line)
    return sign


# The cells ---------------------------------------------------------------------------------------------


class _Text:
    """The lines of a CSV text as one, and where its signs stand in the file."""

    def __init__(self, writing: Writing, pieces: Sequence[Piece]) -> None:
        self.text = "".join(f"{piece.text}\n" for piece in pieces)
        self._writing = writing
        self._pieces = pieces
        self._starts = list(accumulate((len(piece.text) + 1 for piece in pieces[:-1]), initial=0))

    def place(self, at: int) -> tuple[int, int]:
        """Where a sign stands in the file, and its line there, from 1."""
        number = bisect_right(self._starts, at) - 1
        piece = self._pieces[number]
        return self._writing.place(piece.line, piece.column + at - self._starts[number]), piece.line + 1

    def rows(self, dialect: _Dialect) -> Iterator[tuple[list[Cell], int]]:
        """The rows, each with its line, from 1; a blank line is a row without cells.

        Raises:
            InputError: `no-table-in`: a quote is not closed, or text stands behind one that is.
        """
        at = 0
        while at < len(self.text):
            line = self.place(at)[1]
            cells: list[Cell] = []
            while self.text[at] != "\n" or cells:
                found = dialect.cell.match(self.text, at)
                if found is None:
                    message = "a quote is not closed here, or text stands right behind one that is"
                    raise refused(message, "close it; within quotes, write a quote twice", self.place(at)[1])
                cells.append(self._cell(found, dialect))
                at = found.end()
                if self.text[at] == "\n":
                    break
                at += 1
            at += 1
            yield cells, line

    def _cell(self, found: re.Match[str], dialect: _Dialect) -> Cell:
        first, last = found.span("bare" if found["quoted"] is None else "quoted")
        (start, line), (end, _) = self.place(first), self.place(last)
        return self._writing.cell(dialect.shown(found).splitlines(), Written(start, end, line))
