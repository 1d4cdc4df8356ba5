"""Readers of what tools write: each format with what it means, its traps, and how it is known."""

from __future__ import annotations

from collections.abc import Iterator

from stilltrue.errors import InputError
from stilltrue.evidence.loading import Content
from stilltrue.evidence.readers.chrome_trace import CHROME_TRACE
from stilltrue.evidence.readers.deepspeed import DEEPSPEED
from stilltrue.evidence.readers.gnu_time import GNU_TIME
from stilltrue.evidence.readers.hyperfine import HYPERFINE
from stilltrue.evidence.readers.junit import JUNIT
from stilltrue.evidence.readers.llmperf import LLMPERF
from stilltrue.evidence.readers.lm_eval import LM_EVAL
from stilltrue.evidence.readers.lock_files import LOCK_FILE
from stilltrue.evidence.readers.megatron import MEGATRON
from stilltrue.evidence.readers.mlflow import MLFLOW
from stilltrue.evidence.readers.mllog import MLLOG
from stilltrue.evidence.readers.nccl_tests import NCCL_TESTS
from stilltrue.evidence.readers.ncu import NCU
from stilltrue.evidence.readers.ncu_csv import NCU_CSV
from stilltrue.evidence.readers.nsys_sqlite import NSYS_SQLITE
from stilltrue.evidence.readers.nsys_stats import NSYS_STATS
from stilltrue.evidence.readers.nvidia_smi import NVIDIA_SMI
from stilltrue.evidence.readers.nvidia_smi_table import NVIDIA_SMI_TABLE
from stilltrue.evidence.readers.out_of_memory import OUT_OF_MEMORY
from stilltrue.evidence.readers.parquet import PARQUET
from stilltrue.evidence.readers.perf_stat import PERF_STAT
from stilltrue.evidence.readers.pytest_benchmark import PYTEST_BENCHMARK
from stilltrue.evidence.readers.reader import Columns, Reader
from stilltrue.evidence.readers.safetensors import SAFETENSORS
from stilltrue.evidence.readers.serving_benchmark import SERVING_BENCHMARK
from stilltrue.evidence.readers.serving_results import SERVING_RESULTS
from stilltrue.evidence.readers.sqlite import SQLITE
from stilltrue.evidence.readers.tensorboard import TENSORBOARD
from stilltrue.evidence.readers.trainer_output import TRAINER_OUTPUT
from stilltrue.evidence.readers.trainer_state import TRAINER_STATE
from stilltrue.evidence.readers.wandb_csv import WANDB_CSV
from stilltrue.evidence.streams import Stream
from stilltrue.model import Shape
from stilltrue.wording import named

READERS: dict[str, Reader] = {
    "chrome-trace": CHROME_TRACE,
    "hyperfine": HYPERFINE,
    "pytest-benchmark": PYTEST_BENCHMARK,
    "trainer-state": TRAINER_STATE,
    "trainer-output": TRAINER_OUTPUT,
    "gnu-time": GNU_TIME,
    "perf-stat": PERF_STAT,
    "nvidia-smi": NVIDIA_SMI,
    "nvidia-smi-table": NVIDIA_SMI_TABLE,
    "mllog": MLLOG,
    "mlflow": MLFLOW,
    "serving-benchmark": SERVING_BENCHMARK,
    "serving-results": SERVING_RESULTS,
    "llmperf": LLMPERF,
    "lm-eval": LM_EVAL,
    "wandb-csv": WANDB_CSV,
    "junit": JUNIT,
    "lock-file": LOCK_FILE,
    "nsys-stats": NSYS_STATS,
    "ncu": NCU,
    "ncu-csv": NCU_CSV,
    "nccl-tests": NCCL_TESTS,
    "megatron": MEGATRON,
    "deepspeed": DEEPSPEED,
    "out-of-memory": OUT_OF_MEMORY,
    "tensorboard": TENSORBOARD,
    "safetensors": SAFETENSORS,
    "nsys-sqlite": NSYS_SQLITE,
    "sqlite": SQLITE,
    "parquet": PARQUET,
}
"""Every reader by the name that `read.format` gives it."""

_HEAD = 1 << 16


def recognised_binary(content: Content, shape: Shape) -> str:
    """The format of a file that is no text, by its bytes; empty for none."""
    asked = (
        name
        for name, reader in READERS.items()
        if reader.binary and reader.shape is shape and reader.recognises(content.data)
    )
    return next(asked, "")


def recognised_whole(content: Content, suffix: str) -> str:
    """The format that a file is from its first sign to its last; empty for none.

    Args:
        content: The file.
        suffix: The end of its name where that means a format of its own; then only readers of files of that
            suffix are asked.
    """
    head = content.plain[:_HEAD]
    asked = (
        name
        for name, reader in _texts()
        if reader.whole and (not suffix or suffix in reader.suffixes) and reader.recognises(head)
    )
    return next(asked, "")


def passing(stream: Stream, format: str) -> str:  # noqa: A002  # the key's name
    """The format of a large file that is read while it passes by; empty for none.

    Args:
        stream: The file.
        format: What the read says that it is; empty where it says nothing.
    """
    asked = (
        name
        for name, reader in READERS.items()
        if reader.scan is not None and (name == format or (not format and reader.recognises(stream.head)))
    )
    return next(asked, "")


def recognised_within(content: Content) -> str:
    """The format that stands somewhere in a file, among other text; empty for none.

    Raises:
        InputError: `unknown-format`: there are several.
    """
    found = [name for name, reader in _texts() if not reader.whole and reader.recognises(content.shown)]
    if len(found) > 1:
        raise InputError(
            "unknown-format",
            f"`{content.path}` holds several formats: {named(found, len(found))}",
            "say with `format` which of them the read is of",
        )
    return found[0] if found else ""


def _texts() -> Iterator[tuple[str, Reader]]:
    """The readers of tables that stand in texts."""
    for name, reader in READERS.items():
        if not reader.binary and reader.shape is Shape.TABLE:
            yield name, reader


__all__ = [
    "READERS",
    "Columns",
    "Reader",
    "passing",
    "recognised_binary",
    "recognised_whole",
    "recognised_within",
]
