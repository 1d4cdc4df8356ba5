from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stilltrue.derive import FUNCTIONS, Operand, evaluate, parse
from stilltrue.derive.evaluate import LARGEST_BITS
from stilltrue.derive.parse import LONGEST
from stilltrue.errors import InputError
from stilltrue.model import Found
from stilltrue.quantity import BARE, Flag, Quantity, Units, interval, parse_stated, parse_value

UNITS = Units.default()


def value(text: str) -> Quantity:
    parsed = parse_value(text, UNITS)
    assert isinstance(parsed, Quantity)
    return parsed


def exact(text: str) -> Operand:
    return Operand(value(text), value(text))


def quoted(text: str) -> Operand:
    return Operand(*interval(parse_stated(text, UNITS)))


def run(text: str, **operands: Operand) -> Found:
    return evaluate(parse(text, UNITS, operands), operands)


def number(text: str, **operands: Operand) -> Fraction:
    found = run(text, **operands)
    assert found.low == found.high
    assert isinstance(found.low, Quantity)
    return found.low.base


def yes(text: str, **operands: Operand) -> bool:
    found = run(text, **operands)
    assert isinstance(found.low, Flag)
    return found.low.yes


def refusal(text: str, **operands: Operand) -> str:
    with pytest.raises(InputError) as caught:
        run(text, **operands)
    assert caught.value.hint
    assert caught.value.code in ("bad-derive", "open-interval")
    return caught.value.message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3", Fraction(7)),
        ("(1 + 2) * 3", Fraction(9)),
        ("2 ** 3 ** 2", Fraction(512)),
        ("-2 ** 2", Fraction(-4)),
        ("2 ** -1", Fraction(1, 2)),
        ("7 - 2 - 1", Fraction(4)),
        ("8 / 2 / 2", Fraction(2)),
        ("0.1 + 0.2", Fraction(3, 10)),
        ("1e3 + 1_000", Fraction(2000)),
        ("sqrt(16)", Fraction(4)),
        ("sqrt(0.25)", Fraction(1, 2)),
        ("log2(1024)", Fraction(10)),
        ("log2(0.125)", Fraction(-3)),
        ("log10(1000)", Fraction(3)),
        ("log10(1)", Fraction(0)),
        ("abs(-3)", Fraction(3)),
        ("min(3, 1, 2)", Fraction(1)),
        ("max(3, 1 + 4)", Fraction(5)),
        ("50 % * 4", Fraction(2)),
        ("2 min / 1 s", Fraction(120)),
    ],
)
def test_arithmetic_is_exact_and_binds_as_in_python(text: str, expected: Fraction) -> None:
    assert number(text) == expected


def test_roots_and_logarithms_that_are_not_exact_have_many_digits() -> None:
    assert abs(number("sqrt(2)") ** 2 - 2) < Fraction(1, 10**50)
    assert abs(number("log2(3)") - Fraction("1.58496250072115618145373894394781650876")) < Fraction(1, 10**38)


def test_units_are_carried_and_cancel() -> None:
    assert run(
        "gpus * price * hours", gpus=exact("8"), price=exact("3 USD/h"), hours=exact("1.65 h")
    ).low == (Quantity(Fraction("39.6"), value("1 USD").unit))
    assert number("a / b", a=exact("500 ms"), b=exact("2 s")) == Fraction(1, 4)


def test_a_literal_may_carry_a_known_unit_and_spaces_end_it() -> None:
    assert number("time * 24 USD/h", time=exact("30 min")) == 12
    assert number("1 s / time", time=exact("500 ms")) == 2


def test_a_reads_own_name_wins_over_a_unit() -> None:
    assert number("10 / s", s=exact("5")) == 2
    assert number("10 USD/h", h=exact("5")) == 2


def test_dimensions_that_do_not_fit_are_named() -> None:
    message = refusal("a + b", a=exact("5 ms"), b=exact("5 MiB"))
    assert "`ms`" in message
    assert "`MiB`" in message
    assert "a bare number" in refusal("a < 3", a=exact("5 ms"))
    assert "`ms`" in refusal("log2(a)", a=exact("5 ms"))
    assert "`ms`" in refusal("2 ** a", a=exact("5 ms"))


def test_a_quoted_operand_is_the_interval_its_digits_leave_open() -> None:
    found = run("x * 2", x=quoted("1.5 s"))
    assert (found.low, found.high) == (
        Quantity(Fraction("2.9"), value("1 s").unit),
        Quantity(Fraction("3.1"), value("1 s").unit),
    )


def test_an_operand_has_one_value_however_often_it_occurs() -> None:
    found = run("x - x", x=quoted("1.5 s"))
    assert isinstance(found.low, Quantity)
    assert isinstance(found.high, Quantity)
    assert found.low.number == found.high.number == 0


def test_the_quadratic_share_of_a_quoted_fit_is_an_interval_that_holds_67_8_percent() -> None:
    found = run(
        "b * 16384 token / (a + b * 16384 token)", a=quoted("6.87e-4 s/token"), b=quoted("8.85e-8 s/token^2")
    )
    assert isinstance(found.low, Quantity)
    assert isinstance(found.high, Quantity)
    assert found.low.base < Fraction("0.6785") < found.high.base
    assert Fraction("0.6782") < found.low.base
    assert found.high.base < Fraction("0.6789")


def test_a_comparison_that_its_interval_leaves_open_is_refused() -> None:
    assert yes("a < 2", a=exact("1.5"))
    assert not yes("a > 2 s", a=quoted("1.5 s"))
    assert yes("a < 1.6 s", a=quoted("1.5 s"))
    assert "open" in refusal("a < 1.5 s", a=quoted("1.5 s"))
    assert "open" in refusal("a == 1.5 s", a=quoted("1.5 s"))
    assert not yes("a == 2 s", a=quoted("1.5 s"))
    assert yes("a != 2 s", a=quoted("1.5 s"))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "1 +",
        "(1",
        "1)",
        "1 2",
        "* 3",
        "1 < 2 < 3",
        "(1 < 2) + 1",
        "f(1)",
        "sqrt",
        "sqrt(1, 2)",
        "sqrt(-1)",
        "log2(0)",
        "0 ** 0",
        "(-8) ** 0.5",
        "1 / 0",
        "1 / (2 - 2)",
        "1 % 2",
        "a.b",
        "__import__('os')",
        "'x' * 9",
        "[1]",
        "lambda: 1",
        "1 if 2 else 3",
        "1; 2",
        "3 furlongs",
        "3 wibble",
        "9 ** 9 ** 9 ** 9",
        "10 ** 100000000",
        "2 ** 0.5 ** 1000000000",
        "(1e300 ** 1e300) ** 0.5",
        "{other}",
        "(" * 5000 + "1" + ")" * 5000,
        "1" + " + 1" * 2000,
        "-" * 3000 + "1",
        "x" * (LONGEST + 1),
    ],
)
def test_what_is_no_arithmetic_is_refused_with_a_hint(text: str) -> None:
    refusal(text, after=exact("1"))


def test_a_divisor_that_may_be_zero_is_refused_although_its_ends_are_not() -> None:
    assert "may be 0" in refusal("1 / (x - 1.5 s)", x=quoted("1.5 s"))


def test_claims_are_written_in_braces_and_each_operand_is_listed_once() -> None:
    assert parse("{a-1} / ({a-1} + {b.c})", UNITS).operands == ("a-1", "b.c")
    with pytest.raises(InputError) as caught:
        parse("before / after", UNITS)
    assert "{before}" in caught.value.hint


def test_too_many_intervals_are_refused_rather_than_waited_for() -> None:
    names = [f"x{n}" for n in range(20)]
    assert "20 operands" in refusal(" + ".join(names), **{name: quoted("1.5 s") for name in names})


@given(st.text(max_size=60))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    try:
        evaluate(parse(text, UNITS), {})
    except (InputError, KeyError) as error:
        # A text that happens to name a claim has no operand here.
        assert isinstance(error, InputError) or "{" in text  # both outcomes are right


_NUMBERS = st.fractions(min_value=-1000, max_value=1000, max_denominator=1000)


@st.composite
def _expressions(draw: st.DrawFn, depth: int = 3) -> tuple[str, Fraction]:
    if depth == 0 or draw(st.booleans()):
        whole = draw(st.integers(min_value=0, max_value=99))
        return str(whole), Fraction(whole)
    sign = draw(st.sampled_from("+-*/"))
    left, a = draw(_expressions(depth=depth - 1))
    right, b = draw(_expressions(depth=depth - 1))
    if sign == "/" and b == 0:
        sign = "+"
    result = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else Fraction(0)}[sign]
    return f"({left} {sign} {right})", result


@given(_expressions())
def test_any_tree_comes_to_what_exact_fractions_come_to(pair: tuple[str, Fraction]) -> None:
    text, expected = pair
    assert number(text) == expected


@given(_NUMBERS, _NUMBERS, _NUMBERS, _NUMBERS)
def test_any_value_within_the_operands_gives_a_value_within_the_result(
    a: Fraction, b: Fraction, p: Fraction, q: Fraction
) -> None:
    low, high = sorted((a, b))
    share = abs(p) / (abs(p) + abs(q) + 1)
    inner = low + (high - low) * share
    found = run("3 * x - x / 7", x=Operand(Quantity(low), Quantity(high)))
    assert isinstance(found.low, Quantity)
    assert isinstance(found.high, Quantity)
    assert found.low.number <= 3 * inner - inner / 7 <= found.high.number


def test_every_function_of_the_table_can_be_called() -> None:
    for name in FUNCTIONS:
        found = run(f"{name}(4)")
        assert isinstance(found.low, Quantity)
        assert found.low.unit == BARE


def test_numbers_may_grow_only_so_far() -> None:
    assert "too large" in refusal(f"2 ** {LARGEST_BITS + 1}")
    assert number("2 ** 1000") == 2**1000


def bounds(found: Found) -> tuple[Fraction, Fraction]:
    assert isinstance(found.low, Quantity)
    assert isinstance(found.high, Quantity)
    return found.low.base, found.high.base


def test_what_folds_an_interval_around_zero_reaches_zero() -> None:
    zero = quoted("0.0 s")
    assert bounds(run("abs(z)", z=zero)) == (Fraction(0), Fraction(1, 20))
    assert bounds(run("z ** 2", z=zero)) == (Fraction(0), Fraction(1, 400))
    assert bounds(run("abs(y - z)", y=quoted("1 s"), z=quoted("1.2 s"))) == (Fraction(0), Fraction(3, 4))
    assert "open" in refusal("abs(z) > 0.01 s", z=zero)
    assert yes("abs(z) < 0.06 s", z=zero)
    assert "0 cannot be raised" in refusal("z ** -2", z=zero)
    assert bounds(run("abs(z)", z=quoted("-1.5 s"))) == (Fraction("1.45"), Fraction("1.55"))
