"""What profilers and training runs print, read as tables: each format with its traps, and damaged files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, take
from readers_logs import (
    COLUMNS,
    KERNELS,
    LAUNCH,
    LOGS,
    MEGATRON_FORKS,
    NCCL_EARLY,
    NCCL_TESTS,
    NCU_EARLY,
    NCU_RAW,
    NSYS_CSV,
    NSYS_EARLY,
    NVIDIA_SMI,
    OUT_OF_MEMORY,
    Logs,
    ncu_table,
    nsys_table,
)
from stilltrue.errors import InputError
from stilltrue.evidence.readers import READERS
from stilltrue.evidence.tables.headings import column_name
from stilltrue.model import Read, Shape
from stilltrue.quantity import NonFinite, Text

CASES = Path(__file__).resolve().parents[2] / "shared" / "cases"
API, KERN = "cuda_api_sum", "cuda_gpu_kern_sum"


@pytest.fixture
def folder(tmp_path: Path) -> Logs:
    return Logs(tmp_path)


def keys(form: str) -> dict[str, str]:
    """What else a read of a format's file must say."""
    return {"table": API} if form == "nsys-stats" else {}


@pytest.mark.parametrize("form", LOGS)
def test_a_log_is_recognised_and_its_columns_are_those_that_the_docs_name(folder: Logs, form: str) -> None:
    error = folder.write(form).error("no_such", **keys(form))
    there = set(re.findall(r"`(\w+)`", error.hint))
    assert there & {column_name(name) for name in READERS[form].columns}
    assert folder.error("no_such", form=form, **keys(form)).hint == error.hint


@pytest.mark.parametrize("form", LOGS)
@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (" \n\n", {"empty-file"}),
        ("a,b\n1,2\n", {"bad-table"}),
        ('{"results": 3}\n', {"bad-table"}),
        ("iteration 3, loss 0.5\n--- -- -\n", {"bad-table"}),
    ],
    ids=["blank", "csv", "json", "words"],
)
def test_an_empty_file_and_another_format_under_that_name_are_errors(
    folder: Logs, form: str, text: str, codes: set[str]
) -> None:
    error = folder.write(form, text).error(COLUMNS[form], takes="count", form=form)
    assert error.code in codes
    assert error.hint


@pytest.mark.parametrize("form", LOGS)
@pytest.mark.parametrize("other", LOGS)
def test_no_log_is_taken_for_another(folder: Logs, form: str, other: str) -> None:
    if form != other:
        error = folder.write(form, LOGS[other][1]).error(COLUMNS[form], takes="count", form=form)
        assert error.code == "bad-table"


@pytest.mark.parametrize("form", LOGS)
def test_a_log_that_is_cut_is_an_error_or_has_only_readings_of_the_whole(folder: Logs, form: str) -> None:
    """Cut in many places: what can still be read stands in the whole file too."""
    whole, told = LOGS[form][1], 0
    full = readings(folder.write(form), form)
    assert full
    for end in range(len(whole) // 3, len(whole), 11):
        try:
            found = readings(folder.write(form, whole[:end]), form)
        except InputError as error:
            assert error.code in {"bad-table", "no-column", "no-table"}
            told += 1
        else:
            assert found == full[: len(found)]
    assert told


def readings(folder: Logs, form: str) -> list[str]:
    where = f"{COLUMNS[form]} is not null"
    table = keys(form).get("table", "")
    read = Read(Shape.TABLE, column=COLUMNS[form], where=where, take=take("count"), table=table, format=form)
    (picks,) = folder.project.library.groups((folder.name,), read)
    return [str(pick.value) for pick in picks]


@pytest.mark.parametrize("form", LOGS)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_log_gives_a_reading_or_an_error_of_ours(
    tmp_path: Path, form: str, data: st.DataObject
) -> None:
    whole = LOGS[form][1]
    at = data.draw(st.integers(0, len(whole) - 1))
    end = data.draw(st.integers(at, min(len(whole), at + 40)))
    text = whole[:at] + data.draw(st.text(max_size=8)) + whole[end:]
    try:
        Logs(tmp_path).write(form, text).value(COLUMNS[form], takes="count", form=form, **keys(form))
    except InputError as error:
        assert error.message


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("nsys-stats", "Time (%)  Total Time (ns)\n" + "--  " * 100_000 + "x\n"),
        ("nsys-stats", "** " + "a (" * 100_000),
        ("nsys-stats", "with [" + "a[" * 200_000 + "\n --  --\n"),
        ("ncu", "Section: a\n" + "-" * 400_000 + "\n"),
        ("ncu", "Section: a" + " " * 90_000 + "x\n"),
        ("ncu", "[1] a" + "@" * 90_000 + " x\n"),
        ("ncu", "Section: " + " " * 400_000 + "x\n" + "- " * 100_000),
        ("ncu-csv", '"ID",' + '"a",' * 100_000),
        ("nccl-tests", "# size count type " + "x " * 200_000),
        ("nccl-tests", "#" * 400_000 + " size count type algbw busbw x"),
        ("nccl-tests", "# size count type " * 20_000),
        ("megatron", "iteration 1/ 2 | " + "a " * 200_000),
        ("megatron", "validation loss at iteration 1 " * 20_000),
        ("megatron", "iteration 1/ 2 | a:" + " " * 9000 + "x" * 200 + " |\n"),
        ("megatron", "iteration 1/ 2 |" * 30_000),
        ("deepspeed", "step=1, skipped=0, lr=[" + "1.0, " * 100_000),
        ("deepspeed", "step=1, skipped=0, lr=[" + "1" * 400 + "\n"),
        ("deepspeed", "[Rank 0] time (ms) | " + "a" * 400_000),
        ("out-of-memory", "CUDA out of memory. Tried to allocate " + "1" * 400_000),
        ("out-of-memory", "CUDA out of memory. Tried to allocate " * 20_000),
        ("nvidia-smi-table", "| NVIDIA-SMI 5 |\n|=|\n| 0 " + "x " * 200_000 + "\n| " + "x " * 200_000 + "\n"),
    ],
    ids=lambda text: "" if len(text) > 20 else text,
)
def test_long_lines_are_refused_in_their_length(folder: Logs, form: str, text: str) -> None:
    """With patterns that look at each sign many times these would pass the limit of 10 s."""
    assert folder.write(form, text).error(COLUMNS[form], takes="count", form=form).code == "bad-table"


def test_nsys_tables_are_called_by_their_report_and_skipped_ones_are_none(folder: Logs) -> None:
    folder.write("nsys-stats")
    assert folder.error("total_time_ns").code == "no-table"
    assert folder.number("total_time_ns", "name = 'cudaMalloc'", table=API) == "1064588721 ns"
    assert folder.number("time_percent", "name = 'cudaMalloc'", table="1") == "71.7 %"
    assert folder.number("avg_mb", table="cuda_gpu_mem_size_sum") == "0.007 MB"
    error = folder.error("total_time_ns", takes="count", table="nvtx_sum")
    assert (error.code, f"`{KERN}`" in error.hint) == ("no-table", True)


def test_nsys_names_that_were_cut_alike_are_two_rows(folder: Logs) -> None:
    folder.write("nsys-stats")
    where = "name like 'void at::native%'"
    assert folder.error("total_time_ns", where, table=KERN).code == "several-readings"
    assert folder.number("total_time_ns", where, "sum", table=KERN) == "97338 ns"


def test_a_sum_over_an_nsys_table_that_lacks_rows_breaks_and_a_single_row_is_noted(folder: Logs) -> None:
    """`head` of a report: 60 % and 30 % leave 10 % out."""
    text = LOGS["nsys-stats"][1].replace(KERNELS, "".join(KERNELS.splitlines(keepends=True)[:-1]))
    folder.write("nsys-stats", text)
    error = folder.error("total_time_ns", takes="sum", table=KERN)
    assert (error.code, "90.0 %" in error.message) == ("incomplete-table", True)
    read = Read(Shape.TABLE, column="total_time_ns", where="instances > 2", take=take("first"), table=KERN)
    taken = folder.project.take(folder.name, read)
    assert taken.value == quantity("64892", "ns")
    assert "90.0 %" in taken.notes[0]


def test_nsys_of_early_versions_has_its_units_in_titles_and_neighbours(folder: Logs) -> None:
    folder.write("nsys-stats", NSYS_EARLY)
    assert folder.number("average", table="CUDA Kernel Statistics") == "222080 ns"
    assert folder.number("total", table="2") == "11718.754 KiB"
    assert folder.number("duration_nsec", "name = 'add_l20'", table="gputrace") == "222080 nsec"
    assert folder.error("grdx", "line = 19", table="gputrace").code == "empty-cell"


def test_nsys_csv_is_found_below_what_nsys_says_of_itself(folder: Logs) -> None:
    folder.write("nsys-stats", NSYS_CSV)
    assert folder.number("total_time_ns", "name like 'void foo<%'", table=KERN) == "6000000 ns"
    assert folder.number("total_time_ns", "", "sum") == "9000000 ns"


def test_tables_of_other_tools_in_the_same_log_are_not_of_nsys(folder: Logs) -> None:
    text = nsys_table("Loss|Sequences|Peak", "naive|1|81.93") + "\n" + LOGS["nsys-stats"][1]
    assert folder.write("nsys-stats", text).number("total_time_ns", "line = 12", table="1") == "1064588721 ns"


def test_tables_that_two_ranks_printed_at_once_are_told_apart_by_their_labels(folder: Logs) -> None:
    """As `srun --label` writes them: every second line is of the other rank, which took twice the time."""
    first = LOGS["nsys-stats"][1].splitlines()
    second = [line.replace("1,064,588,721", "2,129,177,442") for line in first]
    both = zip(first, second, strict=True)
    text = "".join(f"0: {one}".rstrip() + "\n" + f"1: {other}".rstrip() + "\n" for one, other in both)
    folder.write("nsys-stats", text)
    assert folder.error("total_time_ns", "name = 'cudaMalloc'", table=API).code == "no-table"
    assert folder.number("total_time_ns", "name = 'cudaMalloc'", table="1") == "1064588721 ns"
    assert folder.number("total_time_ns", "name = 'cudaMalloc'", table="2") == "2129177442 ns"
    assert folder.lines("total_time_ns", table="2") == [16, 18]


@pytest.mark.parametrize("prefix", ["[1,0]<stdout>:", "[rank0]: ", "2026-08-24T10:00:00.123456789Z "])
@pytest.mark.parametrize("form", ["nsys-stats", "ncu", "nccl-tests"])
def test_tables_are_read_below_what_launchers_put_before_each_line(
    folder: Logs, form: str, prefix: str
) -> None:
    whole = readings(folder.write(form), form)
    text = "".join(prefix + line for line in LOGS[form][1].splitlines(keepends=True))
    assert readings(folder.write(form, text), form) == whole


def test_a_line_that_was_printed_into_an_nsys_table_breaks_it_unless_it_is_left_out(folder: Logs) -> None:
    text = LOGS["nsys-stats"][1].replace("     28.3", "step 4 done: 7  28.3")
    folder.write("nsys-stats", text)
    error = folder.error("total_time_ns", "name = 'cudaMalloc'", table=API)
    assert (error.code, error.line) == ("bad-table", 9)
    assert folder.number("total_time_ns", "line <> 9 and name = 'cudaMalloc'", table=API) == "1064588721 ns"


def test_ncu_tells_metrics_of_one_name_apart_by_their_section(folder: Logs) -> None:
    folder.write("ncu")
    where = "metric = 'Memory Throughput' and id = 0"
    assert folder.error("value", where).code == "several-readings"
    assert folder.number("value", f"{where} and section = 'GPU Speed Of Light Throughput'") == "49.23 %"
    assert folder.number("value", f"{where} and section like 'Memory%'") == "388.63 GB/s"
    assert folder.number("value", "metric = 'DRAM Frequency'") == "6.71 GHz"
    assert folder.number("value", "metric = 'Elapsed Cycles'") == "56344784"


def test_ncu_launches_carry_their_kernel_and_units_of_either_version(folder: Logs) -> None:
    folder.write("ncu")
    assert folder.error("value", "metric = 'Duration'").code == "several-readings"
    assert folder.number("value", "metric = 'Duration' and kernel like 'sgemm(%'") == "606.56 us"
    assert folder.number("value", "metric = 'Duration' and id = 1") == "0.32 ms"
    assert folder.value("grid", "metric = 'DRAM Frequency'") == Text("32, 32, 1")
    assert folder.number("process", "metric = 'DRAM Frequency'") == "828"
    assert folder.number("value", "unit = 'Kbyte/block'") == "8.19"
    assert folder.error("value", "metric = 'Max Bandwidth'").code == "empty-cell"


def test_ncu_numbers_of_another_locale_are_told_by_those_that_leave_no_doubt(folder: Logs) -> None:
    folder.write("ncu", NCU_EARLY)
    assert folder.number("value", "metric like 'dram%'") == "64.43 GB/s"
    assert folder.number("value", "metric like 'sm__cycles%'") == "1015"
    mixed = LAUNCH + "    Section: A\n" + ncu_table(("a", "%", "1,50"), ("b", "%", "1.50"))
    assert folder.write("ncu", mixed).error("value", takes="count").code == "bad-table"


def test_an_ncu_table_that_no_rule_closes_breaks_every_read_of_the_file(folder: Logs) -> None:
    text = LOGS["ncu"][1].rsplit("    Local Memory", 1)[0]
    error = folder.write("ncu", text).error("value", "metric = 'DRAM Frequency'")
    assert (error.code, "no rule of dashes closes it" in error.message) == ("bad-table", True)


def test_ncu_csv_leaves_advice_out_and_a_missing_metric_empty(folder: Logs) -> None:
    folder.write("ncu-csv")
    assert folder.number("value", "metric = 'Duration'") == "1205 us"
    assert folder.number("value", "metric = 'dram__bytes_read.sum'") == "2.5 MB"
    assert folder.error("value", "id = 1").code == "empty-cell"
    assert folder.lines("id", "", "count") == [4, 6, 7]
    assert folder.value("kernel", "metric = 'Duration'") == Text("void gemm<256, 1>(float *)")


def test_the_raw_page_of_ncu_has_a_row_for_each_launch_with_the_units_of_its_second_line(
    folder: Logs,
) -> None:
    folder.write("ncu-csv", NCU_RAW)
    assert folder.number("gpu_time_duration_sum", "kernel = 'w2_kernel'") == "1020.5 us"
    assert folder.number("launch_registers_per_thread", "id = 0") == "168"
    without = NCU_RAW.replace('"","","","","us","register/thread"\n', "")
    assert folder.write("ncu-csv", without).error("gpu_time_duration_sum", takes="count").code == "bad-table"


def test_nccl_tests_keep_the_two_places_and_the_footer_apart(folder: Logs) -> None:
    folder.write("nccl-tests")
    largest = "size = 134217728"
    assert folder.number("out_of_place_busbw", largest, table="all_reduce_perf") == "156.51 GB/s"
    assert folder.number("in_place_busbw", largest) == "163.76 GB/s"
    assert folder.number("out_of_place_time", largest) == "1200000 us"
    assert folder.number("avg_busbw", "", "same") == "80.0675 GB/s"
    assert folder.error("in_place_wrong", largest).code == "empty-cell"
    assert folder.lines("size", "", "count") == [11, 13]


def test_nccl_tests_of_an_early_version_below_the_tags_of_mpirun(folder: Logs) -> None:
    folder.write("nccl-tests", NCCL_EARLY)
    assert folder.number("in_place_time") == "19898 us"
    assert folder.number("out_of_place_error") == "2e-07"
    assert folder.error("out_of_place_wrong").code == "no-column"


@pytest.mark.parametrize("text", [NCCL_TESTS, NCCL_EARLY], ids=["late", "early"])
def test_a_row_of_nccl_tests_behind_what_another_process_printed_is_not_passed_over(
    folder: Logs, text: str
) -> None:
    row = re.search(r" +(?:134217728|33554432) +\d+ +float.*", text)
    assert row is not None
    line = text.count("\n", 0, row.start()) + 1
    torn = text.replace(row[0], f"box:12:34 [1] NCCL INFO ring 0{row[0]}")
    error = folder.write("nccl-tests", torn).error("size", takes="count")
    assert (error.code, error.line) == ("bad-table", line)


def test_a_run_of_nccl_tests_that_died_breaks_until_it_is_left_out(folder: Logs) -> None:
    text = LOGS["nccl-tests"][1].split("# Out of bounds")[0]
    error = folder.write("nccl-tests", text).error("in_place_busbw", "", "max")
    assert (error.code, error.line) == ("bad-table", 9)
    assert folder.number("in_place_busbw", "line <> 9", "max") == "163.76 GB/s"


def test_two_runs_of_nccl_tests_are_two_tables(folder: Logs) -> None:
    folder.write("nccl-tests", LOGS["nccl-tests"][1] * 2)
    assert folder.error("avg_busbw", "", "same").code == "no-table"
    assert folder.number("avg_busbw", "", "same", table="2") == "80.0675 GB/s"


def test_megatron_tells_training_from_validation_and_keeps_the_units_of_the_line(folder: Logs) -> None:
    folder.write("megatron")
    assert folder.number("elapsed_time_per_iteration_ms", "iteration = 10") == "1147.6 ms"
    assert folder.number("throughput_per_gpu_tflop_s_gpu", "kind = 'training'", "last") == "372.4 TFLOP/s/GPU"
    assert folder.number("lm_loss_value", "kind = 'evaluation' and iteration = 20") == "2.342049"
    assert folder.value("on", "kind = 'evaluation'") == Text("validation set")
    assert folder.value("grad_norm", "grad_norm is null and iteration = 20 and kind = 'training'") == (
        NonFinite("NaN")
    )
    assert folder.error("lm_loss", "kind = 'training'", "first").code == "empty-cell"


def test_lines_of_megatron_forks_have_the_same_columns(folder: Logs) -> None:
    folder.write("megatron", MEGATRON_FORKS)
    assert folder.number("elapsed_time_per_iteration_ms", "line = 1") == "17711.7 ms"
    assert folder.number("lm_loss", "iteration = 2") == "0.004142716"
    assert folder.number("tflops", "line = 1") == "144.87 TFLOP/s"
    assert folder.value("elapsed_time_per_iteration_ms", "line = 2") != quantity("13100", "ms")


@pytest.mark.parametrize(
    "junk", ["[rank3]: Traceback", "WARNING", "\n"], ids=["a rank", "a word", "a new line"]
)
def test_a_megatron_line_that_was_printed_into_breaks_reads_that_may_mean_it(folder: Logs, junk: str) -> None:
    text = LOGS["megatron"][1].replace("1.072453E+01", f"1.07{junk}2453E+01")
    error = folder.write("megatron", text).error("lm_loss_value", "kind = 'evaluation'")
    assert (error.code, error.line) == ("bad-table", 7)
    assert folder.number("lm_loss_value", "line > 8") == "2.342049"


def test_deepspeed_memory_is_binary_and_its_lines_are_told_apart(folder: Logs) -> None:
    folder.write("deepspeed")
    assert folder.number("max_mem_allocated", "step = 10 and kind = 'speed'") == "38.49 GiB"
    assert folder.number("curr_samples_per_sec", "step = 10 and kind = 'speed'") == "25.7042804805 samples/s"
    assert folder.number("lr", "step = 10 and kind = 'step'") == "4.99804827338e-05"
    assert folder.value("lr", "step = 20 and kind = 'step'") != quantity("5e-05")
    assert folder.number("bwd_microstep", "kind = 'times' and bwd_microstep is not null") == "11249.42 ms"
    assert folder.number("step_ms", "kind = 'times' and step_ms is not null") == "888.45 ms"
    assert folder.number("rank", "kind = 'speed' and step = 20") == "0"


def test_a_deepspeed_line_that_was_printed_into_is_an_error(folder: Logs) -> None:
    text = LOGS["deepspeed"][1].replace("MemAllocated=4.32GB", "MemAllo[rank1]: cated=4.32GB", 1)
    error = folder.write("deepspeed", text).error("skipped", "kind = 'step'", "last")
    assert (error.code, error.line) == ("bad-table", 2)


def test_a_log_of_megatron_and_deepspeed_wants_to_be_told_which(folder: Logs) -> None:
    folder.write("megatron", LOGS["megatron"][1] + LOGS["deepspeed"][1])
    assert folder.error("lm_loss").code == "unknown-format"
    assert folder.number("skipped", "step = 10 and kind = 'step'", form="deepspeed") == "4"


def test_messages_of_every_version_say_what_they_reserved_in_words_of_their_own(folder: Logs) -> None:
    folder.write("out-of-memory")
    assert folder.number("reserved_unallocated", "rank = 5") == "156.68 MiB"
    assert folder.number("reserved", "rank = 0") == "15.05 GiB"
    assert folder.number("cached", "rank = 1") == "607 KiB"
    assert folder.number("free", "rank = 1") == "0 bytes"
    assert folder.number("allowed", "rank = 0") == "2.37 GiB"
    assert folder.error("reserved", "rank = 5").code == "empty-cell"
    assert folder.number("process_2_in_use", "rank = 5") == "4.46 GiB"


def test_messages_of_other_backends_are_read_and_mps_is_binary(folder: Logs) -> None:
    folder.write("out-of-memory")
    assert folder.number("private_pools", "backend = 'HIP'") == "1.78 GiB"
    assert folder.number("in_use", "backend = 'HIP'") == "15.5 GiB"
    assert folder.number("allowed", "backend = 'HIP'") == "14 GiB"
    assert folder.number("allowed", "backend = 'MPS'") == "18.13 GiB"
    assert folder.number("requested", "backend = 'MPS'") == "192 MiB"
    assert folder.number("capacity", "backend <> 'MPS'", "same") == "15.77 GiB"
    assert folder.number("requested", "requested = 98 * 1048576", "count") == "1"
    assert folder.lines("gpu", "gpu is not null", "count") == [2, 3, 4, 5]


def test_a_message_without_its_end_is_cut_and_never_part_of_a_number(folder: Logs) -> None:
    text = OUT_OF_MEMORY.split(" is reserved by PyTorch but")[0]
    error = folder.write("out-of-memory", text).error("requested", takes="count")
    assert (error.code, error.line) == ("bad-table", 2)


def test_the_table_of_nvidia_smi_has_a_row_for_each_card_and_moment(folder: Logs) -> None:
    folder.write("nvidia-smi-table")
    assert folder.lines("memory_used", "memory_used is not null", "count") == [9, 32]
    assert folder.number("memory_used", "line = 9") == "70123 MiB"
    assert folder.number("memory_total", "line = 32") == "2048 MiB"
    assert folder.number("utilization", "gpu = 0", "max") == "97 %"
    assert folder.number("power", "line = 9") == "688 W"
    assert folder.number("temperature", "gpu = 1") == "33 °C"
    assert folder.number("ecc_errors", "ecc_errors is not null") == "2"
    assert folder.number("fan", "fan is not null") == "30 %"
    assert folder.value("compute_mode", "gpu = 1") == Text("E. Process")
    assert folder.value("name", "line = 9") == Text("NVIDIA Card 80GB HBM")
    assert folder.value("cuda_version", "line = 32") == Text("11.7")


@pytest.mark.parametrize("column", ["fan", "power", "power_cap", "memory_used", "memory_total", "ecc_errors"])
def test_what_a_card_does_not_tell_nvidia_smi_is_an_empty_cell(folder: Logs, column: str) -> None:
    assert folder.write("nvidia-smi-table").error(column, "gpu = 1").code == "empty-cell"


def test_a_table_of_nvidia_smi_that_begins_the_log_of_a_job_leaves_it_to_what_follows(folder: Logs) -> None:
    folder.write("nvidia-smi-table", NVIDIA_SMI + NCCL_TESTS)
    assert folder.number("avg_busbw", takes="same") == "80.0675 GB/s"
    assert folder.number("memory_used", "line = 9", form="nvidia-smi-table") == "70123 MiB"


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("97%      Default |", "97%  step 3\n", {9, 10}),
        ("Off |                    2 |", "Off |            3 of 4 |", {9, 10}),
        ("| Processes:    ", "| 0            ", {3}),
    ],
    ids=["printed-into", "unknown", "no-end"],
)
def test_a_table_of_nvidia_smi_that_is_damaged_breaks_every_read(
    folder: Logs, old: str, new: str, lines: set[int]
) -> None:
    error = folder.write("nvidia-smi-table", NVIDIA_SMI.replace(old, new, 1)).error(
        "memory_used", takes="count", form="nvidia-smi-table"
    )
    assert error.code == "bad-table"
    assert error.line in lines


ANSWERS = {
    ("nsys_stats_text_thousands_sep.txt", "total_time_ns", "name = 'cudaMalloc'", "only"): (
        "1064588721",
        "ns",
    ),
    ("oom_algoperf_8ranks.txt", "requested", "requested = 98 * 1048576", "count"): ("6", ""),
    ("oom_algoperf_8ranks.txt", "capacity", "", "same"): ("15.77", "GiB"),
}


@pytest.mark.skipif(not CASES.is_dir(), reason="the folder of cases is not there")
@pytest.mark.parametrize("read", ANSWERS, ids=lambda read: read[2][:20] or "capacity")
def test_logs_of_other_projects_give_the_known_answers(read: tuple[str, str, str, str]) -> None:
    file, column, where, takes = read
    table = API if file.startswith("nsys") else ""
    asked = Read(Shape.TABLE, column=column, where=where, take=take(takes), table=table)
    assert Project(CASES).value(f"evidence/{file}", asked) == quantity(*ANSWERS[read])
