"""Gaps in `where` and `column`: an operand, a name, or a part of a quoted text, never syntax."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction
from functools import partial

from stilltrue.claims.nodes import clip
from stilltrue.claims.placeholders import Headers, Part, Template, Value, Values
from stilltrue.errors import InputError
from stilltrue.quantity import Quantity, Units, parse_value

_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`[^`]*`|\[[^\]]*\]", re.DOTALL)
_GAP = re.compile(r"\{([^{}]*)\}")
_EQUAL = re.compile(r"(?P<sign>(?<![<>!=])==?|<>|!=)\s*$")
_ORDER = re.compile(r"(?<![<>])[<>]=?\s*$")
_ORDER_AFTER = re.compile(r"\s*(?:[<>](?![<>=])|[<>]=)")
_MEMBER = re.compile(r"\bin\s*\((?:[^()]*,)?\s*$", re.IGNORECASE)
_LIKE = re.compile(r"\b(?P<word>like|glob)\s*$", re.IGNORECASE)
_ESCAPE = re.compile(r"\s*escape\b", re.IGNORECASE)
_ENDS = re.compile(r"\s*(?:$|[),]|(?:and|or|then|else|when|end)\b)", re.IGNORECASE)
_WILD = re.compile("[%_]")
_GLOB = re.compile(r"[*?\[]")
_ESCAPES = (0x5C, 0x21, 0x5E, 0x7E, 0x7C, *range(0x2500, 0x3000))
"""What may be the sign behind which `%` and `_` stand for themselves: the first that is not in the text."""

_LARGEST = 1 << 63
_DOUBLE = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+(?:[eE][+-]?[0-9]+)?|[eE][+-]?[0-9]+)")


class SqlReader:
    """Takes expressions apart.

    Args:
        headers: The headers of the table.
        units: The known units: in SQL, quantities are numbers of base units.
    """

    def __init__(self, headers: Headers, units: Units) -> None:
        self.headers = headers
        self.units = units

    def where(self, source: str) -> Template:
        """A predicate with gaps.

        Raises:
            InputError: `bad-placeholder`, `unknown-column`.
        """
        return _Reader(source, "where", self.headers, self.units).template()

    def column(self, source: str) -> Template:
        """A column or an expression with gaps; a gap that is all of it is the column's name.

        Raises:
            InputError: As `where`.
        """
        lone = _GAP.fullmatch(source.strip())
        if lone and lone[1] in self.headers.names:
            source = f'"{source.strip()}"'
        return _Reader(source, "column", self.headers, self.units).template()


class _Reader:
    """One expression, taken apart from left to right."""

    def __init__(self, source: str, key: str, headers: Headers, units: Units) -> None:
        self.source = source
        self.key = key
        self.headers = headers
        self.units = units
        self.parts: list[Part] = []
        self.used: set[str] = set()
        self.tail = ""

    def template(self) -> Template:
        if "{" not in self.source:
            return Template((self.source,))
        at = 0
        for text in _QUOTED.finditer(self.source):
            self._bare(at, text.start())
            self._quoted(text[0], self.source[text.end() :])
            at = text.end()
        self._bare(at, len(self.source))
        self._part(self.tail)
        return Template(tuple(self.parts), frozenset(self.used))

    def _part(self, part: Part) -> None:
        if part:
            self.parts.append(part)

    def _gap(self, part: Part, *headers: str) -> None:
        self._part(self.tail)
        self._part(part)
        self.tail = ""
        self.used.update(headers)

    def _quoted(self, token: str, after: str) -> None:
        """A text, or a name, in quotes."""
        pieces = self.headers.split(token[1:-1])
        used = [header for _, header in pieces if header]
        if not used:
            self.tail += token
        elif token[0] != "'":
            pieces = [(_unquoted(before, token[0]), header) for before, header in pieces]
            self._gap(partial(_name, pieces), *used)
        else:
            pieces = [(before.replace("''", "'"), header) for before, header in pieces]
            like = _LIKE.search(self.tail)
            word = like["word"].lower() if like and not _ESCAPE.match(after) else ""
            self._gap(partial(_text, pieces, word), *used)

    def _bare(self, at: int, end: int) -> None:
        """What stands outside quotes."""
        for gap in _GAP.finditer(self.source, at, end):
            self.tail += self.source[at : gap.start()]
            at = gap.end()
            if gap[1] not in self.headers.names:
                message = f"`{{{clip(gap[1])}}}` in `{self.key}` is no column of the page's table"
                raise InputError("unknown-column", message, self.headers.hint(gap[1]))
            self._fill(gap[1], self.source[at:])
        self.tail += self.source[at:end]

    def _fill(self, header: str, after: str) -> None:
        """One gap outside quotes, by what stands around it."""
        equal, like = _EQUAL.search(self.tail), _LIKE.search(self.tail)
        if equal is not None and _ENDS.match(after):
            self.tail = self.tail[: equal.start()]
            word = "NOT IN" if equal["sign"] in ("<>", "!=") else "IN"
            blank = "" if self.tail[-1:].isspace() else " "
            self._gap(partial(self._equal, header, blank + word), header)
        elif _ORDER.search(self.tail) or _ORDER_AFTER.match(after):
            self._gap(partial(self._ordered, header), header)
        elif _MEMBER.search(self.tail) and _ENDS.match(after):
            self._gap(partial(self._members, header), header)
        elif like is not None:
            self._gap(partial(_text, [("", header), ("", "")], like["word"].lower()), header)
        else:
            self._gap(partial(self._operand, header), header)

    # What a row makes of a gap -------------------------------------------------------------------------

    def _equal(self, header: str, word: str, values: Values) -> str:
        """`IN (…)`: a number equals a number by worth, and a text as text."""
        return f"{word} ({self._members(header, values)})"

    def _members(self, header: str, values: Values) -> str:
        value = values[header]
        return ", ".join([*self._numbers(value), *map(_literal, value.texts)])

    def _operand(self, header: str, values: Values) -> str:
        """A number where the cell is one, else text."""
        value = values[header]
        number = next(iter(self._numbers(value)), "") if value.number else ""
        return f"({number})" if number.startswith("-") else number or _literal(value.plain)

    def _ordered(self, header: str, values: Values) -> str:
        value = values[header]
        number = next(iter(self._numbers(value)), "")
        if not number:
            message = f"{{}} is no number, and `<` and `>` in `{self.key}` need one"
            value.refuse(message, "leave the row out with `rows`")
        return f"({number})"

    def _numbers(self, value: Value) -> tuple[str, ...]:
        """The number that SQL sees in a cell of the evidence that reads like this one: none or one."""
        if _DOUBLE.fullmatch(value.text):
            return (_double(float(value.text)),)
        try:
            read = parse_value(value.text, self.units)
        except InputError:
            return (value.literal,) if value.literal else ()
        return (_number(read.base),) if isinstance(read, Quantity) else ()


def _number(number: Fraction) -> str:
    """A number as SQLite holds it: an integer when it is one and fits, else the nearest double."""
    if number.denominator == 1 and -_LARGEST <= number.numerator < _LARGEST:
        return str(number.numerator)
    try:
        return _double(float(number))
    except OverflowError:
        return _double(math.copysign(math.inf, number))


def _double(number: float) -> str:
    return repr(number) if math.isfinite(number) else f"{'-' if number < 0 else ''}9e999"


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _unquoted(name: str, mark: str) -> str:
    return name.replace('""', '"') if mark == '"' else name


def _name(pieces: list[tuple[str, str]], values: Values) -> str:
    """A column's name, whatever signs it holds."""
    name = _joined(pieces, values, lambda text: text)
    return '"' + name.replace('"', '""') + '"'


def _text(pieces: list[tuple[str, str]], word: str, values: Values) -> str:
    """A text; behind `like` and `glob` the signs of the cells' own text stand for themselves."""
    if word == "glob":
        return _literal(_joined(pieces, values, lambda text: _GLOB.sub(r"[\g<0>]", text)))
    whole = _joined(pieces, values, lambda text: text)
    wild = any(_WILD.search(values[header].plain) for _, header in pieces if header)
    if word != "like" or not wild:
        return _literal(whole)
    mark = next(sign for sign in map(chr, _ESCAPES) if sign not in whole)
    tamed = _joined(pieces, values, lambda text: _WILD.sub(lambda sign: mark + sign[0], text))
    return f"{_literal(tamed)} ESCAPE '{mark}'"


def _joined(pieces: list[tuple[str, str]], values: Values, write: Callable[[str], str]) -> str:
    return "".join(before + (write(values[header].plain) if header else "") for before, header in pieces)
