"""What a written number allows, by the table of the design, reckoned apart from the code under test.

A number is put together here from digits, a unit and a form; nothing is parsed. So what it means is known by
how it was made.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction


class Form(StrEnum):
    """How a number is stated."""

    NUMBER = ""
    ABOUT = "~"
    EXACTLY = "exactly"
    AT_LEAST = ">="
    MORE_THAN = ">"
    AT_MOST = "<="
    LESS_THAN = "<"
    RANGE = "range"
    SPREAD = "±"
    NOTHING = "nothing"  # no number that anyone should understand


PREFIXES = {
    Form.NUMBER: ("",),
    Form.ABOUT: ("~", "≈", "about ", "approximately ", "~ "),
    Form.EXACTLY: ("exactly ",),
    Form.AT_LEAST: (">= ", "≥ ", "at least "),
    Form.MORE_THAN: ("> ", ">", "more than "),
    Form.AT_MOST: ("<= ", "≤", "at most "),
    Form.LESS_THAN: ("< ", "<", "less than "),
}
UPWARD = (Form.AT_LEAST, Form.MORE_THAN)
BOUNDS = (*UPWARD, Form.AT_MOST, Form.LESS_THAN)
SINGLE = (Form.NUMBER, Form.ABOUT, Form.EXACTLY)


@dataclass(frozen=True)
class Measure:
    """A unit as it is written.

    Attributes:
        kind: What is measured: values of two kinds are never compared.
        scale: What one of it is in base units.
        after: What follows the digits, its blank included.
        before: What stands before them.
        counts: Whether a whole number of it is a count, which is exact.
    """

    kind: str
    scale: Fraction
    after: str = ""
    before: str = ""
    counts: bool = False

    @property
    def symbol(self) -> str:
        """What `unit` takes; empty for a bare number."""
        return self.before or self.after.strip()


BARE = Measure("one", Fraction(1), counts=True)
_NOUNS = [Measure("one", Fraction(1), f" {noun}", counts=True) for noun in ("rows", "tokens", "sequences")]
UNKNOWN = Measure("one", Fraction(1), " target modules", counts=True)
"""A noun that no table holds: it stands after whole numbers alone, and never in evidence."""
_SHARES = [Measure("one", Fraction(1, 100), after) for after in ("%", " %", " %", " percent", " pp")]
_TIMES = [
    Measure("time", Fraction(scale), after)
    for scale, names in (
        ("1/1000000000", (" ns",)),
        ("1/1000000", (" us", " µs")),
        ("1/1000", (" ms", " ms", "ms", " milliseconds")),
        ("1", (" s", " s", "s", " seconds")),
        ("60", (" min", " minutes")),
        ("3600", (" h", "h", " hours", " HOURS")),
    )
    for after in names
]
_SIZES = [
    Measure("bytes", Fraction(base) ** power, f"{gap}{prefix}{'i' if base == 1024 else ''}B")
    for base in (1000, 1024)
    for power, prefix in ((1, "k" if base == 1000 else "K"), (2, "M"), (3, "G"), (4, "T"))
    for gap in (" ", "")
] + [Measure("bytes", Fraction(1), " bytes")]
_RATIOS = [Measure("one", Fraction(1), after) for after in ("x", "×", " times")] + [BARE]
_RATES = [
    Measure("token/time", Fraction(1), after) for after in (" tok/s", " tokens/s", " tokens per second")
]
_MONEY = [Measure("money", Fraction(1), before="$"), Measure("money", Fraction(1), " USD")]
OTHERS = [
    *_TIMES,
    *_SIZES,
    *_RATES,
    *_MONEY,
    *_SHARES,
    *_RATIOS,
    Measure("time/token", Fraction(1), " s/tok"),
]

CLOCK = Measure("time", Fraction(1))
TAILS = {3: ("k", "e3", " × 10^3"), 6: ("M", "e6", "e+06"), 9: ("B", " billion", "e9"), 18: ("e18", "×10¹⁸")}
MEASURES = {
    "percent": _SHARES,
    "ratio": [*_RATIOS, *_RATIOS, *_RATES, *_MONEY],
    "time": _TIMES,
    "count": [BARE, BARE, UNKNOWN, *_NOUNS, Measure("one", Fraction(1), " FLOPs", counts=True)],
    "size": _SIZES,
}
"""The units of each class, often used ones more than once."""


@dataclass(frozen=True)
class Digits:
    """A number as written: `mantissa / 10**decimals * 10**power`.

    Attributes:
        separator: What stands between groups of three.
        tail: How the power is written: `e18`, `k`, ` × 10^6`; where it is written, the number is not whole.
        minus: The sign of a negative number.
        colons: Of a clock time how many it has, else 0; its mantissa counts (parts of) seconds.
        pointed: Whether a leading 0 is left out: `.652`.
    """

    mantissa: int
    decimals: int = 0
    power: int = 0
    separator: str = ""
    tail: str = ""
    minus: str = "-"
    colons: int = 0
    pointed: bool = False

    @property
    def ulp(self) -> Fraction:
        return Fraction(10) ** (self.power - self.decimals)

    @property
    def number(self) -> Fraction:
        return self.mantissa * self.ulp

    @property
    def whole(self) -> bool:
        return not self.decimals and not self.tail and not self.colons

    @property
    def rough_ulp(self) -> Fraction:
        """The worth of the last digit after `~`: zeros of a whole number beyond its second digit are none."""
        if self.decimals or self.colons:
            return self.ulp
        digits = str(abs(self.mantissa))
        zeros = len(digits) - len(digits.rstrip("0"))
        dropped: int = max(0, min(zeros, len(digits) - 2))
        return self.ulp * Fraction(10**dropped)

    @property
    def text(self) -> str:
        digits = str(abs(self.mantissa)).rjust(self.decimals + 1, "0")
        whole, part = digits[: len(digits) - self.decimals], digits[len(digits) - self.decimals :]
        if self.colons:
            whole = _clock(int(whole), self.colons)
        elif self.separator:
            whole = f"{int(whole):,}".replace(",", self.separator)
        elif self.pointed and part and whole == "0":
            whole = ""
        sign = self.minus if self.mantissa < 0 else ""
        return f"{sign}{whole}{'.' if part else ''}{part}{self.tail}"


def _clock(seconds: int, colons: int) -> str:
    minutes, rest = divmod(seconds, 60)
    if colons == 1:
        return f"{minutes}:{rest:02}"
    return f"{minutes // 60}:{minutes % 60:02}:{rest:02}"


@dataclass(frozen=True)
class Written:
    """A value as an author wrote it: one number, or two of a range or a `±`."""

    form: Form
    numbers: tuple[Digits, ...]
    measure: Measure
    text: str


def written(form: Form, numbers: tuple[Digits, ...], measure: Measure, joint: str = "") -> Written:
    """A value put together; `joint` is its prefix, or what stands between two numbers."""
    if len(numbers) == 1:
        digits = numbers[0].text
        sign = numbers[0].minus if measure.before and numbers[0].mantissa < 0 else ""
        text = f"{joint}{sign}{measure.before}{digits.removeprefix(sign)}{measure.after}"
    else:
        text = joint.join(each.text for each in numbers) + measure.after
    return Written(form, numbers, measure, text)


@dataclass(frozen=True)
class Truth:
    """What the evidence says, in base units.

    Attributes:
        rounds: Whether a whole stated number may be this one rounded: it is a mean.
    """

    kind: str
    readings: tuple[Fraction, ...]
    rounds: bool = False

    @property
    def mean(self) -> Fraction:
        return sum(self.readings, Fraction(0)) / len(self.readings)

    @property
    def variance(self) -> Fraction:
        return sum(((each - self.mean) ** 2 for each in self.readings), Fraction(0)) / (
            len(self.readings) - 1
        )


def agrees(value: Written, truth: Truth) -> bool:
    """Whether a stated value agrees with what is true, by the table of the design."""
    if value.form is Form.NOTHING or value.measure.kind != truth.kind:
        return False
    if value.form is Form.RANGE:
        first, second = value.numbers
        ends = min(truth.readings), max(truth.readings)
        return len(truth.readings) > 1 and _rounds(first, value, ends[0]) and _rounds(second, value, ends[1])
    if value.form is Form.SPREAD:
        return len(truth.readings) > 1 and _spread(value, truth)
    return allows(value, truth.mean, rounds=truth.rounds)


def allows(value: Written, found: Fraction, *, rounds: bool = False) -> bool:
    """Whether one stated number allows a number that was found, in base units."""
    digits, scale = value.numbers[0], value.measure.scale
    number = digits.number * scale
    match value.form:
        case Form.AT_LEAST:
            return found >= number
        case Form.MORE_THAN:
            return found > number
        case Form.AT_MOST:
            return found <= number
        case Form.LESS_THAN:
            return found < number
        case Form.ABOUT:
            return abs(found - number) <= digits.rough_ulp * scale / 2
    exact = value.form is Form.EXACTLY or (digits.whole and value.measure.counts and not rounds)
    return found == number if exact else _rounds(digits, value, found)


def _rounds(digits: Digits, value: Written, found: Fraction) -> bool:
    scale = value.measure.scale
    return abs(found - digits.number * scale) <= digits.ulp * scale / 2


def _spread(value: Written, truth: Truth) -> bool:
    mean, deviation = value.numbers
    scale = value.measure.scale
    low = max(Fraction(0), deviation.number - deviation.ulp / 2) * scale
    high = (deviation.number + deviation.ulp / 2) * scale
    return _rounds(mean, value, truth.mean) and high >= 0 and low**2 <= truth.variance <= high**2


def link_agrees(value: Written, claim: Written, truth: Truth) -> bool:
    """Whether a number in prose agrees with what is true of the claim that it is bound to.

    A single number agrees with either end of a range or the mean of a `±`, and takes the claim's bound.
    """
    if value.form is Form.NOTHING or value.measure.kind != truth.kind:
        return False
    if value.form in SINGLE and claim.form is Form.RANGE:
        return any(allows(value, end) for end in (min(truth.readings), max(truth.readings)))
    if value.form in SINGLE and claim.form is Form.SPREAD:
        return allows(value, truth.mean, rounds=True)
    if value.form in BOUNDS and len(truth.readings) > 1 and not truth.rounds:
        return all(allows(value, each) for each in truth.readings)
    if value.form in SINGLE and claim.form in BOUNDS:
        bound = Written(claim.form, value.numbers, value.measure, value.text)
        return agrees(value, truth) or agrees(bound, truth)
    return agrees(value, truth)
