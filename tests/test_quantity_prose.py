import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantity_support import UNITS, single_values, stated
from stilltrue.quantity import Form, Quantity, first_quantity


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("65.2 %", "65.2 %"),
        ("about 65.2 % of the step", "about 65.2 %"),
        ("H100 at 5 ms", "5 ms"),
        ("v4.3 takes 7 s", "7 s"),
        ("(65.2 %)", "65.2 %"),
        ("12,288 ms, then 5", "12,288 ms"),
        ("it took at least 4 h.", "at least 4 h"),
        ("22-43 %", "22-43 %"),
        ("3 to 5 h a day", "3 to 5 h"),
        ("0.12 ± 0.02 s", "0.12 ± 0.02 s"),
        ("$48 a run", "$48"),
        ("USD 48", "USD 48"),
        ("205 target modules", "205"),
        ("p95 of 3.5 s", "3.5 s"),
        ("~14 GiB", "~14 GiB"),
        ("≥35.5 %", "≥35.5 %"),
        ("5/11/17 steps", "5/11/17 steps"),
        ("it is −3 °C", "−3 °C"),
        ("1.28 × 10^18 FLOPs", "1.28 × 10^18 FLOPs"),
        ("2.37x faster", "2.37x"),
        ("10.0.0.1 answers in 5 ms", "5 ms"),
        ("1:32:21 in all", "1:32:21"),
        ("65.2 % and 3 ms", "65.2 %"),
    ],
)
def test_the_first_quantity_of_a_text_is_found_with_its_prefix(text: str, found: str) -> None:
    quantity = first_quantity(text, UNITS)
    assert quantity is not None
    assert quantity.text == found


@pytest.mark.parametrize(
    "text",
    [
        "two thirds",
        "sm80",
        "H100",
        "v4.3",
        "2026-08-26",
        "2026-08",
        "GPT-4",
        "8xH100",
        "1.2.3",
        "10.0.0.1",
        "issue #5",
        "PR #12",
        "org/repo#12",
        "bf16",
        "int4",
        "7B-chat",
        "3-D",
        "5-shot",
        "2nd",
        "A100-80GB",
        "2026-08-26T15:00",
        "10.0.0.1:8080",
        "4.57.1rc2",
        "0x1F",
        "8x7B",
        "O(n^2)",
        "p95",
        "3/b",
        "a/3",
        "x_5",
        "",
        "Qwen2.5-7B",
        "fp8",
        "1st",
        "3D",
        "§4",
    ],
)
def test_names_versions_and_dates_are_no_quantities(text: str) -> None:
    assert first_quantity(text, UNITS) is None


@pytest.mark.parametrize(
    ("text", "mistyped"),
    [
        ("1.024.000", "1.024.000"),
        ("took 1.024.000 rows.", "1.024.000"),
        ("6\uff15", "6\uff15"),
        ("<= 85\uff17 %", "<= 85\uff17 %"),
        ("9.7\u0668", "9.7\u0668"),
        ("320.10e\uff13", "320.10e\uff13"),
        ("58,621e\uff16", "58,621e\uff16"),
        ("$866.2–$673.9", "$866.2–$673.9"),
        ("43 %-22 %", "43 %-22 %"),
        ("5 s–3 s", "5 s–3 s"),
        ("10O ms", "10O ms"),
        ("1O.5 ms", "1O.5 ms"),
        ("10l GiB", "10l GiB"),
        ("9½ hours", "9½ hours"),
        ("5 ½ hours", "5"),
        ("10⅓ %", "10⅓ %"),
    ],
)
def test_what_looks_like_a_number_and_is_mistyped_agrees_with_none(text: str, mistyped: str) -> None:
    quantity = first_quantity(text, UNITS)
    assert quantity is not None
    assert quantity.form is Form.TEXT
    assert quantity.text == mistyped


@pytest.mark.parametrize("text", ["1.024.00", "10.0.100", "1O", "in 3D", "10l cans"])
def test_what_only_resembles_it_is_a_name(text: str) -> None:
    assert first_quantity(text, UNITS) is None


@pytest.mark.parametrize(
    ("text", "found", "same"),
    [
        ("66-percent", "66-percent", "66 percent"),
        ("6-second step", "6-second", "6 s"),
        ("6-s", "6-s", "6 s"),
        ("66–percent", "66–percent", "66 %"),
        ("66−percent", "66−percent", "66 %"),
        ("65.2‑percent", "65.2‑percent", "65.2 %"),
        ("1,025-token", "1,025-token", "1,025 tokens"),
        ("1.5k-token", "1.5k-token", "1500 tokens"),
        ("16-bit", "16-bit", "16 bits"),
        ("share:66 %", "66 %", "66 %"),
        ("GPT-4:66 %", "66 %", "66 %"),
        ("count:1025", "1025", "1025"),
        ("#66 %", "66 %", "66 %"),
        ("#5", "5", "5"),
        ("share–66 %", "66 %", "66 %"),
        ("H100–66", "66", "66"),
        ("share—66 %", "66 %", "66 %"),
        ("share-66 %", "66 %", "66 %"),
        ("share/66 ms", "66 ms", "66 ms"),
        ("is66 %", "66 %", "66 %"),
        ("§66 %", "66 %", "66 %"),
        ("_1,025_", "1,025", "1025"),
        ("__66 %__", "66 %", "66 %"),
        ("step 3", "3", "3"),
    ],
)
def test_a_number_is_found_whatever_it_is_glued_to(text: str, found: str, same: str) -> None:
    quantity = first_quantity(text, UNITS)
    assert quantity is not None
    assert quantity.form is Form.NUMBER
    assert quantity.text == found
    value, expected = quantity.value, stated(same).value
    assert isinstance(value, Quantity)
    assert isinstance(expected, Quantity)
    assert (value.base, value.unit.dimension) == (expected.base, expected.unit.dimension)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("66,5 %", "66,5 %"),
        ("a share of 66,5 % now", "66,5 %"),
        ("about 66,5 %", "about 66,5 %"),
        ("0,66", "0,66"),
        ("6,0 s", "6,0 s"),
        ("1,02", "1,02"),
        ("10,25", "10,25"),
        ("1,0245", "1,0245"),
        ("1,024,5", "1,024,5"),
        ("1'500", "1'500"),
        ("1_5", "1_5"),
        ("66..5", "66..5"),
        ("66.6.6 %", "66.6.6 %"),
        ("–66 %", "–66 %"),
        ("(–66 %)", "–66 %"),
        ("C$66", "$66"),
        ("$5 ms", "$5 ms"),
        ("16:00h", "16:00h"),
        ("at 16:00 h.", "16:00 h"),
        ("15:00:66", "15:00:66"),
        ("16:9", "16:9"),
        ("43-22 %", "43-22 %"),
        ("2^10", "2^10"),
        ("66%5", "66%5"),
        ("66pct", "66pct"),
        ("1025x768", "1025x768"),
        ("66.5pct", "66.5pct"),
        ("66-percnt", "66-percnt"),
        ("5 secnds", "5 secnds"),
        ("5secnds", "5secnds"),
        ("5 FOLPs", "5 FOLPs"),
        ("5 tokk/s", "5 tokk/s"),
        ("5 tok/S", "5 tok/S"),
        ("1e9999999", "1e9999999"),
        ("６６ %", "６６ %"),
    ],
)
def test_a_number_that_no_value_may_be_comes_back_as_a_text(text: str, found: str) -> None:
    quantity = first_quantity(text, UNITS)
    assert quantity is not None
    assert (quantity.form, quantity.text, quantity.numerals) == (Form.TEXT, found, ())


@given(st.integers(0, 10**6), st.integers(0, 99), st.sampled_from([" %", " s", "", "%", " tokens"]))
@settings(max_examples=100, deadline=None)
def test_a_decimal_comma_is_never_read_as_a_number(whole: int, part: int, unit: str) -> None:
    quantity = first_quantity(f"{whole},{part}{unit}", UNITS)
    assert quantity is not None
    assert quantity.form is Form.TEXT


def test_a_list_is_one_quantity() -> None:
    quantity = first_quantity("steps 5/11/17", UNITS)
    assert quantity is not None
    assert quantity.form is Form.LIST
    assert quantity.value == stated("5/11/17").value


@given(
    single_values(),
    st.sampled_from(["", "it is ", "H100: ", "("]),
    st.sampled_from(["", ".", ", then", ")", " in all"]),
)
@settings(max_examples=200, deadline=None)
def test_a_stated_value_is_found_in_a_sentence(text: str, before: str, after: str) -> None:
    own = stated(text)
    plain = text.strip("*`_ ").removesuffix("[^1]").rstrip("*`_ ")
    quantity = first_quantity(f"{before}{plain}{after}", UNITS)
    assert quantity is not None
    assert quantity.numerals == own.numerals
    assert (quantity.form, quantity.sign, quantity.value) == (own.form, own.sign, own.value)


@given(st.text(st.sampled_from("0123456789.,-−+±~ %xkMB$/:^abh"), max_size=30) | st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_no_text_makes_it_fail(text: str) -> None:
    quantity = first_quantity(text, UNITS)
    assert quantity is None or quantity.text in text


@pytest.mark.parametrize(
    "text",
    [
        "1a " * 300_000,
        "about " * 160_000,
        "1 100" + " 100" * 250_000,
        "9" * 1_000_000,
        "1-" * 500_000,
        "$" * 1_000_000,
        "1.2.3 " * 160_000,
    ],
)
def test_a_megabyte_takes_no_time(text: str) -> None:
    started = time.process_time()
    first_quantity(text, UNITS)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("text", "number"), [("x\\15:00", "00"), ("a+1:32:21", "32:21"), ("a+5", ""), ("a+5 s", "5 s")]
)
def test_a_clock_time_glued_to_a_sign_at_the_very_end_is_read(text: str, number: str) -> None:
    found = first_quantity(text, UNITS)
    assert (found.text if found else "") == number
