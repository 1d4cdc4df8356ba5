"""Evidence as tables: CSV, TSV and what `torch.profiler` prints, read with SQL expressions over one row."""

from __future__ import annotations

from stilltrue.deadline import Deadline
from stilltrue.errors import InputError
from stilltrue.evidence.tables.collection import Tables
from stilltrue.evidence.tables.delimited import parse_csv, parse_tsv, sniff_delimited
from stilltrue.evidence.tables.frames import Cell
from stilltrue.evidence.tables.profiler import is_profiler, parse_profiler
from stilltrue.evidence.tables.selecting import select
from stilltrue.evidence.tables.wanted import wanted
from stilltrue.quantity import Units

CSV = "csv"
TSV = "tsv"
PROFILER = "torch-profiler"

FORMATS: dict[str, str] = {
    CSV: "values separated by commas, or by semicolons where the first line has no comma",
    TSV: "values separated by tabs",
    PROFILER: "tables that `key_averages().table()` of `torch.profiler` printed, among any other text",
}
"""Each format of tables, and what it is."""

_SUFFIXES = {".csv": CSV, ".tsv": TSV, ".tab": TSV}
_PACKED = (".gz", ".zst")


def parse_tables(
    text: str,
    format: str,  # noqa: A002  # the key's name
    decimal: str,
    header: bool,
    units: Units,
    deadline: Deadline | None = None,
) -> Tables:
    """The tables of a text.

    Args:
        text: Decoded, lines ending in LF.
        format: A key of `FORMATS`.
        decimal: The decimal mark of its cells, `.` or `,`.
        header: Whether the first row names the columns; without it they are `c1`, `c2`, …
        units: The units that cells and headings may have.
        deadline: When rows of cells must be done; None where there is no hurry.

    Raises:
        InputError: `bad-table`: the text is no table of this format; `too-slow`: it takes too long.
    """
    if format == CSV:
        return Tables((parse_csv(text, decimal, header, units, deadline),), units, decimal)
    if format == TSV:
        return Tables((parse_tsv(text, header, units, deadline),), units, decimal)
    if format == PROFILER:
        return Tables(parse_profiler(text, units), units, decimal)
    raise InputError("bad-table", f"`{format}` is no format of tables", f"use {', '.join(FORMATS)}")


def sniff(text: str, path: str) -> str | None:
    """The format of a file's tables: by its suffix, else by its text; None when it has none."""
    known = suffix_format(path)
    if known is not None:
        return known
    return PROFILER if is_profiler(text) else sniff_delimited(text)


def suffix_format(path: str) -> str | None:
    """The format that the end of a file's name means, that of its compression aside; None for none."""
    name = path.lower()
    for packed in _PACKED:
        name = name.removesuffix(packed)
    return next((known for suffix, known in _SUFFIXES.items() if name.endswith(suffix)), None)


__all__ = [
    "FORMATS",
    "PROFILER",
    "Cell",
    "Tables",
    "parse_tables",
    "select",
    "sniff",
    "suffix_format",
    "wanted",
]
