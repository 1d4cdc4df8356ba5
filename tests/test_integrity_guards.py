"""The guards as the landmines' pages print them, pasted as they stand: they stop the trap alone."""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from integrity_support import pasted

# A cache key -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Inputs:
    data: str
    mask: str
    window: int


GIVEN, ALTERED = Inputs("a", "b", 1), Inputs("c", "d", 2)


def digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value).encode()).hexdigest()


def test_a_key_over_every_input_passes_and_one_without_the_mask_is_stopped() -> None:
    guard = pasted("cache-key.md", "guard")
    guard(lambda inputs: digest(asdict(inputs)), GIVEN, ALTERED)
    with pytest.raises(ValueError, match="`mask` is not in the key"):
        guard(lambda inputs: digest([inputs.data, inputs.window]), GIVEN, ALTERED)


def test_a_key_that_is_never_the_same_is_stopped() -> None:
    numbers = iter(range(9))
    with pytest.raises(ValueError, match="two keys of the same inputs differ"):
        pasted("cache-key.md", "guard")(lambda _: next(numbers), GIVEN, ALTERED)


# Argument names ----------------------------------------------------------------------------------------


class Swallows:
    attribute_map: Mapping[str, str] = {"dim": "hidden_size"}

    def __init__(self, hidden_size: int = 1, **kwargs: object) -> None: ...


def test_names_are_held_against_what_a_class_names_and_its_aliases() -> None:
    unknown = pasted("argument-names.md", "unknown")
    assert unknown(argparse.ArgumentParser, {"descripton": "", "prog": ""}) == ["descripton"]
    assert unknown(Swallows, {"hidden_size": 2, "dim": 2, "hiden_size": 2}) == ["hiden_size"]


# Resolved values ---------------------------------------------------------------------------------------

ASKED: dict[str, object] = {
    "attention": None,
    "dtype": "auto",
    "warmup_steps": 0.03,
    "code": "main",
    "library": "transformers>=5.14",
    "image": "serve:latest",
}
RECORD: dict[str, object] = {
    "attention": "sdpa",
    "dtype": "bfloat16",
    "warmup_steps": 14,
    "code": "0" * 40,
    "library": "transformers==5.24.0",
    "image": f"serve@sha256:{'0' * 64}",
}


def test_a_record_of_what_was_resolved_passes() -> None:
    pasted("resolved-values.md", "check")(ASKED, RECORD)


@pytest.mark.parametrize("name", ASKED)
def test_a_setting_that_is_left_as_it_was_asked_for_is_stopped(name: str) -> None:
    with pytest.raises(ValueError, match="does not say what it came to"):
        pasted("resolved-values.md", "check")(ASKED, {**RECORD, name: ASKED[name]})


def test_a_run_that_did_not_get_what_it_was_told_to_have_is_stopped() -> None:
    with pytest.raises(ValueError, match="and the run has 'sdpa'"):
        pasted("resolved-values.md", "check")({"attention": "eager"}, RECORD)


# A dirty tree ------------------------------------------------------------------------------------------


def git(*words: str) -> None:
    line = ["git", "-c", "user.name=nobody", "-c", "user.email=nobody@example.org", *words]
    subprocess.run(line, check=True, capture_output=True)


def edit() -> None:
    Path("settings").write_text("another")


def stage() -> None:
    edit()
    git("add", "settings")


def add() -> None:
    Path("module").write_text("a")


def add_ignored() -> None:
    Path("local").write_text("a")


def edit_unwatched() -> None:
    git("update-index", "--assume-unchanged", "settings")
    edit()


@pytest.mark.parametrize("change", [edit, stage, add, add_ignored, edit_unwatched])
def test_a_clean_tree_passes_and_one_that_is_not_its_commit_is_stopped(
    change: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("settings").write_text("one")
    Path(".gitignore").write_text("local\nlog\n")
    Path("log").write_text("nothing reads it")
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "first")
    guard = pasted("dirty-tree.md", "guard")
    guard(["settings", "local"])
    change()
    with pytest.raises(ValueError, match=r"is not clean|is not what HEAD holds"):
        guard(["settings", "local"])


# A silent test -----------------------------------------------------------------------------------------


def fails_on(broken: object) -> Callable[[object], None]:
    def test(step: object) -> None:
        assert step != broken

    return test


@pytest.mark.parametrize(
    ("test", "collected", "because"),
    [
        (fails_on("one"), 0, "nobody runs it"),
        (fails_on("sound"), 1, "as it should be"),
        (fails_on("one"), 1, "put in: other"),
    ],
    ids=["not-collected", "fails-on-the-step", "misses-a-fault"],
)
def test_a_test_that_watches_nothing_is_stopped(
    test: Callable[[object], None], collected: int, because: str
) -> None:
    with pytest.raises(ValueError, match=because):
        pasted("silent-test.md", "guard")(test, collected, "sound", {"first": "one", "other": "two"})


def test_a_test_that_fails_on_every_fault_passes() -> None:
    pasted("silent-test.md", "guard")(fails_on("one"), 1, "sound", {"first": "one"})
