"""What the tests of tables share: reading from text, and printing tables as torch does."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from stilltrue.config import Config, Limits
from stilltrue.errors import InputError
from stilltrue.evidence.tables import Cell, Tables, parse_tables, select
from stilltrue.model import Read, Shape, Take
from stilltrue.quantity import Quantity, Units

UNITS = Units.default()
CASES = Path(__file__).parents[2] / "shared" / "cases"
"""Files of public projects; tests use them where they are."""

HEADINGS = (
    *("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"),
    *("Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg", "# of Calls"),
)


def csv(text: str, *, decimal: str = ".", header: bool = True) -> Tables:
    return parse_tables(text, "csv", decimal, header, UNITS)


def profile(text: str) -> Tables:
    return parse_tables(text, "torch-profiler", ".", True, UNITS)


def cells(
    tables: Tables,
    column: str,
    where: str = "",
    *,
    take: str = "only",
    unit: str = "",
    table: str = "",
    seconds: float = 10.0,
) -> tuple[list[Cell], tuple[str, ...]]:
    read = Read(
        Shape.TABLE,
        column=column,
        where=where,
        take=(Take(take),),
        table=table,
        unit=UNITS.parse(unit) if unit else None,
    )
    return select(tables, read, Config(Path(), limits=Limits(seconds=seconds)))


def readings(tables: Tables, column: str, where: str = "", *, unit: str = "", table: str = "") -> list[str]:
    """The readings as `number unit`, exact."""
    found, _ = cells(tables, column, where, unit=unit, table=table)
    return [shown(cell) for cell in found]


def shown(cell: Cell) -> str:
    if isinstance(cell.value, Quantity):
        return f"{cell.value.number} {cell.value.unit.symbol}".strip()
    return str(cell.value)


def total(found: Sequence[Cell]) -> Fraction:
    """The sum of readings in base units."""
    quantities = [cell.value for cell in found if isinstance(cell.value, Quantity)]
    assert len(quantities) == len(found)
    return sum((quantity.base for quantity in quantities), Fraction(0))


def refusal(
    tables: Tables,
    column: str,
    where: str = "",
    *,
    take: str = "only",
    unit: str = "",
    table: str = "",
    seconds: float = 10.0,
) -> InputError:
    """The error that a read gives."""
    try:
        found, _ = cells(tables, column, where, take=take, unit=unit, table=table, seconds=seconds)
    except InputError as error:
        return error
    raise AssertionError(f"no error: {found}")


def op(name: str, cpu: str, device: str, calls: int = 1) -> tuple[str, ...]:
    """A row of an operator, which repeats the device time of what it launched."""
    return (name, "10.00%", cpu, "10.00%", cpu, cpu, device, "50.00%", device, device, str(calls))


def kernel(name: str, device: str, calls: int = 1) -> tuple[str, ...]:
    """A row of work on the device."""
    zero = "0.000us"
    return (name, "0.00%", zero, "0.00%", zero, zero, device, "50.00%", device, device, str(calls))


def printed(
    rows: Sequence[Sequence[str]],
    headings: Sequence[str] = HEADINGS,
    footer: Sequence[str] = (),
    *,
    width: int = 40,
) -> str:
    """A table as `key_averages().table()` prints it."""
    widths = [width] + [12] * (len(headings) - 1)
    rule = "".join("-" * size + "  " for size in widths)
    lines = [rule, _row(headings, widths), rule, *(_row(row, widths) for row in rows), rule, *footer]
    return "\n".join(lines) + "\n"


def _row(texts: Sequence[str], widths: Sequence[int]) -> str:
    return "".join(f"{text:>{size}}  " for text, size in zip(texts, widths, strict=True))
