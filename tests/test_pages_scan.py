"""Lines, endings, problems and limits of the scanner."""

from __future__ import annotations

import time

import pytest

from stilltrue.codes import CODES
from stilltrue.model import Page
from stilltrue.pages import scan

BLOCK = "```claim\nid: x\n```\n"


def codes(page: Page) -> list[tuple[str, int]]:
    assert all(problem.code in CODES and problem.hint for problem in page.problems)
    return [(problem.code, problem.place.line) for problem in page.problems]


def test_a_page_without_claims_is_empty() -> None:
    assert scan("p.md", "text\n") == Page("p.md", (), (), ())
    assert scan("p.md", "") == Page("p.md", (), (), ())


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_every_line_ending_counts_lines_as_an_editor_does(ending: str) -> None:
    text = f"\ufeffone\u2028two\x0cthree\x85four\n\n{BLOCK}\n[5](claim:x)".replace("\n", ending)
    page = scan("p.md", text)
    assert [(b.place.line, b.end, b.body) for b in page.blocks] == [(3, 5, "id: x\n")]
    assert [link.place.line for link in page.links] == [7]


def test_a_block_at_the_end_of_the_text_needs_no_final_newline() -> None:
    assert [b.end for b in scan("p.md", BLOCK.rstrip()).blocks] == [3]


def test_an_empty_block_has_an_empty_body() -> None:
    assert [b.body for b in scan("p.md", "```claim\n```").blocks] == [""]


def test_a_body_loses_the_indentation_of_its_fence_and_no_more() -> None:
    text = "- a\n\n    ```claim\n    id: x\n\n      y: 1\n    ```\n"
    block = scan("p.md", text).blocks[0]
    assert (block.body, block.indent) == ("id: x\n\n  y: 1\n", 4)


def test_tabs_indent_to_stops_of_four_and_stay_inside_a_body() -> None:
    block = scan("p.md", "- a\n\n\t```claim\n\tid:\tx\n\t```\n").blocks[0]
    assert (block.body, block.indent) == ("id:\tx\n", 4)


def test_a_quoted_body_loses_its_quote_marks() -> None:
    block = scan("p.md", "> ```claim\n> id: x\n>\n> value: > 5 ms\n> ```\n").blocks[0]
    assert block.body == "id: x\n\nvalue: > 5 ms\n"


def test_front_matter_is_skipped_and_a_rule_at_the_top_is_not() -> None:
    assert scan("p.md", f"---\na: b\nc: |\n  {BLOCK.replace(chr(10), chr(10) + '  ')}\n---\n").blocks == ()
    assert len(scan("p.md", f"---\n\n{BLOCK}\n---\n").blocks) == 1
    assert len(scan("p.md", f"---\na: b\n---\n{BLOCK}").blocks) == 1


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        ("x\n\n```claim\nid: x\n", [("unclosed-fence", 3)]),
        ("    ```claim\n    id: x\n    ```\n", []),
        ("- a\n\n    ```claim\n    id: x\n  ```\n", [("unclosed-fence", 3)]),
        ("```text\nx\n\n````claim\nid: x\n````\n", [("unclosed-fence", 1)]),
        ("```text\nx\n````\n\n```claim\nid: x\n```\n", [("unseen-block", 5)]),
        ("```text\nx\n\n```claim\nid: x\n```\n", [("unclosed-fence", 1)]),
        ("- a\n\n    ```\n    x\n\n    ```claim\n    id: x\n    ```\n", [("unclosed-fence", 3)]),
        ("````text\nx\n\n```claim\nid: x\n```\n````\n", []),
        ("~~~text\nx\n\n```claim\nid: x\n```\n~~~\n", []),
        ("- ```claim\n  id: x\n  ```\n", [("unseen-block", 1)]),
        ("```clam\nid: claim-x\n```\n", [("unseen-block", 1)]),
        ("> ```claim: x\n> id: x\n> ```\n", [("unseen-block", 1)]),
        ("```\u200bclaim\nid: x\n```\n", [("unseen-block", 1)]),
        ("```clam\nclaim: x\n```\n", []),
        ("```yaml\nid: claim-x\n```\n", []),
        ("````clam\n```clam\nid: claim-x\n```\n````\n", []),
        ("```Claim\nid: x\n```\n", [("unseen-block", 1)]),
        ("    ```claims\n    id: x\n    ```\n", []),
        ("text\n    ```claim\n    id: x\n    ```\n", [("unseen-block", 2)]),
        ("text\n- a\n\n    ```claim\n    id: x\n    ```\n", [("unseen-block", 4)]),
        ("- a\n\n    <!--\n\n    ```claim\n    id: x\n    ```\n\n    -->\n", [("unseen-block", 5)]),
        ("see [5](claim:x and\n", [("unclosed-link", 1)]),
        ("see [5 ms](Claim:x)\n", [("unread-link", 1)]),
        ("see\n[5 ms](claims:x) and [6](clam:x)\n", [("unread-link", 2), ("unread-link", 2)]),
        ("- [5 ms](claim%3Ax)\n- [5 ms](claim&#58;x)\n", [("unread-link", 1), ("unread-link", 2)]),
        ("| [5 ms](<CLAIM:x>) |\n|---|\n| [5 ms](claim\\:x) |\n", [("unread-link", 1), ("unread-link", 3)]),
        ("[5 ms](c&#108;aim:x) and [5 ms](claim\uff1ax)\n", [("unread-link", 1), ("unread-link", 1)]),
        ("see [5 ms][r]\n\n[r]: Claim:x\n", [("unread-link", 1)]),
        ("see [5 ms][r]\n\n[r]: <claim:x >\n", [("unread-link", 3)]),
        ("see [5 ms][r]\n\n[r]:\n    claim:x\n", [("unread-link", 3)]),
        ("see [5 ms] (claim:x)\n", [("unread-link", 1)]),
        ("see [5]( claim:x ), [5](< claim:x >) and [5](\nclaim:x)\n", []),
        ("`[5](Claim:x)` \\[5](Claim:x) <!-- [5](Claim:x) -->\n\n    [5](Claim:x)\n", []),
        ("[5](claim.md), [5](cost:x), [5](c%20b.md), [1] (claim: 5) and [the claim](a.md?q=claim:x)\n", []),
        ('see\n<a class="n" href="claim:x">5</a> and\n', [("html-link", 2)]),
        ("a <A HREF=Claim:x>5</A>\n", [("html-link", 1)]),
        ('<div>\n<b><a href= "claim:x">5</a></b>\n</div>\n', [("html-link", 2)]),
        ('<div markdown>\n\n<p><a\nhref="claim:x">5</a></p>\n\n</div>\n', [("html-link", 3)]),
        ('`<a href="claim:x">5</a>` and <a href="#x">a claim: 5</a>\n', []),
        ('<!-- <a href="claim:x">5</a> -->\n\n<pre>\n<a href="claim:x">5</a>\n</pre>\n', []),
        ('```html\n<a href="claim:x">5</a>\n```\n\n    <a href="claim:x">5</a>\n', []),
    ],
)
def test_what_viewers_differ_over_is_a_problem_and_an_example_is_none(
    text: str, problems: list[tuple[str, int]]
) -> None:
    page = scan("p.md", text)
    assert codes(page) == problems
    assert page.blocks == ()


def test_an_unclosed_block_does_not_hide_the_next_one() -> None:
    page = scan("p.md", f"```claim\nid: a\n\ntext\n\n{BLOCK}\n{BLOCK}")
    assert codes(page) == [("unclosed-fence", 1)]
    assert [block.place.line for block in page.blocks] == [6, 10]


HUGE = {
    "quotes": "> " * 100_000 + "a",
    "quotes, then lazy lines": "> " * 100_000 + "a\n" + "lazy\n" * 10_000,
    "items": "- " * 100_000 + "a",
    "nested items": "\n".join("    " * depth + "- a" for depth in range(400)),
    "brackets": "[" * 100_000,
    "links that do not end": "[a](" * 25_000,
    "titles that do not end": '[a](claim:x "' * 4_000,
    "spaces in a link": "[a](claim:x" + " " * 100_000,
    "ticks": " ".join("`" * n for n in range(400)),
    "escapes": "\\`" * 50_000,
    "comments": "<!-- " * 20_000,
    "comment lines": "<!--\n" * 20_000,
    "pre": "<pre>\n" * 20_000,
    "tags": "<div>\n\n" * 15_000,
    "dashes": "-" * 100_000 + "x",
    "stars": "**  " * 25_000 + "x",
    "admonition words": "!!! " + "a " * 50_000 + '"',
    "unclosed fences": "    ```text\nx\n" * 8_000,
    "nul characters": "\0" * 100_000,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_hostile_pages_take_little_time(text: str) -> None:
    start = time.process_time()
    scan("p.md", f"[5](claim:x)\n\n{text}\n\n[5](claim:x) {text}\n\n{BLOCK}")
    assert time.process_time() - start < 10, "quadratic or worse: linear work takes less than a second"


def test_ten_megabytes_are_read() -> None:
    page = scan("p.md", "some words of prose\n" * 500_000 + "\n" + BLOCK)
    assert [block.place.line for block in page.blocks] == [500_002]


@pytest.mark.parametrize(
    "text",
    [
        "---\na: 1\n" + "    x\n" * 40 + "!bad\n---\n",
        "---\n" + "title:    x\n" * 40 + "!bad {\n---\n",
        "---\na: " + " " * 100_000 + "!\n---\n",
        "[a]: claim:good\n\n" + "[a" * 50_000 + "]" * 50_000,
        "[5 s](claim:good)\n" * 20_000,
        "`a` [5 s `b`](claim:good) ~~c~~ " * 5_000,
    ],
    ids=["front matter", "blanks", "a long line", "nested brackets", "many lines", "much code"],
)
def test_a_page_that_could_be_read_in_many_ways_is_read_in_time(text: str) -> None:
    started = time.process_time()
    page = scan("a.md", f"{text}\n\n[5 s](claim:last)\n")
    assert time.process_time() - started < 5
    assert page.links[-1].target == "last"
