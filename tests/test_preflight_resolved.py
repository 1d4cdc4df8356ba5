"""What a run resolved to before a launch: definite, recorded, and what was asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from preflight_found import assert_refused, findings, said
from preflight_support import launch_of
from stilltrue.preflight.checks import resolved
from stilltrue.preflight.values import as_number, same

DIGEST = "sha256:" + "0123456789abcdef" * 4
RESOLVED = {
    "attention": "sdpa",
    "dtype": "bfloat16",
    "warmup_steps": 14,
    "rate": 0.0001,
    "checkpointing": True,
    "image": f"vendor/serve@{DIGEST}",
}
ASKED = """\
attention: auto
dtype: bfloat16
warmup_steps: 0.03
rate: 1e-4
checkpointing: true
image: serve:v2
none:
"""


def came_to(root: Path, entry: str, **changed: Any) -> str:
    """What one entry comes to: `ok …` or `FAIL …`; `changed` is recorded in place of what is above."""
    files = {"runs/asked.yml": ASKED, "runs/resolved.json": json.dumps({**RESOLVED, **changed}, indent=1)}
    found = said(launch_of(root, f"resolved:\n  - {entry}\n", files))
    assert len(found) == 1
    return next(iter(found.values()))


def pair(name: str, more: str = "", *, key: str = "resolved") -> str:
    """An entry for one name in both files."""
    at = f"{{file: runs/resolved.json, path: $.{name}}}"
    return f"{{{key}: {at}, asked: {{file: runs/asked.yml, path: $.{name}}}{more}}}"


AS_IT_SHOULD_BE = {
    "chosen": (pair("attention"), "ok auto became sdpa"),
    "as-asked": (pair("dtype"), "ok bfloat16, as asked"),
    "spelt-otherwise": (pair("rate"), "ok 0.0001, as asked"),
    "switch": (pair("checkpointing"), "ok true, as asked"),
    "expected": (
        pair("warmup_steps", ', expect: 14, because: "3 % of 444 steps"'),
        "ok 0.03 became 14: 3 % of 444 steps",
    ),
    "expected-of-auto": (pair("attention", ", expect: sdpa"), "ok sdpa, as expected"),
    "not-asked": ("resolved: {file: runs/resolved.json, path: $.dtype}", "ok bfloat16"),
    "everything": ("resolved: {file: runs/resolved.json}", "ok a mapping of 6 keys"),
    "written-here": (
        "{asked: 14, resolved: {file: runs/resolved.json, path: $.warmup_steps}}",
        "ok 14, as asked",
    ),
    "image": (pair("image", key="image"), f"ok vendor/serve@{DIGEST}"),
}


@pytest.mark.parametrize("name", AS_IT_SHOULD_BE)
def test_what_is_definite_and_as_asked_passes(name: str, tmp_path: Path) -> None:
    entry, came = AS_IT_SHOULD_BE[name]
    assert came_to(tmp_path, entry) == came


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "auto",
        "Auto",
        "default",
        "latest",
        "none",
        "None",
        "unknown",
        "N/A",
        "nan",
        "serve:latest",
        float("nan"),
    ],
    ids=lambda value: f"<{value}>",
)
def test_what_leaves_something_open_is_not_resolved(value: Any, tmp_path: Path) -> None:
    found = came_to(tmp_path, pair("attention"), attention=value)
    assert found.startswith("FAIL")
    assert found.endswith("is not resolved")


@pytest.mark.parametrize("value", [0, False, "0", "no", "latest-2", "automobile"], ids=str)
def test_other_values_are_definite(value: Any, tmp_path: Path) -> None:
    assert came_to(tmp_path, pair("attention"), attention=value).startswith("ok")


@pytest.mark.parametrize("value", [[], {}], ids=str)
def test_what_holds_nothing_records_nothing(value: Any, tmp_path: Path) -> None:
    found = came_to(tmp_path, pair("attention"), attention=value)
    assert found == "FAIL nothing is recorded there"


def test_what_is_open_deep_inside_is_named(tmp_path: Path) -> None:
    entry = "resolved: {file: runs/resolved.json}"
    found = came_to(tmp_path, entry, model={"layers": [{"experts": "auto"}, {"experts": None}]})
    assert found == "FAIL $.model.layers[0].experts is auto, $.model.layers[1].experts is null"


WRONG: dict[str, tuple[str, dict[str, Any], str]] = {
    "other": (
        pair("dtype"),
        {"dtype": "float32"},
        "bfloat16 was asked for (runs/asked.yml:2), and it became float32",
    ),
    "warm-up": (pair("warmup_steps"), {}, "0.03 was asked for (runs/asked.yml:3), and it became 14"),
    "not-expected": (
        pair("attention", ", expect: sdpa"),
        {"attention": "eager"},
        "sdpa is expected (preflight.yml:2), and it became eager",
    ),
    "no-reason": (
        pair("warmup_steps", ", expect: 14"),
        {},
        "0.03 was asked for (runs/asked.yml:3), and 14 is expected, for no reason",
    ),
    "switch": (
        pair("checkpointing"),
        {"checkpointing": 1},
        "true was asked for (runs/asked.yml:5), and it became 1",
    ),
    "list": (
        pair("dtype"),
        {"dtype": ["bfloat16"]},
        "bfloat16 was asked for (runs/asked.yml:2), and it became [bfloat16]",
    ),
}


def test_a_file_that_leaves_it_open_expects_nothing(tmp_path: Path) -> None:
    """`auto` that stayed `auto` has not become what was expected, unless it is written so on purpose."""
    there = pair("attention", ", expect: {file: runs/asked.yml, path: $.attention}")
    assert came_to(tmp_path / "file", there, attention="auto") == "FAIL auto is not resolved"
    meant = pair("attention", ", expect: none, because: it has none")
    assert came_to(tmp_path / "written", meant, attention="none") == "ok none, as expected"


@pytest.mark.parametrize("name", WRONG)
def test_what_became_something_else_fails(name: str, tmp_path: Path) -> None:
    entry, changed, saw = WRONG[name]
    assert came_to(tmp_path, entry, **changed).startswith(f"FAIL {saw}")


@pytest.mark.parametrize(
    "image",
    [
        "serve:latest",
        "serve:v2",
        "serve",
        "serve@sha256:0123",
        f"@{DIGEST}",
        f"serve@{DIGEST.upper()}",
        None,
        3,
    ],
    ids=lambda image: f"<{image}>",
)
def test_an_image_without_its_digest_fails(image: Any, tmp_path: Path) -> None:
    found = came_to(tmp_path, "image: {file: runs/resolved.json, path: $.image}", image=image)
    assert found.endswith("has no digest: a tag is moved")


@pytest.mark.parametrize(
    ("asked", "agrees"),
    [
        ("serve", True),
        ("vendor/serve:v2", True),
        (f"serve@{DIGEST}", True),
        (f"serve:v2@{DIGEST}", True),
        ("erve", False),
        ("other:v2", False),
        (f"serve@{DIGEST[:-1]}0", False),
    ],
    ids=["name", "tag", "digest", "tag-and-digest", "end-of-name", "other-name", "other-digest"],
)
def test_an_image_is_the_one_that_was_asked_for(asked: str, agrees: bool, tmp_path: Path) -> None:
    entry = f"{{image: {{file: runs/resolved.json, path: $.image}}, asked: '{asked}'}}"
    assert came_to(tmp_path, entry).startswith("ok" if agrees else "FAIL")


def test_a_missing_value_is_none_and_the_nearest_name_is_told(tmp_path: Path) -> None:
    assert came_to(tmp_path, pair("dtyp")).startswith("FAIL")
    (finding,) = findings(tmp_path)
    assert "dtype" in finding["hint"]
    assert finding["path"] == "runs/resolved.json"


@pytest.mark.parametrize(
    ("text", "saw"),
    [(None, "there is no file `runs/gone.json`"), ("{", "this is not valid JSON"), ("", "is empty")],
    ids=["missing", "cut", "empty"],
)
def test_a_file_that_cannot_be_read_is_no_pass(text: str | None, saw: str, tmp_path: Path) -> None:
    if text is not None:
        launch_of(tmp_path, "", {"runs/gone.json": text})
    found = came_to(tmp_path, "resolved: {file: runs/gone.json}")
    assert found.startswith("FAIL")
    assert saw in found


AT = "{file: runs/resolved.json, path: $.dtype}"
BAD = {
    "neither": ("asked: 3", "there must be either `resolved` or `image`", "add `resolved"),
    "both": (f"{{resolved: {AT}, image: {AT}}}", "there must be either `resolved` or `image`", "add"),
    "reason-for-nothing": (
        f"{{resolved: {AT}, because: why}}",
        "`because` gives a reason for nothing",
        "expect",
    ),
    "image-expected": (
        f"{{image: {AT}, expect: x}}",
        "an image is what it is asked for",
        "leave `expect` out",
    ),
    "no-path": ("resolved: {file: runs/resolved.json, path: dtype}", "`path`", "$"),
    "no-file": ("resolved: {path: $.dtype}", "`file` is missing", "file: "),
    "list": (f"{{resolved: {AT}, asked: [1]}}", "`asked` must be a value", "write `asked"),
    "misspelt": (f"{{resolve: {AT}}}", "unknown key `resolve`", "resolved"),
    "no-text": (f"{{resolved: {AT}, name: ''}}", "`name` has no value", "write `name"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_settings_are_refused_with_their_line(name: str, tmp_path: Path) -> None:
    entry, *words = BAD[name]
    assert_refused(tmp_path, f"resolved:\n  - {entry}\n", 2, *words)


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("16", 16, True),
        ("1e-4", "0.0001", True),
        ("1e400", "1e401", False),
        ("TRUE", True, True),
        (True, 1, False),
        (0, False, False),
        ("", 0, False),
        (None, "null", True),
        (None, "", False),
        ({"a": [1, "2"]}, {"a": ["1", 2]}, True),
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ([1], [1, 2], False),
        ("bf16", "bfloat16", False),
        ("1" * 2000, "1" * 2000, True),
        ("1e99999999", "1e99999999", True),
    ],
    ids=str,
)
def test_when_two_values_are_the_same(one: Any, other: Any, agree: bool) -> None:
    assert same(one, other) is agree
    assert same(other, one) is agree


def test_text_of_a_huge_exponent_is_no_number() -> None:
    assert as_number("1e99999999") is None
    assert as_number("1" * 2000) is None


def test_a_check_that_takes_everything_for_definite_would_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert came_to(tmp_path, pair("attention"), attention="auto").startswith("FAIL")
    monkeypatch.setattr(resolved, "is_open", lambda _value: False)
    assert came_to(tmp_path, pair("attention"), attention="auto").startswith("ok")


def test_a_check_that_takes_all_values_for_one_would_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert came_to(tmp_path, pair("dtype"), dtype="float32").startswith("FAIL")
    monkeypatch.setattr(resolved, "same", lambda _one, _other: True)
    assert came_to(tmp_path, pair("dtype"), dtype="float32").startswith("ok")
