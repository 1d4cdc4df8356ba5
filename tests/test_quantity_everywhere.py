"""Quantities in sentences: a labelled corpus, and what no text may do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.quantity import Units
from stilltrue.quantity.everywhere import Span, cell_quantities, quantities

CORPUS = Path(__file__).parent / "quantities.txt"
UNITS = Units.default()


def labelled() -> Iterator[tuple[str, list[Span], bool]]:
    """Each sentence, the quantities in it, and whether it is a heading."""
    for line in CORPUS.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        text, spans, start = "", list[Span](), 0
        for part in re.split("([⟦⟧])", line.removeprefix("H ")):
            if part == "⟦":
                start = len(text)
            elif part == "⟧":
                spans.append(Span(start, len(text)))
            else:
                text += part
        yield text, spans, line.startswith("H ")


def test_the_corpus_is_large_and_holds_both_kinds() -> None:
    sentences = list(labelled())
    assert len(sentences) >= 250
    assert sum(len(spans) for _, spans, _ in sentences) >= 150
    assert sum(not spans for _, spans, _ in sentences) >= 100


def test_precision_and_recall_over_the_corpus() -> None:
    right = found_in_all = labelled_in_all = 0
    wrong: list[tuple[str, list[str]]] = []
    for text, spans, heading in labelled():
        found = quantities(text, UNITS, heading=heading)
        right += len(set(found) & set(spans))
        found_in_all += len(found)
        labelled_in_all += len(spans)
        if list(found) != spans:
            wrong.append((text, [text[start:end] for start, end in found]))
    assert right / found_in_all >= 0.99, wrong
    assert right / labelled_in_all >= 0.99, wrong


TABLE = [
    ("25", "Masked", False, "25"),
    ("0", "Masked", False, "0"),
    ("-3", "Change", False, "-3"),
    (" 1,023 ", "Widest row", False, "1,023"),
    ("81.93", "Peak", False, "81.93"),
    ("1,024", "Tokens", True, ""),
    ("3", "Step", True, ""),
    ("8080", "Port", False, ""),
    ("3.12", "Python", False, ""),
    ("2.6", "torch version", False, ""),
    ("2024", "Measured", False, ""),
    ("12 ms", "Step", True, "12 ms"),
    ("at width 256", "Setting", False, "256"),
    ("5.1.2", "Since", False, ""),
    ("no", "Masked", False, ""),
    ("0.03", "Error", False, "0.03"),
]


@pytest.mark.parametrize(("cell", "header", "first", "quantity"), TABLE)
def test_a_bare_number_in_a_cell_is_one_unless_it_names_its_row(
    cell: str, header: str, first: bool, quantity: str
) -> None:
    found = cell_quantities(cell, UNITS, header=header, first=first)
    assert "|".join(cell[start:end] for start, end in found) == quantity


@settings(max_examples=300, deadline=None)
@given(
    st.text(
        st.sampled_from(list("0123456789 .,:/-–−+×x%$€~<>=()[]#^_ekMBsmhGiPythonof\n")) | st.characters(),
        max_size=60,
    ),
    st.booleans(),
)
def test_any_text_gives_spans_in_order_that_hold_a_digit(text: str, heading: bool) -> None:
    found = quantities(text, UNITS, heading=heading)
    assert list(found) == sorted(found)
    assert all(one.end <= other.start for one, other in pairwise(found))
    assert all(0 <= start < end <= len(text) for start, end in found)
    assert all(any(sign.isdigit() for sign in text[start:end]) for start, end in found)


@settings(max_examples=200, deadline=None)
@given(st.integers(13, 10**9), st.sampled_from(["ms", "%", "GiB", "tok/s", "hours"]))
def test_a_number_with_a_measured_unit_is_one_wherever_it_stands(number: int, unit: str) -> None:
    quantity = f"{number:,} {unit}"
    text = f"On Gemma 4 the mean was {quantity}, in line 14 of torch 2.6."
    assert [text[start:end] for start, end in quantities(text, UNITS)] == [quantity]


@pytest.mark.parametrize("piece", ["1 ", "1,", "1/", "1.2.", "1-", "1:1:", "(1", "x1 ", "5 ms ", "a 1 of "])
def test_a_long_text_takes_no_longer_than_its_length(piece: str) -> None:
    """What a reader of a hostile page waits for: every position is looked at a bounded number of times."""
    found = quantities(piece * 4000, UNITS)
    assert len(found) <= 4000
