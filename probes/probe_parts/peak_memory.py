"""The most memory that this process, or its share of a GPU, has held while it worked; no probe itself.

On Linux a peak is the kernel's own: `VmHWM`, the high-water mark of resident memory. `ru_maxrss` looks like
the same and is not: a process inherits it from the one that started it, so that a small one begins with the
peak of its parent. Elsewhere there is only that, and `Peak.by` says which one it was.
"""

from __future__ import annotations

import resource
import sys
from pathlib import Path
from typing import Any, NamedTuple

import torch

STATUS = Path("/proc/self/status")
CLEAR = Path("/proc/self/clear_refs")
MACHINE = Path("/proc/meminfo")


class Peak(NamedTuple):
    """What was held at most since a `Watch` began, beyond what was held then.

    Attributes:
        bytes: Of memory.
        hidden: A peak below this many bytes could not be seen: there was one before the work.
        by: Who counted: `VmHWM`, `ru_maxrss` or `torch.cuda`.
    """

    bytes: int
    hidden: int
    by: str


class Watch:
    """Looks at resident memory from its making on."""

    def __init__(self, *, inherited: bool = False) -> None:
        """`inherited` reads `ru_maxrss` also where there is better; to show what it does."""
        if CLEAR.exists():
            forget_peak()
        self.by = "VmHWM" if status("VmHWM") is not None and not inherited else "ru_maxrss"
        self.before = status("VmRSS") or most_resident()
        self.hidden = self._most() - self.before

    def _most(self) -> int:
        return (status("VmHWM") if self.by == "VmHWM" else None) or most_resident()

    def peak(self) -> Peak:
        """What came on top so far."""
        return Peak(self._most() - self.before, self.hidden, self.by)


class CudaWatch:
    """Looks at what torch's allocator has handed out on the current CUDA device from its making on."""

    def __init__(self) -> None:
        torch.cuda.reset_peak_memory_stats()
        self.before = torch.cuda.memory_allocated()

    def peak(self) -> Peak:
        """What came on top so far."""
        torch.cuda.synchronize()
        return Peak(torch.cuda.max_memory_allocated() - self.before, 0, "torch.cuda")


def status(key: str, source: Path = STATUS) -> int | None:
    """One of the sizes that Linux keeps of this process, in bytes; None where it keeps none."""
    try:
        lines = source.read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    sizes = (line.split()[1] for line in lines if line.startswith(f"{key}:"))
    return next((int(size) * 1024 for size in sizes), None)


def forget_peak() -> None:
    """Let the high-water mark begin anew; where the kernel forbids it, `Peak.hidden` tells."""
    try:
        CLEAR.write_text("5", encoding="ascii")
    except OSError:
        return


def most_resident() -> int:
    """`ru_maxrss` in bytes: macOS counts it so, others in KiB."""
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def free_memory() -> int | None:
    """What the machine could still give, in bytes; None where the system does not say."""
    return status("MemAvailable", MACHINE)


def limit_memory(more: int | None) -> bool:
    """Forbid this process to take more than `more` bytes beyond what it has; whether that was done."""
    data = status("VmData")
    if data is None or more is None:
        return False
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    resource.setrlimit(resource.RLIMIT_DATA, (data + more, hard))
    return True


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an allocator had no more to give: Python's, torch's on the CPU or torch's on a GPU."""
    words = ("can't allocate memory", "not enough memory", "out of memory")
    known: tuple[Any, ...] = (MemoryError, torch.OutOfMemoryError)
    return isinstance(error, known) or any(word in str(error) for word in words)
