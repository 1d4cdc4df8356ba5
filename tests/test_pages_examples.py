"""Marks of worked examples: which lines they cover, and what is wrong with some."""

from __future__ import annotations

import pytest

from stilltrue.pages.examples import find_marks
from stilltrue.pages.scanner import Scan

ONE = "<!-- stilltrue: example -->"
ALL = "<!-- stilltrue: examples -->"


def covered(text: str) -> list[tuple[int, int]]:
    marks = find_marks(Scan.of("a.md", text))
    assert not any(mark.wrong for mark in marks)
    return [(mark.first, mark.last) for mark in marks]


BLOCKS = {
    "a paragraph": (f"a\n\n{ONE}\nb\nc\n\nd\n", (4, 5)),
    "a paragraph after a blank line": (f"{ONE}\n\nb\n\nc\n", (3, 3)),
    "a paragraph at the end": (f"{ONE}\nb", (2, 2)),
    "a list with its parts": (f"{ONE}\n* a\n\n* b\n\n    c\n\n  d\n\nx\n", (2, 8)),
    "a numbered list": (f"{ONE}\n1. a\n\n2. b\n\nx\n", (2, 4)),
    "a table": (f"{ONE}\n| a | b |\n|---|---|\n| 1 | 2 |\n\nx\n", (2, 4)),
    "a box": (f'{ONE}\n!!! note "T"\n    a\n\n    b\n\nx\n', (2, 5)),
    "a quote": (f"{ONE}\n> a\n>\n> b\n\nx\n", (2, 4)),
    "a definition": (f"{ONE}\nTerm\n:   a\n\n    b\n\nx\n", (2, 5)),
    "a section": (f"## A\n{ALL}\n\na\n\n### B\n\nb\n\n## C\n\nc\n", (1, 9)),
    "a section after a blank line": (f"# A\n\n{ALL}\n\na\n\n## B\n\nb\n", (1, 10)),
    "a section whose heading is underlined": (f"A\n---\n{ALL}\n\na\n\nB\n---\n\nb\n", (1, 6)),
    "a section that holds a fence": (f"## A\n{ALL}\n\n```\n# no\n```\n\na\n\n## B\n", (1, 9)),
    "a block in a quote": (f"> x\n>\n> {ONE}\n> a\n\nb\n", (4, 4)),
}


@pytest.mark.parametrize("name", BLOCKS)
def test_a_mark_covers_the_block_or_the_section_that_it_opens(name: str) -> None:
    text, expected = BLOCKS[name]
    (found,) = covered(text)
    if name == "a section after a blank line":
        assert found[0] == 1
        assert found[1] >= 9
    else:
        assert found == expected


@pytest.mark.parametrize("because", ["because it is round", "because: the -- sum", "because\tso"])
def test_a_mark_may_say_why(because: str) -> None:
    (mark,) = find_marks(Scan.of("a.md", f"<!-- stilltrue: example {because} -->\na\n"))
    assert (mark.wrong == "") is (":" not in because)


WRONG = {
    "not alone on its line": f"a {ONE} b",
    "more behind it": "<!-- stilltrue: example of it -->\na",
    "a section without a heading": f"a\n\n{ALL}\n\nb\n",
    "a section's mark not right under it": f"## A\n\na\n\n{ALL}\n\nb\n",
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mark_that_stands_wrong_covers_nothing_and_says_why(name: str) -> None:
    (mark,) = find_marks(Scan.of("a.md", WRONG[name]))
    assert mark.wrong


@pytest.mark.parametrize(
    "text",
    [
        "```\n" + ONE + "\n```\n",
        "Text\n\n    " + ONE + "\n",
        f"Write `{ONE}` there.",
        "<!-- stilltrue: keep -->\n",
    ],
    ids=["fenced", "indented", "inline code", "another mark"],
)
def test_what_is_shown_as_code_or_belongs_to_others_is_no_mark(text: str) -> None:
    assert find_marks(Scan.of("a.md", text)) == ()


def test_a_mark_above_a_heading_or_at_the_end_covers_no_line() -> None:
    for text in (f"{ONE}\n## A\n\na\n", f"a\n\n{ONE}\n"):
        (mark,) = find_marks(Scan.of("a.md", text))
        assert mark.last < mark.first
