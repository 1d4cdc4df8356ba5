"""Where YAML writes a claim's value, and how another is written in its place."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.claims.compose import compose
from stilltrue.claims.nodes import Mapping, Scalar
from stilltrue.claims.spans import restated, value_spans


def put(text: str, name: str, value: str) -> str:
    """A text in which a claim states another value."""
    placed = restated(text, name, value)
    assert placed is not None
    span, written = placed
    lines = text.split("\n")
    lines[span.line] = lines[span.line][: span.start] + written + lines[span.line][span.end :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("written", "after"),
    [
        ("5 ms", '"> 6 ms"'),
        ("'5 ms'", "'> 6 ms'"),
        ('"5 ms"', '"> 6 ms"'),
        ("5 ms  # slow", '"> 6 ms"  # slow'),
        ("|\n  5 ms", "|\n  > 6 ms"),
        (">-\n    5 ms", ">-\n    > 6 ms"),
        ("\n  5 ms", '\n  "> 6 ms"'),
    ],
)
def test_the_authors_way_of_writing_is_kept_or_gets_quotes(written: str, after: str) -> None:
    text = f"id: é\nsays: '𝄞 {{value}}'\nvalue: {written}\nread: {{value: 7, id: other}}\n"
    assert put(text, "é", "> 6 ms") == text.replace(f"value: {written}", f"value: {after}", 1)


def test_each_claim_of_a_list_has_its_own() -> None:
    text = "# two\n- id: a\n  value: 1 ms\n- {value: '2 ms', id: b, more: [id, value]}\n- just text\n"
    spans = value_spans(text)
    assert {name: text.split("\n")[s.line][s.start : s.end] for name, s in spans.items()} == {
        "a": "1 ms",
        "b": "'2 ms'",
    }
    assert put(text, "b", "3, 4") == text.replace("'2 ms'", "'3, 4'")


@pytest.mark.parametrize("value", ['5 "ms"', "5 'ms'", "a\\b"])
def test_quotes_inside_are_written_so_that_they_are_read_back(value: str) -> None:
    for text in ('id: a\nvalue: "1"\n', "id: a\nvalue: '1'\n", "id: a\nvalue: x\n"):
        node = compose(put(text, "a", value))
        assert isinstance(node, Mapping)
        assert node.entries["value"] == Scalar(value, 1)


@pytest.mark.parametrize(
    "text", ["id: a\nvalue: 5\n  ms\n", "id: a\n", "id: a\nvalue: [", "value: 5\n", "- a\n", ""]
)
def test_what_cannot_be_placed_is_not(text: str) -> None:
    assert restated(text, "a", "6 ms") is None


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(["{}", "'{}'", '"{}"', "|\n    {}", "{}   # why"]),
    st.text(st.sampled_from("5.6 :#{}[]'\"\\,>~%-&*é!?|@`"), min_size=1, max_size=9)
    .map(str.strip)
    .filter(bool),
)
def test_any_text_is_read_back_as_it_was_put(written: str, value: str) -> None:
    text = f"id: a\nvalue: {written.format('5 ms')}\nsays: x\n"
    placed = restated(text, "a", value)
    if placed is None:
        return
    node = compose(put(text, "a", value))
    assert isinstance(node, Mapping)
    found = node.entries["value"]
    assert isinstance(found, Scalar)
    assert found.text == value
    assert list(node.entries) == ["id", "value", "says"]
