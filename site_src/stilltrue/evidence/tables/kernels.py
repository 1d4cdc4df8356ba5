"""The traps of a profiler table: which rows are kernels, and what stands below it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from stilltrue.evidence.tables.footers import Footer, Rounded

DEVICE = "device"
"""The column that says whether a row is a kernel, copy or fill on the device."""

_RUNTIME = re.compile(r"cuda[A-Z]|cu[A-Z]|Activity Buffer Request|Command Buffer Full")
_OWN = re.compile(r"\[memory\]$|ProfilerStep[*#]")
_TOTAL = re.compile(r"\b(?:Self )?(\w+) time total: *(\S+)")
_TIME = re.compile(r"([0-9]+)(?:\.([0-9]+))? *(us|ms|s)")
_SCALES = {"us": Fraction(1, 1_000_000), "ms": Fraction(1, 1000), "s": Fraction(1)}


def kernel_rows(names: Sequence[str], rows: Sequence[Sequence[str]]) -> list[bool]:
    """Which rows are device rows: work that the device did, each once.

    A kernel and the operator that launched it carry the same device time. A row counts only when its own
    and total CPU time are 0, no CPU row has its name (then it is a user annotation, which repeats the time
    of the kernels below it), and it is no row of the runtime or of the profiler itself.

    Args:
        names: The names of the columns.
        rows: The cells of each row.
    """
    name = names.index("name")
    times = [names.index(column) for column in ("self_cpu", "cpu_total") if column in names]
    idle = [all(_is_zero(row[at]) for at in times) for row in rows]
    on_cpu = {row[name] for row, is_idle in zip(rows, idle, strict=True) if not is_idle}
    return [
        is_idle and row[name] not in on_cpu and not _RUNTIME.match(row[name]) and not _OWN.match(row[name])
        for row, is_idle in zip(rows, idle, strict=True)
    ]


def kernel_footer(
    device: str,
    names: Sequence[str],
    rows: Sequence[Sequence[str]],
    flags: Sequence[bool],
    below: Iterable[str],
) -> Footer | None:
    """What the device rows come to beside what the lines below the table say.

    Args:
        device: The word for the device in the headings.
        names: The names of the columns.
        rows: The cells of each row.
        flags: From `kernel_rows`.
        below: The lines below the table.

    Returns:
        None for a table that has no device rows of its own: those of torch before 1.8.
    """
    if "self_device" not in names:
        return None
    own = names.index("self_device")
    times = [_time(row[own]) for row, flag in zip(rows, flags, strict=True) if flag]
    known = [time for time in times if time is not None]
    total = next((time for word, time in _totals(below) if word != "CPU"), None)
    summed = Rounded(sum((t.value for t in known), Fraction(0)), sum((t.slack for t in known), Fraction(0)))
    return Footer(device, summed, total)


def _totals(lines: Iterable[str]) -> Iterator[tuple[str, Rounded | None]]:
    for line in lines:
        found = _TOTAL.search(line)
        if found is not None:
            yield found[1], _time(found[2])
        elif line.strip():
            return


def _time(text: str) -> Rounded | None:
    found = _TIME.fullmatch(text)
    if found is None:
        return None
    scale, decimals = _SCALES[found[3]], found[2] or ""
    ulp = scale / 10 ** len(decimals)
    return Rounded(int(found[1] + decimals) * ulp, ulp / 2)


def _is_zero(time: str) -> bool:
    return not time.strip("0.usm ")
