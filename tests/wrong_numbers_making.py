"""Random true values, right spellings of them, and wrong ones: the slips that people and scripts make."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor

from wrong_numbers_slips import SLIPS
from wrong_numbers_support import (
    BARE,
    BOUNDS,
    CLOCK,
    MEASURES,
    PREFIXES,
    SINGLE,
    TAILS,
    UNKNOWN,
    UPWARD,
    Digits,
    Form,
    Measure,
    Truth,
    Written,
    agrees,
    written,
)

MADE = 500


@dataclass(frozen=True)
class Case:
    """A true value with a right and a wrong spelling of it; `how` names the slip."""

    truth: Truth
    evidence: Measure
    right: Written
    wrong: Written
    how: str

    @property
    def spellings(self) -> tuple[tuple[str, Written], tuple[str, Written]]:
        """Both, each with what its claim's id ends in."""
        return ("", self.right), (".wrong", self.wrong)


# What is right -----------------------------------------------------------------------------------------


def right(rng: random.Random, kind: str, *, form: Form | None = None) -> tuple[Written, Truth]:
    """A stated value and a truth that it allows, often at the very end of what it allows."""
    measure = rng.choice(MEASURES[kind])
    if form is None:
        form = rng.choices([*SINGLE, *BOUNDS, Form.RANGE, Form.SPREAD], [60, 12, 3, 3, 3, 3, 3, 8, 5])[0]
    if form is Form.SPREAD:
        return _right_spread(rng, measure)
    if form is Form.RANGE:
        return _right_range(rng, kind, measure)
    digits = _digits(rng, kind, measure)
    measure = CLOCK if digits.colons else _known(measure, digits)
    value = written(form, (digits,), measure, rng.choice(PREFIXES[form]))
    rounds = digits.whole and measure.counts and form is Form.NUMBER and rng.random() < 0.3
    return value, _truth_within(rng, value, rounds=rounds)


def _known(measure: Measure, digits: Digits) -> Measure:
    return BARE if measure == UNKNOWN and not digits.whole else measure


def _digits(rng: random.Random, kind: str, measure: Measure) -> Digits:
    if kind == "time" and rng.random() < 0.1:
        decimals = rng.choice([0, 0, 0, 1])
        return Digits(rng.randint(61, 80_000) * 10**decimals, decimals, colons=rng.choice([1, 2]))
    mantissa = rng.randint(1, 10 ** rng.randint(1, 5 if kind in ("percent", "ratio") else 7))
    decimals = rng.choice([0, 1, 1, 2, 3]) if kind != "count" else rng.choice([0, 0, 0, 0, 0, 1])
    power, tail = 0, ""
    if kind == "count" and rng.random() < 0.25:
        power = rng.choice(list(TAILS))
        tail, mantissa, decimals = rng.choice(TAILS[power]), mantissa % 99_999 + 1, rng.choice([0, 1, 2])
    if rng.random() < 0.07 and not measure.before:
        mantissa = -mantissa
    separator = rng.choice(["", ",", ",", "_", " ", "\u202f"])
    minus, pointed = rng.choice(["-", "−"]), rng.random() < 0.1
    return Digits(mantissa, decimals, power, separator, tail, minus, pointed=pointed)


def _truth_within(rng: random.Random, value: Written, *, rounds: bool) -> Truth:
    digits, scale = value.numbers[0], value.measure.scale
    share = Fraction(rng.choice([-100, 100, 0, rng.randint(-100, 100), rng.randint(-100, 100)]), 100)
    room = digits.ulp / 2
    if value.form is Form.ABOUT:
        room = digits.rough_ulp / 2
    elif value.form is Form.EXACTLY or (value.measure.counts and digits.whole and not rounds):
        room = Fraction(0)
    offset = share * room
    if value.form in BOUNDS:
        offset = abs(share) * digits.ulp * 3 * (1 if value.form in UPWARD else -1)
        if not offset and value.form in (Form.MORE_THAN, Form.LESS_THAN):
            offset = digits.ulp * (1 if value.form is Form.MORE_THAN else -1)
    number = (digits.number + offset) * scale
    if not rounds:
        return Truth(value.measure.kind, (number,))
    apart = digits.ulp * rng.randint(0, 9) * scale
    return Truth(value.measure.kind, (number - apart, number + apart, number), rounds=True)


def _right_range(rng: random.Random, kind: str, measure: Measure) -> tuple[Written, Truth]:
    first = replace(_digits(rng, kind, measure), colons=0, minus="-")
    first = replace(first, mantissa=abs(first.mantissa), separator="," if first.separator else "")
    measure = _known(measure, first)
    second = replace(first, mantissa=first.mantissa + rng.randint(2, 10**4))
    joint = rng.choice(["-", "–", " to ", " – "]) if not measure.before else "–$"
    value = Written(
        Form.RANGE,
        (first, second),
        measure,
        f"{measure.before}{first.text}{joint}{second.text}{measure.after}",
    )
    low, high = ((each.number + each.ulp * Fraction(rng.randint(-50, 50), 100)) for each in (first, second))
    readings = (low, (low + high) / 2, high)
    return value, Truth(measure.kind, tuple(each * measure.scale for each in readings))


def _right_spread(rng: random.Random, measure: Measure) -> tuple[Written, Truth]:
    """Two readings `d` apart have the sample variance `d**2 / 2`; its root is written rounded."""
    measure = replace(measure, before="", after=measure.after or " USD") if measure.before else measure
    decimals = rng.choice([0, 1, 2, 3])
    measure = BARE if measure == UNKNOWN else measure
    mean, half = rng.randint(1, 10**5), rng.randint(1, 10**4)
    deviation = floor((2 * half * half) ** 0.5 + 0.5)
    numbers = Digits(mean, decimals), Digits(deviation, decimals)
    value = written(Form.SPREAD, numbers, measure, rng.choice([" ± ", "±", " +/- "]))
    readings = tuple(Fraction(each, 10**decimals) * measure.scale for each in (mean - half, mean + half))
    return value, Truth(measure.kind, readings)


def made(rng: random.Random, kind: str, *, plain: bool = False) -> Case:
    """One case of a class: `plain` ones have one reading, as cells of a table have."""
    form = rng.choices([*SINGLE, *BOUNDS], [70, 12, 3, 4, 4, 4, 4])[0] if plain else None
    value, truth = right(rng, kind, form=form)
    while plain and truth.rounds:
        value, truth = right(rng, kind, form=form)
    assert agrees(value, truth), value
    evidence = evidence_unit(rng, kind, value, truth)
    names = list(SLIPS)
    for _ in range(MADE):
        how = rng.choice(names)
        slip = SLIPS[how](rng, value, truth)
        if slip is not None and slip.text != value.text and _sane(slip) and not agrees(slip, truth):
            return Case(truth, evidence, value, slip, how)
    raise AssertionError(f"no wrong number for {value}")


def _sane(value: Written) -> bool:
    """Not a range that runs backwards by chance, nor a clock below 0: those have slips of their own."""
    if value.form is Form.RANGE:
        first, second = value.numbers
        return 0 <= first.number < second.number
    if value.form is Form.SPREAD:
        return value.numbers[1].mantissa > 0
    return not (value.numbers[0].colons and value.numbers[0].mantissa < 0)


def evidence_unit(rng: random.Random, kind: str, value: Written, truth: Truth) -> Measure:
    """A unit that the evidence may count in: one in which every reading is a finite decimal."""
    choices = [each for each in (*MEASURES[kind], BARE) if each.kind == truth.kind and each != UNKNOWN]
    rng.shuffle(choices)
    finite = (each for each in choices if all(is_decimal(reading / each.scale) for reading in truth.readings))
    return next(finite, value.measure)


def is_decimal(number: Fraction) -> bool:
    """Whether a number ends within 40 decimals."""
    return 10**40 % number.denominator == 0


def decimal(number: Fraction) -> str:
    """A number that ends, as a plain decimal."""
    digits = next(digits for digits in range(41) if (number * 10**digits).denominator == 1)
    scaled = abs(int(number * 10**digits))
    text = str(scaled).rjust(digits + 1, "0")
    body = f"{text[: len(text) - digits]}.{text[len(text) - digits :]}" if digits else text
    return ("-" if number < 0 else "") + body
