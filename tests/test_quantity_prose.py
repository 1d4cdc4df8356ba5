import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quantity_support import UNITS, single_values, stated
from stilltrue.quantity import Form, first_quantity


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
        ("5 secnds", "5"),
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
        "16-bit",
        "GPT-4",
        "8xH100",
        "1.2.3",
        "10.0.0.1",
        "#5",
        "3/b",
        "a/3",
        "x_5",
        "",
        "Qwen2.5-7B",
        "fp8",
        "1st",
        "3D",
        "§4",
        "1e9999999",
    ],
)
def test_names_versions_and_dates_are_no_quantities(text: str) -> None:
    assert first_quantity(text, UNITS) is None


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
