"""Stated values as people write them, for the property tests of quantities and of agreement."""

from fractions import Fraction

from hypothesis import strategies as st

from stilltrue.errors import InputError
from stilltrue.model import Found
from stilltrue.quantity import Quantity, Stated, Units, Value, parse_stated, parse_value

UNITS = Units.default()

SYMBOLS = [
    "",
    "",
    " ms",
    " %",
    "%",
    "x",
    " GiB",
    " GB",
    " tok/s",
    " s/token^2",
    " USD/h",
    " hours",
    " pp",
    " FLOPs",
]
PREFIXES = ("", "", "", "~", "about ", "exactly ", "at least ", "> ", "≤ ", "less than ")
PLAIN = ("",)
ROUNDED = ("", "~")
MARKS = [("", ""), ("", ""), ("**", "**"), ("`", "`"), ("_", "_"), ("", "*"), ("", "[^1]")]


def stated(text: str) -> Stated:
    return parse_stated(text, UNITS)


def value(text: str, unit: str = "") -> Value:
    return parse_value(text, UNITS, unit=UNITS.parse(unit) if unit else None)


def found(low: str, high: str = "", unit: str = "", *, rounds: bool = False) -> Found:
    one = value(low, unit)
    return Found(one, value(high, unit) if high else one, rounds)


def refusal(text: str) -> InputError:
    try:
        kept = stated(text)
    except InputError as error:
        return error
    raise AssertionError(f"{text!r} was read as {kept}")


def exact(number: Fraction, like: Stated) -> Found:
    quantity = Quantity(number, like.unit)
    return Found(quantity, quantity)


def grouped(digits: int, separator: str) -> str:
    return f"{digits:,}".replace(",", separator)


@st.composite
def numbers(draw: st.DrawFn) -> str:
    sign = draw(st.sampled_from(["", "", "", "-", "−", "+"]))
    whole = grouped(draw(st.integers(0, 10**9)), draw(st.sampled_from(["", ",", "_", "\u202f"])))
    part = draw(st.sampled_from(["", "", "{}"]))
    digits = f"{draw(st.integers(0, 999)):03d}"[: draw(st.integers(1, 3))]
    tail = draw(st.sampled_from(["", "", "", "e18", "e-05", "E+3", " × 10^6", "×10⁻³", "k", "M", " billion"]))
    return sign + whole + (f".{part.format(digits)}" if part else "") + tail


@st.composite
def single_values(draw: st.DrawFn, prefixes: tuple[str, ...] = PREFIXES) -> str:
    before, after = draw(st.sampled_from(MARKS))
    number, symbol = draw(numbers()), draw(st.sampled_from(SYMBOLS))
    gap = " " if number[-1].isalpha() and symbol[:1].isalpha() else ""
    return before + draw(st.sampled_from(prefixes)) + number + gap + symbol + after
