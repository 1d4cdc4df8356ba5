"""What a reader reads on a page, and where each sign of it is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.pages.passages import Kind, Passages
from stilltrue.pages.visible import CODE


def read(text: str) -> list[tuple[str, str]]:
    """Each passage, its kind and its text without the blanks around it."""
    return [(each.kind.value, each.text.strip()) for each in Passages("a.md", text)]


SHOWN = {
    "a paragraph over two lines": ("It takes 5\nms here.", [("prose", "It takes 5 ms here.")]),
    "a heading": ("## The 205 modules", [("heading", "The 205 modules")]),
    "a heading with a line under it": ("The 205 modules\n====\n", [("heading", "The 205 modules")]),
    "bold inside a number": ("It takes **65.2** % of it", [("prose", "It takes 65.2 % of it")]),
    "a link's target is left out": ("Takes [22 s](http://a.b/30-ms) now", [("prose", "Takes 22 s now")]),
    "a link by reference": ("Takes [22 s][run-9] now\n\n[run-9]: http://a/40", [("prose", "Takes 22 s now")]),
    "an escaped sign": (r"It takes 5 \* of 20", [("prose", "It takes 5 * of 20")]),
    "an entity": ("It takes 5&nbsp;ms", [("prose", "It takes 5\u00a0ms")]),
    "code is one sign": ("Say `x = 12` or ``30 ms`` 4", [("prose", f"Say {CODE} or {CODE} 4")]),
    "an address": ("See https://a.b/30/ms and <http://c/40> 5", [("prose", f"See {CODE} and {CODE} 5")]),
    "an image's alternative text": ("![All 205 modules](img/9.png)", [("prose", "All 205 modules")]),
    "that of an image in HTML": ('An <img src="9.png" alt="205 modules"> 3', [("prose", "An 205 modules 3")]),
    "a tag's attributes are left out": ('<span data-n="30">22 s</span>', [("prose", "22 s")]),
    "a comment is left out": ("Takes <!-- 30 --> 22 s", [("prose", "Takes  22 s")]),
    "attributes are left out": ("Takes 22 s {: .n30 }", [("prose", "Takes 22 s")]),
    "the title of a box": ('!!! note "The 205 modules"\n    body\n', [("prose", "The 205 modules")]),
    "the body of a box": ("!!! note\n    22 s\n", [("prose", "22 s")]),
    "a footnote": ("It[^1]\n\n[^1]: takes 22 s", [("prose", "It"), ("prose", "takes 22 s")]),
    "a definition": ("Time\n:   22 s\n", [("prose", "22 s")]),
    "a quote": ("> takes 22 s\n", [("prose", "takes 22 s")]),
    "the number of a list": ("14. takes 22 s\n", [("prose", "takes 22 s")]),
    "raw HTML": ("<div>\n<td>22 s</td>\n</div>\n", [("prose", "22 s")]),
    "a script is not read": ("<script>\nvar a = 22\n</script>\n", []),
    "fenced code is not read": ("```\n22 s\n```\n", []),
    "indented code is not read": ("Text\n\n    22 s\n", []),
    "front matter is not read": ("---\nversion: 22\n---\nText\n", []),
    "a fence inside a paragraph": ("- a 22 s\n\n    ```\n    30\n    ```\n\n    b 33\n",
        [("prose", "a 22 s"), ("prose", "b 33")]),
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_a_passage_is_what_a_reader_sees(name: str) -> None:
    text, expected = SHOWN[name]
    assert [each for each in read(text) if any(sign.isdigit() for sign in each[1]) or each in expected] == (
        expected
    )


def test_a_table_is_read_cell_by_cell_with_its_headers() -> None:
    text = "| Tokens | **Peak** of 8 |\n|---|---|\n| 256 | [22 s](claim:a) |\n| 512 | `x` |\n"
    cells = [each for each in Passages("a.md", text) if each.kind is Kind.CELL]
    assert [(each.text.strip(), each.header, each.first) for each in cells] == [
        ("256", "Tokens", True),
        ("22 s", "Peak** of 8", False),
        ("512", "Tokens", True),
    ]
    assert [link.target for each in cells for link in each.links] == ["a"]


def test_the_links_of_a_passage_are_those_to_claims() -> None:
    (passage,) = Passages("a.md", "Takes [22 s](claim:a), [3 s](b.md) or **[4 s](claim:c)**.")
    assert [(passage.text[link.start : link.end], link.target) for link in passage.links] == [
        ("22 s", "a"),
        ("4 s", "c"),
    ]


def test_in_raw_html_no_markdown_is_a_link() -> None:
    (passage,) = Passages("a.md", "<div>\n[22 s](claim:a)\n</div>\n")
    assert passage.links == ()


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"], ids=["lf", "crlf", "cr"])
def test_a_sign_is_found_where_it_is_written(ending: str) -> None:
    lines = [
        "\tcode 1",
        "",
        "# It *took* 22",
        "",
        "| a\t| b 7 |",
        "|---|---|",
        "| [33 s](claim:a) | **44** |",
    ]
    text = ending.join(lines)
    for passage in Passages("a.md", text):
        for at, sign in enumerate(passage.text):
            if sign.isdigit():
                assert text[passage.place(at)] == sign


PIECES = [
    "22 s", "*", "**", "`", "[", "](claim:a)", "](b)", "![", "|", "\n", "\n\n", " ", "> ", "- ", "# ",
    "<div>", "</div>", "<!-- ", " -->", "\\", "&lt;", "&#49;", "[^1]", "[^1]: ", '!!! note "', '"', "~~",
    "```", "---", "<b>", "9", " ", "\t", "{: a=1 }", "http://a/2", "\r", "\x02", "é", "[a]: ",
    '<img alt="5">', "=== ",
]  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_page_is_read_and_every_place_lies_in_it(text: str) -> None:
    for passage in Passages("a.md", text):
        for at in range(len(passage.text)):
            assert 0 <= passage.place(at) <= len(text)
        assert all(0 <= link.start <= link.end <= len(passage.text) for link in passage.links)
