"""TOML that is refused before it takes long."""

from __future__ import annotations

import pytest

from stilltrue.toml import MOST_PARTS, TomlError, parse

DEEP = {
    "bare": ".".join("a" * (MOST_PARTS + 1)),
    "blanks": " . ".join("a" * (MOST_PARTS + 1)),
    "quoted": ".".join(['"!"'] * 20_000),
    "literal": ".".join(["'a.b'"] * (MOST_PARTS + 1)),
    "after text": 'x = """\n"" \\""" "."""\n' + ".".join(["'#'"] * (MOST_PARTS + 1)),
}


@pytest.mark.parametrize("key", DEEP.values(), ids=DEEP)
@pytest.mark.parametrize("line", ["{} = 1", "[{}]", "[[{}]]", "x = {{{} = 1}}"])
def test_a_key_of_too_many_parts_is_refused_at_once(key: str, line: str) -> None:
    before, newline, last = key.rpartition("\n")
    with pytest.raises(TomlError) as caught:
        parse(before.replace("x =", "text =") + newline + line.format(last))
    assert caught.value.fault == "deep"


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * MOST_PARTS) + " = 1",
        'x = "' + "a." * 500 + '"',
        "x = [" + ", ".join(["0.5"] * 500) + "]",
        "x = 1 # " + "a." * 500,
        'x = """' + 'a."b" ""\n' * 300 + '"""""\ny = 1',
        "x = '''" + "a.'b' ''\n" * 300 + "'''''\ny = 1",
        'x = ["' + '", "'.join(["1.2.3"] * 500) + '"]',
    ],
    ids=["parts", "string", "floats", "comment", "long string", "long literal", "versions"],
)
def test_dots_elsewhere_are_no_parts(text: str) -> None:
    assert parse(text)


@pytest.mark.parametrize(
    "text",
    [
        '"' + '\\"' * 500_000,
        '"""' + '""a' * 500_000,
        "'''" + "''" * 500_000,
        "a. " * 300_000,
        "a" * 2_000_000,
    ],
    ids=["escapes", "quotes", "apostrophes", "parts", "word"],
)
def test_what_is_left_open_is_refused(text: str) -> None:
    with pytest.raises(TomlError):
        parse(text + "." * MOST_PARTS)
