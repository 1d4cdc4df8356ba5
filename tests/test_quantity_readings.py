import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantity_support import UNITS, numbers, value
from stilltrue.errors import InputError
from stilltrue.quantity import (
    BARE,
    Flag,
    Items,
    NonFinite,
    Quantity,
    Text,
    parse_value,
    show_value,
    with_unit,
)
from stilltrue.quantity.plain import plain_value


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("0.29851", "0.29851", ""),
        ("15962992.67", "15962992.67", ""),
        ("8.85e-08", "8.85e-8", ""),
        ("1,064,588,721", "1064588721", ""),
        ("1 234", "1234", ""),
        ("22.836s", "22.836", "s"),
        ("  65.2 % ", "65.2", "%"),
        ("1.5k", "1500", ""),
        ("7B", "7e9", ""),
        ("1:32:21", "5541", "s"),
        ("205 tokens", "205", "tokens"),
        ("$48", "48", "$"),
        ("5.", "5", ""),
    ],
)
def test_a_reading_is_exact_and_keeps_its_own_unit(text: str, number: str, unit: str) -> None:
    read = value(text)
    assert isinstance(read, Quantity)
    assert (read.number, read.unit.symbol) == (Fraction(number), unit)


@pytest.mark.parametrize(
    "text",
    [
        "OOM",
        "205 target modules",
        "5 secnds",
        "1,23",
        "0,123",
        "~14",
        ">= 5",
        "22-43 %",
        "4.57.1",
        "2026-08-26",
        "3 B/s",
        "",
        "H100",
        "12 ms total",
    ],
)
def test_what_is_no_known_quantity_is_text(text: str) -> None:
    assert value(text) == Text(text)


def test_flags_lists_and_what_is_not_finite() -> None:
    assert value("true") == Flag(True)
    assert value("no") == Flag(False)
    assert value("5/11/17") == Items(tuple(Quantity(Fraction(n)) for n in (5, 11, 17)))
    for text in ("[5, 11, 17]", "(5, 11, 17)", "[5/11/17]", "[5; 11; 17]", " [5, 11, 17] "):
        assert value(text) == value("5/11/17")
    assert value("[5, 11 ms]") == value("5 ms/11 ms")
    assert value("[5, 11]", "ms") == value("5 ms/11 ms")
    for text in ("[5]", "[OOM, 5]", "[5, 11", "[]", "[INFO] 5"):
        assert value(text) == Text(text)
    assert value("NaN") == NonFinite("NaN")
    assert value("-nan") == NonFinite("NaN")
    assert value("inf") == NonFinite("Infinity")
    assert value("-Infinity") == NonFinite("-Infinity")


def test_a_decimal_comma_makes_the_point_a_separator() -> None:
    assert parse_value("2,00", UNITS, decimal=",") == Quantity(Fraction(2))
    assert parse_value("1.801.175", UNITS, decimal=",") == Quantity(Fraction(1801175))
    assert parse_value("1.801,5 ms", UNITS, decimal=",") == value("1,801.5 ms")
    assert parse_value("1.80", UNITS, decimal=",") == Text("1.80")


def test_a_bare_reading_takes_the_unit_of_the_read() -> None:
    assert value("5", "ms") == value("5 ms")
    assert value("5 ms", "ms") == value("5 ms")
    assert value("5 sec", "s") == value("5 sec")
    assert value("5/7", "ms") == value("5 ms/7 ms")
    assert value("OOM", "ms") == Text("OOM")
    assert value("NaN", "ms") == NonFinite("NaN")


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("5 ms", "s"),
        ("5 ms", "MiB"),
        ("5 GB", "GiB"),
        ("65 %", "x"),
        ("5/7 ms", "s"),
        ("12M", "MiB"),
        ("15:00", "h"),
        ("5 tokens", "s"),
    ],
)
def test_a_unit_that_contradicts_the_evidence_is_refused(text: str, unit: str) -> None:
    with pytest.raises(InputError) as refused:
        value(text, unit)
    assert refused.value.code == "unit-mismatch"
    assert refused.value.hint


def test_a_clock_of_three_fields_may_be_asked_for_in_any_unit_of_time() -> None:
    read = value("1:32:21", "min")
    assert isinstance(read, Quantity)
    assert read.number == Fraction(5541, 60)


def test_with_unit_gives_bare_numbers_a_unit_and_leaves_the_rest() -> None:
    ms = UNITS.parse("ms")
    assert with_unit(Quantity(Fraction(5)), ms) == Quantity(Fraction(5), ms)
    assert with_unit(Quantity(Fraction(5)), None) == Quantity(Fraction(5), BARE)
    assert with_unit(Flag(True), ms) == Flag(True)


@given(numbers(), st.sampled_from(["", " ms", "%", " foo", "tok/s", " 5"]))
@settings(max_examples=200, deadline=None)
def test_the_short_way_reads_what_the_long_way_reads(number: str, tail: str) -> None:
    short = plain_value(number + tail, UNITS)
    if short is not None:
        assert short == value(f" {number}{tail}")


@given(
    st.text(st.sampled_from("0123456789.,-−+eE/ %kMB:msinfNa"), max_size=20) | st.text(max_size=40),
    st.sampled_from([".", ","]),
)
@settings(max_examples=300, deadline=None)
def test_any_text_is_a_value_or_a_clear_refusal(text: str, decimal: str) -> None:
    try:
        read = parse_value(text, UNITS, decimal=decimal)
    except InputError as error:
        assert error.code == "bad-value"
    else:
        assert isinstance(show_value(read), str)


@pytest.mark.parametrize("text", ["1e999999999", "9" * 5000, "1" * 1_000_000, "1." + "3" * 5000, "1e-5000"])
def test_a_number_beyond_all_measurement_is_refused_at_once(text: str) -> None:
    started = time.process_time()
    with pytest.raises(InputError) as refused:
        value(text)
    assert refused.value.code == "bad-value"
    assert time.process_time() - started < 1


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "1/" * 500_000, "1, " * 300_000, " " * 1_000_000, "1 000 " * 200_000]
)
def test_a_megabyte_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert isinstance(value(text), Text)
    assert time.process_time() - started < 1
