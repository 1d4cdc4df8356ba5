import pytest

from quantity_support import UNITS, found, stated, value
from stilltrue.compare import agree_link
from stilltrue.model import Found
from stilltrue.quantity import Stated, Text, first_quantity, parse_tolerance


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


@pytest.mark.parametrize(
    ("link", "agrees"),
    [
        ("OOM at 14", True),
        ("**OOM at  14**", True),
        ("OOM\nat `14`", True),
        ("4", False),
        ("14", False),
        ("OOM at 15", False),
        ("oom at 14", False),
    ],
)
def test_a_link_to_a_text_agrees_when_it_is_that_text_as_a_whole(link: str, agrees: bool) -> None:
    claim, text = stated("OOM at 14"), Text("OOM at 14")
    for was in (None, Found(text, text)):
        assert agree_link(written(link), claim, was, None, link).agrees is agrees


def test_a_link_to_a_text_is_held_against_what_was_found() -> None:
    claim, text = stated("OOM at 14"), Text("OOM at 16")
    was = Found(text, text)
    assert not agree_link(written("OOM at 14"), claim, was, None, "OOM at 14").agrees
    assert agree_link(written("OOM at 16"), claim, was, None, "OOM at 16").agrees
    number = found("14 GiB")
    assert agree_link(written("14 GiB"), claim, number, None, "14 GiB").agrees
    assert not agree_link(written("OOM at 14"), claim, number, None, "OOM at 14").agrees


def test_a_quantity_never_agrees_with_a_part_of_a_text() -> None:
    assert not agree_link(written("12"), stated("cu128"), None, None).agrees
    assert not agree_link(written("14 GiB"), stated("out of memory at 14 GiB"), None, None).agrees


@pytest.mark.parametrize(
    ("claim", "low", "links"),
    [
        (
            "65.2 %",
            "0.652",
            "66,5 %|65,2 %|0,66|66-percent|share:66 %|–66 %|–65.2 %|#66 %|66.6.6 %|65.2.0 %|66pct|66%5",
        ),
        ("5 s", "5 s", "6-second step|6-s|6,0 s|5,0 s|5 secnds|5 S"),
        ("1,024", "1024", "1,02|10,25|1025-token|1,0240|#1,025|count:1025|1'024|_1,025_"),
        ("15:00", "900 s", "16:00h|16:00 h|15:00h|16:00"),
        ("5", "5", "5..1|5,1|5 secnds|5:1|5^2|5-6-7"),
        ("5 tok/s", "5 tok/s", "5 tokk/s|5 tok/S|6 tok/s"),
    ],
)
def test_a_wrong_or_mistyped_number_never_passes(claim: str, low: str, links: str) -> None:
    for link in links.split("|"):
        for was in (found(low), None):
            agreement = agree_link(written(link), stated(claim), was, None, link)
            assert not agreement.agrees, link
            assert agreement.code == "link-disagrees"
            assert agreement.hint


def test_a_right_number_passes_however_it_is_glued() -> None:
    for claim, low, links in (
        ("65.2 %", "0.652", "65.2-percent|65-percent|share:65.2 %|share–65 %|#65.2 %|_65.2 %_"),
        ("5 s", "5 s", "5-second step|5-s"),
        ("1,024", "1024", "1,024-token|1024-token|count:1,024"),
    ):
        for link in links.split("|"):
            assert agree_link(written(link), stated(claim), found(low), None, link).agrees, link


def test_the_hint_of_a_mistyped_number_names_it() -> None:
    agreement = agree_link(written("66,5 %"), stated("65.2 %"), found("0.652"), None)
    assert "`66,5 %` is no number that is understood" in agreement.hint


def test_disagreement_says_what_to_do() -> None:
    agreement = agree_link(written("3 times at 65.2 %"), stated("65.2 %"), found("0.652"), None)
    assert agreement.code == "link-disagrees"
    assert "alone" in agreement.hint
    bare = agree_link(written("22.8"), stated("22.8 s"), found("22.8 s"), None)
    assert "unit inside the link" in bare.hint


def test_a_reading_without_a_unit_is_told_to_be_given_one() -> None:
    said = agree_link(written("437.5 MiB"), stated("458,776,592"), found("458776592"), None).hint
    assert said.startswith("give the read the unit that the evidence counts in")
    other = agree_link(written("22.8 GiB"), stated("22,835.8 ms"), found("22835.8 ms"), None).hint
    assert other.startswith("correct the number")
