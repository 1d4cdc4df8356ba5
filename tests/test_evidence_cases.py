"""Evidence that other projects' tools wrote, where the folder of cases is there."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from evidence_support import Project, quantity, text, tree
from stilltrue.model import Read
from stilltrue.quantity import NonFinite, Value

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"

pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")

# The words with which each question of readings.tsv begins, and the read that answers it.
READS: dict[tuple[str, str], Read] = {
    ("nsys_stats_text", "cudaMalloc total time"): text(
        r"^ +\S+ +(?P<value>[\d,]+) .*cudaMalloc *$", symbol="ns"
    ),
    ("hf_trainer_state_lora", "last logged training loss"): tree("$.log_history[?@.loss].loss", "last"),
    ("hf_trainer_state_nan", "eval_loss"): text(r'"eval_loss": (\S+),'),
    ("mlperf_result_0", "last eval_accuracy"): text(r'"eval_accuracy".*"value": ([\d.]+)', "last"),
    ("pytest_benchmark", "mean of"): tree(
        "$.benchmarks[?@.name == 'test_xfast_parametrized[0]'].stats.mean", symbol="s"
    ),
    ("hyperfine", "mean of the first"): tree("$.results[0].mean", symbol="s"),
    ("perf_stat", "task-clock"): text(r"([\d.,]+) msec task-clock", symbol="ms", decimal=","),
    ("perf_stat", "cycles"): text(r"([\d.,]+)\s+cycles", decimal=","),
    ("gnu_time", "elapsed"): text(r"Elapsed.*: (\S+)$"),
    ("gnu_time", "maximum resident"): text(r"Maximum resident.*: (\S+)$", symbol="KiB"),
    ("oom_algoperf", "ranks that failed"): text(r"Tried to allocate 98\.00 MiB", "count"),
    ("oom_algoperf", "capacity of a card"): text(r"total capacity of ([\d.]+ GiB)", "same"),
    ("chrome_trace", "duration of the first"): tree(
        "$.traceEvents[?@.cat == 'kernel'].dur", "first", symbol="us"
    ),
    ("mlflow_metric", "mae"): text(r"^\S+ (\S+) \S+$"),
    ("vllm_bench", "output token throughput"): text(
        r"^Output token throughput \(tok/s\): +(\S+)", "first", symbol="tok/s"
    ),
    ("ansi_vllm", "memory of model loading"): text(r"Model loading took ([\d.]+ GiB)", "same"),
    ("llmperf", "mean ttft_s"): tree("$[?@.error_code == null].ttft_s", "mean", symbol="s"),
}


def questions() -> list[dict[str, str]]:
    if not CASES.is_dir():
        return []
    with (CASES / "readings.tsv").open(encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


def read_for(row: dict[str, str]) -> Read | None:
    name = row["file"].removeprefix("evidence/")
    found = [
        r for (file, words), r in READS.items() if name.startswith(file) and row["question"].startswith(words)
    ]
    return found[0] if found else None


ANSWERED = [row for row in questions() if read_for(row) is not None]


def answer(row: dict[str, str]) -> Value:
    if row["answer"] == "NaN":
        return NonFinite("NaN")
    return quantity(row["answer"], row["unit"].replace("msec", "ms"))


@pytest.fixture
def cases() -> Project:
    return Project(CASES)


@pytest.mark.parametrize("row", ANSWERED, ids=lambda row: f"{row['file'][9:30]}: {row['question'][:30]}")
def test_every_question_to_a_tree_or_a_text_gets_its_answer(cases: Project, row: dict[str, str]) -> None:
    read = read_for(row)
    assert read is not None
    taken = cases.take(row["file"], read)
    wanted = answer(row)
    if "mean" in row["question"] and read.take and read.take[0].name == "mean":
        assert float(taken.value.number) == pytest.approx(float(row["answer"]), rel=1e-14)  # type: ignore[union-attr]  # a mean is a quantity
    else:
        assert taken.value == wanted
    assert all(reading.line for reading in taken.readings)


def test_all_questions_of_the_shapes_are_asked() -> None:
    assert len(ANSWERED) == len(READS)


@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("evidence/hyperfine.json", tree("$.results[*].mean")),
        ("evidence/vllm_bench_serving_text.md", text(r"^Output token throughput \(tok/s\): +(\S+)")),
        ("evidence/hf_trainer_state_lora.json", tree("$.log_history[*].loss")),
    ],
)
def test_several_readings_are_refused(cases: Project, file: str, read: Read) -> None:
    assert cases.error(file, read).code == "several-readings"


def test_a_cut_log_gives_no_run_stop(cases: Project) -> None:
    assert (
        cases.error("evidence/mlperf_result_0.txt", text(r'"run_stop".*"time_ms": (\d+)')).code
        == "no-reading"
    )


def test_an_excerpt_is_no_json_and_event_records_are_no_text(cases: Project) -> None:
    excerpt = "evidence/hf_trainer_state_nan_excerpt.json.txt"
    assert cases.error(excerpt, tree("$.log_history", form="json")).code == "malformed-evidence"
    assert cases.error("evidence/tensorboard_scalar.events.out.tfevents", text("x")).code == "unknown-format"
