from __future__ import annotations

import statistics
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evidence_support import Project, quantity, text, tree, unit
from stilltrue.evidence import TAKES
from stilltrue.evidence.numbers import mean, median, percentile, population_std, sample_std, total
from stilltrue.model import Read
from stilltrue.quantity import NonFinite, Quantity, Text

VALUES = text(r"^v (\S.*)$")


def values(takes: str) -> Read:
    return text(VALUES.match, takes)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    project = Project(tmp_path)
    project.write("a.txt", "v 3\nv 1\nx\nv 2\nv 10\n")
    project.write("mixed.txt", "v 2 s\nv 500 ms\nv 500000 us\n")
    project.write("one.txt", "v 7\n")
    project.write("nan.txt", "v 1\nv NaN\nv 3\n")
    project.write("words.txt", "v OOM\nv OOM\n")
    project.write("kinds.txt", "v 5 ms\nv 5 MiB\n")
    return project


@pytest.mark.parametrize(
    ("takes", "number", "lines", "rounds"),
    [
        ("first", "3", [1], False),
        ("last", "10", [5], False),
        ("min", "1", [2], False),
        ("max", "10", [5], False),
        ("sum", "16", [1, 2, 4, 5], False),
        ("mean", "4", [1, 2, 4, 5], True),
        ("median", "2.5", [1, 2, 4, 5], True),
        ("count", "4", [1, 2, 4, 5], False),
        ("p0", "1", [1, 2, 4, 5], True),
        ("p50", "2.5", [1, 2, 4, 5], True),
        ("p90", "7.9", [1, 2, 4, 5], True),
        ("p99.9", "9.979", [1, 2, 4, 5], True),
        ("p100", "10", [1, 2, 4, 5], True),
        ("mean of 4", "4", [1, 2, 4, 5], True),
        ("last of 4", "10", [5], False),
    ],
)
def test_takes(project: Project, takes: str, number: str, lines: list[int], rounds: bool) -> None:
    taken = project.take("a.txt", values(takes))
    assert taken.value == quantity(number)
    assert [reading.line for reading in taken.readings] == lines
    assert taken.rounds is rounds


def test_deviations_are_exact_enough(project: Project) -> None:
    sample = project.value("a.txt", values("std"))
    whole = project.value("a.txt", values("pstd"))
    assert isinstance(sample, Quantity)
    assert isinstance(whole, Quantity)
    assert abs(sample.number**2 - Fraction(50, 3)) < Fraction(1, 10**30)
    assert abs(whole.number**2 - Fraction(50, 4)) < Fraction(1, 10**30)


def test_units_of_one_dimension_are_converted_exactly(project: Project) -> None:
    assert project.value("mixed.txt", values("sum")) == quantity("3", "s")
    assert project.value("mixed.txt", values("min")) == quantity("500", "ms")
    assert project.value("mixed.txt", values("max")) == quantity("2", "s")
    assert project.lines("mixed.txt", values("min")) == [2]


def test_different_dimensions_break(project: Project) -> None:
    error = project.error("kinds.txt", values("sum"))
    assert (error.code, error.path, error.line) == ("unit-mismatch", "kinds.txt", 2)
    assert "1 (5 ms), 2 (5 MiB)" in error.message
    assert project.error("kinds.txt", values("max")).code == "unit-mismatch"
    assert project.error("kinds.txt", values("same")).code == "unequal-readings"


def test_another_number_of_readings_breaks(project: Project) -> None:
    for takes in ("mean of 3", "count of 5", "first of 1"):
        error = project.error("a.txt", values(takes))
        assert error.code == "reading-count"
        assert "4 readings" in error.message


def test_same_takes_equal_readings_whatever_their_unit(project: Project) -> None:
    project.write("same.txt", "v 0.5 s\nv 500 ms\n")
    assert project.value("same.txt", values("same")) == quantity("0.5", "s")
    assert project.lines("same.txt", values("same")) == [1, 2]
    assert project.value("words.txt", values("same")) == Text("OOM")
    error = project.error("a.txt", values("same"))
    assert (error.code, error.line) == ("unequal-readings", 2)
    assert "1 (3), 2 (1)" in error.message


def test_what_is_no_number_cannot_be_computed_with(project: Project) -> None:
    error = project.error("words.txt", values("mean"))
    assert (error.code, error.path, error.line) == ("not-a-number", "words.txt", 1)
    assert "`OOM`" in error.message
    assert project.value("words.txt", values("count")) == quantity("2")


def test_a_pattern_without_a_group_is_told_of_it(project: Project) -> None:
    project.write("mfu.txt", "MFU 40.1%\nMFU 41.0%\n")
    assert "in a group" in project.error("mfu.txt", text("MFU .*", "max")).hint
    assert "in a group" not in project.error("words.txt", values("mean")).hint


@pytest.mark.parametrize("takes", ["sum", "mean", "median", "min", "max", "std", "p50"])
def test_one_nan_makes_the_whole_of_it_so(project: Project, takes: str) -> None:
    assert project.value("nan.txt", values(takes)) == NonFinite("NaN")
    assert project.value("nan.txt", values("last")) == quantity("3")


def test_count_may_be_zero_and_nothing_else(project: Project) -> None:
    assert project.value("a.txt", text("zzz", "count")) == quantity("0")
    assert project.take("a.txt", text("zzz", "count")).readings == ()
    for takes in ("only", "first", "sum", "same", "mean"):
        assert project.error("a.txt", text("zzz", takes)).code == "no-reading"


def test_count_does_not_ask_what_it_counts(project: Project) -> None:
    project.write("a.json", '[{"a": null}, {"a": {}}, {"a": 1}]')
    taken = project.take("a.json", tree("$[*].a", "count"))
    assert taken.value == quantity("3")
    assert len(taken.readings) == 3


def test_per_file_then_across(project: Project) -> None:
    for number in range(1, 4):
        project.write(f"run{number}.txt", f"v 100\nv {number}\n")
    last_mean = project.take("run*.txt", values("last, mean of 3"))
    assert last_mean.value == quantity("2")
    assert [(r.path, r.line) for r in last_mean.readings] == [(f"run{n}.txt", 2) for n in (1, 2, 3)]
    assert last_mean.rounds
    assert project.take("run*.txt", values("mean, max")).rounds
    highest = project.take("run*.txt", values("last, max"))
    assert [(r.path, r.line) for r in highest.readings] == [("run3.txt", 2)]
    assert project.value("run*.txt", text("v 100", "count, sum")) == quantity("3")
    assert project.value("run*.txt", text("v 3", "count, sum")) == quantity("1")
    assert project.error("run*.txt", values("last, mean of 7")).code == "reading-count"
    error = project.error("run*.txt", values("only, mean"))
    assert (error.code, error.path) == ("several-readings", "run1.txt")
    assert project.error("run*.txt", text("v 3", "last, mean")).path == "run1.txt"


def test_a_deviation_of_one_reading_is_undefined(project: Project) -> None:
    assert project.error("one.txt", values("std")).code == "one-reading"
    assert project.value("one.txt", values("pstd")) == quantity("0")


def test_a_spread_is_of_all_readings(project: Project) -> None:
    spread = project.library.spread(("mixed.txt",), VALUES)
    assert (spread.low, spread.high, spread.mean) == (
        quantity("0.5", "s"),
        quantity("2", "s"),
        quantity("1", "s"),
    )
    assert isinstance(spread.std, Quantity)
    assert spread.std.unit == unit("s")
    assert abs(spread.std.number**2 - Fraction(3, 4)) < Fraction(1, 10**30)
    assert [reading.line for reading in spread.readings] == [1, 2, 3]
    assert project.library.spread(("nan.txt",), VALUES).mean == NonFinite("NaN")


def test_a_spread_of_one_reading_breaks(project: Project) -> None:
    with pytest.raises(Exception, match="there is one") as caught:
        project.library.spread(("one.txt",), VALUES)
    assert getattr(caught.value, "code", "") == "one-reading"


def test_every_take_says_what_it_is() -> None:
    assert set(TAKES) >= {"only", "same", "first", "last", "min", "max", "mean", "median", "sum", "count"}
    assert all(kind.means for kind in TAKES.values())


# Properties --------------------------------------------------------------------------------------------

_FRACTIONS = st.lists(st.fractions(-1000, 1000, max_denominator=1000), min_size=2, max_size=12)


@settings(max_examples=100, deadline=None)
@given(_FRACTIONS)
def test_statistics_are_those_of_the_standard_library(values: list[Fraction]) -> None:
    assert total(values) == sum(values)
    assert mean(values) == statistics.mean(values)
    assert median(values) == statistics.median(values)
    for root, variance in (
        (sample_std(values), statistics.variance(values)),
        (population_std(values), statistics.pvariance(values)),
    ):
        assert abs(root * root - variance) <= variance / 10**30


@settings(max_examples=100, deadline=None)
@given(_FRACTIONS, st.fractions(0, 1, max_denominator=100))
def test_percentiles_are_between_their_neighbours(values: list[Fraction], share: Fraction) -> None:
    ordered = sorted(values)
    found = percentile(values, share)
    at = share * (len(values) - 1)
    assert ordered[int(at)] <= found <= ordered[-(-at.numerator // at.denominator)]


def test_quartiles_are_those_of_inclusive_quantiles() -> None:
    values = [Fraction(n) for n in (3, 1, 4, 1, 5, 9, 2, 6)]
    quartiles = statistics.quantiles(values, n=4, method="inclusive")
    assert [percentile(values, Fraction(n, 4)) for n in (1, 2, 3)] == quartiles
