"""Chrome traces, small, and the two ways that they are read: whole, and while they pass by."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from evidence_support import Project, take
from stilltrue.evidence import streams
from stilltrue.evidence.readers.chrome_trace import splitting
from stilltrue.model import Read, Shape

TRACE = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA H100", "note": "[{\\"traceEvents\\": ["
    }
  ],
  "traceEvents": [
  {
    "ph": "X", "cat": "user_annotation", "name": "ProfilerStep#2", "pid": 291, "tid": 291,
    "ts": 6093012675029.333, "dur": 599280.760,
    "args": {
      "External id": 1,"Record function id": 0, "Ev Idx": 0
    }
  },
  {
    "ph": "X", "cat": "cpu_op", "name": "aten::pow", "pid": 291, "tid": 291,
    "ts": 6093013274164.276, "dur": 74.067,
    "args": {
      "External id": 10,"Record function id": 0, "Ev Idx": 9
    }
  },
  {
    "ph": "X", "cat": "kernel", "name": "void pow<4, {lambda(float)#1}, char*[2]>", "pid": 0, "tid": 7,
    "ts": 6093013274373.468, "dur": 1957.934,
    "args": {
      "External id": 10,      "stream": 7, "correlation": 49,      "warps per SM": 21701.445312, \
     "grid": [195313, 1, 1],      "est. achieved occupancy %": 100
    }
  },
  {
    "ph": "f", "id": 49, "pid": 0, "tid": 7, "ts": 6093013274373.468,
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  },
  {
    "ph": "X", "cat": "gpu_memcpy", "name": "Memcpy HtoD (Pageable -> Device)", "pid": 0, "tid": 7,
    "ts": 6093013799366.163, "dur": 45485.777,
    "args": {
      "External id": 20, "bytes": 400000000, "memory bandwidth (GB/s)": 8.793957724411303
    }
  },
  {
    "ph": "X", "cat": "gpu_user_annotation", "name": "ProfilerStep#2", "pid": 0, "tid": 7,
    "ts": 6093013274373.468, "dur": 570478.472,
    "args": {
      "External id": 1
    }
  },
  {
    "name": "process_name", "ph": "M", "ts": 6093012667396.495, "pid": 0, "tid": 0,
    "args": {
      "name": "python3"
    }
  }
  ],
  "traceName": "trace.json",
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1719853884000000000
}
"""
"""In the shape of what `torch.profiler` exports."""

OLDER = (
    '{"schemaVersion": 1, "traceEvents": [\n'
    '  {"ph": "X", "cat": "Operator", "name": "aten::add", "pid": 1, "tid": "123", "ts": 50, "dur": 400},\n'
    '  {"ph": "X", "cat": "Kernel", "name": "add", "pid": 0, "tid": "stream 7", "ts": 60, "dur": 10},\n'
    '  {"ph": "X", "cat": "Memset", "name": "Memset", "pid": 0, "tid": "stream 7", "ts": 80, "dur": 2}\n'
    "]}\n"
)
PAIRS = (
    '[{"name": "us1", "ph": "B", "pid": 1, "tid": 1, "ts": 0},\n'
    ' {"name": "us1", "ph": "E", "pid": 1, "tid": 1, "ts": 1.1}, '
    '{"name": "ns1", "ph": "X", "ts": 3, "dur": 0.011}\n'
    "]"
)
NAME = "trace.json"


def read(column: str, where: str = "", takes: str = "only", form: str = "") -> Read:
    return Read(Shape.TABLE, column=column, where=where, take=take(takes), format=form)


def trace(root: Path, text: str | bytes = TRACE, name: str = NAME) -> Project:
    return Project(root).write(name, text)


@contextmanager
def passing_by(chunk: int = 1 << 20) -> Iterator[None]:
    """Reads of any file are those of a large one, in chunks of so many bytes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "_LARGE", 0)
        patch.setattr(streams, "_LARGE_PACKED", 0)
        patch.setattr(splitting, "_CHUNK", chunk)
        yield
