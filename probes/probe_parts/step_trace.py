"""One training step under PyTorch's profiler: its table and its Chrome trace; no probe itself."""

from __future__ import annotations

import contextlib
import gzip
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torch.profiler import ProfilerActivity, profile

from probe_parts.step_clock import Device, Times, timed

os.environ.setdefault("KINETO_LOG_LEVEL", "99")  # each profile would log when it starts and when it ends

Step = Callable[[], object]
SHORT_TABLE = 10

_ACTIVITIES = {
    "cpu": [ProfilerActivity.CPU],
    "cuda": [ProfilerActivity.CPU, ProfilerActivity.CUDA],
}
_SORTED_BY = {"cpu": "self_cpu_time_total", "cuda": "self_cuda_time_total"}
_HOST = re.compile(rb'("host_name":\s*)"[^"]*"')


@dataclass(frozen=True, slots=True)
class Profiled:
    """Steps with and without the profiler.

    Attributes:
        plain: Times without it.
        profiled: Times with it.
        table: `key_averages()` of the profiled step that came to the least time, as it printed it.
        trace: The same step as a Chrome trace: JSON, as PyTorch wrote it but for the machine's name.
    """

    plain: tuple[Times, ...]
    profiled: tuple[Times, ...]
    table: str
    trace: bytes


def profiled_steps(step: Step, rounds: int, device: Device, *, cut: bool = False) -> Profiled:
    """Steps in turn with and without the profiler; with `cut`, a table of `SHORT_TABLE` rows only.

    The profiler's clock is wall time: the least disturbed run is the one with the smallest total.
    """
    plain: list[Times] = []
    spent: list[Times] = []
    best: tuple[float, Any] | None = None
    for _ in range(rounds):
        plain.append(timed(step, device))
        with profile(activities=_ACTIVITIES[device]) as run:
            spent.append(timed(step, device))
        total = sum(float(row.self_cpu_time_total) for row in run.key_averages())
        if best is None or total < best[0]:
            best = total, run
    assert best is not None, "rounds are above 0"  # noqa: S101  # for the type checker
    rows = best[1].key_averages()
    table = rows.table(sort_by=_SORTED_BY[device], row_limit=SHORT_TABLE if cut else -1)
    return Profiled(tuple(plain), tuple(spent), table, chrome_trace(best[1]))


def chrome_trace(run: Any) -> bytes:
    """The trace that a profiler exports, under a name without folders and without the machine's own name."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        run.export_chrome_trace("trace.json")
        return _HOST.sub(rb'\1""', Path("trace.json").read_bytes())


def packed(trace: bytes) -> bytes:
    """The trace for a file, gzip; the same bytes for the same trace."""
    return gzip.compress(trace, mtime=0)
