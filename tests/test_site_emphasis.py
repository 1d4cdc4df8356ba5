"""Where a read value stands in its line of evidence."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.quantity import Flag, Items, NonFinite, Quantity, Text, Units, Value
from stilltrue.site.emphasis import emphasised

UNITS = Units.default()


def quantity(number: str, unit: str = "") -> Quantity:
    return Quantity(Fraction(number), UNITS.parse(unit)) if unit else Quantity(Fraction(number))


@pytest.mark.parametrize(
    ("row", "values", "expected"),
    [
        ("attention,22835.8", [quantity("22835.8")], "attention,<mark>22835.8</mark>"),
        ("took 22,835.8 ms", [quantity("22835.8")], "took <mark>22,835.8</mark> ms"),
        ("loss=2.50e-3;", [quantity("0.0025")], "loss=<mark>2.50e-3</mark>;"),
        ("[100,200,300]", [quantity("200")], "[100,<mark>200</mark>,300]"),
        ("1,5 s", [quantity("1.5")], "<mark>1,5</mark> s"),
        ("delta -3.2", [quantity("-3.2")], "delta -<mark>3.2</mark>"),
        ("layer12 v1.12.3 12", [quantity("12")], "layer12 v1.12.3 <mark>12</mark>"),
        ("50% of 50ms", [quantity("50", "ms")], "50% of <mark>50</mark>ms"),
        ("50 a 50", [quantity("50", "ms")], "<mark>50</mark> a <mark>50</mark>"),
        ("1 2 3", [quantity("3"), quantity("1")], "<mark>1</mark> 2 <mark>3</mark>"),
        ("5/11/17", [Items((quantity("5"), quantity("17")))], "<mark>5</mark>/11/<mark>17</mark>"),
        ('"saved": true,', [Flag(True)], '"saved": <mark>true</mark>,'),
        ('"saved": no', [Flag(False)], '"saved": <mark>no</mark>'),
        ("end: <OOM> [x]", [Text("<OOM> [x]")], "end: <mark>&lt;OOM&gt; [x]</mark>"),
        ("no text here", [Text("")], "no text here"),
        ("31.925ms", [quantity("31925", "µs")], "31.925ms"),
        ("NaN", [NonFinite("NaN")], "NaN"),
        ("1e400 9", [quantity("1e400")], "1e400 9"),
    ],
)
def test_a_value_is_emphasised_where_it_stands(row: str, values: list[Value], expected: str) -> None:
    assert emphasised(row, values) == expected


@settings(deadline=None, max_examples=200)
@given(st.text(), st.lists(st.decimals(allow_nan=False, allow_infinity=False, places=3), max_size=4))
def test_the_line_itself_is_never_changed(row: str, numbers: list[object]) -> None:
    values = [Quantity(Fraction(str(number))) for number in numbers]
    plain = emphasised(row, [])
    assert re.sub(r"</?mark>", "", emphasised(row, values)) == plain
