"""Text from files, shown on a terminal and in a CI log."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.report import escape

RUNNER = re.compile(r"^\s*::|##[A-Za-z]*\[", re.MULTILINE)
HOSTILE = st.text(st.sampled_from("a:#[] \t\n\r\x1b\x85\u2028\u202e\u200b\ud800vsoerr")) | st.text()


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("65.2 % of 2,048 × 16", "65.2 % of 2,048 × 16"),
        ("\x1b[31mred\x1b[0m", r"\x1b[31mred\x1b[0m"),
        ("two\nlines\r\n", r"two\nlines\r\n"),
        ("a\tb\x00\x7f", r"a\tb\x00\x7f"),
        ("gnp.\u202etxt\u202c", r"gnp.\u202etxt\u202c"),
        ("one\u2028line\u2029\x85", r"one\u2028line\u2029\x85"),
        ("zero\u200bwidth\ufeff", r"zero\u200bwidth\ufeff"),
        ("hidden \U000e0041 tag", r"hidden \U000e0041 tag"),
        ("not \ud800 utf-8", r"not \ud800 utf-8"),
        ("::error::boo", r"\x3a:error::boo"),
        ("  ::error::boo", r"  \x3a:error::boo"),
        ("std::vector", "std::vector"),
        ("a ##[error] b", r"a \x23#[error] b"),
        ("##vso[task.complete]", r"\x23#vso[task.complete]"),
        ("## Heading", "## Heading"),
        ("Größe 日本語 👩‍🔬", "Größe 日本語 👩‍🔬"),
    ],
)
def test_what_could_deceive_is_shown_as_its_escape(text: str, shown: str) -> None:
    assert escape(text) == shown


@settings(deadline=None)
@given(HOSTILE)
def test_any_text_becomes_one_line_that_no_runner_obeys(text: str) -> None:
    shown = escape(text)
    assert not RUNNER.search(shown)
    assert all(unicodedata.category(sign) not in ("Cc", "Cs", "Zl", "Zp") for sign in shown)
    assert all(unicodedata.bidirectional(sign) not in BIDIRECTIONAL for sign in shown)
    shown.encode("utf-8")


BIDIRECTIONAL = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


@settings(deadline=None)
@given(HOSTILE)
def test_escaping_twice_changes_nothing_more(text: str) -> None:
    assert escape(escape(text)) == escape(text)


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters=":#")))
def test_plain_text_is_left_alone(text: str) -> None:
    assert escape(text) == text
