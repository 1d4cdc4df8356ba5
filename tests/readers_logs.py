"""What profilers and training runs print, small, each with the traps of its format."""

from __future__ import annotations

from pathlib import Path

from readers_support import Files

FOLDER = Path(__file__).resolve().parent / "logs"


def text_of(name: str) -> str:
    """A file of the folder, its carriage returns kept."""
    return (FOLDER / name).read_bytes().decode("utf-8")


def nsys_table(*rows: str) -> str:
    """A table as nsys lays it out: cells right-aligned, two blanks between columns, the last left-aligned."""
    cells = [row.split("|") for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]

    def line(row: list[str]) -> str:
        *numbers, name = row
        laid = [text.rjust(width) for text, width in zip(numbers, widths[:-1], strict=True)]
        return " " + "  ".join([*laid, name.ljust(widths[-1])]) + "\n"

    return line(cells[0]) + line(["-" * width for width in widths]) + "".join(map(line, cells[1:]))


def ncu_table(*rows: tuple[str, str, str], headed: bool = True) -> str:
    """A table of metrics as ncu lays it out: one blank between columns, rules around."""
    headings = [("Metric Name", "Metric Unit", "Metric Value")] if headed else []
    widths = [max(map(len, column)) for column in zip(*headings, *rows, strict=True)]
    rule = "    " + " ".join("-" * width for width in widths) + "\n"
    first, second, third = widths
    lines = [f"    {a:<{first}} {b:>{second}} {c:>{third}}\n" for a, b, c in (*headings, *rows)]
    return rule + (lines.pop(0) + rule if headed else "") + "".join(lines) + rule


KERNELS = nsys_table(
    "Time (%)|Total Time (ns)|Instances|Name",
    "60.0|64,892|6|void at::native::elementwise_kernel<i…",
    "30.0|32,446|6|void at::native::elementwise_kernel<i…",
    "10.0|10,815|2|void cutlass::Kernel<(int)2>(T1::Params)",
)
NSYS_STATS = (
    "[2/8] [========================100%] run.sqlite\n"
    "[3/8] Executing 'nvtx_sum' stats report\n"
    "SKIPPED: /tmp/run.sqlite does not contain NV Tools Extension (NVTX) data.\n"
    "[4/8] Executing 'cuda_api_sum' stats report\n\n"
    + nsys_table(
        "Time (%)|Total Time (ns)|Num Calls|Avg (ns)|Name",
        "71.7|1,064,588,721|200|5,322,943.6|cudaMalloc",
        "28.3|421,006,852|14|30,071,918.0|cudaLaunchKernel",
    )
    + "\n[5/8] Executing 'cuda_gpu_kern_sum' stats report\n\n"
    + KERNELS
    + "\n[6/8] Executing 'cuda_gpu_mem_size_sum' stats report\n\n"
    + nsys_table("Total (MB)|Count|Avg (MB)|Operation", "1.490|218|0.007|[CUDA memcpy Host-to-Device]")
    + "\nGenerated:\n    /tmp/run.nsys-rep\n"
)
NSYS_EARLY = (
    "CUDA Kernel Statistics:\n\n"
    + nsys_table(
        "Time(%)|Total Time (ns)|Instances|Average|Minimum|Name", "100.0|222,080|1|222,080.0|222,080|add_l20"
    )
    + "\n\n\nCUDA Memory Operation Statistics (by size in KiB):\n\n"
    + nsys_table("Total|Operations|Average|Operation", "11,718.754|4|2,929.688|[CUDA memcpy HtoD]")
    + "\nExporting [/soft/nsight-systems-2020.4.3/reports/gputrace.py run.sqlite] to console...\n\n"
    + nsys_table(
        "Start(sec)|Duration(nsec)|GrdX|Thru(MB/s)|Name",
        "0.355442|5,120||0.195|[memcpy HtoD]",
        "0.364801|222,080|1||add_l20",
    )
    + "\n"
)
NSYS_CSV = """Generating SQLite file run.sqlite from run.nsys-rep
Processing [run.sqlite] with [/opt/nsys/reports/cuda_gpu_kern_sum.py]...

 ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):

Time (%),Total Time (ns),Instances,Avg (ns),Name
66.7,6000000,100,60000.0,"void foo<(ggml_type)21, 72>(char const*, int)"
33.3,3000000,300,10000.0,copy_kernel

"""
LAUNCH = "  sgemm(int, float, const float *) (32, 32, 1)x(256, 1, 1), Context 1, Stream 7, Device 0, CC 9.0\n"
NCU = (
    "==PROF== Connected to process 828 (/tmp/app)\n"
    '==PROF== Profiling "sgemm" - 0: 0%....50%....100% - 8 passes\n'
    "step 1 done\n"
    "==PROF== Disconnected from process 828\n"
    "[828] app@127.0.0.1\n"
    + LAUNCH
    + "    Section: GPU Speed Of Light Throughput\n"
    + ncu_table(
        ("DRAM Frequency", "Ghz", "6.71"),
        ("Elapsed Cycles", "cycle", "56,344,784"),
        ("Memory Throughput", "%", "49.23"),
        ("Duration", "us", "606.56"),
    )
    + "\n    OPT   This kernel exhibits low compute throughput.\n"
    "\n    Section: Memory Workload Analysis\n"
    + ncu_table(("Memory Throughput", "Gbyte/s", "388.63"), ("Max Bandwidth", "%", "(!) n/a"))
    + "\n  void reduce<512u>(int *), Context 1, Stream 7, Device 0, CC 9.0\n"
    "    Section: GPU Speed Of Light Throughput\n"
    + ncu_table(("Duration", "msecond", "0.32"), ("Local Memory", "Kbyte/block", "8.19"))
)
NCU_EARLY = (
    "[20936] simple@127.0.0.1\n"
    "  warmingup(float*), 2024-Aug-28 11:14:50, Context 1, Stream 7\n"
    "    Section: Command line profiler metrics\n"
    + ncu_table(
        ("dram__bytes_read.sum.per_second", "Gbyte/second", "64,43"),
        ("sm__cycles_elapsed.max", "cycle", "1.015"),
        headed=False,
    )
)
NCU_CSV = text_of("ncu.csv")
NCU_RAW = text_of("ncu_raw.csv")
NCCL_TESTS = text_of("nccl_tests.txt")
NCCL_EARLY = text_of("nccl_tests_early.txt")
MEGATRON = text_of("megatron.txt")
MEGATRON_FORKS = text_of("megatron_forks.txt")
DEEPSPEED = text_of("deepspeed.txt")
OUT_OF_MEMORY = text_of("out_of_memory.txt")
NVIDIA_SMI = text_of("nvidia_smi.txt")

LOGS: dict[str, tuple[str, str]] = {
    "nsys-stats": ("nsys.txt", NSYS_STATS),
    "ncu": ("ncu.txt", NCU),
    "ncu-csv": ("ncu.csv", NCU_CSV),
    "nccl-tests": ("nccl.log", NCCL_TESTS),
    "megatron": ("train.log", MEGATRON),
    "deepspeed": ("train.log", DEEPSPEED),
    "out-of-memory": ("slurm-1.err", OUT_OF_MEMORY),
    "nvidia-smi-table": ("smi.txt", NVIDIA_SMI),
}
"""A file of every format, under a name that it may have."""

COLUMNS = {
    "nsys-stats": "total_time_ns",
    "ncu": "value",
    "ncu-csv": "value",
    "nccl-tests": "in_place_busbw",
    "megatron": "elapsed_time_per_iteration_ms",
    "deepspeed": "curr_samples_per_sec",
    "out-of-memory": "requested",
    "nvidia-smi-table": "memory_used",
}
"""A column of each format."""


class Logs(Files):
    """A folder that each test writes one log into, and reads of it."""

    def write(self, form: str, text: str | None = None) -> Logs:
        name, whole = LOGS[form]
        self.keep(name, whole if text is None else text)
        return self
