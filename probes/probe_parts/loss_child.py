"""The loss of a head, run once in a process of its own whose peak memory is read; no probe itself."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from probe_parts.loss_arithmetic import Head
from probe_parts.losses import Way, head_loss
from probe_parts.peak_memory import CudaWatch, Watch, free_memory, is_out_of_memory, limit_memory

SOFTCAP = 30.0
OUT_OF_MEMORY = "out of memory"
MEASURED = "measured"

_PROBES = str(Path(__file__).resolve().parents[1])

RETURNING = {"MALLOC_MMAP_THRESHOLD_": "65536"}
"""With it glibc gives freed blocks of this size and more back at once; without, it keeps them for later."""


@dataclass(frozen=True, slots=True)
class Run:
    """One measurement.

    Attributes:
        way: How the loss is computed.
        chunk: Tokens in a chunk.
        head: The head and its tokens.
        dtype: Of hidden states, head and logits.
        device: `cpu` or `cuda`.
        returning: Whether freed blocks are to go back to the system at once.
        limit: Bytes that the process may take for it; 0 for what the machine has free.
        plant: A fault to put in.
    """

    way: Way
    chunk: int
    head: Head
    dtype: str
    device: str
    returning: bool
    limit: int
    plant: str


def forward_and_backward(
    head: Head, inputs: tuple[Tensor, Tensor, Tensor], way: Way, chunk: int, plant: str
) -> None:
    """The loss and its backward pass, with the fault that is put in.

    Args:
        head: Which says whether there is a soft-cap.
        inputs: Hidden states (1, tokens, hidden), the head's matrix (vocab, hidden) and labels (1, tokens).
        way: How the loss is computed.
        chunk: Tokens in a chunk.
        plant: The fault; empty for none.
    """
    states, weight, labels = inputs
    kept: Way = "chunked" if plant == "keep-logits" and way == "recomputed" else way
    softcap = SOFTCAP if head.softcap and plant != "no-softcap" else None
    loss = head_loss(states, weight, labels, way=kept, chunk=chunk, softcap=softcap)
    loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it unannotated


# In the parent -----------------------------------------------------------------------------------------


def measured(run: Run) -> dict[str, Any]:
    """What a child says of `run`.

    Returns:
        `outcome` and `peak`; where it was measured, also the peak's `hidden` and `by`, and `cpu_ms`.

    Raises:
        SystemExit: The child failed for another reason than memory.
    """
    environment = {name: value for name, value in os.environ.items() if name not in RETURNING}
    environment |= RETURNING if run.returning else {}
    environment["OMP_NUM_THREADS"] = "1"
    environment["PYTHONPATH"] = os.pathsep.join([_PROBES, *filter(None, [environment.get("PYTHONPATH")])])
    command = [sys.executable, "-m", "probe_parts.loss_child", json.dumps(asdict(run))]
    done = subprocess.run(  # noqa: S603  # this Python and this module
        command, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode < 0:
        return {"outcome": f"killed by {signal.Signals(-done.returncode).name}", "peak": None}
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        raise SystemExit(f"{run.way} in chunks of {run.chunk}: the process that runs it failed: {reason}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


# In the child ------------------------------------------------------------------------------------------


def child(run: Run) -> dict[str, Any]:
    """Run it here."""
    torch.set_num_threads(1)
    torch.manual_seed(0)
    try:
        return _watched(run)
    except (MemoryError, RuntimeError) as error:
        if not is_out_of_memory(error):
            raise
        return {"outcome": OUT_OF_MEMORY, "peak": None}


def _watched(run: Run) -> dict[str, Any]:
    head = run.head
    _work(run, _inputs(run, tokens=8, vocab=64))  # what the first call loads belongs to no way
    inputs = _inputs(run, head.tokens, head.vocab)
    limited = limit_memory(run.limit or free_memory())  # so that it fails, and not what the kernel picks
    if run.limit and not limited:
        return {"outcome": "this system sets no limit of memory", "peak": None}
    watch = CudaWatch() if run.device == "cuda" else Watch(inherited=run.plant == "peak-of-parent")
    before = time.thread_time()
    _work(run, inputs)
    spent = round((time.thread_time() - before) * 1e3, 1)
    peak = watch.peak()
    return {"outcome": MEASURED, "peak": peak.bytes, "hidden": peak.hidden, "by": peak.by, "cpu_ms": spent}


def _inputs(run: Run, tokens: int, vocab: int) -> tuple[Tensor, Tensor, Tensor]:
    """Hidden states (1, tokens, hidden), the head (vocab, hidden) and labels (1, tokens)."""
    dtype, hidden, device = getattr(torch, run.dtype), run.head.hidden, run.device
    states = torch.randn(1, tokens, hidden, dtype=dtype, device=device, requires_grad=True)
    weight = torch.randn(vocab, hidden, dtype=dtype, device=device).mul_(hidden**-0.5)
    return states, weight.requires_grad_(run.head.trained), torch.randint(vocab, (1, tokens), device=device)


def _work(run: Run, inputs: tuple[Tensor, Tensor, Tensor]) -> None:
    forward_and_backward(run.head, inputs, run.way, run.chunk, run.plant)


def main(text: str) -> None:
    """Run what the parent asks for and print what came of it."""
    asked = json.loads(text)
    print(json.dumps(child(Run(**{**asked, "head": Head(**asked["head"])}))))


if __name__ == "__main__":
    main(sys.argv[1])
