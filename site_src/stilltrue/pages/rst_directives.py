"""A directive of reStructuredText that holds a table: its options and what stands under them, with places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from stilltrue.pages.rst_cells import TAB, refused
from stilltrue.pages.spans import Lines
from stilltrue.suggest import did_you_mean
from stilltrue.wording import named, quoted

_FIELD = re.compile(r":(?![: ])((?:[^:\\]|\\.|:(?![ `]|$))*)(?<! ):(?: +|$)")
_WHOLE = re.compile(r"[0-9]{1,9}")
_WIDTH = re.compile(r"[0-9]+(?:\.[0-9]*)? *(?:[A-Za-z]+|%)?|\.[0-9]+ *(?:[A-Za-z]+|%)?")


class Piece(NamedTuple):
    """The end of a line.

    Attributes:
        line: Which line of the file it is, from 0.
        column: Where it begins there, in columns, tabs expanded.
        text: What stands there, tabs expanded, without blanks at its end.
    """

    line: int
    column: int
    text: str

    def behind(self, width: int) -> Piece:
        """What is left behind so many columns."""
        return Piece(self.line, self.column + width, self.text[width:])

    @property
    def indent(self) -> int:
        """How many blanks it begins with."""
        return len(self.text) - len(self.text.lstrip(" "))


class Option(NamedTuple):
    """An option of a directive: its value, which may take several lines, and the line of its name, from 1."""

    pieces: tuple[Piece, ...]
    line: int

    @property
    def value(self) -> str:
        """Its value on one line."""
        return " ".join(piece.text.strip() for piece in self.pieces if piece.text.strip())


class Directive(NamedTuple):
    """A directive.

    Attributes:
        options: Its options by name.
        content: The lines of its content, without blank ones at either end.
    """

    options: Mapping[str, Option]
    content: Sequence[Piece]

    def whole(self, name: str) -> int:
        """The number that an option gives; 0 where it is not there."""
        return int(self.options[name].value) if name in self.options else 0

    def refuse_size(self, rows: Sequence[Sequence[object]], columns: int) -> None:
        """Refuse options that ask for more rows or columns than there are.

        Args:
            rows: The rows of its content, of which `:header-rows:` says how many are the header's.
            columns: How many columns there are.

        Raises:
            InputError: `no-table-in`.
        """
        heads, stubs = self.whole("header-rows"), self.whole("stub-columns")
        if heads and len(rows) <= heads:
            self._too_few("header-rows", f"`:header-rows: {heads}` leaves no row of {len(rows)} for the body")
        if stubs and min(map(len, rows)) <= stubs:
            self._too_few("stub-columns", f"`:stub-columns: {stubs}` leaves a row no cell beside them")
        widths = self.options.get("widths")
        if widths and widths.value != "auto" and len(_entries(widths.value)) != columns:
            message = f"`:widths:` has {len(_entries(widths.value))} widths for {columns} columns"
            raise refused(message, "give each column one", widths.line)

    def _too_few(self, option: str, message: str) -> None:
        raise refused(message, "mend the option or add what is missing", self.options[option].line)


def read_directive(lines: Lines, first: int, last: int, name: str, known: frozenset[str]) -> Directive:
    """The directive that stands on some lines of a file.

    Args:
        lines: The lines of the file.
        first: The index of the directive's line.
        last: The index of its last line that is not blank.
        name: What it is called.
        known: The options that it may have.

    Raises:
        InputError: `no-table-in`: an option is unknown, stands twice or has a bad value.
    """
    pieces = [_piece(lines, index) for index in range(first + 1, last + 1)]
    width = min((piece.indent for piece in pieces if piece.text), default=0)
    pieces = [piece.behind(width) for piece in pieces]
    head = _piece(lines, first)
    title = head.behind(len(head.text) - len(head.text.partition("::")[2].lstrip(" ")))
    if title.text:
        pieces.insert(0, title)
    blank = next((at for at, piece in enumerate(pieces) if not piece.text), len(pieces))
    begin = next((at for at in range(blank) if _FIELD.match(pieces[at].text)), blank)
    options = _options(pieces[begin:blank], name, known)
    behind = next((at for at in range(blank, len(pieces)) if pieces[at].text), len(pieces))
    return Directive(options, tuple(pieces[behind:]))


def _piece(lines: Lines, index: int) -> Piece:
    return Piece(index, 0, lines.line(index).expandtabs(TAB).rstrip())


def _options(pieces: Sequence[Piece], name: str, known: frozenset[str]) -> dict[str, Option]:
    options: dict[str, Option] = {}
    at = 0
    while at < len(pieces):
        line = pieces[at].line + 1
        field = _FIELD.match(pieces[at].text)
        if field is None:
            message = f"{quoted(pieces[at].text)} stands among the options of this `{name}` and is none"
            raise refused(message, "put a blank line behind the options", line)
        end = next((k for k in range(at + 1, len(pieces)) if not pieces[k].indent), len(pieces))
        width = min((piece.indent for piece in pieces[at + 1 : end]), default=0)
        value = (pieces[at].behind(field.end()), *(piece.behind(width) for piece in pieces[at + 1 : end]))
        option = Option(value, line)
        _refuse_option(field[1].lower(), option, options, name, known)
        options[field[1].lower()] = option
        at = end
    return options


def _refuse_option(
    key: str, option: Option, before: Mapping[str, Option], name: str, known: frozenset[str]
) -> None:
    if key not in known:
        hint = did_you_mean(key, known) or f"the options are {named(sorted(known), len(known))}"
        raise refused(f"{quoted(f':{key}:')} is no option of a `{name}`", hint, option.line)
    if key in before:
        raise refused(f"`:{key}:` stands twice", "keep one of them", option.line)
    kind = _KINDS.get(key)
    if kind is not None and not kind.fits(option.value):
        raise refused(
            f"{quoted(f':{key}: {option.value}')} is no value of that option", kind.hint, option.line
        )


class _Kind(NamedTuple):
    """What an option's value must be, and how to say that."""

    pattern: re.Pattern[str]
    hint: str

    def fits(self, value: str) -> bool:
        return self.pattern.fullmatch(value) is not None


def _entries(value: str) -> list[str]:
    return value.split(",") if "," in value else value.split()


_COUNT = _Kind(_WHOLE, "write a whole number")
_KINDS = {
    "header-rows": _COUNT,
    "stub-columns": _COUNT,
    "width": _Kind(_WIDTH, "write a length or a percentage"),
    "widths": _Kind(
        re.compile(r"auto|0*[1-9][0-9]*(?:(?: *, *| +)0*[1-9][0-9]*)*"),
        "write `auto`, or a whole number above 0 for each column",
    ),
    "align": _Kind(re.compile("left|center|right", re.IGNORECASE), "write `left`, `center` or `right`"),
    "header": _Kind(re.compile(".+"), "name the columns"),
    "class": _Kind(re.compile(".+"), "name a class"),
    "keepspace": _Kind(re.compile(""), "leave its value out"),
}

TABLE_OPTIONS = frozenset({"header-rows", "stub-columns", "width", "widths", "align", "class", "name"})
"""The options of list tables and of CSV tables."""
