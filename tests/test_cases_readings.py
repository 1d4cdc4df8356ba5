"""Questions about files that other people's tools wrote: each has its answer, and a trap on the way.

The files belong to their projects and are not part of this repository. Each read is therefore asked of a file
of our own in the same shape too, with the same trap; the files of others are read where the folder of cases
lies beside this repository.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

import pytest

from binary_support import EVENTS
from documents_support import LLMPERF
from evidence_support import Project, take, text, tree, unit
from readers_logs import NSYS_STATS
from readers_support import FILES, GNU_TIME, HYPERFINE, PYTEST_BENCHMARK, SERVING, TRAINER_STATE
from stilltrue.errors import InputError
from stilltrue.model import Read, Shape
from stilltrue.quantity import Flag, NonFinite, Quantity, Text, Value
from tables_support import kernel, op, printed
from trace_support import TRACE

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"


def rows() -> list[dict[str, str]]:
    if not CASES.is_dir():
        return []
    with (CASES / "readings.tsv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def column(name: str, where: str = "", takes: str = "only", table: str = "", symbol: str = "") -> Read:
    known = unit(symbol) if symbol else None
    return Read(Shape.TABLE, column=name, where=where, take=take(takes), table=table, unit=known)


@dataclass(frozen=True)
class Case:
    """One question.

    Attributes:
        file: What the name of its file begins with.
        question: What its words begin with.
        read: The read that answers it.
        traps: Reads that must not: each with the code that refuses it, or the note that it carries.
        path: What a file of our own is called.
        own: That file.
        answer: What the read gives there: a number with its unit, a text, or the code of an error.
    """

    file: str
    question: str
    read: Read
    traps: tuple[tuple[Read, str], ...]
    path: str
    own: str | bytes
    answer: str


HALF = "void cutlass::device_kernel<flash::"  # what both names have in common
PROFILE = printed(
    [
        op("flash::fwd", "67.834us", "8.000us"),
        kernel(f"{HALF}enable_sm90_or_la...", "5.500us"),
        kernel(f"{HALF}FlashAttnFwdCombi...", "2.500us"),
        kernel("qkv_phase1_kernel", "1.250us"),
        op("Activity Buffer Request", "1.045ms", "0.000us"),
    ],
    footer=["Self CPU time total: 1.822ms", "Self CUDA time total: 9.250us"],
    width=55,
)
CUT_PROFILE = PROFILE.replace("total: 9.250us", "total: 4.339s")
ON_THE_CPU = ("Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg", "# of Calls")
TWICE = "\n".join(
    printed(
        [("aten::mm", "9.00%", "4.829ms", "9.00%", "9.252ms", "92.516us", "100")],
        ON_THE_CPU,
        [f"Self CPU time total: {total}"],
    )
    for total in ("3.093s", "5.419s")
)
ANNOTATED = printed(
    [
        kernel("reorder_kernel", "90.908us", 30),
        kernel("reorder", "90.908us", 30),
        op("reorder", "1.679ms", "0.000us", 30),
    ],
    footer=["Self CPU time total: 2.311ms", "Self CUDA time total: 90.908us"],
)
EXCERPT = """    {
      "loss": 0.0,
      "grad_norm": NaN,
      "step": 50
    },
    {
      "eval_loss": NaN,
"""
MLPERF = "".join(FILES["mllog"][1].splitlines(keepends=True)[:-1])
PERF = """
 Performance counter stats for './app' (50 runs):

              3,25 msec task-clock       #    0,528 CPUs utilized            ( +-  4,41% )
         2.801.175      cycles               #    0,902 GHz                   ( +-  1,68% )

        0,003785 +- 0,000171 seconds time elapsed  ( +-  4,52% )
"""
RANK = (
    "{line}:[rank{rank}]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate {asked} MiB. "
    "GPU {rank} has a total capacity of 15.77 GiB of which 80.94 MiB is free. Process 30 has 11.21 GiB "
    "memory in use. Of the allocated memory 10.01 GiB is allocated by PyTorch, and 156.68 MiB is reserved by "
    "PyTorch but unallocated. If reserved but unallocated memory is large try setting …\n"
)
OUT_OF_MEMORY = "".join(
    RANK.format(line=3000 + rank, rank=rank, asked="26.00" if rank == 2 else "98.00") for rank in range(4)
)
TIMES = """name,model,iters,total,median,mad,max
captures/contiguous-letters,count-captures,492,4.51s,7.25ms,1.08us,56.80ns
curated/sherlock-en,count,99372,4.57s,30.08us,0.00ns,56.33us
"""
LOADING = "".join(
    f"\x1b[36m(RayWorker pid={n}, ip=10.0.0.{n})\x1b[0m INFO 10:00 [model.py:{n}] "
    f"Model loading took 9.5 GiB and 4{n} s\n"
    for n in range(1, 5)
)
NO_ROWS = 'epoch,"run-a - train/loss","run-a - train/loss__MIN","run-a - train/loss__MAX"\n'

SPAN = "time_ms - (select time_ms from evidence where key = 'run_start')"
LOSS = "run like '%' and metric = 'train/loss'"
THROUGHPUT = "output_token_throughput"

TABLES = [
    Case(
        "torchprof_cuda_mem_fp8_sdpa_profiler", "self device time of all kernels",
        column("self_device", "device", "sum"),
        ((column("self_device", "", "sum"), "their time counts twice"),),
        "a.txt", PROFILE, "9.25 us",
    ),
    Case(
        "torchprof_cuda_mem_fp8_sdpa_profiler", "self device time of the row whose name",
        column("self_device", f"name like '{HALF}enable_sm90%'"),
        ((column("self_device", f"name like '{HALF}%'"), "several-readings"),),
        "a.txt", PROFILE, "5.5 us",
    ),
    Case(
        "torchprof_cuda_mem_fp8_sdpa_stable", "do the device rows account",
        column("self_device", "device", "sum"),
        (
            (text(r"^Self CUDA time total: (\S+)$"), "4339/1000 s"),
            (column("name", "device and name = 'Command Buffer Full'"), "no-reading"),
        ),
        "a.txt", CUT_PROFILE, "incomplete-table",
    ),
    Case(
        "torchprof_cuda_requested", "self CPU time total of the second",
        text(r"^Self CPU time total: (\S+)$", "last"),
        (
            (text(r"^Self CPU time total: (\S+)$"), "several-readings"),
            (column("self_device", "", "sum", table="2"), "no-column"),
            (column("self_cpu", "name = 'aten::mm'"), "no-table"),
        ),
        "a.txt", TWICE, "5.419 s",
    ),
    Case(
        "torchprof_user_annotation", "self device time of all kernels",
        column("self_device", "device", "sum"),
        ((column("self_device", "self_device > 0"), "several-readings"),),
        "a.txt", ANNOTATED, "90.908 us",
    ),
    Case(
        "nsys_stats_text", "cudaMalloc total time",
        column("total_time_ns", "name = 'cudaMalloc'", table="cuda_api_sum"),
        ((column("total_time_ns", "name = 'cudaMalloc'"), "no-table"),),
        "nsys.txt", NSYS_STATS, "1064588721 ns",
    ),
    Case(
        "hf_trainer_state_lora", "last logged training loss",
        column("loss", "kind = 'training'", "last"),
        ((column("loss", "", "last"), "empty-cell"),),
        "trainer_state.json", TRAINER_STATE, "0.349",
    ),
    Case(
        "hf_trainer_state_nan", "eval_loss",
        text(r'"eval_loss": (\S+),'),
        ((tree("$.log_history[*].eval_loss", form="json"), "malformed-evidence"),),
        "a.json.txt", EXCERPT, "NaN",
    ),
    Case(
        "mlperf_result_0", "last eval_accuracy",
        column("value", "key = 'eval_accuracy'", "last"),
        ((column(SPAN, "key = 'run_stop'"), "no-reading"),),
        "result_0.txt", MLPERF, "0.75842",
    ),
    Case(
        "pytest_benchmark", "mean of test_xfast_parametrized[0]",
        column("mean", "name = 'test_xfast_parametrized[0]'"),
        ((column("mean", "name = 'test_xfast'"), "no-reading"),),
        "0001.json", PYTEST_BENCHMARK.replace("test_step", "test_xfast_parametrized[0]", 2),
        "2.622408132654948e-07 s",
    ),
    Case(
        "hyperfine", "mean of the first command",
        column("mean", "", "first"),
        ((column("mean"), "several-readings"),),
        "r.json", HYPERFINE, "1.842 s",
    ),
    Case(
        "perf_stat", "task-clock",
        column("value", "event = 'task-clock'"),
        ((column("value", "event = 'task-clock'", symbol="s"), "unit-mismatch"),),
        "perf.txt", PERF, "3.25 msec",
    ),
    Case(
        "perf_stat", "cycles",
        column("value", "event = 'cycles'"),
        ((column("value", "", "sum"), "unit-mismatch"),),
        "perf.txt", PERF, "2801175",
    ),
    Case(
        "gnu_time", "elapsed wall clock",
        column("elapsed"),
        ((column("elapsed", symbol="h"), "unit-mismatch"),),
        "time.txt", GNU_TIME.split("Command terminated")[0], "5541 s",
    ),
    Case(
        "gnu_time", "maximum resident set size",
        column("max_resident"),
        ((column("max_resident", symbol="kB"), "unit-mismatch"),),
        "time.txt", GNU_TIME.split("Command terminated")[0], "66824 KiB",
    ),
    Case(
        "oom_algoperf", "ranks that failed to allocate 98.00 MiB",
        column("rank", "requested = 98 * 1048576", "count"),
        ((column("requested", "", "same"), "unequal-readings"),),
        "oom.txt", OUT_OF_MEMORY, "3",
    ),
    Case(
        "oom_algoperf", "capacity of a card",
        column("capacity", "", "same"),
        ((column("capacity"), "several-readings"),),
        "oom.txt", OUT_OF_MEMORY, "15.77 GiB",
    ),
    Case(
        "chrome_trace", "duration of the first kernel",
        column("dur", "cat = 'kernel'", "first"),
        ((column("dur", "cat = 'kernel'", "first", symbol="ms"), "unit-mismatch"),),
        "trace.json", TRACE, "1957.934 us",
    ),
    Case(
        "rebar", "median of captures/contiguous-letters",
        column("median", "name = 'captures/contiguous-letters'"),
        ((column("median"), "several-readings"),),
        "a.csv", TIMES, "7.25 ms",
    ),
    Case(
        "mlflow_metric", "mae",
        column("value"),
        ((column("timestamp", symbol="s"), "unit-mismatch"),),
        "mae", "1748257990918 0.5627373693033669 0\n", "0.5627373693033669",
    ),
    Case(
        "vllm_bench", "output token throughput of the first block",
        column(THROUGHPUT, "line < 150", "first"),
        ((column(THROUGHPUT, "line < 150"), "several-readings"),),
        "bench.md", SERVING.replace("Total Token throughput (tok/s): ", "Output token throughput (tok/s):", 1)
        .replace("Total token throughput (tok/s): ", "Output token throughput (tok/s):"), "436.07 tok/s",
    ),
    Case(
        "ansi_vllm", "memory of model loading",
        text(r"\) INFO [^\n]* Model loading took ([\d.]+ GiB)", "same"),
        ((text(r"\) INFO [^\n]* Model loading took ([\d.]+ GiB)"), "several-readings"),),
        "run.log", LOADING, "9.5 GiB",
    ),
    Case(
        "tensorboard", "number of event records",
        column("line", "entry = 1", "count"),
        ((text(r"loss"), "unknown-format"),),
        "events.out.tfevents.1", EVENTS, "7",
    ),
    Case(
        "wandb", "any train/loss reading",
        column("value", LOSS),
        ((column("value", "", "mean"), "no-rows"), (column("value", "", "sum"), "no-rows")),
        "a.csv", NO_ROWS, "no-rows",
    ),
    Case(
        "llmperf", "mean ttft_s of requests",
        column("ttft_s", "error_code is null", "mean"),
        ((column("ttft_s", "", "mean"), "empty-cell"), (column("ttft_s", "failed", "min"), "empty-cell")),
        "individual_responses.json", LLMPERF, "0.5 s",
    ),
]  # fmt: skip


def theirs(case: Case) -> dict[str, str]:
    (row,) = (
        row
        for row in rows()
        if row["file"].startswith(f"evidence/{case.file}") and row["question"].startswith(case.question)
    )
    return row


def asked(project: Project, path: str, read: Read) -> str:
    """What a read comes to: a number in its unit, a text, or the code of the error; then what is noted."""
    try:
        taken = project.take(path, read)
    except InputError as error:
        assert error.hint
        return error.code
    assert all(reading.line for reading in taken.readings)
    return " ".join((said(taken.value), *taken.notes))


def said(value: Value) -> str:
    if isinstance(value, Quantity):
        return f"{value.number} {value.unit.symbol}".strip()
    assert isinstance(value, NonFinite | Flag | Text)
    return value.text if isinstance(value, NonFinite | Text) else str(value)


def wanted(answer: str, symbol: str) -> str:
    """An answer in the same words; one that there is none is the error that says so."""
    known = ERRORS.get(answer, answer)
    return f"{Fraction(known)} {symbol}".strip() if known[0].isdigit() else known


ERRORS = {"no": "incomplete-table", "none": "no-rows"}


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
def test_every_question_is_asked_once() -> None:
    found = [(theirs(case)["file"], theirs(case)["question"]) for case in TABLES]
    assert sorted(found) == sorted((row["file"], row["question"]) for row in rows())


def id_of(case: Case) -> str:
    return f"{case.file}: {case.question}"[:60]


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
@pytest.mark.parametrize("case", TABLES, ids=id_of)
def test_a_question_about_a_file_of_others_has_its_answer(case: Case) -> None:
    row = theirs(case)
    found = asked(Project(CASES), row["file"], case.read)
    if "mean" in row["question"] and case.read.take[0].name == "mean":
        number, symbol = found.split(" ")
        assert float(Fraction(number)) == pytest.approx(float(row["answer"]), rel=1e-14)
        assert symbol == row["unit"]
    else:
        assert found == wanted(row["answer"], row["unit"])


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
@pytest.mark.parametrize("case", TABLES, ids=id_of)
def test_the_trap_of_a_file_of_others_is_seen(case: Case) -> None:
    path = theirs(case)["file"]
    answer = asked(Project(CASES), path, case.read)
    for read, seen in case.traps:
        found = asked(Project(CASES), path, read)
        assert seen in found
        assert answer != found or answer in ERRORS.values()


@pytest.mark.parametrize("case", TABLES, ids=id_of)
def test_a_file_of_ours_in_that_shape_has_its_answer_and_its_trap(tmp_path: Path, case: Case) -> None:
    project = Project(tmp_path).write(case.path, case.own)
    number, _, symbol = case.answer.partition(" ")
    assert asked(project, case.path, case.read) == wanted(number, symbol)
    for read, seen in case.traps:
        assert seen in asked(project, case.path, read)


@pytest.mark.parametrize(
    "case", [case for case in TABLES if case.read.take and case.answer not in ERRORS.values()], ids=id_of
)
def test_a_read_of_another_number_of_readings_is_refused(tmp_path: Path, case: Case) -> None:
    """`of 99` is how a claim says how many there are."""
    project = Project(tmp_path).write(case.path, case.own)
    read = replace(case.read, take=(replace(case.read.take[0], of=99),))
    assert asked(project, case.path, read) == "reading-count"
