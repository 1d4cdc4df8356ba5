"""What tools write, small, and each with the traps of its format."""

from __future__ import annotations

from pathlib import Path

from evidence_support import Project, take
from stilltrue.errors import InputError
from stilltrue.model import Read, Shape
from stilltrue.quantity import Quantity, Value

HYPERFINE = """{
  "results": [
    {"command": "app --cold", "mean": 1.8420, "stddev": 0.05, "median": 1.79, "user": 1.2, "system": 0.1,
     "min": 1.7, "max": 2.03, "times": [1.7, 1.79, 2.03], "exit_codes": [0, 1, null],
     "parameters": {"threads": "4"}},
    {"command": "app --warm", "mean": 0.315, "stddev": null, "median": 0.315, "user": 0.2, "system": 0.0,
     "min": 0.315, "max": 0.315, "times": [0.315], "exit_codes": [0], "parameters": {"threads": "8"}}
  ]
}
"""
PYTEST_BENCHMARK = """{
  "machine_info": {"node": "box", "cpu": {"brand_raw": "X"}},
  "commit_info": {"id": "5b78858eb718", "dirty": true, "branch": "main"},
  "benchmarks": [
    {"group": null, "name": "test_step", "fullname": "tests/test_a.py::test_step", "params": {"n": 8},
     "param": "8", "extra_info": {"note": "eager"}, "options": {"timer": "perf_counter"},
     "stats": {"min": 2.0e-7, "max": 1.1e-5, "mean": 2.622408132654948e-07, "stddev": 2e-7, "rounds": 99,
               "iterations": 418, "median": 2.2e-7, "ops": 3813289.2, "outliers": "9;18"}},
    {"group": null, "name": "test_step", "fullname": "tests/test_b.py::test_step", "params": null,
     "param": null, "extra_info": {}, "options": {},
     "stats": {"min": 1, "max": 3, "mean": 2.0, "stddev": 1, "rounds": 2, "iterations": 1, "median": 2}}
  ],
  "datetime": "2026-08-24T10:00:00", "version": "5.1.0"
}
"""
TRAINER_STATE = """{
  "best_metric": null,
  "global_step": 40,
  "log_history": [
    {"epoch": 0.5, "grad_norm": 0.74, "learning_rate": 1e-05, "loss": 0.6899, "step": 20},
    {"epoch": 0.5, "eval_loss": 0.395, "eval_runtime": 3.2785, "eval_samples_per_second": 152.511,
     "step": 20},
    {"epoch": 1.0, "grad_norm": NaN, "learning_rate": 0.0, "loss": 0.349, "step": 40},
    {"epoch": 1.0, "step": 40, "total_flos": 2.02e14, "train_loss": 0.519, "train_runtime": 61.5}
  ]
}
"""
TRAINER_OUTPUT = (
    "TrainingArguments(fsdp_config={'min_num_params': 0, 'xla': False},)\n"
    "  0%|          | 0/40 [00:00<?, ?it/s]\r 50%|#####     | 20/40 [00:10<00:10,  2.00it/s]"
    "\r                                                  \r"
    "{'loss': 0.6899, 'grad_norm': 0.74, 'learning_rate': 1e-05, 'epoch': 0.5}\n"
    "{'eval_loss': '0.395', 'eval_runtime': 3.2785, 'eval_note': None, 'epoch': 0.5}\n"
    "{'loss': nan, 'grad_norm': inf, 'learning_rate': 0.0, 'epoch': 1.0}\n"
    "100%|##########| 40/40 [00:20<00:00]{'train_runtime': 61.5, 'train_loss': 0.519, 'epoch': 1.0}\n"
    "{'reward': 0.25, 'epoch': 1.0}\n"
)
GNU_TIME = """start
\tCommand being timed: "python train.py --name a: b"
\tUser time (seconds): 5515.59
\tSystem time (seconds): 8.66
\tPercent of CPU this job got: 99%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 1:32:21
\tMaximum resident set size (kbytes): 66824
\tPage size (bytes): 4096
\tExit status: 0
Command terminated by signal 9
\tCommand being timed: "sleep 0"
\tUser time (seconds): 0.00
\tPercent of CPU this job got: ?%
\tElapsed (wall clock) time (h:mm:ss or m:ss): 0:01.25
\tMaximum resident set size (kbytes): 1024
\tExit status: 0
"""
PERF_STAT = """# started on Mon Aug 24 10:00:00 2026

 Performance counter stats for './app' (50 runs):

              2,00 msec task-clock       #    0,528 CPUs utilized            ( +-  4,41% )
                45      page-faults               #    0,023 M/sec                    ( +-  0,29% )
         1.801.175      cycles               #    0,902 GHz                   ( +-  1,68% )  (74,18%)
                                                  #     35,3 %  tma_backend_bound
   <not supported>      cache-misses
             12,34 Joules power/energy-pkg/

        0,003785 +- 0,000171 seconds time elapsed  ( +-  4,52% )

Some events weren't counted.
 Performance counter stats for 'ls':

          1,234.56 msec task-clock:u              #    0.900 CPUs utilized
             1,234      cycles:u

       1.234567890 seconds time elapsed

       0.500000000 seconds user
       0.250000000 seconds sys
"""
NVIDIA_SMI = """\
timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu
2026/08/24 10:00:00.000, 0, NVIDIA H100, 97 %, 70123 MiB, 651.20 W, 61
2026/08/24 10:00:00.000, 1, NVIDIA H100, 0 %, 4 MiB, [N/A], 33
timestamp, index, name, utilization.gpu [%], memory.used [MiB], power.draw [W], temperature.gpu
2026/08/24 10:00:01.000, 0, NVIDIA H100, 99 %, 70125 MiB, 660.10 W, [Not Supported]
"""
MLLOG = """setup done
:::MLLOG {"namespace": "", "time_ms": 1715316658832, "event_type": "INTERVAL_START", \
"key": "run_start", "value": null, "metadata": {"file": "train.py", "lineno": 36}}
0: :::MLLOG {"namespace": "", "time_ms": 1715316668832, "event_type": "POINT_IN_TIME", \
"key": "eval_accuracy", "value": 0.75842, "metadata": {"file": "train.py", "lineno": 40, "epoch_num": 37}}
:::MLLOG {"namespace": "", "time_ms": 1715316678832, "event_type": "INTERVAL_END", \
"key": "run_stop", "value": null, "metadata": {"file": "train.py", "lineno": 41, "status": "success"}}
"""
MLFLOW = "1748257990918 0.5627373693033669 0\n1748257991918 nan 10\n1748257992918 1e-3 20 lengths 8f3a\n"
SERVING = """INFO 10:00:00 ready
============ Serving Benchmark Result ============
Backend:                                 sglang
Max request concurrency:                 not set
Successful requests:                     10
Benchmark duration (s):                  46.96
Total Token throughput (tok/s):          436.07
---------------Time to First Token----------------
Mean TTFT (ms):                          2111.51
==================================================
INFO 10:05:00 again
============ Serving Benchmark Result ============
Backend:                                 vllm
Successful requests:                     9
Failed requests:                         1
Benchmark duration (s):                  50.00
Total token throughput (tok/s):          400.00
---------------Time to First Token----------------
Mean TTFT (s):                           2.25
==================================================
"""

FILES: dict[str, tuple[str, str]] = {
    "hyperfine": ("r.json", HYPERFINE),
    "pytest-benchmark": ("r.json", PYTEST_BENCHMARK),
    "trainer-state": ("trainer_state.json", TRAINER_STATE),
    "trainer-output": ("slurm-1.out", TRAINER_OUTPUT),
    "gnu-time": ("time.txt", GNU_TIME),
    "perf-stat": ("perf.txt", PERF_STAT),
    "nvidia-smi": ("smi.csv", NVIDIA_SMI),
    "mllog": ("result_0.txt", MLLOG),
    "mlflow": ("mae", MLFLOW),
    "serving-benchmark": ("bench.log", SERVING),
}
"""A file of every format, under a name that it may have."""


class Files:
    """A folder that each test writes one file into, and reads of it."""

    def __init__(self, root: Path) -> None:
        self.project = Project(root)
        self.name = ""

    def write(self, form: str, text: str | None = None) -> Files:
        """Writes the file of a format, or another text in its place."""
        name, whole = FILES[form]
        self.keep(name, whole if text is None else text)
        return self

    def keep(self, name: str, text: str) -> None:
        """Writes a file, which is the one to read from then on."""
        self.name = name
        self.project = Project(self.project.root)
        self.project.write(name, text)

    def value(self, column: str, where: str = "", takes: str = "only", **keys: str) -> Value:
        return self.project.value(self.name, _read(column, where, takes, keys))

    def number(self, column: str, where: str = "", takes: str = "only", **keys: str) -> str:
        """A reading as `number unit`."""
        value = self.value(column, where, takes, **keys)
        assert isinstance(value, Quantity)
        return f"{float(value.number):.12g} {value.unit.symbol}".strip()

    def lines(self, column: str, where: str = "", takes: str = "sum", **keys: str) -> list[int]:
        return self.project.lines(self.name, _read(column, where, takes, keys))

    def error(self, column: str, where: str = "", takes: str = "only", **keys: str) -> InputError:
        return self.project.error(self.name, _read(column, where, takes, keys))


def _read(column: str, where: str, takes: str, keys: dict[str, str]) -> Read:
    return Read(
        Shape.TABLE,
        column=column,
        where=where,
        take=take(takes),
        table=keys.get("table", ""),
        format=keys.get("form", ""),
    )
