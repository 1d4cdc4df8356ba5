from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import InputError
from stilltrue.evidence.tables import sniff
from stilltrue.quantity import Flag
from tables_support import CASES, HEADINGS, cells, kernel, op, printed, profile, readings, refusal, total

ROWS = (
    op("aten::mm", "120.000us", "1.500ms"),
    kernel("sgemm_128x128", "1.500ms", 3),
    op("my step", "80.000us", "0.000us"),
    kernel("my step", "1.750ms"),
    kernel("fmha_cutlassF_bf16", "250.000us"),
    op("cudaLaunchKernel", "30.000us", "0.000us"),
    kernel("cudaMemcpyAsync", "9.000us"),
    kernel("cuLaunchKernelEx", "9.000us"),
    kernel("Activity Buffer Request", "9.000us"),
    kernel("Command Buffer Full", "9.000us"),
    kernel("cudnn_convolution_forward", "250.000us"),
    kernel("[memory]", "0.000us"),
    kernel("ProfilerStep*", "2.000ms"),
)
FOOTER = ("Self CPU time total: 230.000us", "Self CUDA time total: 2.000ms")
WHOLE = printed(ROWS, footer=FOOTER)


def test_only_device_rows_are_kernels_and_they_add_up() -> None:
    found, notes = cells(profile(WHOLE), "self_device", "device", take="sum")
    assert total(found) == Fraction(2, 1000)
    assert [cell.line for cell in found] == [5, 8, 14]
    assert notes == ()


def test_a_naive_sum_is_told_to_count_twice() -> None:
    _, notes = cells(profile(WHOLE), "self_device", take="sum")
    assert len(notes) == 1
    assert "counts twice" in notes[0]
    assert cells(profile(WHOLE), "self_cpu", take="sum")[1] == ()


def test_the_columns_are_always_the_same() -> None:
    table = profile(WHOLE)
    names = "name self_cpu_percent self_cpu cpu_total_percent cpu_total cpu_time_avg self_device"
    more = "self_device_percent device_total device_time_avg calls device"
    assert list(table.frames[0].places) == [*names.split(), *more.split()]


@pytest.mark.parametrize("device", ["CUDA", "Device", "XPU", "HPU", "MPS", "MTIA", "PRIVATEUSEONE"])
def test_the_word_for_the_device_does_not_matter(device: str) -> None:
    headings = [heading.replace("CUDA", device) for heading in HEADINGS]
    text = printed(ROWS, headings, [line.replace("CUDA", device) for line in FOOTER])
    found, notes = cells(profile(text), "device_total", "device and name like 'fmha%'", take="sum")
    assert (total(found), notes) == (Fraction(250, 1_000_000), ())


def test_cells_keep_their_unit_and_predicates_see_seconds() -> None:
    table = profile(WHOLE)
    assert readings(table, "self_device", "device and self_device > 0.001") == ["3/2 ms"]
    assert readings(table, "self_device_percent", "name = 'aten::mm'") == ["50 %"]
    assert readings(table, "calls", "calls = 3") == ["3"]


def test_device_is_yes_or_no_as_a_reading() -> None:
    table = profile(WHOLE)
    assert cells(table, "device", "name = 'aten::mm'")[0][0].value == Flag(False)
    assert cells(table, "device", "name = 'sgemm_128x128'")[0][0].value == Flag(True)


CUT = printed(ROWS[:8], footer=FOOTER)


@pytest.mark.parametrize("take", ["sum", "mean", "median", "min", "max", "std", "count"])
def test_a_take_over_several_kernels_of_a_cut_table_breaks(take: str) -> None:
    error = refusal(profile(CUT), "self_device", "device", take=take)
    assert (error.code, error.line) == ("incomplete-table", 2)
    assert "1.750 ms" in error.message
    assert "2.000 ms" in error.message
    assert "row_limit" in error.hint


@pytest.mark.parametrize(
    ("column", "where", "take"),
    [
        ("self_device", "name like 'fmha%' and device", "sum"),
        ("self_device", "device", "first"),
        ("calls", "", "only"),
    ],
)
def test_other_reads_of_a_cut_table_carry_a_note(column: str, where: str, take: str) -> None:
    _, notes = cells(profile(CUT), column, where, take=take)
    assert len(notes) == 1
    assert "does not add up" in notes[0]


def test_rows_that_come_to_more_than_the_total_break_too() -> None:
    text = printed([*ROWS, kernel("unknown annotation", "5.000ms")], footer=FOOTER)
    error = refusal(profile(text), "self_device", "device", take="sum")
    assert (error.code, "row_limit" in error.hint) == ("incomplete-table", False)


def test_without_a_total_kernels_cannot_be_added() -> None:
    table = profile(printed(ROWS, footer=FOOTER[:1]))
    assert "Self CUDA time total" in refusal(table, "self_device", "device", take="sum").message
    assert len(cells(table, "self_device", "device", take="first")[1]) == 1


@given(st.lists(st.integers(1, 9_999_999), min_size=2, max_size=30))
@settings(max_examples=60, deadline=None)
def test_a_whole_table_adds_up_however_its_times_were_rounded(nanoseconds: list[int]) -> None:
    rows = [kernel(f"k{n}", _printed_time(time)) for n, time in enumerate(nanoseconds)]
    footer = ["Self CPU time total: 0.000us", f"Self CUDA time total: {_printed_time(sum(nanoseconds))}"]
    found, notes = cells(profile(printed(rows, footer=footer)), "self_device", "device", take="sum")
    assert (len(found), notes) == (len(rows), ())
    missing = profile(printed(rows[:-1] + [kernel("k", "0.000us")] * 2, footer=footer))
    if nanoseconds[-1] > 2000 * len(rows):
        assert refusal(missing, "self_device", "device", take="sum").code == "incomplete-table"


def _printed_time(nanoseconds: int) -> str:
    """As torch prints a time."""
    for unit, size in (("s", 10**9), ("ms", 10**6)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3f}{unit}"
    return f"{nanoseconds / 1000:.3f}us"


def test_several_tables_are_numbered_and_must_be_told_apart() -> None:
    text = f"Run A\n{WHOLE}\nloss 0.5\n\n{printed(ROWS[:2], footer=FOOTER)}"
    table = profile(text)
    error = refusal(table, "calls", "device")
    assert (error.code, error.message) == ("no-table", "the file holds 2 tables")
    assert "1 (line 3, `Run A`), 2 (line 25)" in error.hint
    assert len(readings(table, "calls", "device", table="1")) == 3
    assert len(readings(table, "calls", "device", table="Run A")) == 3
    assert readings(table, "calls", "device", table="2") == ["3"]
    for missing in ("0", "3", "Run B", "9" * 40):
        assert refusal(table, "calls", "device", table=missing).code == "no-table"


def test_a_title_that_torch_printed_names_its_table() -> None:
    text = printed(ROWS, footer=FOOTER)
    bar = "=" * 40
    titled = f"{bar}\nwarm cache\n{bar}\nThis report only display top-level ops statistics\n{text}"
    assert len(readings(profile(titled), "calls", "device", table="warm cache")) == 3
    assert refusal(profile(f"{titled}{titled}"), "calls", table="warm cache").code == "no-table"


def test_a_table_without_device_columns_has_no_device_reading() -> None:
    headings = [heading for heading in HEADINGS if "CUDA" not in heading]
    text = printed([row[:6] + row[10:] for row in ROWS[:3]], headings, FOOTER[:1])
    for column, where in (("self_device", ""), ("calls", "device")):
        error = refusal(profile(text), column, where, take="count")
        assert (error.code, "no device columns" in error.message) == ("no-column", True)
    found, notes = cells(profile(text), "self_cpu", take="sum")
    assert (total(found), notes) == (Fraction(200, 1_000_000), ())


def test_memory_columns_are_bytes_of_1024() -> None:
    headings = [*HEADINGS[:-1], "CPU Mem", "Self CUDA Mem", "# of Calls"]
    rows = [
        [*ROWS[0][:-1], "10.19 MB", "-80 B", "1"],
        [*ROWS[1][:-1], "1.50 Gb", "12.00 Kb", "1"],
        [*ROWS[2][:-1], "0 b", "-2.50 KB", "1"],
    ]
    table = profile(printed(rows, headings, FOOTER))
    assert readings(table, "cpu_mem") == [
        f"{Fraction('10.19') * 1024**2} bytes",
        f"{3 * 2**29} bytes",
        "0 bytes",
    ]
    assert readings(table, "self_device_mem") == ["-80 bytes", "12288 bytes", "-2560 bytes"]
    assert readings(table, "name", "self_device_mem = 12288") == ["Text(text='sgemm_128x128')"]
    assert readings(table, "cpu_mem", "cpu_mem = 0", unit="bytes") == ["0 bytes"]


@pytest.mark.parametrize(
    ("heading", "factor"), [("Total KFLOPs", 10**3), ("Total GFLOPs", 10**9), ("Total FLOPs", 1)]
)
def test_flop_columns_have_one_name_and_count_flops(heading: str, factor: int) -> None:
    rows = [[*ROWS[0], "1.049"], [*ROWS[1], "--"]]
    table = profile(printed(rows, [*HEADINGS, heading], FOOTER))
    found, _ = cells(table, "total_flops", "total_flops is not null")
    assert total(found) == Fraction("1.049") * factor
    assert refusal(table, "total_flops").code == "empty-cell"


def test_stacks_take_further_lines_and_swap_with_flops_as_torch_swaps_them() -> None:
    headings = [*HEADINGS, "Source Location", "Total MFLOPs"]
    blank = [""] * len(HEADINGS)
    rows = [
        [*ROWS[0], "    2.097", "model.py(12): forward"],
        [*blank, "", "train.py(3): <module>"],
        [*blank, "", ""],
        [*ROWS[1], "--", ""],
        [*blank, "", ""],
    ]
    table = profile(printed(rows, headings, FOOTER))
    assert table.frames[0].grid.height == 2
    found, _ = cells(table, "total_flops", "source_location = 'model.py(12): forward'")
    assert total(found) == Fraction(2_097_000)


def test_headings_before_version_1_8_have_the_same_names() -> None:
    headings = ["Name", "Self CPU total %", "Self CPU total", "CPU total %", "CPU total", "CPU time avg"]
    headings += ["CUDA total %", "CUDA total", "CUDA time avg", "Number of Calls", "Input Shapes"]
    widths = [20, *[15] * 10]
    row = [
        "mm",
        "99.20%",
        "1.240ms",
        "99.20%",
        "1.240ms",
        "1.240ms",
        "98.00%",
        "2.100ms",
        "2.100ms",
        "1",
        "[[2, 3], []]",
    ]
    rule = "  ".join("-" * width for width in widths)
    lines = [
        rule,
        *("  ".join(f"{t:<{w}}" for t, w in zip(texts, widths, strict=True)) for texts in (headings, row)),
    ]
    table = profile("\n".join([lines[0], lines[1], rule, lines[2], rule, "CPU time total: 1.25ms", ""]))
    assert readings(table, "self_cpu") == ["31/25 ms"]
    assert readings(table, "device_total", "calls = 1 and input_shapes = '[[2, 3], []]'") == ["21/10 ms"]


def test_a_cell_wider_than_its_column_does_not_move_the_others() -> None:
    rows = [op("aten::mm", "123456789.012us", "1234567890.123us", 7), ROWS[1]]
    table = profile(printed(rows, footer=FOOTER))
    assert readings(table, "calls", "name = 'aten::mm'") == ["7"]
    assert readings(table, "self_device", "calls = 7") == ["1234567890123/1000 us"]


@pytest.mark.parametrize("prefix", ["INFO 12:00 ", "    ", "[rank0]: "])
def test_tables_inside_logs_are_read(prefix: str) -> None:
    text = "".join(f"{prefix}{line}\n" for line in WHOLE.splitlines())
    found, notes = cells(profile(f"begin\n{text}end\n"), "self_device", "device", take="sum")
    assert (total(found), found[0].line, notes) == (Fraction(2, 1000), 6, ())


def test_trailing_blanks_may_have_been_stripped() -> None:
    text = "\n".join(line.rstrip() for line in WHOLE.splitlines())
    assert len(readings(profile(text), "self_device", "device")) == 3


def test_names_of_digits_stay_text() -> None:
    table = profile(printed([kernel("1024", "2.000ms")], footer=FOOTER))
    assert readings(table, "self_device", "name = '1024'") == ["2 ms"]


def test_a_table_that_is_cut_off_breaks_its_own_reads_alone() -> None:
    lines = WHOLE.splitlines()
    for end in (4, 6, 16):
        table = profile("\n".join([*lines, "", *lines[:end], lines[end][:50]]))
        error = refusal(table, "calls", table="2")
        assert (error.code, error.line) == ("bad-table", 22)
        assert "cut off" in error.message
        assert len(readings(table, "calls", "device", table="1")) == 3


def test_a_line_printed_into_a_table_is_named() -> None:
    lines = WHOLE.splitlines()
    table = profile(
        "\n".join([*lines[:5], "step 3: loss 0.25, which is rather long for a line of a log", *lines[5:]])
    )
    error = refusal(table, "calls")
    assert (error.code, error.line) == ("bad-table", 6)


@pytest.mark.parametrize(
    "text", ["", "no table\n", "CPU total " * 30_000, "Name  CPU total\n" * 3, WHOLE[:300]]
)
def test_a_text_without_a_table_says_so_at_once(text: str) -> None:
    with pytest.raises(InputError, match="no whole"):
        profile(text)


def test_the_format_is_told_by_its_headings() -> None:
    assert sniff(f"loss 1\n{WHOLE}", "runs/profile.txt") == "torch-profiler"


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_table_cut_anywhere_gives_readings_or_a_clear_error(data: st.DataObject) -> None:
    start, end = sorted(data.draw(st.tuples(*[st.integers(0, len(WHOLE))] * 2)))
    text = WHOLE[:start] + WHOLE[end:]
    try:
        found, notes = cells(profile(text), "self_device", "device", take="sum")
    except InputError as error:
        assert error.message
    else:
        assert len(found) == 1 or total(found) == Fraction(2, 1000), notes


@pytest.mark.torch
def test_tables_of_the_installed_torch_are_read() -> None:
    torch = pytest.importorskip("torch")
    activities = [torch.profiler.ProfilerActivity.CPU]
    options = {"record_shapes": True, "profile_memory": True, "with_flops": True}
    with torch.profiler.profile(activities=activities, **options) as profiler:
        torch.nn.Linear(64, 128)(torch.randn(32, 64)).sum().backward()
    averages = profiler.key_averages(group_by_input_shape=True)
    table = profile(str(averages.table(row_limit=-1)))
    found, _ = cells(table, "total_flops", "total_flops > 0")
    assert total(found) > 0
    calls, _ = cells(table, "calls", take="sum")
    assert total(calls) == sum(event.count for event in averages)


@pytest.mark.skipif(not CASES.is_dir(), reason="the cases of public projects are not here")
def test_tables_of_public_projects_give_their_answers() -> None:
    folder = CASES / "evidence"
    fp8 = profile((folder / "torchprof_cuda_mem_fp8_sdpa_profiler.txt").read_text(encoding="utf-8"))
    assert total(cells(fp8, "self_device", "device", take="sum")[0]) == Fraction("31.997") / 1_000_000
    one = "name like 'void cutlass::device_kernel<flash::enable_sm90%'"
    assert readings(fp8, "self_device", one) == ["17727/1000 us"]
    cut = profile(
        (folder / "torchprof_cuda_mem_fp8_sdpa_stable_diffusion_profiler.txt").read_text(encoding="utf-8")
    )
    assert refusal(cut, "self_device", "device", take="sum").code == "incomplete-table"
    two = profile((folder / "torchprof_cuda_requested_no_cuda_columns.txt").read_text(encoding="utf-8"))
    assert refusal(two, "self_cpu").code == "no-table"
    assert refusal(two, "self_device", table="2").code == "no-column"
    twice = profile((folder / "torchprof_user_annotation_dup_rows.txt").read_text(encoding="utf-8"))
    assert total(cells(twice, "self_device", "device", take="sum")[0]) == Fraction("90.908") / 1_000_000


def test_a_rule_that_is_damaged_above_the_names_is_a_fault() -> None:
    dashes = WHOLE.splitlines()[2]
    frame = profile(WHOLE.replace(dashes, dashes.replace("-  -", "x  -", 1))).frames[0]
    assert frame.fault is not None
    assert "no column `Name`" in frame.fault.message
