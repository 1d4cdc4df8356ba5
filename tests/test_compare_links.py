import pytest

from quantity_support import UNITS, found, stated, value
from stilltrue.compare import agree_link
from stilltrue.model import Found
from stilltrue.quantity import Stated, first_quantity, parse_tolerance


def written(text: str) -> Stated:
    quantity = first_quantity(text, UNITS)
    assert quantity is not None
    return quantity


def holds(text: str, claim: str, low: str = "", high: str = "", tolerance: str = "") -> bool:
    reach = parse_tolerance(tolerance, UNITS) if tolerance else None
    return agree_link(written(text), stated(claim), found(low, high) if low else None, reach).agrees


@pytest.mark.parametrize(
    ("text", "claim", "low", "agrees"),
    [
        ("65.2 %", "65.2 %", "0.6522", True),
        ("65 %", "65.2 %", "0.6522", True),
        ("66 %", "65.2 %", "0.6522", False),
        ("22.8 s", "22,835.8 ms", "22835.8 ms", True),
        ("about 65 %", "65.2 %", "0.6522", True),
        ("more than 60 %", "65.2 %", "0.6522", True),
        ("more than 66 %", "65.2 %", "0.6522", False),
        ("65.2", "65.2 %", "0.6522", False),
        ("205", "205 target modules", "205", True),
        ("5/11/17", "5/11/17", "5/11/17", True),
        ("5/11", "5/11/17", "5/11/17", False),
    ],
)
def test_the_number_agrees_at_the_digits_written_in_the_link(
    text: str, claim: str, low: str, agrees: bool
) -> None:
    assert holds(text, claim, low) is agrees


def test_the_bound_of_the_claim_applies() -> None:
    assert holds("35.5 %", "at least 35.5 %", "0.362")
    assert holds("35 %", "at least 35.5 %", "0.362")
    assert holds("36 %", "at least 35.5 %", "0.362")
    assert not holds("37 %", "at least 35.5 %", "0.362")
    assert not holds("less than 35.5 %", "at least 35.5 %", "0.362")


def test_the_tolerance_of_the_claim_applies() -> None:
    assert holds("100 ms", "100 ms", "101.9 ms", tolerance="2 %")
    assert not holds("100 ms", "100 ms", "102.1 ms", tolerance="2 %")
    assert holds("about 100 ms", "100 ms", "101.9 ms", tolerance="2 %")
    assert holds("102 ms", "100 ms", "101.9 ms", tolerance="2 %")
    assert not holds("more than 102 ms", "100 ms", "101.9 ms", tolerance="2 %")


def test_a_single_number_agrees_with_either_end_of_a_range() -> None:
    for text in ("22 %", "43 %", "22-43 %", "~43 %"):
        assert holds(text, "22-43 %", "0.222", "0.428")
    for text in ("30 %", "22-44 %"):
        assert not holds(text, "22-43 %", "0.222", "0.428")


def test_a_single_number_agrees_with_the_mean_of_a_spread() -> None:
    spread = Found(value("0.1"), value("0.14"), spread=(value("0.1204"), value("0.0195")))
    claim = stated("0.120 ± 0.020")
    for text, agrees in (
        ("0.12", True),
        ("0.120", True),
        ("0.02", False),
        ("0.120 ± 0.020", True),
        ("0.1 ± 0.1", False),
    ):
        assert agree_link(written(text), claim, spread, None).agrees is agrees


@pytest.mark.parametrize(
    ("text", "claim", "agrees"),
    [
        ("65.2 %", "65.2 %", True),
        ("65 %", "65.2 %", True),
        ("65.23 %", "65.2 %", False),
        ("66 %", "65.2 %", False),
        ("1,024", "1,024", True),
        ("22 %", "22-43 %", True),
        ("22-43 %", "22-43 %", True),
        ("30 %", "22-43 %", False),
        ("0.12", "0.120 ± 0.020", True),
        ("0.120 ± 0.020", "0.120 ± 0.020", True),
        ("35.5 %", "at least 35.5 %", True),
        ("at least 35.5 %", "at least 35.5 %", True),
        ("36 %", "at least 35.5 %", True),
        ("37 %", "at least 35.5 %", False),
        ("at most 35.5 %", "at least 35.5 %", False),
        ("~14 GiB", "~14 GiB", True),
        ("5/11", "5/11", True),
        ("4.3 h", "exactly 4.3 h", True),
    ],
)
def test_with_nothing_found_it_agrees_with_stated(text: str, claim: str, agrees: bool) -> None:
    assert holds(text, claim) is agrees


def test_a_tolerance_applies_to_stated_alone_too() -> None:
    assert holds("101 ms", "100 ms", tolerance="2 %")
    assert not holds("103 ms", "100 ms", tolerance="2 %")


def test_a_quantity_in_the_link_to_a_text_is_part_of_it() -> None:
    claim = stated("out of memory at 14 GiB and more")
    assert agree_link(written("14 GiB"), claim, None, None).agrees
    assert not agree_link(written("15 GiB"), claim, None, None).agrees


def test_disagreement_says_what_to_do() -> None:
    agreement = agree_link(written("3 times at 65.2 %"), stated("65.2 %"), found("0.652"), None)
    assert agreement.code == "link-disagrees"
    assert "alone" in agreement.hint
    bare = agree_link(written("22.8"), stated("22.8 s"), found("22.8 s"), None)
    assert "unit inside the link" in bare.hint
