"""Quantities exchanged in raw Markdown, and cells that keep the width of their column."""

from __future__ import annotations

import pytest

from stilltrue.edit.raw import exchanged, fitted
from stilltrue.edit.rewording import Rewording
from stilltrue.pages.tables import read_cell


def shown(text: str) -> str:
    return read_cell(text, {}).text


@pytest.mark.parametrize(
    ("raw", "old", "new", "pieces", "after"),
    [
        ("**5** ms", "5 ms", "6 ms", (("5", "6"),), "**6** ms"),
        ("5 of 5 ms", "5 of 5 ms", "5 of 6 ms", (("5", "6"),), "5 of 6 ms"),
        ("<b title='5'>5</b> ms", "5 ms", "6 ms", (("5", "6"),), "<b title='5'>6</b> ms"),
        ("5 - 7", "5 - 7", "5 - 8", (("5", "5"), ("7", "8")), "5 - 8"),
        ("1&nbsp;234 567", "1 234 567", "2 345 678", (("1 234 567", "2 345 678"),), "2&nbsp;345&nbsp;678"),
        ("&#53; ms", "5 ms", "6 ms", (("5", "6"),), None),
        ("5 ms", "5 ms", "5 ms", (("5", "5"),), None),
        ("x", "5 ms", "6 ms", (("5", "6"),), None),
    ],
)
def test_the_number_that_a_reader_sees_is_exchanged(
    raw: str, old: str, new: str, pieces: tuple[tuple[str, str], ...], after: str | None
) -> None:
    assert exchanged(raw, Rewording(old, new, pieces), shown) == after


@pytest.mark.parametrize(
    ("column", "core", "after"),
    [
        ([" A    ", "------", " 5 ms "], "12 ms", " 12 ms "),
        ([" A     ", "-------", " 5 ms  "], "12 ms", " 12 ms "),
        ([" A     ", "-------", " 5 ms  "], "7", " 7     "),
        (["     A ", "------:", "  5 ms "], "12 ms", " 12 ms "),
        (["     A ", "------:", "  5 ms "], "7", "     7 "),
        (["A", "---", "5 ms"], "12 ms", "12 ms"),
        (["A", "---", "5 ms"], "7", "7"),
        ([" A ", "---", " 5 ms "], "7", " 7 "),
        ([" A ", "---", " 5 ms    "], "12 ms", " 12 ms   "),
        ([" A ", "---", " 5 ms ", " 7 ms "], "12 ms", " 12 ms "),
        ([" A ", "---", " 5 ms ", " 7 ms "], "7", " 7    "),
        ([" A  ", "----", "5 ms"], "7", "7   "),
    ],
)
def test_blanks_are_given_or_taken_where_the_column_has_room(
    column: list[str], core: str, after: str
) -> None:
    assert fitted(column[2], core, column) == after
