"""What lets an old number stand: a strike, or a mark."""

from __future__ import annotations

import pytest

from copies_support import lines_of, superseded


@pytest.mark.parametrize(
    "text",
    [
        "4.3 h  # stilltrue: keep",
        "# stilltrue: keep\n4.3 h",
        "  // stilltrue: keep because the archive is named so\n4.3 h",
        "<!-- stilltrue: keep because it is quoted -->\n4.3 h",
        '"//": "stilltrue: keep",\n"hours": 4.3',
        "REM stilltrue: keep\r\n4.3 h\r\n",
        "| 4.3 h <!-- stilltrue: keep --> | 4.3 h |",
        "~~4.3 h~~",
        "~~it took 4.3 h\nin March~~",
        "[~~4.3 h~~](claim:old)",
        "<s>4.3 h</s>",
        "<del class='old'>it took\n\n4.3 h</del>",
        "<STRIKE>4.3 h</STRIKE>",
        "~~it took `4.3 h` with `--cold`~~",
        "it `took` ~~`4.3` h~~",
        "<del><b>4.3</b> h</del>",
    ],
    ids=ascii,
)
def test_a_marked_or_struck_place_may_stand(text: str) -> None:
    assert lines_of(text, superseded("4.3 h")) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x = 1  # stilltrue: keep\n4.3 h", 2),
        ("# stilltrue: keep\n\n4.3 h", 3),
        ("# stilltrue: keeper\n4.3 h", 2),
        ("# stilltrue keep\n4.3 h", 2),
        ("4.3 h\n# stilltrue: keep", 1),
        ("~~a~~ 4.3 h ~~b~~", 1),
        ("~~a\n\n4.3 h~~", 3),
        ("~4.3 h~", 1),
        ("~~ 4.3 h", 1),
        ("<s>a</s> 4.3 h <s>b</s>", 1),
        ("<s>4.3 h", 1),
        ("<span>4.3 h</span>", 1),
        ("between `~~` 4.3 h and `~~`", 1),
        ("between `<s>` 4.3 h and `</s>`", 1),
        ("\\~~4.3 h\\~~", 1),
    ],
    ids=ascii,
)
def test_what_stands_beside_a_mark_or_a_strike_is_found(text: str, line: int) -> None:
    assert lines_of(text, superseded("4.3 h")) == [line]
