"""What one claim costs in a large Chrome trace, beside `orjson.loads` of it; the same trace on every machine.

    python benchmarks/traces.py make FOLDER PACKED
    python benchmarks/traces.py load FILE

`make` writes a project with a trace of 300 MB in the shape of what `torch.profiler` exports (`plain`, `gzip`
or `zstd`), and a claim that sums one kernel's time. `load` is the floor: it unpacks a trace and parses it.
"""

from __future__ import annotations

import gzip
import importlib
import random
import sys
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

BYTES = 300_000_000
SUFFIXES = {"plain": "", "gzip": ".gz", "zstd": ".zst"}

_PIECE = 4096
_HEAD = """{
  "schemaVersion": 1,
  "deviceProperties": [
    {
      "id": 0, "name": "NVIDIA H100 80GB HBM3", "totalGlobalMem": 84922662912,
      "computeMajor": 9, "computeMinor": 0, "warpSize": 32, "numSms": 132
    }
  ],
  "traceEvents": [
"""
_TAIL = """
  ],
  "traceName": "trace.json",
  "displayTimeUnit": "ms",
  "baseTimeNanoseconds": 1719853884000000000
}
"""
_KERNELS = (
    "fmha_cutlassF_bf16_aligned_64x128_rf_sm80(PyTorchMemEffAttention::AttentionKernel<cutlass::bfloat16_t>)",
    (
        "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<c10::BFloat16>, "
        "at::detail::Array<char*, 3> >(int, at::native::CUDAFunctor_add<c10::BFloat16>, "
        "at::detail::Array<char*, 3>)"
    ),
    "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1_execute_segment_k_off",
    "void (anonymous namespace)::softmax_warp_forward<c10::BFloat16, c10::BFloat16, float, 10, false, false>",
)
_OPERATORS = (
    "aten::linear",
    "aten::addmm",
    "aten::scaled_dot_product_attention",
    "aten::add",
    "aten::softmax",
)
_CLAIM = """- id: attention
  says: "Attention takes {{value}} of the run."
  value: "{value} us"
  evidence: claims/evidence/{name}
  read: {{where: "cat = 'kernel' and name like 'fmha_cutlass%'", column: dur, take: sum}}
"""


class _Trace:
    """Makes the events of launches: an operator, its launch, the flow from it, and the kernel."""

    def __init__(self) -> None:
        self.random = random.Random(1)  # noqa: S311  # made text, no secret
        self.attention = Fraction(0)

    def text(self) -> Iterator[str]:
        """The whole trace, in pieces."""
        yield _HEAD
        size, launch, comma = len(_HEAD), 0, ""
        while size < BYTES:
            piece = comma + ",\n".join(self._launch(number) for number in range(launch, launch + _PIECE))
            launch += _PIECE
            comma = ",\n"
            size += len(piece)
            yield piece
        yield _TAIL

    def _launch(self, number: int) -> str:
        start = 6093012675029.0 + 25 * number
        operator, kernel = self.random.choice(_OPERATORS), self.random.choice(_KERNELS)
        took = f"{self.random.uniform(1, 900):.3f}"
        if kernel is _KERNELS[0]:
            self.attention += Fraction(took)
        return f"""  {{
    "ph": "X", "cat": "cpu_op", "name": "{operator}", "pid": 291090, "tid": 291090,
    "ts": {start:.3f}, "dur": {self.random.uniform(8, 20):.3f},
    "args": {{
      "External id": {number},"Record function id": 0, "Sequence number": {number}, "Ev Idx": {number}
    }}
  }},
  {{
    "ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 291090, "tid": 291090,
    "ts": {start + 2:.3f}, "dur": {self.random.uniform(3, 6):.3f},
    "args": {{
      "External id": {number},      "cbid": 211, "correlation": {number}
    }}
  }},
  {{
    "ph": "s", "id": {number}, "pid": 291090, "tid": 291090, "ts": {start + 2:.3f},
    "cat": "ac2g", "name": "ac2g"
  }},
  {{
    "ph": "X", "cat": "kernel", "name": "{kernel}", "pid": 0, "tid": 7,
    "ts": {start + 10:.3f}, "dur": {took},
    "args": {{
      "External id": {number},      "queued": 0, "device": 0, "context": 1,      "stream": 7, "correlation": \
{number},      "registers per thread": 18,      "shared memory": 0,      "blocks per SM": 5425.361328,      \
"warps per SM": 21701.445312,      "grid": [195313, 1, 1],      "block": [128, 1, 1],      "est. achieved \
occupancy %": 100
    }}
  }},
  {{
    "ph": "f", "id": {number}, "pid": 0, "tid": 7, "ts": {start + 10:.3f},
    "cat": "ac2g", "name": "ac2g", "bp": "e"
  }}"""


def make(folder: Path, packed: str) -> Path:
    """Write a project whose one claim holds.

    Args:
        folder: The project's root.
        packed: A key of `SUFFIXES`.

    Returns:
        The trace.
    """
    evidence = folder / "claims" / "evidence"
    evidence.mkdir(parents=True)
    trace = _Trace()
    file = evidence / f"trace.json{SUFFIXES[packed]}"
    with _opened(file, "wb") as stream:
        for piece in trace.text():
            stream.write(piece.encode("ascii"))
    claim = _CLAIM.format(value=f"{float(trace.attention):.3f}", name=file.name)
    (folder / "claims" / "traces.yml").write_text(claim, encoding="utf-8")
    (folder / "stilltrue.toml").write_text("pages = []\n", encoding="utf-8")
    return file


def load(file: Path) -> None:
    """Unpack a trace and parse it."""
    import orjson  # noqa: PLC0415  # `make` needs nothing of it

    with _opened(file, "rb") as stream:
        assert orjson.loads(stream.read())["traceEvents"]


def _opened(file: Path, mode: str) -> Any:
    if file.suffix == ".gz":
        return gzip.open(file, mode)
    if file.suffix == ".zst":
        return _zstd().open(file, mode)
    return file.open(mode)


def _zstd() -> Any:
    """The standard library's module, or the same for earlier Pythons."""
    return importlib.import_module("compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd")


if __name__ == "__main__":
    action, place, *rest = sys.argv[1:]
    if action == "make":
        make(Path(place), *rest)
    else:
        load(Path(place))
