"""Metrics as Nsight Compute prints them, in text and in CSV: their columns, numbers and units."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from stilltrue.errors import InputError
from stilltrue.evidence.readers.building import Row
from stilltrue.evidence.tables.frames import Kind

COLUMNS: dict[str, str | Kind] = {
    "id": "",
    "process": "",
    "kernel": Kind.TEXT,
    "context": "",
    "stream": "",
    "grid": Kind.TEXT,
    "block": Kind.TEXT,
    "device": "",
    "cc": Kind.TEXT,
    "section": Kind.TEXT,
    "metric": Kind.TEXT,
    "unit": Kind.TEXT,
    "value": "",
}
"""The columns of a table of one row for each metric."""

_SCALES = {"": "", "n": "n", "u": "u", "m": "m", "K": "k", "M": "M", "G": "G", "T": "T"}
_UNITS = {
    "%": "%",
    **{f"{scale}{word}": f"{scale}s" for scale in ("n", "u", "m", "") for word in ("second", "s")},
    **{f"{scale}{word}": f"{_SCALES[scale]}Hz" for scale in ("", "K", "M", "G") for word in ("hz", "Hz")},
    **{
        f"cycle/{scale}{word}": unit
        for scale, unit in (("n", "GHz"), ("u", "MHz"), ("m", "kHz"), ("", "Hz"))
        for word in ("second", "s")
    },
    "byte": "bytes",
    **{f"{scale}byte": f"{_SCALES[scale]}B" for scale in ("K", "M", "G", "T")},
    **{f"byte/{word}": "bytes/s" for word in ("second", "s")},
    **{
        f"{scale}byte/{word}": f"{_SCALES[scale]}B/s"
        for scale in ("K", "M", "G", "T")
        for word in ("second", "s")
    },
}
_NUMBER = re.compile(r"-?\d[\d.,\u00a0\u202f]*(?:[eE][+-]?\d+)?")
_MARKS = re.compile(r"[.,]")
_BLANKS = re.compile(r"[\u00a0\u202f]")
_ABSENT = frozenset({"n/a", "(!) n/a", "N/A"})


def decimal_mark(texts: Iterable[str]) -> str:
    """The decimal mark of a file, told by its numbers of which one kind alone can be: `.` or `,`.

    `1,015` may be either; `3,717.88`, `9,00` and `1,015,808` say which it is.

    Raises:
        InputError: `bad-table`: there are numbers of both kinds.
    """
    found = {mark for text in texts if _NUMBER.fullmatch(text) and (mark := _mark(text))}
    if len(found) > 1:
        raise InputError(
            "bad-table",
            "some of its numbers have a decimal comma, and some a decimal point",
            "keep what was printed under different locales in files of their own",
        )
    return found.pop() if found else "."


def _mark(text: str) -> str:
    """The mark that must be the decimal one; empty where the number leaves it open."""
    marks = _MARKS.findall(text)
    if not marks:
        return ""
    last = marks[-1]
    other = "." if last == "," else ","
    if len(marks) > 1:
        return last if marks[-2] != last else other
    digits = len(re.split(r"[eE]", text)[0]) - text.rindex(last) - 1
    return last if digits != 3 else ""


def value_cell(text: str, unit: str, mark: str) -> str:
    """The cell of a value: its number, with the unit where it is a known one; text as it is."""
    if text in _ABSENT:
        return ""
    if not _NUMBER.fullmatch(text):
        return text
    group = "." if mark == "," else ","
    number = _BLANKS.sub("", text.replace(group, "")).replace(mark, ".")
    return f"{number} {_UNITS.get(unit, '')}".strip()


def with_values(rows: Sequence[Row], mark: str) -> list[Row]:
    """The rows, with `value` as its cell."""
    return [
        row._replace(cells={**row.cells, "value": value_cell(row.cells["value"], row.cells["unit"], mark)})
        if "value" in row.cells
        else row
        for row in rows
    ]
