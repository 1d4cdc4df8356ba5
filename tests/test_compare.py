from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from quantity_support import PLAIN, ROUNDED, UNITS, exact, found, single_values, stated, value
from stilltrue.codes import CODES
from stilltrue.compare import Agreement, agree
from stilltrue.compare.rows import ends_in, fits, holds
from stilltrue.model import Found
from stilltrue.quantity import Flag, Form, Items, Quantity, Stated, Text, found_text, parse_tolerance
from stilltrue.quantity.show import fixed
from stilltrue.quantity.spans import half_width, is_count


def judged(
    text: str, low: str, high: str = "", unit: str = "", *, rounds: bool = False, tolerance: str = ""
) -> Agreement:
    reach = parse_tolerance(tolerance, UNITS) if tolerance else None
    return agree(stated(text), found(low, high, unit, rounds=rounds), reach)


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("1.0979", "1.09785"),
        ("1.0979", "1.09795"),
        ("29.9%", "0.29851"),
        ("29.9 %", "0.2985"),
        ("1381 ms", "1.381 s"),
        ("65.3 %", "0.653"),
        ("12,288 ms", "12.2875 s"),
        ("25 %", "0.2549"),
        ("1.28e18", "1275000000000000000"),
        ("1,024", "1024"),
        ("205 target modules", "205"),
        ("7,104 sequences", "7104 tokens"),
        ("10k", "10499"),
        ("~14 GiB", "14.5 GiB"),
        ("~100", "95"),
        ("~100", "105"),
        ("about 7,100", "7149"),
        ("at least 35.5 %", "0.355"),
        ("> 5 ms", "5.0001 ms"),
        ("≤ 3x", "3"),
        ("< 3x", "2.999"),
        ("exactly 24 h", "1440 min"),
        ("1:32:21", "5541.4 s"),
        ("$48", "48.2 USD"),
        ("500 tok/s", "500.4 tokens per second"),
        ("yes", "true"),
        ("no", "false"),
        ("OOM", "OOM"),
        ("__init__", "__init__"),
        ("5/11/17", "5, 11.0, 17"),
        ("5/11 ms", "0.005 s/0.011 s"),
    ],
)
def test_what_agrees(text: str, low: str) -> None:
    assert judged(text, low) == Agreement(agrees=True, comparable=True, code="", message="", hint="")


@pytest.mark.parametrize(
    ("text", "low"),
    [
        ("1.0979", "1.097849"),
        ("29.9%", "0.29849"),
        ("16 GB", "15.77 GiB"),
        ("~3x", "2.396"),
        ("$48", "39.6 USD"),
        ("65.3 %", "65.3"),
        ("1,024", "1024.4"),
        ("15,962,993", "15962992.67"),
        ("~100", "94.99"),
        ("~100", "105.01"),
        ("at least 35.5 %", "0.35499"),
        ("> 5 ms", "5 ms"),
        ("< 3x", "3"),
        ("exactly 24 h", "24.0001 h"),
        ("yes", "no"),
        ("yes", "1"),
        ("OOM", "oom"),
        ("OOM", "5"),
        ("5", "OOM"),
        ("5", "yes"),
        ("5", "5/5"),
        ("5/11/17", "5/11"),
        ("5/11/17", "5/11/18"),
        ("5/11", "5"),
        ("NaN", "5"),
    ],
)
def test_what_has_drifted(text: str, low: str) -> None:
    agreement = judged(text, low)
    assert not agreement.agrees
    assert agreement.comparable
    assert agreement.code == "drifted"
    assert f"`{text}`" in agreement.message


@pytest.mark.parametrize(
    ("text", "low", "code"),
    [
        ("5 ms", "5 MiB", "unit-mismatch"),
        ("5 ms", "5", "unit-mismatch"),
        ("205 target modules", "5 ms", "unit-mismatch"),
        ("1.28e18 FLOPs", "5 FLOPS", "unit-mismatch"),
        ("$48", "48 EUR", "unit-mismatch"),
        ("5/11 ms", "5/11", "unit-mismatch"),
        ("5 ms", "NaN", "not-finite"),
        ("~5 ms", "inf", "not-finite"),
        ("> 5", "inf", "not-finite"),
        ("NaN", "NaN", "not-finite"),
        ("yes", "-inf", "not-finite"),
        ("5 ms", "5 foo", "not-a-number"),
        ("0.120 ± 0.020", "0.12", "one-reading"),
    ],
)
def test_what_cannot_be_judged(text: str, low: str, code: str) -> None:
    agreement = judged(text, low)
    assert not agreement.agrees
    assert not agreement.comparable
    assert agreement.code == code
    assert agreement.hint


def test_a_text_with_a_number_in_it_is_told_of_the_group() -> None:
    assert "in a group" in judged("1.338", "loss 1.3380").hint
    assert "in a group" not in judged("1.338", "OOM").hint


def test_a_whole_count_may_be_a_mean_rounded() -> None:
    assert judged("15,962,993", "15962992.67", rounds=True).agrees
    assert judged("3", "2.5", rounds=True).agrees
    assert judged("3", "3.5", rounds=True).agrees
    assert not judged("3", "3.51", rounds=True).agrees
    assert judged("3 rows", "2.7", rounds=True).agrees


# Ranges, spreads, intervals ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "high", "agrees"),
    [
        ("22-43 %", "22.4 %", "42.5 %", True),
        ("22-43 %", "22.6 %", "42.2 %", False),
        ("22-43 %", "22.4 %", "43.6 %", False),
        ("22-43 %", "25 %", "40 %", False),
        ("4–10 h", "3.5 h", "630 min", True),
        ("500 ms - 2 s", "0.5004 s", "1.6 s", True),
    ],
)
def test_the_ends_of_a_range_are_the_extreme_readings_rounded(
    text: str, low: str, high: str, agrees: bool
) -> None:
    assert judged(text, low, high).agrees is agrees


@pytest.mark.parametrize(
    ("mean", "deviation", "agrees"),
    [
        ("0.1204", "0.0195", True),
        ("0.1206", "0.02", False),
        ("0.12", "0.0206", False),
        ("120 s", "20 s", False),
        ("NaN", "0.02", False),
    ],
)
def test_a_spread_is_mean_and_deviation_rounded(mean: str, deviation: str, agrees: bool) -> None:
    one = value("0.1")
    spread = Found(one, value("0.14"), spread=(value(mean), value(deviation)))
    assert agree(stated("0.120 ± 0.020"), spread).agrees is agrees


@pytest.mark.parametrize(
    ("text", "low", "high", "agrees"),
    [
        ("67.8 %", "0.67846", "0.68", True),
        ("67.8 %", "0.6786", "0.68", False),
        ("67.7 %", "0.67751", "0.68", False),
        ("1,024", "1000", "1100", True),
        ("1,024", "1024.1", "1100", False),
        ("> 5 ms", "4 ms", "8 ms", False),
        ("> 5 ms", "5.1 ms", "8 ms", True),
        ("at most 8 ms", "5 ms", "8 ms", True),
        ("at most 8 ms", "5 ms", "8.1 ms", False),
        ("exactly 5 ms", "4 ms", "8 ms", True),
        ("~100", "105", "200", True),
        ("~100", "-200", "94", False),
    ],
)
def test_an_interval_meets_what_is_allowed_and_a_bound_holds_for_all_of_it(
    text: str, low: str, high: str, agrees: bool
) -> None:
    assert judged(text, low, high).agrees is agrees


# Tolerances --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "tolerance", "agrees"),
    [
        ("100 ms", "102 ms", "2 %", True),
        ("100 ms", "98 ms", "2 %", True),
        ("100 ms", "102.0001 ms", "2 %", False),
        ("-100", "-101", "1 %", True),
        ("100 ms", "0.105 s", "5 ms", True),
        ("100 ms", "0.1051 s", "5 ms", False),
        ("65.2 %", "0.657", "0.5 pp", True),
        ("65.2 %", "0.6571", "0.5 pp", False),
        ("65.2 %", "0.658", "1 %", True),
        ("1,000", "1004", "5", True),
        ("0", "0.1", "0.2", True),
        ("100.00 ms", "100.004 ms", "0.001 ms", False),
    ],
)
def test_a_tolerance_stands_in_place_of_rounding(text: str, low: str, tolerance: str, agrees: bool) -> None:
    assert judged(text, low, tolerance=tolerance).agrees is agrees


@pytest.mark.parametrize(
    ("text", "low", "tolerance"),
    [
        ("0 ms", "0 ms", "5 %"),
        ("5 ms", "5 ms", "1"),
        ("5 ms", "5 ms", "1 MB"),
        ("~5 ms", "5 ms", "1 ms"),
        ("65 %", "0.65", "1"),
        ("5", "5", "1 ms"),
    ],
)
def test_a_tolerance_that_does_not_fit_breaks_the_claim(text: str, low: str, tolerance: str) -> None:
    agreement = judged(text, low, tolerance=tolerance)
    assert not agreement.agrees
    assert not agreement.comparable
    assert agreement.code == "bad-tolerance"
    assert agreement.hint


# Messages ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "low", "hint"),
    [
        ("65.3 %", "65.3", "`unit: '%'`"),
        ("65.3", "0.653", "`65.3 %`"),
        ("16 GB", "15.77 GiB", "`16 GiB`"),
        ("14 GiB", "14 GB", "`14 GB`"),
        ("2", "2.4", "`2.4`"),
        ("0.54 s", "0.54994 s", "cut off"),
        ("5 s", "5.2 ms", "1,000"),
        ("5 ms", "5", "`unit: ms`"),
        ("5", "5 ms", "`5 ms`"),
        ("640", "640.2", "with their unit"),
        ("37 min", "36m 58s", "`derive: minutes + seconds`"),
        ("37 min", "5 foo", "take the number alone"),
    ],
)
def test_the_hint_says_what_probably_happened(text: str, low: str, hint: str) -> None:
    assert hint in judged(text, low).hint


def shown(like: Stated, what: Found, *, apart: bool = False) -> str:
    return found_text(like, what.low, what.high, what.spread, apart=apart)


@pytest.mark.parametrize(
    ("text", "low", "high", "words"),
    [
        ("65.2 %", "0.66149", "", "66.1 %"),
        ("> 5 ms", "4 ms", "", "4 ms"),
        ("67.8 %", "0.61", "0.62", "61 % to 62 %"),
        ("5 s", "4.5 s", "5.5 s", "4.5 s to 5.5 s"),
        ("5 s", "4500 ms", "5500 ms", "4.5 s to 5.5 s"),
        ("**~5 s**", "4.5 s", "5.5 s", "4.5 s to 5.5 s"),
        ("5k", "4500", "5500", "4,500 to 5,500"),
        ("5.0 s", "5.51 s", "5.512 s", "5.51 s to 5.512 s"),
        ("5 s", "5.50000001 s", "5.50000002 s", "5.50000001 s to 5.50000002 s"),
        ("5 s", "5.5004321 s", "7.0004321 s", "5.6 s to 7 s"),
        ("~10^20", "0.5e20", "1.5e20", "5e19 to 1.5e20"),
        ("at least 5 s", "4.99 s", "7 s", "4.99 s to 7 s"),
        ("67.7 %", "0.678237", "0.678796", "67.83 % to 67.87 %"),
        ("at least 5 s", "4.9999 s", "7.00009 s", "4.9 s to 7.1 s"),
        ("15:00", "899.5 s", "900.5 s", "899.5 s to 900.5 s"),
        ("$5", "$4.5", "$5.5", "$4.5 to $5.5"),
        ("5 s", "4.5 MiB", "5.5 MiB", "4.5 MiB to 5.5 MiB"),
        ("22-43 %", "0.226", "0.422", "23-42 %"),
        ("5 s", "5.2 ms", "", "0.0052 s"),
        ("OOM", "5 ms", "", "5 ms"),
    ],
)
def test_found_is_shown_as_the_author_would_write_it(text: str, low: str, high: str, words: str) -> None:
    assert shown(stated(text), found(low, high), apart=True) == words


def test_an_interval_that_agrees_has_one_digit_more_than_stated() -> None:
    third, two = Quantity(Fraction(1, 3)), Quantity(Fraction(2, 3))
    assert shown(stated("0.5"), Found(third, two)) == "0.33 to 0.67"


NUMBERS = st.fractions(min_value=-(10**7), max_value=10**7, max_denominator=10**5)


@given(st.integers(0, 50), st.integers(0, 10), NUMBERS, NUMBERS, st.sampled_from(["", "~", "at least "]))
@settings(max_examples=200, deadline=None)
def test_an_interval_judged_as_it_is_shown(
    whole: int, tenths: int, one: Fraction, other: Fraction, prefix: str
) -> None:
    like = stated(f"{prefix}{whole}.{tenths} ms")
    span = abs(one) % 100, abs(other) % 100
    assume(span[0] != span[1])
    low, high = (Quantity(number, like.unit) for number in sorted(span))
    agrees = agree(like, Found(low, high)).agrees
    ends = shown(like, Found(low, high), apart=not agrees).split(" to ")
    assert agree(like, found(ends[0], ends[-1])).agrees is agrees


@pytest.mark.parametrize("text", ["~10^20", "~10^{20}", "~10**20", "~10²⁰", "~1e20", "about 1 × 10^20"])
def test_a_power_of_ten_has_one_digit(text: str) -> None:
    for low, agrees in (("0", False), ("4.99e19", False), ("5e19", True), ("1.5e20", True), ("6e20", False)):
        assert judged(text, low).agrees is agrees
    assert not judged("~10^100", "0").agrees
    assert not judged("~10^100", "6e100").agrees


def test_what_differs_never_looks_the_same() -> None:
    agreement = judged("100.0 ms", "100.02 ms", tolerance="0.01 ms")
    assert agreement.message == "stated is `100.0 ms`, found is `100.02 ms`"


def test_every_code_is_in_the_catalogue() -> None:
    for code in (
        "drifted",
        "unit-mismatch",
        "not-finite",
        "not-a-number",
        "one-reading",
        "bad-tolerance",
        "link-disagrees",
    ):
        assert code in CODES


# Properties --------------------------------------------------------------------------------------------


@given(single_values(ROUNDED))
@settings(max_examples=200, deadline=None)
def test_rounding_agrees_up_to_half_a_digit_and_no_further(text: str) -> None:
    like = stated(text)
    numeral = like.numerals[0]
    exactly = like.form is Form.NUMBER and is_count(like)
    room = Fraction(0) if exactly else half_width(like, numeral)
    sliver = numeral.ulp / 10**9
    for sign in (-1, 1):
        assert agree(like, exact(numeral.number + sign * room, like)).agrees
        assert not agree(like, exact(numeral.number + sign * (room + sliver), like)).agrees


@given(single_values(PLAIN), NUMBERS)
@settings(max_examples=200, deadline=None)
def test_the_short_way_judges_as_the_long_way(text: str, shift: Fraction) -> None:
    like = stated(text)
    numeral = like.numerals[0]
    for number in (numeral.number + shift * numeral.ulp / 10**7, shift):
        quantity = Quantity(number, like.unit)
        for rounds in (True, False):
            ends = ends_in(like.unit, quantity, quantity, rounds=rounds)
            assert fits(like, quantity, rounds=rounds) == holds(like, ends)


@given(NUMBERS, st.integers(0, 4), st.sampled_from(["ms", "%", "GiB", "tok/s"]))
@settings(max_examples=200, deadline=None)
def test_a_value_shifted_beyond_its_digits_drifts(number: Fraction, decimals: int, unit: str) -> None:
    scaled = round(number * 10**decimals)
    text = ("-" if scaled < 0 else "") + fixed(abs(scaled), decimals)
    like = stated(f"{text} {unit}")
    assert agree(like, exact(number, like)).agrees
    shifted = like.numerals[0].number + Fraction(3, 4 * 10**decimals)
    drifted = agree(like, exact(shifted, like))
    assert not drifted.agrees
    assert drifted.comparable


@given(single_values(), st.text(max_size=20))
@settings(max_examples=200, deadline=None)
def test_a_quantity_never_agrees_with_text(text: str, other: str) -> None:
    like = stated(text)
    for words in (Text(other), Text(text), Flag(True), Items((like.value,))):
        assert not agree(like, Found(words, words)).agrees
    written = stated("OOM")
    assert not agree(written, Found(like.value, like.value)).agrees
