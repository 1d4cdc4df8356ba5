"""Placeholders of a table of claims: `{Column}` stands for a row's cell, as a value and never as text.

A text is taken apart once; each row then puts its cells into the gaps, which know where they stand.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from stilltrue.claims.nodes import clip
from stilltrue.errors import InputError
from stilltrue.suggest import did_you_mean

_NUMBER = re.compile(
    r"([+\-−]?)((?:[0-9]{1,3}(?:,[0-9]{3}){1,12}|[0-9]{1,3}(?:[ _][0-9]{3}){1,12}|[0-9]{1,40})?)"
    r"((?:\.[0-9]{1,40})?)([eE][+\-−]?[0-9]{1,2})?"
)
NOTHING = re.compile(r"[-–—−]{0,3}|n/a", re.IGNORECASE)
"""A cell that says that there is nothing."""

_ZEROS = re.compile(r"\A0+(?=[0-9])")
_REPEATED = re.compile(r"[0-9]+(?:,[0-9]*)?")
_IN_BRACES = re.compile(r"\{([^{}]*)\}")


class RowError(InputError):
    """What is wrong with a row of a table: its line is of the file that holds the table."""


@dataclass(frozen=True)
class Value:
    """What stands for a placeholder in one row.

    Attributes:
        header: The column.
        text: The cell as a reader sees it.
        target: Where the link that it begins with leads; empty where it begins with none.
        line: The line of the row.
        given: Whether `rows` gives it in place of the cell: in `evidence` a path or a glob.
    """

    header: str
    text: str
    target: str = ""
    line: int = 0
    given: bool = False

    @cached_property
    def number(self) -> str:
        """The number that the cell is, without separators: `8192`, `-0.5`, `1e-5`; empty where it is none."""
        found = _NUMBER.fullmatch(self.text)
        if found is None or not (found[2] or found[3]):
            return ""
        sign = "-" if found[1] in ("-", "−") else ""
        digits = re.sub("[, _]", "", found[2])
        return f"{sign}{digits}{found[3]}{(found[4] or '').replace('−', '-')}"

    @cached_property
    def literal(self) -> str:
        """The number as JSON and SQL write it: no leading zeros, a digit before the point; empty likewise."""
        if not self.number:
            return ""
        sign = "-" if self.number.startswith("-") else ""
        digits = _ZEROS.sub("", self.number.removeprefix("-"))
        return sign + (f"0{digits}" if digits.startswith(".") else digits)

    @property
    def plain(self) -> str:
        """The cell's text; a number without separators."""
        return self.number or self.text

    @property
    def texts(self) -> tuple[str, ...]:
        """The texts that are this value: a number's without separators, and as written."""
        return tuple(dict.fromkeys((self.plain, self.text)))

    @property
    def shown(self) -> str:
        """What messages call it."""
        if not self.text:
            return f"an empty cell of `{clip(self.header)}`"
        return f"the cell `{clip(self.text)}` of `{clip(self.header)}`"

    def refuse(self, message: str, hint: str) -> NoReturn:
        """Raise `bad-placeholder` for this cell.

        Args:
            message: What is wrong, `{}` for the cell.
            hint: What to do.
        """
        raise RowError("bad-placeholder", message.replace("{}", self.shown), hint, line=self.line)


Values = Mapping[str, Value]
"""The values of one row by their headers."""

Part = str | Callable[[Values], str]
"""A piece of a text: itself, or what a row makes of it."""


@dataclass(frozen=True, slots=True)
class Template:
    """A text with gaps.

    Attributes:
        parts: Its pieces, in order.
        used: The headers whose cells go into it.
    """

    parts: tuple[Part, ...]
    used: frozenset[str] = frozenset()

    def fill(self, values: Values) -> str:
        """The text of one row.

        Raises:
            InputError: `bad-placeholder`: a cell cannot stand in its gap; the line is the row's.
        """
        return "".join([part if isinstance(part, str) else part(values) for part in self.parts])


class Headers:
    """The headers of one table, or the groups of one pattern, and how they are found in texts.

    Args:
        names: The headers, empty ones left out.
        noun: What they are.
    """

    def __init__(self, names: Collection[str], noun: str = "column") -> None:
        self.names = frozenset(names)
        self.noun = noun
        self.pattern = _any_of(names)
        self.in_patterns = _any_of([name for name in names if not _REPEATED.fullmatch(name)])

    def split(self, text: str, *, pattern: bool = False) -> list[tuple[str, str]]:
        """A text as pairs: what stands before a placeholder, and its header; that of the last pair is empty.

        Args:
            text: The text.
            pattern: Whether it is a regular expression, where a header of digits is no placeholder.
        """
        pieces = (self.in_patterns if pattern else self.pattern).split(text)
        return list(zip(pieces[::2], [*pieces[1::2], ""], strict=True))

    def unknown(self, text: str) -> str:
        """The first name in braces that is no header; empty where there is none."""
        return next((found[1] for found in _IN_BRACES.finditer(text) if found[1] not in self.names), "")

    def hint(self, name: str) -> str:
        """What may have been meant by a name that is no header."""
        known = ", ".join(f"`{clip(header)}`" for header in sorted(self.names))
        return did_you_mean(name, self.names) or f"the {self.noun}s are {known}"


def _any_of(names: Collection[str]) -> re.Pattern[str]:
    """What finds `{name}` for each of the names, and nothing where there are none."""
    if not names:
        return re.compile(r"(?!)()")
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(r"\{(" + "|".join(map(re.escape, longest_first)) + r")\}")


def slug(value: Value) -> str:
    """A cell or a header as part of an id: lower case, other signs hyphens, a leading minus `m`."""
    text = value.plain.lower()
    body = re.sub(r"[^a-z0-9.]+", "-", text).strip("-")
    return f"m{body}" if body and text[0] in "-−" else body
