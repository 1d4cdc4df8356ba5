"""The slips that people and scripts make: each gives a wrong spelling of a right one, where it can."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from wrong_numbers_support import (
    BOUNDS,
    CLOCK,
    OTHERS,
    PREFIXES,
    TAILS,
    UPWARD,
    Digits,
    Form,
    Measure,
    Truth,
    Written,
    written,
)

Slip = Callable[[random.Random, Written, Truth], "Written | None"]


def _redo(value: Written, at: int, digits: Digits, measure: Measure | None = None) -> Written:
    """The value with one number exchanged, its words kept."""
    old = value.numbers[at].text
    start = value.text.rfind(old) if at else value.text.find(old)
    numbers = tuple(digits if place == at else each for place, each in enumerate(value.numbers))
    text = value.text[:start] + digits.text + value.text[start + len(old) :]
    own = value.measure
    if measure is not None:
        text = text.replace(own.before, "", 1) if own.before else text
        text = text.removesuffix(own.after)
        sign = digits.minus if measure.before and digits.mantissa < 0 else ""
        text = text.replace(
            sign + digits.text.removeprefix(sign), sign + measure.before + digits.text.removeprefix(sign), 1
        )
        text += measure.after
    return Written(value.form, numbers, measure or own, text)


def _number_slip(change: Callable[[random.Random, Digits, Written, Truth], Digits | None]) -> Slip:
    def slip(rng: random.Random, value: Written, truth: Truth) -> Written | None:
        at = rng.randrange(len(value.numbers))
        digits = change(rng, value.numbers[at], value, truth)
        return None if digits is None else _redo(value, at, digits)

    return slip


def _mantissa_slip(change: Callable[[random.Random, str], str]) -> Slip:
    def changed(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
        mantissa = int(change(rng, str(abs(digits.mantissa))) or "0")
        return replace(digits, mantissa=-mantissa if digits.mantissa < 0 else mantissa)

    return _number_slip(changed)


def _swapped(rng: random.Random, text: str) -> str:
    at = rng.randrange(max(1, len(text) - 1))
    return text[:at] + text[at : at + 2][::-1] + text[at + 2 :]


def _another_digit(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[:at] + rng.choice("0123456789") + text[at + 1 :]


def _dropped(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[:at] + text[at + 1 :]


def _doubled(rng: random.Random, text: str) -> str:
    at = rng.randrange(len(text))
    return text[: at + 1] + text[at:]


def _last_digit(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
    return replace(digits, mantissa=digits.mantissa + rng.choice([-2, -1, -1, 1, 1, 2]))


def _tens(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
    by = rng.choice([1, 2, 3])
    if rng.random() < 0.5 or digits.colons:
        return replace(digits, mantissa=digits.mantissa * 10**by)
    return replace(digits, decimals=digits.decimals + by)


def _thousands(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
    factor = Fraction(1024, 1000) ** rng.choice([-4, -3, -2, -1, 1, 2, 3, 4])
    return replace(digits, mantissa=round(digits.mantissa * factor))


def _zero_more(_rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits | None:
    """A digit that was not measured: `65.2` written `65.20`."""
    if digits.colons:
        return None
    return replace(digits, mantissa=digits.mantissa * 10, decimals=digits.decimals + 1)


def _wrong_way(rng: random.Random, digits: Digits, value: Written, truth: Truth) -> Digits | None:
    """Rounded down where it should be up, and the other way, to fewer or to as many digits."""
    fewer = rng.choice([0, 1]) if digits.decimals and not digits.colons else 0
    coarse = replace(digits, decimals=digits.decimals - fewer)
    exact = truth.mean / value.measure.scale / coarse.ulp
    return replace(
        coarse, mantissa=rng.choice([floor(exact), ceil(exact), floor(exact) - 1, ceil(exact) + 1])
    )


def _negated(_rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
    return replace(digits, mantissa=-digits.mantissa)


def _old_run(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
    return replace(digits, mantissa=round(digits.mantissa * Fraction(rng.randint(50, 200), 100)) + 1)


def _neighbour(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits:
    size = len(str(abs(digits.mantissa)))
    return replace(digits, mantissa=rng.randint(1, 10**size))


def _other_power(rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits | None:
    if not digits.tail:
        return None
    power = rng.choice([each for each in TAILS if each != digits.power])
    return replace(digits, power=power, tail=rng.choice(TAILS[power]))


def _comma_for_point(_rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits | None:
    """`2.396` written `2,396`, which says two thousand."""
    if digits.decimals != 3 or not 1000 <= abs(digits.mantissa) < 1_000_000:
        return None
    return replace(digits, decimals=0, separator=",")


def _point_for_comma(_rng: random.Random, digits: Digits, _value: Written, _truth: Truth) -> Digits | None:
    """`2,396` written `2.396`."""
    if digits.decimals or digits.tail or digits.colons or not 1000 <= abs(digits.mantissa) < 1_000_000:
        return None
    return replace(digits, decimals=3, separator="")


def _reciprocal(rng: random.Random, digits: Digits, value: Written, truth: Truth) -> Digits | None:
    """A speed-up stated for a share, seconds per token for tokens per second."""
    found = truth.mean / value.measure.scale
    return replace(digits, mantissa=round(1 / found / digits.ulp)) if found and rng.random() < 0.8 else None


def _other_unit(rng: random.Random, value: Written, _truth: Truth) -> Written | None:
    digits = value.numbers[0]
    if digits.colons or len(value.numbers) > 1:
        return None
    own = value.measure
    related = [each for each in OTHERS if each.kind == own.kind and each.scale != own.scale]
    measure = rng.choice(related if related and rng.random() < 0.75 else OTHERS)
    letters = digits.tail[-1:].isalpha() and measure.after[:1].isalpha()
    return None if letters else _redo(value, 0, digits, measure)


def _other_clock(_rng: random.Random, value: Written, _truth: Truth) -> Written | None:
    """Minutes and seconds for hours and minutes: `15:00` for 15 h."""
    digits = value.numbers[0]
    if (
        len(value.numbers) > 1
        or digits.decimals
        or digits.tail
        or digits.mantissa < 0
        or value.measure.before
    ):
        return None
    minutes = digits.mantissa % 6000
    text = f"{minutes}:00"
    clock = Digits(minutes * 60, colons=1)
    return Written(
        value.form, (clock,), CLOCK, value.text.replace(digits.text + value.measure.after, text, 1)
    )


def _other_bound(rng: random.Random, value: Written, truth: Truth) -> Written | None:
    if value.form not in BOUNDS:
        return None
    digits = value.numbers[0]
    if rng.random() < 0.5:
        form = rng.choice(BOUNDS)
        return written(form, value.numbers, value.measure, rng.choice(PREFIXES[form]))
    exact = truth.mean / value.measure.scale / digits.ulp
    past = replace(digits, mantissa=floor(exact) + 1 if value.form in UPWARD else ceil(exact) - 1)
    return written(value.form, (past,), value.measure, rng.choice(PREFIXES[value.form]))


def _exactly(rng: random.Random, value: Written, _truth: Truth) -> Written | None:
    if value.form not in (Form.NUMBER, Form.ABOUT):
        return None
    form = Form.EXACTLY if rng.random() < 0.5 else Form.NUMBER
    return written(form, value.numbers, value.measure, rng.choice(PREFIXES[form]))


def _turned(_rng: random.Random, value: Written, _truth: Truth) -> Written | None:
    """A range that runs backwards."""
    if value.form is not Form.RANGE:
        return None
    first, second = value.numbers
    text = (
        value.text.replace(first.text, "\0", 1).replace(second.text, first.text, 1).replace("\0", second.text)
    )
    return Written(Form.NOTHING, value.numbers, value.measure, text)


def _malformed(rng: random.Random, value: Written, _truth: Truth) -> Written | None:
    """Separators and points where nobody puts them; a value says nothing then."""
    at = rng.randrange(len(value.numbers))
    digits = value.numbers[at]
    bad = rng.choice(_BAD)(digits)
    if bad is None or digits.colons or digits.text == bad:
        return None
    return Written(Form.NOTHING, value.numbers, value.measure, value.text.replace(digits.text, bad, 1))


def _decimal_comma(digits: Digits) -> str | None:
    if not digits.decimals or (
        digits.decimals == 3 and digits.text.split(".")[0].strip("-−") not in ("", "0")
    ):
        return None
    return digits.text.replace(",", ".").replace("_", ".")[::-1].replace(".", ",", 1)[::-1]


def _misplaced(digits: Digits) -> str | None:
    text = replace(digits, separator="").text
    whole = text.split(".")[0].lstrip("-−")
    if len(whole) < 4 or (digits.decimals == 0 and digits.tail):
        return None
    start = text.index(whole)
    return f"{text[:start]}{whole[:-2]},{whole[-2:]}{text[start + len(whole) :]}"


def _two_points(digits: Digits) -> str | None:
    return digits.text.replace(".", "..", 1) if digits.decimals else None


def _point_after(digits: Digits) -> str | None:
    return digits.text + ".1" if digits.decimals and not digits.tail else None


def _other_script(digits: Digits) -> str | None:
    last = digits.text[-1]
    return digits.text[:-1] + chr(0xFF10 + int(last)) if last.isascii() and last.isdigit() else None


_BAD = (_decimal_comma, _misplaced, _two_points, _point_after, _other_script)

SLIPS: dict[str, Slip] = {
    "last digit": _number_slip(_last_digit),
    "swapped digits": _mantissa_slip(_swapped),
    "another digit": _mantissa_slip(_another_digit),
    "dropped digit": _mantissa_slip(_dropped),
    "doubled digit": _mantissa_slip(_doubled),
    "powers of ten": _number_slip(_tens),
    "1024 for 1000": _number_slip(_thousands),
    "a digit too many": _number_slip(_zero_more),
    "rounded the wrong way": _number_slip(_wrong_way),
    "another sign": _number_slip(_negated),
    "an old run": _number_slip(_old_run),
    "the row beside it": _number_slip(_neighbour),
    "another power": _number_slip(_other_power),
    "comma for point": _number_slip(_comma_for_point),
    "point for comma": _number_slip(_point_for_comma),
    "the reciprocal": _number_slip(_reciprocal),
    "another unit": _other_unit,
    "another clock": _other_clock,
    "another bound": _other_bound,
    "exactly": _exactly,
    "backwards": _turned,
    "malformed": _malformed,
}
