"""A shift beyond what agrees is never `holds`, and one within it always is: for every form, both ways.

What agrees is reckoned apart from the code under test, in `wrong_numbers_support`.
"""

from __future__ import annotations

import random
from dataclasses import replace
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.compare import agree, agree_link
from stilltrue.model import Found
from stilltrue.quantity import (
    Items,
    Quantity,
    Stated,
    Tolerance,
    Units,
    Value,
    first_quantity,
    parse_stated,
    parse_tolerance,
)
from wrong_numbers_making import right
from wrong_numbers_support import (
    BARE,
    BOUNDS,
    CLOCK,
    MEASURES,
    PREFIXES,
    SINGLE,
    UPWARD,
    Digits,
    Form,
    Measure,
    Truth,
    Written,
    agrees,
    link_agrees,
    written,
)

UNITS = Units.default()
RANDOM = st.randoms(use_true_random=False)
KINDS = st.sampled_from(list(MEASURES))
FORMS = st.sampled_from([*SINGLE, *BOUNDS])
SLIVER = Fraction(1, 10**12)
SHIFTS = st.one_of(
    st.sampled_from(
        [
            sign * (edge + sliver)
            for edge in (Fraction(0), Fraction(1, 2), Fraction(5), Fraction(50))
            for sliver in (-SLIVER, Fraction(0), SLIVER)
            for sign in (-1, 1)
        ]
    ),
    st.fractions(-3, 3, max_denominator=1000),
    st.integers(-(10**6), 10**6).map(Fraction),
)
"""By how many of its last digits a number is shifted: to the edges of what agrees, a sliver past, and far."""


def stated(value: Written) -> Stated:
    return parse_stated(value.text, UNITS)


def quantity(number: Fraction, measure: Measure) -> Quantity:
    """A number of base units, as evidence in `measure` gives it."""
    symbol = "s" if measure == CLOCK else measure.symbol
    unit = UNITS.parse(symbol) if symbol else BARE_UNIT
    return Quantity(number / measure.scale, unit)


BARE_UNIT = parse_stated("1", UNITS).unit


def measured(rng: random.Random, kind: str, value: Written) -> Measure:
    """Another unit that evidence of such a value may count in; a noun that no table holds is none."""
    alike = [each for each in MEASURES[kind] if each.kind == value.measure.kind]
    known = [each for each in alike if not each.symbol or UNITS.find(each.symbol)]
    return rng.choice(known or [BARE])


def found_of(truth: Truth, measure: Measure) -> Found:
    """What readings come to; a root that never ends is taken to forty digits, as far as anyone reads."""
    low, high, mean = (
        quantity(number, measure) for number in (min(truth.readings), max(truth.readings), truth.mean)
    )
    if len(truth.readings) == 1 or truth.rounds:
        return Found(mean, mean, truth.rounds)
    deviation = quantity(root(truth.variance), measure)
    return Found(low, high, spread=(mean, deviation))


def root(number: Fraction) -> Fraction:
    scaled = number * 10**80
    low, high = 0, max(1, scaled.__ceil__())
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if middle * middle <= scaled else (low, middle - 1)
    return Fraction(low, 10**40)


def shifted(truth: Truth, by: Fraction) -> Truth:
    return replace(truth, readings=tuple(each + by for each in truth.readings))


# Found is shifted --------------------------------------------------------------------------------------


@given(RANDOM, KINDS, FORMS, SHIFTS, st.booleans())
@settings(max_examples=250, deadline=None)
def test_found_agrees_as_far_as_the_table_says_and_no_further(
    rng: random.Random, kind: str, form: Form, shift: Fraction, rounds: bool
) -> None:
    value, _ = right(rng, kind, form=form)
    digits, scale = value.numbers[0], value.measure.scale
    truth = Truth(value.measure.kind, ((digits.number + shift * digits.ulp) * scale,), rounds)
    found = found_of(truth, measured(rng, kind, value))
    agreement = agree(stated(value), found)
    assert agreement.agrees is agrees(value, truth)
    assert agreement.comparable


@given(RANDOM, KINDS, st.sampled_from([Form.RANGE, Form.SPREAD]), SHIFTS, SHIFTS)
@settings(max_examples=150, deadline=None)
def test_both_ends_and_both_parts_must_agree(
    rng: random.Random, kind: str, form: Form, one: Fraction, other: Fraction
) -> None:
    value, truth = right(rng, kind, form=form)
    assert agree(stated(value), found_of(truth, measured(rng, kind, value))).agrees
    ulp = value.numbers[0].ulp * value.measure.scale
    low, high = min(truth.readings) + one * ulp, max(truth.readings) + other * ulp
    moved = replace(truth, readings=tuple(sorted((low, high))))
    found = found_of(moved, measured(rng, kind, value))
    assert agree(stated(value), found).agrees is agrees(value, moved)


# Stated is shifted -------------------------------------------------------------------------------------


@given(RANDOM, KINDS, FORMS, st.integers(-12, 12), st.integers(-2, 2))
@settings(max_examples=250, deadline=None)
def test_stated_agrees_as_far_as_the_table_says_and_no_further(
    rng: random.Random, kind: str, form: Form, digits: int, places: int
) -> None:
    value, truth = right(rng, kind, form=form)
    assert agree(stated(value), found_of(truth, measured(rng, kind, value))).agrees
    old = value.numbers[0]
    decimals = max(0, old.decimals + places) if not old.colons else old.decimals
    new = replace(old, mantissa=old.mantissa + digits, decimals=decimals)
    if new.colons and new.mantissa < 0:
        return
    other = written(value.form, (new,), value.measure, rng.choice(PREFIXES[value.form]))
    known = not (value.measure.counts and not new.whole and UNITS.find(value.measure.symbol) is None)
    if known or not value.measure.symbol:
        found = found_of(truth, measured(rng, kind, value))
        assert agree(stated(other), found).agrees is agrees(other, truth)


@given(RANDOM, KINDS, FORMS, st.integers(-12, 12))
@settings(max_examples=250, deadline=None)
def test_a_number_in_prose_agrees_as_far_as_its_claim_and_no_further(
    rng: random.Random, kind: str, form: Form, by: int
) -> None:
    claim, truth = right(rng, kind)
    ulp = claim.numbers[0].ulp * claim.measure.scale
    measure = claim.measure
    ends = rng.choice([min(truth.readings), max(truth.readings), truth.mean])
    number = ends / measure.scale / claim.numbers[0].ulp
    digits = replace(claim.numbers[0], mantissa=round(number) + by)
    if digits.colons and digits.mantissa < 0:
        return
    assert ulp > 0
    value = written(form, (digits,), measure, rng.choice(PREFIXES[form]))
    read = first_quantity(value.text, UNITS)
    assert read is not None
    found = found_of(truth, measured(rng, kind, claim))
    agreement = agree_link(read, stated(claim), found, None, value.text)
    assert agreement.agrees is link_agrees(value, claim, truth)


# Tolerances, intervals, lists --------------------------------------------------------------------------


@given(RANDOM, KINDS, st.integers(1, 99), st.integers(0, 2), SHIFTS, st.booleans())
@settings(max_examples=150, deadline=None)
def test_a_tolerance_reaches_as_far_as_it_says_and_no_further(
    rng: random.Random, kind: str, amount: int, decimals: int, shift: Fraction, relative: bool
) -> None:
    value, _ = right(rng, kind, form=Form.NUMBER)
    digits, scale = value.numbers[0], value.measure.scale
    width = Digits(amount, decimals)
    if relative or not value.measure.symbol or not UNITS.find(value.measure.symbol):
        tolerance = parse_tolerance(f"{width.text} %", UNITS)
        reach = abs(digits.number) * width.number / 100
    else:
        tolerance = absolute(width, value)
        reach = width.number
    for found, agreed in (
        (digits.number + reach, True),
        (digits.number - reach, True),
        (digits.number + reach + SLIVER * digits.ulp, False),
        (digits.number - reach - SLIVER * digits.ulp, False),
        (digits.number + shift * reach, abs(shift) <= 1),
    ):
        truth = Truth(value.measure.kind, (found * scale,))
        agreement = agree(stated(value), found_of(truth, measured(rng, kind, value)), tolerance)
        if digits.number or not tolerance.relative:
            assert agreement.agrees is agreed
        else:
            assert not agreement.comparable


def absolute(width: Digits, value: Written) -> Tolerance:
    """An amount in the unit of the value; of a percentage that is `pp`, since `%` is relative."""
    shares = value.measure.kind == "one" and value.measure.scale == Fraction(1, 100)
    measure = replace(value.measure, before="", after=" pp" if shares else f" {value.measure.symbol}")
    measure = replace(measure, after=" USD") if value.measure.before else measure
    return parse_tolerance(f"±{width.text}{measure.after}", UNITS)


@given(RANDOM, KINDS, FORMS, SHIFTS, SHIFTS)
@settings(max_examples=150, deadline=None)
def test_an_interval_must_meet_what_is_allowed_and_a_bound_hold_for_all_of_it(
    rng: random.Random, kind: str, form: Form, one: Fraction, other: Fraction
) -> None:
    value, _ = right(rng, kind, form=form)
    digits, scale = value.numbers[0], value.measure.scale
    low, high = sorted((digits.number + shift * digits.ulp) * scale for shift in (one, other))
    measure = measured(rng, kind, value)
    ends = quantity(low, measure), quantity(high, measure)
    allowed = (agrees(value, Truth(value.measure.kind, (end,))) for end in (low, high))
    inside = low <= digits.number * scale <= high
    expected = all(allowed) if form in BOUNDS else any(allowed) or inside
    for found in (Found(*ends), Found(*ends[::-1])):
        assert agree(stated(value), found).agrees is expected


@given(
    st.lists(st.integers(-99, 99), min_size=2, max_size=6),
    st.lists(st.integers(-99, 99), min_size=2, max_size=6),
    st.sampled_from(["/", ", ", "; "]),
    st.sampled_from(["", " ms", " %", " GiB"]),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_a_list_agrees_with_its_own_numbers_alone(
    numbers: list[int], others: list[int], separator: str, unit: str, same: bool
) -> None:
    value = parse_stated(separator.join(map(str, numbers)) + unit, UNITS)
    evidence = numbers if same else others
    assert agree(value, listed(evidence, unit)).agrees is (numbers == evidence)
    for at in range(len(numbers)):
        apart = [*numbers[:at], numbers[at] + 1, *numbers[at + 1 :]]
        assert not agree(value, listed(apart, unit)).agrees
    assert not agree(value, listed(numbers[:-1], unit)).agrees
    assert not agree(value, listed([*numbers, 0], unit)).agrees


def listed(numbers: list[int], unit: str) -> Found:
    of = UNITS.parse(unit.strip()) if unit else BARE_UNIT
    items: tuple[Value, ...] = tuple(Quantity(Fraction(number), of) for number in numbers)
    return Found(Items(items), Items(items))


def test_the_reference_can_tell_right_from_wrong() -> None:
    """Rows of the design's own table, so that the reference itself is held to something."""
    tenth = Digits(652, 1)
    share = written(Form.NUMBER, (tenth,), Measure("one", Fraction(1, 100), " %"))
    assert share.text == "65.2 %"
    for found, agreed in (("0.652", True), ("0.6525", True), ("0.65251", False), ("65.2", False)):
        assert agrees(share, Truth("one", (Fraction(found),))) is agreed
    count = written(Form.NUMBER, (Digits(1024, separator=","),), BARE)
    assert count.text == "1,024"
    assert not agrees(count, Truth("one", (Fraction("1024.4"),)))
    assert agrees(count, Truth("one", (Fraction("1024.4"),), rounds=True))
    about = written(Form.ABOUT, (Digits(100),), BARE, "~")
    assert [agrees(about, Truth("one", (Fraction(n),))) for n in (94, 95, 105, 106)] == [
        False,
        True,
        True,
        False,
    ]
    assert UPWARD[0] in BOUNDS
