"""A line of evidence with the values that were read from it emphasised, where they can be found in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from stilltrue.quantity import Flag, Items, Quantity, Text, Value
from stilltrue.site.markup import line

Span = tuple[int, int]

# Numbers as evidence writes them; signs are left out, for a hyphen before a digit need not be one.
_PLAIN = re.compile(r"(?<![\w.])(?:\d++(?:\.\d++)?+|\.\d++)(?:[eE][+-]?\d++)?+(?![_\d]|\.\d)")
_GROUPED = re.compile(r"(?<![\w.,])\d{1,3}+(?:[,_ ]\d{3})++(?:\.\d++)?+(?!\d)")
_COMMA = re.compile(r"(?<![\w.,])\d++,\d++(?!\d)")
_SEPARATORS = str.maketrans("", "", ",_ ")
_FLAGS = {True: re.compile(r"(?i)\b(?:true|yes)\b"), False: re.compile(r"(?i)\b(?:false|no)\b")}


def emphasised(row: str, values: Sequence[Value]) -> str:
    """The line as HTML, each value that stands in it in a `<mark>`; a computed value stands nowhere in it."""
    html, end = [], 0
    for start, stop in sorted(_spans(row, values)):
        if start >= end:
            html.append(f"{line(row[end:start])}<mark>{line(row[start:stop])}</mark>")
            end = stop
    return "".join(html) + line(row[end:])


def _spans(row: str, values: Sequence[Value]) -> set[Span]:
    spans: set[Span] = set()
    numbers: dict[float, list[Span]] | None = None
    for value in _single(values):
        match value:
            case Quantity():
                if numbers is None:
                    numbers = _numbers(row)
                spans.update(_of_quantity(row, value, numbers))
            case Flag(yes=yes):
                spans.update(found.span() for found in _FLAGS[yes].finditer(row))
            case Text(text=words) if words.strip():
                spans.update(found.span() for found in re.finditer(re.escape(words), row))
            case _:
                pass
    return spans


def _single(values: Iterable[Value]) -> Iterator[Value]:
    """The values, those of lists one by one, each once."""
    seen: dict[Value, None] = {}
    for value in values:
        seen.update(dict.fromkeys(value.items if isinstance(value, Items) else (value,)))
    return iter(seen)


def _numbers(row: str) -> dict[float, list[Span]]:
    """Where each number stands, by its size; what can be read in two ways is there twice."""
    found: dict[float, list[Span]] = {}
    for pattern in (_PLAIN, _GROUPED, _COMMA):
        for number in pattern.finditer(row):
            written = number[0].replace(",", ".") if pattern is _COMMA else number[0].translate(_SEPARATORS)
            found.setdefault(float(written), []).append(number.span())
    return found


def _of_quantity(row: str, value: Quantity, numbers: dict[float, list[Span]]) -> list[Span]:
    """Where a quantity stands: beside its unit, if it does so anywhere."""
    try:
        spans = numbers.get(abs(float(value.number)), [])
    except OverflowError:
        return []
    unit = value.unit.symbol
    beside = [span for span in spans if row[span[1] :].lstrip().startswith(unit)] if unit else []
    return beside or spans
