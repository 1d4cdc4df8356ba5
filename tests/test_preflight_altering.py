"""One thing altered in a file: always another content, and one that a reader of the format still takes."""

from __future__ import annotations

import json
import re
import tomllib

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from stilltrue.errors import InputError
from stilltrue.preflight.altering import altered

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)
SEVERAL = st.dictionaries(st.text(max_size=5), JSON | st.booleans(), min_size=1, max_size=4)


def said_by(value: object) -> bool:
    """Whether a document says anything that an alteration can change and leave it a document."""
    text = re.sub(r"\\u[0-9a-f]{4}", "", json.dumps(value))
    return any(sign.isdigit() for sign in text) or "true" in text or "false" in text


@settings(max_examples=80, deadline=None)
@given(value=SEVERAL.filter(said_by))
def test_altered_json_is_other_json(value: object) -> None:
    before = json.dumps(value).encode()
    after = altered(before).data
    assert after != before
    json.loads(after)


@settings(max_examples=80, deadline=None)
@given(data=st.binary(min_size=1, max_size=64))
def test_whatever_is_altered_differs(data: bytes) -> None:
    assert altered(data).data != data


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'{"n": 1024}', b'{"n": 1014}'),
        (b'{"keep": [true, false]}', b'{"keep": [true, true]}'),
        (b"keep: [0, 1]", b"keep: [0, 0]"),
        (b"x = 1", b"x = 0"),
        (b"n: 190", b"n: 180"),
        (b"n: 1,000", b"n: 1,010"),
        (b'{"text": "abc"}', b'{"text": "bbc"}'),
        (b'"\\u00e9": 7', b'"\\u00e9": 6'),
        (b"hello", b"helao"),
        (b"++++", b"+++*"),
        (b"\0\0\0\0", b"\0\0\0\1"),
        (b"\xff1", b"\xff0"),
    ],
    ids=["number", "switch", "zeros-and-ones", "one", "inner-digit", "group", "text", "escape", "word",
         "signs", "zeros", "binary"],
)  # fmt: skip
def test_the_change_is_the_least_that_the_format_takes(before: bytes, after: bytes) -> None:
    assert altered(before).data == after


def test_the_change_lies_three_quarters_into_the_file() -> None:
    lines = "".join(f'{{"text": "line {number}"}}\n' for number in range(1000))
    change = altered(lines.encode())
    changed = [
        number
        for number, (old, new) in enumerate(
            zip(lines.encode().split(b"\n"), change.data.split(b"\n"), strict=True)
        )
        if old != new
    ]
    assert len(changed) == 1
    assert 740 < changed[0] < 760
    assert change.how.startswith(f"line {changed[0] + 1}: `")


@pytest.mark.parametrize("text", ["learning_rate: 1.0e-4\nbf16: true\n", "seed: 10\nnames: [a1, b2]\n"])
def test_altered_yaml_is_other_yaml(text: str) -> None:
    assert yaml.safe_load(altered(text.encode()).data) != yaml.safe_load(text)


def test_altered_toml_is_other_toml() -> None:
    table = "rate = 0.10\ncount = 1_000\nday = true\n"
    assert tomllib.loads(altered(table.encode()).data.decode()) != tomllib.loads(table)


def test_an_empty_file_has_nothing_to_alter() -> None:
    with pytest.raises(InputError, match="nothing to alter"):
        altered(b"")
