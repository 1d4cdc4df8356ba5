"""What tools write, read as tables: each format with its traps, and what is said of a file that is none."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, take
from readers_support import FILES, Files
from stilltrue.errors import InputError
from stilltrue.evidence import FORMATS
from stilltrue.evidence.readers import READERS
from stilltrue.evidence.tables.headings import column_name
from stilltrue.model import Read, Shape
from stilltrue.quantity import Flag, NonFinite, Text

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"
FIRST = {
    "hyperfine": "mean",
    "pytest-benchmark": "mean",
    "trainer-state": "loss",
    "trainer-output": "loss",
    "gnu-time": "elapsed",
    "perf-stat": "value",
    "nvidia-smi": "memory_used_mib",
    "mllog": "value",
    "mlflow": "value",
    "serving-benchmark": "mean_ttft",
}
"""A column of each format."""


@pytest.fixture
def files(tmp_path: Path) -> Files:
    return Files(tmp_path)


def test_every_reader_has_a_file_here_and_a_name_of_its_own() -> None:
    assert set(FILES) == set(FIRST), "name a column of each in `FIRST`"
    assert set(FILES) <= set(READERS)
    assert not set(READERS) & set(FORMATS)
    assert all(reader.traps and reader.means and reader.rows for reader in READERS.values())


@pytest.mark.parametrize("form", FILES)
def test_a_file_is_recognised_and_its_columns_are_those_that_the_docs_name(files: Files, form: str) -> None:
    keys = {"table": "1"} if form == "perf-stat" else {}
    files.write(form)
    error = files.error("no_such", **keys)
    there = set(re.findall(r"`(\w+)`", error.hint))
    assert there & {column_name(name) for name in READERS[form].columns}
    assert files.error("no_such", form=form, **keys).hint == error.hint


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("text", ["", " \n\n"], ids=["empty", "blank"])
def test_an_empty_file_is_an_error(files: Files, form: str, text: str) -> None:
    assert files.write(form, text).error(FIRST[form], takes="count", form=form).code == "empty-file"


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize(
    "text",
    ["a,b\n1,2\n", '{"results": 3}\n', "[1, 2]\n", '{"results": [1]}\n', "nothing of the kind\n"],
    ids=["csv", "an object", "an array", "an array of numbers", "words"],
)
def test_another_format_under_that_name_is_an_error(files: Files, form: str, text: str) -> None:
    error = files.write(form, text).error(FIRST[form], takes="count", form=form)
    assert error.code in {"bad-table", "malformed-evidence"}
    assert error.hint


@pytest.mark.parametrize("form", FILES)
@pytest.mark.parametrize("other", FILES)
def test_no_format_is_taken_for_another(files: Files, form: str, other: str) -> None:
    if form == other:
        return
    error = files.write(form, FILES[other][1]).error(FIRST[form], takes="count", form=form)
    assert error.code in {"bad-table", "malformed-evidence"}


@pytest.mark.parametrize("form", FILES)
def test_a_file_that_is_cut_is_an_error_or_has_only_readings_of_the_whole(files: Files, form: str) -> None:
    """Cut after each sign of its last third: what can still be read stands in the whole file too."""
    whole = FILES[form][1]
    where = "value is not null" if form in {"perf-stat", "mllog"} else f"{FIRST[form]} is not null"
    keys = {"table": "1"} if form == "perf-stat" else {}
    full = readings(files.write(form), FIRST[form], where, keys)
    assert full
    told = 0
    for end in range(len(whole) * 2 // 3, len(whole)):
        try:
            found = readings(files.write(form, whole[:end]), FIRST[form], where, keys | {"form": form})
        except InputError as error:
            assert error.code in {"bad-table", "malformed-evidence", "no-reading", "no-table"}
            told += 1
        else:
            assert found == full[: len(found)]
    assert told


def readings(files: Files, column: str, where: str, keys: dict[str, str]) -> list[str]:
    read = Read(
        Shape.TABLE,
        column=column,
        where=where,
        take=take("count"),
        table=keys.get("table", ""),
        format=keys.get("form", ""),
    )
    (picks,) = files.project.library.groups((files.name,), read)
    return [str(pick.value) for pick in picks]


def test_hyperfine_counts_runs_and_failures_and_keeps_seconds(files: Files) -> None:
    files.write("hyperfine")
    assert files.error("mean").code == "several-readings"
    cold = "command = 'app --cold'"
    assert files.number("mean", cold) == "1.842 s"
    assert (files.number("runs", cold), files.number("failed", cold)) == ("3", "2")
    assert files.number("mean", "parameter_threads = 8") == "0.315 s"
    assert files.error("stddev", "command = 'app --warm'").code == "empty-cell"
    assert files.lines("mean") == [3, 6]


@pytest.mark.parametrize("key", ["command", "mean", "max"])
def test_hyperfine_without_what_every_version_has_is_told_by_its_line(files: Files, key: str) -> None:
    text = FILES["hyperfine"][1].replace(f'"{key}"', '"was"')
    error = files.write("hyperfine", text).error("median", form="hyperfine")
    assert (error.code, error.line) == ("bad-table", 3)
    assert f"`{key}`" in error.message


def test_pytest_benchmark_says_that_the_checkout_was_dirty(files: Files) -> None:
    files.write("pytest-benchmark")
    assert files.error("mean", "name = 'test_step'").code == "several-readings"
    where = "fullname = 'tests/test_a.py::test_step'"
    assert files.value("mean", where) == quantity("2.622408132654948e-07", "s")
    assert files.number("ops", where) == "3813289.2 1/s"
    assert (files.value("dirty", where), files.value("commit", where)) == (Flag(True), Text("5b78858eb718"))
    assert (files.value("outliers", where), files.number("param_n", where)) == (Text("9;18"), "8")
    assert files.value("extra_note", where) == Text("eager")


def test_a_trainer_state_tells_training_from_evaluation(files: Files) -> None:
    files.write("trainer-state")
    assert files.number("loss", "kind = 'training'", "last") == "0.349"
    assert files.number("eval_loss", "kind = 'evaluation'") == "0.395"
    assert files.number("eval_samples_per_second", "kind = 'evaluation'") == "152.511 samples/s"
    assert files.number("train_runtime", "kind = 'summary'") == "61.5 s"
    assert files.value("grad_norm", "step = 40 and kind = 'training'") == NonFinite("NaN")
    assert files.error("loss", "", "last").code == "empty-cell"


def test_a_trainer_state_without_entries_has_no_rows(files: Files) -> None:
    error = files.write("trainer-state", '{"global_step": 0, "log_history": []}').error("loss")
    assert error.code == "no-rows"


def test_trainer_output_is_read_between_progress_bars(files: Files) -> None:
    files.write("trainer-output")
    assert files.number("loss", "epoch = 0.5 and kind = 'training'") == "0.6899"
    assert files.value("loss", "line = 4") == NonFinite("NaN")
    assert files.number("eval_loss", "kind = 'evaluation'") == "0.395"
    assert files.error("eval_note", "kind = 'evaluation'").code == "empty-cell"
    assert files.number("train_runtime", "kind = 'summary'") == "61.5 s"
    assert files.number("reward", "reward is not null") == "0.25"
    assert files.lines("epoch") == [2, 3, 4, 5, 6]


def test_a_record_that_was_printed_into_breaks_the_reads_that_may_mean_it(files: Files) -> None:
    text = FILES["trainer-output"][1].replace("'grad_norm': 0.74", "'grad_{'loss': 1.5, 'epoch': 0.5}", 1)
    files.write("trainer-output", text)
    error = files.error("loss", "kind = 'training'", "last")
    assert (error.code, error.line) == ("bad-table", 2)
    assert "where: line <> 2" in error.hint
    assert files.number("train_runtime", "line > 2 and kind = 'summary'") == "61.5 s"
    assert files.error("(select max(loss) from evidence)", "line > 4", "last").code == "bad-table"


def test_gnu_time_gives_seconds_and_kibibytes(files: Files) -> None:
    files.write("gnu-time")
    first = "command like '%train%'"
    assert files.number("elapsed", first) == "5541 s"
    assert files.number("max_resident", first) == "66824 KiB"
    assert files.value("command", "line = 2") == Text('"python train.py --name a: b"')
    assert files.number("cpu_percent", first) == "99 %"
    second = "ended = 'Command terminated by signal 9'"
    assert files.number("elapsed", second) == "1.25 s"
    assert files.error("cpu_percent", second).code == "empty-cell"


def test_perf_stat_tells_decimals_from_thousands_in_either_locale(files: Files) -> None:
    files.write("perf-stat")
    assert files.error("value", "event = 'cycles'").code == "no-table"
    assert files.number("value", "event = 'task-clock'", table="./app") == "2 msec"
    assert files.number("value", "event = 'cycles'", table="1") == "1801175"
    assert files.number("counted", "event = 'cycles'", table="1") == "74.18 %"
    assert files.number("spread", "event = 'cycles'", table="1") == "1.68 %"
    assert files.number("metric", "metric_name = 'GHz'", table="1") == "0.902"
    assert files.number("value", "event like 'power/%'", table="1") == "12.34 Joules"
    assert files.number("plus_minus", "event = 'elapsed'", table="1") == "0.000171 s"
    assert files.number("value", "event = 'task-clock:u'", table="2") == "1234.56 msec"
    assert files.number("value", "event = 'cycles:u'", table="ls") == "1234"
    assert files.number("value", "event = 'elapsed'", table="2") == "1.23456789 s"


def test_an_event_that_was_not_counted_has_no_value(files: Files) -> None:
    files.write("perf-stat")
    assert files.error("value", "event = 'cache-misses'", table="1").code == "empty-cell"
    assert files.value("missing", "event = 'cache-misses'", table="1") == Text("not supported")


def test_a_report_of_perf_without_events_is_cut_and_counts_nothing(files: Files) -> None:
    text = FILES["perf-stat"][1].split("\n\n", 2)[0] + "\n\n Performance counter stats for 'ls':\n\n"
    error = files.write("perf-stat", text).error("value", takes="count")
    assert (error.code, error.line) == ("bad-table", 3)


def test_perf_stat_of_many_runs_reads_past_the_table_of_single_ones(files: Files) -> None:
    single = "\n           # Table of individual measurements:\n           0,003774 (-0,000011) #####\n"
    single += "           0,003796 (+0,000011) #####\n\n           # Final result:\n"
    start = "        0,003785 +- "
    files.write("perf-stat", FILES["perf-stat"][1].replace(start, single + start))
    assert files.number("value", "event = 'elapsed'", table="1") == "0.003785 s"
    assert files.number("line", takes="count", table="1") == "7"


TOPDOWN = """
 Performance counter stats for process id '4242':

             7,932      context-switches                 #    281.7 cs/sec  cs_per_second
             TopdownL1 (cpu_core)                 #     10.3 %  tma_bad_speculation
                                                  #     17.3 %  tma_frontend_bound
     1,113,933,476      cpu_core/cpu-cycles/             #      0.0 GHz  cycles_frequency

       1.002367894 seconds time elapsed

"""
EARLY = """
 Performance counter stats for './cfg small.cfg':

           26,554473 task-clock (msec)       #    0,965 CPUs utilized
          77 375 671 cycles                  #    2,914 GHz
               1 024 page-faults             #    0,038 M/sec

        0,027512345 seconds time elapsed

"""


def test_perf_stat_names_a_group_of_metrics_that_has_no_value(files: Files) -> None:
    files.write("perf-stat", TOPDOWN)
    assert files.number("metric", "event = 'TopdownL1 (cpu_core)'") == "10.3"
    assert files.number("metric", "metric_name like '%tma_frontend_bound'") == "17.3"
    assert files.error("value", "event like 'Topdown%'").code == "empty-cell"
    assert files.number("value", "event like '%cpu-cycles/'", table="process id '4242'") == "1113933476"


def test_perf_stat_of_early_versions_has_six_decimals_and_the_unit_behind_the_event(files: Files) -> None:
    files.write("perf-stat", EARLY)
    assert files.number("value", "event = 'task-clock'") == "26.554473 msec"
    assert files.number("value", "event = 'cycles'") == "77375671"
    assert files.number("value", "event = 'page-faults'") == "1024"


def test_perf_stat_in_intervals_is_refused_and_no_time_is_taken_for_a_count(files: Files) -> None:
    text = TOPDOWN.replace("             7,932 ", "     1.000106         7,932 ")
    assert files.write("perf-stat", text).error("value", takes="count").line == 4


def test_offline_throughput_of_sglang_is_read_as_its_serving_benchmark_is(files: Files) -> None:
    serving = FILES["serving-benchmark"][1].split("INFO 10:05")[0]
    files.write("serving-benchmark", serving.replace("= Serving Bench", " Offline Throughput Bench"))
    assert files.number("benchmark_duration") == "46.96 s"
    assert files.number("total_token_throughput") == "436.07 tok/s"


def test_a_serving_benchmark_is_read_where_it_stands_indented(files: Files) -> None:
    files.write("serving-benchmark", FILES["serving-benchmark"][1].replace("\n", "\n    "))
    assert files.number("mean_ttft", takes="first") == "2111.51 ms"


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("trainer-output", "{'" + "'epoch': " * 50_000),
        ("trainer-output", "{'" * 200_000),
        ("serving-benchmark", "=" * 400_000),
        ("serving-benchmark", "=== Serving Benchmark Result ===\na: " + " " * 400_000 + "b"),
        ("perf-stat", " Performance counter stats for 'a':\n 1 a #  1.0 " + " " * 400_000 + "x\n"),
        ("nvidia-smi", "a." * 200_000),
        ("mlflow", "1748257990918 " + "1" * 400_000),
    ],
    ids=["epochs", "braces", "rule", "blanks", "metric", "property", "digits"],
)
def test_long_lines_are_refused_in_their_length(files: Files, form: str, text: str) -> None:
    """With patterns that look at each sign many times these would pass the limit of 10 s."""
    assert files.write(form, text).error(FIRST[form], takes="count", form=form).code == "bad-table"


def test_nvidia_smi_leaves_out_repeated_headings_and_what_is_not_there(files: Files) -> None:
    files.write("nvidia-smi")
    assert files.number("memory_used_mib", '"index" = 0', "max") == "70125 MiB"
    assert files.number("utilization_gpu_percent", '"index" = 0', "mean") == "98 %"
    assert files.number("temperature_gpu", "line = 2") == "61 °C"
    assert files.error("power_draw_w", '"index" = 1').code == "empty-cell"
    assert files.error("temperature_gpu", "line = 5").code == "empty-cell"
    assert files.lines("memory_used_mib") == [2, 3, 5]


def test_nvidia_smi_without_units_has_those_of_its_headings(files: Files) -> None:
    text = re.sub(r"(?<=\d) (?:%|MiB|W)(?=,)", "", FILES["nvidia-smi"][1])
    assert files.write("nvidia-smi", text).number("memory_used_mib", "line = 2") == "70123 MiB"


def test_nvidia_smi_of_another_query_in_the_same_file_is_an_error(files: Files) -> None:
    text = FILES["nvidia-smi"][1] + "timestamp, memory.used [MiB]\n2026/08/24, 4 MiB\n"
    error = files.write("nvidia-smi", text).error("memory_used_mib")
    assert (error.code, error.line) == ("bad-table", 6)


def test_an_mlperf_run_is_timed_from_start_to_stop_and_never_without(files: Files) -> None:
    files.write("mllog")
    span = "time_ms - (select time_ms from evidence where key = 'run_start')"
    assert files.number(span, "key = 'run_stop' and metadata_status = 'success'") == "20"
    assert files.number("value", "key = 'eval_accuracy'") == "0.75842"
    assert files.number("metadata_epoch_num", "key = 'eval_accuracy'") == "37"
    assert files.lines("time_ms") == [2, 3, 4]
    whole = FILES["mllog"][1]
    files.write("mllog", "\n".join(whole.split("\n")[:3]) + "\n")
    assert files.error(span, "key = 'run_stop'").code == "no-reading"


def test_the_mlperf_lines_of_an_earlier_version_are_named(files: Files) -> None:
    text = ':::MLPv0.5.0 resnet 1541710317.13 (train.py:10) run_start: "x"\n'
    assert "`:::MLP`" in files.write("mllog", text).error("value", form="mllog").message


def test_an_mlflow_metric_says_the_unit_of_its_times(files: Files) -> None:
    files.write("mlflow")
    assert files.value("value", "step = 0") == quantity("0.5627373693033669")
    assert files.value("value", "step = 10") == NonFinite("NaN")
    assert files.value("timestamp", "step = 0") == quantity("1748257990918", "ms")
    assert files.value("dataset_name", "step = 20") == Text("lengths")
    assert files.write("mlflow", "1540000000 0.5\n").number("timestamp") == "1540000000 s"


def test_a_serving_benchmark_carries_the_unit_of_each_line(files: Files) -> None:
    files.write("serving-benchmark")
    assert files.error("mean_ttft").code == "several-readings"
    assert files.number("mean_ttft", "backend = 'sglang'") == "2111.51 ms"
    assert files.number("mean_ttft", "backend = 'vllm'") == "2.25 s"
    assert files.number("mean_ttft", "mean_ttft > 2.2") == "2.25 s"
    assert files.number("total_token_throughput", "", "sum") == "836.07 tok/s"
    assert files.value("max_request_concurrency", "line = 2") == Text("not set")
    assert files.lines("successful_requests") == [2, 12]


BAR = "100%|####| 8/8 [00:01<00:00]"


def test_what_begins_behind_a_line_that_did_not_end_is_not_passed_over(files: Files) -> None:
    text = FILES["gnu-time"][1].replace(
        '\tCommand being timed: "sleep', f'{BAR}\tCommand being timed: "sleep'
    )
    assert files.write("gnu-time", text).number("elapsed", "", "count") == "2"
    assert files.value("command", "line > 2") == Text('"sleep 0"')
    heading = "============ Serving Benchmark Result ============"
    text = FILES["serving-benchmark"][1]
    assert files.write("serving-benchmark", text.replace(heading, BAR + heading)).number(
        "mean_ttft", "", "count"
    ) == files.write("serving-benchmark").number("mean_ttft", "", "count")
    broken = files.write("serving-benchmark", text.replace(heading, heading + BAR, 1))
    assert broken.error("mean_ttft", "", "count").code == "bad-table"


@pytest.mark.parametrize(
    "prefix",
    ["client-1  | ", "# ", "2025-11-12T11:25:13.49{}Z ", "\x1b[36m(run pid=7{})\x1b[0m ", "[{}] "],
    ids=["compose", "comment", "ci", "ray", "rank"],
)
def test_a_serving_result_is_read_below_what_a_launcher_puts_before_each_line(
    files: Files, prefix: str
) -> None:
    lines = FILES["serving-benchmark"][1].splitlines()
    files.write(
        "serving-benchmark", "\n".join(prefix.format(n) + line + "   " for n, line in enumerate(lines))
    )
    assert files.number("mean_ttft", "line = 2") == "2111.51 ms"
    assert files.number("mean_ttft", "line = 12") == "2.25 s"
    torn = [prefix.format(n) + line for n, line in enumerate(lines)]
    torn[3] = lines[3]
    files.write("serving-benchmark", "\n".join(torn))
    assert files.error("mean_ttft", "line = 2").code == "bad-table"


def test_the_members_of_a_value_of_mlperf_are_columns(files: Files) -> None:
    stats = (
        FILES["mllog"][1]
        .replace("0.75842", '{"throughput": 14214.66, "steps": [1]}')
        .replace("eval_accuracy", "tracked_stats")
    )
    files.write("mllog", stats)
    assert files.number("value_throughput", "key = 'tracked_stats'") == "14214.66"
    assert files.error("value_steps").code == "no-column"


def test_a_list_in_a_serving_result_gives_its_items_their_unit(files: Files) -> None:
    shares = "Per-position acceptance (%):\n  Position 0:      81.00\n"
    section = "--------Other--------\nPosition 1:      66.00\n"
    text = FILES["serving-benchmark"][1]
    files.write("serving-benchmark", text.replace("Failed requests:", f"{shares}{section}Failed requests:"))
    assert files.number("position_0", "line = 12") == "81 %"
    assert files.number("position_1", "line = 12") == "66"


def test_a_serving_result_that_no_rule_closes_leaves_the_others_readable(files: Files) -> None:
    text = FILES["serving-benchmark"][1].rstrip("=\n")
    files.write("serving-benchmark", text)
    assert files.error("mean_ttft", "", "first").code == "bad-table"
    assert files.error("mean_ttft", "backend = 'vllm'").code == "bad-table"
    assert files.number("mean_ttft", "line < 12") == "2111.51 ms"


def test_a_file_of_two_formats_wants_to_be_told_which(files: Files) -> None:
    files.write("gnu-time", FILES["gnu-time"][1] + FILES["serving-benchmark"][1])
    error = files.error("elapsed")
    assert error.code == "unknown-format"
    assert "`gnu-time`" in error.message
    assert files.number("elapsed", "line = 2", form="gnu-time") == "5541 s"


def test_a_format_of_a_tool_is_no_tree(files: Files) -> None:
    project = files.write("hyperfine").project
    assert project.value("r.json", Read(Shape.TREE, path="$.results[1].mean")) == quantity("0.315")
    error = project.error("r.json", Read(Shape.TREE, path="$.results", format="hyperfine"))
    assert (error.code, "`column`" in error.hint) == ("unknown-format", True)


@pytest.mark.parametrize("form", FILES)
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_gives_a_reading_or_an_error_of_ours(
    tmp_path: Path, form: str, data: st.DataObject
) -> None:
    whole = FILES[form][1]
    at = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(at, min(len(whole), at + 40)))
    text = whole[:at] + data.draw(st.text(max_size=8)) + whole[end:]
    files = Files(tmp_path)
    try:
        files.write(form, text).value(FIRST[form], takes="count", form=form)
    except InputError as error:
        assert error.message


ANSWERS: dict[tuple[str, str], tuple[str, str, str]] = {
    ("hf_trainer_state_lora", "last logged"): ("loss", "kind = 'training'", "last"),
    ("mlperf_result_0", "last eval"): ("value", "key = 'eval_accuracy'", "last"),
    ("pytest_benchmark", "mean of"): ("mean", "name = 'test_xfast_parametrized[0]'", "only"),
    ("hyperfine", "mean of"): ("mean", "", "first"),
    ("perf_stat", "task-clock"): ("value", "event = 'task-clock'", "only"),
    ("perf_stat", "cycles"): ("value", "event = 'cycles'", "only"),
    ("gnu_time", "elapsed"): ("elapsed", "", "only"),
    ("gnu_time", "maximum"): ("max_resident", "", "only"),
    ("mlflow_metric", "mae"): ("value", "", "only"),
    ("vllm_bench", "output"): ("output_token_throughput", "line < 150", "first"),
}
"""The read of a table that answers a question of `readings.tsv`, by the beginnings of its file and words."""


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
@pytest.mark.parametrize(("file", "question"), ANSWERS)
def test_files_of_other_projects_give_the_known_answers(file: str, question: str) -> None:
    column, where, takes = ANSWERS[file, question]
    with (CASES / "readings.tsv").open(encoding="utf-8") as rows:
        (row,) = (
            row
            for row in csv.DictReader(rows, delimiter="\t")
            if row["file"].startswith(f"evidence/{file}") and row["question"].startswith(question)
        )
    read = Read(Shape.TABLE, column=column, where=where, take=take(takes))
    found = Project(CASES).value(row["file"], read)
    wanted = quantity(row["answer"], row["unit"])
    assert (found.number, found.unit.scale) == (wanted.number, wanted.unit.scale)  # type: ignore[union-attr]  # a quantity
