"""Keys of a cache before a launch: each declared input is altered, and the key must change."""

from __future__ import annotations

from pathlib import Path

import pytest

from preflight_found import assert_refused, findings, said
from preflight_support import launch_of
from recording_support import write
from stilltrue.preflight.checks import cache_keys

SOUND = 'printf %s "$3" | cat - "$1" "$2" | sha256sum'
SETTINGS = """\
cache_keys:
  command: sh runs/key.sh {data} {mask} {window}
  inputs:
    data: {file: data/train.jsonl}
    mask: {file: runs/mask.json}
    window: {value: 1024, altered: 512}
"""
FILES = {
    "data/train.jsonl": '{"text": "one"}\n{"text": "two"}\n',
    "runs/mask.json": '{"keep": [true, false, true]}\n',
}


def keys(root: Path, program: str, settings: str = SETTINGS) -> dict[str, str]:
    """What each subject came to: `ok …` or `FAIL …` with what was seen."""
    return said(launch_of(root, settings, {**FILES, "runs/key.sh": f"{program}\n"}))


def test_a_key_that_covers_everything_passes(tmp_path: Path) -> None:
    found = keys(tmp_path, SOUND)
    assert list(found) == ["key", "input data", "input mask", "input window"]
    assert all(text.startswith("ok ") for text in found.values())
    assert "`1024` became `512`, and the key became" in found["input window"]


UNSOUND = {
    "mask-left-out": ('printf %s "$3" | cat - "$1" | sha256sum', "input mask"),
    "window-left-out": ('cat "$1" "$2" | sha256sum', "input window"),
    "name-of-the-file": ('echo "$1 $3" | cat - "$2" | sha256sum', "input data"),
    "size-and-time": ('echo "$3 $(stat -c "%s %y" "$1")" | cat - "$2" | sha256sum', "input data"),
    "first-bytes": ('{ head -c 9 "$1"; cat "$2"; echo "$3"; } | sha256sum', "input data"),
}


@pytest.mark.parametrize("name", UNSOUND)
def test_an_input_that_the_key_leaves_out_is_named(name: str, tmp_path: Path) -> None:
    program, left_out = UNSOUND[name]
    found = keys(tmp_path, program)
    assert [subject for subject, text in found.items() if text.startswith("FAIL")] == [left_out]
    assert "and the key is still" in found[left_out]


@pytest.mark.parametrize("program", ["echo $$", "date +%N"], ids=["process", "time"])
def test_a_key_that_changes_by_itself_covers_nothing(program: str, tmp_path: Path) -> None:
    found = keys(tmp_path, program)
    assert list(found) == ["key"]
    assert found["key"].startswith("FAIL nothing was altered, and `")


def test_a_key_that_comes_to_fail_is_none(tmp_path: Path) -> None:
    found = keys(tmp_path, "test -e used || echo key; touch used")
    assert found == {"key": "FAIL the command gives none the second time: it printed nothing"}


BROKEN = {
    "exit-code": (
        "echo key; echo no tokenizer >&2; exit 1",
        "the command gives none: exit code 1: no tokenizer",
    ),
    "silence": ("true", "the command gives none: it printed nothing"),
    "chatty": ('echo "window $3"; cat "$1" "$2" | sha256sum', "the command gives none: it printed 2 lines"),
    "not-there": ("nowhere-at-all", "exit code 127"),
    "too-slow": ("sleep 60", "it took longer than 0.2 s, and was ended"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_command_that_gives_no_key_fails(name: str, tmp_path: Path) -> None:
    program, why = BROKEN[name]
    timeout = "200 ms" if name == "too-slow" else "60 s"
    found = keys(tmp_path, program, f"{SETTINGS}  timeout: {timeout}\n")
    assert list(found) == ["key"]
    assert found["key"].startswith("FAIL")
    assert why in found["key"]


def test_a_copy_that_the_command_cannot_read_asks_for_another(tmp_path: Path) -> None:
    program = f'grep -q one "$1" || exit 3\n{SOUND}'
    settings = SETTINGS.replace("data/train.jsonl}", "data/train.jsonl, altered: data/other.jsonl}")
    write(tmp_path, {"data/other.jsonl": '{"text": "six"}\n'})
    found = keys(tmp_path, program, settings)
    assert found["input data"].startswith(
        "FAIL `data/other.jsonl` in its place, and the command gives no key"
    )
    write(tmp_path, {"data/other.jsonl": '{"text": "one"}\n'})
    assert said(tmp_path)["input data"].startswith("ok `data/other.jsonl` in its place, and the key became")


def test_a_file_that_cannot_be_altered_fails_in_its_place(tmp_path: Path) -> None:
    launch_of(tmp_path, SETTINGS, {**FILES, "runs/key.sh": SOUND, "runs/mask.json": ""})
    (finding,) = findings(tmp_path)
    assert (finding["ok"], finding["path"]) == (False, "runs/mask.json")
    assert finding["saw"] == "it is empty: there is nothing to alter"
    (tmp_path / "runs/mask.json").unlink()
    (finding,) = findings(tmp_path)
    assert (finding["ok"], finding["path"]) == (False, "runs/mask.json")
    assert finding["saw"] == "there is no file `runs/mask.json`"


def test_the_same_file_is_no_alteration(tmp_path: Path) -> None:
    settings = SETTINGS.replace("runs/mask.json}", "runs/mask.json, altered: runs/mask.json}")
    found = keys(tmp_path, SOUND, settings)
    assert found == {"cache_keys": "FAIL `runs/mask.json` holds the same as `runs/mask.json`"}


BAD = {
    "stranger": ("{data} ", "{dta} ", 2, "`{dta}` in `command` stands for nothing", "data"),
    "unused": (" {window}", "", 6, "the command does not use the input `window`", "--window"),
    "neither": ("{value: 1024, altered: 512}", "{altered: 512}", 6, "either a `file` or", "write"),
    "both": ("{file: runs/mask.json}", "{file: runs/mask.json, value: 3}", 5, "either a `file` or", "write"),
    "same-value": ("altered: 512", "altered: 1024", 6, "the input `window` needs another value", "altered"),
    "no-value": (", altered: 512", "", 6, "the input `window` needs another value", "altered"),
    "unknown-key": ("{file: runs/mask.json}", "{flie: runs/mask.json}", 5, "unknown key `flie`", "file"),
    "no-inputs": (SETTINGS[SETTINGS.index("  inp") :], "  inputs: {}\n", 3, "`inputs` names none", "write"),
    "no-command": ("  command", "  comand", 2, "unknown key `comand`", "command"),
    "open-quote": ("{data} ", "'{data} ", 2, "`command`", "command"),
    "outside": ("data/train.jsonl", "../train.jsonl", 4, "leads out of the repository", "inside"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_settings_are_refused_with_their_line(name: str, tmp_path: Path) -> None:
    old, new, line, message, hint = BAD[name]
    assert old in SETTINGS
    assert_refused(tmp_path, SETTINGS.replace(old, new), line, message, hint)


def test_a_check_that_takes_any_key_for_another_would_pass(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Its one comparison is what the runs above fail by."""
    program, left_out = UNSOUND["mask-left-out"]
    assert keys(tmp_path, program)[left_out].startswith("FAIL")
    monkeypatch.setattr(cache_keys, "changed", lambda _before, _after: True)
    assert said(tmp_path)[left_out].startswith("ok")


def test_nothing_is_written_in_the_project(tmp_path: Path) -> None:
    keys(tmp_path, SOUND)
    before = sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*"))
    said(tmp_path)
    assert sorted(path.relative_to(tmp_path) for path in tmp_path.rglob("*")) == before


def test_a_value_is_given_as_it_is_and_a_name_may_be_long(tmp_path: Path) -> None:
    name = "n" * 300
    settings = (
        f"cache_keys:\n  command: echo {{a}} {{{name}}}\n  inputs:\n"
        f"    a: {{value: '{{{name}}}', altered: x}}\n    {name}: {{file: runs/mask.json}}\n"
    )
    found = keys(tmp_path, SOUND, settings)
    assert f"`{{{name}"[:50] in found["key"]
    assert found["input a"].startswith("ok ")
    assert "the key is still" in found[f"input {name}"]


def test_bytes_that_are_no_text_are_told_apart(tmp_path: Path) -> None:
    program = r"if test $3 = 1024; then printf '\372'; else printf '\373'; fi"
    assert keys(tmp_path / "key", program)["input window"].startswith("ok ")
    found = keys(tmp_path / "unsteady", r"head -c 9 /dev/urandom | LC_ALL=C tr '\000-\177' '\200-\377'")
    assert list(found) == ["key"]
    assert found["key"].startswith("FAIL nothing was altered")
