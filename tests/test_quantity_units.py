from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quantity_support import UNITS
from stilltrue.errors import InputError
from stilltrue.quantity import BARE, Quantity, Unit, Units, divide, multiply, power, same_dimension
from stilltrue.quantity.unit_table import known_units
from stilltrue.quantity.units import one_slip


def unit(text: str) -> Unit:
    return UNITS.parse(text)


@pytest.mark.parametrize(
    ("text", "scale", "dimension"),
    [
        ("ms", Fraction(1, 1000), {"time": 1}),
        ("µs", Fraction(1, 10**6), {"time": 1}),
        ("μs", Fraction(1, 10**6), {"time": 1}),
        ("HOURS", Fraction(3600), {"time": 1}),
        ("Minutes", Fraction(60), {"time": 1}),
        ("bytes", Fraction(1), {"information": 1}),
        ("GB", Fraction(10**9), {"information": 1}),
        ("GiB", Fraction(1024**3), {"information": 1}),
        ("Gbit/s", Fraction(10**9, 8), {"information": 1, "time": -1}),
        ("kb", Fraction(1000), {"information": 1}),
        ("gib", Fraction(1024**3), {"information": 1}),
        ("%", Fraction(1, 100), {}),
        ("pp", Fraction(1, 100), {}),
        ("x", Fraction(1), {}),
        ("×", Fraction(1), {}),
        ("mW", Fraction(1, 1000), {"energy": 1, "time": -1}),
        ("MW", Fraction(10**6), {"energy": 1, "time": -1}),
        ("kilowatt-hours", Fraction(3600000), {"energy": 1}),
        ("FLOPs", Fraction(1), {"flop": 1}),
        ("FLOPS", Fraction(1), {"flop": 1, "time": -1}),
        ("FLOP/s", Fraction(1), {"flop": 1, "time": -1}),
        ("TFLOP/s", Fraction(10**12), {"flop": 1, "time": -1}),
        ("tok/s", Fraction(1), {"token": 1, "time": -1}),
        ("tokens per second", Fraction(1), {"token": 1, "time": -1}),
        ("s/token^2", Fraction(1), {"token": -2, "time": 1}),
        ("s/token²", Fraction(1), {"token": -2, "time": 1}),
        ("s²", Fraction(1), {"time": 2}),
        ("req/s", Fraction(1), {"request": 1, "time": -1}),
        ("img/s", Fraction(1), {"image": 1, "time": -1}),
        ("USD/h", Fraction(1, 3600), {"USD": 1, "time": -1}),
        ("$/GPU-hour", Fraction(1, 3600), {"USD": 1, "gpu": -1, "time": -1}),
        ("GPU hours", Fraction(3600), {"gpu": 1, "time": 1}),
        ("1/s", Fraction(1), {"time": -1}),
    ],
)
def test_a_unit_has_its_scale_and_dimension(text: str, scale: Fraction, dimension: dict[str, int]) -> None:
    parsed = unit(text)
    assert parsed.scale == scale
    assert dict(parsed.dimension) == dimension
    assert parsed.symbol == text


@pytest.mark.parametrize(
    "text", ["B", "B/s", "FLOP/B", "flops", "Ms", "MS", "Gib", "m s", "", "5", "/", "s//s", "s^99", "a" * 500]
)
def test_what_is_ambiguous_or_unknown_is_no_unit(text: str) -> None:
    with pytest.raises(InputError) as refused:
        unit(text)
    assert refused.value.code == "unknown-unit"
    assert refused.value.hint


def test_the_hint_names_what_was_meant() -> None:
    for text, hint in (
        ("secnds", "seconds"),
        ("B", "`bytes`"),
        ("flops", "FLOP/s"),
        ("qwxz", "tool.stilltrue.units"),
        ("sent/s", "`sentence/s`"),
        ("qwxz/s", "tool.stilltrue.units"),
        ("MS", "`ms`"),
        ("points", "`pp`"),
    ):
        with pytest.raises(InputError) as refused:
            unit(text)
        assert hint in refused.value.hint


def test_failures_are_remembered_and_the_table_is_shared() -> None:
    assert Units.default() is Units.default()
    assert UNITS.find("no such unit") is None
    assert UNITS.find("no such unit") is None


def test_every_known_spelling_parses_to_itself() -> None:
    symbols, words = known_units()
    for name in (*symbols, *words):
        assert unit(name).symbol == name
    for name in words:
        if len(name) > 1:
            assert unit(name.upper()).scale == words[name].scale


def test_only_what_is_counted_one_by_one_is_a_noun() -> None:
    assert unit("tokens").noun
    assert unit("expert layers").noun
    assert not unit("ktok").noun
    assert not unit("tok/s").noun
    assert not unit("ms").noun
    assert not unit("%").noun


# A project's own words ---------------------------------------------------------------------------------


def test_a_project_adds_nouns_and_amounts() -> None:
    units = UNITS.extended(
        {"furlong": "201.168 m", "panel": "noun", "Zn": "2 h", "target module": "noun", "fps": "frames/s"}
    )
    assert units.parse("furlongs").scale == Fraction(201168, 1000)
    assert units.parse("FURLONG").dimension == (("length", 1),)
    assert units.parse("panels/s").dimension == (("panel", 1), ("time", -1))
    assert units.parse("Zn").scale == 7200
    assert units.find("zn") is None
    assert units.parse("target modules").noun
    assert same_dimension(units.parse("fps"), unit("frames/s"))
    assert UNITS.find("furlongs") is None


def test_no_words_change_nothing() -> None:
    assert UNITS.extended({}) is UNITS


@pytest.mark.parametrize(
    ("word", "meaning"),
    [
        ("hours", "noun"),
        ("ms", "5 s"),
        ("M", "noun"),
        ("a1", "noun"),
        ("", "noun"),
        ("foo", "bar"),
        ("foo", "0 s"),
        ("foo", ""),
        ("foo", "5"),
    ],
)
def test_a_word_that_means_nothing_or_something_else_is_refused(word: str, meaning: str) -> None:
    with pytest.raises(InputError) as refused:
        UNITS.extended({word: meaning})
    assert refused.value.code == "bad-unit"
    assert refused.value.hint


# Slips -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("secnds", "seconds"),
        ("secodns", "seconds"),
        ("hourss", "hours"),
        ("GiBB", "GiB"),
        ("mss", "ms"),
        ("mw", "mW"),
        ("MS", "ms"),
    ],
)
def test_a_word_one_slip_away_from_a_unit_is_seen(word: str, meant: str) -> None:
    assert UNITS.slip(word) == meant


@pytest.mark.parametrize(
    "word", ["target", "modules", "sequences", "bins", "hits", "tokens", "PRs", "models", "seeds", "widgets"]
)
def test_nouns_are_no_slips(word: str) -> None:
    assert UNITS.slip(word) == ""


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_one_slip_is_one_edit(one: str, other: str) -> None:
    edits = {one[:i] + one[i + 1 :] for i in range(len(one))}
    edits |= {one[:i] + c + one[i:] for i in range(len(one) + 1) for c in "abc"}
    edits |= {one[:i] + c + one[i + 1 :] for i in range(len(one)) for c in "abc"}
    edits |= {one[:i] + one[i + 1] + one[i] + one[i + 2 :] for i in range(len(one) - 1)}
    if one != other:
        assert one_slip(one, other) == (other in edits)


# Arithmetic --------------------------------------------------------------------------------------------


def test_nouns_and_bare_counts_are_alike_and_measures_are_not() -> None:
    noun = Unit("target modules", Fraction(1), (), noun=True)
    for one, other in (
        (noun, BARE),
        (unit("tokens"), noun),
        (unit("tok/s"), unit("1/s")),
        (unit("%"), unit("x")),
    ):
        assert same_dimension(one, other)
    for one, other in (
        (unit("ms"), unit("MiB")),
        (BARE, unit("s")),
        (unit("FLOPs"), unit("FLOPS")),
        (unit("$"), unit("EUR")),
    ):
        assert not same_dimension(one, other)


def test_units_are_carried_through_products_and_quotients() -> None:
    assert multiply(unit("USD/h"), unit("h")).symbol == "USD"
    assert divide(unit("tokens"), unit("s")).symbol == "tokens/s"
    assert divide(unit("ms"), unit("ms")) == BARE
    assert multiply(unit("s/token^2"), unit("token")).symbol == "s/token"
    assert divide(unit("ms"), unit("s")).scale == Fraction(1, 1000)
    assert multiply(BARE, unit("ms")) == unit("ms")
    assert divide(unit("ms"), BARE) == unit("ms")
    assert divide(BARE, unit("s")).symbol == "1/s"


def test_powers_are_units_where_their_exponents_are_whole() -> None:
    assert power(unit("s"), Fraction(2)).dimension == (("time", 2),)
    assert power(unit("s^2"), Fraction(1, 2)).symbol == "s"
    assert power(BARE, Fraction(1, 3)) == BARE
    assert power(unit("h^2"), Fraction(1, 2)).scale == 3600
    for base, exponent in (
        (unit("s"), Fraction(1, 2)),
        (unit("s"), Fraction(1000)),
        (unit("%"), Fraction(1, 3)),
    ):
        with pytest.raises(InputError) as refused:
            power(base, exponent)
        assert refused.value.code == "bad-unit"


@given(
    st.sampled_from(["ms", "GiB", "tok/s", "USD/h", "s/token^2", "%", "W", "kWh"]),
    st.sampled_from(["s", "GB", "h", "token", "%", "J"]),
)
def test_a_product_divided_again_is_what_it_was(one: str, other: str) -> None:
    back = divide(multiply(unit(one), unit(other)), unit(other))
    assert (back.scale, back.dimension) == (unit(one).scale, unit(one).dimension)
    product = multiply(unit(one), unit(other))
    assert Quantity(Fraction(1), product).base == unit(one).scale * unit(other).scale
    if product != BARE:
        assert UNITS.parse(product.symbol).scale == product.scale


@given(st.text(max_size=60))
def test_no_text_makes_a_unit_fail_otherwise(text: str) -> None:
    try:
        assert unit(text).symbol
    except InputError as error:
        assert error.code == "unknown-unit"
