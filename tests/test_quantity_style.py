from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quantity_support import exact, single_values, stated, value
from stilltrue.compare import agree
from stilltrue.model import Found
from stilltrue.quantity import (
    BARE,
    Flag,
    Form,
    Items,
    NonFinite,
    Quantity,
    decimal_text,
    format_like,
    show_value,
)
from stilltrue.quantity.spans import is_count


@pytest.mark.parametrize(
    ("found", "like", "written"),
    [
        ("66.149 %", "65.2 %", "66.1 %"),
        ("0.66149", "**65.2 %**", "**66.1 %**"),
        ("22.93117 s", "22,835.8 ms", "22,931.2 ms"),
        ("981 ms", "22,835.8 ms", "981.0 ms"),
        ("12345678", "1234", "12345678"),
        ("12345678", "12 345", "12 345 678"),
        ("12345678", "12_345", "12_345_678"),
        ("1024 ms", "981 ms", "1,024 ms"),
        ("1500", "1,024", "1,500"),
        ("15.25", "15", "15.25"),
        ("930", "about 7,100", "about 930"),
        ("12345", "about 7,100", "about 12,300"),
        ("34.97 %", "at least 35.5 %", "at least 34.9 %"),
        ("35.03 %", "at most 35.0 %", "at most 35.1 %"),
        ("5 ms", "> 6 ms", "> 4 ms"),
        ("5 ms", "<5 ms", "<6 ms"),
        ("24.5 h", "exactly 24 h", "exactly 24.5 h"),
        ("9.996e18", "1.28e18", "1.00e19"),
        ("3e5", "1.28 × 10^18", "3.00 × 10^5"),
        ("3.2e-7", "1.28e-05", "3.20e-07"),
        ("3.2e7", "1.28×10⁻³", "3.20×10⁷"),
        ("3.2e7", "1.28E+18", "3.20E+7"),
        ("3.2e18", "10^18", "3 × 10^18"),
        ("12345", "10k", "12k"),
        ("1234567", "1.5 M", "1.2 M"),
        ("12345678901", "7B parameters", "12B parameters"),
        ("5541 s", "0:10:05", "1:32:21"),
        ("900 s", "15:30", "15:00"),
        ("-5", "−3", "−5"),
        ("2", "+3", "+2"),
        ("0.77", ".5", ".8"),
        ("39.6 USD", "$48", "$40"),
        ("3.6 USD/h", "$3/h", "$4/h"),
        ("5 s", "(12) s", "(5) s"),
        ("65.25 %", "**65.1** %", "**65.2** %"),
        ("true", "**no**", "**yes**"),
        ("false", "Yes", "No"),
        ("crash", "`OOM`", "`crash`"),
        ("5/12/18.5", "5/11/17/23", "5/12/18.5"),
        ("5 ms/12 ms/18.5 ms/7 ms", "5, 11, 17 ms", "5, 12, 18.5, 7 ms"),
        ("1/2", "[5; 11; 17]", "[1; 2]"),
    ],
)
def test_found_is_written_in_the_authors_style(found: str, like: str, written: str) -> None:
    assert format_like(value(found), stated(like)) == written


@pytest.mark.parametrize(
    ("found", "like", "written"),
    [
        ("NaN", "5 ms", "NaN"),
        ("5 MiB", "5 ms", "5 MiB"),
        ("5", "OOM", "5"),
        ("OOM", "5", "OOM"),
        ("yes", "5/11", "yes"),
        ("5 ms", "22-43 %", "5 ms"),
    ],
)
def test_what_cannot_be_said_that_way_is_shown_as_it_is(found: str, like: str, written: str) -> None:
    assert format_like(value(found), stated(like)) == written


def test_a_whole_count_is_rounded_only_where_it_may_be() -> None:
    count = stated("15,962,993")
    assert format_like(value("15962992.67"), count) == "15,962,992.67"
    assert format_like(value("15962994.67"), count, rounds=True) == "15,962,995"
    assert format_like(Quantity(Fraction(1, 3)), count) == "0.333"


def test_a_range_and_a_spread_take_two_values() -> None:
    assert format_like(Items((value("22.6 %"), value("0.422"))), stated("22-43 %")) == "23-42 %"
    assert format_like(Items((value("0.7 s"), value("2.7 s"))), stated("500 ms - 2 s")) == "700 ms - 3 s"
    assert format_like(Items((value("0.1234"), value("0.0251"))), stated("0.120 ± 0.020")) == "0.123 ± 0.025"


NUMBERS = st.fractions(min_value=-(10**9), max_value=10**9, max_denominator=10**6)


@given(NUMBERS, single_values())
@settings(max_examples=250, deadline=None)
def test_what_was_written_back_agrees_with_what_was_found(number: Fraction, text: str) -> None:
    like = stated(text)
    assume(like.form is not Form.EXACTLY)
    written = format_like(Quantity(number, like.unit), like)
    again = stated(written)
    if not is_count(like) or like.form is not Form.NUMBER:  # a third cannot be stated as a count at all
        assert agree(again, exact(number, like)).agrees
    assert (again.form, again.sign) == (like.form, like.sign)
    assert again.unit.scale == like.unit.scale
    assert format_like(Quantity(number, like.unit), again) == written


@given(st.decimals(-(10**6), 10**6, places=4), single_values())
@settings(max_examples=200, deadline=None)
def test_a_finite_number_agrees_in_every_form(number: object, text: str) -> None:
    like = stated(text)
    exactly = Fraction(str(number))
    assume(
        like.form is not Form.EXACTLY
        or not any(m in text for m in ("e", "E", "10", "⁻", "k", "M", "billion"))
    )
    written = format_like(Quantity(exactly, like.unit), like)
    assert agree(stated(written), exact(exactly, like)).agrees


@given(
    NUMBERS,
    NUMBERS,
    st.sampled_from(["22-43 %", "4–10 h", "0.120 ± 0.020", "20 % to 43 %", "-5--3", "10-20k"]),
)
@settings(max_examples=200, deadline=None)
def test_two_numbers_written_back_agree(one: Fraction, other: Fraction, text: str) -> None:
    like = stated(text)
    low, high = sorted((one, other)) if like.form is Form.RANGE else (one, abs(other))
    pair = Quantity(low, like.unit), Quantity(high, like.unit)
    again = stated(format_like(Items(pair), like))
    assert agree(again, Found(*pair, spread=pair)).agrees


@given(single_values())
@settings(max_examples=200, deadline=None)
def test_a_stated_value_written_back_is_itself(text: str) -> None:
    like = stated(text)
    assume(like.form is not Form.BOUND or like.sign in {">=", "<="})
    again = stated(format_like(like.value, like))
    assert again.value.base == like.value.base  # type: ignore[union-attr]  # both are quantities


# Plain text --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (Fraction(228358, 10), "22835.8"),
        (Fraction(-1, 8), "-0.125"),
        (Fraction(0), "0"),
        (Fraction(1, 3), "0.333333333333"),
        (Fraction(2, 3) * 10**9, "666666666.667"),
        (Fraction(128) * 10**16, "1280000000000000000"),
        (Fraction(-1, 7 * 10**30), "-1.42857142857e-31"),
        (Fraction(10) ** 5000, "1e5000"),
        (Fraction(1, 10**5000), "1e-5000"),
        (Fraction(333333333333333, 10**15), "0.333333333333333"),
    ],
)
def test_a_decimal_string_is_exact_or_has_twelve_digits(number: Fraction, text: str) -> None:
    assert decimal_text(number) == text


@given(st.fractions(), st.integers(-60, 60))
@settings(max_examples=200, deadline=None)
def test_a_decimal_string_is_close(number: Fraction, power: int) -> None:
    scaled = number * Fraction(10) ** power
    text = decimal_text(scaled)
    assert abs(Fraction(text) - scaled) <= abs(scaled) * Fraction(1, 10**11)
    assert Fraction(show_value(Quantity(scaled)).replace(",", "")) == Fraction(text) or len(text) > 12


@pytest.mark.parametrize(
    ("read", "text"),
    [
        ("22931.2 ms", "22,931.2 ms"),
        ("2.40x", "2.4x"),
        ("39.6 $", "$39.6"),
        ("-39.6 $/h", "-$39.6/h"),
        ("66.1%", "66.1 %"),
        ("1.28e18 FLOPs", "1.28e18 FLOPs"),
        ("0.00000123", "1.23e-6"),
        ("0", "0"),
        ("5 USD", "5 USD"),
        ("true", "yes"),
        ("5/11", "5/11"),
    ],
)
def test_a_value_is_shown_in_its_own_unit(read: str, text: str) -> None:
    assert show_value(value(read)) == text


def test_other_values_are_shown_as_words() -> None:
    assert show_value(Flag(False)) == "no"
    assert show_value(NonFinite("NaN")) == "NaN"
    assert show_value(Quantity(Fraction(10) ** 6000, BARE)) == "1e6000"
    assert show_value(Items(tuple(Quantity(Fraction(1)) for _ in range(60)))).endswith("…")
    assert format_like(Quantity(Fraction(10) ** 6000), stated("5.1")) == "1e6000"
