"""Every quantity in a text: what a reader takes for a measured, counted or quoted number.

What is one:

* a number with a unit that is measured: time, bytes, money, a share, a rate, a ratio (`2.5x`);
* a number with a decimal point, a power of ten, a thousands separator or a count suffix (`10k`);
* a whole number above 12, with or without a noun behind it (`205 target modules`).

A whole number up to 12 without a measured unit is none: prose writes those as words, and what they count is
structure (`3 steps`, `one of 4`) far more often than measurement. No digits that are part of a name are one:
`names` says which those are.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from stilltrue.errors import InputError
from stilltrue.quantity.names import Names, is_date, name_end, names_what_follows
from stilltrue.quantity.shapes import PREFIX, Shape, read_shape
from stilltrue.quantity.units import Units
from stilltrue.quantity.values import BARE, Form

SMALLEST_COUNT = 13
"""The smallest whole number without a measured unit that is a quantity."""

_WORD = PREFIX.pattern.replace("?P<sign>", "?:").replace("?P<word>", "?:")
_MONEY = r"(?:(?:US)?\$|[€£¥₹]|(?:USD|EUR|GBP|JPY|CHF|CNY|INR) )"
_CANDIDATE = re.compile(
    rf"(?<![\w./\\#§@^$€£¥₹\-−‐‑])(?<!\w[=:])(?P<prefix>(?:{_WORD})?)(?P<sign>[+\-−–]?){_MONEY}?\.?[0-9]",
    re.IGNORECASE,
)
_RUN = re.compile(r"[+\-−–$€£¥₹]*[\w.,:/^+\-−–‐‑]*[\w^]")
_MORE = re.compile(r"[\w^]|[.,:/][0-9]|[-−–‐‑][0-9]")
_HYPHENS = "-‐‑–−"
_NOUN_BEHIND = re.compile(r"[-‐‑]([a-z]{3,})(?![\w-])")
_FACTORS = frozenset({"x", "X", "×"})
_FACTOR_GOES_ON = re.compile(r"\s?[0-9]")
_PRONOUNS = frozenset({"it", "its", "It"})
_BITS = re.compile(r"-bits?\b", re.IGNORECASE)
_BARE_CELL = re.compile(r"\s*([~≈]?\s?[+\-−]?(?:[0-9]{1,3}(?:[, ][0-9]{3})+|[0-9]+)(?:\.[0-9]+)?)\s*")
_JOINED = re.compile(r"\s?[×x]\s?|\sof\s|\sout\sof\s|/|\sx\s")
_COMPARED = re.compile(
    r"\s(?:as|more|less|fewer|faster|slower|larger|smaller|longer|shorter|higher|lower|the)\b"
)
_HARDWARE = re.compile(r"\s?[A-Z][A-Za-z]*[0-9]")
_LIST = re.compile(r"[0-9]+(?:\.[0-9]+)?(?:/[0-9]+(?:\.[0-9]+)?){2,}(?![\w/-])")


class Span(NamedTuple):
    """A quantity in a text: `text[start:end]`."""

    start: int
    end: int


def quantities(text: str, units: Units, *, heading: bool = False) -> tuple[Span, ...]:
    """The quantities in a text, in order, none inside another.

    Args:
        text: Prose as a reader sees it: without marks, code, and the targets of links.
        units: The known units.
        heading: Whether it is a heading, which may begin with its own number.
    """
    reader = _Reader(text, units, heading=heading)
    return tuple(_merged(text, reader.read()))


def cell_quantities(text: str, units: Units, *, header: str = "", first: bool = False) -> tuple[Span, ...]:
    """The quantities in a cell of a table.

    A cell that holds a bare number and nothing else is one, however small, unless it names its row: in the
    first column, or below a header that is a label (`Port`, `Version`, `Line`). Years and dates are none.

    Args:
        text: The cell as a reader sees it.
        units: The known units.
        header: The header of its column.
        first: Whether it is the first of its row.
    """
    bare = _BARE_CELL.fullmatch(text)
    if bare is None:
        return quantities(text, units)
    if first or is_date(bare[1]) or names_what_follows(header):
        return ()
    return (Span(*bare.span(1)),)


class _Reader:
    """One pass over a text."""

    def __init__(self, text: str, units: Units, *, heading: bool) -> None:
        self.text = text
        self.units = units
        self.names = Names(text, heading=heading)

    def read(self) -> Iterator[tuple[Span, bool]]:
        """Every number that may be a quantity, and whether it is one by itself."""
        at = 0
        while candidate := _CANDIDATE.search(self.text, at):
            start = candidate.end("prefix")
            stop = name_end(self.text, start)
            listed = None if stop else _LIST.match(self.text, start)
            if listed:
                at = listed.end()
                yield Span(start, at), True
                continue
            begins = start + 1 if candidate["sign"] == "–" else candidate.start()
            shape = None if stop else self._shape(begins)
            if shape is None:
                run = _RUN.match(self.text, start)
                at = max(stop, run.end() if run else 0, candidate.end())
                continue
            end, is_quantity = self._judged(candidate.start(), start, shape)
            at = max(end, candidate.end())
            if is_quantity is not None:
                yield Span(candidate.start(), end), is_quantity

    def _shape(self, start: int) -> Shape | None:
        """What is read there, None where nothing is."""
        try:
            shape = read_shape(self.text, start, self.units)
        except InputError:  # more digits than any measurement
            return None
        return None if shape is None else self._with_its_unit(shape)

    def _with_its_unit(self, shape: Shape) -> Shape:
        """`6-second step` has a unit behind the hyphen; `4 × 4` and `torch 2.6 it` have none."""
        text, last = self.text, shape.amounts[-1]
        if shape.unit is BARE and not last.clock and text[shape.end : shape.end + 1] in tuple(_HYPHENS):
            found = self.units.longest(text, shape.end + 1)
            return (
                shape._replace(unit=found[0], end=found[1]) if found and found[1] > shape.end + 2 else shape
            )
        factor = shape.unit.symbol in _FACTORS and _FACTOR_GOES_ON.match(text, shape.end)
        if factor or shape.unit.symbol in _PRONOUNS:
            return shape._replace(unit=BARE, end=last.digits_end)
        return shape

    def _judged(self, start: int, digits: int, shape: Shape) -> tuple[int, bool | None]:
        """Where a number ends, and whether it is a quantity; None where it is part of a name."""
        text, end = self.text, shape.end
        if _measured(shape) and not self._is_ratio_of_names(shape):
            return self._measured_end(digits, shape)
        if _glued(text, shape):
            run = _RUN.match(text, digits)
            return (run.end() if run else end), None
        if self.names.covers(start, digits, shape):
            return end, None
        return end, _counts(shape)

    def _is_ratio_of_names(self, shape: Shape) -> bool:
        """`8x H100` counts machines, and `run it 3 times` runs: no ratio is meant."""
        text = self.text
        if shape.unit.symbol in _FACTORS:
            return bool(_HARDWARE.match(text, shape.end)) or text[shape.end : shape.end + 1].isalnum()
        return shape.unit.symbol == "times" and not _COMPARED.match(text, shape.end)

    def _measured_end(self, digits: int, shape: Shape) -> tuple[int, bool | None]:
        end = shape.end
        if shape.amounts[0].clock and self.names.is_time_of_day(digits, end):
            return end, None
        if _BITS.match(self.text, shape.amounts[-1].digits_end):
            return end, None
        return end, True


def _measured(shape: Shape) -> bool:
    """Whether its unit is measured: not bare, and no noun of things counted."""
    return shape.unit is not BARE and not shape.unit.noun


def _glued(text: str, shape: Shape) -> bool:
    """Whether letters or more digits go on where the number ends: `26B-A4B`, `3D`, `10.0.0.1`, `16:9`."""
    end = shape.end
    if shape.unit is not BARE:
        return False
    if shape.amounts[-1].suffix and text[end : end + 1] in _HYPHENS and text[end + 1 : end + 2].isalnum():
        return True
    if _NOUN_BEHIND.match(text, end):
        return False
    return bool(_MORE.match(text, end)) or (
        text[end : end + 1] in tuple(_HYPHENS) and text[end + 1 : end + 2].isalpha()
    )


def _counts(shape: Shape) -> bool:
    """Whether a number without a measured unit is a quantity."""
    numeral = shape.amounts[-1].numeral
    if not numeral.whole or shape.form is Form.SPREAD:
        return True
    return abs(numeral.number) >= SMALLEST_COUNT


def _merged(text: str, found: Iterator[tuple[Span, bool]]) -> Iterator[Span]:
    """Numbers that belong together as one: `1 × 8,192`, `41 of 50`."""
    last: Span | None = None
    counts = False
    for span, is_quantity in found:
        if last is not None and _JOINED.fullmatch(text, last.end, span.start):
            last, counts = Span(last.start, span.end), counts or is_quantity
            continue
        if last is not None and counts:
            yield last
        last, counts = span, is_quantity
    if last is not None and counts:
        yield last
