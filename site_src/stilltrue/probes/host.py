"""What a run took place on: the machine, its accelerator, the settings that change results; no secrets."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

_ASKING_MAY_TAKE_S = 20.0

VARIABLES = (
    "CUBLAS_WORKSPACE_CONFIG",
    "CUDA_DEVICE_ORDER",
    "CUDA_LAUNCH_BLOCKING",
    "CUDA_VISIBLE_DEVICES",
    "HF_DATASETS_OFFLINE",
    "HF_HUB_OFFLINE",
    "KMP_AFFINITY",
    "MALLOC_ARENA_MAX",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NVIDIA_TF32_OVERRIDE",
    "OMP_NUM_THREADS",
    "OMP_PROC_BIND",
    "OPENBLAS_NUM_THREADS",
    "PYTHONHASHSEED",
    "PYTHONOPTIMIZE",
    "PYTORCH_ALLOC_CONF",
    "PYTORCH_CUDA_ALLOC_CONF",
    "PYTORCH_HIP_ALLOC_CONF",
    "PYTORCH_NO_CUDA_MEMORY_CACHING",
    "TOKENIZERS_PARALLELISM",
    "TORCHINDUCTOR_COMPILE_THREADS",
    "TORCH_ALLOW_TF32_CUBLAS_OVERRIDE",
    "TORCH_COMPILE_DISABLE",
    "TRANSFORMERS_OFFLINE",
    "TZ",
    "VECLIB_MAXIMUM_THREADS",
    "XLA_FLAGS",
)
"""The environment variables that a record keeps: they change what is measured, and hold no secret."""


def machine() -> tuple[tuple[str, str], ...]:
    """What this machine is, by name: `system`, `cpu`, `cores` and `memory`; no host name, no user name."""
    release = platform.release().partition("-")[0]  # what follows is the builder's own name for it
    found = {
        "system": f"{platform.system()} {release} {platform.machine()}",
        "cpu": _cpu(),
        "cores": str(_cores()),
        "memory": _memory(),
    }
    return tuple((name, value) for name, value in found.items() if value)


def accelerator() -> str:
    """`NVIDIA H200`, or `2 × NVIDIA H200`, by the driver's own tool; empty where there is none."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ""
    names = Counter(filter(None, map(str.strip, _asked(tool, "--query-gpu=name", "--format=csv,noheader"))))
    return ", ".join(name if count == 1 else f"{count} × {name}" for name, count in names.items())


def environment() -> tuple[tuple[str, str], ...]:
    """Those of `VARIABLES` that are set, sorted."""
    return tuple((name, os.environ[name]) for name in VARIABLES if name in os.environ)


def interpreter() -> str:
    """`CPython 3.11.7`."""
    return f"{platform.python_implementation()} {platform.python_version()}"


def _cpu() -> str:
    if sys.platform == "darwin":
        return next(iter(_asked("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string")), "")
    try:
        about = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return platform.processor()
    model = re.search(r"^model name\s*:\s*(.+)$", about, re.MULTILINE)
    return model[1].strip() if model else platform.processor()


def _cores() -> int:
    """The cores that this process may use."""
    allowed = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(allowed(0)) if allowed else os.cpu_count() or 1


def _memory() -> str:
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return ""
    return f"{size / 2**30:.1f} GiB"


def _asked(*command: str) -> list[str]:
    """The lines that a program prints; none when it fails."""
    try:
        done = subprocess.run(  # noqa: S603  # the system's own programs, by name
            command, capture_output=True, timeout=_ASKING_MAY_TAKE_S, check=False, stdin=subprocess.DEVNULL
        )
    except (OSError, subprocess.TimeoutExpired):
        return []
    return done.stdout.decode("utf-8", "replace").splitlines() if done.returncode == 0 else []
