"""Tries a reader on what becomes of evidence: files that are cut, damaged, of other formats.

    from stilltrue.testing import examine

    def test_the_reader() -> None:
        examine(READER, Path("tests/run.log").read_bytes())

A reader passes when it either refuses such a file or gives what the whole file holds: never a number that was
cut short, never a zero for what is not there, never an error of its own.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from stilltrue.reading import Reader
from stilltrue.testing.asking import BrokeError, Cell, Given, Refused, Tried
from stilltrue.wording import quoted

__all__ = ["OTHERS", "examine", "faults"]

OTHERS: Mapping[str, bytes] = {
    "CSV": b"a,b\n1,2\n",
    "a JSON object": b'{"results": 3}\n',
    "a JSON array": b"[1, 2]\n",
    "words": b"nothing of the kind\n",
    "a number": b"+0.5\n",
    "a table of Markdown": b"| a | b |\n|---|---|\n| 1 | 2 |\n",
    "zeros": bytes(512),
    "a picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00",
    "no UTF-8": b"caf\xe9 1.5\n",
    "a long line": b"1 " * 50_000,
    "deep nesting": b"[" * 50_000,
}
"""Files of other formats."""

_SHOWN = 3
_NUMBER = re.compile(rb"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_ZERO = re.compile(r"[+-]?0*\.?0+(?:[eE][+-]?\d+)?")


def examine(
    reader: Reader | str,
    sample: bytes | str,
    *,
    path: str = "sample",
    places: int = 1000,
    others: Mapping[str, bytes] = OTHERS,
) -> None:
    """Tries a reader on a sample, on what becomes of it, and on files of other formats.

    Args:
        reader: The reader, or the name of a format that stilltrue reads itself.
        sample: A whole file of its format, small, with its traps in it.
        path: What the file is called.
        places: In how many places the sample is cut, at all of them where it has no more; and how often it is
            damaged.
        others: Files of other formats, by what they are; those that it recognises are no others.

    Raises:
        AssertionError: What is wrong: the lines of `faults`.
    """
    found = list(faults(reader, sample, path=path, places=places, others=others))
    if found:
        raise AssertionError("\n".join(found))


def faults(
    reader: Reader | str,
    sample: bytes | str,
    *,
    path: str = "sample",
    places: int = 1000,
    others: Mapping[str, bytes] = OTHERS,
) -> Iterator[str]:
    """What is wrong with a reader, a sentence for each of the first few faults of each kind.

    The arguments are those of `examine`.
    """
    tried = Tried(reader, path)
    whole = sample.encode("utf-8") if isinstance(sample, str) else sample
    try:
        full = tried.given(whole)
    except BrokeError as error:
        yield f"the whole sample: {error}"
        return
    if not full.cells:
        yield "the whole sample: it gives no cell that holds anything"
        return
    yield from _of_the_whole(tried, whole, full)
    yield from islice(_of_cuts(tried, whole, full, places), _SHOWN)
    yield from islice(_of_blanks(tried, whole, full, places), _SHOWN)
    yield from islice(_of_damage(tried, whole, places), _SHOWN)
    yield from islice(_of_others(tried, others), _SHOWN)


def _of_the_whole(tried: Tried, whole: bytes, full: Given) -> Iterator[str]:
    try:
        if tried.given(whole) != full:
            yield "the whole sample: it is read differently the second time"
        if tried.recognises and not tried.knows(whole):
            yield "the whole sample: it is not recognised"
    except BrokeError as error:
        yield f"the whole sample, the second time: {error}"


def _of_cuts(tried: Tried, whole: bytes, full: Given, places: int) -> Iterator[str]:
    for last in _spread(len(whole) - 1, places):
        end = last + 1  # an empty file is refused before any reader is asked
        said_of = f"cut after {end:,} of {len(whole):,} bytes"
        try:
            tried.knows(whole[:end])
            asked = tried.ask(whole[:end])
        except BrokeError as error:
            yield f"{said_of}: {error}"
            continue
        new = set() if isinstance(asked, Refused) else asked.beside(full) - full.cells
        if new:
            yield f"{said_of}: {_told(min(new))}, and nothing of the kind stands in the whole sample"


def _of_blanks(tried: Tried, whole: bytes, full: Given, places: int) -> Iterator[str]:
    """Each number replaced by a sign that is none: what was no zero before does not become one."""
    zeros = {cell for cell in full.cells if _ZERO.fullmatch(cell.text)}
    numbers = list(_NUMBER.finditer(whole))
    for at in _spread(len(numbers), places):
        start, end = numbers[at].span()
        said_of = f"without the number at byte {start:,}"
        try:
            asked = tried.ask(whole[:start] + b"?" + whole[end:])
        except BrokeError as error:
            yield f"{said_of}: {error}"
            continue
        cells = () if isinstance(asked, Refused) else asked.beside(full) - zeros
        new = sorted(cell for cell in cells if _ZERO.fullmatch(cell.text))
        if new:
            yield f"{said_of}: {_told(new[0])}, and it was not before"


def _of_damage(tried: Tried, whole: bytes, places: int) -> Iterator[str]:
    chance = random.Random(0)  # noqa: S311  # the same damage each time
    for _ in range(places):
        start = chance.randrange(len(whole))
        end = min(len(whole), start + chance.randrange(40))
        between = chance.randbytes(chance.randrange(6)) if chance.random() < 0.5 else chance.choice(_SPLICES)
        damaged = whole[:start] + between + whole[end:]
        try:
            if damaged.strip():  # what is empty is refused before any reader is asked
                tried.knows(damaged)
                tried.ask(damaged)
        except BrokeError as error:
            yield f"with bytes {start:,} to {end:,} replaced by {between!r}: {error}"


_SPLICES = (
    b"-",
    b"nan",
    b"1e999",
    b"\n",
    b"\r",
    b"\0",
    b"{",
    b'"',
    b"'",
    b",",
    b"\x1b[31m",
    b"\xff",
    b"9" * 400,
)


def _of_others(tried: Tried, others: Mapping[str, bytes]) -> Iterator[str]:
    for what, data in others.items():
        try:
            if tried.knows(data):
                continue
            asked = tried.ask(data)
        except BrokeError as error:
            yield f"{what} under its name: {error}"
            continue
        if not isinstance(asked, Refused) and asked.cells and not asked.faults:
            yield f"{what} under its name: {_told(min(asked.cells))}, and it should be refused"


def _told(cell: Cell) -> str:
    return f"`{cell.column}` of line {cell.line} is {quoted(cell.text)}"


def _spread(length: int, most: int) -> list[int]:
    """Up to `most` of the numbers below `length`, 0 left out of many; the last half of them at the end.

    What is cut near its end is what a reader most easily takes for whole.
    """
    if length <= most:
        return list(range(length))
    near = most // 2
    far = length - near
    return sorted({at * far // (most - near) for at in range(most - near)} | set(range(far, length)))
