import time
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from quantity_support import UNITS, numbers, refusal, single_values, stated
from stilltrue.errors import InputError
from stilltrue.quantity import (
    Flag,
    Form,
    Items,
    Quantity,
    Sign,
    Text,
    interval,
    parse_stated,
    parse_tolerance,
)
from stilltrue.quantity.plain import plain_stated
from stilltrue.quantity.values import BARE


@pytest.mark.parametrize(
    ("text", "number", "ulp", "unit"),
    [
        ("65.2 %", "65.2", "0.1", "%"),
        ("65.2%", "65.2", "0.1", "%"),
        ("22,835.8 ms", "22835.8", "0.1", "ms"),
        ("1 234 567", "1234567", "1", ""),
        ("1\u202f234", "1234", "1", ""),
        ("12_000", "12000", "1", ""),
        ("-5", "-5", "1", ""),
        ("−5 °C", "-5", "1", "°C"),
        ("−0.25 dB", "-0.25", "0.01", "dB"),
        ("+3 pp", "3", "1", "pp"),
        (".5", "0.5", "0.1", ""),
        ("1.28e18", "1.28e18", "1e16", ""),
        ("1.28E+18 FLOPs", "1.28e18", "1e16", "FLOPs"),
        ("1.28 × 10^18", "1.28e18", "1e16", ""),
        ("1.28x10^18", "1.28e18", "1e16", ""),
        ("1.28·10**18", "1.28e18", "1e16", ""),
        ("1.28×10⁻³ s", "1.28e-3", "1e-5", "s"),
        ("6.87e-4 s/token", "6.87e-4", "1e-6", "s/token"),
        ("8.85e-8 s/token^2", "8.85e-8", "1e-10", "s/token^2"),
        ("10k", "10000", "1000", ""),
        ("10K", "10000", "1000", ""),
        ("1.5M tok/s", "1500000", "100000", "tok/s"),
        ("7B", "7e9", "1e9", ""),
        ("7 B", "7e9", "1e9", ""),
        ("7B parameters", "7e9", "1e9", "parameters"),
        ("2T", "2e12", "1e12", ""),
        ("1.5 million tokens", "1.5e6", "1e5", "tokens"),
        ("2.37x", "2.37", "0.01", "x"),
        ("3 ×", "3", "1", "×"),
        ("3X", "3", "1", "X"),
        ("$48", "48", "1", "$"),
        ("48 $", "48", "1", "$"),
        ("$1.5M", "1500000", "100000", "$"),
        ("$3/h", "3", "1", "$/h"),
        ("3 USD/h", "3", "1", "USD/h"),
        ("USD 48", "48", "1", "USD"),
        ("-$5", "-5", "1", "$"),
        ("1:32:21", "5541", "1", "s"),
        ("15:00", "900", "1", "s"),
        ("1:30.5", "90.5", "0.1", "s"),
        ("1:32:21 h", "5541", "1", "s"),
        ("24 HOURS", "24", "1", "HOURS"),
    ],
)
def test_a_number_is_read_with_the_worth_of_its_last_digit(
    text: str, number: str, ulp: str, unit: str
) -> None:
    read = stated(text)
    assert read.form is Form.NUMBER
    assert (read.numerals[0].number, read.numerals[0].ulp) == (Fraction(number), Fraction(ulp))
    assert read.unit.symbol == unit
    assert read.value == Quantity(Fraction(number), read.unit)
    assert read.text == text


@pytest.mark.parametrize(
    ("text", "form", "sign"),
    [
        ("exactly 24 h", Form.EXACTLY, None),
        ("~14 GiB", Form.ABOUT, None),
        ("≈ 14 GiB", Form.ABOUT, None),
        ("About 7,100", Form.ABOUT, None),
        ("approximately 7,100", Form.ABOUT, None),
        ("> 5 ms", Form.BOUND, Sign.MORE_THAN),
        ("more than 5 ms", Form.BOUND, Sign.MORE_THAN),
        (">= 5 ms", Form.BOUND, Sign.AT_LEAST),
        ("≥5 ms", Form.BOUND, Sign.AT_LEAST),
        ("at least 35.5 %", Form.BOUND, Sign.AT_LEAST),
        ("< 5 ms", Form.BOUND, Sign.LESS_THAN),
        ("less than 5 ms", Form.BOUND, Sign.LESS_THAN),
        ("<= 5 ms", Form.BOUND, Sign.AT_MOST),
        ("at most $5", Form.BOUND, Sign.AT_MOST),
    ],
)
def test_what_stands_before_a_number_says_how_it_is_meant(text: str, form: Form, sign: Sign | None) -> None:
    read = stated(text)
    assert (read.form, read.sign) == (form, sign)


@pytest.mark.parametrize(
    ("text", "form", "ends", "unit"),
    [
        ("22-43 %", Form.RANGE, ("22", "43"), "%"),
        ("4–10 h", Form.RANGE, ("4", "10"), "h"),
        ("20 % to 43 %", Form.RANGE, ("20", "43"), "%"),
        ("10-20k", Form.RANGE, ("10000", "20000"), ""),
        ("$4-$10", Form.RANGE, ("4", "10"), "$"),
        ("$4-10", Form.RANGE, ("4", "10"), "$"),
        ("-5--3", Form.RANGE, ("-5", "-3"), ""),
        ("500 ms - 2 s", Form.RANGE, ("0.5", "2"), "s"),
        ("0.120 ± 0.020", Form.SPREAD, ("0.12", "0.02"), ""),
        ("0.120 +/- 0.020 s", Form.SPREAD, ("0.12", "0.02"), "s"),
        ("(0.120 ± 0.020) s", Form.SPREAD, ("0.12", "0.02"), "s"),
        ("5 % ± 1 %", Form.SPREAD, ("5", "1"), "%"),
    ],
)
def test_two_numbers_are_a_range_or_a_spread(text: str, form: Form, ends: tuple[str, str], unit: str) -> None:
    read = stated(text)
    assert read.form is form
    assert tuple(n.number for n in read.numerals) == tuple(map(Fraction, ends))
    assert read.unit.symbol == unit


@pytest.mark.parametrize(
    ("text", "noun"),
    [
        ("205 target modules", "target modules"),
        ("7,104 sequences", "sequences"),
        ("8 H100 nodes", "H100 nodes"),
        ("64 bins", "bins"),
        ("64 hits", "hits"),
        ("64 flips", "flips"),
        ("5 USB ports", "USB ports"),
        ("5 PRs", "PRs"),
        ("5 steps of a run", "steps of a run"),
    ],
)
def test_words_after_a_whole_number_are_a_counted_noun(text: str, noun: str) -> None:
    read = stated(text)
    assert read.unit.symbol == noun
    assert read.unit.noun
    assert read.numerals[0].whole


@pytest.mark.parametrize(
    ("text", "numbers"),
    [("5/11/17/23/29", "5 11 17 23 29"), ("5, 11, 17", "5 11 17"), ("[0.5; -1]", "0.5 -1")],
)
def test_a_list_holds_its_numbers(text: str, numbers: str) -> None:
    read = stated(text)
    assert read.form is Form.LIST
    assert read.value == Items(tuple(Quantity(Fraction(n)) for n in numbers.split()))


def test_the_unit_after_the_last_item_is_everyones() -> None:
    read = stated("5/11 ms")
    assert isinstance(read.value, Items)
    assert [item.unit.symbol for item in read.value.items if isinstance(item, Quantity)] == ["ms", "ms"]


@pytest.mark.parametrize(
    ("text", "yes"), [("yes", True), ("No", False), ("**YES**", True), ("true", True), ("false", False)]
)
def test_yes_and_no_are_flags(text: str, yes: bool) -> None:
    assert stated(text).value == Flag(yes)


@pytest.mark.parametrize(
    "text",
    [
        "OOM",
        "AttributeError",
        "2026-08-26",
        "2026-08",
        "4.57.1",
        "10.0.0.1",
        "H100",
        "8xH100",
        "8x H100",
        "16-bit",
        "2.5rc1",
        "3 of 8",
        "x",
        "NaN",
        "3D",
        "3 read/write locks",
        "5 client/server pairs",
    ],
)
def test_what_is_no_quantity_is_text(text: str) -> None:
    read = stated(text)
    assert read.form is Form.TEXT
    assert read.value == Text(text)
    assert read.numerals == ()


@pytest.mark.parametrize(
    "text",
    [
        "**81.93**",
        "*81.93*",
        "_81.93_",
        "`81.93`",
        "81.93*",
        r"81.93\*",
        "81.93†",
        "81.93[^1]",
        "***81.93***[^note]",
        " 81.93 ",
        "**`81.93`**",
    ],
)
def test_marks_around_a_value_are_dropped(text: str) -> None:
    read = stated(text)
    assert read.value == Quantity(Fraction("81.93"))
    assert read.text == text


def test_marks_around_the_number_alone_are_dropped_too() -> None:
    assert stated("**65.2** %").value == stated("65.2 %").value
    assert stated("~**14** GiB").form is Form.ABOUT


@pytest.mark.parametrize(
    "text",
    [
        "22,83.5 ms",
        "1,2",
        "0,123",
        "1,2345",
        "12:75",
        "65..2",
        "3.",
        "1.28e1.8",
        "100+",
        "43-22 %",
        "~4-10 h",
        "> 1 ± 2",
        "5 = 5",
        "$5 foo",
        "1e5x9",
    ],
)
def test_a_mistyped_number_is_refused(text: str) -> None:
    error = refusal(text)
    assert error.code == "bad-value"
    assert error.hint


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("5 secnds", "`seconds`"),
        ("5secnds", "`seconds`"),
        ("14 GiBB", "`GiB`"),
        ("1.5 foobar", "tool.stilltrue.units"),
        ("1.5foo", "tool.stilltrue.units"),
        ("5 mw", "`mW`"),
        ("5 S", "`s`"),
        ("5 w", "`W`"),
        ("5 v", "`V`"),
        ("5 j", "`J`"),
        ("5 a", "`A`"),
        ("5 b", "`B`"),
        ("5 t", "`T`"),
        ("5 C", "`°C`"),
        ("5 R", "tool.stilltrue.units"),
        ("at least 5 S", "`s`"),
        ("5 SUD", "`USD`"),
        ("5 UDS", "`USD`"),
        ("5 MNI", "`min`"),
        ("5 FOLPs", "`FLOPs`"),
        ("5 FLOPPs", "`FLOPs`"),
        ("5 GFOLPs", "`GFLOPs`"),
        ("5 tokk/s", "`tok/s`"),
        ("5.5 tokk/s", "`tok/s`"),
        ("~5 tokk/s", "`tok/s`"),
        ("5 tok/S", "`tok/s`"),
        ("5 MB/S", "`MB/s`"),
        ("5 s/tokn^2", "`s/token^2`"),
        ("3 B/s", "`bytes`"),
        ("5 flops", "FLOP"),
        ("12 ms total", "alone"),
        ("5 extra hours", "alone"),
        ("18.4; on the test set", "without what follows `18.4`"),
        ("about 18;", "without what follows `18`"),
        ("2.2 points", "`unit: pp`"),
        ("5 m s", "alone"),
    ],
)
def test_a_word_that_was_meant_to_be_a_unit_is_refused(text: str, hint: str) -> None:
    error = refusal(text)
    assert error.code == "bad-value"
    assert hint in error.hint


@pytest.mark.parametrize("text", ["", "   ", "**", "``"])
def test_an_empty_value_is_refused(text: str) -> None:
    assert refusal(text).code == "bad-value"


def test_the_unit_of_bare_cells_goes_to_bare_numbers_alone() -> None:
    gib = UNITS.parse("GiB")
    assert parse_stated("**81.93**", UNITS, gib).unit is gib
    assert parse_stated("~14", UNITS, gib).unit is gib
    assert parse_stated("81 ms", UNITS, gib).unit.symbol == "ms"
    assert parse_stated("OOM", UNITS, gib).value == Text("OOM")


# Any text ----------------------------------------------------------------------------------------------


@given(single_values())
@settings(max_examples=200, deadline=None)
def test_every_form_prefix_separator_and_mark_goes_together(text: str) -> None:
    read = stated(text)
    assert len(read.numerals) == 1
    assert isinstance(read.value, Quantity)
    assert read.numerals[0].text in text


@given(
    numbers(),
    st.sampled_from(["", " ms", "%", "x", " tok/s", " $", " secnds", " k", " target modules", "s*"]),
)
@settings(max_examples=200, deadline=None)
def test_the_short_way_says_what_the_long_way_says(number: str, tail: str) -> None:
    text = number + tail
    short = plain_stated(text, UNITS, BARE)
    if short is not None:
        long = stated(f" {text}")  # the blank keeps it from the short way
        assert (short.form, short.numerals, short.unit, short.value) == (
            long.form,
            long.numerals,
            long.unit,
            long.value,
        )


@given(
    st.text(st.sampled_from("0123456789.,-−+±~<>=/ %xkMBeE×*_`$:abhms^()[]–"), max_size=24)
    | st.text(max_size=40)
)
@settings(max_examples=400, deadline=None)
@example("1e999999999")
@example("1:00:00:00")
@example("(5")
@example("[]")
@example("10^10^10")
def test_any_text_is_a_value_or_a_clear_refusal(text: str) -> None:
    try:
        read = stated(text)
    except InputError as error:
        assert error.code == "bad-value"
        assert error.message
        assert not error.message.endswith(".")
    else:
        assert read.text == text


@pytest.mark.parametrize(
    "text",
    [
        "9" * 1_000_000,
        "1,000" * 200_000,
        "1 " * 500_000,
        "*" * 1_000_000,
        "5 " + "a" * 1_000_000,
        "1e" + "9" * 1_000_000,
        "(" * 1_000_000 + "1",
        "1" + " 000" * 250_000,
        "about " * 200_000 + "5",
    ],
)
def test_a_megabyte_takes_no_time(text: str) -> None:
    started = time.process_time()
    try:
        stated(text)
    except InputError as error:
        assert len(error.message) < 300
    assert time.process_time() - started < 2


# Tolerances --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "amount", "relative"),
    [
        ("2 %", "2", True),
        ("2%", "2", True),
        ("± 5 ms", "5", False),
        ("0.5 pp", "0.5", False),
        ("+/- 3", "3", False),
        ("0", "0", False),
    ],
)
def test_a_tolerance_is_a_percentage_or_an_amount(text: str, amount: str, relative: bool) -> None:
    tolerance = parse_tolerance(text, UNITS)
    assert tolerance.amount.number == Fraction(amount)
    assert tolerance.relative is relative


@pytest.mark.parametrize("text", ["", "yes", "-5 ms", "5 secnds", "~5 ms", "2-3 %", "some"])
def test_no_tolerance_is_refused(text: str) -> None:
    with pytest.raises(InputError) as refused:
        parse_tolerance(text, UNITS)
    assert refused.value.code == "bad-tolerance"


# What digits leave open --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("65.2 %", "65.15", "65.25"),
        ("6.87e-4 s/token", "6.865e-4", "6.875e-4"),
        ("$48", "47.5", "48.5"),
        ("1,024", "1024", "1024"),
        ("205 target modules", "205", "205"),
        ("10k", "9500", "10500"),
        ("exactly 24 h", "24", "24"),
        ("~100", "95", "105"),
        ("22-43 %", "22", "43"),
        ("0.120 ± 0.020", "0.1195", "0.1205"),
    ],
)
def test_a_reported_value_is_the_interval_its_digits_leave_open(text: str, low: str, high: str) -> None:
    ends = interval(stated(text))
    assert tuple(end.number for end in ends) == (Fraction(low), Fraction(high))


@pytest.mark.parametrize("text", ["> 5 ms", "yes", "OOM", "5/11"])
def test_what_is_no_number_cannot_be_an_operand(text: str) -> None:
    with pytest.raises(InputError) as refused:
        interval(stated(text))
    assert refused.value.code == "bad-derive"


def test_two_underscores_between_digits_are_no_bold() -> None:
    with pytest.raises(InputError):
        stated("1__0")
    assert stated("__10__").numerals[0].number == 10
    assert stated("__65.2__ %").text == "__65.2__ %"
