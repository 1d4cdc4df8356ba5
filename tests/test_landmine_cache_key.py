"""A cache whose key leaves the mask out serves the wrong labels; the guard asks the key, and can fail."""

from __future__ import annotations

from dataclasses import asdict, fields, replace
from typing import Any

import pytest

import cache_key
from cache_key import ALTERED, FIRST, KEYS, SECOND, Inputs, Span, Turn, all_at_once, digest, encode, guard
from probe_parts.guards import stops
from probe_support import assert_refused, document_of

FIELDS = [field.name for field in fields(Inputs)]


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    return document_of(cache_key, [])


def by_hand(inputs: Inputs) -> list[list[bool]]:
    """Of each token whether the loss counts on it: reckoned over words, and cut at the end."""
    rows = []
    for number, turns in enumerate(inputs.dialogues):
        said = [turn.role == "assistant" for turn in turns for _ in turn.words.split(" ")]
        for which, first, end in inputs.mask:
            if which == number:
                said[first:end] = [False] * (end - first)
        rows.append(said[: inputs.window])
    return rows


def leaving_out(name: str) -> cache_key.Key:
    return lambda inputs: digest({field: value for field, value in asdict(inputs).items() if field != name})


# The trap, and the sound version -----------------------------------------------------------------------


def test_the_trap_serves_as_many_rows_and_tokens_with_other_labels(found: dict[str, Any]) -> None:
    trap, served, asked = found["trap"], by_hand(FIRST), by_hand(SECOND)
    assert trap["hit"] is True
    assert trap["rows"] == trap["rows_right"] == len(asked)
    assert trap["tokens"] == trap["tokens_right"] == sum(map(len, asked))
    assert trap["supervised"] == [sum(row) for row in served] == [8, 8]
    assert trap["supervised_right"] == [sum(row) for row in asked] == [7, 5]
    differ = sum(
        a != b for one, other in zip(served, asked, strict=True) for a, b in zip(one, other, strict=True)
    )
    assert trap["wrong"] == differ == 4


def test_the_manifest_of_the_trap_names_a_mask_that_the_rows_never_saw(found: dict[str, Any]) -> None:
    assert found["trap"]["manifest_names_its_own_mask"] is True
    assert found["trap"]["encoded_with_its_own_mask"] is False


def test_the_sound_key_encodes_afresh_and_hits_the_second_time(found: dict[str, Any]) -> None:
    sound = found["sound"]
    assert (sound["hit"], sound["wrong"], sound["supervised"]) == (False, 0, [7, 5])
    assert sound["manifest_names_its_own_mask"] is sound["encoded_with_its_own_mask"] is True
    assert [rule["hit_again"] for rule in found["keys"] if rule["key"] == "mask by content"] == [True]


def test_one_row_encoded_afresh_tells_the_two_apart(found: dict[str, Any]) -> None:
    assert found["trap"]["first_row_encoded_afresh_is_equal"] is False
    assert found["sound"]["first_row_encoded_afresh_is_equal"] is True


def test_rows_are_cut_at_the_window_and_strange_words_are_token_0() -> None:
    inputs = Inputs(((Turn("user", "a x"), Turn("assistant", "b a b")),), (Span(0, 3, 4),), 4, ("a", "b"))
    assert encode(inputs) == [([1, 0, 2, 1], [-100, -100, 2, -100])]


# The guard ---------------------------------------------------------------------------------------------


def test_every_input_has_another_value_to_be_altered_to_that_changes_the_rows() -> None:
    for name in FIELDS:
        assert encode(replace(FIRST, **{name: getattr(ALTERED, name)})) != encode(FIRST) or name == "window"


@pytest.mark.parametrize("name", FIELDS)
def test_the_guard_stops_a_key_that_leaves_any_one_input_out(name: str) -> None:
    assert stops(guard, leaving_out(name))
    assert not stops(all_at_once, leaving_out(name))


@pytest.mark.parametrize(
    ("name", "stopped"),
    [
        ("without the mask", True),
        ("mask by file name", True),
        ("mask by content", False),
        ("content and time", True),
    ],
)
def test_the_guard_stops_what_is_wrong_and_nothing_else(name: str, stopped: bool) -> None:
    assert stops(guard, KEYS[name]) is stopped


def test_the_guard_stops_and_passes(found: dict[str, Any]) -> None:
    assert found["guard"] == {"stops": True, "passes": True}


@pytest.mark.parametrize(
    ("plant", "said"), [("no-guard", "stops"), ("refuse-all", "passes"), ("all-at-once", "stops")]
)
def test_a_broken_guard_is_noticed(plant: str, said: str) -> None:
    assert document_of(cache_key, ["--plant", plant])["guard"][said] is False


def test_an_unknown_fault_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert_refused(cache_key, ["--plant", "none-such"], "invalid choice: 'none-such'", capsys)
